"""Features or images, and the labels of the same items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.matching import Match, check_clear_order, explain_names, match_items
from dissensus.labels.refusals import PythonWay, Way
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels
from dissensus.train.heads.features import FeatureTable
from dissensus.train.images import ImageTable

Table = TypeVar("Table", FeatureTable, ImageTable)

_BY_POSITION = Way("assume that both are in the same order with {by_position}", by_position=True)


def match_table(
    table: Table, labels: Labels, say: Callable[[str], None], *, by_position: bool = False
) -> tuple[Table, Labels]:
    """Select the items that have both, in the order of the features or images, and report what is left out.

    by_position  features, images or labels have no item names, and both are in the same order
    """
    noun, named = _noun(table), table.named and are_named(labels.items)
    match = match_items(
        table.items,
        labels.items,
        (noun, "labels"),
        missing="leave out" if named else "refuse",
        by_position=by_position,
        naming=[*_list_naming_ways(table), _BY_POSITION],
    )
    if not named:
        check_clear_order(labels, ways=_list_naming_ways(table), by_number=False)
        return _share_names(table, labels, say) if match.is_same else _select(table, labels, match)
    if match.only_first.size:
        say(
            f"{match.only_first.size:,} of {len(table.items):,} items have {noun} but no labels, and are left out; the "
            f"first is {match.only_first[0]}{explain_names(match.only_first, match.only_second, (noun, 'labels'))}"
        )
    if match.only_second.size:
        say(
            f"{match.only_second.size:,} of {labels.n_items:,} items have labels but no {noun}, and are left out; the "
            f"first is {match.only_second[0]}"
        )
    return _select(table, labels, match)


def items_of(labels: Labels, rows: np.ndarray) -> Labels:
    """Select the labels of some items, by position."""
    return labels.select(rows) if isinstance(labels, Distributions) else labels.select(items=rows)


def _noun(table: FeatureTable | ImageTable) -> str:
    return "features" if isinstance(table, FeatureTable) else "images"


def _select(table: Table, labels: Labels, match: Match) -> tuple[Table, Labels]:
    return table.select(match.first), items_of(labels, match.second)


def _share_names(table: Table, labels: Labels, say: Callable[[str], None]) -> tuple[Table, Labels]:
    """Give the side without names those of the other, and report which row is which item."""
    noun, last = _noun(table), table.items.size - 1
    if table.named:
        say(f"matched by position: row 0 of the labels is item {table.items[0]}, row {last} {table.items[-1]}")
        return table, replace(labels, items=table.items)
    unit = "item" if are_named(labels.items) else "row"
    say(
        f"matched by position: row 0 of the {noun} is {unit} {labels.items[0]} of the labels, row {last} is "
        f"{labels.items[-1]}"
    )
    return replace(table, items=labels.items), labels


def _list_naming_ways(table: FeatureTable | ImageTable) -> list[Way]:
    """Return the ways to name the items of the side without names."""
    if table.named:
        return [Way("write the labels with an item column, or in .npz with an array `items`")]
    if isinstance(table, FeatureTable):
        return [
            Way("embed the items again with the column of their names"),
            Way('write the row names in a card beside the features, such as x.npy.json: {"items": ["a", "b"]}'),
        ]
    return [
        Way("read the images again with the column of their names"),
        Way("write the names as `items` beside `pixels` in .npz"),
        PythonWay("pass ImageTable(pixels, names)"),
    ]
