"""Beliefs: the probabilities that annotators state, and the classes that they rule out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import Answers, hold
from dissensus.labels.frames import class_column
from dissensus.labels.row_errors import RowError
from dissensus.labels.votes import Votes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Beliefs(Answers):
    """m beliefs: the probabilities that annotators stated, as far as they stated any.

    The other fields are those of `Votes`: item, items, classes, annotator, annotators, seconds, extra.

    Parameters
    ----------
    stated : (m, k)
        Probability put on a class (1 is certainty), NaN if none was stated. A row may sum to less than 1 (mass left
        unsaid) or to more (completion normalises it).
    ruled_out : (m, k) bool
        Classes called "definitely not".
    named : (m, r) int32
        Classes in the order the annotator named them, -1 for none; r is 1 for a vote, 2 for top-two, 0 for sliders.
        A named class need not have a stated probability.

    Examples
    --------
    >>> beliefs = Beliefs(
    ...     item=[0],
    ...     items=["a"],
    ...     classes=("cat", "dog", "fox"),
    ...     stated=[[0.7, np.nan, np.nan]],
    ...     ruled_out=[[False, False, True]],
    ...     named=[[0]],
    ... )
    >>> complete(beliefs).stated
    array([[0.7, 0.3, 0. ]])
    """

    stated: np.ndarray
    ruled_out: np.ndarray
    named: np.ndarray

    per_answer: ClassVar[tuple[str, ...]] = (*Answers.per_answer, "stated", "ruled_out", "named")
    noun: ClassVar[str] = "belief"
    own_columns: ClassVar[tuple[str, ...]] = ("stated.", "ruled_out.", "named.")

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = (self.n_answers, self.n_classes)
        stated = np.asarray(self.stated, dtype=np.float64)
        ruled_out = np.asarray(self.ruled_out)
        named = np.asarray(self.named)
        if stated.shape != shape or ruled_out.shape != shape:
            raise ValueError(
                f"stated has shape {stated.shape} and ruled_out {ruled_out.shape}; with {shape[0]} beliefs over "
                f"{shape[1]} classes both must be {shape}"
            )
        if ruled_out.dtype.kind != "b":
            raise ValueError(f"ruled_out must have booleans, not {ruled_out.dtype}")
        if named.ndim != 2 or named.shape[0] != shape[0] or named.dtype.kind not in "iu":
            raise ValueError(f"named must have integer class codes, ({shape[0]}, r), not {named.dtype} {named.shape}")
        self._check_mass(stated)
        self._check_named(named)
        silent = np.flatnonzero(np.isnan(stated).all(axis=1) & ~ruled_out.any(axis=1) & ~(named >= 0).any(axis=1))
        if silent.size:
            raise RowError(
                self.noun,
                silent[0],
                f"{self._about(silent[0])} states no probability, names no class and rules none "
                f"out; {silent.size} of {shape[0]} beliefs say nothing: leave them out",
            )
        hold(self, "stated", stated)
        hold(self, "ruled_out", ruled_out)
        hold(self, "named", named.astype(np.int32, copy=False))

    @classmethod
    def of_votes(cls, votes: Votes) -> Beliefs:
        """Each vote as a belief that states 1 for the chosen class and nothing about the others."""
        stated = np.full((votes.n_answers, votes.n_classes), np.nan)
        stated[np.arange(votes.n_answers), votes.choice] = 1.0
        return cls(
            item=votes.item,
            items=votes.items,
            classes=votes.classes,
            annotator=votes.annotator,
            annotators=votes.annotators,
            seconds=votes.seconds,
            extra=votes.extra,
            stated=stated,
            ruled_out=np.zeros(stated.shape, dtype=bool),
            named=votes.choice[:, None],
        )

    @property
    def first(self) -> np.ndarray:
        """Each answer's first choice: the class named first, else the largest stated (lowest code on a tie).  (m,)

        -1 if an answer only rules classes out, or puts 0 on everything it speaks of.
        """
        stated = np.nan_to_num(self.stated)
        largest = np.where(stated.max(axis=1, initial=0.0) > 0, stated.argmax(axis=1), -1)
        named = self.named[:, 0] if self.named.shape[1] else np.full(self.n_answers, -1)
        return np.where(named >= 0, named, largest).astype(np.int32)

    def first_choices(self) -> Votes:
        """The votes these annotators would have cast: the first choice of each answer that has one."""
        first = self.first
        rows = np.flatnonzero(first >= 0)
        kept = self._rows(rows) if rows.size < first.size else self
        return Votes(
            item=kept.item,
            items=kept.items,
            classes=kept.classes,
            annotator=kept.annotator,
            annotators=kept.annotators,
            seconds=kept.seconds,
            extra=kept.extra,
            choice=first[rows],
        )

    def item_means(self) -> np.ndarray:
        """The mean stated probability of each class over each item's answers; NaN if one left it unsaid.  (n, k)"""
        answers = np.maximum(self.per_item, 1)
        means = np.empty((self.n_items, self.n_classes))
        for code in range(self.n_classes):
            means[:, code] = np.bincount(self.item, weights=self.stated[:, code], minlength=self.n_items) / answers
        return means

    def _answer_columns(self) -> dict[str, Any]:
        columns: dict[str, Any] = {}
        for code, name in enumerate(self.classes):
            columns[f"stated.{name}"] = pa.array(self.stated[:, code], from_pandas=True)
        for code, name in enumerate(self.classes):
            columns[f"ruled_out.{name}"] = pa.array(self.ruled_out[:, code])
        for place in range(self.named.shape[1]):
            columns[f"named.{place + 1}"] = class_column(self.classes, self.named[:, place])
        return columns

    def _check_mass(self, stated: np.ndarray) -> None:
        bad = np.argwhere((stated < 0) | np.isinf(stated))
        if bad.size:
            row, code = bad[0]
            raise RowError(
                self.noun,
                row,
                f"{self._about(row)} puts {stated[row, code]:g} on class {self.classes[code]!r}; "
                f"expected a probability of 0 or more, or NaN if none was stated; {len(bad)} entries are "
                "wrong",
            )

    def _check_named(self, named: np.ndarray) -> None:
        bad = np.argwhere((named < -1) | (named >= self.n_classes))
        if bad.size:
            row, place = bad[0]
            raise RowError(
                self.noun,
                row,
                f"{self._about(row)} names class code {named[row, place]}, but there are "
                f"{self.n_classes} classes, 0..{self.n_classes - 1} (-1 for none); {len(bad)} entries are out of range",
            )

    def _about(self, row: int) -> str:
        about = f"item {self.items[self.item[row]]}"
        if self.annotator is not None and self.annotators is not None:
            about += f", annotator {self.annotators[self.annotator[row]]}"
        return f"({about})"
