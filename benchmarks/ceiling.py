"""The human ceiling of a data set from its votes, with intervals, and the accuracy of its correction for known truths.

    DISSENSUS_DATA=... python benchmarks/ceiling.py [--set cifar10h-annotators] [--splits 10] [--check]

--check takes the full shares of CIFAR-10H and ChaosNLI as truths, draws votes from them, and compares the corrected
ceiling with what those truths score against the votes. The estimate was chosen on CIFAR-10H, ChaosNLI-SNLI and the
worlds of benchmarks/intervals/worlds.py; ChaosNLI-MNLI was held out until it was fixed. The intervals
beside it are for new items; benchmarks/coverage.py measures their coverage.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from dissensus.datasets import load
from dissensus.evaluate.ceiling import human_ceiling
from dissensus.evaluate.metrics import METRICS
from dissensus.labels.distributions import Distributions

SCORES = {name: metric.function for name, metric in METRICS.items() if metric.ceiling}
SETS = {"cifar10h": "cifar10h", "chaosnli-snli": "chaosnli-snli", "chaosnli-mnli": "chaosnli-mnli, held out"}


def measure_ceiling(name: str, splits: int) -> None:
    votes = load(name).labels
    for by in ("votes", "annotators") if getattr(votes, "annotator", None) is not None else ("votes",):
        start, before = time.perf_counter(), time.process_time()
        ceiling = human_ceiling(votes, np.random.default_rng(0), by=by, splits=splits)
        wall, cpu = time.perf_counter() - start, time.process_time() - before
        print(f"\n{name}, {ceiling.items} items, halves of {ceiling.half_votes:.1f} votes by {by}, ", end="")
        print(f"{wall:.1f} s by the clock, {cpu:.1f} s of processor\n")
        print("| score | half predicts half | truth predicts all votes |\n|---|---|---|")
        for score in ceiling.half:
            print(f"| {score} | {ceiling.half[score]} | {ceiling.corrected[score]} |")


def check() -> None:
    print("| truth | votes | " + " | ".join(f"{name}: real, corrected" for name in SCORES) + " |")
    print("|---" * (len(SCORES) + 2) + "|")
    for name, shown in SETS.items():
        truth = load(name).labels.probs
        for m in (8, 20, 50):
            rng = np.random.default_rng(0)
            votes = Distributions.from_counts(rng.multinomial(m, truth))
            best = human_ceiling(votes, rng, splits=2, refits=10, replicates=2).corrected
            real = {score: float(np.nanmean(function(truth, votes.probs))) for score, function in SCORES.items()}
            cells = [f"{real[score]:.4f}, {best[score]}" for score in SCORES]
            print(f"| {shown} | {m} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", default="cifar10h-annotators")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--check", action="store_true")
    chosen = parser.parse_args()
    if chosen.check:
        check()
    else:
        measure_ceiling(chosen.set, chosen.splits)


if __name__ == "__main__":
    main()
