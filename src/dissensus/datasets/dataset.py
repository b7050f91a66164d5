"""What is known about a data set, and what reading one gives."""

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
    """The size of a data set as documented; None where the source does not say or the number has no meaning."""

    items: int
    classes: int | None = None
    answers: int | None = None
    annotators: int | None = None
    fewest: int | None = None  # answers for the item that has fewest
    most: int | None = None


@dataclass(frozen=True)
class Check:
    """A documented claim about what was read, and the test of it: None where a file it also needs is not there."""

    claim: str
    holds: Callable[[Any], bool | None]


@dataclass(frozen=True)
class Download:
    """A public address, the checksum of what is there, and where it goes in the data folder.

    checksum  "sha256:..." or "md5:..."
    path      of the file in the data folder
    unpacks   the folder a tar archive leaves beside it; empty for a file used as it is
    """

    address: str
    checksum: str
    path: str
    unpacks: str = ""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A data set: where it comes from, on what terms, which files it needs and how to read them.

    files      one entry per needed file, each with the places it may lie in the data folder, first found first used
    also       the same for files that add columns where they are present
    read       function of the paths of `files`, then of `also` (None where absent)
    licence    as stated in the source; "none stated" means exactly that and is not a permission
    checksums  "sha256:..." or "md5:..." by place in the data folder, where the source published them
    obtain     how to obtain the files where there is nothing to download
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
    checks: tuple[Check, ...] = ()
    checksums: Mapping[str, str] = field(default_factory=dict)
    downloads: tuple[Download, ...] = ()
    obtain: str = ""

    @property
    def way_out(self) -> str:
        """What to do when the files are missing, as half a sentence."""
        by_hand = self.obtain or f"it comes from {self.source}"
        return f"run `dissensus data get {self.name}`, or {by_hand}" if self.downloads else by_hand


@dataclass(frozen=True)
class LabelledItems:
    """Labels, and what else is known about the items they are about.

    labels  Votes, Beliefs or Distributions
    items   Arrow table, row i about labels.items[i]: `item` (its name), and where known `gold` (a class name),
            `text`, `split` and what else the source has
    """

    labels: Votes | Beliefs | Distributions
    items: pa.Table

    __repr__ = shapes

    def __post_init__(self) -> None:
        names = self.items.column_names
        if not names or names[0] != "item" or self.items["item"].to_pylist() != self.labels.items.tolist():
            raise ValueError(
                f"the table about the items has {self.items.num_rows} rows and columns {names}; expected a first "
                f"column 'item' that repeats the {self.labels.n_items} item names of the labels in their order"
            )

    @property
    def gold(self) -> np.ndarray:
        """Code of each item's gold class, -1 where it has none.  (n,)"""
        if "gold" not in self.items.column_names:
            return np.full(self.labels.n_items, -1, dtype=np.int32)
        codes, _ = encode(self.items["gold"].fill_null(""), self.labels.classes)
        return codes


@dataclass(frozen=True)
class Features:
    """Ready-made features, one row per item.

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


def about_items(labels: Votes | Beliefs | Distributions, **columns: Any) -> LabelledItems:
    """Labels with the columns known about their items, in item order; a column given as None is left out."""
    known = {name: column for name, column in columns.items() if column is not None}
    return LabelledItems(labels, pa.table({"item": pa.array(labels.items.tolist()), **known}))


def class_names(codes: np.ndarray, classes: tuple[str, ...]) -> pa.Array:
    """Class names for codes, null where the code is -1.  (n,) -> (n,)"""
    absent = codes < 0
    return pa.array(np.array(classes, dtype=object)[np.where(absent, 0, codes)], pa.string(), mask=absent)
