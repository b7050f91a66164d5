"""Features for probes: one row of finite numbers per item, and rows scaled to length 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.labels.arrays import as_array, is_sparse
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.train.heads.features import check_finite


def feature_rows(values: Any, what: str) -> np.ndarray:
    """Features in double precision, as many digits as the probe of them needs.  array or tensor -> (n, d)

    what  how errors call them
    """
    rows = as_array(values)
    if rows.ndim != 2 or not rows.shape[1] or rows.dtype.kind not in "fiub":
        raise Refusal(
            f"{what} have shape {rows.shape} and are {rows.dtype}; expected numbers (n, d), one row for each item",
            ways=[PythonWay("flatten maps of a convolution with features.reshape(n, -1)")],
        )
    rows = rows.astype(np.float64, copy=False)
    check_finite(rows, what)
    return rows


def unit_rows(values: Any, what: str) -> Any:
    """Rows of length 1, or of zeros, dense or sparse.  (n, d)"""
    if is_sparse(values):
        rows = values.tocsr().astype(np.float64)
        check_finite(rows.data[:, None], f"the numbers that are stored of {what}")
    else:
        rows = feature_rows(values, what)
    if not rows.shape[0]:
        raise ValueError(f"{what} have shape {rows.shape}; expected one row for each item, one item at least")
    rows = _divide(rows, as_array(abs(rows).max(axis=1)).ravel())  # the square of 1e200 overflows
    return _divide(rows, row_lengths(rows))


def row_lengths(rows: Any) -> np.ndarray:
    """Dense or sparse.  (n, d) -> (n,)"""
    squares = rows.power(2) if is_sparse(rows) else rows * rows
    return np.sqrt(np.asarray(squares.sum(axis=1)).ravel())


def _divide(rows: Any, size: np.ndarray) -> Any:
    """Each row by its size, rows of zeros as they are.  (n, d), (n,) -> (n, d)"""
    size = np.where(size == 0, 1.0, size)
    if not is_sparse(rows):
        return rows / size[:, None]
    each = np.repeat(size, np.diff(rows.indptr))
    return type(rows)((rows.data / each, rows.indices, rows.indptr), shape=rows.shape)
