"""Which labels to collect: everything the plan knows about a data set, as one recommendation with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.plan.advice.options import Option, label_options, lowest_loss
from dissensus.plan.advice.words import (
    about_pairs,
    about_pilot,
    about_regime,
    reasons,
    smaller,
    three_digits,
    untried,
    when_else,
)
from dissensus.plan.information import Regime, regime
from dissensus.plan.label_kinds import PARTIAL_KINDS, WHOLE_KINDS, LabelKind
from dissensus.plan.pilot import PilotAnswers, PilotOption, rank_options, with_measured_costs
from dissensus.plan.tradeoff import Preferences, loss_curve
from dissensus.report.tables import Row


@dataclass(frozen=True)
class Advice:
    """A recommendation, what it rests on, and what else could be done.

    options       hard, sparse and top-class with their best k_hat, soft, and pairwise similarity beside them
    recommended   kind and k_hat; its reasons are `why`, in sentences
    alternatives  when to choose otherwise, in sentences
    pilot         the kinds of the pilot, most probable first; empty without one
    """

    n: int
    k: int
    regime: Regime
    preferences: Preferences
    budget: float | None
    options: tuple[Option, ...]
    recommended: tuple[LabelKind, int]
    why: tuple[str, ...]
    alternatives: tuple[str, ...]
    pilot: tuple[PilotOption, ...]

    def option(self, kind: LabelKind) -> Option | None:
        return next((option for option in self.options if option.kind == kind), None)

    def as_json(self) -> dict[str, Any]:
        """Plain values; `information_ratio`, `constraints`, `regime` and `recommendation` are a fixed interface."""
        utility = self.preferences.utility
        return {
            "items": self.n,
            "classes": self.k,
            "cost_ratio": self.k if self.preferences.costs.ratio is None else self.preferences.costs.ratio,
            "utility": utility if isinstance(utility, str) else getattr(utility, "__name__", "own"),
            "beta": self.preferences.beta,
            "reference": self.preferences.reference,
            "budget": self.budget,
            "regime": self.regime,
            "information_ratio": {option.kind: option.information_ratio for option in self.options},
            "constraints": {option.kind: option.constraints for option in self.options},
            "cost": {option.kind: option.cost for option in self.options},
            "loss": {option.kind: option.loss for option in self.options},
            "k_hat": {option.kind: option.k_hat for option in self.options if option.kind in PARTIAL_KINDS},
            "items_labelled": {option.kind: option.items for option in self.options},
            "recommendation": {"kind": self.recommended[0], "k_hat": self.recommended[1], "why": " ".join(self.why)},
            "alternatives": list(self.alternatives),
            "pilot": [
                {
                    "kind": option.kind, "k_hat": option.k_hat, "answers": option.answers, "items": option.items,
                    "probability_best": option.best,
                    "seconds": _plain(option.seconds), "flip_rate": _plain(option.flip_rate),
                    "information_ratio": _plain(option.ratio), "loss": _plain(option.loss),
                }
                for option in self.pilot
            ],
        }  # fmt: skip


def advise(
    n: int,
    k: int,
    preferences: Preferences,
    rng: np.random.Generator,
    *,
    pilot: Sequence[PilotAnswers] = (),
    budget: float | None = None,
) -> Advice:
    """What to collect for n items over k classes.

    Without a pilot the kind with the lowest loss among hard, sparse, top-class and soft labels (`tradeoff`), where
    sparse and top-class labels may choose how many classes they ask for. With a pilot the kind that is most probably
    best among those tried (`pilot.rank_options`); its seconds replace the cost ratio where it has hard and soft labels.
    Pairwise similarities are listed beside them and recommended only where a pilot tried them: they say nothing about
    the classes.

    budget  what may be spent, in hard labels. A kind too expensive for all items is judged by those that it can pay
            for, and not recommended where these tell less than hard labels for the same budget.
    """
    if budget is not None and not (budget > 0 and np.isfinite(budget)):
        raise ValueError(f"the budget is {budget} hard labels; expected a number above 0, or none")
    where = regime(n, k)
    preferences = with_measured_costs(preferences, pilot)
    labels, others = label_options(n, k, preferences, budget)
    best = lowest_loss(labels, n, [option for option in labels if option.kind == "hard"])
    ranked = tuple(rank_options(pilot, n, k, preferences, rng, budget=budget)) if pilot else ()
    if ranked:
        recommended: tuple[LabelKind, int] = (ranked[0].kind, _shown_k_hat(ranked[0].kind, ranked[0].k_hat, k))
        why = (about_regime(n, k, where), *about_pilot(ranked, n))
        alternatives = (untried(best, ranked), *when_else(n, k, preferences))
    else:
        recommended = (best.kind, best.k_hat)
        why = (about_regime(n, k, where), *reasons(best, labels, preferences, budget, n))
        alternatives = (*smaller(best, n, k, preferences, budget), *when_else(n, k, preferences))
    alternatives = (*alternatives, about_pairs(others, best)) if recommended[0] != "pairwise" else alternatives
    return Advice(
        n, k, where, preferences, budget, (*labels, *others), recommended, why,
        tuple(sentence for sentence in alternatives if sentence), ranked,
    )  # fmt: skip


def loss_curves(advice: Advice) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Losses over k_hat, as in figure 6: sparse and top-class, with hard and soft as level lines.  name: (k,), (k,)"""
    preferences = advice.preferences
    asked = np.arange(1, advice.k + 1)
    curves = {}
    for kind in PARTIAL_KINDS:
        curve = loss_curve(kind, advice.n, advice.k, preferences)
        curves[str(kind)] = (curve.k_hat, curve.loss)
    for whole in WHOLE_KINDS:
        curves[str(whole)] = (asked, np.full(asked.size, float(preferences.loss(whole, advice.n, advice.k))))
    return curves


def option_rows(advice: Advice) -> list[Row]:
    """The options as rows of a table: name, items, comparisons, their share of all, cost and loss."""
    return [
        Row(
            (option.name, f"{option.items:,}", f"{option.constraints:,.0f}", f"{option.information_ratio:.2%}",
             three_digits(option.cost), f"{option.loss:.4f}"),
            style="best" if (option.kind, option.k_hat) == advice.recommended else "",
        )
        for option in advice.options
    ]  # fmt: skip


def _plain(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {"value": interval.value, "low": interval.low, "high": interval.high}


def _shown_k_hat(kind: LabelKind, k_hat: int, k: int) -> int:
    return {"hard": 1, "soft": k}.get(kind, k_hat)
