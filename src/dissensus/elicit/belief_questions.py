"""Questions whose answer spreads probability over classes: top two, sliders, percents and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from dissensus.elicit.questions import Answer, Question

MOST = 1_000_000  # of any number in an answer
SURE = 30.0  # how alike simulated annotators are: the concentration of what each holds around the truth


def check_top_two(question: Question, answer: Answer) -> Answer:
    """First class with its percent, an optional second, and the classes ruled out (Collins 2022, sec. 4)."""
    first, second = answer["first"], answer["second"]
    if first not in question.classes:
        raise ValueError(f"first {first!r} is not one of the {len(question.classes)} classes")
    _percent("first_percent", answer["first_percent"])
    if second is None:
        if answer["second_percent"] is not None:
            raise ValueError("second_percent is given, but no second class")
    else:
        if not question.options["second"]:
            raise ValueError("this question asks for one class only, but a second is given")
        if second not in question.classes or second == first:
            raise ValueError(f"second {second!r} is not one of the other {len(question.classes) - 1} classes")
        _percent("second_percent", answer["second_percent"])
    ruled_out = _classes("ruled_out", answer["ruled_out"], question.classes)
    if ruled_out and not question.options["ruling_out"]:
        raise ValueError("this question has nothing to rule out, but ruled_out names classes")
    used = sorted(set(ruled_out) & {first, second})
    if used:
        raise ValueError(f"ruled_out names {used[0]!r}, which is also the first or second class")
    return {**answer, "ruled_out": ruled_out}


def simulate_top_two(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    held = _held(truth, rng)
    order = np.argsort(-held, kind="stable")
    percent = np.rint(100 * held).astype(int)
    two = question.options["second"] and truth.size > 1 and percent[order[1]] > 0
    out = [question.classes[j] for j in order[2 if two else 1 :] if held[j] < 0.01]
    second, second_percent = (question.classes[order[1]], int(percent[order[1]])) if two else (None, None)
    return {
        "first": question.classes[order[0]], "first_percent": int(percent[order[0]]),
        "second": second, "second_percent": second_percent,
        "ruled_out": out if question.options["ruling_out"] else [],
    }  # fmt: skip


def check_sliders(question: Question, answer: Answer) -> Answer:
    values = _numbers("values", answer["values"], question.classes)
    untouched = [name for name in question.classes if name not in values]
    if untouched:
        raise ValueError(f"values has no number for {untouched[0]!r}; every slider has to be touched")
    high = [name for name, value in values.items() if value > 1]
    if high:
        raise ValueError(f"values gives {high[0]!r} {values[high[0]]:g}; expected a number from 0 to 1")
    return {"values": values}


def simulate_sliders(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    held = _held(truth, rng)
    return {"values": {name: round(float(p), 2) for name, p in zip(question.classes, held, strict=True)}}


def check_allocation(question: Question, answer: Answer) -> Answer:
    return {"percents": _whole_parts("percents", answer["percents"], question.classes, 100)}


def simulate_allocation(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"percents": _drawn_parts(question, truth, 100, rng)}


def check_tokens(question: Question, answer: Answer) -> Answer:
    return {"tokens": _whole_parts("tokens", answer["tokens"], question.classes, question.options["tokens"])}


def simulate_tokens(question: Question, truth: np.ndarray, rng: np.random.Generator) -> Answer:
    return {"tokens": _drawn_parts(question, truth, question.options["tokens"], rng)}


def _held(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What one person holds: Dirichlet around the truth, so that the mean of what people hold is the truth.  (k,)"""
    mass = rng.standard_gamma(SURE * truth)
    return mass / mass.sum() if mass.sum() > 0 else truth


def _drawn_parts(question: Question, truth: np.ndarray, total: int, rng: np.random.Generator) -> dict[str, int]:
    parts = rng.multinomial(total, _held(truth, rng))
    return {name: int(part) for name, part in zip(question.classes, parts, strict=True) if part}


def _percent(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError(f"{name} is {value!r}; expected a number from 0 to 100")


def _classes(name: str, given: Any, classes: tuple[str, ...]) -> list[str]:
    if not isinstance(given, list):
        raise ValueError(f"{name} is a list of classes, not {type(given).__name__}")
    unknown = [one for one in given if one not in classes]
    if unknown:
        raise ValueError(f"{name} names {unknown[0]!r}, which is not one of the {len(classes)} classes")
    return sorted(set(given), key=classes.index)


def _numbers(name: str, given: Any, classes: tuple[str, ...]) -> dict[str, float]:
    if not isinstance(given, dict):
        raise ValueError(f"{name} is an object of class and number, not {type(given).__name__}")
    for one, value in given.items():
        if one not in classes:
            raise ValueError(f"{name} names {one!r}, which is not one of the {len(classes)} classes")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
            raise ValueError(f"{name} gives {one!r} {value!r:.40}; expected a number of 0 or more, at most {MOST:,}")
    return {one: given[one] for one in classes if one in given}


def _whole_parts(name: str, given: Any, classes: tuple[str, ...], total: int) -> dict[str, int]:
    parts = _numbers(name, given, classes)
    for one, value in parts.items():
        if value != int(value):
            raise ValueError(f"{name} gives {one!r} {value!r}; expected a whole number")
    if sum(parts.values()) != total:
        raise ValueError(f"{name} sums to {sum(parts.values()):g}; expected {total}")
    return {one: int(value) for one, value in parts.items() if value}
