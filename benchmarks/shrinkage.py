"""KL from the full label distribution to its estimate from K votes an item: shrinkage against smoothed shares.

The smoothed shares add 1/k, 1, or the best of all constants to each class's votes: the last is chosen with the answer
at hand, anew for each row of the table, and no honest method can use it. Votes are drawn with replacement, so that the
full share is the truth (Gheibi 2026, A.1); --without-replacement draws real votes instead and estimates the share of
that finite crowd, for which the smoothed shares are completed in the same way.

    DISSENSUS_DATA=... python benchmarks/shrinkage.py [--seeds 5] [--without-replacement] [--models]
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from dissensus.aggregate import crowd_share, shrinkage
from dissensus.datasets import load, predictions
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions

SETS = ("cifar10h-annotators", "chaosnli-snli", "chaosnli-mnli", "popquorn")
VOTES = (1, 2, 3, 5, 10, 25)
CONSTANTS = np.geomspace(0.002, 5, 60)


def drawn(full: np.ndarray, k_votes: int, replace: bool, rng: np.random.Generator) -> Distributions:
    """k_votes for each row of counts; fewer, without replacement, where a row has fewer."""
    if replace:
        return Distributions.from_counts(rng.multinomial(k_votes, full / full.sum(axis=1, keepdims=True)))
    rows = [rng.multivariate_hypergeometric(row, min(k_votes, int(row.sum()))) for row in full]
    return Distributions.from_counts(np.array(rows))


def losses(full: np.ndarray, votes: Distributions, replace: bool) -> tuple[dict[str, float], float]:
    """Mean KL by method, and the seconds shrinkage took."""
    truth = full / full.sum(axis=1, keepdims=True)
    counts, classes = votes.counts(), full.shape[1]

    def loss(probs: np.ndarray) -> float:
        estimate = Distributions(probs, votes.items, votes.classes)
        if not replace:
            estimate = crowd_share(votes, estimate, full.sum(axis=1))
        return float(kl(truth, estimate.probs).mean())

    def smoothed(constant: float) -> float:
        mass = counts + constant
        return loss(mass / mass.sum(axis=1, keepdims=True))

    start = time.perf_counter()
    fit = shrinkage(votes)
    seconds = time.perf_counter() - start
    best = min(smoothed(constant) for constant in CONSTANTS)
    found = {"+1/k": smoothed(1 / classes), "+1": smoothed(1.0), "best +c": best}
    return found | {"shrinkage": loss(fit.distributions.probs)}, seconds


def compare(seeds: int, replace: bool) -> None:
    print("| set | K | +1/k | +1 | best +c | shrinkage | below 1/k | below best | seconds |\n" + "|---" * 9 + "|")
    for name in SETS:
        full = load(name).labels.counts()
        for k_votes in VOTES:
            if not replace and k_votes > full.sum(axis=1).min():
                continue
            runs = [
                losses(full, drawn(full, k_votes, replace, np.random.default_rng(s)), replace) for s in range(seeds)
            ]
            table = {method: np.array([run[0][method] for run in runs]) for method in runs[0][0]}
            cells = [f"{value.mean():.4f} ± {value.std(ddof=1):.4f}" for value in table.values()]
            gain = [1 - (table["shrinkage"] / table[other]).mean() for other in ("+1/k", "best +c")]
            seconds = np.mean([run[1] for run in runs])
            print(
                f"| {name} | {k_votes} | {' | '.join(cells)} | {gain[0]:.0%} | {gain[1]:.0%} | {seconds:.2f} |",
                flush=True,
            )


def with_models(seeds: int) -> None:
    """A model's prediction as prior: RoBERTa on ChaosNLI."""
    print("| set | K | votes alone | with model | the model is worth | temperature |\n" + "|---" * 6 + "|")
    for subset in ("snli", "mnli"):
        model = next(d for name, d in predictions(f"chaosnli-{subset}-models").items() if "roberta" in name)
        full = load(f"chaosnli-{subset}").labels
        place = {name: row for row, name in enumerate(full.items.tolist())}
        full = full.select(np.array([place[name] for name in model.items.tolist()]))
        for k_votes in VOTES:
            alone, helped, worth, heat = [], [], [], []
            for seed in range(seeds):
                counts = np.random.default_rng(seed).multinomial(k_votes, full.probs)
                votes = Distributions.from_counts(counts, items=full.items, classes=full.classes)
                fit = shrinkage(votes, model)
                alone.append(kl(full.probs, shrinkage(votes).distributions.probs).mean())
                helped.append(kl(full.probs, fit.distributions.probs).mean())
                worth.append(fit.model_votes)
                heat.append(fit.temperature)
            cells = [f"{np.mean(v):.4f} ± {np.std(v, ddof=1):.4f}" for v in (alone, helped)]
            cells += [f"{np.mean(worth):.1f} votes", f"{np.mean(heat):.2f}"]
            print(f"| chaosnli-{subset} | {k_votes} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--without-replacement", action="store_true")
    parser.add_argument("--models", action="store_true")
    chosen = parser.parse_args()
    if chosen.models:
        with_models(chosen.seeds)
    else:
        compare(chosen.seeds, not chosen.without_replacement)


if __name__ == "__main__":
    main()
