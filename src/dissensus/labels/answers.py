"""The fields that Votes and Beliefs share: items, annotators, classes, times and further columns."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa

from dissensus.labels.display import notebook_card, sizes
from dissensus.labels.frames import pandas_frame, polars_frame, with_extra
from dissensus.labels.names import as_names, first_repeated, is_named, places_named
from dissensus.labels.refusals import PythonWay, Refusal, Way, one_of
from dissensus.labels.row_errors import RowError


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answers:
    """m answers about n items over k classes; codes point into names, names are checked once here.

    item       (m,) int32, position in `items`
    annotator  (m,) int32, position in `annotators`; None if the source kept no identities
    items      (n,) names, int64 or str; an item may have no answer
    annotators (a,) names, or None
    classes    k names
    seconds    (m,) time each answer took, NaN if unknown; or None
    extra      Arrow table of m rows with every further column of the source; or None
    """

    item: np.ndarray
    items: np.ndarray
    classes: tuple[str, ...]
    annotator: np.ndarray | None = None
    annotators: np.ndarray | None = None
    seconds: np.ndarray | None = None
    extra: pa.Table | None = None

    per_answer: ClassVar[tuple[str, ...]] = ("item", "annotator", "seconds")
    noun: ClassVar[str] = "answer"
    own_columns: ClassVar[tuple[str, ...]] = ()  # beginnings of names that only columns of its own have

    def __post_init__(self) -> None:
        hold(self, "items", as_names(self.items))
        hold(self, "classes", tuple(str(name) for name in self.classes))
        hold(self, "item", self._codes("item", self.item, self.items.size, "items"))
        if (self.annotator is None) != (self.annotators is None):
            raise ValueError("annotator codes and annotator names come together: give both, or neither")
        if self.annotator is not None and self.annotators is not None:
            hold(self, "annotators", as_names(self.annotators))
            hold(self, "annotator", self._codes("annotator", self.annotator, self.annotators.size, "annotators"))
        for kind in ("items", "annotators", "classes"):
            names = getattr(self, kind)
            repeated = first_repeated(names) if names is not None else None
            if repeated is not None:
                raise ValueError(f"two {kind} are both named {repeated!r}; names of {kind} must differ")
        if len(self.classes) < 1:
            raise ValueError("there are no classes; at least one is needed")
        if self.seconds is not None:
            hold(self, "seconds", self._check_seconds(np.asarray(self.seconds, dtype=np.float64)))
        if self.extra is not None and self.extra.num_columns == 0:  # Arrow counts no rows without a column
            hold(self, "extra", None)
        if self.extra is not None and self.extra.num_rows != self.item.size:
            raise ValueError(
                f"the extra columns have {self.extra.num_rows} rows, but there are {self.item.size} {self.noun}s"
            )

    @property
    def n_items(self) -> int:
        return int(self.items.size)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def n_answers(self) -> int:
        return int(self.item.size)

    @property
    def n_annotators(self) -> int | None:
        """Number of annotators, or None if the source kept no identities."""
        return None if self.annotators is None else int(self.annotators.size)

    def out_of_order(self) -> tuple[Any, Any] | None:
        """Find the first item that is answered out of the order of `items`, and the item expected there; or None.

        Names that are whole numbers are sorted when answers are read, so their order need not be that of the source.
        """
        first = np.full(self.n_items, -1, dtype=np.int64)  # (n,) the first answer of each item
        first[self.item[::-1]] = np.arange(self.n_answers - 1, -1, -1)
        answered = np.flatnonzero(first >= 0)
        appear = answered[np.argsort(first[answered])]
        early = np.flatnonzero(appear != answered)
        return (self.items[appear[early[0]]], self.items[answered[early[0]]]) if early.size else None

    @property
    def per_item(self) -> np.ndarray:
        """Answers for each item.  (n,)"""
        return np.bincount(self.item, minlength=self.n_items)

    @property
    def per_annotator(self) -> np.ndarray:
        """Answers of each annotator.  (a,)"""
        annotator, annotators = self.require_annotators("answers per annotator")
        return np.bincount(annotator, minlength=annotators.size)

    def require_annotators(self, purpose: str) -> tuple[np.ndarray, np.ndarray]:
        """Annotator codes (m,) and names (a,), or an error saying that `purpose` needs them."""
        if self.annotator is None or self.annotators is None:
            raise Refusal(
                f"{purpose} needs the annotator of each {self.noun}, but these {self.n_answers} {self.noun}s "
                "carry no annotator",
                ways=[
                    Way("name the column of annotators with {annotator}", annotator=...),
                    Way("use a method that only counts"),
                ],
            )
        return self.annotator, self.annotators

    def column(self, name: str) -> np.ndarray:
        """One of the extra columns.  (m,)"""
        extra: Any = {} if self.extra is None else self.extra
        one_of("extra column", name, [] if self.extra is None else self.extra.column_names)
        return np.asarray(extra[name].to_numpy())

    def to_arrow(self) -> pa.Table:
        """An Arrow table, one row per answer: item, annotator, what was answered, seconds, then the extra columns.

        Annotator and seconds are there if they are known.
        """
        columns: dict[str, Any] = {"item": pa.array(self.items[self.item])}
        if self.annotator is not None and self.annotators is not None:
            columns["annotator"] = pa.array(self.annotators[self.annotator])
        columns |= self._answer_columns()
        if self.seconds is not None:
            columns["seconds"] = pa.array(self.seconds, from_pandas=True)
        return with_extra(columns, self.extra, self.own_columns)

    def to_pandas(self) -> Any:
        """A pandas DataFrame with the columns of `to_arrow`."""
        return pandas_frame(self.to_arrow())

    def to_polars(self) -> Any:
        """A polars DataFrame with the columns of `to_arrow`."""
        return polars_frame(self.to_arrow())

    def select(self, *, items: Any = None, annotators: Any = None, answers: Any = None) -> Self:
        """Select some items, annotators or answers, each by a mask or codes.

        Selecting items or annotators renames their codes to the selection's order; selecting answers keeps
        all items and annotators, so that per-item arrays stay aligned.
        """
        chosen = self
        if answers is not None:
            chosen = chosen._rows(positions(answers, self.n_answers, f"{self.noun}s"))
        if items is not None:
            chosen = chosen._rename_codes("item", "items", positions(items, self.n_items, "items"))
        if annotators is not None:
            self.require_annotators("selecting annotators")
            count = self.n_annotators or 0
            chosen = chosen._rename_codes("annotator", "annotators", positions(annotators, count, "annotators"))
        return chosen

    def __len__(self) -> int:
        """Number of answers."""
        return self.n_answers

    def __getitem__(self, item: Any) -> Self:
        """Return the answers to an item, or to a list of items, by name: `votes["img_7"]`."""
        return self.select(items=places_named(item, self.items, "items"))

    def __contains__(self, item: Any) -> bool:
        """Whether an item has this name."""
        return is_named(item, self.items)

    __iter__ = None  # len counts answers and names are items, so there is no one thing to go through

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise Refusal(
            f"{type(self).__name__} are several arrays with names",
            ways=[PythonWay("take the one you mean, such as .item or .counts()")],
        )

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return sizes(
            self,
            [
                (self.n_answers, f"{self.noun}s"),
                (self.n_items, "items"),
                (self.n_annotators, "annotators"),
                (self.n_classes, "classes"),
            ],
        )

    def _repr_html_(self) -> str | None:
        return notebook_card(self)

    def _answer_columns(self) -> dict[str, Any]:
        """The columns that say what was answered."""
        return {}

    def _rename_codes(self, code_field: str, name_field: str, keep: np.ndarray) -> Self:
        names, codes = getattr(self, name_field), getattr(self, code_field)
        new_code = np.full(names.size, -1, dtype=np.int32)
        new_code[keep] = np.arange(keep.size, dtype=np.int32)
        recoded = new_code[codes]
        rows = np.flatnonzero(recoded >= 0)
        kept = names[keep]
        kept.flags.writeable = False  # tells as_names that these are names already
        changes = self._row_fields(rows) | {code_field: recoded[rows], name_field: kept}
        return replace(self, **changes)

    def _rows(self, rows: np.ndarray) -> Self:
        return replace(self, **self._row_fields(rows))

    def _row_fields(self, rows: np.ndarray) -> dict[str, Any]:
        changed = {name: getattr(self, name)[rows] for name in self.per_answer if getattr(self, name) is not None}
        return changed | ({} if self.extra is None else {"extra": self.extra.take(pa.array(rows))})

    def _codes(self, name: str, codes: Any, count: int, plural: str) -> np.ndarray:
        array = np.asarray(codes)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError(
                f"{name} must be a one-dimensional array of integer codes, not {array.dtype} of shape {array.shape}"
            )
        expected = self.item.shape[0] if name != "item" else array.size
        if array.size != expected:
            raise ValueError(f"{name} has {array.size} codes, but item has {expected}")
        bad = np.flatnonzero((array < 0) | (array >= count)) if array.size else array
        if bad.size:
            raise ValueError(self._out_of_range(name, int(bad[0]), int(array[bad[0]]), count, plural, bad.size))
        return array.astype(np.int32, copy=False)

    def _out_of_range(self, name: str, row: int, code: int, count: int, plural: str, bad: int) -> str:
        expected = f"there are {count} {plural}, 0..{count - 1}" if count else f"there are no {plural}"
        return (
            f"{self.noun} {row} has {name} code {code}, but {expected}; "
            f"{bad} of {self.item.shape[0]} {self.noun}s are out of range"
        )

    def _check_seconds(self, seconds: np.ndarray) -> np.ndarray:
        if seconds.shape != self.item.shape:
            raise ValueError(f"seconds has shape {seconds.shape}, but there are {self.item.size} {self.noun}s")
        bad = np.flatnonzero((seconds < 0) | np.isinf(seconds))
        if bad.size:
            raise RowError(
                self.noun,
                bad[0],
                f"took {seconds[bad[0]]} seconds; expected a time of 0 or more, or nothing (NaN) "
                f"where it is unknown; {bad.size} of {seconds.size} are wrong",
            )
        return seconds


def hold(value: object, name: str, content: Any) -> None:
    """Set a field of a frozen value during its construction; arrays that others could still change are copied."""
    if isinstance(content, np.ndarray) and content.flags.writeable:
        content = content.copy()
        content.flags.writeable = False
    object.__setattr__(value, name, content)


def positions(selection: Any, count: int, plural: str) -> np.ndarray:
    """Convert a mask or codes to positions; raise an error if they do not fit.  -> (r,)"""
    array = np.asarray(selection)
    if array.dtype.kind == "b":
        if array.shape != (count,):
            raise ValueError(f"a mask over {plural} needs {count} entries, this one has shape {array.shape}")
        return np.flatnonzero(array)
    if array.size and array.dtype.kind not in "iu":
        raise ValueError(f"select {plural} with a mask or with integer codes, not {array.dtype}")
    codes = array.astype(np.int64).reshape(-1)
    bad = codes[(codes < 0) | (codes >= count)]
    if bad.size:
        raise ValueError(f"there are {count} {plural}, 0..{count - 1}; the selection asks for {bad[0]}")
    if np.unique(codes).size != codes.size and plural in ("items", "annotators"):
        raise ValueError(f"the selection names {plural[:-1]} {first_repeated(codes.tolist())} twice; name each once")
    return codes


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return left.shape == right.shape and bool(np.array_equal(left, right, equal_nan=left.dtype.kind == "f"))
    if isinstance(left, pa.Table) and isinstance(right, pa.Table):
        return bool(left.equals(right))
    return type(left) is type(right) and bool(left == right)
