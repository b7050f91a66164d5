"""When adaptive allocation helps: votes needed relative to uniform asking, over sets and simulated crowds.

Each item's votes are put in a random order. A third of them (one at least) are kept back and only score the estimate,
by their cross-entropy: it differs from the KL from the true distribution by the truth's entropy, the same for every
way of asking. The others are handed out one by one. Simulated crowds are scored by their known truth.

    uniform   the fewest votes first
    greedy    the largest expected drop from the first vote on, without a check of the gain (`sure=-inf`)
    ours      the same rule, but uniform until the gain is significant (the default)

All three are estimated by the same shrinkage. Settings were chosen on the sets of TUNING with seeds below 100; those of
ASIDE and the seeds from 1000 on were first used in the recorded run.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from scipy.stats import t as student

from dissensus.datasets import load
from dissensus.labels.sampling import evenly_spaced
from dissensus.plan.allocation import spend
from dissensus.plan.replays import shrink_counts

ITEMS = 2000  # the most of a set, evenly spaced
# name -> fewest votes of an item that is used, and the K of uniform asking at which ways are compared
TUNING = {
    "cifar10h-annotators": (0, (3, 5, 10)),
    "chaosnli-snli": (0, (3, 5, 10)),
    "crowd-bluebird": (0, (3, 5, 10)),
    "popquorn": (8, (2, 3, 4)),
    "crowd-adult": (10, (2, 3, 4)),
    "hs-brexit": (6, (2, 3)),
    "crowd-sentiment-polarity": (5, (2, 3)),
}
ASIDE = {
    "chaosnli-mnli": (0, (3, 5, 10)),
    "crowd-tweet-sentiment": (0, (3, 5, 10)),
    "crowd-relevance": (8, (2, 3, 4)),
    "convabuse": (5, (2, 3)),
    "crowd-weather-cf": (5, (2, 3)),
    "crowd-fact-eval": (5, (2, 3)),
    "crowd-caries": (5, (2, 3)),
}
CROWDS = {"all as disputed": (3, 5, 10), "mostly unanimous": (3, 5, 10), "a mixture": (3, 5, 10)}
WAYS = {
    "uniform": {"rule": "uniform"},
    "greedy": {"rule": "expected-error", "sure": -np.inf},
    "ours": {"rule": "expected-error"},
}


def simulate_truth(world: str, rng: np.random.Generator, n: int = 1000) -> np.ndarray:
    """The true distributions of n items over five classes.  (n, 5)"""
    clear = rng.permuted(np.tile([0.996, 0.001, 0.001, 0.001, 0.001], (n, 1)), axis=1)
    split = rng.permuted(np.tile([0.5, 0.3, 0.1, 0.05, 0.05], (n, 1)), axis=1)
    if world == "all as disputed":
        return split
    doubtful = rng.dirichlet(np.full(5, 0.5), n)
    kind = rng.random((n, 1))
    if world == "mostly unanimous":
        return np.where(kind < 0.8, clear, split)
    return np.where(kind < 1 / 3, clear, np.where(kind < 2 / 3, split, doubtful))


def votes_in_order(name: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Votes to hand out, -1 after the last; how many there are; what scores.  (n, most), (n,), (n, k) rows sum to 1"""
    if name in CROWDS:
        truth = simulate_truth(name, rng)
        edges = np.cumsum(truth, axis=1)[:, None, :-1]
        return (rng.random((truth.shape[0], 100, 1)) > edges).sum(axis=2), np.full(truth.shape[0], 100), truth
    least, _ = (TUNING | ASIDE)[name]
    counts = load(name).labels.counts()
    counts = counts[counts.sum(axis=1) >= max(least, 2)]
    counts = counts[evenly_spaced(counts.shape[0], ITEMS)]
    n, k = counts.shape
    size = counts.sum(axis=1)
    item = np.repeat(np.arange(n), size)
    choice = np.repeat(np.tile(np.arange(k), n), counts.reshape(-1))
    by_item = np.lexsort((rng.random(item.size), item))
    place = np.arange(item.size) - np.repeat(np.cumsum(size) - size, size)
    sequence = np.full((n, int(size.max())), -1, dtype=np.int64)
    sequence[item, place] = choice[by_item]
    kept = np.maximum(1, size // 3)
    scoring = np.zeros((n, k))
    back = place >= (size - kept)[item]
    np.add.at(scoring, (item[back], choice[by_item][back]), 1.0)
    return sequence, size - kept, scoring / kept[:, None]


def budgets_of(name: str) -> np.ndarray:
    """Votes per item at which errors are taken: dense enough around every K to read off what is needed.  rising"""
    depths = CROWDS[name] if name in CROWDS else (TUNING | ASIDE)[name][1]
    return np.unique(np.concatenate([depth * np.array([0.6, 0.75, 0.9, 1.0, 1.15, 1.3]) for depth in depths]).round(3))


def compare_strategies(name: str, seed: int) -> dict[str, Any]:
    """The cross-entropy of each way of asking at each budget, all from the same votes."""
    order_rng, tie_rng = np.random.default_rng(seed).spawn(2)
    sequence, size, scoring = votes_in_order(name, order_rng)
    n, k = scoring.shape
    budgets = np.round(budgets_of(name) * n).astype(np.int64)
    budgets = budgets[budgets <= size.sum()]
    result: dict[str, Any] = {"items": n, "spent": (budgets / n).round(4).tolist()}
    for way, options in WAYS.items():
        ties = copy.deepcopy(tie_rng)  # the same for all, so that ways which ask alike come out alike
        counts, errors = np.zeros((n, k), dtype=np.int64), []
        for more in np.diff(budgets, prepend=0).tolist():
            counts = spend(
                counts,
                more,
                lambda who, now: sequence[who, now[who].sum(axis=1)],
                ties,
                most=size,
                portion=max(1, n // 40),
                **options,
            )
            errors.append(float(-(scoring * np.log(shrink_counts(counts))).sum(axis=1).mean()))
        result[way] = np.round(errors, 5).tolist()
    return result


def relative_votes(runs: list[dict[str, Any]], way: str, depth: int) -> float:
    """Votes that a way needs for what uniform asking reaches with `depth`, relative to uniform asking; 1 is alike.

    From the means of all runs. Uniform asking is read off its own curve in the same way, so that bends which chance
    puts into both cancel.
    """
    spent = np.array(runs[0]["spent"])
    at = int(np.argmin(np.abs(spent - depth)))
    uniform, error = (np.mean([run[name] for run in runs], axis=0) for name in ("uniform", way))
    return find_crossing(spent, error, at, uniform[at]) / find_crossing(spent, uniform, at, uniform[at])


def find_crossing(spent: np.ndarray, error: np.ndarray, at: int, goal: float) -> float:
    """Where an error is passed, looked for from budget `at`, straight between budgets; inf where it never is."""
    while at < spent.size and error[at] > goal:
        at += 1
    if at == spent.size:
        return float("inf")
    while at > 0 and error[at - 1] <= goal:
        at -= 1
    if at == 0:
        return float(spent[0])
    part = (error[at - 1] - goal) / (error[at - 1] - error[at])
    return float(spent[at - 1] + part * (spent[at] - spent[at - 1]))


def with_interval(runs: list[dict[str, Any]], way: str, depth: int) -> tuple[float, float, float]:
    """`needed` with a 95% interval over seeds: the jackknife, by Student's t."""
    value, n = relative_votes(runs, way, depth), len(runs)
    without = np.array([relative_votes(runs[:i] + runs[i + 1 :], way, depth) for i in range(n)])
    half = float(student.ppf(0.975, n - 1) * np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum()))
    return value, value - half, value + half


def table(record: dict[str, dict[str, Any]]) -> list[str]:
    """Rows of the table in docs/plan.md, from what is recorded under `set: NAME`."""
    rows = ["| votes | items | K | greedy | ours |", "|---|---|---|---|---|"]
    for name, mark in [*((n, "") for n in TUNING), *((n, " *") for n in ASIDE), *((n, " (simulated)") for n in CROWDS)]:
        runs = list(record.get(f"set: {name}", {}).values())
        for depth in CROWDS.get(name) or (TUNING | ASIDE)[name][1]:
            if len(runs) > 1:
                cells = [with_interval(runs, way, depth) for way in ("greedy", "ours")]
                shown = " | ".join(f"{v:.0%} [{low:.0%}, {high:.0%}]" for v, low, high in cells)
                rows.append(f"| {name}{mark} | {runs[0]['items']:,} | {depth} | {shown} |")
    return rows
