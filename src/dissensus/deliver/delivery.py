"""Delivery: the target of every item in every epoch."""

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
    """Partner of each item in a mixture, and the weight of the item itself.

        input = weight x[item] + (1 - weight) x[partner]

    Attributes
    ----------
    partner : (r,) int64 positions
    weight : (r,) from 0 to 1

    Examples
    --------
    >>> mixing = Mixing(partner=np.array([1, 0]), weight=np.array([0.9, 0.6]))
    >>> inputs = np.array([10.0, 20.0])
    >>> mixing.weight * inputs + (1 - mixing.weight) * inputs[mixing.partner]
    array([11., 16.])
    """

    partner: np.ndarray
    weight: np.ndarray

    __repr__ = shapes


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Delivery:
    """Targets as a function of the epoch, without state: any epoch can be computed at any time.

    Attributes
    ----------
    name : str
        How it was made, such as "smoothed(sls, 0.1)".
    items : (n,) names
    classes : k names
    hard : bool
        Whether targets are classes, (n,) int64; otherwise they are probabilities, (n, k) float64, rows sum to 1.
    fixed : bool
        Whether every epoch has the same targets.
    rule : (epoch, positions of items or None for all) -> targets
        Picklable, so that worker processes can receive it.
    pairing : like rule, but returns a Mixing
        None if inputs are not mixed.

    Examples
    --------
    >>> delivery = soft(Votes.of(["a", "a", "b"], ["cat", "dog", "dog"]))
    >>> delivery.targets(epoch=0)
    array([[0.5, 0.5],
           [0. , 1. ]])
    >>> delivery.targets(epoch=7, items=[1])
    array([[0., 1.]])
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
        """Whether inputs must be mixed according to `mixing`, so that they match the targets."""
        return self.pairing is not None

    def targets(self, epoch: int, items: Any = None) -> np.ndarray:
        """Return the targets of all items, or of some by position, in that order.

        targets(epoch, items) equals targets(epoch)[items], in any process and any order of calls. To draw anew for
        every batch, count steps instead of epochs. The result may be read-only: copy it before writing.

        Parameters
        ----------
        epoch : int, 0 or more
        items : (r,) positions, repeats allowed
            All items by default.

        Returns
        -------
        (r,) int64 classes or (r, k) float64 probabilities
        """
        return self.rule(_checked_epoch(epoch), self._positions(items))

    def mixing(self, epoch: int, items: Any = None) -> Mixing:
        """Return how inputs are mixed in this epoch; only for deliveries whose `mixes` is true."""
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
                f"items are selected by position, (r,) integers from 0 to {self.n_items - 1}, not by {array.dtype} of "
                f"shape {array.shape}"
            )
        if array.size and (array.min() < 0 or array.max() >= self.n_items):
            bad = array[(array < 0) | (array >= self.n_items)]
            raise ValueError(
                f"there are {self.n_items} items, 0..{self.n_items - 1}; {bad.size} of {array.size} positions are "
                f"out of range, such as {bad[0]}"
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
