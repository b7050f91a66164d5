"""One answer at a time: every epoch each item has one label, and over the epochs its whole distribution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dissensus.aggregate.pooling import complete_rows
from dissensus.deliver.delivery import Delivery, checked_seed
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.shares import Labels, as_distributions, check_answered
from dissensus.labels.votes import Votes

CONTROL_OFFSET = 1000  # Gheibi 2026, A.1


@takes(labels=ANY_LABELS)
def sls(labels: Labels, seed: int) -> Delivery:
    """Deliver by stochastic label sampling: a class drawn anew for every item and epoch.

        y_i(epoch) ~ Categorical(p_i)

    The expected loss and gradient are those of soft labels; the gradient in the logits has covariance
    Diag(p) - pp^T. Gheibi 2026, sec. 3, eq. 3 and proposition 1; Peterson 2019, table 2, "sampled hard targets".
    From votes, one of the item's votes is drawn, at a cost that does not grow with k. From probabilities (mean beliefs,
    a teacher's predictions), classes are drawn with Walker's alias table.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    seed : int

    Returns
    -------
    Delivery of classes

    Examples
    --------
    >>> delivery = sls(Votes.of(["a", "a", "b"], ["cat", "dog", "dog"]), seed=0)
    >>> epochs = np.stack([delivery.targets(epoch) for epoch in range(1000)])
    >>> epochs.mean(axis=0).round(1)
    array([0.5, 1. ])
    """
    if isinstance(labels, Votes):
        return _one_at_a_time("sls", labels, partial(_any, checked_seed(seed)))
    d = as_distributions(labels)
    return Delivery(
        name="sls",
        items=d.items,
        classes=d.classes,
        hard=True,
        fixed=False,
        rule=partial(_any_class, checked_seed(seed), _table(d)),
    )


@takes(labels=ANY_LABELS)
def multipass(labels: Labels, seed: int) -> Delivery:
    """Deliver every answer in turn: each item's answers are shuffled once, then delivered one per epoch, over and over.

        y_i(epoch) = shuffled answers of i [epoch mod number of answers of i]

    Each answer comes exactly once per cycle. Beliefs are delivered as probabilities. Gheibi 2026, sec. 3 and A.1.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions with a number of votes
    seed : int

    Returns
    -------
    Delivery of classes, or of probabilities for beliefs

    Raises
    ------
    ValueError
        If distributions do not carry their number of votes: majorities and estimates have no single answers.

    Examples
    --------
    >>> delivery = multipass(Votes.of(["a", "a", "a"], ["cat", "dog", "dog"]), seed=0)
    >>> sorted(int(delivery.targets(epoch)[0]) for epoch in range(3))
    [0, 1, 1]
    """
    return _multipass("multipass", labels, seed)


@takes(labels=ANY_LABELS)
def deterministic_control(labels: Labels, seed: int) -> Delivery:
    """Deliver as `multipass` does with the seed + 1000: differences between the two are chance.

    Gheibi 2026, A.1.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions with a number of votes
    seed : int

    Returns
    -------
    Delivery of classes, or of probabilities for beliefs

    Examples
    --------
    >>> votes = Votes.of(["a", "a", "a"], ["cat", "dog", "dog"])
    >>> control, other_seed = deterministic_control(votes, seed=0), multipass(votes, seed=1000)
    >>> all((control.targets(epoch) == other_seed.targets(epoch)).all() for epoch in range(3))
    True
    """
    return _multipass("deterministic_control", labels, checked_seed(seed) + CONTROL_OFFSET)


@takes(labels=ANY_LABELS)
def deaggregated(labels: Labels, seed: int, *, shared: bool = False) -> Delivery:
    """Deliver one annotator's answer per item, drawn anew every epoch: a class, or a belief as probabilities.

    Collins 2022, sec. 5.1, draws at each batch, which is the same, since an item is in one batch of an epoch. To draw
    again whenever an item is used, count steps instead of epochs: targets(step, items).

    Parameters
    ----------
    labels : Votes or Beliefs
    seed : int
    shared : bool
        Make one draw for all items: each gives the answer at the same relative position in its list. Data listed
        annotator by annotator then shows one annotator at a time.

    Returns
    -------
    Delivery of classes, or of probabilities for beliefs

    Examples
    --------
    >>> delivery = deaggregated(Votes.of(["a", "a", "b"], ["cat", "dog", "dog"]), seed=0)
    >>> [sorted(set(map(int, answers))) for answers in zip(*map(delivery.targets, range(50)))]
    [[0, 1], [1]]
    """
    if isinstance(labels, Distributions):
        raise ValueError(
            "deaggregated delivery needs single answers, but these are distributions; pass the Votes or Beliefs, "
            "or draw classes from the distributions with sls"
        )
    return _one_at_a_time("deaggregated", labels, partial(_shared if shared else _any, checked_seed(seed)))


@dataclass(frozen=True, eq=False)
class AnswerLists:
    """The answers of each item, one list after another.

    first   (n + 1,) int64, where each item's list begins
    values  (m,) class of each vote, or row in `stated` of each belief
    stated  (m, k) rows sum to 1, or None for votes
    """

    first: np.ndarray
    values: np.ndarray
    stated: np.ndarray | None

    def __post_init__(self) -> None:
        for name in ("first", "values"):
            hold(self, name, getattr(self, name))

    def targets(self, chosen: np.ndarray) -> np.ndarray:
        """Values as targets.  (r,) -> (r,) classes or (r, k) probabilities"""
        return chosen if self.stated is None else self.stated[chosen]


def answer_lists(labels: Votes | Beliefs) -> AnswerLists:
    """Lists in the order in which the answers are listed, in the smallest integers that hold the classes."""
    check_answered(labels)
    first = np.concatenate([[0], np.cumsum(labels.per_item)])
    rising = bool((np.diff(labels.item) >= 0).all())
    order = np.arange(labels.n_answers) if rising else np.argsort(labels.item, kind="stable")
    if isinstance(labels, Beliefs):
        return AnswerLists(first, order, complete_rows(labels))
    compact = labels.choice.astype(np.min_scalar_type(labels.n_classes - 1))
    return AnswerLists(first, compact if rising else compact[order], None)


def _one_at_a_time(name: str, labels: Votes | Beliefs, rule: partial[np.ndarray]) -> Delivery:
    return Delivery(
        name=name,
        items=labels.items,
        classes=labels.classes,
        hard=isinstance(labels, Votes),
        fixed=False,
        rule=partial(rule, answer_lists(labels)),
    )


def _multipass(name: str, labels: Labels, seed: int) -> Delivery:
    from dissensus.deliver.keyed import key, shuffled_answers

    answers = _votes_behind(labels, name) if isinstance(labels, Distributions) else labels
    lists = answer_lists(answers)
    order = shuffled_answers(key(checked_seed(seed), "shuffle"), lists.first, lists.values)
    return Delivery(
        name=name,
        items=answers.items,
        classes=answers.classes,
        hard=isinstance(answers, Votes),
        fixed=False,
        rule=partial(_in_turn, replace(lists, values=order)),
    )


def _votes_behind(shares: Distributions, name: str) -> Votes:
    if shares.votes is None:
        raise ValueError(
            f"{name} delivers every vote in turn, but these distributions carry no number of votes, as majorities, "
            "estimates, mean beliefs and predictions do not: pass the Votes or Beliefs, or draw classes from the "
            "distributions with sls"
        )
    return Votes.of_counts(shares)


def _any(seed: int, lists: AnswerLists, epoch: int, items: np.ndarray | None) -> np.ndarray:
    from dissensus.deliver.keyed import NO_ITEMS, any_answer, key

    start = key(seed, "vote", epoch)
    return lists.targets(
        any_answer(start, lists.first, lists.values, NO_ITEMS if items is None else items, items is None)
    )


def _shared(seed: int, lists: AnswerLists, epoch: int, items: np.ndarray | None) -> np.ndarray:
    from dissensus.deliver.keyed import NO_ITEMS, key, shared_answer

    word = key(seed, "shared", epoch)
    return lists.targets(
        shared_answer(word, lists.first, lists.values, NO_ITEMS if items is None else items, items is None)
    )


def _in_turn(lists: AnswerLists, epoch: int, items: np.ndarray | None) -> np.ndarray:
    from dissensus.deliver.keyed import NO_ITEMS, answer_in_turn

    return lists.targets(
        answer_in_turn(epoch, lists.first, lists.values, NO_ITEMS if items is None else items, items is None)
    )


def _table(d: Distributions) -> tuple[np.ndarray, ...]:
    """Where each item's cells begin (n + 1,), and keep, own, other (z,) of the alias table."""
    from dissensus.deliver.alias import alias_table

    first = np.concatenate([[0], np.cumsum((d.probs > 0).sum(axis=1))])
    own, other = (np.empty(first[-1], dtype=np.min_scalar_type(d.n_classes - 1)) for _ in range(2))
    return first, alias_table(d.probs, own, other, first), own, other


def _any_class(seed: int, table: tuple[np.ndarray, ...], epoch: int, items: np.ndarray | None) -> np.ndarray:
    from dissensus.deliver.alias import any_class
    from dissensus.deliver.keyed import NO_ITEMS, key

    first, keep, own, other = table
    asked = NO_ITEMS if items is None else items
    return any_class(key(seed, "class", epoch), first, keep, own, other, asked, items is None)
