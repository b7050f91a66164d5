"""Features and labels of the same items: matched by name, or by position where nobody has names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.names import item_positions
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels
from dissensus.train.heads.features import FeatureTable


def match_items(
    features: FeatureTable, labels: Labels, say: Callable[[str], None], *, by_position: bool = False
) -> tuple[FeatureTable, Labels]:
    """The items that have both, in the order of the features; what is left out is said.

    Names are matched by name, whatever their order. Rows without names are matched by position where neither side has
    names, or where the caller vouches for the order with `by_position`; else they are refused.
    """
    if features.named and are_named(labels.items):
        if by_position:
            raise ValueError(
                "features and labels both name their items, so they are matched by name: leave by_position "
                "(--by-position) out"
            )
        return _by_name(features, labels, say)
    if features.named != are_named(labels.items) and not by_position:
        raise ValueError(_unmatched(features, labels))
    return _by_position(features, labels, say)


def items_of(labels: Labels, rows: np.ndarray) -> Labels:
    """The labels of some items, by position."""
    return labels.select(rows) if isinstance(labels, Distributions) else labels.select(items=rows)


def _by_name(features: FeatureTable, labels: Labels, say: Callable[[str], None]) -> tuple[FeatureTable, Labels]:
    codes = item_positions(features.items, labels.items)
    both = codes >= 0
    if not both.any():
        raise ValueError(
            f"no item has both features and labels: features are of {features.items[0]}, …, labels of "
            f"{labels.items[0]}, …; expected the same names"
        )
    if not both.all():
        say(f"{np.sum(~both):,} of {both.size:,} items have features but no labels, and are left out")
    if both.sum() < labels.n_items:
        say(
            f"{labels.n_items - both.sum():,} of {labels.n_items:,} items have labels but no features, and are left out"
        )
    return features.select(both), items_of(labels, codes[both])


def _by_position(features: FeatureTable, labels: Labels, say: Callable[[str], None]) -> tuple[FeatureTable, Labels]:
    n = len(features.values)
    if n != labels.n_items:
        raise ValueError(
            f"there are {n} rows of features and {labels.n_items} items with labels, and they are matched by position, "
            "as not both have names; expected as many, in the same order"
        )
    _check_order(features, labels)
    if features.named:
        say(f"matched by position: row 0 of the labels is item {features.items[0]}, row {n - 1} {features.items[-1]}")
        return features, replace(labels, items=features.items)
    whose = "item" if are_named(labels.items) else "row"
    say(f"matched by position: row 0 of the features is {whose} {labels.items[0]} of the labels, row {n - 1} is "
        f"{labels.items[-1]}")  # fmt: skip
    return replace(features, items=labels.items), labels


def _check_order(features: FeatureTable, labels: Labels) -> None:
    """Refuse labels whose order is not clear, and rows that are known to be others.

    Names that are whole numbers are sorted when answers are read, so "the same order" could be theirs or the file's.
    """
    if not are_named(labels.items):
        if not features.named and not np.array_equal(features.items, labels.items):
            place = int(np.flatnonzero(features.items != labels.items)[0])
            raise ValueError(
                f"number {place + 1} of the features was row {features.items[place]} of its source, and number "
                f"{place + 1} of the labels row {labels.items[place]}; expected the same rows in the same order"
            )
    elif not isinstance(labels, Distributions) and (early := labels.out_of_order()) is not None:
        raise ValueError(
            f"which order is meant is not clear: the answers come to item {early[0]} when item {early[1]} would be "
            'next in the order of the names; write the names of the rows beside the features, as {"items": [...]} in a '
            "card such as x.npy.json"
        )


def _unmatched(features: FeatureTable, labels: Labels) -> str:
    vouch = "or vouch that both stand in the same order with by_position=True (--by-position)"
    if features.named:
        return (
            f"features name their items ({features.items[0]}, …) and labels have no names, only rows, so nothing tells "
            f"which belongs to which: write the labels with an item column (in .npz, an array `items`), {vouch}"
        )
    return (
        f"features have no names of items and labels have ({labels.items[0]}, …), so nothing tells which belongs to "
        "which: embed the items again with item= (--item COLUMN), write the names of the rows beside the features, as "
        f'{{"items": [...]}} in a card such as x.npy.json, {vouch}'
    )
