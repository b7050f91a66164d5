"""Row numbers, which replace names if a source does not name its items."""

from __future__ import annotations

from typing import Any

import numpy as np


class RowNumbers(np.ndarray):
    """Row numbers of a source without names, (n,) int64; a selection keeps its row numbers.

    They are in `items` like names and print as numbers. But row 3 of one file is not the item
    that another file calls 3, so code that matches items calls `are_named` first. Results of computations are plain
    arrays.
    """

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain


def row_numbers(n: int) -> RowNumbers:
    """0 to n - 1.  -> (n,)"""
    return np.arange(n, dtype=np.int64).view(RowNumbers)


def are_named(items: Any) -> bool:
    """Whether these are names and not row numbers; numbers as text are names."""
    return not (isinstance(items, RowNumbers) and items.ndim == 1 and items.dtype == np.int64)
