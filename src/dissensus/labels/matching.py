"""Item matching: which rows of two tables are the same item, by one rule for labels, predictions, features and images.

Both tables have item names: matched by name, in any order. Neither has: matched by row number. Only one has: refused,
unless the caller states that both are in the same order.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from posixpath import splitext
from typing import Any, Literal

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.names import positions_of
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.row_numbers import are_named
from dissensus.labels.votes import Votes

Missing = Literal["refuse", "leave out"]
Nouns = tuple[str, str]


@dataclass(frozen=True, eq=False)
class Match:
    """Rows of two tables that are the same items, in the order of the first table.

    first, second            (r,) positions in each table
    only_first, only_second  names of the items that the other table does not have
    is_same                  whether both tables have the same items in the same order
    """

    first: np.ndarray
    second: np.ndarray
    only_first: np.ndarray
    only_second: np.ndarray
    is_same: bool


def match_items(
    first: np.ndarray,
    second: np.ndarray,
    nouns: Nouns,
    *,
    missing: Missing = "refuse",
    by_position: bool = False,
    naming: Sequence[Way] = (),
    leaving_out: Sequence[Way] = (),
) -> Match:
    """Match the items of two tables.

    Parameters
    ----------
    first, second : (n,), (m,) names of items, or row numbers
    nouns : what the rows of each table are, for errors: ("features", "labels")
    missing : whether items of one table alone are refused or left out
    by_position : one table has no names, and both are in the same order
    naming : ways to name the rows of the table without names
    leaving_out : ways to leave out the items of one table alone

    Examples
    --------
    >>> match_items(np.array(["a", "b", "c"]), np.array(["c", "a"]), ("images", "labels"), missing="leave out").second
    array([1, 0])
    """
    one_of("rule for missing items", missing, ("refuse", "leave out"))
    if are_named(first) != are_named(second):
        if not by_position:
            raise _one_side_named(first, second, nouns, naming)
        check_same_size(first, second, nouns)
        return _same(first)
    if by_position and are_named(first):
        raise Refusal(
            f"{nouns[0]} and {nouns[1]} both name their items, so they are matched by name",
            ways=[Way("leave {by_position} out", by_position=True)],
        )
    if np.array_equal(first, second):
        return _same(first)
    places = positions_of(first, second)
    kept = np.flatnonzero(places >= 0)
    match = Match(kept, places[kept], first[places < 0], second[positions_of(second, first) < 0], is_same=False)
    if not kept.size:
        raise Refusal(
            f"no item has both {nouns[0]} and {nouns[1]}: {nouns[0]} are of {list_names(first)}, {nouns[1]} of "
            f"{list_names(second)}{explain_names(first, second, nouns)}",
            ways=naming,
        )
    if missing == "refuse" and (match.only_first.size or match.only_second.size):
        sides = ((match.only_first, *nouns), (match.only_second, *nouns[::-1]))
        lone = [
            f"{_count_having(names)} {has} and no {lacks} ({list_names(names)})"
            for names, has, lacks in sides
            if names.size
        ]
        raise Refusal(f"{', '.join(lone)}; expected the same items in both", ways=leaving_out)
    return match


def check_same_order(first: Any, second: Any, nouns: Nouns) -> None:
    """Refuse tables that do not have the same items in the same order, as far as their names tell.

    first, second: (n,), (m,) names of items, or row numbers
    """
    check_same_size(first, second, nouns)
    if not (are_named(first) and are_named(second)):
        return
    moved = np.flatnonzero(positions_of(first, second) != np.arange(len(first)))
    if moved.size:
        row = int(moved[0])
        raise Refusal(
            f"row {row} of the {nouns[0]} is item {first[row]}, row {row} of the {nouns[1]} is item {second[row]}; "
            f"{moved.size} of {len(first)} rows differ; expected the same items in the same order"
        )


def check_same_size(first: Any, second: Any, nouns: Nouns) -> None:
    """Refuse tables of different numbers of rows, whose rows cannot be matched by position."""
    if len(first) != len(second):
        raise Refusal(
            f"{len(first)} rows of {nouns[0]} and {len(second)} of {nouns[1]}; expected the same items in the same "
            "order"
        )


def check_clear_order(labels: Any, place: str = "", ways: Sequence[Way] = (), *, by_number: bool = True) -> None:
    """Refuse to match rows by position to answers whose items come in another order than reading put them in.

    Reading sorts items that are whole numbers, so row 0 could be the item that the source has first, or the one with
    the lowest number. If numbers are consecutive and the answers to an item are apart, as in a file sorted by
    annotator, the source has no order of items but that of their numbers; `by_number` accepts it.
    """
    if not isinstance(labels, Votes | Beliefs) or not are_named(labels.items):
        return
    consecutive = labels.items.dtype.kind == "i" and bool((np.diff(labels.items) == 1).all())
    blocks = 1 + int(np.count_nonzero(np.diff(labels.item)))
    if by_number and consecutive and blocks > np.count_nonzero(labels.per_item):
        return
    early = labels.out_of_order()
    if early is not None:
        raise Refusal(
            f"the order of the rows is ambiguous: the answers come to item {early[0]} when item {early[1]} would be "
            "next in the order of the names",
            place,
            ways or [Way("name the items of the rows with {items}", items=...), Way("read them with an item column")],
        )


_ALIKE: dict[str, Callable[[str], str]] = {
    "written with the same Unicode": lambda name: unicodedata.normalize("NFC", name),
    "without their endings": lambda name: splitext(name)[0],
    "without their folders": lambda name: name.rpartition("/")[2],
    "without folders and endings": lambda name: splitext(name)[0].rpartition("/")[2],
    "in lower case": str.lower,
}


def explain_names(names: np.ndarray, others: np.ndarray, nouns: Nouns) -> str:
    """Describe how the names of seemingly equal items differ; empty if no such difference is known."""
    for how, fold in _ALIKE.items():
        ours, theirs = ({fold(str(name)) for name in group.tolist()} for group in (names, others))
        if shared := ours & theirs:
            return (
                f"; {how}, {len(shared):,} of {names.size:,} would be the same: write the names of the {nouns[1]} "
                f"as those of the {nouns[0]}"
            )
    return ""


def list_names(names: Any, shown: int = 5) -> str:
    """The first names, and how many more there are: "a, b and 3 more"."""
    listed = [str(name) for name in names]
    if not listed:
        return "none"
    text = ", ".join(listed[:shown])
    return text if len(listed) <= shown else f"{text} and {len(listed) - shown} more"


def _same(items: np.ndarray) -> Match:
    rows, none = np.arange(len(items)), items[:0]
    return Match(rows, rows, none, none, is_same=True)


def _count_having(items: np.ndarray) -> str:
    noun = "item" if are_named(items) else "row"
    return f"1 {noun} has" if items.size == 1 else f"{items.size} {noun}s have"


def _one_side_named(first: np.ndarray, second: np.ndarray, nouns: Nouns, ways: Sequence[Way]) -> Refusal:
    named, bare = nouns if are_named(first) else nouns[::-1]
    names = first if are_named(first) else second
    return Refusal(
        f"the {bare} have no item names, only row numbers, and the items of the {named} are named "
        f"{list_names(names)}: row 0 need not be the first of them",
        ways=ways,
    )
