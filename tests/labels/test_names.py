"""Names are matched by what they read as, whatever type a file or a frame gave them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.evaluate.matching import match_predictions
from dissensus.evaluate.people import as_people
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import as_names, item_positions, positions_of, refuse_names_for_codes
from dissensus.labels.row_numbers import are_named, row_numbers
from tests.facts import refuses

NAMES = st.lists(st.integers(-3, 12) | st.sampled_from("abcxyz"), unique_by=str, max_size=12)


def test_names_are_matched_whatever_their_type():
    assert positions_of(np.array([3, 1, 7]), np.array(["1", "x", "3"], dtype=object)).tolist() == [2, 0, -1]
    assert positions_of((), ("a",)).tolist() == []


@given(NAMES, NAMES)
def test_a_position_is_the_row_of_the_name(names, among):
    texts = [str(name) for name in among]
    for name, place in zip(names, positions_of(names, among), strict=True):
        assert place == (texts.index(str(name)) if str(name) in texts else -1)


def test_predictions_named_by_numbers_match_labels_of_which_one_is_named_by_a_letter():
    """One "x" among the labels makes all their names text; 1 and 2 are still the same items."""
    labels = Distributions(np.full((3, 2), 0.5), [1, 2, "x"], ("a", "b"))
    predictions = Distributions(np.array([[0.9, 0.1], [0.2, 0.8]]), [2, 1], ("a", "b"))
    model, people = match_predictions(predictions, as_people(labels), missing="leave out")
    assert [str(name) for name in people.targets.items] == ["1", "2"] and model.probs[:, 0].tolist() == [0.2, 0.9]


def test_a_nul_at_the_end_makes_another_name():
    assert positions_of(["x\0", "x"], ["x", "x\0"]).tolist() == [1, 0]


def test_numbers_of_rows_are_not_matched_to_names():
    assert item_positions(row_numbers(3), row_numbers(2)).tolist() == [0, 1, -1]
    assert item_positions(np.array([2, 0]), np.array([0, 2])).tolist() == [1, 0]
    for items, among in ((row_numbers(3), np.arange(3)), (np.arange(3), row_numbers(3))):
        with refuses("no item names", "0, 1, 2", "row 0", "not matched", ways={"items": ...}):
            item_positions(items, among)


def test_row_numbers_made_texts_are_names_that_somebody_gave():
    rows = row_numbers(3)
    assert not are_named(rows) and not are_named(rows[:2])
    assert are_named(rows.astype(str)) and are_named(as_names(rows.astype(str)))
    assert as_names(rows.astype(str)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("classes", [("1", "2", "3"), ("1", "2", "unsure"), ("1.0", "2.0"), ("cat", "0")])
def test_codes_are_refused_where_a_class_is_named_by_another_number(classes):
    with refuses("targets have numbers", f"named {', '.join(classes)}", "names as text"):
        refuse_names_for_codes(classes, "targets")
    refuse_names_for_codes(("0", "1", "unsure"), "targets")
    refuse_names_for_codes(("cat", "dog", "nan"), "targets")
