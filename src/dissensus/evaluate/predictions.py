"""A model's predictions in any of their shapes; logits and rows off the simplex are refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dissensus.evaluate.people import as_numbers, check_finite_rows, name_classes, name_rows
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_errors import RowError
from dissensus.labels.row_sums import SUM_TOLERANCE, divide_rows, format_row, row_ways
from dissensus.labels.votes import Votes


def as_predictions(
    predictions: Any, *, items: Any = None, classes: int | Sequence[Any] | None = None, rescale: bool = False
) -> Distributions:
    """Read a model's predictions as `Distributions`.

    Logits, log-probabilities, rows off the simplex and NaN are refused, each with its way out.

    Parameters
    ----------
    predictions : Distributions, or (n, k) probabilities as array, list or torch tensor
    items : n names, 0..n-1 by default
    classes : k names, or their number
    rescale : divide each row by its sum; refused if a number is below 0

    Returns
    -------
    one distribution per item

    Examples
    --------
    >>> as_predictions([[0.9, 0.1], [0.2, 0.8]], classes=["cat", "dog"]).argmax().tolist()
    [0, 1]
    """
    if isinstance(predictions, Distributions):
        if items is not None or classes is not None:
            raise ValueError("Distributions carry their own names: leave out items and classes")
        return predictions
    if isinstance(predictions, Votes | Beliefs):
        raise Refusal(
            f"predictions are {type(predictions).__name__}; expected one distribution per item",
            ways=[PythonWay("make one of the answers of an ensemble with as_distributions(...)")],
        )
    array = as_numbers(predictions)
    if array.ndim != 2 or 0 in array.shape:
        raise Refusal(
            f"predictions have shape {array.shape}; expected (n, k) probabilities, n and k above 0",
            ways=[PythonWay("for a model that only names a class pass np.eye(k)[predicted]")],
        )
    check_finite_rows(array, "prediction")
    if rescale:
        array = rescale_rows(array)[0]
    check_simplex(array)
    return name_rows(array, items, name_classes(classes, array.shape[1]))


def rescale_rows(predictions: Any) -> tuple[np.ndarray, str]:
    """Divide rows of predictions by their sum, and report how many; refused if a number is below 0.  (n, k)"""
    array = as_numbers(predictions)
    check_finite_rows(array, "prediction")
    try:
        return divide_rows(array)
    except RowError as error:
        raise Refusal(f"prediction {error.problem}", ways=error.ways) from None


def check_simplex(array: np.ndarray) -> None:
    """Refuse predictions that are not probabilities, with what they look like.  array: (n, k) without NaN"""
    total = array.sum(axis=1, dtype=np.float64)
    off = np.flatnonzero((array < 0).any(axis=1) | (np.abs(total - 1) > SUM_TOLERANCE))
    if not off.size:
        return
    row = off[0]
    look, ways = row_ways(
        array,
        divide=[Way("divide each row by its sum with {rescale}", rescale=True)],
        count=[PythonWay("make a prediction of the votes of an ensemble with Distributions.from_counts")],
    )
    apart = np.abs(total - 1).max()
    raise Refusal(
        f"prediction row {row} is {format_row(array[row])} and sums to {total[row]:g}; expected probabilities with sum "
        f"1; {off.size} of {total.size} rows are off{f', by {apart:.2g} at most' if 0 < apart < 0.05 else ''}; {look}",
        ways=ways,
    )
