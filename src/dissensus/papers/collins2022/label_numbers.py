"""Statements of sections 4 and 6 about the labels themselves, computed from the released answers and votes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from dissensus.datasets.catalogue import load
from dissensus.datasets.dataset import LabelledItems
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.completion import COMPLETIONS, complete
from dissensus.labels.distances import entropy, total_variation, wasserstein_of_values
from dissensus.labels.distributions import Distributions
from dissensus.labels.quality import exclusions, repeat_consistency
from dissensus.labels.shares import as_distributions
from dissensus.papers.collins2022.arms import COMPLETIONS as VARIETIES
from dissensus.papers.collins2022.labels import SEED, first_answers
from dissensus.papers.paper import Tell

ATOL = 1e-9
HARD, EASY = 0.25, 0.1  # entropy in nats from which an image is hard, and up to which it is easy
UNANIMOUS = 0.98  # share of votes: at most one of about fifty differs
BINS = 8
FARTHEST = ("dog", "frog", "bird")  # CIFAR-10 classes of the three images of figure 8, the farthest first
GROUP, DRAWS = 3, 20  # annotators of each of two groups, and random pairs of groups per image
INPUTS = {"t1-uniform": 2, "t1-clamp": 3, "t2-uniform": 4, "s": 5, "top-two-only": 2}  # of one answer
ANNOTATORS = 6  # whose seconds tables 4 and 5 add up
Values = dict[str, dict[str, Any]]  # metric, arm


def count_released(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    return label_numbers(load("cifar10s"), load("cifar10h"))


def label_numbers(
    elicited: LabelledItems, counted: LabelledItems, completion: Callable[[Beliefs], Beliefs] = complete
) -> dict[str, Any]:
    """Compute every number about labels, from answers of CIFAR-10S and counts of CIFAR-10H.

    Returns
    -------
    once    numbers by metric and arm
    batches lists with one number per batch of 25 images, or per image for "automobile", by metric and arm
    bins    figure 5: means over eighths of the images, ordered by the entropy of votes
    """
    answers, shares = elicited.labels, counted.labels
    assert isinstance(answers, Beliefs) and isinstance(shares, Distributions) and shares.votes is not None
    first, votes = first_answers(answers), shares.select(answers.items)
    full = completion(answers)
    stated, voted = as_distributions(full).probs, votes.probs  # (n, k)
    batch = _batch_of_image(answers)  # (n,)
    unsure = entropy(voted)  # (n,)
    distance = wasserstein_of_values(stated, voted)  # (n,)
    by_image = {
        "first_mass": _image_means(answers, full.stated[np.arange(answers.n_answers), answers.named[:, 0]]),
        "possible": _image_means(answers, answers.n_classes - answers.ruled_out.sum(axis=1)),
    }
    once: Values = {
        **_sizes(answers, first, shares, batch, unsure),
        **_answers(answers, elicited.gold, full),
        "figure_8_examples": {"s": _count_farthest(distance, elicited.gold, answers.classes)},
        **_varieties(answers.classes),
        "entropy_correlation": {"s": float(np.corrcoef(entropy(stated), unsure)[0, 1])},
        "wasserstein": {"s": float(distance.mean())},
        "right": {"h": 100 * float(shares.probs[np.arange(shares.n_items), counted.gold].mean())},
    }
    train = np.array(counted.items["cifar10s_split"].to_pylist()) == "train"
    once["split"] = {"train": int(train.sum()), "test": int((~train).sum())}
    once["outside_train"] = {"s": int((~train[np.isin(shares.items, answers.items)]).sum())}
    pairs = {
        "entropy_rank_correlation": (entropy(stated), unsure),
        **{f"{name}_correlation": (values, unsure) for name, values in by_image.items()},
    }
    groups = [np.flatnonzero(batch == name) for name in np.unique(batch)]
    batches: Values = {
        name: {"s": [_rank_correlation(values[rows], other[rows]) for rows in groups]}
        for name, (values, other) in pairs.items()
    }
    for metric, arms in compare_groups(completion(first), votes).items():
        batches[metric] = {arm: [float(values[rows].mean()) for rows in groups] for arm, values in arms.items()}
    alike = [rows[voted[rows].max(axis=1) >= UNANIMOUS] for rows in groups]
    batches["unanimous_entropy"] = {
        arm: [float(entropy(probs[rows]).mean()) for rows in alike if rows.size]
        for arm, probs in (("s", stated), ("h", voted))
    }
    batches["automobile"] = _automobiles(stated, voted, elicited.gold, answers.classes)
    return {
        "once": once,
        "batches": batches,
        "bins": {name: _bins(values, unsure) for name, values in by_image.items()},
    }


def _sizes(answers: Beliefs, first: Beliefs, shares: Distributions, batch: np.ndarray, unsure: np.ndarray) -> Values:
    """How many people answered about how many images, and which images they were."""
    assert answers.annotators is not None and shares.votes is not None
    easy = np.array([(unsure[batch == name] <= EASY).sum() for name in np.unique(batch)])
    fewest, votes = int(first.per_item.min()), float(shares.votes.mean())
    repeats = int(np.sum(answers.column("is_repeat")))
    return {
        "annotators": {"s": int(answers.annotators.size)},
        "thousand_labels": {"s": first.n_answers / 1_000},
        "images": {"s": answers.n_items},
        "batches": {"s": easy.size},
        "trials": {"s": int(np.median(answers.per_annotator))},
        "repeated": {"s": repeats / answers.annotators.size},
        "hard_images": {"s": int((unsure >= HARD).sum())},
        "batches_with_easy": {"three": int((easy == 3).sum()), "none": int((easy == 0).sum())},
        "two_classes": {"h": 100 * float(((shares.probs > 0).sum(axis=1) <= 2).mean())},
        "annotators_per_image": {"h": votes, "s": fewest},
        "annotator_ratio": {"h": votes / fewest},
    }


def _answers(answers: Beliefs, gold: np.ndarray, full: Beliefs) -> Values:
    """What an answer has: inputs, seconds, a right class; and that labels are made of it as released."""
    right = answers.named == gold[answers.item][:, None]  # (m, 2)
    again = repeat_consistency(_without_double_participation(answers))
    released = np.stack(list(answers.column("t2clamp")))
    said = ~np.isnan(answers.stated)  # (m, k)
    named = np.zeros_like(said)
    for column in answers.named.T:
        named[np.flatnonzero(column >= 0), column[column >= 0]] = True
    inputs = (answers.named >= 0).sum(axis=1) + said.sum(axis=1) + answers.ruled_out.any(axis=1)  # (m,)
    impossible = (said & ~named).any(axis=1) | (answers.named[:, 0] < 0)
    assert answers.seconds is not None
    seconds = float(np.nanmedian(answers.seconds))
    return {
        "rule_breakers": {"s": int((~exclusions(answers, gold).kept).sum())},
        "not_made_again": {"s": int((np.abs(full.stated - released).max(axis=1) >= ATOL).sum())},
        "inputs": {"s": int(inputs.max())},
        "impossible_answers": {"s": int(impossible.sum())},
        "seconds": {
            "answer": seconds,
            "input": seconds / 5,
            **{name: ANNOTATORS * count * round(seconds) / 5 for name, count in INPUTS.items()},
        },
        "first_right": {"s": 100 * float(right[:, 0].mean())},
        "first_two_right": {"s": 100 * float(right.any(axis=1).mean())},
        "repeats_changed": {"s": 100 * again.changed},
        "repeats_change": {"s": 100 * again.change},
    }


def _count_farthest(distance: np.ndarray, gold: np.ndarray, classes: Sequence[str]) -> int:
    """Figure 8: how many of the three images with the largest distances have the class shown, in that order."""
    farthest = np.array(classes)[gold][np.argsort(-distance, kind="stable")[:3]]
    return int(np.sum(farthest == FARTHEST))


def _varieties(classes: tuple[str, ...]) -> Values:
    """Figure 2 for the answer of section 4.2: mass left by 70% truck and 20% automobile, and classes that get it."""
    truck, automobile = classes.index("truck"), classes.index("automobile")
    stated = np.full((1, len(classes)), np.nan)
    stated[0, [truck, automobile]] = 0.7, 0.2
    ruled_out = np.isin(classes, ("cat", "deer", "dog", "frog", "horse"))[None]
    answer = Beliefs(
        item=np.zeros(1, dtype=np.int32),
        items=np.array(["image"]),
        classes=classes,
        stated=stated,
        ruled_out=ruled_out,
        named=np.array([[truck, automobile]], dtype=np.int32),
    )
    made: Values = {"left_over": {}, "left_over_classes": {}}
    for name in VARIETIES[:-1]:  # all but the two classes without probabilities
        rest = COMPLETIONS[name](answer).stated[0].copy()
        rest[[truck, automobile] if name.startswith("t2") else [truck]] = 0
        made["left_over"][name], made["left_over_classes"][name] = 100 * float(rest.sum()), int((rest > 0).sum())
    return made


def compare_groups(full: Beliefs, votes: Distributions) -> dict[str, dict[str, np.ndarray]]:
    """Labels of random groups of annotators of each image, stated and voted: (n,) by metric and arm.

    group_distance  total variation between the labels of two groups of three
    six_entropy     entropy of the label of both groups together
    """
    rng = np.random.default_rng(SEED)
    counts = votes.counts()
    order = np.argsort(full.item, kind="stable")
    answers = np.split(full.stated[order], np.cumsum(full.per_item)[:-1])  # by image: (answers, k)
    made: dict[str, dict[str, list[float]]] = {
        metric: {"s": [], "h": []} for metric in ("group_distance", "six_entropy")
    }
    for own, count in zip(answers, counts, strict=True):
        drawn = np.stack([own[rng.permutation(len(own))[: 2 * GROUP]] for _ in range(DRAWS)])  # (draws, 6, k)
        left = rng.multivariate_hypergeometric(count, GROUP, size=DRAWS)  # (draws, k)
        right = np.stack([rng.multivariate_hypergeometric(count - voted, GROUP) for voted in left])
        halves = {
            "s": (drawn[:, :GROUP].mean(axis=1), drawn[:, GROUP:].mean(axis=1)),
            "h": (left / GROUP, right / GROUP),
        }
        for arm, (first, second) in halves.items():
            made["group_distance"][arm].append(float(total_variation(first, second).mean()))
            made["six_entropy"][arm].append(float(entropy((first + second) / 2).mean()))
    return {metric: {arm: np.array(values) for arm, values in arms.items()} for metric, arms in made.items()}


def _automobiles(stated: np.ndarray, voted: np.ndarray, gold: np.ndarray, classes: Sequence[str]) -> Values:
    """Mass that stated labels put on trucks, and on the most frequent further class, if votes say automobile."""
    code, truck = classes.index("automobile"), classes.index("truck")
    rows = np.flatnonzero((voted[:, code] >= UNANIMOUS) & (gold == code))
    others = [other for other in range(len(classes)) if other not in (code, truck)]
    following = max(others, key=lambda other: float(stated[rows, other].sum()))
    return {"truck": stated[rows, truck].tolist(), "next class": stated[rows, following].tolist()}


def _without_double_participation(answers: Beliefs) -> Beliefs:
    """Leave out who took part twice: more answers about an image than a trial and its repeat."""
    return answers.select(annotators=answers.per_annotator == answers.per_annotator.min())


def _batch_of_image(answers: Beliefs) -> np.ndarray:
    batch = np.zeros(answers.n_items, dtype=np.int64)
    batch[answers.item] = np.asarray(answers.column("batch"))
    return batch


def _image_means(answers: Beliefs, values: np.ndarray) -> np.ndarray:
    """Means over the answers about each image.  (m,) -> (n,)"""
    means: np.ndarray = np.bincount(answers.item, values, answers.n_items) / answers.per_item
    return means


def _rank_correlation(first: np.ndarray, second: np.ndarray) -> float:
    return float(spearmanr(first, second)[0])


def _bins(values: np.ndarray, unsure: np.ndarray) -> dict[str, list[float]]:
    bins = np.array_split(np.argsort(unsure, kind="stable"), BINS)
    return {
        "entropy": [float(unsure[rows].mean()) for rows in bins],
        "mean": [float(values[rows].mean()) for rows in bins],
    }
