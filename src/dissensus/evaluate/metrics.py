"""METRICS: one entry for each score of a model against people, and nothing else to edit for a new one.

Scorecards, comparisons, slices, the human ceiling, the terminal, the page and JSON all read this table. Where a score
is not defined for an item it is NaN, and the mean is over the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, get_args

import numpy as np

from dissensus.evaluate.alignment import (
    entropy_of_people,
    entropy_of_prediction,
    entropy_pearson,
    entropy_pearson_of_drawn,
    entropy_spearman,
    entropy_spearman_of_drawn,
)
from dissensus.evaluate.bootstrap import of_drawn_items
from dissensus.evaluate.brier import brier_part, confidence_brier_part
from dissensus.evaluate.calibration import equal_mass_ece, rmse_calibration
from dissensus.evaluate.choices import (
    accuracy_to_gold,
    accuracy_to_majority,
    confidence_when_right,
    confidence_when_wrong,
    second_best_accuracy,
    top_k_accuracy,
    vote_accuracy,
)
from dissensus.evaluate.closed_forms import PossibleTruth, brier_of_truth, js_of_truth, kl_of_truth, soft_nll_of_truth
from dissensus.evaluate.closeness import (
    cross_entropy_to_hard,
    jensen_shannon,
    kl_to_people,
    manhattan,
    soft_accuracy,
    soft_brier,
    soft_nll,
    wasserstein,
)
from dissensus.evaluate.f1 import soft_macro_f1, soft_micro_f1
from dissensus.evaluate.smooth_calibration import smooth_ece, smooth_ece_of_drawn

Better = Literal["higher", "lower", "neither"]
Shown = Literal["table", "page", "hidden"]
Of = Literal["items", "set", "confidence"]
Reference = Literal["people", "majority", "gold"]

CLOSENESS = "Distance from the answers of people"
CHOICE = "Choice of a class"
CONFIDENCE = "Calibration of confidence"
UNCERTAINTY = "Uncertainty"
GROUPS = (CLOSENESS, CHOICE, CONFIDENCE, UNCERTAINTY)


def _one(k: int) -> float:
    return 1.0


def _zero(k: int) -> float:
    return 0.0


def _unbounded(k: int) -> float:
    return float("inf")


@dataclass(frozen=True)
class Metric:
    """A score: what is computed, where it is shown, and what is true of it for any input.

    function   what is computed; `of` says from what
    meaning    a few words, for tables
    better     "higher", "lower" or "neither"
    group      the question it answers, one of GROUPS
    shown      "table": in the terminal and on the page; "page": on the page; "hidden": in JSON and Python only
    of         "items"       (n, k) model, (n, k) people -> (n,): its mean is the score
               "set"         (n, k) model, (n, k) people -> one number about all items
               "confidence"  (n,) confidence of the model's choice, (n,) its outcome -> one number about all items
    against    what counts as right. "gold": items with a gold class only, and `function` takes (n,) classes in place
               of people; "majority": the outcome of a choice, for confidence
    short      heading of its column in the table of several models; none where empty
    ceiling    also how well people predict people, see human_ceiling
    of_truth   what the truth scores per item, for the ceiling, where votes tell part of it without a prior
    compared   models differ by it from the first; per item with a paired test
    sliced     also its mean over each part of the items
    resampled  how a number about all items is computed for resampled items; it has no interval where this is None.
               "set": (model, people) -> (b, n) how often each item was drawn -> (b,)
               "confidence": (confidence, outcome) -> (n,) positions that were drawn -> number
    lowest, highest   bounds for k classes
    perfect    the value at q = p where p has no equal probabilities; None where it depends on p
    proper     in expectation over people's answers best at their true distribution, and only there
    ordinal    means something only for classes in order, so relabelling changes it
    """

    function: Callable[..., Any]
    meaning: str
    better: Better
    group: str
    shown: Shown
    of: Of = "items"
    against: Reference = "people"
    short: str = ""
    ceiling: bool = False
    of_truth: Callable[[PossibleTruth], np.ndarray] | None = None
    compared: bool = False
    sliced: bool = False
    resampled: Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], Any]] | None = None
    lowest: Callable[[int], float] = _zero
    highest: Callable[[int], float] = _one
    perfect: float | None = None
    proper: bool = False
    ordinal: bool = False

    def __post_init__(self) -> None:
        known = {"better": get_args(Better), "group": GROUPS, "shown": get_args(Shown), "of": get_args(Of),
                 "against": get_args(Reference)}  # fmt: skip
        for field, values in known.items():
            if getattr(self, field) not in values:
                raise ValueError(f"{field} of {self.meaning!r} is {getattr(self, field)!r}; expected one of {values}")
        per_item = self.of == "items"
        resampled_set = self.of == "set" and self.resampled is not None
        if ((self.ceiling or self.compared) and not (per_item or resampled_set)) or (self.sliced and not per_item):
            raise ValueError(
                f"{self.meaning!r} is a number of a {self.of}: only scores per item can be sliced, and only these and "
                "numbers of a set with `resampled` can be compared or have a ceiling"
            )
        if self.against != "people" and (self.ceiling or self.sliced or (self.against == "majority" and per_item)):
            raise ValueError(f"{self.meaning!r} against {self.against} cannot be sliced or have a ceiling")


METRICS: dict[str, Metric] = {
    "soft_nll": Metric(soft_nll, "soft NLL, nats", "lower", CLOSENESS, "table", short="NLL", ceiling=True,
                       of_truth=soft_nll_of_truth, compared=True, sliced=True, highest=_unbounded, proper=True),
    # KL differs between two models by exactly what soft NLL does, so it is not compared.
    "kl": Metric(kl_to_people, "KL to people, nats", "lower", CLOSENESS, "table", short="KL", ceiling=True,
                 of_truth=kl_of_truth, highest=_unbounded, perfect=0.0, proper=True),
    "js": Metric(jensen_shannon, "Jensen-Shannon, nats", "lower", CLOSENESS, "table", short="JS", ceiling=True,
                 of_truth=js_of_truth, compared=True, sliced=True, highest=lambda k: float(np.log(2)), perfect=0.0),
    "brier": Metric(soft_brier, "soft Brier", "lower", CLOSENESS, "table", short="Brier", ceiling=True,
                    of_truth=brier_of_truth, compared=True, highest=lambda k: 2.0, perfect=0.0, proper=True),
    # soft Brier = reliability - resolution + uncertainty + inside
    "brier_reliability": Metric(partial(brier_part, "reliability"), "soft Brier, reliability", "lower", CLOSENESS,
                                "page", of="set", highest=lambda k: 2.0, perfect=0.0),
    "brier_resolution": Metric(partial(brier_part, "resolution"), "soft Brier, resolution (taken off)", "higher",
                               CLOSENESS, "page", of="set"),
    "brier_uncertainty": Metric(partial(brier_part, "uncertainty"), "soft Brier, uncertainty of people", "neither",
                                CLOSENESS, "page", of="set"),
    "brier_inside": Metric(partial(brier_part, "inside"), "soft Brier, inside bins", "neither", CLOSENESS, "page",
                           of="set", lowest=lambda k: -2.0, highest=lambda k: 2.0),
    "cross_entropy_hard": Metric(cross_entropy_to_hard, "cross-entropy to the majority, nats", "lower", CLOSENESS,
                                 "hidden", highest=_unbounded),
    "soft_accuracy": Metric(soft_accuracy, "overlap with people", "higher", CLOSENESS, "page", perfect=1.0),
    "manhattan": Metric(manhattan, "Manhattan distance", "lower", CLOSENESS, "page", highest=lambda k: 2.0,
                        perfect=0.0),
    "wasserstein": Metric(wasserstein, "Wasserstein distance, classes in order", "lower", CLOSENESS, "hidden",
                          highest=lambda k: float(k - 1), perfect=0.0, ordinal=True),
    "accuracy": Metric(accuracy_to_majority, "accuracy to the majority", "higher", CHOICE, "table", short="acc.",
                       ceiling=True, compared=True, sliced=True, perfect=1.0),
    "accuracy_gold": Metric(accuracy_to_gold, "accuracy to gold", "higher", CHOICE, "table", against="gold"),
    "vote_accuracy": Metric(vote_accuracy, "accuracy to single votes", "higher", CHOICE, "table", ceiling=True),
    "second_best_accuracy": Metric(second_best_accuracy, "second choice as people's", "higher", CHOICE, "table",
                                   short="2nd", ceiling=True, perfect=1.0),
    "top_2_accuracy": Metric(partial(top_k_accuracy, k=2), "majority among the first two", "higher", CHOICE, "page",
                             perfect=1.0),
    "soft_macro_f1": Metric(soft_macro_f1, "soft F1, macro", "higher", CHOICE, "page", of="set", perfect=1.0),
    "soft_micro_f1": Metric(soft_micro_f1, "soft F1, micro", "higher", CHOICE, "hidden", of="set", perfect=1.0),
    "ece_equal_mass": Metric(equal_mass_ece, "calibration, equal-mass ECE", "lower", CONFIDENCE, "table",
                             of="confidence", short="ECE", resampled=of_drawn_items(equal_mass_ece)),
    "rmse_calibration": Metric(rmse_calibration, "calibration, RMSE", "lower", CONFIDENCE, "table", of="confidence",
                               resampled=of_drawn_items(rmse_calibration)),
    "smooth_ece": Metric(smooth_ece, "calibration, smooth ECE", "lower", CONFIDENCE, "table", of="confidence",
                         resampled=smooth_ece_of_drawn),
    "confidence_brier": Metric(partial(confidence_brier_part, "score"), "Brier score of confidence", "lower",
                               CONFIDENCE, "hidden", of="confidence"),
    "confidence_brier_reliability": Metric(partial(confidence_brier_part, "reliability"),
                                           "Brier score of confidence, reliability", "lower", CONFIDENCE, "hidden",
                                           of="confidence"),
    "confidence_brier_resolution": Metric(partial(confidence_brier_part, "resolution"),
                                          "Brier score of confidence, resolution", "higher", CONFIDENCE, "hidden",
                                          of="confidence"),
    "confidence_brier_uncertainty": Metric(partial(confidence_brier_part, "uncertainty"),
                                           "Brier score of confidence, uncertainty", "neither", CONFIDENCE, "hidden",
                                           of="confidence"),
    "confidence_brier_inside": Metric(partial(confidence_brier_part, "inside"),
                                      "Brier score of confidence, inside bins", "neither", CONFIDENCE, "hidden",
                                      of="confidence", lowest=lambda k: -1.0),
    "confidence_right": Metric(confidence_when_right, "confidence when right", "neither", CONFIDENCE, "page",
                               lowest=lambda k: 1 / k),
    "confidence_wrong": Metric(confidence_when_wrong, "confidence when wrong", "neither", CONFIDENCE, "page",
                               lowest=lambda k: 1 / k),
    "entropy_pearson": Metric(entropy_pearson, "entropy correlation, Pearson", "higher", UNCERTAINTY, "table",
                              of="set", ceiling=True, compared=True, resampled=entropy_pearson_of_drawn,
                              lowest=lambda k: -1.0, perfect=1.0),
    "entropy_spearman": Metric(entropy_spearman, "entropy correlation, Spearman", "higher", UNCERTAINTY, "table",
                               of="set", short="rho", ceiling=True, compared=True,
                               resampled=entropy_spearman_of_drawn, lowest=lambda k: -1.0, perfect=1.0),
    "entropy": Metric(entropy_of_prediction, "entropy of the prediction, nats", "neither", UNCERTAINTY, "page",
                      highest=lambda k: float(np.log(k))),
    "people_entropy": Metric(entropy_of_people, "entropy of people, nats", "neither", UNCERTAINTY, "hidden",
                             highest=lambda k: float(np.log(k))),
}  # fmt: skip
# Every number about confidence also against the majority and against gold, where a choice is right or wrong.
METRICS |= {
    f"{name}_{against}": replace(metric, meaning=f"{metric.meaning}, {against}", against=against, shown="hidden",
                                 short="", resampled=None)
    for against in ("majority", "gold") for name, metric in METRICS.items() if metric.of == "confidence"
}  # fmt: skip


def metrics_by_group(*where: Shown) -> dict[str, list[str]]:
    """The names of the metrics that are shown in these places, under the question they answer."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, metric in METRICS.items():
        if metric.shown in where:
            groups[metric.group].append(name)
    return groups
