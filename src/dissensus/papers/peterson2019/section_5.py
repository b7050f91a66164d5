"""Findings about section 5: human labels against classes, from scratch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019 import published
from dissensus.papers.peterson2019.sets import SHIFTED
from dissensus.papers.peterson2019.shift import CHOSEN_RATE
from dissensus.papers.reading import Runs, gaps, interval_of
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding

NOT_HERE = "the images of {} are not among the data; their labels and the predictions of other models are"
HELD = "held out"
SHORT = {"cifar10": "CIFAR-10", "v6": "v6", "v4": "v4", "cinic10": "CINIC-10", "imagenet": "ImageNet", "far": "far set"}
STANDS_IN = {
    "imagenet": "validation images of ImageNet in the same classes stand in for CINIC-10; ",
    "far": "validation images of ImageNet in classes chosen here stand in for the paper's; ",
}
NATS = ("cross_entropy", "kl")  # scores that are no percentages
SIGNS: dict[str, Literal[-1, 1]] = {"accuracy": 1, "cross_entropy": -1}


@dataclass(frozen=True)
class Judged:
    """Models with what they were judged on, as `shift` gives it.

    models  model -> kind of labels -> what it is judged on -> score -> by fold
    what    they are, in words
    part    that they come from
    """

    models: Mapping[str, Any]
    what: str
    part: str

    def runs(self, kind: str, on: str, score: str, model: str | None = None) -> Runs:
        """A score by model and fold."""
        return {
            f"{name} · fold {fold + 1}": np.nan if value is None else float(value)
            for name, entry in self.models.items()
            if model in (None, name)
            for fold, value in enumerate(entry[kind][on][score])
        }

    def gap(self, on: str, score: str, model: str | None = None) -> Runs:
        """Soft less hard by model and fold, where both have the score."""
        both = gaps(self.runs("soft", on, score, model), self.runs("hard", on, score, model))
        return {run: value for run, value in both.items() if not np.isnan(value)}

    @property
    def sets(self) -> tuple[str, ...]:
        """What they were judged on besides the images held out; no stand-in for CINIC-10 where that is there."""
        entry = next(iter(self.models.values()))["soft"]
        return tuple(on for on in SHIFTED if on in entry and not (on == "imagenet" and "cinic10" in entry))

    def mean(self, kind: str, on: str, score: str) -> float:
        return float(np.nanmean(list(self.runs(kind, on, score).values())))


def split_by_role(results: Results, scale: Scale) -> tuple[Judged, Judged]:
    """What claims are judged by, and what stands beside it: networks and heads; at `quick` the other way round."""
    networks = Judged(results.numbers["scratch-shift"]["models"], "networks", "scratch-shift")
    heads = Judged(results.numbers["heads-shift"]["models"], "heads on features", "heads-shift")
    return (heads, networks) if scale == "quick" else (networks, heads)


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each claim of section 5."""
    main, beside = split_by_role(results, scale)
    reason = _set_up(main)
    made: dict[str, Finding] = {}
    for score, sign in SIGNS.items():
        for name, shown in published.SETS.items():
            made[f"figure-2-{name}-{score}"] = _on_set(main, beside, name, shown, score, sign)
        made[f"figure-2-every-{score}"] = _every(main, score, sign, reason)
        made[f"section-5-shift-{score}"] = _growth_finding(main, beside, score, reason)
    made["section-5-folds"] = _folds(main, reason)
    made["section-5-rate"] = _rates(results, scale)
    made["figure-2-second-best"] = _gap(main, beside, HELD, "second_best", 1, reason)
    made["figure-2-second-best-every"] = count_finding(
        {name: float(np.mean(list(main.gap(HELD, "second_best", name).values()))) > 0 for name in main.models},
        over=f"{main.what}",
        parts=(main.part,),
        reason=reason,
    )
    made["figure-3-wrong"] = _gap(main, beside, HELD, "confidence_wrong", -1, reason)
    made["figure-3-right"] = _right(main, reason)
    made["figure-3-people"] = _like_people(main, reason)
    made["section-5-fit"] = _gap(main, beside, HELD, "kl", -1, f"KL divergence from people; {reason}")
    return made


def _set_up(main: Judged) -> str:
    accuracy = 100 * main.mean("hard", "cifar10", "accuracy")
    return (
        f"judged by {main.what}, {accuracy:.0f}% accurate on CIFAR-10's training images with classes (the paper's "
        "networks 83.5%)"
    )


def _on_set(main: Judged, beside: Judged, name: str, shown: str, score: str, sign: Literal[-1, 1]) -> Finding:
    """On a set of figure 2, by the models that were judged on it: heads have no features of images of a user's own."""
    candidates = ("cinic10", "imagenet") if name == "imagenet" else (name,)
    for models, others in ((main, beside), (beside, main)):
        on = next((on for on in candidates if on in models.sets), None)
        if on is not None:
            return _gap(models, others, on, score, sign, f"{STANDS_IN.get(on, '')}{_set_up(models)}")
    return cannot_test(NOT_HERE.format(shown))


def _gap(main: Judged, beside: Judged, on: str, score: str, sign: Literal[-1, 1], reason: str) -> Finding:
    """Soft less hard over all models and folds; the other models are named beside it."""
    runs = main.gap(on, score)
    percent = score not in NATS
    factor, digits, unit = (100, 1, " points") if percent else (1, 3, "")
    runs = {run: factor * value for run, value in runs.items()}
    made = direction_finding(
        interval_of(runs),
        runs,
        sign,
        over=f"{main.what} and folds",
        parts=(main.part,),
        digits=digits,
        unit=unit,
        reason=reason,
    )
    means = ", ".join(f"{kind} {factor * main.mean(kind, on, score):.{digits}f}" for kind in ("hard", "soft"))
    said = f"{means}{' %' if percent else ''}; soft less hard {made.ours}"
    if on in (HELD, *beside.sets):
        other = [sign * value > 0 for value in beside.gap(on, score).values()]
        said += f"; {beside.what}: in {sum(other)} of {len(other)}"
    return replace(made, ours=said)


def _every(main: Judged, score: str, sign: int, reason: str) -> Finding:
    """By model and set, over the mean of folds; the paper says all, so all is asked for."""
    better = {
        f"{model} · {on}": bool(sign * float(np.mean(list(main.gap(on, score, model).values()))) > 0)
        for model in main.models
        for on in main.sets
    }
    reason = f"on the {len(main.sets)} sets that are here; {reason}"
    made = count_finding(better, over=f"{main.what} and sets", parts=(main.part,), reason=reason)
    return made if all(better.values()) else replace(made, verdict="differs", reason=f"{reason}; not in all of them")


def _folds(main: Judged, reason: str) -> Finding:
    better = {f"{run} · {on}": value > 0 for on in main.sets for run, value in main.gap(on, "accuracy").items()}
    made = count_finding(better, over=f"{main.what}, folds and sets", parts=(main.part,), reason=reason)
    return made if all(better.values()) else replace(made, verdict="differs", reason=f"{reason}; not in all of them")


def _growth_finding(main: Judged, beside: Judged, score: str, reason: str) -> Finding:
    """The gain on the far set less that on CIFAR-10: in points of accuracy, or as a share of the cross-entropy."""

    def gains(of: Judged, on: str) -> Runs:
        if score == "accuracy":
            return {run: 100 * value for run, value in of.gap(on, score).items()}
        hard = of.runs("hard", on, score)
        return {run: -100 * value / hard[run] for run, value in of.gap(on, score).items()}

    runs = gaps(gains(main, "far"), gains(main, "cifar10"))
    made = direction_finding(
        interval_of(runs),
        runs,
        1,
        over=f"{main.what} and folds",
        parts=(main.part,),
        digits=1,
        unit=" points",
        reason=f"{STANDS_IN['far']}{reason}",
    )
    means = {on: float(np.mean(list(gains(main, on).values()))) for on in main.sets}
    unit = " points" if score == "accuracy" else "%"
    said = ", ".join(f"{SHORT[on]} {mean:+.1f}{unit}" for on, mean in means.items())
    other = gaps(gains(beside, "far"), gains(beside, "cifar10"))
    return replace(
        made,
        ours=f"gain {said}; more on the far set by {made.ours}; {beside.what}: in "
        f"{sum(value > 0 for value in other.values())} of {len(other)}",
    )


def _right(main: Judged, reason: str) -> Finding:
    """How much more confidence falls where models are wrong than where they are right."""
    right, wrong = (main.gap(HELD, f"confidence_{outcome}") for outcome in ("right", "wrong"))
    runs = {run: 100 * (right[run] - wrong[run]) for run in right if run in wrong}
    made = direction_finding(
        interval_of(runs),
        runs,
        1,
        over=f"{main.what} and folds",
        parts=(main.part,),
        digits=1,
        unit=" points",
        reason=reason,
    )
    said = "; ".join(
        f"{outcome}: hard {100 * main.mean('hard', HELD, f'confidence_{outcome}'):.1f}%, soft "
        f"{100 * main.mean('soft', HELD, f'confidence_{outcome}'):.1f}%"
        for outcome in ("right", "wrong")
    )
    return replace(made, ours=f"{said}; it falls more where they are wrong by {made.ours}")


def _like_people(main: Judged, reason: str) -> Finding:
    """KL to people on the images where people and both models choose the same class."""
    runs: Runs = {}
    for name, entry in main.models.items():
        pairs = zip(entry["same choice"]["soft"], entry["same choice"]["hard"], strict=True)
        runs |= {
            f"{name} · fold {fold + 1}": soft - hard
            for fold, (soft, hard) in enumerate(pairs)
            if soft is not None and hard is not None
        }
    made = direction_finding(
        interval_of(runs), runs, -1, over=f"{main.what} and folds", parts=(main.part,), digits=3, reason=reason
    )
    return replace(made, ours=f"KL to people where all choose alike, soft less hard: {made.ours}")


def _rates(results: Results, scale: Scale) -> Finding:
    """Which learning rate has the lowest soft NLL on the images held out."""
    models = results.numbers["scratch-shift"]["models"]
    rates = {rate for entry in models.values() for rate in entry["rates"]}
    if len(rates) < 2:
        return cannot_test(f"only the rate {CHOSEN_RATE:g} is run at this scale; full tries all four")
    best = {
        f"{name} · {kind}": min(entry["rates"], key=lambda rate: float(np.mean(entry["rates"][rate][kind]))) == "0.1"
        for name, entry in models.items()
        for kind in ("soft", "hard")
    }
    return count_finding(best, over="networks and kinds of labels", parts=("scratch-shift",))
