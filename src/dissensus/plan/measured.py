"""What a pilot measured, in place of what was assumed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dissensus.plan.error_rates import ErrorRates
from dissensus.plan.label_kinds import is_partial
from dissensus.plan.pilot import PilotOption, hard_label_cost
from dissensus.plan.tradeoff import Costs, Preferences


def apply_measurements(preferences: Preferences, ranked: Sequence[PilotOption], k: int) -> Preferences:
    """The same preferences with what a pilot measured: what an answer costs and how much of it is wrong.

    What the pilot did not try lies between what was tried (`Costs`, `ErrorRates`), or keeps its assumed cost. Beyond
    the most classes that were tried, the assumed cost is scaled as that label was off, and not below any measured one:

        soft = max(assumed soft * measured(k_hat) / assumed(k_hat), all measured),   k_hat the largest tried

    The loss of a kind that was tried is then that of `rank_options`: both are one account.

    k  classes of the data set
    """
    each = {option.kind: option.each.value for option in ranked}
    wrong = {option.kind: _error_rate(option) for option in ranked}
    partial = [(option.kind, option) for option in ranked if is_partial(option.kind)]
    assumed = preferences.costs
    costs = Costs(
        ratio=each.get("soft", _estimate_soft_cost([option for _, option in partial], k, assumed)),
        pair=each.get("pairwise", None if assumed.pair is None else assumed.pair / assumed.hard),
        partial=tuple((kind, option.k_hat, option.each.value) for kind, option in partial),
    )
    errors = ErrorRates(
        wrong.get("hard"),
        wrong.get("soft"),
        wrong.get("pairwise"),
        tuple((kind, option.k_hat, _error_rate(option)) for kind, option in partial),
    )
    return replace(preferences, costs=costs, errors=errors) if ranked else preferences


def _estimate_soft_cost(partial: Sequence[PilotOption], k: int, assumed: Costs) -> float | None:
    """What a soft label costs in hard ones by the labels over some of the classes; as assumed where none were tried."""
    if not partial:
        return assumed.ratio
    most = max(option.k_hat for option in partial)
    off = max(
        option.each.value / hard_label_cost(option.kind, most, k, assumed) for option in partial if option.k_hat == most
    )
    before = hard_label_cost("soft", k, k, assumed)
    soft = max(off * before, *(option.each.value for option in partial))
    return assumed.ratio if soft == before else soft


def _error_rate(option: PilotOption) -> float:
    return 0.0 if option.flip_rate is None else option.flip_rate.value
