"""Gamma, beta and learning rates that a validation set chooses here, against those that it chose in the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Verdict
from dissensus.papers.collins2022.studies import RATE_GRID, RATES
from dissensus.papers.reading import interval_of
from dissensus.papers.verdicts import cannot_test, format_estimate


def choice_finding(losses: Mapping[str, Sequence[float]], theirs: float, models: str) -> Finding:
    """The value with the lowest mean validation loss, and how far that of the paper is from it.

    losses  by value, in the same order of models and seeds
    models  that they are of: "heads" or "networks"
    """
    means = {value: float(np.mean(each)) for value, each in losses.items()}
    best = min(means, key=means.__getitem__)
    other = f"{theirs:g}"
    gaps = (np.array(losses[other]) - np.array(losses[best])).tolist()
    table = ", ".join(f"{value}: {mean:.4f}" for value, mean in means.items())
    if best == other:
        ours = f"{best} (validation loss by value: {table})"
        alike = [value for value in losses if value != best and _no_higher(losses[value], losses[best])]
        if not alike:
            return Finding(ours=ours, verdict="equal", parts=("choices",))
        reason = f"{best} has the lowest mean, but {', '.join(alike)} cannot be told from it over {len(gaps)} runs"
        verdict: Verdict = "cannot be tested here" if len(alike) == len(losses) - 1 else "same direction"
        return Finding(ours=ours, verdict=verdict, reason=reason, parts=("choices",))
    interval: Interval = interval_of(gaps)
    ours = (
        f"{best}; that of {other} is {format_estimate(interval, 4, signed=True)} higher over {len(gaps)} runs ({table})"
    )
    if interval.low <= 0:
        reason = "the validation losses of these values cannot be told apart here"
        return Finding(ours=ours, verdict="cannot be tested here", reason=reason, parts=("choices",))
    reason = (
        f"the paper says neither by which loss nor on which images it chose; here {models} chose by cross-entropy to "
        "CIFAR-10 classes"
    )
    return Finding(ours=ours, verdict="differs", reason=reason, parts=("choices",))


def _no_higher(losses: Sequence[float], best: Sequence[float]) -> bool:
    """Whether losses are not significantly different from those of the best value, run by run."""
    return interval_of((np.array(losses) - np.array(best)).tolist()).low <= 0


def rates_chosen(losses: Mapping[str, Mapping[str, Sequence[float]]] | None) -> Finding:
    if losses is None:
        return cannot_test("which rate is best hangs on the width and the number of epochs; full scale runs it")
    best: dict[str, Any] = {
        model: min(own, key=lambda rate: float(np.mean(own[rate]))) for model, own in losses.items()
    }
    same = all(best[model] == f"{RATES[model]:g}" for model in RATE_GRID)
    ours = ", ".join(f"{model} {rate}" for model, rate in best.items())
    return Finding(ours=ours, verdict="equal" if same else "differs", parts=("choices",))
