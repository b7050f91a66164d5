"""Confidence intervals over seeds and items together."""

from __future__ import annotations

import numpy as np

from dissensus.labels.intervals import Interval


def over_seeds(values: np.ndarray, *, coverage: float = 0.95) -> Interval:
    """Compute the interval of a mean over new runs and new items.

        mean -+ sqrt(t_{s-1}^2 max(R - E, 0) / (s n) + t_{n-1}^2 I / (s n))

    R, I and E are the mean squares of runs, of items and of their interaction (two-way analysis of variance), and each
    part has the t of its own number of draws, since resampling few runs understates their spread. Howe (1974),
    Approximate confidence limits on the mean of X + Y. `sd` is the same root without the t. The ends may leave the
    range of a bounded score. For a paired comparison of two methods pass the difference of runs with the same seed.

    Parameters
    ----------
    values : (s, n) one value per run and item, 2 or more of both
    coverage : of the interval

    Returns
    -------
    the mean with its interval

    Examples
    --------
    >>> round(over_seeds(np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.4]])).value, 3)
    0.25
    """
    from scipy.special import stdtrit

    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 2:
        raise ValueError(f"values have shape {array.shape}; expected (seeds, items) with 2 or more of both")
    if not np.isfinite(array).all():
        raise ValueError(f"{np.count_nonzero(~np.isfinite(array))} of {array.size} values are not finite")
    if not 0 < coverage < 1:
        raise ValueError(f"coverage is {coverage}; expected a share between 0 and 1, such as 0.95")
    runs, n = array.shape
    mean, of_run, of_item = array.mean(), array.mean(axis=1, keepdims=True), array.mean(axis=0)
    neither = float(((array - of_run - of_item + mean) ** 2).sum()) / ((runs - 1) * (n - 1))
    between_runs = max(n * float(of_run.var(ddof=1)) - neither, 0.0) / array.size
    between_items = float(of_item.var(ddof=1)) / n
    reach = [float(stdtrit(count - 1, (1 + coverage) / 2)) for count in (runs, n)]
    half = float(np.sqrt(reach[0] ** 2 * between_runs + reach[1] ** 2 * between_items))
    sd = float(np.sqrt(between_runs + between_items))
    return Interval(float(mean), float(mean) - half, float(mean) + half, sd, coverage)
