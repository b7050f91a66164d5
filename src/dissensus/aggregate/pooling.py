"""Opinion pools: the beliefs of several annotators as one distribution, weighted by annotator."""

from __future__ import annotations

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import jensen_shannon
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_sums import SUM_TOLERANCE
from dissensus.labels.shares import check_answered


@takes(beliefs=Beliefs)
def linear_pool(beliefs: Beliefs, weights: np.ndarray | None = None) -> Distributions:
    """Average each item's complete beliefs, weighted by annotator.

        p_i = sum_a w_a b_ia / sum_a w_a

    Keeps minorities: a class that one annotator holds possible stays possible. Equal weights give `mean_belief`.
    Stone (1961), The opinion pool.

    Parameters
    ----------
    beliefs : complete beliefs
    weights : (a,) of 0 or more per annotator, such as `pooling.reliability(beliefs)`; equal by default

    Returns
    -------
    one distribution per item

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    >>> linear_pool(beliefs, weights=[2, 1, 1]).probs.round(2).tolist()
    [[0.75, 0.25], [0.25, 0.75]]
    """
    rows, weight = complete_rows(beliefs), _weight(beliefs, weights)
    return _pool(beliefs, _sum_by_item(beliefs, rows * weight[:, None]))


@takes(beliefs=Beliefs)
def log_pool(beliefs: Beliefs, weights: np.ndarray | None = None, *, floor: float = 0.001) -> Distributions:
    """Pool each item's complete beliefs by their weighted geometric mean, which is sharper than the linear pool.

        p_i ~ prod_a b'_ia^(w_a / sum_a w_a),   b' = (1 - k floor) b + floor

    A class that one annotator rules out is out for all, so every belief first gives `floor` to each class.
    Genest and Zidek (1986), Combining probability distributions, sec. 2.

    Parameters
    ----------
    beliefs : complete beliefs
    weights : (a,) of 0 or more per annotator; equal by default
    floor : probability that every class keeps; 0 fails for an item on which each class is ruled out by somebody

    Returns
    -------
    one distribution per item

    Examples
    --------
    >>> from dissensus import Beliefs, Votes
    >>> from dissensus.labels import COMPLETIONS
    >>> votes = Votes.of(list("aaabbb"), ["cat", "cat", "dog", "dog", "dog", "cat"], ["ann", "bo", "cy"] * 2)
    >>> beliefs = COMPLETIONS["dense"](Beliefs.of_votes(votes))
    >>> log_pool(beliefs, floor=0.1).probs.round(2).tolist()
    [[0.68, 0.32], [0.32, 0.68]]
    """
    rows, weight = raise_to_floor(complete_rows(beliefs), floor), _weight(beliefs, weights)
    share = (
        weight / np.maximum(np.bincount(beliefs.item, weights=weight, minlength=beliefs.n_items), 1e-300)[beliefs.item]
    )
    heard = share > 0
    log_rows = np.full(rows.shape, -np.inf)
    np.log(rows, where=rows > 0, out=log_rows)
    log_mass = _sum_by_item(
        beliefs, np.where(heard[:, None], log_rows * np.where(heard, share, 1.0)[:, None], 0.0)
    )  # (n, k)
    top = log_mass.max(axis=1, keepdims=True)
    lost = np.flatnonzero(np.isinf(top[:, 0]))
    if lost.size:
        raise ValueError(
            f"item {beliefs.items[lost[0]]}: every class is ruled out by somebody, so the geometric mean leaves none; "
            f"{lost.size} of {beliefs.n_items} items: use a floor above 0, or linear_pool"
        )
    silent = np.bincount(beliefs.item, weights=weight, minlength=beliefs.n_items) == 0
    return _pool(beliefs, np.where(silent[:, None], 0.0, np.exp(log_mass - top)))


@takes(beliefs=Beliefs)
def reliability(beliefs: Beliefs, *, pseudo: float = 10.0, rounds: int = 2) -> np.ndarray:
    """Weight annotators by how close they are to the pool of the others: mean 1, higher is better.  (a,)

        d_a = mean over a's answers of JS(b_ia, weighted mean of the other beliefs about i)
        w_a ~ 1 / d_a,   d_a shrunk towards the crowd's mean as if `pseudo` more answers had been at that mean

    Jensen-Shannon divergence grows like a squared distance, so this is weighting by inverse variance. The pool of the
    others uses the weights of the previous round, equal ones at first. An annotator who shares no item has the crowd's
    mean weight. An outlier gets a lower weight whether or not they are right.
    """
    who, annotators = beliefs.require_annotators("reliability")
    rows = complete_rows(beliefs)
    weights = np.ones(annotators.size)
    if not pseudo > 0 or rounds < 1:
        raise ValueError(f"pseudo is {pseudo} and rounds {rounds}; expected a number above 0, and 1 or more")
    # Which answers are to one item by one person: all of these are left out of the pool of the others.
    own = np.unique(beliefs.item.astype(np.int64) * annotators.size + who, return_inverse=True)[1].reshape(-1)  # (m,)
    others = beliefs.per_item[beliefs.item] > np.bincount(own)[own]
    if not others.any():
        return weights
    for _ in range(rounds):
        heard = rows * weights[who][:, None]  # (m, k)
        own_mass = np.column_stack([np.bincount(own, weights=column) for column in heard.T])  # by item and person
        pool = _sum_by_item(beliefs, heard)[beliefs.item] - own_mass[own]
        left = pool.sum(axis=1)
        pool = np.maximum(pool[others], 0.0)
        apart = jensen_shannon(rows[others], pool / np.maximum(left[others], 1e-300)[:, None])
        mean = float(apart.mean())
        if mean <= 1e-12:  # all alike
            return np.ones(annotators.size)
        sums = np.bincount(who[others], weights=apart, minlength=annotators.size)
        answers = np.bincount(who[others], minlength=annotators.size)
        weights = (answers + pseudo) / (sums + pseudo * mean)
        weights = weights / weights.mean()
    return weights


def complete_rows(beliefs: Beliefs) -> np.ndarray:
    """Return the stated probabilities; gaps and rows that do not sum to 1 are refused.  (m, k)"""
    gaps = np.argwhere(np.isnan(beliefs.stated))
    if gaps.size:
        row, code = gaps[0]
        raise Refusal(
            f"belief {row} (item {beliefs.items[beliefs.item[row]]}) says nothing about {beliefs.classes[code]!r}; "
            f"{np.unique(gaps[:, 0]).size} of {beliefs.n_answers} beliefs are partial",
            ways=[PythonWay("complete them first, for example with complete(beliefs)")],
        )
    total = beliefs.stated.sum(axis=1)
    bad = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if bad.size:
        raise Refusal(
            f"belief {bad[0]} (item {beliefs.items[beliefs.item[bad[0]]]}) sums to {total[bad[0]]:g}; expected 1; "
            f"{bad.size} of {total.size} do not",
            ways=[PythonWay("scale them with complete(beliefs)")],
        )
    return beliefs.stated


def raise_to_floor(rows: np.ndarray, floor: float) -> np.ndarray:
    """Give every class at least `floor`: (1 - k floor) b + floor.  (m, k)"""
    k = rows.shape[1]
    if not 0 <= floor * k < 1:
        raise ValueError(f"the floor is {floor} for each of {k} classes; expected 0 up to 1/{k}, not included")
    return (1 - k * floor) * rows + floor


def _weight(beliefs: Beliefs, weights: np.ndarray | None) -> np.ndarray:
    if weights is None:
        return np.ones(beliefs.n_answers)
    who, annotators = beliefs.require_annotators("weighting by annotator")
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != annotators.shape:
        raise ValueError(f"weights have shape {given.shape}; expected one for each of {annotators.size} annotators")
    bad = np.flatnonzero(~((given >= 0) & np.isfinite(given)))
    if bad.size:
        raise ValueError(
            f"annotator {annotators[bad[0]]} has weight {given[bad[0]]}; expected a finite number of 0 or more; "
            f"{bad.size} of {given.size} are wrong"
        )
    return given[who]


def _sum_by_item(beliefs: Beliefs, rows: np.ndarray) -> np.ndarray:
    """(m, k) -> (n, k)"""
    return np.column_stack(
        [np.bincount(beliefs.item, weights=rows[:, code], minlength=beliefs.n_items) for code in range(rows.shape[1])]
    )


def _pool(beliefs: Beliefs, mass: np.ndarray) -> Distributions:
    check_answered(beliefs)
    empty = np.flatnonzero(mass.sum(axis=1) <= 0)
    if empty.size:
        raise Refusal(
            f"item {beliefs.items[empty[0]]} has no belief with a weight above 0, so it has no pool; {empty.size} of "
            f"{beliefs.n_items} items have none",
            ways=[Way("leave these items out"), PythonWay("select the others with beliefs.select(items=...)")],
        )
    return Distributions.from_mass(mass, items=beliefs.items, classes=beliefs.classes)
