"""Tests of means and their intervals: for paired seeds, for items in clusters, for overlapping splits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from dissensus.evaluate.effect_sizes import ROUNDING, check_finite, cohen_d, cohen_d_paired, has_spread, pair_numbers
from dissensus.evaluate.means import group_values
from dissensus.evaluate.significance import Alternative, Comparison
from dissensus.labels.intervals import Interval
from dissensus.labels.refusals import PythonWay, Refusal


def mean_interval(
    values: Sequence[float] | np.ndarray, *, test_to_train: float = 0.0, coverage: float = 0.95
) -> Interval:
    """Compute a mean with Student's interval, widened if the values are of splits whose training sets overlap.

        mean -+ t_{n - 1} se,   se = sqrt((1/n + n_test/n_train) var)

    With `test_to_train` this is the interval of the corrected resampled t-test: Nadeau and Bengio (2003), Inference for
    the generalization error, sec. 3. Of no values everything is NaN. One value has no interval: its ends and its
    standard error are NaN. Values without spread have an interval of width 0.

    Parameters
    ----------
    values : (n,) finite numbers
    test_to_train : n_test / n_train for splits of the same items, such as 1/9 for ten folds; 0 for independent values
    coverage : share of intervals that contain the mean

    Returns
    -------
    the mean with its interval; `sd` is the standard error

    Examples
    --------
    >>> print(mean_interval([0.1, 0.2, 0.3]))
    0.2000 [-0.0484, 0.4484]
    """
    from scipy.special import stdtrit

    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1:
        raise ValueError(f"values have shape {numbers.shape}; expected one list of numbers")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is {coverage}; expected a share between 0 and 1, such as 0.95")
    if not 0 <= test_to_train < math.inf:
        raise ValueError(f"test_to_train is {test_to_train}; expected the number of test items per training item, or 0")
    if numbers.size < 2:
        return Interval(float(numbers[0]) if numbers.size else math.nan, math.nan, math.nan, math.nan, coverage)
    mean, error = float(numbers.mean()), _standard_error(numbers, test_to_train)
    half = float(stdtrit(numbers.size - 1, (1 + coverage) / 2)) * error
    return Interval(mean, mean - half, mean + half, error, coverage)


def paired_t(a: Any, b: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Run Student's paired t-test: is the mean difference 0?

        t = mean(d) / (sd(d) / sqrt n),   d = a - b,   n - 1 degrees of freedom

    For differences that are nearly normal, or many. Student (1908), The probable error of a mean. The effect is Cohen's
    d_z. If all differences are 0, p is 1. If all are equal but not 0, the test is undefined and raises.

    Parameters
    ----------
    a, b : (n,) paired numbers, n of 2 or more
    alternative : "less": a below b; "greater": above; "two-sided": either

    Returns
    -------
    the test with its p, n and effect size

    Examples
    --------
    >>> print(paired_t([0.52, 0.61, 0.57, 0.49], [0.50, 0.55, 0.52, 0.48]))
    p = 0.06 (n = 4, no lower bound)
    """
    return _test_mean_difference(a, b, 0.0, alternative, "paired t-test")


def corrected_t(a: Any, b: Any, test_to_train: float, alternative: Alternative = "two-sided") -> Comparison:
    """Run the paired t-test for repeated splits of the same items, whose training sets overlap.

        t = mean(d) / sqrt((1/n + n_test/n_train) var(d)),   d = a - b,   n - 1 degrees of freedom

    Scores of such splits rise and fall together, so a plain t-test finds differences that do not exist. Nadeau and
    Bengio (2003), Inference for the generalization error, sec. 3; for k folds of r seeds, n = k r: Bouckaert and Frank
    (2004). The effect and the edge cases are those of `paired_t`; `mean_interval` gives the interval of this test.

    Parameters
    ----------
    a, b : (n,) paired numbers, n of 2 or more
    test_to_train : n_test / n_train, test items per training item, such as 1/9 for ten folds
    alternative : "less": a below b; "greater": above; "two-sided": either

    Returns
    -------
    the test with its p, n and effect size

    Examples
    --------
    >>> print(corrected_t([0.52, 0.61, 0.57, 0.49], [0.50, 0.55, 0.52, 0.48], test_to_train=1 / 3))
    p = 0.15 (n = 4, no lower bound)
    """
    if not (math.isfinite(test_to_train) and test_to_train > 0):
        raise Refusal(
            f"test_to_train is {test_to_train}; expected the number of test items per training item, above 0: 0.25 if "
            "20% of the items are test items and all others are trained on"
        )
    return _test_mean_difference(a, b, test_to_train, alternative, "corrected resampled t-test")


def clustered_t(a: Any, b: Any, clusters: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Run a paired t-test over items in clusters, such as sentences of one text: is the mean difference 0?

        t = mean(d) / se,   d = a - b,   se^2 = (g - 1)/g sum_g (mean_(g) - mean of these)^2

    with mean_(g) the mean over items without cluster g, and fewer degrees of freedom if few clusters hold most items
    (`means.Groups`). Every item counts once. MacKinnon, Nielsen and Webb (2023), Cluster-robust inference: a guide to
    empirical practice. n is the number of clusters; the effect is Cohen's d_z over items.

    Parameters
    ----------
    a, b : (n,) paired numbers
    clusters : (n,) names or codes of the clusters, 2 different ones or more
    alternative : "less": a below b; "greater": above; "two-sided": either

    Returns
    -------
    the test with its p, n and effect size

    Examples
    --------
    >>> print(clustered_t([1.0, 1.2, 0.7, 0.9, 1.4, 1.1], [0.9, 1.0, 0.8, 0.7, 1.0, 0.8], [0, 0, 1, 1, 2, 2]))
    p = 0.17 (n = 3, no lower bound)
    """
    x, y = pair_numbers(a, b, least=2)
    names = np.asarray(clusters)
    if names.shape != x.shape:
        raise ValueError(f"clusters have shape {names.shape} for {x.size} pairs; expected one cluster per pair")
    groups = group_values((x - y)[:, None], names)
    count = groups.first.size
    if count < 2:
        raise ValueError(f"all {x.size} pairs are in one cluster, so there is nothing to compare; expected 2 or more")
    mean, error = float(groups.mean[0]), float(groups.error[0])
    if error <= ROUNDING * abs(mean) and mean:
        raise _no_spread(f"all {count} clusters differ by {mean:g}")
    return Comparison(
        test="paired t-test over clusters",
        alternative=alternative,
        n=count,
        difference=mean,
        effect=cohen_d_paired(x, y),
        effect_name="Cohen's d paired",
        p=_t_tail(mean / error, float(groups.freedom[0]), alternative) if error > 0 else 1.0,
        minimum_p=0.0,
    )


def welch_t(a: Any, b: Any, alternative: Alternative = "two-sided") -> Comparison:
    """Run Welch's t-test of two independent groups whose variances may differ.

        t = (mean a - mean b) / sqrt(s_a^2/n_a + s_b^2/n_b),
        degrees of freedom (s_a^2/n_a + s_b^2/n_b)^2 / ((s_a^2/n_a)^2/(n_a - 1) + (s_b^2/n_b)^2/(n_b - 1))

    For seeds that are not paired. Welch (1947). The effect is Cohen's d with the pooled standard deviation.

    Parameters
    ----------
    a : (n_a,) numbers, 2 or more
    b : (n_b,) numbers, 2 or more
    alternative : "less": a below b; "greater": above; "two-sided": either

    Returns
    -------
    the test with its p, the smaller n and the effect size

    Examples
    --------
    >>> print(welch_t([0.52, 0.61, 0.57], [0.41, 0.48, 0.44, 0.46]))
    p = 0.024 (n = 3, no lower bound)
    """
    x, y = check_finite(a, "a", 2), check_finite(b, "b", 2)
    share_x, share_y = x.var(ddof=1) / x.size, y.var(ddof=1) / y.size
    both = share_x + share_y
    if not has_spread(x) and not has_spread(y):
        raise ValueError(f"neither group varies (a is {x[0]:g}, b is {y[0]:g}), so a t-test is undefined")
    t = (x.mean() - y.mean()) / math.sqrt(both)
    freedom = both**2 / (share_x**2 / (x.size - 1) + share_y**2 / (y.size - 1))
    return Comparison(
        test="Welch t-test",
        alternative=alternative,
        n=min(x.size, y.size),
        difference=float(x.mean() - y.mean()),
        effect=cohen_d(x, y),
        effect_name="Cohen's d",
        p=_t_tail(t, freedom, alternative),
        minimum_p=0.0,
    )


def _test_mean_difference(a: Any, b: Any, test_to_train: float, alternative: Alternative, test: str) -> Comparison:
    x, y = pair_numbers(a, b, least=2)
    d = x - y
    if not has_spread(d) and d.any():
        raise _no_spread(f"all {d.size} differences are {d[0]:g}")
    p = _t_tail(d.mean() / _standard_error(d, test_to_train), d.size - 1, alternative) if d.any() else 1.0
    return Comparison(
        test=test,
        alternative=alternative,
        n=d.size,
        difference=float(d.mean()),
        effect=cohen_d_paired(x, y),
        effect_name="Cohen's d paired",
        p=p,
        minimum_p=0.0,
    )


def _standard_error(values: np.ndarray, test_to_train: float) -> float:
    return math.sqrt((1 / values.size + test_to_train) * float(values.var(ddof=1)))


def _no_spread(problem: str) -> Refusal:
    return Refusal(f"{problem}: they have no spread, so a t-test is undefined", ways=[PythonWay("use wilcoxon")])


def _t_tail(t: float, freedom: float, alternative: Alternative) -> float:
    from scipy.special import stdtr

    if alternative == "two-sided":
        return float(min(1.0, 2 * stdtr(freedom, -abs(t))))
    return float(stdtr(freedom, t if alternative == "less" else -t))
