"""Recalibration: what an annotator's "90 %" is worth, learned from gold answers or from their own second answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dissensus.aggregate.pooling import complete_rows, floored
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.doors import takes
from dissensus.labels.names import item_positions, positions_of
from dissensus.labels.votes import Votes

Recalibration = Literal["repeats"] | Votes  # what tells the right answers: second answers, or gold, a vote per item
SHARPEST, FLATTEST = 0.02, 50.0  # temperatures beyond these change no digit that matters


@dataclass(frozen=True, eq=False)
class Temperatures:
    """The temperature that makes stated probabilities honest: above 1 for people who are too sure.

    annotators   (a,) names
    temperature  (a,) shrunk towards the crowd's; exactly the crowd's for one without a known answer
    answers      (a,) known answers behind each
    crowd        the one temperature that suits all
    """

    annotators: np.ndarray
    temperature: np.ndarray
    answers: np.ndarray
    crowd: float

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in ("annotators", "temperature", "answers"):
            hold(self, name, np.asarray(getattr(self, name)))


@takes(beliefs=Beliefs)
def temperatures(
    beliefs: Beliefs, gold: np.ndarray | None = None, *, pseudo: float = 20.0, floor: float = 0.01
) -> Temperatures:
    """Each annotator's temperature by the log-loss of their complete beliefs, where the right class is known.

        loss_a(beta) = sum over a's known answers of -ln q[right class],   q ~ b'^beta,   b' = (1 - k floor) b + floor
        beta_a = argmin loss_a(beta) + pseudo * information * (beta - beta_crowd)^2 / 2,   temperature = 1 / beta

    `information` is the crowd's mean curvature of the loss per answer, so the crowd's temperature weighs as much as
    `pseudo` answers. The loss is convex in beta; its slope is followed to 0 by bisection, for all annotators at once.
    Guo et al. (2017), On calibration of modern neural networks, sec. 4.2, for one temperature.

    gold   (n,) class codes, -1 where unknown. Without gold an answer repeated by its annotator is judged by the first
           choice of the other: that measures how sure people are of their own answer, not of the truth.
    floor  what a class called impossible still gets, or one such class being right would cost infinitely much
    """
    who, annotators = beliefs.identified("recalibration")
    if not pseudo > 0 or not floor > 0:
        raise ValueError(f"pseudo is {pseudo} and floor {floor}; expected numbers above 0")
    log_rows = np.log(floored(complete_rows(beliefs), floor))
    answer, right = _repeated(beliefs, who) if gold is None else _known(beliefs, gold)
    log_rows, owner = log_rows[answer], who[answer]
    log_right = log_rows[np.arange(answer.size), right]  # (r,)

    def slope(beta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of the loss of each answer, and its curvature.  (r,), (r,)"""
        mass = np.exp(beta[:, None] * (log_rows - log_rows.max(axis=1, keepdims=True)))
        mass = mass / mass.sum(axis=1, keepdims=True)
        mean = (mass * log_rows).sum(axis=1)
        return mean - log_right, (mass * (log_rows - mean[:, None]) ** 2).sum(axis=1)

    everyone = np.zeros(answer.size, dtype=np.int64)
    # The crowd's own shrinkage to 1 is worth one answer: it matters only where the data cannot tell.
    start = float(slope(np.ones(answer.size))[1].mean())
    crowd = _root(lambda beta: slope(beta[everyone])[0].sum() + start * (beta - 1), 1)
    information = float(slope(crowd[everyone])[1].mean())

    def of_each(beta: np.ndarray) -> np.ndarray:
        own = np.bincount(owner, weights=slope(beta[owner])[0], minlength=annotators.size)
        return own + pseudo * information * (beta - crowd[0])

    answers = np.bincount(owner, minlength=annotators.size)
    beta = np.where(answers > 0, _root(of_each, annotators.size), crowd[0])
    return Temperatures(annotators, 1 / beta, answers, float(1 / crowd[0]))


def temperatures_by(known: Recalibration | Any, beliefs: Beliefs) -> Temperatures:
    """The temperatures by second answers ("repeats"), or by gold that is matched by the names of items and classes."""
    if isinstance(known, Votes):
        return temperatures(beliefs, gold_codes(known, beliefs))
    if not (isinstance(known, str) and known == "repeats"):
        shown = repr(known) if isinstance(known, str) else type(known).__name__
        raise ValueError(f'recalibrate is {shown}; expected "repeats", or Votes with the right class of each item')
    return temperatures(beliefs)


@takes(beliefs=Beliefs)
def recalibrated(beliefs: Beliefs, fitted: Temperatures, *, floor: float = 0.01) -> Beliefs:
    """The beliefs as they should have been stated: each row tempered by its annotator's temperature.

        q_c ~ b'_c^(1 / temperature),   b' = (1 - k floor) b + floor

    floor: the one the temperatures were fitted with. What was named and ruled out stays as it was said.
    """
    who, annotators = beliefs.identified("recalibration")
    if not np.array_equal(annotators, fitted.annotators):
        raise ValueError(
            f"the temperatures are of {fitted.annotators.size} annotators, the beliefs of {annotators.size}; expected "
            "the same annotators in the same order"
        )
    log_rows = np.log(np.maximum(floored(complete_rows(beliefs), floor), np.finfo(float).tiny))
    mass = np.exp((log_rows - log_rows.max(axis=1, keepdims=True)) / fitted.temperature[who][:, None])
    return replace(beliefs, stated=mass / mass.sum(axis=1, keepdims=True))


@takes(gold=Votes, beliefs=Beliefs)
def gold_codes(gold: Votes, beliefs: Beliefs) -> np.ndarray:
    """The gold class of each item the beliefs are about, matched by name; -1 where gold does not name the item.

    gold: one vote per item, of the same classes; items the beliefs are not about have no part.  -> (n,)
    """
    code = positions_of(gold.classes, beliefs.classes)
    if (code < 0).any():
        raise ValueError(
            f"gold knows the classes {list(gold.classes)}, the beliefs {list(beliefs.classes)}; expected the same names"
        )
    counts = gold.counts()
    torn = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    if torn.size:
        said = [name for name, count in zip(gold.classes, counts[torn[0]], strict=True) if count]
        raise ValueError(
            f"item {gold.items[torn[0]]} has the gold classes {said}; expected one; {torn.size} of {gold.n_items} "
            "items have several: aggregate them first, or leave them out"
        )
    of_gold = np.where(counts.any(axis=1), code[counts.argmax(axis=1)], -1)
    where = item_positions(beliefs.items, gold.items)
    if not (where >= 0).any():
        raise ValueError(
            f"gold names {gold.n_items} items and the beliefs {beliefs.n_items}, but none of the same name (gold "
            f"begins with {gold.items[0]}, the beliefs with {beliefs.items[0]}); expected items in common"
        )
    return np.where(where >= 0, of_gold[where], -1)


def _known(beliefs: Beliefs, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    codes = np.asarray(gold)
    if codes.shape != (beliefs.n_items,) or codes.dtype.kind not in "iu":
        raise ValueError(
            f"gold holds {codes.dtype} of shape {codes.shape}; expected one class code, or -1 where unknown, for each "
            f"of {beliefs.n_items} items"
        )
    bad = np.flatnonzero((codes < -1) | (codes >= beliefs.n_classes))
    if bad.size:
        raise ValueError(
            f"item {beliefs.items[bad[0]]} has gold class {codes[bad[0]]}, but there are {beliefs.n_classes} classes, "
            f"0..{beliefs.n_classes - 1} (-1 for unknown); {bad.size} of {codes.size} are out of range"
        )
    answer = np.flatnonzero(codes[beliefs.item] >= 0)
    if not answer.size:
        raise ValueError("no belief is about an item whose gold class is known; recalibration needs some")
    return answer, codes[beliefs.item[answer]]


def _repeated(beliefs: Beliefs, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Answers with another answer of the same annotator to the same item, and the first choice of that one."""
    pair = beliefs.item.astype(np.int64) * (int(who.max(initial=0)) + 1) + who
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1])
    if not again.size:
        raise ValueError(
            "no annotator answered an item twice, so nothing tells how far to trust stated probabilities; give gold"
        )
    before, after = order[again], order[again + 1]
    first = beliefs.first
    return np.concatenate([before, after]), np.concatenate([first[after], first[before]]).astype(np.int64)


def _root(slope: Callable[[np.ndarray], np.ndarray], size: int) -> np.ndarray:
    """Where rising functions of beta cross 0, each by bisection of ln beta.  -> (size,)"""
    low, high = np.full(size, -np.log(FLATTEST)), np.full(size, -np.log(SHARPEST))
    for _ in range(40):
        middle = (low + high) / 2
        above = slope(np.exp(middle)) > 0
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.exp((low + high) / 2)
