"""How values show themselves as text."""

from __future__ import annotations

import numpy as np

from dissensus import load
from dissensus.train.heads import FeatureTable


def test_arrays_are_printed_by_their_shape_and_lists_by_their_length():
    table = FeatureTable(np.zeros((3, 4)), np.arange(3), source={"encoder": "minilm"})
    assert repr(table) == "FeatureTable(values=3 x 4, items=3, source=dict of 1)"


def test_values_inside_values_are_printed_by_their_kind():
    assert repr(load("anesthesia")) == "LabelledItems(labels=Votes, items=45 x 1)"
