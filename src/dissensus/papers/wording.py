"""Judgements in words: short texts for tables, made from numbers alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from dissensus.labels.intervals import Interval
from dissensus.papers.combined_judges import Each, Judge, Needs, Untestable
from dissensus.papers.judges import Direction, Equals, Exactly, HoldsIn, NotBeyond, Same
from dissensus.papers.outcomes import Judgement, Outcome
from dissensus.papers.published import Published
from dissensus.papers.strength import excludes_zero, half_width

Names = Mapping[str, str]  # of arms, metrics, models and epochs, for readers
WEAKNESSES = {
    "level": "model below the paper's level",
    "control": "largest effect does not show",
    "power": "interval too wide",
    "delivery": "fewer labels shown than votes",
}


def describe_judgement(judgement: Judgement, names: Names) -> str:
    """Write what came out: means of the arms, the difference with its interval, and how many runs agree."""
    outcome = judgement.deciding
    if outcome is None:
        return "-"
    digits = _digits(judgement, outcome)
    parts = []
    if outcome.means:
        parts.append(", ".join(f"{names.get(arm, arm)} {mean:.{digits}f}" for arm, mean in outcome.means.items()))
    if outcome.cells:
        parts.append(f"holds in {sum(outcome.cells.values())} of {len(outcome.cells)}")
    value = _format_outcome(judgement, outcome)
    if outcome.means:
        value = f"difference {value}"
    elif outcome.cells:
        value = f"mean difference {value}"
    parts.append(value if len(outcome.runs) < 2 else f"{value}, {len(outcome.runs)} runs")
    return "; ".join(parts)


def describe_reason(judgement: Judgement, names: Names) -> str:
    """Write why a claim is undecided, and which model decided it otherwise."""
    if judgement.reason:
        return judgement.reason
    outcome = judgement.deciding
    if outcome is None:
        return ""
    if judgement.verdict == "too weak to tell":
        if outcome.weak or judgement.margin is None:
            return "; ".join(WEAKNESSES[weak] for weak in outcome.weak or ("power",))
        margin = f"{judgement.margin:.1%}" if judgement.relative else f"{judgement.margin:g}"
        return f"the interval reaches beyond the margin of {margin}"
    if judgement.verdict == "differs" and not excludes_zero(outcome.value) and judgement.margin is None:
        return "not significantly different from zero" if outcome.means or outcome.cells else ""
    return ""


def describe_evidence(judgement: Judgement, names: Names) -> str:
    """Name the model and epoch that decided, with its accuracy."""
    outcome = judgement.deciding
    return "" if outcome is None else _name_model(outcome, names)


def describe_others(judgement: Judgement, names: Names) -> str:
    """Write what the other models give, each at the epoch nearest to the paper's, and the conditions that it fails."""
    outcome = judgement.deciding
    if outcome is None:
        return ""
    others = {other.candidate.model: other for other in reversed(judgement.outcomes)}
    others.pop(outcome.candidate.model, None)
    return "; ".join(
        f"{_name_model(other, names)}: {_format_half(judgement, other)}"
        + (f", fails {', '.join(other.weak)}" if other.weak else "")
        for other in reversed(others.values())
    )


def _name_model(outcome: Outcome, names: Names) -> str:
    model, epoch = (names.get(name, name) for name in outcome.candidate)
    if not model:
        return ""
    accuracy = "" if outcome.accuracy is None else f" ({outcome.accuracy:.0f}% accurate)"
    return f"{model}{accuracy}, {epoch}" if epoch else f"{model}{accuracy}"


def _format_outcome(judgement: Judgement, outcome: Outcome) -> str:
    signed = bool(outcome.means) or bool(outcome.cells)
    return format_value(outcome.value, _digits(judgement, outcome), signed=signed, percent=judgement.relative)


def describe_printed(judge: Judge | None, published: Published, source: str, names: Names) -> str:
    """Write the numbers that the paper prints for the arms of a judge; empty if it prints none."""
    if isinstance(judge, Equals | Exactly):
        return judge.printed.text
    if isinstance(judge, Direction | Same | NotBeyond):
        expressions = [judge.expression]
    elif isinstance(judge, HoldsIn):
        return f"{judge.printed} of {len(judge.expressions)}" if judge.printed is not None else ""
    elif isinstance(judge, Needs):
        return describe_printed(judge.inner, published, source, names)
    elif isinstance(judge, Each):
        each = [describe_printed(part, published, source, names).split(", ") for part in judge.judges]
        return ", ".join(filter(None, dict.fromkeys(text for texts in each for text in texts)))
    else:
        assert judge is None or isinstance(judge, Untestable)
        return ""
    texts = []
    for expression in expressions:
        numbers = dict.fromkeys(number for _, number in expression.terms)
        arms = {number.arm for number in numbers}
        for number in numbers:
            printed = published.find(number, source)
            name = number.arm if len(arms) > 1 or not number.where else number.where
            if printed is not None:
                texts.append(f"{names.get(name, name)} {printed.text}")
    return ", ".join(texts)


def _format_half(judgement: Judgement, outcome: Outcome) -> str:
    """Write a number ± half of its interval."""
    half = half_width(outcome.value)
    if not math.isfinite(half):
        return _format_outcome(judgement, outcome)
    style = ".1%" if judgement.relative else f".{_digits(judgement, outcome)}f"
    sign = "+" if outcome.means or outcome.cells else ""
    return f"{outcome.value.value:{sign}{style}} ± {half:{style}}"


def format_value(interval: Interval, digits: int, *, signed: bool, percent: bool = False) -> str:
    """Write a number with its interval."""
    style = f"{'+' if signed else ''}{',' if not signed else ''}.{1 if percent else digits}{'%' if percent else 'f'}"
    number = f"{interval.value:{style}}"
    return number if math.isnan(interval.low) else f"{number} [{interval.low:{style}}, {interval.high:{style}}]"


def _digits(judgement: Judgement, outcome: Outcome) -> int:
    """Decimals of the printed number, or more if two significant digits of the interval need them."""
    printed, width = judgement.digits or 0, outcome.value.high - outcome.value.low
    if judgement.digits is not None and math.isnan(width):
        return printed
    size = width / 4 if width > 0 and math.isfinite(width) else abs(outcome.value.value)
    return 3 if size == 0 or not math.isfinite(size) else min(6, max(printed, 1 - math.floor(math.log10(size))))
