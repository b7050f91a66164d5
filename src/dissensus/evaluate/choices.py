"""Scores of what the model would choose: its first class, its second, and how sure it is of them.

Equal probabilities: a choice among equal classes is taken as made at random, so it counts by its chance. Scores then
do not depend on the order of classes, and stay comparable with the human ceiling, which shares ties in the same way.
"""

from __future__ import annotations

import numpy as np

from dissensus.labels import distances


def accuracy_to_majority(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Chance that the model's and people's most likely class are the same, equal ones drawn at random.

        sum_c top_c(q) top_c(p)

    So two classes with equally many votes are worth 1/2 each, whatever the model says: as in the human ceiling.

    p_model, p_people: (n, k) -> (n,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    return (chosen(model) * chosen(people)).sum(axis=1)


def accuracy_to_gold(p_model: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Chance that the model's most likely class is the gold one, equal ones drawn at random.

    p_model: (n, k), gold: (n,) classes -> (n,), 0 to 1
    """
    model = distances.checked_rows(p_model, "p_model")
    codes = np.asarray(gold)
    if codes.shape != model.shape[:1] or codes.dtype.kind not in "iu":
        raise ValueError(f"gold has shape {codes.shape} of {codes.dtype}; expected {model.shape[0]} whole numbers")
    bad = np.flatnonzero((codes < 0) | (codes >= model.shape[1]))
    if bad.size:
        raise ValueError(
            f"item {bad[0]} has gold class {codes[bad[0]]}, but there are {model.shape[1]} classes; {bad.size} of "
            f"{codes.size} are out of range: leave out items without gold"
        )
    return chosen(model)[np.arange(codes.size), codes]


def vote_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Share of people who chose the model's most likely class: its accuracy on single votes.

        sum_c top_c(q) p_c

    p_model, p_people: (n, k) -> (n,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    return (chosen(model) * people).sum(axis=1)


def second_best_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Chance that the model's and people's second choice are the same; NaN where people have no second choice.

        sum_c second_c(q) second_c(p)

    second_c is the chance that c comes second when equal classes are put in random order. People have no second
    choice where all agree: such items say nothing, and are left out of the mean.
    Peterson 2019, sec. 5.1, which leaves ties and unanimous items open.

    p_model, p_people: (n, k) -> (n,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    same = (_second(model) * _second(people)).sum(axis=1)
    return np.where((people > 0).sum(axis=1) > 1, same, np.nan)


def top_k_accuracy(p_model: np.ndarray, p_people: np.ndarray, k: int = 2) -> np.ndarray:
    """Chance that people's most frequent class is among the model's k most likely, equal ones put in random order.

        sum_c top_c(p) among_c(q),   among_c 1 above the k-th largest q, 0 below it; those equal to it share the rest

    p_model, p_people: (n, classes) -> (n,), 0 to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    if k < 1:
        raise ValueError(f"top-{k} accuracy was asked for; expected k of 1 or more")
    least = -np.partition(-model, min(k, model.shape[1]) - 1, axis=1)[:, [min(k, model.shape[1]) - 1]]  # (n, 1)
    above, equal = model > least, model == least
    left = np.minimum((k - above.sum(axis=1, keepdims=True)) / equal.sum(axis=1, keepdims=True), 1.0)
    return (np.where(equal, left, above) * chosen(people)).sum(axis=1)


def confidence_when_right(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Probability of the model's choice where it is a most frequent class of people; NaN elsewhere.

    Peterson 2019, fig. 3A.   p_model, p_people: (n, k) -> (n,), 1/k to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.where(accuracy_to_majority(model, people) > 0, model.max(axis=1), np.nan)


def confidence_when_wrong(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Probability of the model's choice where it is not a most frequent class of people; NaN elsewhere. Low is modest.

    Peterson 2019, fig. 3A.   p_model, p_people: (n, k) -> (n,), 1/k to 1
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.where(accuracy_to_majority(model, people) > 0, np.nan, model.max(axis=1))


def chosen(rows: np.ndarray) -> np.ndarray:
    """Certainty about the most likely class, shared evenly by equal ones.  (n, k) -> (n, k), rows sum to 1"""
    top = rows == rows.max(axis=1, keepdims=True)
    return top / top.sum(axis=1, keepdims=True)


def _second(rows: np.ndarray) -> np.ndarray:
    """The chance of each class to come second when equal ones are put in random order.  (n, k), rows sum to 1"""
    if rows.shape[1] == 1:
        return np.zeros(rows.shape)
    top = rows == rows.max(axis=1, keepdims=True)
    rest = np.where(top, -1.0, rows)
    following = rest == rest.max(axis=1, keepdims=True)
    second = np.where(top.sum(axis=1, keepdims=True) > 1, top, following)
    return second / second.sum(axis=1, keepdims=True)
