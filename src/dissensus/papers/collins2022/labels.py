"""What models learn from and are judged by: 900 images with labels of people, all others with their CIFAR-10 class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dissensus.datasets.catalogue import load
from dissensus.datasets.dataset import LabelledItems
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import complete
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.labels.transforms import one_hot, random_labels, uniform_labels
from dissensus.labels.votes import Votes
from dissensus.papers.collins2022.arms import GAMMAS

HELD = 100  # images of CIFAR-10S that are judged on
VALIDATION = 1_000  # images with their CIFAR-10 class by which gamma and beta are chosen
COPIES = 51  # of a CIFAR-10 class among votes, 6 among beliefs: so many answers can be drawn of any image
BELIEFS_OF_A_CLASS = 6
SEED = 2022  # of the images held out and left out, and of random labels; the paper's are not released


@dataclass(frozen=True, eq=False)
class Pool:
    """The images of a study in one order, and what people said about them.

    items   (n,) numbers of CIFAR-10 test images
    gold    (n,) CIFAR-10 classes
    part    (n,) "train" or "test"
    set_    (n,) "10h" or "10s": which labels judge a model on it; "" where none does
    own     (n,) whether it is one of the images whose labels are varied
    votes   (n, k) counts of CIFAR-10H
    beliefs of CIFAR-10S about the images that have some; repeated trials are left out
    people  (n, k) what models are judged by
    """

    items: np.ndarray
    gold: np.ndarray
    part: np.ndarray
    set_: np.ndarray
    own: np.ndarray
    votes: np.ndarray
    beliefs: Beliefs
    people: np.ndarray

    __repr__ = shapes

    @property
    def classes(self) -> tuple[str, ...]:
        return self.beliefs.classes

    def label_items(self, labels: Any) -> LabelledItems:
        """With the columns that studies split and slice by."""
        gold = [self.classes[code] for code in self.gold]
        columns = {"item": self.items.tolist(), "gold": gold, "split": self.part.tolist(), "set": self.set_.tolist()}
        return LabelledItems(labels, pa.table(columns))

    @property
    def people_labels(self) -> Distributions:
        return Distributions(probs=self.people, items=self.items, classes=self.classes)


def first_answers(beliefs: Beliefs) -> Beliefs:
    """Without repeated trials: each annotator's first answer about each image."""
    return beliefs.select(answers=~np.asarray(beliefs.column("is_repeat"), dtype=bool))


def pool(others: int | None = None, *, validation: bool = False) -> Pool:
    """The images of the paper's split.

    others      how many images with their CIFAR-10 class are learned from; None: all 6,000 of the split
    validation  judge on `VALIDATION` of these others by their CIFAR-10 class, not on the two evaluation sets
    """
    counted, elicited = load("cifar10h"), load("cifar10s")
    assert isinstance(counted.labels, Distributions) and isinstance(elicited.labels, Beliefs)
    beliefs = first_answers(elicited.labels)
    n, gold = counted.labels.n_items, counted.gold
    train = np.array(counted.items["cifar10s_split"].to_pylist()) == "train"  # (n,)
    stated = np.isin(counted.labels.items, beliefs.items)
    rng = np.random.default_rng(SEED)
    held = np.zeros(n, dtype=bool)
    held[rng.permutation(np.flatnonzero(stated))[:HELD]] = True
    rest = rng.permutation(np.flatnonzero(train & ~stated))
    chosen = np.zeros(n, dtype=bool)
    chosen[rest[:VALIDATION]] = validation
    learned = np.zeros(n, dtype=bool)
    learned[rest[VALIDATION:] if validation else rest] = True
    if others is not None:
        learned[np.flatnonzero(learned)[others:]] = False
    own = stated & ~held
    judged = chosen if validation else held | ~train
    rows = np.flatnonzero(own | learned | judged)
    people = counted.labels.probs.copy()
    people[chosen] = one_hot(gold[chosen], counted.labels.items[chosen], beliefs.classes).probs
    places = np.searchsorted(beliefs.items, counted.labels.items[held])
    people[held] = as_distributions(complete(beliefs)).probs[places]
    return Pool(
        items=counted.labels.items[rows],
        gold=gold[rows],
        part=np.where(judged, "test", "train")[rows],
        set_=np.where(held, "10s", np.where(judged, "10h", ""))[rows],
        own=own[rows],
        votes=counted.labels.counts()[rows],
        beliefs=beliefs,
        people=people[rows],
    )


def votes_of(pool: Pool) -> Votes:
    """Votes of CIFAR-10H for the 900 images; for each other one its CIFAR-10 class, as often as anybody may draw."""
    counts = np.zeros_like(pool.votes)
    counts[np.arange(pool.items.size), pool.gold] = COPIES
    counts[pool.own] = pool.votes[pool.own]
    return Votes.of_counts(Distributions.from_counts(counts, items=pool.items, classes=pool.classes))


def beliefs_of(pool: Pool) -> Beliefs:
    """Answers of CIFAR-10S for the 900 images; each other one is certainly of its CIFAR-10 class.

    Such an answer rules out all other classes, so every completion leaves it as it is.
    """
    own = pool.beliefs.select(items=np.isin(pool.beliefs.items, pool.items[pool.own]))
    other = np.repeat(np.flatnonzero(~pool.own), BELIEFS_OF_A_CLASS)
    sure = np.eye(len(pool.classes), dtype=bool)[pool.gold[other]]
    item = np.concatenate([np.searchsorted(pool.items, own.items[own.item]), other])
    return Beliefs(
        item=item,
        items=pool.items,
        classes=pool.classes,
        stated=np.concatenate([own.stated, np.where(sure, 1.0, np.nan)]),
        ruled_out=np.concatenate([own.ruled_out, ~sure]),
        named=np.concatenate([own.named, np.stack([pool.gold[other], np.full(other.size, -1)], axis=1)]),
    )


def make_fixed_labels(pool: Pool) -> dict[str, Distributions]:
    """The controls of table 1: the CIFAR-10 class, a random and a uniform distribution for each of the 900."""
    hard = one_hot(pool.gold, pool.items, pool.classes)
    drawn = random_labels(hard, np.random.default_rng(SEED)).probs
    flat = uniform_labels(hard).probs
    own = pool.own[:, None]
    made = {"hard": hard.probs, "random": np.where(own, drawn, hard.probs), "uniform": np.where(own, flat, hard.probs)}
    return {name: Distributions(probs=probs, items=pool.items, classes=pool.classes) for name, probs in made.items()}


def gamma_labels(pool: Pool) -> dict[str, Beliefs]:
    beliefs = beliefs_of(pool)
    return {f"gamma {gamma:g}": complete(beliefs, gamma=gamma) for gamma in GAMMAS}
