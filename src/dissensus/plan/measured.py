"""Measurements of a pilot in place of assumptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dissensus.plan.error_rates import ErrorRates
from dissensus.plan.label_kinds import is_partial
from dissensus.plan.pilot import PilotOption, hard_label_cost
from dissensus.plan.tradeoff import Costs, Preferences


def apply_measurements(preferences: Preferences, ranked: Sequence[PilotOption], k: int) -> Preferences:
    """Replace the costs and errors of preferences by those that a pilot measured.

    Untested labels are interpolated between tested ones (`Costs`, `ErrorRates`) or keep their assumed cost. Beyond the
    most classes that were tested, the assumed cost is scaled like that of the tested label, and at least any measured
    cost:

        soft = max(assumed soft * measured(k_hat) / assumed(k_hat), all measured),   k_hat the largest tried

    The loss of a tested kind is then that of `rank_options`.

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
    """Estimate the cost of a soft label in hard ones from labels over fewer classes; as assumed if none were tested."""
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
