"""The cost of one epoch of delivery, compared with torch.multinomial and a head's forward pass in one run.

    python benchmarks/delivery.py [--items 1000000] [--votes 5 50] [--classes 10 100 1000] [--repeats 5]

A million items; each line is the best of some repeats on one thread, and the ratio of the two numbers beside it. The
head is a two-layer perceptron on 384 features with 256 hidden units, in batches of 4,096; the linear one is a single
matrix. Where an (n, k) table of probabilities would not fit into --table-gb, fewer items are drawn and the time is
scaled to all of them (marked *).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from dissensus.deliver import Delivery, mixup, multipass, posterior, sls, smoothed, soft
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

FEATURES, HIDDEN, BATCH = 384, 256, 4096


def best(work: Callable[[int], object], repeats: int) -> float:
    """Processor seconds of the fastest of some repeats; the first call, which compiles, does not count."""
    work(0)
    found = []
    for number in range(1, repeats + 1):
        start = time.process_time()
        work(number)
        found.append(time.process_time() - start)
    return min(found)


def some_votes(n: int, m: int, k: int, rng: np.random.Generator) -> Votes:
    return Votes(
        item=np.repeat(np.arange(n, dtype=np.int32), m),
        items=np.arange(n),
        classes=tuple(map(str, range(k))),
        choice=rng.integers(0, k, n * m, dtype=np.int32),
    )


def forward_seconds(n: int, k: int, head: str, repeats: int) -> float:
    """A forward pass over n items; the same batch again and again, as if features came for free."""
    if head == "linear":
        model: torch.nn.Module = torch.nn.Linear(FEATURES, k)
    else:
        model = torch.nn.Sequential(
            torch.nn.Linear(FEATURES, HIDDEN), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(HIDDEN, k)
        )
    batch = torch.randn(BATCH, FEATURES)
    batches = 20

    def passes(_: int) -> None:
        with torch.no_grad():
            for _ in range(batches):
                model(batch)

    return best(passes, repeats) / (batches * BATCH) * n


def drawn_by_torch(table: torch.Tensor, replacement: bool, _: int) -> torch.Tensor:
    return torch.multinomial(table, 1, replacement=replacement)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--votes", type=int, nargs="+", default=[5, 50])
    parser.add_argument("--classes", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--table-gb", type=float, default=0.4)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    n = chosen.items
    print("| classes | delivery | ms an epoch | multinomial, ms | times faster | % of MLP forward | % of linear |")
    print("|---|---|---|---|---|---|---|")
    for k in chosen.classes:
        mlp, linear = (forward_seconds(n, k, head, chosen.repeats) for head in ("mlp", "linear"))
        few = min(n, int(chosen.table_gb * 1e9 / (8 * k)))
        star = "" if few == n else "*"
        probs = rng.dirichlet(np.full(k, 0.5), size=few)
        table = torch.tensor(probs, dtype=torch.float32)
        drawn = [best(partial(drawn_by_torch, table, way), chosen.repeats) / few * n for way in (False, True)]
        peer = min(drawn)  # without or with replacement is the same for one draw

        def row(what: str, delivery: Delivery, scale: float, mark: str = "") -> None:
            seconds = best(delivery.targets, chosen.repeats) * scale
            print(
                f"| {k} | {what}{mark} | {1e3 * seconds:.2f} | {1e3 * peer:.0f}{star} | {peer / seconds:.0f} "  # noqa: B023
                f"| {100 * seconds / mlp:.2f} | {100 * seconds / linear:.2f} |",  # noqa: B023
                flush=True,
            )

        for m in chosen.votes:
            votes = some_votes(n, m, k, rng)
            row(f"sls, {m} votes", sls(votes, 0), 1.0)
            row(f"multipass, {m} votes", multipass(votes, 0), 1.0)
        dense = Distributions(probs, np.arange(few), tuple(map(str, range(k))))
        row("sls, probabilities", sls(dense, 0), n / few, star)
        if k <= 10:
            sample = some_votes(few, 5, k, rng)
            fitted = posterior(sample, 0)
            row("posterior, class", fitted, n / few, star)
            row("posterior, distribution", posterior(sample, 0, draw="distribution"), n / few, star)
            row("smoothed sls", smoothed(sls(sample, 0), 0.1), n / few, star)
            row("mixup of soft", mixup(soft(dense), 0, alpha=0.2), n / few, star)
        print(f"| {k} | forward pass: MLP {mlp:.2f} s, linear {linear:.2f} s | | | | | |", flush=True)


if __name__ == "__main__":
    main()
