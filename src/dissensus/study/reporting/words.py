"""A study in sentences: what was compared, how, and what each number means. `answers` has what came out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from dissensus.evaluate.metrics import METRICS
from dissensus.labels.intervals import Interval
from dissensus.study.summary.arms import Arm
from dissensus.study.summary.summary import Summary

_SHARED = (
    " Arms share what chance does to a seed, so arms whose intervals overlap may still differ in every seed: the "
    "differences tell."
)
ARROWS = {"higher": "↑", "lower": "↓", "neither": ""}
AXIS_WORDS = {
    "data": "data set",
    "votes": "answers per item",
    "completion": "completion of partial beliefs",
    "aggregation": "aggregation of answers",
    "transforms": "transforms of labels",
    "delivery": "delivery of labels",
    "model": "model",
}
TESTS = {
    "wilcoxon": "Wilcoxon's signed-rank test",
    "paired-t": "a paired t-test",
    "corrected-t": "the corrected resampled t-test of Nadeau and Bengio",
}
SIDES = {"two-sided": "different from", "less": "below", "greater": "above"}


def limits(interval: Interval, before: str, after: str, style: str = ".3f") -> str:
    """`before` LOW to HIGH `after`; nothing where there is no interval."""
    if math.isnan(interval.low):
        return ""
    return f"{before}{format(interval.low, style)} to {format(interval.high, style)}{after}"


def varied(summary: Summary) -> list[tuple[str, str]]:
    """What differs between arms, with the values that it has."""
    keys = dict.fromkeys(key for arm in summary.arms for key in arm.settings if key not in summary.shared)
    return [(AXIS_WORDS.get(key, key.replace("_", " ")), _values(summary, key)) for key in keys]


def _values(summary: Summary, key: str) -> str:
    having = [arm for arm in summary.arms if key in arm.settings]
    values = "; ".join(dict.fromkeys(shown_setting(arm.settings[key]) for arm in having))
    return values if len(having) == len(summary.arms) else f"{values} ({_models(having)})"


def _models(arms: Sequence[Arm]) -> str:
    return "of " + ", ".join(dict.fromkeys(str(arm.settings["model"]) for arm in arms))


def shown_setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def design_words(summary: Summary) -> str:
    """How the study was done, for a reader who knows nothing of it."""
    split, seeds = summary.description["split"], len(summary.description["seeds"])
    how = {
        "per-seed": f"For each seed {_share(split['test'])} of the items were set aside anew to judge on",
        "fixed": f"{_share(split['test'])} of the items were set aside once to judge on",
        "k-fold": f"For each seed the items were dealt into {split['folds']} folds, and each fold was judged on by a "
        "model that had not seen it",
        "column": f"The column {split['column']} of the data says which items are judged on",
        "file": "A file says which items are judged on",
    }[split["scheme"]]
    drawn = f"{_share(split['validation'])} of the others"
    if split["scheme"] in ("column", "file"):
        drawn = f"the items it calls validation, or {drawn} where it calls none so,"
    chosen = {
        "test": "; which epoch or setting to keep was chosen by the very items judged on",
        0: "; nothing was chosen by held-out items",
    }.get(split["validation"], f"; {drawn} served to choose what to keep")
    return (
        f"Each of {len(summary.arms)} arms, a way of making and delivering labels to a model, was trained with "
        f"{seeds} {'seed' if seeds == 1 else 'seeds'}. {how}{chosen}. Models are judged against what people said."
    )


def _share(value: Any) -> str:
    return f"{100 * value:g} %" if isinstance(value, int | float) else str(value)


def comparison_words(summary: Summary) -> str:
    """What is compared, how, and what the p-values are corrected for."""
    compare = summary.description["compare"]
    if compare is None:
        return ""
    rule = ", ".join(f"{key} = {value}" for key, value in compare["baseline"].items())
    folds = compare["test"] == "corrected-t" and summary.units.folds > 1
    paired = "fold by fold" if folds else f"{summary.units.kind} by {summary.units.kind}"
    family = "all tests of the study" if compare["family"] == "all" else "the tests of the same metric"
    return (
        f"Each arm is compared with the arm that has {rule} and is like it in all else, {paired}, by "
        f"{TESTS[compare['test']]}: is it {SIDES[compare['side']]} the baseline? p-values are corrected by Holm's "
        f"method for {family}. Arms are tested against their baseline, not against each other."
    )


def glossary(summary: Summary) -> list[tuple[str, str]]:
    """What each number of the page means, in a sentence."""
    split = summary.description["split"]
    metrics = [(f"{METRICS[m].meaning} {ARROWS[METRICS[m].better]}".strip(), metric_words(m)) for m in summary.metrics]
    general = [
        ("seed", "One repetition of an arm, with chance of its own."),
        ("cell", f"One training: an arm with one seed{' and one fold' * (split['scheme'] == 'k-fold')}."),
        ("mean and interval", f"{summary.interval_of}{_SHARED if summary.differences else ''}"),
        ("n", f"How many {summary.units.kind}s a mean is over."),
        (
            "best",
            "The best mean among arms on the same data. It is marked also where chance could have made it; and as "
            "the best of several was chosen by these scores, its own flatters it a little.",
        ),
    ]
    if summary.differences:
        kind = "fold of a seed" if (units := summary.differences[0].units).kind == "seed/fold" else units.kind
        general += [
            ("baseline", "The arm that others are compared with."),
            (
                "difference",
                f"Arm less baseline, in the same {kind}, averaged; its interval is of the mean "
                f"difference{_wider(summary)}. It is not corrected for the number of tests, as p is.",
            ),
            (
                "p",
                "How often chance alone would give a difference this clear, if arm and baseline were really alike; "
                f"corrected for the number of tests, so that a false alarm among them is rare.{_speaks_of(summary)}",
            ),
            (
                "least p",
                "The smallest p this test can give with so many pairs and tests. Where it is 0.05 or more, the "
                "test cannot find anything, however large the difference. A t-test has no such limit: –.",
            ),
            ("same direction", f"In how many {units.counted(2)[2:]} the difference has the sign of the mean one."),
        ]
    return metrics + general


def _wider(summary: Summary) -> str:
    if summary.description["compare"]["test"] != "corrected-t":
        return ""
    return ", widened like the corrected test since training sets overlap, which intervals of means are not"


def _speaks_of(summary: Summary) -> str:
    if summary.description["compare"]["test"] == "corrected-t" or summary.units.kind != "seed":
        return ""
    drawn = summary.description["split"]["scheme"] in ("per-seed", "k-fold")
    other = "; the cautious test for those is corrected-t" if drawn else ", which one split cannot tell of"
    return f" It speaks of more seeds on these very items, not of other items{other}."


def metric_words(metric: str) -> str:
    """The first line of what a metric's own documentation says."""
    function = METRICS[metric].function
    text = (getattr(function, "func", function).__doc__ or METRICS[metric].meaning).strip().splitlines()[0]
    better = METRICS[metric].better
    said = text.split("  ")[0].rstrip(".") + "."
    return said if "better" in said or better == "neither" else f"{said} {better.capitalize()} is better."
