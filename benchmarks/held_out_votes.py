"""Does earlier stopping or stronger shrinkage of annotators predict held-out votes better, and is it more accurate?

    python benchmarks/held_out_votes.py [--sets fact-eval relevance]

A tenth of the votes is held out. Each model is fitted to the rest with its prior at several strengths and stopped after
1, 2, 5 and 40 iterations; shown is the accuracy to gold of the same settings on all votes, and the mean log-likelihood
in nats of a held-out vote. Where the likelihood rises and accuracy falls, no rule that looks at votes alone can choose
what gold would choose. Needs DISSENSUS_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from dissensus.aggregate import dawid_skene, glad, mace
from dissensus.aggregate.models.dawid_skene import DawidSkeneFit
from dissensus.aggregate.models.glad import GladFit
from dissensus.aggregate.models.mace import MaceFit
from dissensus.datasets import load
from dissensus.labels.votes import Votes

STEPS = (1, 2, 5, 40)
SETTINGS: list[tuple[str, Callable[..., Any], list[dict[str, Any]]]] = [
    ("dawid-skene", dawid_skene, [{"smoothing": strength} for strength in (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)]),
    ("mace", mace, [{"guess_prior": strength} for strength in (0.3, 1.0, 10.0, 100.0)]),
    ("glad", glad, [{"prior_deviation": (skill, ease)} for skill in (0.1, 0.3, 1.0) for ease in (0.1, 0.3, 1.0)]),
]


def chance_of(fit: Any, item: np.ndarray, annotator: np.ndarray, choice: np.ndarray) -> np.ndarray:
    """The probability of each held-out vote under a fit to the others.  (r,) -> (r,)"""
    believed = fit.distributions.probs[item]  # (r, k)
    right = believed[np.arange(item.size), choice]
    if isinstance(fit, DawidSkeneFit):
        return np.einsum("rt,rt->r", believed, fit.confusion[annotator, :, choice])
    if isinstance(fit, MaceFit):
        skill = fit.skill[annotator]
        return right * skill + (1 - skill) * fit.guess[annotator, choice]
    assert isinstance(fit, GladFit)
    chance = 1 / (1 + np.exp(-fit.skill[annotator] * fit.ease[item]))
    return right * chance + (1 - right) * (1 - chance) / (believed.shape[1] - 1)


def held_out(name: str) -> None:
    data = load(f"crowd-{name}")
    votes, gold = data.labels, np.asarray(data.gold)
    assert isinstance(votes, Votes)
    out = np.random.default_rng(0).random(votes.n_answers) < 0.1
    others = votes.select(answers=np.flatnonzero(~out))
    rows = votes.item[out], votes.annotator[out], votes.choice[out]
    print(f"{name}: {out.sum():,} of {votes.n_answers:,} votes held out; accuracy, nats by iterations {STEPS}")
    for model, fit, settings in SETTINGS:
        for options in settings:
            cells = []
            for steps in STEPS:
                stop = {"tolerance": 0.0, "most_iterations": steps}
                classes = fit(votes, **options, **stop).distributions.probs.argmax(axis=1)
                chance = chance_of(fit(others, **options, **stop), *rows)
                nats = np.log(np.maximum(chance, 1e-6)).mean()
                cells.append(f"{(classes == gold)[gold >= 0].mean():.3f} {nats:.4f}")
            print(f"  {model:12}{options!s:36}" + " | ".join(cells), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", default=["fact-eval", "relevance", "adult"])
    for name in parser.parse_args().sets:
        held_out(name)


if __name__ == "__main__":
    main()
