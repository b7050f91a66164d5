"""Agreement: Krippendorff's alpha against the krippendorff package, and other measures at the size of CIFAR-10H.

The peer stores a table of values by values per item, so it is compared on 5 raters of 100 items only: 5 x 400 distinct
values exhausted 24 GB. It is GPL and not a dependency: install it to compare, or leave it out.

    DISSENSUS_DATA=... python benchmarks/agreement.py
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from dissensus.aggregate import agreement_interval, belief_alpha, pairwise_agreement
from dissensus.aggregate.agreement import AGREEMENTS, alpha_of_values
from dissensus.aggregate.belief_agreement import belief_alpha_interval, belief_pairs
from dissensus.datasets import load
from dissensus.labels.completion import complete


def measure_seconds(what: str, work: Callable[[], Any], show: Callable[[Any], str]) -> None:
    start = time.perf_counter()
    result = work()
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:58} {seconds:8.3f} s   peak {peak:5.0f} MB   {show(result)}", flush=True)


def ratings(items: int) -> np.ndarray:
    rng = np.random.default_rng(0)
    return rng.normal(size=items)[:, None] + rng.normal(size=(items, 5))  # alpha is 0.5


def main() -> None:
    for items in (100, 100_000):
        values = ratings(items)
        item = np.repeat(np.arange(items), 5)
        for level in ("nominal", "ordinal", "interval"):
            what = f"{level} alpha, 5 x {items} continuous values"
            measure_seconds(
                what, lambda v=values, i=item, lv=level: alpha_of_values(i, v.reshape(-1), lv), "{:.12f}".format
            )
    try:
        import krippendorff
    except ImportError:
        print("krippendorff is not installed: no comparison")
    else:
        for level in ("nominal", "ordinal", "interval"):
            table = ratings(100).T
            work = lambda lv=level, t=table: krippendorff.alpha(reliability_data=t, level_of_measurement=lv)  # noqa: E731
            measure_seconds(f"krippendorff: {level} alpha, 5 x 100", work, "{:.12f}".format)
    votes = load("cifar10h-annotators").labels
    rng = np.random.default_rng(0)
    for name in ("nominal alpha", "fleiss kappa", "observed agreement"):
        measure_seconds(f"{name}, {votes.n_answers} votes", lambda m=name: AGREEMENTS[m](votes), "{:.5f}".format)
        measure_seconds("  over 1000 sets of items", lambda m=name: agreement_interval(votes, m, rng), str)
    measure_seconds(
        "nominal alpha over 200 sets of annotators",
        lambda: agreement_interval(votes, "nominal alpha", rng, over="annotators", replicates=200),
        str,
    )
    measure_seconds(
        f"pairwise agreement of {votes.n_annotators} annotators",
        lambda: pairwise_agreement(votes),
        lambda p: f"{p.first.size} pairs, mean kappa {np.average(p.kappa, weights=p.shared):.4f}",
    )
    beliefs = complete(load("cifar10s").labels)
    pairs = belief_pairs(beliefs, rng)
    measure_seconds(
        f"Jensen-Shannon alpha of {beliefs.n_answers} beliefs", lambda: belief_alpha(pairs), "{:.4f}".format
    )
    measure_seconds("  over 1000 sets of items", lambda: belief_alpha_interval(pairs, rng), str)


if __name__ == "__main__":
    main()
