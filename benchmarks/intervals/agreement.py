"""Intervals of agreement, over items and over annotators: alpha, kappa, agreement class by class, alpha of beliefs.

Items are drawn from a Dirichlet distribution with a known mean and concentration, where alpha of any level and every
kappa are 1 / (concentration + 1); or each has a true class that people name with a known chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from benchmarks.intervals.case import Case
from dissensus.aggregate.agreement import agreement_intervals
from dissensus.aggregate.agreement_by_class import class_agreement
from dissensus.aggregate.belief_agreement import belief_alpha_interval, belief_pairs
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import jensen_shannon
from dissensus.labels.distributions import Distributions
from dissensus.labels.intervals import Interval
from dissensus.labels.votes import Votes

REPLICATES = 200  # a fifth of what is used unless told, which only makes the ends of intervals less exact
FEW, ALL = ("nominal alpha",), ("nominal alpha", "ordinal alpha", "fleiss kappa", "observed agreement")
EVEN = (1 / 3, 1 / 3, 1 / 3)


def cases() -> Iterator[Case]:
    for n, m, mean, concentration, said in (
        (300, 5, EVEN, 1.0, "three classes alike"),
        (50, 3, EVEN, 1.0, "three classes alike"),
        (10, 5, EVEN, 1.0, "three classes alike"),
        (50, 5, EVEN, 9.0, "hardly any agreement"),
        (200, 3, (0.95, 0.03, 0.02), 4.0, "5% rare answers, little agreement"),
        (500, 3, (0.98, 0.02), 0.25, "2% rare answers, much agreement"),
        (1000, 3, (0.99, 0.01), 0.05, "1% rare answers, alpha near 1"),
        (60, 2, (0.95, 0.05), 8.0, "5% rare answers, hardly any agreement"),
    ):
        names = ALL if n == 300 else FEW
        yield _dirichlet(n, m, np.array(mean), concentration, f"{n} items, {m} votes, {said}", names)
    yield _confuse(200, 4, 10, 0.9)
    for people, most in ((5, 60), (8, 60), (20, 60), (40, 60), (40, 5)):
        yield _people(people, most)
    for n in (30, 200):
        yield _beliefs_of_items(n)
    for people in (8, 30):
        yield _beliefs_of_people(people)


def _dirichlet(n: int, m: int, mean: np.ndarray, concentration: float, said: str, names: Sequence[str]) -> Case:
    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        return _intervals(rng.multinomial(m, rng.dirichlet(concentration * mean, n)), names, rng)

    alpha = 1 / (concentration + 1)
    twice = mean * (1 - mean) * alpha + mean**2  # (k,) two votes on an item are this class
    truths = _truths(names, (alpha, alpha, alpha, float(twice.sum())), twice[-1] / mean[-1], mean[-1])
    return Case("agreement", said, truths, drawn)


def _confuse(n: int, m: int, k: int, right: float) -> Case:
    """One true class per item, all alike; a wrong answer is its neighbour."""
    shares = right * np.eye(k) + (1 - right) * np.roll(np.eye(k), 1, axis=1)

    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        return _intervals(rng.multinomial(m, shares[rng.integers(0, k, n)]), ALL, rng)

    same = right**2 + (1 - right) ** 2
    rank = np.arange(k)
    inside = float(np.mean([share @ rank**2 - (share @ rank) ** 2 for share in shares]))
    alpha = 1 - (1 - same) / (1 - 1 / k)
    truths = _truths(ALL, (alpha, 1 - inside / float(rank.var()), alpha, same), same, 1 / k)
    return Case("agreement", f"{n} items, {m} votes, {k} classes with one confusion each", truths, drawn)


def _truths(names: Sequence[str], of_all: Sequence[float], specific: float, share: float) -> dict[str, float]:
    """of_all: in the order of ALL; specific agreement and share of the last class"""
    values = {name: value for name, value in zip(ALL, of_all, strict=True) if name in names}
    kappa = (specific - share) / (1 - share)
    return values | {"agreement on the last class": specific, "kappa of the last class": kappa}


def _intervals(counts: np.ndarray, names: Sequence[str], rng: np.random.Generator) -> Mapping[str, Interval]:
    votes = Distributions.from_counts(counts, classes=tuple(map(str, range(counts.shape[1]))))
    by_class = class_agreement(votes, rng, replicates=REPLICATES)
    intervals = agreement_intervals(votes, names, rng, replicates=REPLICATES)
    last = {"agreement on the last class": by_class.specific[-1], "kappa of the last class": by_class.kappa[-1]}
    return intervals | last


def _people(people: int, most: int) -> Case:
    """60 items of 4 classes that stay the same; people name the class with a chance that differs, 0.4 to 1."""
    true = np.arange(60) % 4
    skill = 0.7
    same = skill**2 + (1 - skill) ** 2 / 3
    said = "each answers all" if most == true.size else f"each answers {most}"

    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        items = np.concatenate([rng.permutation(true.size)[:most] for _ in range(people)])
        who = np.repeat(np.arange(people), most)
        right = rng.random(items.size) < rng.uniform(0.4, 1.0, people)[who]
        choice = np.where(right, true[items], (true[items] + rng.integers(1, 4, items.size)) % 4)
        votes = Votes(
            item=items,
            items=np.arange(true.size),
            annotator=who,
            annotators=np.arange(people),
            choice=choice,
            classes=tuple("abcd"),
        )
        intervals = agreement_intervals(votes, FEW, rng, over="annotators", replicates=REPLICATES)
        last = class_agreement(votes, rng, over="annotators", replicates=REPLICATES).specific[-1]
        return intervals | {"agreement on the last class": last}

    truths = {"nominal alpha": 1 - (1 - same) / (1 - 1 / 4), "agreement on the last class": same}
    return Case("agreement", f"over {people} annotators of 60 items, {said}", truths, drawn)


def _beliefs(rows: np.ndarray, item: np.ndarray, who: np.ndarray | None) -> Beliefs:
    annotators = None if who is None else np.arange(who.max() + 1)
    return Beliefs(
        stated=rows,
        ruled_out=np.zeros(rows.shape, dtype=bool),
        named=np.zeros((len(rows), 0), dtype=np.int32),
        item=item,
        items=np.arange(item.max() + 1),
        classes=tuple("abc"),
        annotator=who,
        annotators=annotators,
    )


def _draw_beliefs(shares: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Beliefs about items whose votes would have these shares.  (m, k) -> (m, k)"""
    return rng.dirichlet(np.full(shares.shape[1], 0.3), len(shares)) * 0.4 + 0.6 * shares


def _alpha_of_world(shares: np.ndarray, rng: np.random.Generator) -> float:
    """Of endless beliefs about items of these shares, any two of which are two different people's."""
    first, second = _draw_beliefs(shares, rng), _draw_beliefs(shares, rng)
    apart = jensen_shannon(first, second).mean()
    return 1 - float(apart / jensen_shannon(first, rng.permutation(second)).mean())


def _beliefs_of_items(n: int) -> Case:
    rng = np.random.default_rng(0)
    truth = _alpha_of_world(rng.dirichlet(np.ones(3), 400_000), rng)
    return Case("agreement", f"beliefs about {n} items, 3 each", {"alpha of beliefs": truth}, partial(_belief_items, n))


def _belief_items(n: int, rng: np.random.Generator) -> Mapping[str, Interval]:
    item = np.repeat(np.arange(n), 3)
    rows = _draw_beliefs(rng.dirichlet(np.ones(3), n)[item], rng)
    pairs = belief_pairs(_beliefs(rows, item, None), rng, sample=20_000)
    return {"alpha of beliefs": belief_alpha_interval(pairs, rng, replicates=REPLICATES)}


def _beliefs_of_people(people: int) -> Case:
    """40 items that stay the same; some people state what they see more clearly than others."""
    rng = np.random.default_rng(1)
    shares = rng.dirichlet(np.ones(3), 40)

    def stated(item: np.ndarray, weight: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return weight[:, None] * shares[item] + (1 - weight[:, None]) * rng.dirichlet(np.ones(3), item.size)

    def drawn(rng: np.random.Generator) -> Mapping[str, Interval]:
        item, who = np.tile(np.arange(40), people), np.repeat(np.arange(people), 40)
        rows = stated(item, rng.uniform(0.2, 1.0, people)[who], rng)
        pairs = belief_pairs(_beliefs(rows, item, who), rng, sample=20_000)
        return {"alpha of beliefs": belief_alpha_interval(pairs, rng, over="annotators", replicates=REPLICATES)}

    item = np.repeat(np.arange(40), 10_000)
    first, second = (stated(item, rng.uniform(0.2, 1.0, item.size), rng) for _ in range(2))
    apart = jensen_shannon(first, second).mean()
    truth = 1 - float(apart / jensen_shannon(first, rng.permutation(second)).mean())
    return Case("agreement", f"beliefs of {people} annotators about 40 items", {"alpha of beliefs": truth}, drawn)
