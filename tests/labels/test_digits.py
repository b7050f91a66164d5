"""Handwritten digits, read without scikit-learn."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from dissensus.labels.digits import clean_digits


def test_clean_digits_are_those_of_scikit_learn():
    for read, expected in zip(clean_digits(), load_digits(return_X_y=True), strict=True):
        assert np.array_equal(read, expected) and read.dtype == expected.dtype
