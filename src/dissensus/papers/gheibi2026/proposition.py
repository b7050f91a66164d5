"""Proposition 1 in numbers: what drawing a label does to loss and gradient, on what people said of CIFAR-10H."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from dissensus.datasets.catalogue import load
from dissensus.deliver.delivery import Delivery
from dissensus.deliver.one_answer import sls
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.papers.paper import Tell
from dissensus.train.model import softmax

SEED = 2026
ITEMS, EPOCHS = 1_000, 400
ROUNDING = 1e-12
SETTINGS = {"items": ITEMS, "epochs": EPOCHS, "seed": SEED, "version": 2}


def proposition(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Both sides of equations 4 to 8 for logits drawn at random, and the same from labels that SLS delivers."""
    people = as_distributions(load("cifar10h").labels)
    rng = np.random.default_rng(SEED)
    logits = rng.normal(0, 2, (people.n_items, people.n_classes))
    q, p = softmax(logits), people.probs
    disputed = np.argsort(-entropy(p), kind="stable")[:ITEMS]
    chosen = people.select(disputed)
    return sides(p, q) | measure_delivery(chosen, q[disputed], sls(chosen, SEED)) | {"items": people.n_items}


def sides(p: np.ndarray, q: np.ndarray) -> dict[str, float]:
    """How far both sides of each equation are apart at most, summed over all classes y with their weights p_y.

    p, q: (n, k) rows sum to 1
    """
    k = p.shape[1]
    loss = -np.log(q)
    ends = np.eye(k)
    gradient = q[:, None, :] - ends  # (n, y, k)
    mean = np.einsum("ny,nyk->nk", p, gradient)
    apart = gradient - mean[:, None, :]
    covariance = np.einsum("ny,nyj,nyk->njk", p, apart, apart)
    closed = p[:, :, None] * ends - p[:, :, None] * p[:, None, :]
    square = (p * (gradient**2).sum(axis=2)).sum(axis=1)
    extra = 1 - (p**2).sum(axis=1)
    sure = p.max(axis=1) == 1
    return {
        "loss": float(np.abs((p * loss).sum(axis=1) - _cross_entropy(p, q)).max()),
        "gradient": float(np.abs(mean - (q - p)).max()),
        "covariance": float(np.abs(covariance - closed).max()),
        "square": float(np.abs(square - ((q - p) ** 2).sum(axis=1) - extra).max()),
        "extra where all agree": float(np.abs(extra[sure]).max(initial=0.0)),
        "extra and entropy": float(spearmanr(extra, entropy(p)).statistic),
    }


def measure_delivery(people: Distributions, q: np.ndarray, delivery: Delivery) -> dict[str, float]:
    """How far the mean loss of delivered labels over many epochs is from the soft cross-entropy, item by item.

        mean over items of ((mean loss - H(p, q)) / standard error)^2

    which is 1, but for chance, where each label is drawn from its item's own distribution, and larger otherwise. Items
    that all agree about have no standard error and are left out.  q: (n, k)
    """
    rows = np.arange(people.n_items)
    losses = np.stack([-np.log(q[rows, delivery.targets(epoch)]) for epoch in range(EPOCHS)])  # (epochs, n)
    expected = _cross_entropy(people.probs, q)
    variance = ((people.probs * np.log(q) ** 2).sum(axis=1) - expected**2) / EPOCHS
    some = variance > ROUNDING
    squares = (losses.mean(axis=0) - expected)[some] ** 2 / variance[some]
    return {"squared errors": float(squares.mean()), "disputed": int(some.sum())}


def _cross_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """H(p, q) as KL and entropy, which is another way to it than the mean over drawn classes.  (n, k) -> (n,)"""
    from dissensus.evaluate.closeness import kl_to_people

    return np.asarray(kl_to_people(q, p) + entropy(p))
