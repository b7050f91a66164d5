"""Delivery: what the loss is given for every item, epoch by epoch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.display import shapes

Rule = Callable[[int, np.ndarray | None], np.ndarray]


@dataclass(frozen=True)
class Mixing:
    """Which other item each item is mixed with, and how much of itself it keeps.

        input = weight x[item] + (1 - weight) x[partner]

    partner  (r,) int64 positions
    weight   (r,) from 0 to 1
    """

    partner: np.ndarray
    weight: np.ndarray

    __repr__ = shapes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Delivery:
    """Targets as a function of the epoch: nothing is remembered, so any epoch can be asked for at any time.

    name     how it was made, such as "smoothed(sls, 0.1)"
    items    (n,) names
    classes  k names
    hard     whether targets are classes, (n,) int64; else they are probabilities, (n, k) float64, rows sum to 1
    fixed    whether every epoch has the same targets
    rule     (epoch, positions of items or None for all) -> targets; picklable, so that worker processes can have it
    pairing  the same for a Mixing, or None where inputs stay as they are
    """

    name: str
    items: np.ndarray
    classes: tuple[str, ...]
    hard: bool
    fixed: bool
    rule: Rule
    pairing: Callable[[int, np.ndarray | None], Mixing] | None = None

    def __post_init__(self) -> None:
        hold(self, "items", np.asanyarray(self.items))
        hold(self, "classes", tuple(self.classes))

    @property
    def n_items(self) -> int:
        return int(self.items.size)

    @property
    def n_classes(self) -> int:
        return len(self.classes)

    @property
    def mixes(self) -> bool:
        """Whether inputs must be mixed as `mixing` says, for the targets to be right."""
        return self.pairing is not None

    def targets(self, epoch: int, items: Any = None) -> np.ndarray:
        """Targets of all items, or of some by position, in that order; the same whoever asks, and when.

        targets(epoch, items) equals targets(epoch)[items]. Counting steps instead of epochs makes every batch a new
        draw. The result may be a read-only view of what the delivery holds: copy it before writing.

        epoch: 0 or more; items: (r,) positions, repeats allowed -> (r,) int64 or (r, k) float64
        """
        return self.rule(_checked_epoch(epoch), self._positions(items))

    def mixing(self, epoch: int, items: Any = None) -> Mixing:
        """How inputs are mixed in this epoch; only for deliveries that do (`mixes`)."""
        if self.pairing is None:
            raise ValueError(f"the delivery {self.name} mixes no inputs; make one that does with mixup(delivery, ...)")
        return self.pairing(_checked_epoch(epoch), self._positions(items))

    def __repr__(self) -> str:
        kind = "classes" if self.hard else "probabilities"
        return f"<Delivery {self.name}: {kind} for {self.n_items} items over {self.n_classes} classes>"

    def _positions(self, items: Any) -> np.ndarray | None:
        if items is None:
            return None
        array = np.asarray(items)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError(
                f"items are asked for by position, (r,) integers from 0 to {self.n_items - 1}, not by {array.dtype} of "
                f"shape {array.shape}"
            )
        if array.size and (array.min() < 0 or array.max() >= self.n_items):
            bad = array[(array < 0) | (array >= self.n_items)]
            raise ValueError(
                f"there are {self.n_items} items, 0..{self.n_items - 1}; {bad.size} of {array.size} positions asked "
                f"for are not among them, such as {bad[0]}"
            )
        return array.astype(np.int64, copy=False)


def checked_seed(seed: int) -> int:
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 2**64:
        raise ValueError(f"the seed is {seed!r}; expected a whole number from 0 to 2**64 - 1")
    return int(seed)


def _checked_epoch(epoch: int) -> int:
    if not isinstance(epoch, int | np.integer) or isinstance(epoch, bool) or not 0 <= epoch < 2**63:
        raise ValueError(f"the epoch is {epoch!r}; expected a whole number of 0 or more")
    return int(epoch)
