"""Worlds of items whose true distributions are known, to draw votes from.

    truth, counts = drawn(WORLDS["sparse confusion"], n=200, per_item=5, rng)

They differ in the assumptions of estimators: `shrinkage` has Dirichlet priors, and only one world is a Dirichlet.
Votes with annotators come from `dissensus.labels.simulate.simulate_votes(truth, ...)`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dissensus.labels.distributions import Distributions

World = Callable[[int, np.random.Generator], np.ndarray]  # (n, rng) -> (n, k) true distributions, rows sum to 1


def dirichlet(n: int, rng: np.random.Generator) -> np.ndarray:
    """4 classes of which the first is the most frequent; most items are contested a little.  -> (n, 4)"""
    return rng.dirichlet([1.2, 0.6, 0.4, 0.2], size=n)


def logit_normal(n: int, rng: np.random.Generator) -> np.ndarray:
    """5 classes, softmax of correlated normals: no class is ever impossible, neighbours go together.  -> (n, 5)"""
    k = 5
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    logits = rng.multivariate_normal(np.linspace(0.5, -0.5, k), 4 * 0.5**distance, size=n)
    mass = np.exp(logits - logits.max(axis=1, keepdims=True))
    return mass / mass.sum(axis=1, keepdims=True)


def sparse_confusion(n: int, rng: np.random.Generator) -> np.ndarray:
    """10 classes; 6 items in 10 are certain, the others are divided between a class and its one partner.  -> (n, 10)

    As pictures are: cat or dog, automobile or truck; all other classes are impossible.
    """
    k = 10
    probs = np.zeros((n, k))
    first = rng.integers(0, k, n)
    divided = np.where(rng.random(n) < 0.6, 0.0, rng.uniform(0.05, 0.5, n))
    probs[np.arange(n), first] = 1 - divided
    probs[np.arange(n), first ^ 1] = divided
    return probs


def guessing_world(n: int, rng: np.random.Generator) -> np.ndarray:
    """3 unbalanced classes, every item certain, but one answer in five is a blind guess.  -> (n, 3)

    So each item's votes come from one of three distributions: a prior of three points, far from any Dirichlet.
    """
    k = 3
    first = rng.choice(k, size=n, p=[0.7, 0.2, 0.1])
    return 0.8 * np.eye(k)[first] + 0.2 / k


WORLDS: dict[str, World] = {
    "Dirichlet": dirichlet,
    "logit-normal": logit_normal,
    "sparse confusion": sparse_confusion,
    "guessing": guessing_world,
}


def drawn(
    world: World, n: int, per_item: int | np.ndarray, rng: np.random.Generator
) -> tuple[Distributions, np.ndarray]:
    """n fresh items of the world, and the votes of people who each answer from the item's distribution.

    per_item: votes on each item, one number or (n,) -> the true distributions, and counts of votes (n, k)
    """
    probs = world(n, rng)
    truth = Distributions(probs, np.arange(n), tuple(map(str, range(probs.shape[1]))))
    return truth, rng.multinomial(per_item, truth.probs)
