"""The description of a data set, and the values that reading one returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import encode
from dissensus.labels.votes import Votes

ContentKind = Literal["labels", "images", "predictions", "features"]


@dataclass(frozen=True, kw_only=True)
class Facts:
    """The documented size of a data set; None if the source does not state a number, or it has no meaning."""

    items: int
    classes: int | None = None
    answers: int | None = None
    annotators: int | None = None
    fewest: int | None = None  # answers for the item that has fewest
    most: int | None = None


@dataclass(frozen=True)
class DataCheck:
    """A documented claim about a data set, and its test, which returns None if a file that it needs is absent."""

    claim: str
    holds: Callable[[Any], bool | None]


@dataclass(frozen=True)
class Download:
    """A public address, the checksum of what is there, and where it goes in the data folder.

    checksum  "sha256:..." or "md5:..."
    path      of the file in the data folder
    unpacks   the folder that a tar archive contains; empty for a file used as it is
    """

    address: str
    checksum: str
    path: str
    unpacks: str = ""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: its source, licence and documented size, the files it needs, and how to read them.

    Parameters
    ----------
    name, title, what : its name in `DATASETS`, a headline, and one sentence about the labels
    source, citation : where it comes from, and what to cite
    licence : as stated in the source; "none stated" is not a permission
    facts, checks : documented sizes and claims, tested by `verify`
    read : function of the paths of `files`, then of `also` (None if absent)
    kind : "labels", "images", "predictions" or "features"
    files : one entry per needed file, with its possible places in the data folder; the first existing one is used
    also : the same for files that add columns if they are present
    checksums : "sha256:..." or "md5:..." by place in the data folder, if the source published them
    downloads : public addresses with checksums
    obtain : how to get the files if there is nothing to download

    Examples
    --------
    >>> DATASETS["anesthesia"].kind
    'labels'
    """

    name: str
    title: str
    what: str
    source: str
    citation: str
    licence: str
    facts: Facts
    read: Callable[..., Any]
    kind: ContentKind = "labels"
    files: tuple[tuple[str, ...], ...] = ()
    also: tuple[tuple[str, ...], ...] = ()
    checks: tuple[DataCheck, ...] = ()
    checksums: Mapping[str, str] = field(default_factory=dict)
    downloads: tuple[Download, ...] = ()
    obtain: str = ""

    @property
    def way_out(self) -> str:
        """How to get the files, as a clause."""
        by_hand = self.obtain or f"it comes from {self.source}"
        return f"run `dissensus data get {self.name}`, or {by_hand}" if self.downloads else by_hand


@dataclass(frozen=True)
class LabelledItems:
    """Labels with a table of their items.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    items : Arrow table with one row per item, in the order of the labels: `item` (its name), and if known `gold` (a
        class name), `text`, `split` and other columns of the source

    Examples
    --------
    >>> votes = Votes.of(["a", "b"], ["cat", "dog"])
    >>> import pyarrow as pa
    >>> LabelledItems(votes, pa.table({"item": ["a", "b"], "gold": ["cat", None]})).gold
    array([ 0, -1], dtype=int32)
    """

    labels: Votes | Beliefs | Distributions
    items: pa.Table

    __repr__ = shapes

    def __post_init__(self) -> None:
        names = self.items.column_names
        if not names or names[0] != "item" or self.items["item"].to_pylist() != self.labels.items.tolist():
            raise ValueError(
                f"the table of items has {self.items.num_rows} rows and columns {names}; expected a first column "
                f"'item' with the {self.labels.n_items} item names of the labels, in their order"
            )

    @property
    def gold(self) -> np.ndarray:
        """Code of each item's gold class, -1 if it has none.  (n,)"""
        if "gold" not in self.items.column_names:
            return np.full(self.labels.n_items, -1, dtype=np.int32)
        codes, _ = encode(self.items["gold"].fill_null(""), self.labels.classes)
        return codes


@dataclass(frozen=True)
class Features:
    """Precomputed features, one row per item.

    values  (n, d)
    items   (n,) names of the items
    gold    (n,) class codes, or None
    """

    values: np.ndarray
    items: np.ndarray
    gold: np.ndarray | None = None

    __repr__ = shapes

    def __post_init__(self) -> None:
        lengths = [len(part) for part in (self.values, self.items, self.gold) if part is not None]
        if len(set(lengths)) != 1:
            raise ValueError(f"features, items and gold have {lengths} rows; expected one each per item")
        hold(self, "values", self.values)


def build_labelled_items(labels: Votes | Beliefs | Distributions, **columns: Any) -> LabelledItems:
    """Build LabelledItems from labels and columns in item order; a column given as None is left out."""
    known = {name: column for name, column in columns.items() if column is not None}
    return LabelledItems(labels, pa.table({"item": pa.array(labels.items.tolist()), **known}))


def class_names(codes: np.ndarray, classes: tuple[str, ...]) -> pa.Array:
    """Return class names for codes, null if the code is -1.  (n,) -> (n,)"""
    absent = codes < 0
    return pa.array(np.array(classes, dtype=object)[np.where(absent, 0, codes)], pa.string(), mask=absent)
