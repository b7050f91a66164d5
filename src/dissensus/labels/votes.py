"""Votes: who chose which class for which item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import Answers, hold
from dissensus.labels.names import as_names, class_order, encode

if TYPE_CHECKING:
    from dissensus.labels.distributions import Distributions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Votes(Answers):
    """One chosen class per answer; the other fields are those of Answers.

    choice  (m,) int32, position in `classes`
    """

    choice: np.ndarray

    per_answer: ClassVar[tuple[str, ...]] = (*Answers.per_answer, "choice")
    noun: ClassVar[str] = "vote"

    def __post_init__(self) -> None:
        super().__post_init__()
        hold(self, "choice", self._codes("choice", self.choice, self.n_classes, "classes"))

    @classmethod
    def of(cls, item: Any, choice: Any, annotator: Any = None, *, classes: Any = None, **fields: Any) -> Votes:
        """Votes from names, one entry per answer: `Votes.of(["a", "a"], ["cat", "dog"], ["ann", "bo"])`."""
        item_codes, items = encode(_names("item", item))
        choices = _names("choice", choice).cast(pa.string())
        known = class_order(choices.to_pylist()) if classes is None else tuple(str(name) for name in classes)
        choice_codes, _ = encode(choices, known)
        bad = np.flatnonzero(choice_codes < 0)
        if bad.size:
            raise ValueError(
                f"vote {bad[0]} chose {choices[int(bad[0])].as_py()!r}, which is not among the classes "
                f"{list(known)}; {bad.size} of {len(choices)} votes name another class"
            )
        if annotator is not None:
            who_codes, who = encode(_names("annotator", annotator))
            fields |= {"annotator": who_codes, "annotators": who}
        return cls(item=item_codes, items=items, choice=choice_codes, classes=known, **fields)

    @classmethod
    def of_counts(cls, distributions: Distributions) -> Votes:
        """The votes behind shares of votes, without annotators: who gave them is not known."""
        counts = distributions.counts()  # (n, k)
        item, choice = np.nonzero(counts)
        times = counts[item, choice]
        return cls(
            item=np.repeat(item, times), items=distributions.items, choice=np.repeat(choice, times),
            classes=distributions.classes,
        )  # fmt: skip

    def counts(self) -> np.ndarray:
        """Votes for each class of each item.  (n, k) int64"""
        cell = self.item.astype(np.int64) * self.n_classes + self.choice
        return np.bincount(cell, minlength=self.n_items * self.n_classes).reshape(self.n_items, self.n_classes)


def _names(role: str, values: Any) -> pa.Array:
    """Names as one column; text where they are not all integers.  (m,)"""
    given = np.asarray(values, dtype=object)
    for row, name in enumerate(given.tolist()):
        if name is None or name != name or isinstance(name, list | dict | bytes):
            raise ValueError(f"vote {row} has {role} {name!r}; expected a name or a whole number for every vote")
    return pa.array(as_names(given))
