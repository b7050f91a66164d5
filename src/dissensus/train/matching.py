"""Features or images and labels of the same items: matched by name, or by position where nobody has names."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from posixpath import splitext
from typing import TypeVar

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.names import item_positions
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels
from dissensus.train.heads.features import FeatureTable
from dissensus.train.images import ImageTable

Table = TypeVar("Table", FeatureTable, ImageTable)

_BESIDE_FEATURES = 'write the names of the rows beside the features, as {"items": [...]} in a card such as x.npy.json'
_BESIDE_IMAGES = "write the names beside the images, as `items` beside `pixels` in .npz, or ImageTable(pixels, names)"


def match_items(
    table: Table, labels: Labels, say: Callable[[str], None], *, by_position: bool = False
) -> tuple[Table, Labels]:
    """The items that have both, in the order of the features or images; what is left out is said.

    Names are matched by name, whatever their order. Rows without names are matched by position where neither side has
    names, or where the caller vouches for the order with `by_position`; else they are refused.
    """
    if table.named and are_named(labels.items):
        if by_position:
            raise Refusal(
                f"{_what(table)} and labels both name their items, so they are matched by name",
                ways=[Way("leave {by_position} out", by_position=True)],
            )
        return _by_name(table, labels, say)
    if table.named != are_named(labels.items) and not by_position:
        raise _unmatched(table, labels)
    return _by_position(table, labels, say)


def items_of(labels: Labels, rows: np.ndarray) -> Labels:
    """The labels of some items, by position."""
    return labels.select(rows) if isinstance(labels, Distributions) else labels.select(items=rows)


def _what(table: FeatureTable | ImageTable) -> str:
    return "features" if isinstance(table, FeatureTable) else "images"


def _by_name(table: Table, labels: Labels, say: Callable[[str], None]) -> tuple[Table, Labels]:
    what = _what(table)
    codes = item_positions(table.items, labels.items)
    both = codes >= 0
    if not both.any():
        raise ValueError(
            f"no item has both {what} and labels: {what} are of {table.items[0]}, …, labels of {labels.items[0]}, …; "
            f"expected the same names{_nearly_the_same(table.items, labels.items, what)}"
        )
    bare, unseen = table.items[~both], np.delete(labels.items, codes[both])
    if bare.size:
        say(
            f"{bare.size:,} of {both.size:,} items have {what} but no labels, and are left out; the first is {bare[0]}"
            + _nearly_the_same(bare, unseen, what)
        )
    if unseen.size:
        say(
            f"{unseen.size:,} of {labels.n_items:,} items have labels but no {what}, and are left out; the first is "
            f"{unseen[0]}"
        )
    return table.select(both), items_of(labels, codes[both])


_ALIKE: dict[str, Callable[[str], str]] = {
    "written with the same Unicode": lambda name: unicodedata.normalize("NFC", name),
    "without their endings": lambda name: splitext(name)[0],
    "without their folders": lambda name: name.rpartition("/")[2],
    "without folders and endings": lambda name: splitext(name)[0].rpartition("/")[2],
    "in lower case": str.lower,
}


def _nearly_the_same(items: np.ndarray, others: np.ndarray, what: str) -> str:
    """By what names differ that seem to mean the same items, and what to do; nothing where there is no such thing."""
    for how, folded in _ALIKE.items():
        one, other = ({folded(str(name)) for name in names.tolist()} for names in (items, others))
        if shared := one & other:
            return (
                f"; {how}, {len(shared):,} of {items.size:,} would be the same: write the names in the labels as those "
                f"of the {what} are"
            )
    return ""


def _by_position(table: Table, labels: Labels, say: Callable[[str], None]) -> tuple[Table, Labels]:
    what, n = _what(table), table.items.size
    if n != labels.n_items:
        rows = f"{n} rows of features" if isinstance(table, FeatureTable) else f"{n} images"
        raise ValueError(
            f"there are {rows} and {labels.n_items} items with labels, and they are matched by position, as not both "
            "have names; expected as many, in the same order"
        )
    _check_order(table, labels)
    if table.named:
        say(f"matched by position: row 0 of the labels is item {table.items[0]}, row {n - 1} {table.items[-1]}")
        return table, replace(labels, items=table.items)
    whose = "item" if are_named(labels.items) else "row"
    say(
        f"matched by position: row 0 of the {what} is {whose} {labels.items[0]} of the labels, row {n - 1} is "
        f"{labels.items[-1]}"
    )
    return replace(table, items=labels.items), labels


def _check_order(table: FeatureTable | ImageTable, labels: Labels) -> None:
    """Refuse labels whose order is not clear, and rows that are known to be others.

    Names that are whole numbers are sorted when answers are read, so "the same order" could be theirs or the file's.
    """
    if not are_named(labels.items):
        if not table.named and not np.array_equal(table.items, labels.items):
            place = int(np.flatnonzero(table.items != labels.items)[0])
            raise ValueError(
                f"number {place + 1} of the {_what(table)} was row {table.items[place]} of its source, and number "
                f"{place + 1} of the labels row {labels.items[place]}; expected the same rows in the same order"
            )
    elif not isinstance(labels, Distributions) and (early := labels.out_of_order()) is not None:
        raise ValueError(
            f"which order is meant is not clear: the answers come to item {early[0]} when item {early[1]} would be "
            f"next in the order of the names; {_beside(table)}"
        )


def _beside(table: FeatureTable | ImageTable) -> str:
    return _BESIDE_FEATURES if isinstance(table, FeatureTable) else _BESIDE_IMAGES


def _unmatched(table: FeatureTable | ImageTable, labels: Labels) -> Refusal:
    what = _what(table)
    assume = Way("assume that both are in the same order with {by_position}", by_position=True)
    if table.named:
        problem = f"{what} name their items ({table.items[0]}, …) and labels have no names, only rows"
        ways = [Way("write the labels with an item column (in .npz, an array `items`)"), assume]
    else:
        problem = f"{what} have no names of items and labels have ({labels.items[0]}, …)"
        again = Way("embed the items again with the column of their names")
        if not isinstance(table, FeatureTable):
            again = Way("read the images again with the column of their names")
        ways = [again, Way(_beside(table)), assume]
    return Refusal(f"{problem}, so they cannot be matched", ways=ways)
