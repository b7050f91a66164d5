"""Claims about what models learn from the labels, each with its judge, and the conclusion.

Differences and margins are shares of the base: heads on frozen features have half the loss and a third of the
calibration error of the paper's networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dissensus.papers.claims import Claim, Conclusion
from dissensus.papers.collins2022.arms import BELIEFS, VOTES
from dissensus.papers.collins2022.label_claims import LABEL_CLAIMS, PUBLISHED
from dissensus.papers.collins2022.scores import METRICS, SETS
from dissensus.papers.combined_judges import Judge
from dissensus.papers.evidence import Number
from dissensus.papers.expressions import Expression, difference
from dissensus.papers.judges import Direction, NotBeyond, Same, each, holds_in, more, negative, same
from dissensus.papers.outcomes import Judgement
from dissensus.papers.printed import Printed

SHOWN = {"ce": "cross-entropy", "calibration": "calibration error", "fgsm": "loss after FGSM"}
JUDGED = {"10h": "on CIFAR-10H", "10s": "on CIFAR-10S"}
COUNTS = (1, 2, 4)  # annotators for whom there are votes and stated labels
READER_NAMES = {
    "hard": "CIFAR-10 classes",
    "random": "random labels",
    "uniform": "uniform labels",
    "smoothed": "smoothed labels",
    "h": "votes",
    "s": "stated labels",
    "h aggregated": "mean of votes",
    "s aggregated": "mean of stated labels",
    "h 1": "one vote",
    "s 1": "one stated label",
    **{f"h {count}": f"{count} votes" for count in VOTES[1:]},
    **{f"s {count}": f"{count} stated labels" for count in BELIEFS[1:]},
    "t1-uniform": "T1 uniform",
    "t1-clamp": "T1 clamp",
    "t2-uniform": "T2 uniform",
    "top-two-only": "two classes alone",
    "fgsm": "FGSM",
    "pgd": "PGD",
    "heads": "heads on frozen features",
}
# Key, table, kind, other kind, and both in words.
PAIRS = (
    ("table-1-hard", "table 1", "s aggregated", "hard", "Stated labels", "CIFAR-10 classes"),
    ("table-2", "table 2", "s", "h", "Stated labels, one annotator at a time,", "votes"),
    ("table-3-two", "table 3", "s 2", "h 2", "Stated labels of two annotators", "two votes"),
    ("table-3-one", "table 3", "s 1", "h 1", "Stated labels of one annotator", "one vote"),
    ("table-5", "table 5", "s", "top-two-only", "Two classes with probabilities (clamp)", "two classes alone"),
    ("table-5-unif", "table 5", "t2-uniform", "top-two-only", "Two classes with probabilities (uniform)", "two alone"),
    ("table-6", "table 6", "smoothed", "s", "Smoothed labels", "stated labels"),
    ("table-6-votes", "table 6", "smoothed", "h", "Smoothed labels", "votes"),
)
NEAR = (
    ("table-1-votes", "table 1", "s aggregated", "h aggregated", "Six stated labels do about as well as 51 votes"),
    ("table-4-less", "table 4", "t2-uniform", "s", "Without the classes ruled out, labels do about as well"),
    ("table-4-first", "table 4", "t1-clamp", "s", "Without the second class, labels do about as well"),
)
# Figure 10: stated labels and votes that take about as long, at 32 and 1.8 seconds each.
EQUAL_TIME = (
    ("", "s 2", "h 32", (64, 58)),
    ("-one", "s 1", "h 16", (32, 29)),
    ("-three", "s 3", "h", (96, 92)),
)
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


def _pair(metric: str, kind: str, other: str, set_: str) -> tuple[str, Judge]:
    """The printed order of two kinds, in words and as a judge: lower, not clearly lower, or higher."""
    expression = compare(metric, kind, other, set_)
    effect = expression.published_value(PUBLISHED, "")
    assert effect is not None
    if effect < 0:
        return "have a lower {} than", Direction(expression, -1)
    if effect <= margin(metric, other, set_):
        most = margin(metric, other, set_)
        return f"have a {{}} at most {most:.1%} lower than", NotBeyond(expression, -1, most)
    return "have a higher {} than", Direction(expression, 1)


def _table_claims() -> Iterator[Claim]:
    for key, source, kind, other, text, base in PAIRS:
        for set_ in SETS:
            for metric in METRICS:
                verb, judge = _pair(metric, kind, other, set_)
                words = f"{text} {verb.format(SHOWN[metric])} {base}, {JUDGED[set_]}"
                yield Claim(key=f"{key}-{set_}-{metric}", source=source, claim=words, judge=judge)
    for key, source, kind, other, text in NEAR:
        for set_ in SETS:
            for metric in METRICS if source == "table 1" else METRICS[1:]:
                most = margin(metric, other, set_)
                judge = Same(compare(metric, kind, other, set_), most)
                words = f"{text}: {SHOWN[metric]} {JUDGED[set_]}, within {most:.1%}"
                yield Claim(key=f"{key}-{set_}-{metric}", source=source, claim=words, judge=judge)
    yield Claim(
        key="accuracy",
        source="table 1; section 1",
        claim="Six stated labels lead to the same accuracy as 51 votes, on CIFAR-10H, within one point",
        published="similar, no numbers",
        judge=same("accuracy", *reversed(PEOPLE), where="10h", margin=0.01),
    )


def _control_claims() -> Iterator[Claim]:
    """Table 1: soft labels of any kind against hard ones, and those of people against any others."""
    groups = {f"-{set_}": ("ce", (set_,)) for set_ in SETS} | {f"-{name}": (name, SETS) for name in METRICS[1:]}
    for key, (metric, sets) in groups.items():
        where = JUDGED[sets[0]] if len(sets) == 1 else "on both sets"
        arms = (
            ("random",) if metric == "calibration" else ("random", "uniform")
        )  # uniform labels calibrate as people do
        names = " and ".join(READER_NAMES[arm] for arm in arms)
        soft = [difference(metric, arm, "hard", set_) for set_ in sets for arm in ("random", "uniform")]
        people = [difference(metric, kind, arm, set_) for set_ in sets for kind in PEOPLE for arm in arms]
        yield Claim(
            key=f"table-1-softness{key}",
            source="table 1",
            claim=f"Even random and uniform labels have a lower {SHOWN[metric]} than CIFAR-10 classes, {where}",
            judge=holds_in(soft, -1, printed=len(soft)),
        )
        yield Claim(
            key=f"table-1-people{key}",
            source="table 1",
            claim=f"Labels of people, voted or stated, have a lower {SHOWN[metric]} than {names}, {where}",
            judge=holds_in(people, -1, printed=len(people)),
        )


def _annotator_claims() -> Iterator[Claim]:
    """One annotator at a time, few annotators, and their cost."""
    for metric in METRICS:
        pairs = [difference(metric, kind, f"{kind} aggregated", set_) for kind in "hs" for set_ in SETS]
        yield Claim(
            key=f"deaggregated-{metric}",
            source="table 2, against table 1; section 5.2",
            claim=f"One annotator at a time has a lower {SHOWN[metric]} than their mean, for votes and stated labels",
            judge=holds_in(pairs, -1, printed=len(pairs)),
        )
    for set_ in SETS:
        one, two = (difference("ce", f"s {count}", f"h {count}", set_) for count in (1, 2))
        yield Claim(
            key=f"table-3-larger-{set_}",
            source="table 3; section 5.2",
            claim=f"Stated labels gain more over votes with one annotator than with two: cross-entropy {JUDGED[set_]}",
            published=f"{_format_change('s 1', 'h 1', set_)} with one, {_format_change('s 2', 'h 2', set_)} with two",
            judge=negative(one - two),
        )
        yield Claim(
            key=f"table-4-best-{set_}",
            source="table 4",
            claim=f"T2 clamp, made of all that was elicited, has the lowest cross-entropy {JUDGED[set_]}",
            published=", ".join(
                f"{READER_NAMES[kind]} {find_printed('ce', kind, set_).value:.3f}" for kind in (*LESS, "s")
            ),
            judge=each(*(Direction(compare("ce", "s", kind, set_), -1) for kind in LESS)),
        )
    for metric in METRICS:
        pairs = [difference(metric, f"s {count}", f"h {count}", set_) for count in COUNTS for set_ in SETS]
        yield Claim(
            key=f"figure-6-{metric}",
            source="figure 6; section 5.2",
            claim=f"With 1, 2 or 4 annotators per image, stated labels have a lower {SHOWN[metric]} than votes",
            published="most points of a figure without numbers",
            judge=holds_in(pairs, -1),
        )
    yield Claim(
        key="figure-6-few",
        source="figure 6; abstract",
        claim="Six annotators who state labels do at least as well as 51 who vote: cross-entropy on both sets",
        published="1.281 and 1.293 on CIFAR-10H, 2.355 and 2.459 on CIFAR-10S",
        judge=each(*(NotBeyond(compare("ce", "s", "h", set_), 1, margin("ce", "h", set_)) for set_ in SETS)),
    )
    yield from _time_claims()
    yield Claim(
        key="pgd",
        source="table 1, footnote 3 of section 5.1",
        claim="The loss after PGD varies more between runs than the loss after FGSM: coefficient of variation",
        published="unstable, no numbers",
        judge=more("spread", "pgd", than="fgsm", where="10h"),
    )


def _time_claims() -> Iterator[Claim]:
    """Figure 10: labels that take equal time."""
    for suffix, kind, other, seconds in EQUAL_TIME:
        for set_ in SETS:
            for metric in METRICS:
                most = margin(metric, "h", set_)
                votes = "51 votes" if other == "h" else READER_NAMES[other]
                at_most = f"{'is' if kind == 's 1' else 'are'} at most {most:.1%} better than"
                yield Claim(
                    key=f"figure-10-{set_}{suffix}" + ("" if metric == "ce" else f"-{metric}"),
                    source="figure 10; section 5.2",
                    claim=f"In equal time, {READER_NAMES[kind]} ({seconds[0]} s) {at_most} {votes} ({seconds[1]} s), "
                    f"{SHOWN[metric]} {JUDGED[set_]}",
                    published="not clear which is better; a figure without numbers",
                    judge=NotBeyond(compare(metric, kind, other, set_), -1, most),
                )


CLAIMS = (*LABEL_CLAIMS, *_table_claims(), *_control_claims(), *_annotator_claims())
HEADLINES = (
    "figure-6-few",
    "table-1-hard-10h-ce",
    "table-2-10h-ce",
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
