"""Labels made from labels: smoother, sharper, sparser, pooled, shuffled, resampled. Arguments stay untouched.

A result has `votes` only if each row is still a share of that many votes: shuffled rows keep their numbers, resampled
rows have m, infilled rows keep the numbers of both sets. Otherwise `votes` is None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import item_positions, positions_of
from dissensus.labels.sampling import resample


@takes(d=Distributions)
def smooth(d: Distributions, amount: float) -> Distributions:
    """Spread a share `amount` of every row evenly over all classes: label smoothing.

        p' = (1 - amount) p + amount / k,   0 <= amount <= 1

    Szegedy et al. (2016), Rethinking the Inception architecture, sec. 7; Collins 2022 writes beta for amount.

    Parameters
    ----------
    d : Distributions
    amount : float
        From 0 (unchanged) to 1 (uniform).

    Returns
    -------
    Distributions

    Examples
    --------
    >>> smooth(Distributions([[1.0, 0.0]], ["a"], ("cat", "dog")), 0.2).probs
    array([[0.9, 0.1]])
    """
    if not 0 <= amount <= 1:
        raise ValueError(f"the smoothing amount is {amount}; expected a share from 0 (unchanged) to 1 (uniform)")
    return _with(d, (1 - amount) * d.probs + amount / d.n_classes)


@takes(d=Distributions)
def temper(d: Distributions, temperature: float) -> Distributions:
    """Sharpen rows (temperature below 1) or flatten them (above 1); classes without mass stay without.

        p'_c = p_c^(1/T) / sum_j p_j^(1/T)

    T = 0 leaves the largest class (equal ones share), T = inf is uniform over the classes that had mass.
    Hinton et al. (2015), Distilling the knowledge in a neural network, sec. 2.

    Parameters
    ----------
    d : Distributions
    temperature : float
        0 or more; 1 changes nothing.

    Returns
    -------
    Distributions

    Examples
    --------
    >>> temper(Distributions([[0.8, 0.2]], ["a"], ("cat", "dog")), 0.5).probs.round(3)
    array([[0.941, 0.059]])
    """
    if not temperature >= 0:
        raise ValueError(f"the temperature is {temperature}; expected 0 or more, where 1 changes nothing")
    peak = d.probs.max(axis=1, keepdims=True)  # (n, 1)
    if temperature == 0:
        return _with(d, d.probs == peak)
    some = d.probs > 0
    # Relative to the peak, so that the largest class has mass 1 and no row can underflow to nothing.
    log_ratio = np.log(d.probs, where=some, out=np.zeros(d.probs.shape)) - np.log(peak)  # (n, k)
    with np.errstate(over="ignore"):  # a tiny temperature sends the others to exp(-inf) = 0, as it should
        return _with(d, np.where(some, np.exp(log_ratio / temperature), 0.0))


@takes(d=Distributions)
def sparsify(d: Distributions, k_hat: int) -> Distributions:
    """Keep each row's k_hat largest classes, scaled to sum to 1; of equal classes those with the lowest code.

    Sucholutsky 2023, sec. 6, "sparse soft labels": the paper sets the other classes to 0 and does not mention scaling,
    which leaves the order of classes and the direction of the row as they were.

    Parameters
    ----------
    d : Distributions
    k_hat : int
        Number of classes to keep, from 1 to k.

    Returns
    -------
    Distributions

    Examples
    --------
    >>> sparsify(Distributions([[0.5, 0.3, 0.2]], ["a"], ("cat", "dog", "fox")), 2).probs
    array([[0.625, 0.375, 0.   ]])
    """
    largest = np.argsort(-d.probs, axis=1, kind="stable")[:, : class_count(k_hat, d)]  # (n, k_hat)
    mass = np.zeros(d.probs.shape)
    np.put_along_axis(mass, largest, np.take_along_axis(d.probs, largest, axis=1), axis=1)
    return _with(d, mass)


@takes(d=Distributions)
def class_means(d: Distributions, gold: np.ndarray) -> Distributions:
    """Every item gets the mean distribution of its gold class: confusable classes without confusing items.

    Peterson 2019, sec. 6.2, "class-level penalty".  gold: (n,) class codes
    """
    codes = _class_codes(gold, d.items, d.n_classes)
    total = np.zeros((d.n_classes, d.n_classes))  # gold class by class
    np.add.at(total, codes, d.probs)
    return _with(d, total[codes])


@takes(d=Distributions, other=Distributions)
def infill(d: Distributions, other: Distributions) -> Distributions:
    """`other` with its rows replaced by d's wherever d has the item: few good labels among many cheap ones.

    Items and classes come in the order of `other`; both are matched by name. Sucholutsky 2023, sec. 7.1:
    CIFAR-10S+hard is infill(s, one_hot(gold, ...)), CIFAR-10S+dense is infill(s, sparsify(dense, 2)).
    """
    if set(d.classes) != set(other.classes):
        raise ValueError(
            f"the classes {list(d.classes)} cannot be filled in from {list(other.classes)}; "
            "expected the same names in both, in any order"
        )
    rows = item_positions(d.items, other.items)
    absent = np.flatnonzero(rows < 0)
    if absent.size:
        raise ValueError(
            f"item {d.items[absent[0]]} is not among the {other.n_items} items to infill from; {absent.size} of "
            f"{d.n_items} are not: select the shared items first"
        )
    probs = other.probs.copy()
    probs[rows] = d.probs[:, positions_of(other.classes, d.classes)]
    votes = None
    if d.votes is not None and other.votes is not None:
        votes = other.votes.copy()
        votes[rows] = d.votes
    return Distributions(probs, other.items, other.classes, votes)


def one_hot(gold: np.ndarray, items: Any, classes: Sequence[str]) -> Distributions:
    """Make hard labels: certainty about the gold class of every item.

    Parameters
    ----------
    gold : (n,)
        Class codes.
    items : n names
    classes : k names

    Returns
    -------
    Distributions

    Examples
    --------
    >>> one_hot(np.array([1, 0]), ["a", "b"], ("cat", "dog")).probs
    array([[0., 1.],
           [1., 0.]])
    """
    codes = _class_codes(gold, np.asarray(items), len(classes))
    return Distributions(np.eye(len(classes))[codes], items, tuple(classes))


@takes(d=Distributions)
def shuffle(d: Distributions, rng: np.random.Generator, gold: np.ndarray | None = None) -> Distributions:
    """Deal rows to items at random: the same disagreement, no longer about its own item (Gheibi 2026, A.1).

    Parameters
    ----------
    d : Distributions
    rng : numpy Generator
    gold : (n,) or None
        Class codes. With them rows move only among items of the same class, which keeps accuracy and removes only what
        is particular to an item.

    Returns
    -------
    Distributions

    Examples
    --------
    >>> d = Distributions([[1.0, 0.0], [0.5, 0.5]], ["a", "b"], ("cat", "dog"))
    >>> shuffle(d, np.random.default_rng(0)).probs.sum(axis=0)
    array([1.5, 0.5])
    """
    if gold is None:
        source = rng.permutation(d.n_items)
    else:
        codes = _class_codes(gold, d.items, d.n_classes)
        source = np.empty(d.n_items, dtype=np.int64)
        source[np.argsort(codes, kind="stable")] = np.lexsort((rng.random(d.n_items), codes))
    return Distributions(d.probs[source], d.items, d.classes, None if d.votes is None else d.votes[source])


@takes(d=Distributions)
def random_labels(d: Distributions, rng: np.random.Generator) -> Distributions:
    """Control labels without information: each row drawn evenly from all distributions, Dirichlet(1, ..., 1).

    Collins 2022, sec. 5.2, trains on random labels without saying how they were drawn.
    """
    return _with(d, rng.dirichlet(np.ones(d.n_classes), size=d.n_items))


@takes(d=Distributions)
def uniform_labels(d: Distributions) -> Distributions:
    """Control labels without information: every class equally likely for every item."""
    return _with(d, np.ones(d.probs.shape))


# Transforms that need only parameters and randomness.
TRANSFORMS: dict[str, Callable[..., Distributions]] = {
    "smoothed": smooth,
    "tempered": temper,
    "sparsest": sparsify,
    "shuffled": shuffle,
    "random_labels": random_labels,
    "uniform_labels": uniform_labels,
    "resampled": resample,
}


def _with(d: Distributions, mass: np.ndarray) -> Distributions:
    return Distributions.from_mass(mass, items=d.items, classes=d.classes)


def class_count(k_hat: int, d: Distributions) -> int:
    if not 1 <= k_hat <= d.n_classes:
        raise ValueError(f"{k_hat} classes cannot be kept of {d.n_classes}; expected k_hat from 1 to {d.n_classes}")
    return k_hat


def _class_codes(gold: np.ndarray, items: np.ndarray, k: int) -> np.ndarray:
    codes = np.asarray(gold)
    if codes.shape != items.shape or (codes.size and codes.dtype.kind not in "iu"):
        raise ValueError(
            f"gold has {codes.dtype} of shape {codes.shape}; expected one integer class code for each of "
            f"{items.size} items"
        )
    bad = np.flatnonzero((codes < 0) | (codes >= k))
    if bad.size:
        raise ValueError(
            f"item {items[bad[0]]} has gold class {codes[bad[0]]}, but there are {k} classes, 0..{k - 1}; "
            f"{bad.size} of {codes.size} are out of range"
        )
    return codes.astype(np.int64)
