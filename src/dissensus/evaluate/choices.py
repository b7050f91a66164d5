"""Scores of what the model would choose: its first class, its second, and how sure it is of them.

Equal probabilities: a choice among equal classes is taken as made at random, so it counts by its chance. Scores then
do not depend on the order of classes, and stay comparable with the human ceiling, which shares ties in the same way.
"""

from __future__ import annotations

import numpy as np

from dissensus.labels import distances


def accuracy_to_majority(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the probability that the model and people have the same most likely class.

        sum_c top_c(q) top_c(p)

    Ties are drawn at random, as in the human ceiling: of two classes with equally many votes each counts 1/2.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 1, higher is better

    Examples
    --------
    >>> accuracy_to_majority(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([[0.9, 0.1], [0.5, 0.5]]))
    array([1. , 0.5])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return (top_choice(model) * top_choice(people)).sum(axis=1)


def accuracy_to_gold(p_model: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Compute the probability that the model's most likely class is the gold class; ties are drawn at random.

    Parameters
    ----------
    p_model : (n, k), rows sum to 1
    gold : (n,) class codes

    Returns
    -------
    (n,), 0 to 1, higher is better

    Examples
    --------
    >>> accuracy_to_gold(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([0, 1]))
    array([1., 0.])
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
    return top_choice(model)[np.arange(codes.size), codes]


def vote_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the share of people who chose the model's most likely class: its accuracy on single votes.

        sum_c top_c(q) p_c

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 1, higher is better

    Examples
    --------
    >>> vote_accuracy(np.array([[0.8, 0.2]]), np.array([[0.7, 0.3]]))
    array([0.7])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return (top_choice(model) * people).sum(axis=1)


def second_best_accuracy(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Compute the probability that the model and people have the same second choice.

        sum_c second_c(q) second_c(p)

    second_c is the probability that class c comes second if ties are ordered at random. NaN for items on which all
    people agree, since they have no second choice. Peterson 2019, sec. 5.1, which does not specify ties and unanimous
    items.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 0 to 1 or NaN, higher is better

    Examples
    --------
    >>> second_best_accuracy(np.array([[0.7, 0.2, 0.1]]), np.array([[0.1, 0.3, 0.6]]))
    array([1.])
    """
    model, people = distances.checked_pair(p_model, p_people)
    same = (_second(model) * _second(people)).sum(axis=1)
    return np.where((people > 0).sum(axis=1) > 1, same, np.nan)


def top_k_accuracy(p_model: np.ndarray, p_people: np.ndarray, k: int = 2) -> np.ndarray:
    """Compute the probability that people's most frequent class is among the model's k most likely classes.

        sum_c top_c(p) among_c(q),   among_c 1 above the k-th largest q, 0 below it; ties share the remaining places

    Ties are ordered at random.

    Parameters
    ----------
    p_model, p_people : (n, classes), rows sum to 1
    k : number of classes that count, 1 or more

    Returns
    -------
    (n,), 0 to 1, higher is better

    Examples
    --------
    >>> top_k_accuracy(np.array([[0.7, 0.2, 0.1]]), np.array([[0.1, 0.6, 0.3]]), k=2)
    array([1.])
    """
    model, people = distances.checked_pair(p_model, p_people)
    if k < 1:
        raise ValueError(f"top-{k} accuracy was asked for; expected k of 1 or more")
    least = -np.partition(-model, min(k, model.shape[1]) - 1, axis=1)[:, [min(k, model.shape[1]) - 1]]  # (n, 1)
    above, equal = model > least, model == least
    left = np.minimum((k - above.sum(axis=1, keepdims=True)) / equal.sum(axis=1, keepdims=True), 1.0)
    return (np.where(equal, left, above) * top_choice(people)).sum(axis=1)


def confidence_when_right(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Return the probability of the model's choice if it is a most frequent class of people, else NaN.

    Peterson 2019, fig. 3A.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 1/k to 1 or NaN

    Examples
    --------
    >>> confidence_when_right(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    array([0.8, nan])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.where(accuracy_to_majority(model, people) > 0, model.max(axis=1), np.nan)


def confidence_when_wrong(p_model: np.ndarray, p_people: np.ndarray) -> np.ndarray:
    """Return the probability of the model's choice if it is not a most frequent class of people, else NaN.

    Peterson 2019, fig. 3A.

    Parameters
    ----------
    p_model, p_people : (n, k), rows sum to 1

    Returns
    -------
    (n,), 1/k to 1 or NaN

    Examples
    --------
    >>> confidence_when_wrong(np.array([[0.8, 0.2], [0.6, 0.4]]), np.array([[0.9, 0.1], [0.2, 0.8]]))
    array([nan, 0.6])
    """
    model, people = distances.checked_pair(p_model, p_people)
    return np.where(accuracy_to_majority(model, people) > 0, np.nan, model.max(axis=1))


def top_choice(rows: np.ndarray) -> np.ndarray:
    """Return probability 1 for the most likely class, shared evenly by ties.  (n, k) -> (n, k), rows sum to 1"""
    top = rows == rows.max(axis=1, keepdims=True)
    return top / top.sum(axis=1, keepdims=True)


def _second(rows: np.ndarray) -> np.ndarray:
    """Return the probability of each class to come second if ties are ordered at random.  (n, k), rows sum to 1"""
    if rows.shape[1] == 1:
        return np.zeros(rows.shape)
    top = rows == rows.max(axis=1, keepdims=True)
    unchosen = np.where(top, -1.0, rows)
    following = unchosen == unchosen.max(axis=1, keepdims=True)
    second = np.where(top.sum(axis=1, keepdims=True) > 1, top, following)
    return second / second.sum(axis=1, keepdims=True)
