"""Claims about what models learn from the labels, each with its judge, and the conclusion.

Differences and margins are shares of the base: heads on frozen features have half the loss and a third of the
calibration error of the paper's networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from dissensus.papers.claims import Claim, Conclusion, read_statements
from dissensus.papers.collins2022.arms import BELIEFS, VOTES
from dissensus.papers.collins2022.label_claims import LABEL_CLAIMS, PUBLISHED
from dissensus.papers.collins2022.scores import METRICS, SETS
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference
from dissensus.papers.judges import Direction, NotBeyond, Same, each, holds_in, more, negative, same
from dissensus.papers.outcomes import Judgement
from dissensus.papers.published import Printed
from dissensus.papers.texts import read_tables

claim = read_statements("collins2022")
SHOWN = {"ce": "cross-entropy", "calibration": "calibration error", "fgsm": "loss after FGSM"}
JUDGED = {"10h": "on CIFAR-10H", "10s": "on CIFAR-10S"}
COUNTS = (1, 2, 4)  # annotators for whom there are votes and stated labels
READER_NAMES = {
    **read_tables("collins2022", "names.toml"),
    **{f"h {count}": f"{count} votes" for count in VOTES[1:]},
    **{f"s {count}": f"{count} stated labels" for count in BELIEFS[1:]},
}
# Kinds of labels that are compared, by the key of the claim; the second is the base.
PAIRS = {
    "table-1-hard-{set}-{metric}": ("s aggregated", "hard"),
    "table-2-{set}-{metric}": ("s", "h"),
    "table-3-two-{set}-{metric}": ("s 2", "h 2"),
    "table-3-one-{set}-{metric}": ("s 1", "h 1"),
    "table-5-{set}-{metric}": ("s", "top-two-only"),
    "table-5-unif-{set}-{metric}": ("t2-uniform", "top-two-only"),
    "table-6-{set}-{metric}": ("smoothed", "s"),
    "table-6-votes-{set}-{metric}": ("smoothed", "h"),
}
NEAR = {
    "table-1-votes-{set}-{metric}": ("s aggregated", "h aggregated"),
    "table-4-less-{set}-{metric}": ("t2-uniform", "s"),
    "table-4-first-{set}-{metric}": ("t1-clamp", "s"),
}
# Figure 10: stated labels and votes that take about as long, at 32 and 1.8 seconds each.
EQUAL_TIME = {
    "figure-10-{set}{metric}": ("s 2", "h 32"),
    "figure-10-{set}-one{metric}": ("s 1", "h 16"),
    "figure-10-{set}-three{metric}": ("s 3", "h"),
}
PEOPLE = ("h aggregated", "s aggregated")
LESS = ("t1-uniform", "t1-clamp", "t2-uniform")  # labels made of less than was elicited


def find_printed(metric: str, kind: str, set_: str) -> Printed:
    number = PUBLISHED.find(Number(metric, kind, set_))
    assert number is not None, (metric, kind, set_)
    return number


def compare(metric: str, kind: str, other: str, set_: str) -> Expression:
    """The difference between two kinds of labels in shares of the other."""
    return difference(metric, kind, other, set_, relative=True)


def margin(metric: str, kind: str, set_: str) -> float:
    """Half of the printed interval of a kind, in shares of its mean: what the paper itself can tell apart."""
    number = find_printed(metric, kind, set_)
    return round(float(number.text.partition("±")[2]) / number.value, 3)


def _format_change(kind: str, other: str, set_: str) -> str:
    effect = compare("ce", kind, other, set_).published_value(PUBLISHED, "")
    assert effect is not None
    return f"{effect:+.0%}"


def _words(set_: str, metric: str) -> dict[str, Any]:
    return {"set": set_, "metric": metric, "score": SHOWN[metric], "judged": JUDGED[set_]}


def _pair(metric: str, kind: str, other: str, set_: str) -> tuple[str, Judge]:
    """The printed order of two kinds, in words and as a judge: lower, not clearly lower, or higher."""
    expression = compare(metric, kind, other, set_)
    effect = expression.published_value(PUBLISHED, "")
    assert effect is not None
    if effect < 0:
        return f"have a lower {SHOWN[metric]} than", Direction(expression, -1)
    if effect <= margin(metric, other, set_):
        most = margin(metric, other, set_)
        return f"have a {SHOWN[metric]} at most {most:.1%} lower than", NotBeyond(expression, -1, most)
    return f"have a higher {SHOWN[metric]} than", Direction(expression, 1)


def _table_claims() -> Iterator[Claim]:
    for key, kinds in PAIRS.items():
        for set_, metric in product(SETS, METRICS):
            verb, judge = _pair(metric, *kinds, set_)
            yield claim(key, judge, verb=verb, **_words(set_, metric))
    for key, (kind, other) in NEAR.items():
        for set_, metric in product(SETS, METRICS if key.startswith("table-1") else METRICS[1:]):
            most = margin(metric, other, set_)
            judge = Same(compare(metric, kind, other, set_), most)
            yield claim(key, judge, most=most, **_words(set_, metric))
    yield claim("accuracy", same("accuracy", *reversed(PEOPLE), where="10h", margin=0.01))


def _control_claims() -> Iterator[Claim]:
    """Table 1: soft labels of any kind against hard ones, and those of people against any others."""
    groups = {f"-{set_}": ("ce", (set_,)) for set_ in SETS} | {f"-{name}": (name, SETS) for name in METRICS[1:]}
    for key, (metric, sets) in groups.items():
        where = JUDGED[sets[0]] if len(sets) == 1 else "on both sets"
        # Uniform labels calibrate as people do.
        arms = ("random",) if metric == "calibration" else ("random", "uniform")
        soft = [difference(metric, arm, "hard", set_) for set_ in sets for arm in ("random", "uniform")]
        people = [difference(metric, kind, arm, set_) for set_ in sets for kind in PEOPLE for arm in arms]
        words = {"key": key, "score": SHOWN[metric], "where": where}
        yield claim("table-1-softness{key}", holds_in(soft, -1, printed=len(soft)), **words)
        others = " and ".join(READER_NAMES[arm] for arm in arms)
        yield claim("table-1-people{key}", holds_in(people, -1, printed=len(people)), others=others, **words)


def _annotator_claims() -> Iterator[Claim]:
    """One annotator at a time, few annotators, and their cost."""
    for metric in METRICS:
        pairs = [difference(metric, kind, f"{kind} aggregated", set_) for kind in "hs" for set_ in SETS]
        yield claim(f"deaggregated-{metric}", holds_in(pairs, -1, printed=len(pairs)))
    for set_ in SETS:
        one, two = (difference("ce", f"s {count}", f"h {count}", set_) for count in (1, 2))
        words = {"set": set_, "judged": JUDGED[set_]}
        changes = {name: _format_change(f"s {count}", f"h {count}", set_) for name, count in (("one", 1), ("two", 2))}
        yield claim("table-3-larger-{set}", negative(one - two), **words, **changes)
        losses = [f"{READER_NAMES[kind]} {find_printed('ce', kind, set_).value:.3f}" for kind in (*LESS, "s")]
        lowest = [Direction(compare("ce", "s", kind, set_), -1) for kind in LESS]
        yield claim("table-4-best-{set}", each(*lowest), losses=", ".join(losses), **words)
    for metric in METRICS:
        pairs = [difference(metric, f"s {count}", f"h {count}", set_) for count in COUNTS for set_ in SETS]
        yield claim(f"figure-6-{metric}", holds_in(pairs, -1))
    few = [NotBeyond(compare("ce", "s", "h", set_), 1, margin("ce", "h", set_)) for set_ in SETS]
    yield claim("figure-6-few", each(*few))
    for key, (kind, other) in EQUAL_TIME.items():
        for set_, metric in product(SETS, METRICS):
            most, words = margin(metric, "h", set_), _words(set_, metric)
            judge = NotBeyond(compare(metric, kind, other, set_), -1, most)
            yield claim(key, judge, **words | {"most": most, "metric": "" if metric == "ce" else f"-{metric}"})
    yield claim("pgd", more("spread", "pgd", than="fgsm", where="10h"))


CLAIMS = (*LABEL_CLAIMS, *_table_claims(), *_control_claims(), *_annotator_claims())
HEADLINES = (
    "figure-6-few",
    "table-1-hard-10h-ce",
    "table-3-one-10h-ce",
    "table-1-votes-10h-calibration",
    "figure-10-10h",
)
HOLDS = ("equal", "same direction")


def conclude(judgements: Mapping[str, Judgement]) -> Conclusion:
    """The top of the page."""
    one = _change(judgements["table-3-one-10h-ce"])
    helps = all(judgements[f"table-3-one-{set_}-ce"].verdict in HOLDS for set_ in SETS)
    few = {
        "equal": "Six annotators who state labels do at least as well as 51 who vote",
        "differs": "Six annotators who state labels do worse here than 51 who vote",
    }.get(judgements["figure-6-few"].verdict, "Whether six stated labels replace 51 votes is not decided here")
    cost = {
        "equal": "they are not clearly better for the same annotation time",
        "differs": "they are better here for the same annotation time",
    }.get(judgements["figure-10-10h"].verdict, "which is better for the same time is not decided here")
    smoothing = judgements["table-6-10h-ce"]
    free = smoothing.verdict == "differs" and smoothing.deciding is not None and smoothing.deciding.value.high < 0
    robust = [judgement for key, judgement in judgements.items() if key.endswith("-fgsm")]
    decided = sum(judgement.verdict in (*HOLDS, "differs") for judgement in robust)
    needed = f"; {'the others' if decided else 'they'} need networks that show the printed effect of soft labels"
    printed = _format_change("s 1", "h 1", "10h").lstrip("-")
    return Conclusion(
        short=f"{few}; with one annotator per image, stated labels {one} against votes ({printed} in the paper). "
        f"A stated label takes 32 seconds in the paper and a vote 1.8: {cost}.",
        practice=(
            "If you have few annotators, let each state probabilities."
            if helps
            else "This run does not show that stated labels help with few annotators."
        )
        + (" Label smoothing, which needs no annotators, has a lower cross-entropy still." if free else ""),
        caution=f"Of {len(robust)} claims about robustness to FGSM, {decided or 'none'} can be decided"
        f"{needed if decided < len(robust) else ''}. Where networks are too weak, heads on frozen features decide.",
    )


def _change(judgement: Judgement) -> str:
    outcome = judgement.deciding
    if outcome is None or judgement.verdict == "too weak to tell":
        return "change cross-entropy by an unknown amount (too weak to tell)"
    return f"{'lower' if outcome.value.value < 0 else 'raise'} cross-entropy by {abs(outcome.value.value):.0%}"
