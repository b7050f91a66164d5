"""What section 4 and section 6 say about the labels themselves, computed from the released answers and votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import pearsonr, spearmanr

from dissensus.datasets.catalogue import load
from dissensus.datasets.dataset import LabelledItems
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import complete
from dissensus.labels.distances import entropy, wasserstein_of_values
from dissensus.labels.distributions import Distributions
from dissensus.labels.quality import exclusions, repeat_consistency
from dissensus.labels.shares import as_distributions
from dissensus.papers.collins2022.labels import first_answers
from dissensus.papers.paper import Tell

ATOL = 1e-9
HARD, EASY = 0.25, 0.1  # entropy in nats from which an image is hard, and up to which it is easy
UNANIMOUS = 0.98  # share of votes: at most one of about fifty differs
BINS = 8


def count_released(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Of the released files."""
    return label_numbers(load("cifar10s"), load("cifar10h"))


def label_numbers(
    elicited: LabelledItems, counted: LabelledItems, completion: Callable[[Beliefs], Beliefs] = complete
) -> dict[str, Any]:
    """Every number about labels that the paper gives, from answers of CIFAR-10S and counts of CIFAR-10H."""
    answers, shares = elicited.labels, counted.labels
    assert isinstance(answers, Beliefs) and isinstance(shares, Distributions) and shares.votes is not None
    assert answers.annotators is not None
    first, votes = first_answers(answers), shares.select(answers.items)
    assert votes.votes is not None
    full = completion(answers)
    stated = as_distributions(full).probs  # (n, k)
    unsure = entropy(votes.probs)  # (n,)
    gold = elicited.gold[answers.item]  # (m,)
    right = [answers.named[:, place] == gold for place in (0, 1)]
    kept = exclusions(answers, elicited.gold).kept
    again = repeat_consistency(_once(answers))
    released = np.stack(list(answers.column("t2clamp")))
    distance = wasserstein_of_values(stated, votes.probs)
    train = np.array(counted.items["cifar10s_split"].to_pylist()) == "train"
    possible = answers.n_classes - answers.ruled_out.sum(axis=1)  # (m,)
    sure = full.stated[np.arange(answers.n_answers), answers.named[:, 0]]  # (m,)
    return {
        "annotators": int(answers.annotators.size),
        "answers": answers.n_answers,
        "first answers": first.n_answers,
        "images": answers.n_items,
        **_batches(answers, unsure),
        "hard images": int((unsure >= HARD).sum()),
        "easy images": int((unsure <= EASY).sum()),
        "hard images of all": int((entropy(shares.probs) >= HARD).sum()),
        "two classes": 100 * float(((shares.probs > 0).sum(axis=1) <= 2).mean()),
        "two classes, same images": 100 * float(((votes.probs > 0).sum(axis=1) <= 2).mean()),
        "excluded": int((~kept).sum()),
        "reproduced": int((np.abs(full.stated - released).max(axis=1) < ATOL).sum()),
        "pearson": float(pearsonr(entropy(stated), unsure)[0]),
        "spearman": float(spearmanr(entropy(stated), unsure)[0]),
        "wasserstein": float(distance.mean()),
        "votes per image": float(shares.votes.mean()),
        "answers per image": float(first.per_item.mean()),
        "fewest answers": int(first.per_item.min()),
        "farthest": [answers.classes[elicited.gold[row]] for row in np.argsort(-distance, kind="stable")[:3]],
        "first mass": _by_entropy(answers, unsure, sure),
        "possible": _by_entropy(answers, unsure, possible),
        "alike": _alike(stated, votes.probs, elicited.gold, answers.classes),
        "seconds": float(np.nanmedian(_seconds(answers))),
        "first right": 100 * float(right[0].mean()),
        "first two right": 100 * float((right[0] | right[1]).mean()),
        "votes right": 100 * float(shares.probs[np.arange(shares.n_items), counted.gold].mean()),
        "repeats": again.pairs,
        "changed": 100 * again.changed,
        "change": 100 * again.change,
        "train": int(train.sum()),
        "test": int((~train).sum()),
        "in train": int(train[np.isin(shares.items, answers.items)].sum()),
    }


def _seconds(answers: Beliefs) -> np.ndarray:
    assert answers.seconds is not None
    return answers.seconds


def _once(answers: Beliefs) -> Beliefs:
    """Without those who took part twice, whose answers about an image are more than a trial and its repeat."""
    return answers.select(annotators=answers.per_annotator == answers.per_annotator.min())


def _batches(answers: Beliefs, unsure: np.ndarray) -> dict[str, Any]:
    """How the images were dealt to people."""
    assert answers.annotators is not None
    batch = np.asarray(answers.column("batch"))
    images = {int(name): np.unique(answers.item[batch == name]) for name in np.unique(batch)}
    easy = [int((unsure[rows] <= EASY).sum()) for rows in images.values()]
    sizes = sorted({rows.size for rows in images.values()})
    return {
        "batches": len(images),
        "images of a batch": sizes,
        "with three easy": easy.count(3),
        "with none": easy.count(0),
        "trials": sorted(set(answers.per_annotator.tolist())),
        "repeats of a batch": float(np.sum(answers.column("is_repeat")) / answers.annotators.size),
    }


def _by_entropy(answers: Beliefs, unsure: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """How the mean over answers about an image goes with the entropy of its votes: correlation, and means in bins."""
    means = np.bincount(answers.item, values, answers.n_items) / answers.per_item  # (n,)
    order = np.argsort(unsure, kind="stable")
    bins = np.array_split(order, BINS)
    return {
        "pearson": float(pearsonr(means, unsure)[0]),
        "entropy": [float(unsure[rows].mean()) for rows in bins],
        "mean": [float(means[rows].mean()) for rows in bins],
    }


def _alike(stated: np.ndarray, voted: np.ndarray, gold: np.ndarray, classes: tuple[str, ...]) -> dict[str, Any]:
    """Where votes are as good as unanimous: the class that has most of what stated labels put elsewhere."""
    alike = {}
    for code, name in enumerate(classes):
        rows = np.flatnonzero((voted[:, code] >= UNANIMOUS) & (gold == code))
        if rows.size:
            rest = np.where(np.arange(len(classes)) == code, 0.0, stated[rows].mean(axis=0))
            alike[name] = {
                "images": int(rows.size),
                "class": classes[int(rest.argmax())],
                "mass": float(rest.max()),
                "share": float(rest.max() / max(rest.sum(), 1e-12)),
            }
    return alike
