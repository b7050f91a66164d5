"""Evidence against reading columns of numbers as the classes of a table of counts or probabilities."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np

from dissensus.files.spelling import as_numbers
from dissensus.files.tables.columns import ROLE_OF, Reading, fold_name, role_of
from dissensus.files.tables.doubts import FEW, is_number, pair_up
from dissensus.files.tables.source import SourceTable
from dissensus.labels.refusals import Refusal, Way

CODES = 10  # different values up to which numbers may be codes of labels
NUMBERED = re.compile(r"(.+?)(?:[\W_]*[0-9]+|[\W_]+[a-zA-Z]|(?<=[a-z])[A-Z])")  # annotator1, rater_a, coderB


def refuse_text_as_class(source: SourceTable, names: list[str]) -> None:
    for name in names:
        if not is_number(source.table[name]):
            try:
                source.numbers(name)
            except Refusal as error:
                raise source.refusal(
                    error.problem,
                    Way("correct it"),
                    Way(f"pass {{item}} if {name!r} names the items", item=name),
                    Way("leave the column out with {drop}", drop=[name]),
                ) from None


def refuse_repeated_items(source: SourceTable, item: str, body: list[str]) -> None:
    codes = source.codes(item)
    if codes is None or np.unique(codes).size == source.size:
        return
    row = int(np.setdiff1d(np.arange(source.size), np.unique(codes, return_index=True)[1])[0])
    raise source.refusal(
        f"row {source.row(row)} is the second about item {source.table[item][row].as_py()!r} (column {item!r}), so "
        f"rows are answers and not counts, but no column looks like the label; the others are {body}",
        Way("name the label column with {label}", label=...),
        Way(f"pass another column as {{item}} if {item!r} does not name the items", item=...),
        Way("pass {item} if they have no names", item=""),
    )


def refuse_unnamed_items(source: SourceTable, classes: list[str], reading: Reading) -> None:
    """With classes given, another column with a different value in every row may name the items."""
    rest = [name for name in source.columns if name not in classes and role_of(name, reading) is None]
    names = [name for name in rest if (c := source.codes(name)) is not None and np.unique(c).size == source.size > 1]
    if names:
        raise source.refusal(
            f"no column looks like the item by its name, but {names[0]!r} has a different value in every row",
            Way("pass {item} if it names the items", item=names[0]),
            Way("pass {item} if they have no names", item=""),
        )


def refuse_items_that_may_be_a_class(source: SourceTable, item: str, body: list[str], matrix: np.ndarray) -> None:
    """Numbers under a name such as `image` that complete the sums may be a class."""
    if fold_name(item) == "item" or fold_name(item).endswith("id"):
        return
    column = as_numbers(source.table[item])  # names of items are kept as they were typed
    if not is_number(column) or column.null_count:
        return
    numbers = column.to_numpy()
    fractions = bool((numbers != np.floor(numbers)).any())
    sums = matrix.sum(axis=1)
    if fractions or (source.size > 1 and same(sums + numbers) and not same(sums)):
        raise source.refusal(
            f"two readings fit: items named in column {item!r}, or numbers for a class {item!r}",
            Way("pass {item}", item=item),
            Way("pass {classes}", classes=[item, *body]),
        )


def refuse_numbered_items(names: list[str], matrix: np.ndarray, source: str) -> None:
    """A column of distinct whole numbers has the numbers of the items if they are consecutive, if no other column is
    like it, if they are above all others, or if the others have the same sum in every row.

    Rows with the same sum are a table of counts or probabilities whatever a column has.
    """
    if matrix.shape[0] < 2 or matrix.shape[1] < 2 or same(matrix.sum(axis=1)):
        return
    distinct = [place for place in range(len(names)) if _distinct_whole(matrix[:, place])]
    for place in distinct:
        column, rest = matrix[:, place], np.delete(matrix, place, axis=1)
        counts_on = column[0] in (0, 1) and bool((np.diff(column) == 1).all())
        if counts_on or len(distinct) == 1 or column.min() > rest.max() or same(rest.sum(axis=1)):
            which = "the first column" if place == 0 else "column"
            raise Refusal(
                f"{which} {names[place]!r} looks like a number for each item ({column[:3].tolist()}...), not a class",
                source,
                [
                    Way("pass {item}", item=names[place]),
                    Way("name all classes with {classes} if it is one", classes=names),
                ],
            )


def refuse_answers_as_counts(source: SourceTable, names: list[str], matrix: np.ndarray) -> None:
    """Columns of whole numbers, two of which pair up as items and annotators do, are answers rather than counts.

    Rows with the same sum are counts, whatever pairs up.  matrix: (n, k)
    """
    if source.size < FEW or not 3 <= len(names) <= 8 or same(matrix.sum(axis=1)):
        return
    for first, second in combinations(names, 2):
        if pair_up(source.codes(first), source.codes(second)):
            rest = next(name for name in names if name not in (first, second))
            raise source.refusal(
                f"the numbers in {names} fit two readings: one row per answer, since the values of {first!r} and "
                f"{second!r} repeat but never together, or one row per item with counts of {len(names)} classes",
                Way("name the columns, such as {item}, {annotator}, {label}", item=first, annotator=second, label=rest),
                Way("pass {classes}", classes=names),
            )


def refuse_numbered_people(source: SourceTable, names: list[str]) -> None:
    """Columns such as annotator_1, annotator_2 hold the labels of people, and those such as label_1, label_2 may;
    rows with the same sum, and fractions, are of classes."""
    stems = [match[1] if (match := NUMBERED.fullmatch(name)) else "" for name in names]
    roles = {ROLE_OF.get(fold_name(stem)) for stem in stems}
    if len(names) < 2 or not roles <= {"annotator", "label"}:
        return
    if "label" in roles and all(is_number(source.table[name]) for name in names):
        matrix = np.column_stack([source.table[name].to_numpy() for name in names])
        if (matrix > np.floor(matrix)).any() or same(matrix.sum(axis=1)):  # NaN is not
            return
    raise source.refusal(
        f"by their names the columns {_some(names)} are one for each annotator",
        Way("pass {layout}", layout="annotators"),
        Way("pass {layout} if each is a class with its number of votes", layout="counts"),
    )


def refuse_codes_as_counts(source: SourceTable, names: list[str], matrix: np.ndarray) -> None:
    """A few values that all columns share may be codes of labels, one column per annotator.

    Counts divide the votes of an item among the classes, so their sums vary less than those of independent columns;
    labels of people agree, so their sums vary more. Rows with the same sum are counts.
    matrix: (n, k), NaN if there is nothing
    """
    known = ~np.isnan(matrix) if matrix.dtype.kind == "f" else np.ones(matrix.shape, dtype=bool)
    values = np.unique(matrix[known])
    if source.size < FEW or len(names) < 2 or not 2 <= values.size <= CODES or (values != np.floor(values)).any():
        return
    users = [sum(bool((matrix[:, place] == value).any()) for place in range(len(names))) for value in values]
    complete = matrix[known.all(axis=1)]
    shared_out = len(complete) > 1 and complete.sum(axis=1).var() < 0.5 * complete.var(axis=0).sum()
    if min(users) < 2 or shared_out:
        return
    raise source.refusal(
        f"two readings fit the columns {_some(names)}, which share the values {[f'{value:g}' for value in values]}: "
        "one column per annotator with labels in it, or one column per class with its number of votes",
        Way("pass {layout}", layout="annotators"),
        Way("pass {layout}", layout="counts"),
    )


def refuse_sum_as_class(source: SourceTable, names: list[str], matrix: np.ndarray) -> None:
    """A column of counts that is the sum of all others in every row is not a class.  matrix: (n, k)"""
    if len(names) < 3 or len(matrix) < 2 or not are_counts(matrix):
        return
    total = matrix.sum(axis=1)
    for place, name in enumerate(names):
        if matrix[:, place].any() and np.allclose(total, 2 * matrix[:, place], rtol=0, atol=1e-9):
            raise source.refusal(
                f"column {name!r} is the sum of the other classes in every row",
                Way("leave it out with {drop}", drop=[name]),
                Way("pass {classes} if it is a class", classes=names),
            )


def are_counts(matrix: np.ndarray) -> bool:
    """Whether numbers are counts: integers, or floats that are all whole with some above 1; gaps aside.  (n, k)"""
    if matrix.dtype.kind in "iu":
        return True
    known = matrix[~np.isnan(matrix)]
    return bool((known == np.floor(known)).all() and (known > 1).any())


def _some(names: list[str]) -> str:
    return str(names) if len(names) <= CODES else f"{names[:3]} to {names[-1]!r}"


def same(sums: np.ndarray) -> bool:
    return bool(np.ptp(sums) < 1e-5)


def _distinct_whole(column: np.ndarray) -> bool:
    return bool((column == np.floor(column)).all()) and np.unique(column).size == column.size
