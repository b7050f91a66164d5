"""The kinds of label that a data set and a budget allow, with what each tells and costs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dissensus.plan.information import information_ratio
from dissensus.plan.tradeoff import Kind, Preferences, by_information, constraints, utility_of


@dataclass(frozen=True)
class Option:
    """One kind of label for this data set.

    items              how many of the items the budget labels; all of them without a budget
    constraints        comparisons its labels answer
    information_ratio  the same as a share of all comparisons of n items and k classes
    cost               of labelling these items once, in hard labels
    loss               beta cost / reference - u(information ratio), lower is better
    """

    kind: Kind
    k_hat: int
    items: int
    constraints: float
    information_ratio: float
    cost: float
    loss: float

    @property
    def name(self) -> str:
        return f"{self.kind} ({self.k_hat} classes)" if self.kind in ("sparse", "top-class") else self.kind


def label_options(n: int, k: int, preferences: Preferences, budget: float | None) -> tuple[list[Option], list[Option]]:
    """The kinds of label that the budget allows, and pairwise similarity beside them."""
    labels = [option_for("hard", 1, n, k, preferences, budget)]
    for kind in ("sparse", "top-class") if k > 2 else ():
        tried = [option_for(kind, asked, n, k, preferences, budget) for asked in range(2, k)]
        found = [one for one in tried if one is not None]
        if found:
            labels.append(min(found, key=lambda one: (one.loss, one.cost)))
    labels.append(option_for("soft", k, n, k, preferences, budget))
    affordable = [one for one in labels if one is not None]
    if not affordable:
        raise ValueError(f"the budget is {budget:g} hard labels, which is less than one: nothing can be collected")
    pairs = option_for("pairwise", 0, n, k, replace(preferences, estimate=by_information), None)
    return affordable, [] if pairs is None or n < 3 else [pairs]


def option_for(kind: Kind, k_hat: int, n: int, k: int, preferences: Preferences, budget: float | None) -> Option | None:
    """A kind of label for as many items as the budget labels; None where that is none."""
    each = float(preferences.costs.total(kind, n, k, k_hat)) / (n * preferences.costs.hard)
    items = n if budget is None else min(n, int(budget / each + 1e-9))
    if items < 1:
        return None
    answered = float(constraints(kind, items, k, max(k_hat, 1)))
    ratio = float(information_ratio(answered, n, k))
    # The estimate is for all n items; of fewer, so much less is known as they answer fewer of all comparisons.
    whole = float(constraints(kind, n, k, max(k_hat, 1)))
    rho = float(preferences.estimate(kind, n, k, max(k_hat, 1))) * (answered / whole if whole > 0 else 1.0)
    cost = each * items
    loss = preferences.beta * cost / preferences.reference - float(utility_of(preferences.utility)(np.asarray(rho)))
    return Option(kind, k_hat, items, answered, ratio, cost, loss)
