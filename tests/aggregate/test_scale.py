"""Which classes are taken to be in an order, and what is said about it."""

from __future__ import annotations

import pytest

from dissensus.aggregate.scale import scale_of

ALL = ("nominal", "ordinal", "interval")


@pytest.mark.parametrize(
    ("classes", "ordered", "levels", "said"),
    [
        (("1", "2", "3"), None, ALL, "taken as ordered: classes are numbers, 1 to 3"),
        (("-1", "0", "0.5"), None, ALL, "taken as ordered: classes are numbers, -1 to 0.5"),
        (("cat", "dog", "eel"), None, ALL[:1], "taken as unordered: classes are not numbers"),
        (("1", "2", "nan"), None, ALL[:1], "taken as unordered: classes are not numbers"),
        (("3", "1", "2"), None, ALL[:1], "taken as unordered: classes are numbers that do not rise: 3, 1, 2"),
        (("0", "1"), None, ALL[:1], "with fewer than three classes an order changes nothing"),
        (("bad", "fair", "good"), True, ALL[:2], "classes are ordered, as set: bad < fair < good"),
        (("1", "2", "3"), True, ALL, "classes are ordered, as set: 1 < 2 < 3"),
        (("1", "2", "3"), False, ALL[:1], "classes are unordered, as set"),
    ],
)
def test_an_order_is_told_or_read_from_numbers_and_always_said(classes, ordered, levels, said):
    scale = scale_of(classes, ordered)
    assert scale.levels == levels and str(scale) == said


def test_numbers_that_do_not_rise_are_no_order():
    with pytest.raises(ValueError, match=r"3, 1, 2\. .*classes="):
        scale_of(("3", "1", "2"), ordered=True)
