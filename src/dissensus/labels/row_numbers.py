"""Numbers of rows, which stand where a source has no names of its items, and are not names."""

from __future__ import annotations

from typing import Any

import numpy as np


class RowNumbers(np.ndarray):
    """The rows of a source without names, (n,) int64; some of them, selected, are still the numbers of their rows.

    They stand in `items` like names, go where names go, and print as numbers. But row 3 of one file is not the item
    that another file calls 3, so whoever matches items asks `are_named` first. What is computed from them is a plain
    array.
    """

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar else plain


def row_numbers(n: int) -> RowNumbers:
    """0 to n - 1.  -> (n,)"""
    return np.arange(n, dtype=np.int64).view(RowNumbers)


def are_named(items: Any) -> bool:
    """Whether these are names, and not only the numbers of rows; numbers made texts are names that somebody gave."""
    return not (isinstance(items, RowNumbers) and items.ndim == 1 and items.dtype == np.int64)
