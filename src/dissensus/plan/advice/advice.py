"""Which labels to collect: everything the plan knows about a data set, as one recommendation with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.plan.advice.options import Option, label_options, lowest_loss
from dissensus.plan.advice.words import (
    about_budget,
    about_hard_labels,
    about_nothing,
    about_pairs,
    about_pilot,
    about_regime,
    about_scale,
    about_soft_labels,
    reasons,
    smaller,
    three_digits,
    untried,
    when_else,
)
from dissensus.plan.information import Regime, regime
from dissensus.plan.label_kinds import PARTIAL_KINDS, WHOLE_KINDS, LabelKind
from dissensus.plan.measured import with_measurements
from dissensus.plan.pilot import PilotAnswers, PilotOption, rank_options
from dissensus.plan.tradeoff import Preferences, loss_curve
from dissensus.report.tables import Column, Row


@dataclass(frozen=True)
class Advice:
    """A recommendation, what it rests on, and what else could be done.

    options       hard, sparse and top-class with their best k_hat, soft, and pairwise similarity beside them; with a
                  pilot, sparse and top-class labels as it tried them
    recommended   kind and k_hat; its reasons are `why`, in sentences
    alternatives  when to choose otherwise, in sentences
    pilot         the kinds of the pilot, lowest measured loss first; empty without one
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
        """The option of a kind; the one with the lowest loss where a pilot tried several."""
        return min((option for option in self.options if option.kind == kind), key=lambda o: o.loss, default=None)

    def is_measured(self, option: Option) -> bool:
        """Whether cost and errors of an option are those of the pilot; otherwise they are assumed."""
        return (option.kind, option.k_hat) in _tried(self.pilot, self.k)

    def as_json(self) -> dict[str, Any]:
        """Plain values; `information_ratio`, `constraints`, `regime` and `recommendation` are a fixed interface."""
        utility = self.preferences.utility
        options = [self.option(kind) for kind in dict.fromkeys(option.kind for option in self.options)]
        listed = [option for option in options if option is not None]
        return {
            "items": self.n,
            "classes": self.k,
            "cost_ratio": self.k if self.preferences.costs.ratio is None else self.preferences.costs.ratio,
            "utility": utility if isinstance(utility, str) else getattr(utility, "__name__", "own"),
            "beta": self.preferences.beta,
            "reference": self.preferences.reference,
            "scale": dict(zip(("cost", "utility"), map(float, self.preferences.scale(self.n, self.k)), strict=True))
            | {"about": about_scale(self.n, self.k, self.preferences)},
            "budget": self.budget,
            "regime": self.regime,
            "information_ratio": {option.kind: option.information_ratio for option in listed},
            "constraints": {option.kind: option.constraints for option in listed},
            "cost": {option.kind: option.cost for option in listed},
            "loss": {option.kind: option.loss for option in listed},
            "k_hat": {option.kind: option.k_hat for option in listed if option.kind in PARTIAL_KINDS},
            "items_labelled": {option.kind: option.items for option in listed},
            "basis": {option.kind: "pilot" if self.is_measured(option) else "assumed" for option in listed},
            "recommendation": {"kind": self.recommended[0], "k_hat": self.recommended[1], "why": " ".join(self.why)},
            "alternatives": list(self.alternatives),
            "pilot": [
                {
                    "kind": option.kind,
                    "k_hat": option.k_hat,
                    "answers": option.answers,
                    "people": option.people,
                    "items": option.items,
                    "probability_best": option.best,
                    "seconds": as_json(option.seconds),
                    "hard_labels": as_json(option.each),
                    "flip_rate": as_json(option.flip_rate),
                    "information_ratio": as_json(option.ratio),
                    "loss": as_json(option.loss),
                }
                for option in self.pilot
            ],
        }


def plan_labels(
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
    sparse and top-class labels may choose how many classes they ask for. With a pilot the kind with the lowest loss
    that it measured (`pilot.rank_options`). All options are then charged what it measured, one account for
    tried and untried kinds: see `measured.with_measurements`.
    Pairwise similarities are listed beside them and recommended only where a pilot tried them: they say nothing about
    the classes.

    budget  what may be spent, in hard labels. A kind too expensive for all items is judged by those that it can pay
            for, and not recommended where these tell less than hard labels for the same budget.
    """
    if budget is not None and not (budget > 0 and np.isfinite(budget)):
        raise ValueError(f"the budget is {budget} hard labels; expected a number above 0, or none")
    where = regime(n, k)
    ranked = tuple(rank_options(pilot, n, k, preferences, rng, budget=budget)) if pilot else ()
    measured = with_measurements(preferences, ranked, k)
    labels, others = label_options(n, k, measured, budget, _tried(ranked, k))
    if ranked:
        recommended: tuple[LabelKind, int] = (ranked[0].kind, _shown_k_hat(ranked[0].kind, ranked[0].k_hat, k))
        listed = [option for option in (*labels, *others) if (option.kind, option.k_hat) == recommended]
        if not listed:
            raise ValueError(
                f"{n} items and a budget of {'any size' if budget is None else f'{budget:g} hard labels'} allow none "
                f"of the kinds of the pilot: {', '.join(option.name for option in ranked)}"
            )
        best = listed[0]
        promising = lowest_loss(label_options(n, k, measured, budget)[0], n, [o for o in labels if o.kind == "hard"])
        why = (
            about_regime(n, k, where),
            *about_pilot(ranked),
            *about_hard_labels(ranked, k, preferences.costs),
            *about_soft_labels(ranked, k, preferences.costs, measured.costs),
            *about_budget(best, budget, n),
            *about_nothing(best, n, k, measured),
        )
        alternatives = (untried(promising, best, ranked), *when_else(n, k, measured))
    else:
        best = lowest_loss(labels, n, [option for option in labels if option.kind == "hard"])
        recommended = (best.kind, best.k_hat)
        why = (
            about_regime(n, k, where),
            *reasons(best, labels, measured),
            *about_budget(best, budget, n),
            *about_nothing(best, n, k, measured),
        )
        alternatives = (*smaller(best, n, k, measured, budget), *when_else(n, k, measured))
    alternatives = (*alternatives, about_pairs(others, best)) if recommended[0] != "pairwise" else alternatives
    return Advice(
        n,
        k,
        where,
        measured,
        budget,
        (*labels, *others),
        recommended,
        why,
        tuple(sentence for sentence in alternatives if sentence),
        ranked,
    )


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


def option_columns(advice: Advice) -> list[Column]:
    """The titles of `option_rows`; with a pilot, also on what the numbers of each row rest."""
    numbers = [Column(title, number=True) for title in ("items", "comparisons", "of all", "cost", "loss")]
    return [Column("labels"), *([Column("basis")] if advice.pilot else []), *numbers]


def option_rows(advice: Advice) -> list[Row]:
    """The options as rows of a table: name, items, comparisons, their share of all, cost and loss."""
    return [
        Row(
            (
                option.name,
                *([_basis(advice, option)] if advice.pilot else []),
                f"{option.items:,}",
                f"{option.constraints:,.0f}",
                f"{option.information_ratio:.2%}",
                three_digits(option.cost),
                f"{option.loss:.4f}",
            ),
            style="best" if (option.kind, option.k_hat) == advice.recommended else "",
        )
        for option in advice.options
    ]


def about_columns(advice: Advice) -> str:
    """What the numbers of `option_rows` are, in one line."""
    scale = about_scale(advice.n, advice.k, advice.preferences)
    note = (
        f"cost: in hard labels; loss: beta x cost - utility, lower is better, 0 for collecting nothing\nscale: {scale}"
    )
    if advice.pilot:
        note += (
            "\nbasis: seconds and errors as the pilot measured them, or assumed: between the nearest that it tried, "
            "and beyond them at the cost ratio, scaled as the nearest was off; comparisons are those answered rightly"
        )
    return note


def _basis(advice: Advice, option: Option) -> str:
    return "pilot" if advice.is_measured(option) else "assumed"


def _tried(ranked: Sequence[PilotOption], k: int) -> list[tuple[LabelKind, int]]:
    """Kinds of a pilot with k_hat as options have it."""
    return [(option.kind, _shown_k_hat(option.kind, option.k_hat, k)) for option in ranked]


def _shown_k_hat(kind: LabelKind, k_hat: int, k: int) -> int:
    return {"hard": 1, "soft": k, "pairwise": 0}.get(kind, k_hat)
