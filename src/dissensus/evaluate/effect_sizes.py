"""Differences of means in units of their spread, and the checks of the numbers they are made of."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dissensus.labels.refusals import PythonWay, Refusal

ROUNDING = 1e-12  # of the largest value: numbers that differ by less have no spread


def cohen_d_paired(a: Any, b: Any) -> float:
    """Compute the mean difference in units of the standard deviation of the differences.

        d_z = mean(d) / sd(d),   d = a - b;   0 if all differences are 0, infinite if they are equal but not 0

    Cohen (1988), Statistical power analysis, sec. 2.3.5.  a, b: (n,)
    """
    x, y = pair_numbers(a, b, least=2)
    d = x - y
    return _ratio(float(d.mean()), float(d.std(ddof=1)) if has_spread(d) else 0.0)


def cohen_d(a: Any, b: Any) -> float:
    """Compute the difference of means in units of the pooled standard deviation.

        d = (mean a - mean b) / sqrt(((n_a - 1) s_a^2 + (n_b - 1) s_b^2) / (n_a + n_b - 2))

    Cohen (1988), sec. 2.2.  a: (n_a,), b: (n_b,)
    """
    x, y = check_finite(a, "a", 2), check_finite(b, "b", 2)
    pooled = ((x.size - 1) * x.var(ddof=1) + (y.size - 1) * y.var(ddof=1)) / (x.size + y.size - 2)
    return _ratio(float(x.mean() - y.mean()), math.sqrt(pooled) if has_spread(x) or has_spread(y) else 0.0)


def pair_numbers(a: Any, b: Any, least: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return two lists of paired numbers, checked.  (n,), (n,)"""
    x, y = check_finite(a, "a", least), check_finite(b, "b", least)
    if x.size != y.size:
        raise Refusal(
            f"a has {x.size} numbers and b has {y.size}; a paired test needs the same seeds or items in both, in the "
            "same order",
            ways=[PythonWay("select those that both have"), PythonWay("use welch_t")],
        )
    return x, y


def has_spread(values: np.ndarray) -> bool:
    """Whether numbers differ by more than rounding, so that a t-test is defined.  (n,)"""
    return bool(values.std(ddof=1) > ROUNDING * np.abs(values).max())


def check_finite(values: Any, name: str, least: int) -> np.ndarray:
    """Return a list of finite numbers with a minimum length.  (n,)"""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size < least:
        raise ValueError(f"{name} has shape {array.shape}; expected one list of {least} or more numbers")
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise Refusal(
            f"{name}[{bad[0]}] is {array[bad[0]]}; {bad.size} of {array.size} numbers are not finite, so there is no "
            "mean to compare",
            ways=[
                PythonWay("smooth the predictions, so that no class has probability 0"),
                PythonWay("compare a score that stays finite"),
            ],
        )
    return array


def _ratio(mean: float, spread: float) -> float:
    if spread > 1e-14 * abs(mean):
        return mean / spread
    return math.copysign(math.inf, mean) if mean else 0.0
