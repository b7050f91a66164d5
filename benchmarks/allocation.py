"""How many votes an allocation saves: real votes of CIFAR-10H asked for again, and seconds over two kinds of question.

Votes: each image's 47 to 50 recorded votes in a random order, without replacement; error is the mean KL from the share
of all of them to the estimate. For each rule: the votes an image at which it reaches what uniform asking reaches with
K. Uniform asking is estimated in three ways: by the same shrinkage as the rules; by the share smoothed with 1/k; and by
the share smoothed with the constant that happens to be best, chosen by looking at the truth. Beside the rules two
bounds: an oracle that knows each image's full distribution, and a clairvoyant that knows which votes would come.

Seconds: the 1,000 images of CIFAR-10S, votes of 1.8 s (CIFAR-10H) and elicitations of 32 s (CIFAR-10S), as measured by
Collins 2022; truth is the released CIFAR-10H distribution of these images.

    DISSENSUS_DATA=... python benchmarks/allocation.py [--seeds 3] [--only votes|seconds] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.aggregate.shrinkage import shrinkage
from dissensus.datasets import load
from dissensus.labels.completion import complete
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions
from dissensus.plan.allocation import spend
from dissensus.plan.question_mix import COLLINS_SECONDS, Answered, replay_seconds
from dissensus.plan.replay import Curve, oracle, replay, smoothed_share, vote_sequences

UNIFORM = (1, 2, 3, 4, 5, 6, 8, 10)
ADAPTIVE = (1, 1.5, 2, 2.25, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9, 10)
CONSTANTS = np.geomspace(0.005, 0.5, 15)
TARGETS = (5, 10)


def mean_curve(curves: list[Curve]) -> Curve:
    return Curve(*(np.mean([getattr(one, name) for one in curves], axis=0) for name in ("spent", "error", "deepest")))


def compare_votes(seeds: int) -> dict[str, Any]:
    votes = load("cifar10h-annotators").labels
    rngs = [np.random.default_rng(seed) for seed in range(seeds)]
    record: dict[str, Any] = {}
    curves: dict[str, Curve] = {}
    for name, rule, budgets, estimate in (
        ("uniform", "uniform", UNIFORM, {}),
        ("uniform, share + 1/k", "uniform", UNIFORM, {"estimate": smoothed_share(0.1)}),
        ("entropy", "entropy", ADAPTIVE, {}),
        ("expected-error", "expected-error", ADAPTIVE, {}),
    ):
        start = time.process_time()
        runs = [replay(votes, budgets, np.random.default_rng(seed), rule=rule, **estimate) for seed in range(seeds)]
        curves[name] = mean_curve(runs)
        seconds = (time.process_time() - start) / seeds
        record[name] = {
            "votes": list(budgets), "kl": curves[name].error.round(5).tolist(), "cpu_seconds": round(seconds, 1),
            "kl_sd": np.std([one.error for one in runs], axis=0, ddof=1).round(5).tolist() if seeds > 1 else None,
        }  # fmt: skip
    per_constant = [
        mean_curve([replay(votes, TARGETS, np.random.default_rng(s), rule="uniform", estimate=smoothed_share(c))
                    for s in range(seeds)]).error
        for c in CONSTANTS
    ]  # fmt: skip
    best = np.min(per_constant, axis=0)
    curves["oracle"] = oracle(votes, ADAPTIVE, rngs[0], orders=96)
    curves["clairvoyant"] = oracle(votes, ADAPTIVE, rngs[0], clairvoyant=True)
    for name in ("oracle", "clairvoyant"):
        record[name] = {"votes": curves[name].spent.round(3).tolist(), "kl": curves[name].error.round(5).tolist()}
    uniform = dict(zip(UNIFORM, curves["uniform"].error, strict=True))
    plain = dict(zip(UNIFORM, curves["uniform, share + 1/k"].error, strict=True))
    print("| uniform asking, estimated by | K | its KL | entropy | expected-error | oracle | clairvoyant |")
    print("|---" * 7 + "|")
    record["reached"] = []
    for at, target in enumerate(TARGETS):
        for by, error in (("the same shrinkage", uniform[target]), ("share, best constant", best[at]),
                          ("share + 1/k", plain[target])):  # fmt: skip
            row = {
                name: curves[name].reaches(float(error))
                for name in ("entropy", "expected-error", "oracle", "clairvoyant")
            }
            cells = " | ".join("never" if np.isinf(v) else f"{v:.2f} ({v / target:.0%})" for v in row.values())
            print(f"| {by} | {target} | {error:.4f} | {cells} |", flush=True)
            told = {name: None if np.isinf(value) else round(value, 3) for name, value in row.items()}
            record["reached"].append({"uniform_by": by, "K": target, "kl": round(float(error), 5), **told})
    record["leave-one-out on adaptive votes"] = leave_one_out_on_adaptive(votes)
    return record


def leave_one_out_on_adaptive(votes: Any) -> dict[str, float]:
    """Both fits of the prior on the same adaptive votes, 2.5 an image: mean KL."""
    rng = np.random.default_rng(0)
    sequence, size = vote_sequences(votes, rng)
    truth = votes.counts() / size[:, None]
    counts = spend(
        np.zeros(truth.shape, dtype=np.int64), int(2.5 * size.size),
        lambda asked, counted: sequence[asked, counted[asked].sum(axis=1)], rng, most=size, portion=size.size // 40,
    )  # fmt: skip
    from dissensus.plan.replay import shrunk

    loo = shrinkage(Distributions.from_counts(counts)).distributions.probs
    found = {"vote_prior": float(kl(truth, shrunk(counts)).mean()), "shrinkage": float(kl(truth, loo).mean())}
    print("prior on 2.5 adaptive votes an image: " + ", ".join(f"{name} {value:.4f}" for name, value in found.items()))
    return found


def compare_seconds(seeds: int) -> dict[str, Any]:
    beliefs = load("cifar10s").labels
    beliefs = complete(beliefs.select(answers=~beliefs.column("is_repeat").astype(bool)))
    votes = load("cifar10h-annotators").labels
    votes = votes.select(items=np.flatnonzero(np.isin(votes.items, beliefs.items)))
    truth = load("cifar10h").labels.probs[beliefs.items]
    kinds = {
        "vote": Answered.of(votes, COLLINS_SECONDS["vote"]),
        "elicitation": Answered.of(beliefs, COLLINS_SECONDS["elicitation"]),
    }
    record: dict[str, Any] = {}
    print("| asked | " + "seconds an image: mean KL |\n|---|---|")
    for name, allowed, budgets in (
        ("votes", ("vote",), (4, 8, 16, 32, 64)),
        ("elicitations", ("elicitation",), (32, 64, 128, 190)),
        ("mixed", ("vote", "elicitation"), (4, 8, 16, 32, 64, 120)),
    ):
        chosen = {kind: kinds[kind] for kind in allowed}
        runs = [replay_seconds(chosen, truth, budgets, np.random.default_rng(seed)) for seed in range(seeds)]
        curve = mean_curve([run[0] for run in runs])
        used = {kind: np.mean([run[1][kind] for run in runs], axis=0).round(1).tolist() for kind in allowed}
        pairs = zip(curve.spent.tolist(), curve.error.tolist(), strict=True)
        print(f"| {name} | " + ", ".join(f"{spent:.0f} s: {error:.3f}" for spent, error in pairs) + " |", flush=True)
        record[name] = {"seconds": curve.spent.tolist(), "kl": curve.error.round(5).tolist(), "answers": used}
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", choices=("votes", "seconds"))
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    record: dict[str, Any] = {"seeds": chosen.seeds}
    if chosen.only != "seconds":
        record["votes"] = compare_votes(chosen.seeds)
    if chosen.only != "votes":
        record["seconds"] = compare_seconds(chosen.seeds)
    if chosen.json is not None:
        chosen.json.parent.mkdir(parents=True, exist_ok=True)
        chosen.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
