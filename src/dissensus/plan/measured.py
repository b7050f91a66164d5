"""What a pilot measured, in place of what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dissensus.plan.error_rates import ErrorRates
from dissensus.plan.label_kinds import is_partial
from dissensus.plan.pilot import PilotOption
from dissensus.plan.tradeoff import Costs, Preferences


def with_measurements(preferences: Preferences, ranked: Sequence[PilotOption]) -> Preferences:
    """The same preferences with what a pilot measured: what an answer costs and how much of it is wrong.

    What the pilot did not try keeps its assumed cost, or lies between what was tried (`Costs`, `ErrorRates`). The loss
    of a kind that was tried is then that of `rank_options`: both are one account.
    """
    each = {option.kind: option.each.value for option in ranked}
    wrong = {option.kind: _known(option) for option in ranked}
    partial = [(option.kind, option) for option in ranked if is_partial(option.kind)]
    assumed = preferences.costs
    costs = Costs(
        ratio=each.get("soft", assumed.ratio),
        pair=each.get("pairwise", None if assumed.pair is None else assumed.pair / assumed.hard),
        partial=tuple((kind, option.k_hat, option.each.value) for kind, option in partial),
    )
    errors = ErrorRates(
        wrong.get("hard"), wrong.get("soft"), wrong.get("pairwise"),
        tuple((kind, option.k_hat, _known(option)) for kind, option in partial),
    )  # fmt: skip
    return replace(preferences, costs=costs, errors=errors) if ranked else preferences


def _known(option: PilotOption) -> float:
    return 0.0 if option.flip_rate is None else option.flip_rate.value
