"""Parts of an item set: every item in one of them, equal ones together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.evaluate.slices import (
    Slices,
    column_slices,
    entropy_bins,
    high_disagreement,
    in_order,
    slice_scores,
    value_bins,
)
from dissensus.labels.distances import normalised_entropy
from tests.facts import refuses

COUNTS = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any), min_size=1, max_size=40)


def shares(counts):
    return np.array(counts) / np.sum(counts, axis=1, keepdims=True)


@given(COUNTS, st.integers(1, 8), st.sampled_from(["width", "mass"]))
def test_entropy_bins_rise_with_entropy_and_hold_every_item(counts, bins, by):
    p = shares(counts)
    found, spread = entropy_bins(p, bins, by), normalised_entropy(p)
    assert found.sizes.sum() == len(counts) and len(found.names) <= bins
    for low in range(len(found.names) - 1):
        below, above = spread[found.code == low], spread[found.code > low]
        assert not (below.size and above.size) or below.max() < above.min()


def test_bins_of_equal_width_and_of_equal_mass():
    p = np.array([[1, 0], [1, 0], [1, 0], [0.9, 0.1], [0.6, 0.4], [0.5, 0.5]])
    assert entropy_bins(p, 2).sizes.tolist() == [4, 2] and entropy_bins(p, 2).names == ("0–0.5", "0.5–1")
    assert entropy_bins(p, 2, "mass").sizes.tolist() == [3, 3]
    assert entropy_bins(p, 6, "mass").sizes.tolist() == [3, 1, 1, 1]  # the unanimous stay together
    assert value_bins(np.arange(100.0), 4, "x").sizes.tolist() == [25] * 4
    assert value_bins(np.zeros(5), 4, "x").names == ("0",)


@given(COUNTS, st.floats(0.05, 0.9))
def test_no_item_outside_the_high_disagreement_slice_is_more_disputed_than_one_inside(counts, share):
    p = shares(counts)
    inside, spread = high_disagreement(p, share).code == 1, normalised_entropy(p)
    if inside.any():
        assert spread[inside].min() > 0 and spread[~inside].max(initial=-1) < spread[inside].min()
    assert inside.sum() >= min(max(1, round(share * len(p))), (spread > 1e-12).sum())


def test_high_disagreement_is_the_top_tenth_with_ties():
    p = np.repeat([[1.0, 0.0], [0.8, 0.2], [0.5, 0.5]], [90, 8, 2], axis=0)
    assert high_disagreement(p).sizes.tolist() == [90, 10]
    assert high_disagreement(p, 0.05).sizes.tolist() == [90, 10]  # the eight tie
    assert high_disagreement(p, 0.02).sizes.tolist() == [98, 2]
    assert high_disagreement(p[:90]).sizes.tolist() == [90, 0]


def test_slices_of_cifar10h(loaded):
    """CIFAR-10H counts: the tenth with most disagreement, items tied at its end, holds 48 % of all entropy."""
    p = loaded("cifar10h").labels.probs
    found, spread = high_disagreement(p), normalised_entropy(p)
    assert found.sizes[1] == 1002 and spread[found.code == 1].sum() > 0.4 * spread.sum()


def test_columns_divide_items_and_gaps_are_in_no_part():
    found = column_slices(["b", "a", None, "b", float("nan")], "source")
    assert found.names == ("a", "b") and found.code.tolist() == [1, 0, -1, 1, -1] and found.sizes.tolist() == [1, 2]
    scores = slice_scores(np.array([1.0, 5.0, 9.0, 3.0, 9.0]), found, np.random.default_rng(0))
    assert [(one.name, one.items, one.score.value) for one in scores] == [("a", 1, 5.0), ("b", 2, 2.0)]
    assert scores[1].score.low < 1 and scores[1].score.high > 3  # of two values little is known


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([10, 2, 1, 2, 33], ("1", "2", "10", "33")),
        (["10", "2", "1"], ("1", "2", "10")),
        ([0.5, -3.25, 12.0, 4e-4, -10], ("-10", "-3.25", "0.0004", "0.5", "12.0")),
        ([None, 10, 9], ("9", "10")),
        (["10", "2", "many"], ("10", "2", "many")),
        ([True, False], ("False", "True")),
        (["1", "nan", "inf"], ("1", "inf", "nan")),
    ],
)
def test_parts_that_are_numbers_stand_in_the_order_of_numbers(values, names):
    slices = column_slices(values, "age")
    assert slices.names == names
    assert [str(value) for value in values if value is not None] == [names[code] for code in slices.code if code >= 0]


def test_bins_stand_in_the_order_of_their_lower_ends():
    bins = ["10–20", "0.4–0.6", "2–10", "0–0.2", "0.2–0.4"]
    assert in_order(bins) == ["0–0.2", "0.2–0.4", "0.4–0.6", "2–10", "10–20"]
    assert in_order(["others", "most disputed 10%"]) == ["others", "most disputed 10%"]


def test_bad_input_is_refused():
    with refuses("'id'", "60 different values", "at most 50"):
        column_slices(range(60), "id")
    with refuses("'x'", "empty", "2 items"):
        column_slices([None, None], "x")
    with pytest.raises(ValueError, match=r"share is 1\.5"):
        high_disagreement(np.ones((2, 1)), 1.5)
    with refuses("0 bins"):
        entropy_bins(np.ones((2, 1)), 0)
    with pytest.raises(ValueError, match=r"'size'.*width, mass"):
        entropy_bins(np.ones((2, 1)), 2, "size")
    with refuses("3 values", "2 items", "slices by x"):
        slice_scores(np.ones(3), Slices("x", ("a",), np.zeros(2, dtype=int)), np.random.default_rng(0))
    with refuses("1 of them", "-1 to 0"):
        Slices("x", ("a",), np.array([0, 1]))
