"""Features with their deliveries, checked, as the engines take them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dissensus.deliver.delivery import Delivery
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.matching import check_same_order
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.row_sums import SUM_TOLERANCE
from dissensus.labels.votes import Votes
from dissensus.train.heads.features import FeatureTable, feature_rows
from dissensus.train.targets import Classes, as_delivery, most_probable


@dataclass(frozen=True, eq=False)
class Examples:
    """Items to learn from.

    features    (n, d) float32, contiguous
    deliveries  by the names in `HeadConfig.targets`, all for the same n items and k classes
    weights     (n,) float32, the factor of each item's loss
    """

    features: np.ndarray
    deliveries: Mapping[str, Delivery]
    weights: np.ndarray
    _unchanging: dict[str, np.ndarray] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for name, delivery in self.deliveries.items():
            if delivery.fixed and not delivery.mixes:
                self._unchanging[name] = _evaluate_targets(delivery, 0)

    @property
    def n(self) -> int:
        return int(self.features.shape[0])

    @property
    def classes(self) -> tuple[str, ...]:
        return next(iter(self.deliveries.values())).classes

    @property
    def k(self) -> int:
        return len(self.classes)

    def of_epoch(self, name: str, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """Features and targets of one epoch: both may change with it.  -> (n, d), (n,) int64 or (n, k) float32"""
        if name in self._unchanging:
            return self.features, self._unchanging[name]
        delivery = self.deliveries[name]
        targets = _evaluate_targets(delivery, epoch)
        if not delivery.mixes:
            return self.features, targets
        mixing = delivery.mixing(epoch)
        own = mixing.weight.astype(np.float32)[:, None]
        return self.features * own + self.features[mixing.partner] * (1 - own), targets


def training_examples(features: Any, targets: Any, weights: Any, names: set[str], n_classes: int | None) -> Examples:
    """Make the examples to train on, with the targets that the heads name."""
    rows = feature_rows(features)
    deliveries = _deliveries(targets, names, n_classes, "targets")
    _check_items(deliveries, features, rows, "features")
    return Examples(rows, deliveries, _check_weights(weights, rows.shape[0]))


def validation_examples(features: Any, targets: Any, names: set[str], training: Examples) -> Examples:
    """Make the examples to validate on; their targets do not change with the epoch."""
    rows = feature_rows(features, "validation features")
    if rows.shape[1] != training.features.shape[1]:
        raise ValueError(
            f"validation features have {rows.shape[1]} columns, training features {training.features.shape[1]}; "
            "expected the same encoder for both"
        )
    deliveries = _deliveries(targets, names, training.classes, "validation targets")
    _check_items(deliveries, features, rows, "validation features")
    for name, delivery in deliveries.items():
        if not delivery.fixed:
            raise Refusal(
                f"validation targets must stay the same in every epoch, or losses cannot be compared, but {name} are "
                f"delivered by {delivery.name}; expected classes or probabilities",
                ways=[PythonWay("pass delivery.targets(0)")],
            )
    examples = Examples(rows, deliveries, np.ones(rows.shape[0], dtype=np.float32))
    for name in deliveries:
        _check_known(name, training, examples)
    return examples


def _deliveries(targets: Any, names: set[str], classes: Classes, what: str) -> dict[str, Delivery]:
    """Make one delivery per name; one set of targets serves as soft and as hard targets."""
    if not isinstance(targets, Mapping):
        unknown = sorted(names - {"soft", "hard"})
        if unknown:
            raise ValueError(
                f"heads want the targets {unknown[0]!r}; one set of targets can be 'soft' or 'hard', others are given "
                f"as {{{unknown[0]!r}: ...}}"
            )
        delivery = as_delivery(targets, classes, what)
        return {name: most_probable(delivery) if name == "hard" else delivery for name in sorted(names)}
    missing = sorted(names - set(targets))
    if missing:
        raise ValueError(f"heads want the targets {missing[0]!r}, but only {sorted(targets)} are given")
    if classes is None:
        classes = _widest([targets[name] for name in sorted(names)])
    return {name: as_delivery(targets[name], classes, what) for name in sorted(names)}


def _widest(targets: list[Any]) -> Classes:
    """Return the classes of several targets: those that labels name, else those of the targets with most classes."""
    for given in targets:
        if isinstance(given, Delivery | Votes | Beliefs | Distributions):
            return given.classes
    return max((as_delivery(given).classes for given in targets), key=len)


def _check_items(deliveries: Mapping[str, Delivery], features: Any, rows: np.ndarray, noun: str) -> None:
    items = features.items if isinstance(features, FeatureTable) else row_numbers(len(rows))
    for delivery in deliveries.values():
        check_same_order(items, delivery.items, (noun, f"targets ({delivery.name})"))


def _evaluate_targets(delivery: Delivery, epoch: int) -> np.ndarray:
    """One epoch's targets in the types of the kernels, which trust them.  -> (n,) int64 or (n, k) float32, a copy

    Only deliveries of users can violate this: those of this package are checked when they are made.
    """
    n, k = delivery.n_items, delivery.n_classes
    targets = np.asarray(delivery.targets(epoch))
    shape, kinds = ((n,), "iu") if delivery.hard else ((n, k), "f")
    if targets.shape != shape or targets.dtype.kind not in kinds:
        raise ValueError(
            f"the delivery {delivery.name} gives {targets.dtype} of shape {targets.shape} in epoch {epoch}; expected "
            f"{'classes' if delivery.hard else 'probabilities'} of shape {shape}"
        )
    if delivery.hard:
        bad = np.flatnonzero((targets < 0) | (targets >= k))
    else:
        bad = np.flatnonzero(~(targets >= 0).all(axis=1) | ~(np.abs(targets.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if bad.size:
        expected = f"a class from 0 to {k - 1}" if delivery.hard else "probabilities of 0 or more that sum to 1"
        raise ValueError(
            f"the delivery {delivery.name} gives item {bad[0]} the target {targets[bad[0]].tolist()} in epoch {epoch}; "
            f"expected {expected}; {bad.size} of {n} items have others"
        )
    # A copy, as kernels are compiled for arrays that may be written to.
    return np.array(targets, dtype=np.int64 if delivery.hard else np.float32, order="C")


def _check_known(name: str, training: Examples, validation: Examples) -> None:
    """Refuse validation mass on a class that training never shows, unless classes were drawn from the same rows."""
    delivery = training.deliveries[name]
    if delivery.hard or not delivery.fixed or delivery.mixes:
        return
    _, seen = training.of_epoch(name, 0)
    _, held = validation.of_epoch(name, 0)
    mass = held.sum(axis=0) if held.ndim == 2 else np.bincount(held, minlength=training.k)
    unseen = np.flatnonzero((seen.sum(axis=0) == 0) & (mass > 0))
    if unseen.size:
        raise ValueError(
            f"class {training.classes[unseen[0]]} has mass in validation but none in training; {unseen.size} of "
            f"{training.k} classes are missing from training: split so that training has every class"
        )


def _check_weights(weights: Any, n: int) -> np.ndarray:
    if weights is None:
        return np.ones(n, dtype=np.float32)
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(f"weights have shape {array.shape}, but there are {n} items; expected ({n},)")
    bad = np.flatnonzero(~(array >= 0) | np.isinf(array))
    if bad.size:
        raise ValueError(
            f"item {bad[0]} has weight {array[bad[0]]}; expected 0 or more; {bad.size} of {n} weights are wrong"
        )
    return array.astype(np.float32)
