"""Intervals of scorecards and comparisons over items, in worlds where the score of endlessly many items is known.

The truth of each score is that of 200,000 items of the same world, with as many votes each. Models: `sure` is people's
distribution sharpened, so that a few items cost most of the loss; `near` is close to people; `calibrated` has
confidence that is right on average. Methods were chosen on seeds below 1000, which the record leaves out.

RMSE calibration has bins of 100 items, so few items have fewer bins than endlessly many and another truth: it is left
out here. The ECE of a calibrated model is raised by chance, so its intervals cover less: see `pivotal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from benchmarks.intervals.worlds import WORLDS, World
from dissensus.evaluate.comparisons import compare
from dissensus.evaluate.one_pass import sweep
from dissensus.evaluate.scorecards import scorecard
from dissensus.labels.intervals import Interval

MANY = 200_000
REPLICATES = 300
SCORES = (
    "soft_nll",
    "kl",
    "js",
    "brier",
    "accuracy",
    "vote_accuracy",
    "second_best_accuracy",
    "ece_equal_mass",
    "smooth_ece",
    "entropy_pearson",
    "entropy_spearman",
)
Model = Callable[[np.ndarray, np.random.Generator], np.ndarray]  # (n, k) true distributions -> (n, k) predictions


def sure(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 0.98 * _sharpen(truth, 3.0) + 0.02 / truth.shape[1]


def near(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return _sharpen(truth * np.exp(rng.normal(0, 0.05, truth.shape)) + 1e-3, 1.0)


def noisy(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return 0.7 * truth + 0.3 * rng.dirichlet(np.ones(truth.shape[1]), len(truth))


def true_model(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return truth


CARDS: dict[str, tuple[str, int, int, Model]] = {
    "30 items, 5 votes, too sure a model": ("Dirichlet", 30, 5, sure),
    "100 items, 5 votes, too sure a model": ("Dirichlet", 100, 5, sure),
    "300 items, 3 votes, too sure a model": ("logit-normal", 300, 3, sure),
    "100 items, 20 votes, accuracy near 1": ("sparse confusion", 100, 20, sure),
    "300 items, 100 votes, a model close to people": ("logit-normal", 300, 100, near),
    "60 items, 100 votes, a model close to people": ("Dirichlet", 60, 100, near),
    "500 items, 5 votes, a calibrated model": ("Dirichlet", 500, 5, true_model),
    "40 items, 10 votes, guessing": ("guessing", 40, 10, noisy),
}


def cases() -> Iterator[Case]:
    for world, (name, n, votes, model) in CARDS.items():
        drawn_from = WORLDS[name]
        many = sweep(*_drawn(drawn_from, MANY, votes, (model,), np.random.default_rng(7))[::-1])
        truth = {score: many[score] for score in SCORES if np.isfinite(many[score])}
        yield Case("scorecard", f"{name}, {world}", truth, partial(_card, drawn_from, n, votes, model, tuple(truth)))
    for sizes, title in (
        (np.full(30, 5), "30 clusters of 5"),
        (np.geomspace(1, 40, 20).astype(int), "20 clusters of 1 to 40"),
    ):
        yield Case(
            "scorecard", f"Dirichlet, differences over {title} items", _cluster_truth(sizes), partial(_cluster, sizes)
        )
    world, n, votes = WORLDS["logit-normal"], 100, 5
    people, first, second = _drawn(world, MANY, votes, (sure, noisy), np.random.default_rng(7))
    a, b = sweep(first, people), sweep(second, people)
    scores = ("soft_nll", "js", "brier", "accuracy", "entropy_pearson", "entropy_spearman")
    apart = {score: b[score] - a[score] for score in scores}
    yield Case("scorecard", "logit-normal, differences over 100 items", apart, partial(_differences, world, n, votes))


def _card(
    world: World, n: int, votes: int, model: Model, scores: tuple[str, ...], rng: np.random.Generator
) -> Mapping[str, Interval]:
    people, predictions = _drawn(world, n, votes, (model,), rng)
    card = scorecard(predictions, people, rng=rng, ceiling=False, replicates=REPLICATES)
    return {score: card.scores[score] for score in scores if not np.isnan(card.scores[score].value)}


def _differences(world: World, n: int, votes: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    people, first, second = _drawn(world, n, votes, (sure, noisy), rng)
    result = compare({"a": first, "b": second}, people, rng=rng, ceiling=False, replicates=REPLICATES)
    return {difference.score: difference.interval for difference in result.differences}


def _cluster(sizes: np.ndarray, rng: np.random.Generator) -> Mapping[str, Interval]:
    people, first, second = _in_clusters(sizes, rng)
    clusters = np.repeat(np.arange(sizes.size), sizes)
    result = compare(
        {"a": first, "b": second}, people, rng=rng, clusters=clusters, ceiling=False, replicates=REPLICATES
    )
    return {d.score: d.interval for d in result.differences if d.score in ("soft_nll", "js", "brier")}


def _cluster_truth(sizes: np.ndarray) -> dict[str, float]:
    people, first, second = _in_clusters(np.tile(sizes, MANY // sizes.sum()), np.random.default_rng(7))
    a, b = sweep(first, people), sweep(second, people)
    return {score: b[score] - a[score] for score in ("soft_nll", "js", "brier")}


def _in_clusters(sizes: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People, and two models whose quality differs from cluster to cluster."""
    people, first = _drawn(WORLDS["Dirichlet"], int(sizes.sum()), 5, (sure,), rng)
    share = np.repeat(rng.beta(1, 1, sizes.size), sizes)[:, None]
    return people, first, (1 - share) * first + share / people.shape[1]


def _drawn(
    world: World, n: int, votes: int, models: tuple[Model, ...], rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Shares of votes, and each model's predictions.  (n, k) each"""
    truth = world(n, rng)
    return rng.multinomial(votes, truth) / votes, *(model(truth, rng) for model in models)


def _sharpen(rows: np.ndarray, power: float) -> np.ndarray:
    mass = rows**power
    return mass / mass.sum(axis=1, keepdims=True)
