"""Proposition 1 in numbers: the effect of drawing a label on loss and gradient, for the votes of CIFAR-10H."""

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
ITEMS, EPOCHS, SEEDS = 1_000, 400, 10
JACOBIANS = 20  # images for which gradients by all parameters are formed
INPUTS, HIDDEN = 6, 5  # of the network for equation 7
STEP = 1e-30  # of complex differentiation, which has no rounding by subtraction
ROUNDING = 1e-12
SETTINGS = {"items": ITEMS, "epochs": EPOCHS, "seeds": SEEDS, "jacobians": JACOBIANS, "seed": SEED, "version": 4}


def proposition(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Both sides of equations 4 to 8 for random logits, and the loss of labels that SLS delivers, by seed."""
    people = as_distributions(load("cifar10h").labels)
    rng = np.random.default_rng(SEED)
    q = softmax(rng.normal(0, 2, (people.n_items, people.n_classes)))
    disputed = np.argsort(-entropy(people.probs), kind="stable")[:ITEMS]
    chosen = people.select(disputed)
    errors = {f"seed {seed}": squared_error(chosen, q[disputed], sls(chosen, seed)) for seed in range(SEEDS)}
    return {
        **sides(people.probs, q),
        "parameters": parameter_gap(people.probs[disputed[:JACOBIANS]], rng),
        "growth": growth_by_class(people),
        "squared_error": errors,
    }


def sides(p: np.ndarray, q: np.ndarray) -> dict[str, float]:
    """Largest difference between both sides of each equation, summed over all classes y with their weights p_y.

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
        "unanimous": float(np.abs(extra[sure]).max(initial=0.0)),
    }


def parameter_gap(p: np.ndarray, rng: np.random.Generator) -> float:
    """Largest difference between both sides of equation 7, for a network of two layers.

    Left, the covariance of the gradients of -log q_y by all parameters, weighted by p_y; right, the Jacobian of the
    logits around Diag(p) - pp'. Both derivatives are by complex steps, exact to rounding.

    p: (n, k) rows sum to 1
    """
    n, k = p.shape
    parameters = rng.normal(0, 1, HIDDEN * (INPUTS + 1) + k * (HIDDEN + 1))
    nudged = parameters + 1j * STEP * np.eye(parameters.size)  # one parameter in each row
    gap = 0.0
    for target, x in zip(p, rng.normal(0, 1, (n, INPUTS)), strict=True):
        logits = _logits(nudged, x, k)  # (parameters, k)
        losses = np.log(np.exp(logits).sum(axis=1, keepdims=True)) - logits
        jacobian, gradients = logits.imag.T / STEP, losses.imag.T / STEP  # (k, parameters)
        apart = gradients - target @ gradients
        covariance = (apart * target[:, None]).T @ apart
        closed = jacobian.T @ (np.diag(target) - np.outer(target, target)) @ jacobian
        gap = max(gap, float(np.abs(covariance - closed).max()))
    return gap


def _logits(parameters: np.ndarray, x: np.ndarray, k: int) -> np.ndarray:
    """Logits of the network for each row of parameters.  (r, parameters), (inputs,) -> (r, k)"""
    ends = np.cumsum([HIDDEN * INPUTS, HIDDEN, k * HIDDEN])
    first, first_bias, second, bias = np.split(parameters, ends, axis=1)
    hidden = np.tanh(first.reshape(-1, HIDDEN, INPUTS) @ x + first_bias)  # (r, hidden)
    return np.asarray(np.einsum("rkh,rh->rk", second.reshape(-1, k, HIDDEN), hidden) + bias)


def growth_by_class(people: Distributions) -> dict[str, float]:
    """Rank correlation of 1 - |p|^2 with entropy, among the images of each class by majority."""
    extra, spread = 1 - (people.probs**2).sum(axis=1), entropy(people.probs)
    majority = people.probs.argmax(axis=1)
    return {
        str(name): float(spearmanr(extra[majority == place], spread[majority == place]).statistic)
        for place, name in enumerate(people.classes)
        if np.unique(spread[majority == place]).size > 1
    }


def squared_error(people: Distributions, q: np.ndarray, delivery: Delivery) -> float:
    """Squared distance of the mean loss of delivered labels from the soft cross-entropy, in units of its variance.

        mean over items of (mean loss over epochs - H(p, q))^2 / variance of that mean

    which is 1, but for chance, if each label is drawn from its item's own distribution, and larger otherwise. Items
    without disagreement have no variance and are left out.  q: (n, k)
    """
    rows = np.arange(people.n_items)
    losses = np.stack([-np.log(q[rows, delivery.targets(epoch)]) for epoch in range(EPOCHS)])  # (epochs, n)
    expected = _cross_entropy(people.probs, q)
    variance = ((people.probs * np.log(q) ** 2).sum(axis=1) - expected**2) / EPOCHS
    some = variance > ROUNDING
    return float(((losses.mean(axis=0) - expected)[some] ** 2 / variance[some]).mean())


def _cross_entropy(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """H(p, q) as KL and entropy, another way to it than the mean over drawn classes.  (n, k) -> (n,)"""
    from dissensus.evaluate.closeness import kl_to_people

    return np.asarray(kl_to_people(q, p) + entropy(p))
