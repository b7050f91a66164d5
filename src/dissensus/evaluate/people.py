"""Labels in any of their shapes; what is ambiguous is refused."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.arrays import as_array
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import describe_type, is_frame, way_out
from dissensus.labels.names import class_order, codes_of_names, refuse_names_for_codes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.row_sums import SUM_TOLERANCE, format_row, row_ways
from dissensus.labels.shares import Labels, as_distributions
from dissensus.labels.votes import Votes

LabelForm = Literal["votes", "beliefs", "counts", "probabilities", "classes"]


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """What people said about n items, as distributions, and the form it came in.

    targets  one distribution per item
    counts   (n, k) votes behind each row; None if only probabilities are known
    form     "votes" (Votes), "beliefs" (Beliefs), "counts" (a table of whole numbers), "probabilities" (rows that sum
             to 1) or "classes" (one class per item; counts then hold that one vote)
    answers  (n,) votes or beliefs per item; None if their number is not known
    source   the votes or beliefs themselves, whose order decides whether rows without names can be matched by position
    """

    targets: Distributions
    counts: np.ndarray | None
    form: LabelForm
    answers: np.ndarray | None = None
    source: Votes | Beliefs | None = None

    def __post_init__(self) -> None:
        if self.counts is not None:
            hold(self, "counts", np.asarray(self.counts))
            hold(self, "answers", self.counts.sum(axis=1))
        elif self.answers is not None:
            hold(self, "answers", np.asarray(self.answers))

    @property
    def probs(self) -> np.ndarray:
        """(n, k) rows sum to 1"""
        return self.targets.probs

    @property
    def n_items(self) -> int:
        return self.targets.n_items

    def select(self, items: Any) -> People:
        """Return some of the items, by mask or by position."""
        at = np.asarray(items)
        counts, answers = (None if held is None else held[at] for held in (self.counts, self.answers))
        return People(self.targets.select(items), counts, self.form, answers)

    def __repr__(self) -> str:
        return f"People: {self.n_items:,} items · {self.targets.n_classes} classes, from {self.form}"

    def describe(self) -> str:
        """Return the number of items and classes and the form of the labels in one sentence."""
        size = f"{self.n_items:,} items over {self.targets.n_classes} classes"
        if self.form == "classes":
            return f"{size}, one class each"
        if self.form == "probabilities":
            return f"{size}, as probabilities"
        each = self.answers
        assert each is not None
        answers = f"{each[0]}" if (each == each[0]).all() else f"{each.min()} to {each.max()}"
        return f"{size}, {'counts of votes' if self.form == 'counts' else self.form}, {answers} per item"


def as_people(labels: Any, *, items: Any = None, classes: int | Sequence[Any] | None = None) -> People:
    """Read labels in any of their shapes as `People`.

    Whole numbers above 1 in a float array, rows off the simplex, NaN, items without an answer and partial beliefs are
    refused.

    Parameters
    ----------
    labels : Votes; full Beliefs, whose mean is taken; Distributions; (n, k) whole numbers: counts of votes (rows with a
        single 1 are one class each); (n, k) floats whose rows sum to 1: probabilities; (n,) texts: one class each by
        its name; (n,) whole numbers: by its code, which needs `classes`. NumPy arrays, lists and torch tensors alike.
        People stay as they are
    items : n names, 0..n-1 by default; for arrays only
    classes : k names, or their number; for arrays only

    Returns
    -------
    one distribution per item, the counts behind it if they are known, and the form of the labels

    Examples
    --------
    >>> as_people([[3, 1], [0, 4]]).describe()
    '2 items over 2 classes, counts of votes, 4 per item'
    """
    if isinstance(labels, People):
        return labels
    if isinstance(labels, Votes | Beliefs | Distributions):
        if items is not None or classes is not None:
            raise ValueError(f"{type(labels).__name__} carry their own names: leave out items and classes")
        return _of_labels(labels)
    if _are_texts(labels):
        names = class_order(labels) if classes is None else name_classes(classes, None)
        return _of_codes(codes_of_names(labels, names, "labels"), items, names)
    array = as_numbers(labels)
    if array.ndim == 1:
        return _of_classes(array, items, classes)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"labels have shape {array.shape}; expected (n, k) counts or probabilities, "
            "or (n,) classes, n and k above 0"
        )
    names = name_classes(classes, array.shape[1])
    if array.dtype.kind == "b" and (array.sum(axis=1) != 1).any():
        row = int(np.argmax(array.sum(axis=1) != 1))
        raise ValueError(
            f"label row {row} ticks {int(array[row].sum())} classes; True and False mean one class per row: pass "
            "counts of votes as whole numbers, or beliefs for several ticked classes"
        )
    if array.dtype.kind in "iub":
        targets = Distributions.from_counts(array, items=items, classes=names)
        single = bool((array.sum(axis=1) == 1).all())
        return People(targets, array.astype(np.int64), "classes" if single else "counts")
    check_finite_rows(array, "label")
    total = array.sum(axis=1, dtype=np.float64)
    if (array == np.floor(array)).all() and (total > 1 + SUM_TOLERANCE).any():
        row = int(np.argmax(total > 1 + SUM_TOLERANCE))
        raise Refusal(
            f"labels are whole numbers in an array of {array.dtype}, and row {row} sums to {total[row]:g}",
            ways=[PythonWay("if these are counts of votes, pass labels.astype(int)")],
        )
    off = np.flatnonzero((np.abs(total - 1) > SUM_TOLERANCE) | (array < 0).any(axis=1))
    if off.size:
        look, ways = row_ways(
            array,
            divide=[PythonWay("divide each row by its sum with Distributions.from_mass(labels)")],
            count=[PythonWay("pass labels.astype(int)")],
        )
        raise Refusal(
            f"label row {off[0]} is {format_row(array[off[0]])} and sums to {total[off[0]]:g}; expected probabilities "
            f"with sum 1; {off.size} of {total.size} rows are off; {look}",
            ways=ways,
        )
    return People(name_rows(array, items, names), None, "probabilities")


def as_numbers(values: Any) -> np.ndarray:
    """Return an array of numbers from an array, a list or a torch tensor on any device.

    A frame is refused: its column of items would be taken for a class.
    """
    if values is None or isinstance(values, str | os.PathLike) or is_frame(values) or hasattr(values, "labels"):
        raise ValueError(
            f"expected labels or an array of numbers, not {describe_type(values)}: {way_out((Distributions,), values)}"
        )
    array = as_array(values)
    if array.dtype.kind not in "iufb":
        raise ValueError(f"expected numbers, found an array of {array.dtype} with shape {array.shape}")
    return array


def _of_labels(labels: Labels) -> People:
    targets = as_distributions(labels)
    if targets.n_items == 0:
        raise ValueError("there are no items among the labels")
    if isinstance(labels, Beliefs):
        return People(targets, None, "beliefs", labels.per_item, labels)
    if isinstance(labels, Votes):
        return People(targets, targets.counts(), "votes", source=labels)
    if targets.votes is None or (targets.votes == 0).any():
        return People(targets, None, "probabilities")
    try:
        return People(targets, targets.counts(), "counts")
    except ValueError:  # estimates from votes, not shares of them
        return People(targets, None, "probabilities")


def _of_classes(codes: np.ndarray, items: Any, classes: int | Sequence[Any] | None) -> People:
    if codes.size == 0:
        raise ValueError("there are no items among the labels")
    if codes.dtype.kind not in "iu":
        raise Refusal(
            f"labels are {codes.size} numbers of {codes.dtype}, one per item; expected whole numbers that name "
            "classes, or (n, k) rows",
            ways=[PythonWay("for the probability p of the second of two classes pass np.stack([1 - p, p], axis=1)")],
        )
    if classes is None:
        raise Refusal(
            "labels are one class per item, which does not tell how many classes there are",
            ways=[Way("give their names or their number with {classes}", classes=...)],
        )
    names = name_classes(classes, None)
    refuse_names_for_codes(names, "labels")
    bad = np.flatnonzero((codes < 0) | (codes >= len(names)))
    if bad.size:
        raise ValueError(
            f"label {bad[0]} is class {codes[bad[0]]}, but there are {len(names)} classes, 0..{len(names) - 1}; "
            f"{bad.size} of {codes.size} labels are out of range"
        )
    return _of_codes(codes, items, names)


def _are_texts(labels: Any) -> bool:
    return isinstance(labels, list | tuple | np.ndarray) and len(labels) > 0 and all(isinstance(x, str) for x in labels)


def _of_codes(codes: np.ndarray, items: Any, names: tuple[str, ...]) -> People:
    one_hot = np.eye(len(names), dtype=np.int64)[codes]
    return People(Distributions.from_counts(one_hot, items=items, classes=names), one_hot, "classes")


def name_classes(classes: int | Sequence[Any] | None, k: int | None) -> tuple[str, ...]:
    if classes is None:
        classes = int(k or 0)
    names = tuple(str(name) for name in (range(classes) if isinstance(classes, int | np.integer) else classes))
    if k is not None and len(names) != k:
        raise ValueError(f"{len(names)} classes are named, but the rows have {k} columns")
    return names


def name_rows(array: np.ndarray, items: Any, classes: tuple[str, ...]) -> Distributions:
    return Distributions(array, row_numbers(array.shape[0]) if items is None else items, classes)


def check_finite_rows(array: np.ndarray, noun: str) -> None:
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        row, code = bad[0]
        raise ValueError(
            f"{noun} row {row}, class {code} is {array[row, code]}; expected a probability; {len(bad)} entries of "
            f"{array.size} are not finite"
        )
