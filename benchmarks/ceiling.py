"""The human ceiling of a data set from its votes, with intervals; and how close the correction comes to known truths.

    DISSENSUS_DATA=... python benchmarks/ceiling.py [--set cifar10h-annotators] [--splits 10] [--check]

--check takes the full shares of CIFAR-10H and ChaosNLI as truths, draws votes from them, and compares the corrected
ceiling with what those truths score against the votes.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from scipy.stats import spearmanr

from dissensus.datasets import load
from dissensus.evaluate.ceiling import human_ceiling
from dissensus.evaluate.metrics import METRICS
from dissensus.labels.distances import entropy
from dissensus.labels.distributions import Distributions

SCORES = {name: metric.function for name, metric in METRICS.items() if metric.ceiling}


def measured(name: str, splits: int) -> None:
    votes = load(name).labels
    for by in ("votes", "annotators") if getattr(votes, "annotator", None) is not None else ("votes",):
        start = time.perf_counter()
        found = human_ceiling(votes, np.random.default_rng(0), by=by, splits=splits)
        seconds = time.perf_counter() - start
        print(f"\n{name}, {found.items} items, halves of {found.half_votes:.1f} votes by {by}, {seconds:.1f} s\n")
        print("| score | half predicts half | truth predicts all votes |\n|---|---|---|")
        for score in found.half:
            print(f"| {score} | {found.half[score]} | {found.corrected[score]} |")


def check() -> None:
    print(
        "| truth | votes | "
        + " | ".join(f"{name}: real, corrected" for name in (*SCORES, "H pearson", "H spearman"))
        + " |"
    )
    print("|---" * (len(SCORES) + 4) + "|")
    for name in ("cifar10h", "chaosnli-snli", "chaosnli-mnli"):
        truth = load(name).labels.probs
        for m in (8, 20, 50):
            rng = np.random.default_rng(0)
            votes = Distributions.from_counts(rng.multinomial(m, truth))
            found = human_ceiling(votes, rng, splits=2, replicates=50).corrected
            real = [float(np.nanmean(score(truth, votes.probs))) for score in SCORES.values()]
            real.append(float(np.corrcoef(entropy(truth), entropy(votes.probs))[0, 1]))
            real.append(float(spearmanr(entropy(truth), entropy(votes.probs)).statistic))
            cells = [f"{a:.4f}, {b.value:.4f}" for a, b in zip(real, found.values(), strict=True)]
            print(f"| {name} | {m} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="cifar10h-annotators")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    if chosen.check:
        check()
    else:
        measured(chosen.set, chosen.splits)


if __name__ == "__main__":
    main()
