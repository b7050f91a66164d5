"""One rule says which rows of two tables are the same item."""

import numpy as np

from dissensus.labels.matching import check_same_order, list_names, match_items
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_numbers import row_numbers
from tests.facts import refuses

NOUNS = ("images", "labels")
NAMES = np.array(["a", "b", "c"])


def test_names_meet_in_any_order_and_the_items_of_one_table_alone_are_listed():
    match = match_items(NAMES, np.array(["c", "d", "a"]), NOUNS, missing="leave out")
    assert (match.first.tolist(), match.second.tolist()) == ([0, 2], [2, 0]) and not match.is_same
    assert (match.only_first.tolist(), match.only_second.tolist()) == (["b"], ["d"])
    with refuses("1 item has", "no labels (b)", "no images (d)", error=Refusal):
        match_items(NAMES, np.array(["c", "d", "a"]), NOUNS)


def test_rows_without_names_meet_by_their_numbers():
    match = match_items(row_numbers(5)[[3, 1]], row_numbers(5)[[1, 3]], NOUNS)
    assert match.second.tolist() == [1, 0]
    assert match_items(row_numbers(3), row_numbers(3), NOUNS, by_position=True).is_same


def test_names_and_row_numbers_meet_only_by_position():
    naming = [Way("name them with {items}", items=...)]
    for first, second in ((NAMES, row_numbers(3)), (row_numbers(3), NAMES)):
        nameless, named = reversed(NOUNS) if first is NAMES else NOUNS
        with refuses(f"the {nameless} have", "no item names", f"the {named} are", "a, b, c") as refused:
            match_items(first, second, NOUNS, naming=naming)
        assert list(refused.value.ways) == naming
        assert match_items(first, second, NOUNS, by_position=True).second.tolist() == [0, 1, 2]
        rows = (3, 2) if first is NAMES else (2, 3)
        with refuses(f"{rows[0]} rows of images", f"{rows[1]} of labels", error=Refusal):
            match_items(first[: 3 - (first is not NAMES)], second[: 3 - (second is not NAMES)], NOUNS, by_position=True)
    with refuses("unknown", "missing items 'drop'", "refuse, leave out", error=Refusal):
        match_items(NAMES, NAMES, NOUNS, missing="drop")


def test_the_first_row_out_of_order_is_named():
    check_same_order(NAMES, NAMES, NOUNS)
    check_same_order(NAMES, row_numbers(3), NOUNS)
    with refuses("row 1", "images is item b", "labels is item c", "2 of 3", error=Refusal):
        check_same_order(NAMES, NAMES[[0, 2, 1]], NOUNS)


def test_long_lists_of_names_are_cut():
    assert list_names([]) == "none" and list_names("abc") == "a, b, c"
    assert list_names(range(8)) == "0, 1, 2, 3, 4 and 3 more"


def test_only_the_side_with_items_of_its_own_is_listed():
    for first, second, lacking in ((NAMES, NAMES[:2], "no labels (c)"), (NAMES[:2], NAMES, "no images (c)")):
        with refuses("1 item has", lacking) as refused:
            match_items(first, second, NOUNS)
        assert str(refused.value).count("(") == 1
