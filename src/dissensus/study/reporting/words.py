"""A study in sentences: comparisons, methods, and the meaning of each number. `answers` has the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from dissensus.evaluate.metrics import METRICS
from dissensus.study.summary.arms import Arm
from dissensus.study.summary.summary import Summary

_SHARED = " Arms of a seed share its split, so arms whose intervals overlap may still differ in every seed."
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


def list_varied(summary: Summary) -> list[tuple[str, str]]:
    """The settings by which arms differ, with their values."""
    keys = dict.fromkeys(key for arm in summary.arms for key in arm.settings if key not in summary.shared)
    return [(AXIS_WORDS.get(key, key.replace("_", " ")), _values(summary, key)) for key in keys]


def _values(summary: Summary, key: str) -> str:
    having = [arm for arm in summary.arms if key in arm.settings]
    values = "; ".join(dict.fromkeys(format_setting(arm.settings[key]) for arm in having))
    return values if len(having) == len(summary.arms) else f"{values} ({_models(having)})"


def _models(arms: Sequence[Arm]) -> str:
    return "of " + ", ".join(dict.fromkeys(str(arm.settings["model"]) for arm in arms))


def format_setting(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def describe_design(summary: Summary) -> str:
    """How the study was done, for a reader who does not know it."""
    split, seeds = summary.description["split"], len(summary.description["seeds"])
    how = {
        "per-seed": f"For each seed, {_share(split['test'])} of the items were drawn as test items",
        "fixed": f"{_share(split['test'])} of the items were drawn once as test items",
        "k-fold": f"For each seed, the items were split into {split['folds']} folds, and each fold was the test set of "
        "a model trained on the others",
        "column": f"The column {split['column']} of the data names the test items",
        "file": "A file names the test items",
    }[split["scheme"]]
    drawn = f"{_share(split['validation'])} of the others"
    if split["scheme"] in ("column", "file"):
        drawn = f"the items it calls validation, or {drawn} if it has none,"
    chosen = {
        "test": "Epochs and settings were chosen on the test items.",
        0: "Nothing was chosen on held-out items.",
    }.get(split["validation"], f"Epochs and settings were chosen on {drawn.rstrip(',')}.")
    return (
        f"Each of {len(summary.arms)} arms was trained with {seeds} {'seed' if seeds == 1 else 'seeds'}. {how}. "
        f"{chosen} Models are evaluated against people's answers."
    )


def _share(value: Any) -> str:
    return f"{100 * value:g}%" if isinstance(value, int | float) else str(value)


def describe_comparison(summary: Summary) -> str:
    """The comparisons, their test, and the correction of p-values."""
    compare = summary.description["compare"]
    if compare is None:
        return ""
    rule = ", ".join(f"{key} = {value}" for key, value in compare["baseline"].items())
    folds = compare["test"] == "corrected-t" and summary.units.folds > 1
    paired = "fold by fold" if folds else f"{summary.units.kind} by {summary.units.kind}"
    family = "all tests of the study" if compare["family"] == "all" else "the tests of the same metric"
    return (
        f"Each arm is compared with its baseline, the arm with {rule} and the same other settings, {paired}, by "
        f"{TESTS[compare['test']]}. The alternative is that the arm is {SIDES[compare['side']]} the baseline. p-values "
        f"are corrected by Holm's method for {family}. Arms are not tested against each other."
    )


def define_numbers(summary: Summary) -> list[tuple[str, str]]:
    """The meaning of each number of the page, in a sentence."""
    split = summary.description["split"]
    metrics = [
        (f"{METRICS[m].meaning} {ARROWS[METRICS[m].better]}".strip(), describe_metric(m)) for m in summary.metrics
    ]
    general = [
        ("seed", "One repetition of an arm, with a split and random numbers of its own."),
        ("cell", f"One training: an arm with one seed{' and one fold' * (split['scheme'] == 'k-fold')}."),
        (
            "mean and interval",
            f"Over {summary.units.kind}s; see the note below the means.{_SHARED if summary.differences else ''}",
        ),
        ("n", f"Number of {summary.units.kind}s in a mean."),
        (
            "best",
            "The best mean among arms on the same data, significant or not; being chosen makes it a little optimistic.",
        ),
    ]
    if summary.differences:
        kind = "fold of a seed" if (units := summary.differences[0].units).kind == "seed/fold" else units.kind
        general += [
            ("baseline", "The arm that others are compared with."),
            (
                "difference",
                f"Mean of arm minus baseline in the same {kind}. Its interval{_describe_widening(summary)} is not "
                "corrected for the number of tests.",
            ),
            (
                "p",
                "Probability of a difference at least this large if arm and baseline were equal, corrected for the "
                f"number of tests.{_describe_scope(summary)}",
            ),
            (
                "smallest possible p",
                "The smallest p of this test with this many pairs and tests; from 0.05 on, no difference can be "
                "significant. A t-test has no such limit: –.",
            ),
            (
                "same sign",
                f"Number of {units.format_count(2)[2:]} whose difference has the sign of the mean difference.",
            ),
        ]
    return metrics + general


def _describe_widening(summary: Summary) -> str:
    if summary.description["compare"]["test"] != "corrected-t":
        return ""
    return " is widened as in the corrected test, since training sets overlap; unlike p, it"


def _describe_scope(summary: Summary) -> str:
    if summary.description["compare"]["test"] == "corrected-t" or summary.units.kind != "seed":
        return ""
    drawn = summary.description["split"]["scheme"] in ("per-seed", "k-fold")
    other = "; use corrected-t for those" if drawn else ", about which one split has no information"
    return f" It is about more seeds on these items, not about other items{other}."


def describe_metric(metric: str) -> str:
    """The first line of a metric's own documentation, and which direction is better."""
    function = METRICS[metric].function
    text = (getattr(function, "func", function).__doc__ or METRICS[metric].meaning).strip().splitlines()[0]
    better = METRICS[metric].better
    phrase = re.sub(r"^(Compute|Return|Measure) ", "", text.split("  ")[0].rstrip("."))
    phrase = METRICS[metric].meaning if "`" in phrase else phrase  # words for readers of the code
    sentence = f"{phrase[0].upper()}{phrase[1:]}."
    has_direction = "better" in sentence or better == "neither"
    return sentence if has_direction else f"{sentence} {better.capitalize()} is better."
