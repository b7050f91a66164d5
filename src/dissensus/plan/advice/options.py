"""The kinds of label that a data set and a budget allow, with their information, cost and loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.labels.refusals import Refusal
from dissensus.plan.estimates import by_information
from dissensus.plan.information import answers_for, constraints_of, information_ratio, items_for, noisy_constraints
from dissensus.plan.label_kinds import PARTIAL_KINDS, LabelKind, label_name
from dissensus.plan.tradeoff import Preferences

ENOUGH = 0.9  # share of the gain over hard labels at which a smaller label is worth a mention


@dataclass(frozen=True)
class LabelOption:
    """One kind of label for this data set.

    items              items that the budget labels; all of them without a budget
    constraints        comparisons that its labels answer correctly: all of them, minus the errors of a pilot
    information_ratio  the same as a share of all comparisons of n items and k classes
    cost               of labelling these items once, in hard labels
    loss               beta cost - utility on the scale of the preferences, lower is better, 0 for collecting nothing
    """

    kind: LabelKind
    k_hat: int
    items: int
    constraints: float
    information_ratio: float
    cost: float
    loss: float

    @property
    def name(self) -> str:
        return label_name(self.kind, self.k_hat)


def label_options(
    n: int, k: int, preferences: Preferences, budget: float | None, tried: Sequence[tuple[LabelKind, int]] = ()
) -> tuple[list[LabelOption], list[LabelOption]]:
    """List the kinds of label that the budget allows, and pairwise similarities if it pays for all pairs.

    tried  kinds of a pilot with their k_hat; sparse and top-class labels are then listed as they were tried, otherwise
           with the number of classes that has the lowest loss
    """
    labels = options_for("hard", [1], n, k, preferences, budget)
    for kind in PARTIAL_KINDS:
        asked = [k_hat for name, k_hat in tried if name == kind]
        candidates = options_for(kind, asked or range(2, k), n, k, preferences, budget)
        if candidates:
            labels += candidates if asked else [lowest_loss(candidates, n, labels[:1])]
    labels += options_for("soft", [k], n, k, preferences, budget)
    if not labels:
        raise Refusal(f"the budget is {budget:g} hard labels; expected enough for one label")
    # Another estimate, such as simulation, has another scale than the information ratio of pairs.
    shown = any(kind == "pairwise" for kind, _ in tried)
    comparable = n > (1 if shown else 2) and preferences.estimate is by_information
    pairs = options_for("pairwise", [0], n, k, preferences, budget) if comparable else []
    return labels, [option for option in pairs if shown or option.items == n]


def lowest_loss(options: Sequence[LabelOption], n: int, hard: Sequence[LabelOption]) -> LabelOption:
    """Choose the option with the lowest loss.

    If the budget ends before the items do, little is spent and little is learned. That alone is not a merit, so options
    with less information than hard labels for the same budget are left out, unless all of them are.
    """
    least = max((option.constraints for option in hard), default=0.0)
    worthwhile = [option for option in options if option.items == n or option.constraints >= least]
    return min(worthwhile or options, key=lambda option: (option.loss, option.cost))


def find_cheaper(
    best: LabelOption, n: int, k: int, preferences: Preferences, budget: float | None
) -> LabelOption | None:
    """Find the smallest label of the same kind that has most of the gain over hard labels."""
    if best.kind not in ("sparse", "top-class", "soft") or k < 3:
        return None
    kind: LabelKind = "sparse" if best.kind == "soft" else best.kind
    smaller = options_for(kind, range(2, best.k_hat), n, k, preferences, budget)
    for hard in options_for("hard", [1], n, k, preferences, budget):
        enough = hard.loss - ENOUGH * (hard.loss - best.loss)
        for option in smaller:
            if option.loss <= enough and option.cost < best.cost and option.items == best.items:
                return option
    return None


def options_for(
    kind: LabelKind, k_hats: Sequence[int], n: int, k: int, preferences: Preferences, budget: float | None
) -> list[LabelOption]:
    """List the options of one kind for each number of classes, for as many items as the budget pays for.

    Numbers of classes that the budget does not pay for even once are left out.
    """
    asked = np.asarray(k_hats, dtype=np.int64)
    costs = preferences.costs
    each = np.broadcast_to(costs.total(kind, n, k, asked) / (answers_for(kind, n) * costs.hard), asked.shape)
    items = np.full(asked.shape, n)
    if budget is not None:
        items = items_for(kind, budget / each, n)
        asked, each, items = asked[items > 0], each[items > 0], items[items > 0]
    if not asked.size:
        return []
    kept = np.maximum(asked, 1)
    answered, whole = (np.broadcast_to(constraints_of(kind, of, k, kept), asked.shape) for of in (items, n))
    # The estimate is for all n items; fewer items count in proportion to the comparisons they answer.
    part = np.divide(answered, whole, out=np.ones(asked.shape), where=whole > 0)
    rho = preferences.rho(kind, n, k, kept) * part
    cost = each * answers_for(kind, items)
    loss = preferences.trade_off(cost, rho, n, k)
    right = noisy_constraints(answered, preferences.errors.rate(kind, k, kept))
    columns = (asked, items, right, information_ratio(right, n, k), cost, loss)
    return [LabelOption(kind, *row) for row in zip(*(column.tolist() for column in columns), strict=True)]
