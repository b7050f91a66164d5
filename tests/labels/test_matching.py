"""One rule says which rows of two tables are the same item."""

import numpy as np
import pytest

from dissensus.labels.matching import check_same_order, list_names, match_items
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_numbers import row_numbers

NOUNS = ("images", "labels")
NAMES = np.array(["a", "b", "c"])


def test_names_meet_in_any_order_and_the_items_of_one_table_alone_are_listed():
    match = match_items(NAMES, np.array(["c", "d", "a"]), NOUNS, missing="leave out")
    assert (match.first.tolist(), match.second.tolist()) == ([0, 2], [2, 0]) and not match.is_same
    assert (match.only_first.tolist(), match.only_second.tolist()) == (["b"], ["d"])
    with pytest.raises(Refusal, match=r"1 items have images and no labels \(b\), 1 have labels and no images \(d\)"):
        match_items(NAMES, np.array(["c", "d", "a"]), NOUNS)


def test_rows_without_names_meet_by_their_numbers():
    match = match_items(row_numbers(5)[[3, 1]], row_numbers(5)[[1, 3]], NOUNS)
    assert match.second.tolist() == [1, 0]
    assert match_items(row_numbers(3), row_numbers(3), NOUNS, by_position=True).is_same


def test_names_and_row_numbers_meet_only_by_position():
    naming = [Way("name them with {items}", items=...)]
    for first, second in ((NAMES, row_numbers(3)), (row_numbers(3), NAMES)):
        with pytest.raises(Refusal, match="have no item names") as refused:
            match_items(first, second, NOUNS, naming=naming)
        assert list(refused.value.ways) == naming
        assert match_items(first, second, NOUNS, by_position=True).second.tolist() == [0, 1, 2]
        with pytest.raises(Refusal, match=r"(3 rows of images and 2|2 rows of images and 3) of labels"):
            match_items(first[: 3 - (first is not NAMES)], second[: 3 - (second is not NAMES)], NOUNS, by_position=True)
    with pytest.raises(Refusal, match=r"unknown rule for missing items 'drop'"):
        match_items(NAMES, NAMES, NOUNS, missing="drop")


def test_the_first_row_out_of_order_is_named():
    check_same_order(NAMES, NAMES, NOUNS)
    check_same_order(NAMES, row_numbers(3), NOUNS)
    with pytest.raises(Refusal, match=r"row 1 of the images is item b, .* labels is item c; 2 of 3"):
        check_same_order(NAMES, NAMES[[0, 2, 1]], NOUNS)


def test_long_lists_of_names_are_cut():
    assert list_names([]) == "none" and list_names("abc") == "a, b, c"
    assert list_names(range(8)) == "0, 1, 2, 3, 4 and 3 more"
