"""Features and targets as heads are trained on them, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

SUM_TOLERANCE = 1e-5


@dataclass(frozen=True, eq=False)
class Examples:
    """Features with their targets.

    features  (n, d) float32, contiguous
    targets   by name: (n,) int64 classes, (n, k) float32 probabilities, or anything with targets(epoch)
    weights   (n,) float32, what each item's loss is multiplied by
    k         classes
    """

    features: np.ndarray
    targets: Mapping[str, Any]
    weights: np.ndarray
    k: int

    @property
    def n(self) -> int:
        return int(self.features.shape[0])

    def of_epoch(self, name: str, epoch: int) -> tuple[np.ndarray, np.ndarray]:
        """Features and targets of one epoch: both may change with it.  -> (n, d), (n,) classes or (n, k) float32"""
        source = self.targets[name]
        if not hasattr(source, "targets"):
            return self.features, source
        given = checked_targets(source.targets(epoch), self.n, self.k, f"targets of epoch {epoch}")
        if not getattr(source, "mixes", False):
            return self.features, given
        mixing = source.mixing(epoch)
        own = mixing.weight.astype(np.float32)[:, None]
        return self.features * own + self.features[mixing.partner] * (1 - own), given


def training_examples(features: Any, targets: Any, weights: Any, names: set[str], k: int | None) -> Examples:
    """The items to train on, with the targets that the heads name."""
    rows = checked_features(features, "features")
    n = rows.shape[0]
    given = _named(targets, names)
    if k is None:
        k = max(_class_count(source) for source in given.values())
    found = {name: _source(source, n, k, "targets") for name, source in given.items()}
    return Examples(rows, found, _checked_weights(weights, n), k)


def validation_examples(features: Any, targets: Any, names: set[str], training: Examples) -> Examples:
    """The items to stop and to choose by; their targets do not change with the epoch."""
    rows = checked_features(features, "validation features")
    if rows.shape[1] != training.features.shape[1]:
        raise ValueError(
            f"validation features have {rows.shape[1]} columns, training features {training.features.shape[1]}; "
            "expected the same encoder for both"
        )
    n = rows.shape[0]
    found = {}
    for name, source in _named(targets, names).items():
        if hasattr(source, "targets"):
            raise ValueError(
                "validation targets must stay the same in every epoch, or losses cannot be compared; "
                "give classes or probabilities, such as delivery.targets(0)"
            )
        found[name] = _source(source, n, training.k, "validation targets")
        _check_known(found[name], training, name)
    return Examples(rows, found, np.ones(n, dtype=np.float32), training.k)


def checked_features(features: Any, what: str) -> np.ndarray:
    """(n, d) finite numbers as contiguous float32."""
    if hasattr(features, "detach"):
        features = features.detach().cpu().numpy()
    rows = np.asarray(features)
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(
            f"{what} have shape {rows.shape}; expected (n, d): one row per item, one column per feature, at least one "
            "of each"
        )
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is told below
        rows = np.ascontiguousarray(rows, dtype=np.float32)
    bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    if bad.size:
        column = int(np.flatnonzero(~np.isfinite(rows[bad[0]]))[0])
        raise ValueError(
            f"row {bad[0]} of {what} has {rows[bad[0], column]} in column {column}; expected finite numbers; "
            f"{bad.size} of {rows.shape[0]} rows are wrong: leave these items out or embed them again"
        )
    return rows


def checked_targets(targets: Any, n: int, k: int, what: str) -> np.ndarray:
    """(n,) classes as int64, or (n, k) probabilities as float32."""
    array = np.asarray(targets)
    if array.shape[:1] != (n,) or array.ndim > 2:
        raise ValueError(
            f"{what} have shape {array.shape}, but there are {n} rows of features; expected ({n},) or ({n}, {k})"
        )
    if array.ndim == 1:
        if array.dtype.kind not in "iu":
            raise ValueError(
                f"{what} of shape ({n},) are classes; expected integers from 0 to {k - 1}, not {array.dtype}"
            )
        bad = np.flatnonzero((array < 0) | (array >= k))
        if bad.size:
            raise ValueError(
                f"{what} give item {bad[0]} class {array[bad[0]]}, but there are {k} classes, 0..{k - 1}; {bad.size} "
                f"of {n} are out of range: state n_classes if there are more"
            )
        return array.astype(np.int64)  # a copy, as kernels are compiled for arrays that may be written to
    if array.shape[1] != k:
        raise ValueError(f"{what} have {array.shape[1]} columns; expected one for each of {k} classes")
    probs = array.astype(np.float64, copy=False)
    bad = np.flatnonzero(~(probs >= 0).all(axis=1) | ~(np.abs(probs.sum(axis=1) - 1) <= SUM_TOLERANCE))
    if bad.size:
        raise ValueError(
            f"{what} give item {bad[0]} the row {array[bad[0]].tolist()}; expected probabilities of 0 or more that sum "
            f"to 1; {bad.size} of {n} rows are wrong: counts become shares with Distributions.from_counts"
        )
    return np.ascontiguousarray(probs, dtype=np.float32)


def most_probable(targets: np.ndarray) -> np.ndarray:
    """The class with the most mass, the first of equals.  (n,) or (n, k) -> (n,) int64"""
    return targets if targets.ndim == 1 else targets.argmax(axis=1)


@dataclass(frozen=True, eq=False)
class _MostProbable:
    """A delivery whose targets are turned into classes epoch by epoch."""

    source: Any

    def targets(self, epoch: int) -> np.ndarray:
        return most_probable(np.asarray(self.source.targets(epoch)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.source, name)  # classes, whether it is fixed, how it mixes inputs: as delivered


def _named(targets: Any, names: set[str]) -> dict[str, Any]:
    if isinstance(targets, Mapping):
        missing = sorted(names - set(targets))
        if missing:
            raise ValueError(f"heads want the targets {missing[0]!r}, but only {sorted(targets)} are given")
        return {name: _plain(targets[name]) for name in sorted(names)}
    unknown = sorted(names - {"soft", "hard"})
    if unknown:
        raise ValueError(
            f"heads want the targets {unknown[0]!r}; one set of targets can be 'soft' or 'hard', others are given as "
            f"{{{unknown[0]!r}: ...}}"
        )
    plain = _plain(targets)
    return {name: _hard(plain) if name == "hard" else plain for name in sorted(names)}


def _plain(source: Any) -> Any:
    """A delivery as it is; Distributions, tensors and sequences as an array."""
    if hasattr(source, "targets"):
        return source
    if hasattr(source, "probs"):
        return source.probs
    if hasattr(source, "detach"):
        return source.detach().cpu().numpy()
    return np.asarray(source)


def _hard(source: Any) -> Any:
    if hasattr(source, "targets"):
        return _MostProbable(source)
    return most_probable(source) if source.ndim == 2 else source


def _class_count(source: Any) -> int:
    if hasattr(source, "n_classes"):
        return int(source.n_classes)
    if isinstance(source, _MostProbable):
        source = source.source
    array = np.asarray(source.targets(0)) if hasattr(source, "targets") else source
    if array.ndim == 2:
        return int(array.shape[1])
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
        return 0  # checked_targets says what is wrong with them
    k = int(array.max()) + 1
    absent = np.setdiff1d(np.arange(k), array)
    if absent.size and not hasattr(source, "targets"):
        raise ValueError(
            f"no training item has class {absent[0]}, though classes go up to {k - 1}; {absent.size} of {k} classes "
            "are missing: number the classes without gaps, or state n_classes"
        )
    return max(k, 2)


def _source(source: Any, n: int, k: int, what: str) -> Any:
    if hasattr(source, "targets"):
        first = checked_targets(source.targets(0), n, k, f"{what} of epoch 0")
        unchanging = getattr(source, "fixed", False) and not getattr(source, "mixes", False)
        return first if unchanging else source
    return checked_targets(source, n, k, what)


def _check_known(targets: np.ndarray, training: Examples, name: str) -> None:
    """Refuse validation mass on a class that training never shows, unless classes were drawn from the same rows."""
    seen = training.targets[name]
    if hasattr(seen, "targets") or seen.ndim == 1:
        return
    mass = targets.sum(axis=0) if targets.ndim == 2 else np.bincount(targets, minlength=training.k)
    unseen = np.flatnonzero((seen.sum(axis=0) == 0) & (mass > 0))
    if unseen.size:
        raise ValueError(
            f"class {unseen[0]} has mass in validation but none in training; {unseen.size} of {training.k} classes are "
            "missing from training: split so that training has every class"
        )


def _checked_weights(weights: Any, n: int) -> np.ndarray:
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
