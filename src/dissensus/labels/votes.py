"""Votes: who chose which class for which item."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import Answers, hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.frames import class_column, find_columns, name_column, number_column
from dissensus.labels.names import as_names, class_order, encode, encode_classes, ordered_levels
from dissensus.labels.refusals import Way, one_of
from dissensus.labels.row_errors import RowError


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Votes(Answers):
    """m votes: who chose which class for which item. Codes point into names, and names are checked once.

    `Votes.of` makes votes of names; the other fields are those of every answer.

    Parameters
    ----------
    item : (m,) int32
        Position in `items`.
    items : (n,)
        Names of the items, int64 or str; an item may have no answer.
    choice : (m,) int32
        Position in `classes`.
    classes : k names
    annotator : (m,) int32 or None
        Position in `annotators`; None if the source has no identities.
    annotators : (a,) or None
        Names of the annotators.
    seconds : (m,) or None
        Time of each answer, NaN if unknown.
    extra : Arrow table or None
        m rows with every further column of the source.

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "b"], ["cat", "dog", "cat"], annotator=["ann", "bo", "ann"])
    >>> votes.counts()
    array([[1, 1],
           [1, 0]])
    """

    choice: np.ndarray

    per_answer: ClassVar[tuple[str, ...]] = (*Answers.per_answer, "choice")
    noun: ClassVar[str] = "vote"

    def __post_init__(self) -> None:
        super().__post_init__()
        hold(self, "choice", self._codes("choice", self.choice, self.n_classes, "classes"))

    @classmethod
    def of(
        cls,
        item: Any,
        choice: Any,
        annotator: Any = None,
        *,
        classes: Any = None,
        seconds: Any = None,
        extra: pa.Table | None = None,
    ) -> Votes:
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
        who, annotators = (None, None) if annotator is None else encode(_names("annotator", annotator))
        return cls(
            item=item_codes,
            items=items,
            choice=choice_codes,
            classes=known,
            annotator=who,
            annotators=annotators,
            seconds=seconds,
            extra=extra,
        )

    @classmethod
    def of_frame(
        cls,
        frame: Any,
        *,
        item: str = "item",
        annotator: str | None = "annotator",
        label: str = "label",
        seconds: str | None = "seconds",
        classes: Sequence[str] | None = None,
        repeats: Literal["error", "keep"] = "error",
    ) -> Votes:
        """Votes from a pandas, polars or Arrow frame with one row per vote; further columns stay in `extra`.

        Nothing is guessed (`read(frame)` does that): these columns have to be there, except `seconds`.
        annotator=None says that it is not known who answered. A second answer of an annotator to an item is refused, or
        kept with repeats="keep". Classes are all that occur, or the levels of an ordered
        categorical; `classes` sets another order and may name classes nobody chose.
        """
        if isinstance(classes, str):
            raise ValueError(
                f"classes is the text {classes!r}; expected their names one by one, such as ['cat', 'dog']"
            )
        one_of("rule for repeats", repeats, ("error", "keep"))
        table, columns = find_columns(frame, item=item, annotator=annotator, label=label, seconds=seconds)
        labels = name_column(table, columns.pop("label"))
        choice, known = encode_classes(labels, ordered_levels(labels) if classes is None else classes)
        bad = np.flatnonzero(choice < 0)
        if bad.size:
            raise RowError(
                "row",
                bad[0],
                f"has {labels[int(bad[0])].as_py()!r} in column {label!r}, but the classes are "
                f"{list(known)}; {bad.size} of {len(labels)} rows have another label",
            )
        fields: dict[str, Any] = {}
        for role in ("item", "annotator"):
            if role in columns:
                fields[role], fields[f"{role}s"] = encode(name_column(table, columns[role]))
        if "seconds" in columns:
            fields["seconds"] = number_column(table, columns["seconds"])
        if "annotator" in fields and repeats == "error":
            _refuse_repeats(fields)
        extra = table.drop_columns([*columns.values(), label]).replace_schema_metadata(None)
        return cls(**fields, choice=choice, classes=known, extra=extra)

    @classmethod
    def of_counts(cls, distributions: Distributions) -> Votes:
        """The votes behind shares of votes, without annotators: who gave them is not known."""
        counts = distributions.counts()  # (n, k)
        item, choice = np.nonzero(counts)
        times = counts[item, choice]
        return cls(
            item=np.repeat(item, times),
            items=distributions.items,
            choice=np.repeat(choice, times),
            classes=distributions.classes,
        )

    def counts(self) -> np.ndarray:
        """Votes for each class of each item.  (n, k) int64"""
        cell = self.item.astype(np.int64) * self.n_classes + self.choice
        return np.bincount(cell, minlength=self.n_items * self.n_classes).reshape(self.n_items, self.n_classes)

    def _answer_columns(self) -> dict[str, Any]:
        return {"label": class_column(self.classes, self.choice)}


def _refuse_repeats(fields: dict[str, Any]) -> None:
    pair = fields["item"].astype(np.int64) * fields["annotators"].size + fields["annotator"]
    _, first = np.unique(pair, return_index=True)
    again = np.setdiff1d(np.arange(pair.size), first)
    if again.size:
        row = int(again[0])
        item, who = fields["items"][fields["item"][row]], fields["annotators"][fields["annotator"][row]]
        raise RowError(
            "row",
            row,
            f"is a second answer of annotator {who} to item {item}; {again.size} of {pair.size} rows repeat an answer",
            [Way("leave these rows out"), Way("keep them with {repeats}", repeats="keep")],
        )


def _names(role: str, values: Any) -> pa.Array:
    """Names as one column; text if they are not all integers.  (m,)"""
    given = np.asarray(values, dtype=object)
    for row, name in enumerate(given.tolist()):
        if name is None or name != name or isinstance(name, list | dict | bytes):
            raise ValueError(f"vote {row} has {role} {name!r}; expected a name or a whole number for every vote")
    return pa.array(as_names(given))
