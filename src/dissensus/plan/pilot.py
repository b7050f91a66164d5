"""A small pilot of several kinds of label: seconds and errors of each, and which kind to continue with.

Sucholutsky 2023, appendix A: estimate, pilot, update, pick.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.intervals import Interval, percentile_interval
from dissensus.labels.refusals import one_of
from dissensus.labels.votes import Votes
from dissensus.plan.information import answers_for, constraints_of, items_for
from dissensus.plan.label_kinds import LABEL_KINDS, LabelKind, label_name
from dissensus.plan.pilot_crowd import KindByPerson, draw_crowds
from dissensus.plan.tradeoff import Costs, Preferences

FEWEST = 2  # answers of a kind


@dataclass(frozen=True, eq=False)
class PilotAnswers:
    """The answers of one kind of label in a pilot.

    Parameters
    ----------
    kind : one of `LABEL_KINDS`
    k_hat : classes with a number, for sparse and top-class labels
    seconds : (m,) of each answer
    wrong : (m,) share of wrong comparisons in each answer, NaN if unknown; see `wrong_comparisons`
    annotator : (m,) who answered; None if unknown, and each answer counts as one person

    Examples
    --------
    >>> PilotAnswers("sparse", 3, np.array([8.0, 9.5]), np.array([0.0, 0.1])).name
    'sparse (3 classes)'
    """

    kind: LabelKind
    k_hat: int
    seconds: np.ndarray
    wrong: np.ndarray
    annotator: np.ndarray | None = None

    __repr__ = shapes

    def __post_init__(self) -> None:
        one_of("kind of label", self.kind, LABEL_KINDS)
        seconds, wrong = (np.asarray(values, dtype=np.float64) for values in (self.seconds, self.wrong))
        if seconds.size < FEWEST:
            raise ValueError(
                f"the pilot has {seconds.size} answers of kind {self.name}; expected {FEWEST} or more of each kind"
            )
        bad = np.flatnonzero(~(seconds > 0) | np.isinf(seconds))
        if bad.size:
            raise ValueError(
                f"answer {bad[0]} of kind {self.name} took {seconds[bad[0]]:g} seconds; expected a number above 0; "
                f"{bad.size} of {seconds.size} are invalid"
            )
        off = np.flatnonzero((wrong < 0) | (wrong > 1))
        if off.size:
            raise ValueError(
                f"answer {off[0]} of kind {self.name} has wrong = {wrong[off[0]]:g}; expected 0 to 1, or NaN if "
                f"unknown; {off.size} of {wrong.size} are out of range"
            )
        hold(self, "seconds", seconds)
        hold(self, "wrong", wrong)

    @property
    def name(self) -> str:
        return label_name(self.kind, self.k_hat)


@dataclass(frozen=True)
class PilotOption:
    """One kind of label after the pilot.

    items      items that the budget labels; all of them without a budget
    people     number of annotators; None if unknown, and answers count as independent
    seconds    per answer: the geometric mean over people of each one's median
    each       cost of an answer in hard labels: the ratio of their seconds, or as assumed if no hard labels were tried
               and this kind replaces them
    flip_rate  share of wrong comparisons; None if unknown, and 0 is assumed
    ratio      information ratio times (1 - flip rate), of the items that the budget labels
    loss       beta cost - u(ratio) on the scale of the preferences, lower is better
    best       probability that this kind has the lowest loss; the same for all kinds if one of them has the answers of
               a single person

    Intervals are about people like those of the pilot. For a single person they are open, 0 to infinity for seconds.
    """

    kind: LabelKind
    k_hat: int
    name: str
    answers: int
    people: int | None
    items: int
    seconds: Interval
    each: Interval
    flip_rate: Interval | None
    ratio: Interval
    loss: Interval
    best: float


def rank_options(
    answers: Sequence[PilotAnswers],
    n: int,
    k: int,
    preferences: Preferences,
    rng: np.random.Generator,
    *,
    budget: float | None = None,
    replicates: int = 2000,
    coverage: float = 0.95,
) -> list[PilotOption]:
    """Rank the kinds of a pilot by their measured loss, lowest first.

        L = beta n seconds / seconds of a hard label - u((1 - flip rate) IR),   on the scale of `preferences`

    Seconds and flip rates are drawn for people like those who answered, each with one deviation for all kinds that they
    tried (`pilot_crowd.draw_crowds`). Seconds are divided by those of a hard label of the same draw. Without hard
    labels, the kind with the lowest assumed cost stands at that cost. The ranking is by loss and not by the
    probability of the lowest loss, which is unstable for two or three people.

    Parameters
    ----------
    answers : one entry per kind that was tried
    n, k : items and classes of the data set to plan
    preferences : costs, utility and the weight of cost
    rng : draws people
    budget : what may be spent, in hard labels. A kind too expensive for all items is judged by the items it can pay
        for, and is not the best if these contain less information than hard labels for the same budget
    replicates : number of draws
    coverage : of the intervals

    Returns
    -------
    list of PilotOption : seconds, cost, errors and loss with intervals, and the probability of the lowest loss

    Examples
    --------
    >>> seconds = {"hard": np.array([2.0, 2.2, 1.9]), "soft": np.array([6.0, 7.5, 5.8])}
    >>> tried = [PilotAnswers(kind, 1, taken, np.zeros(3)) for kind, taken in seconds.items()]
    >>> [option.name for option in rank_options(tried, 80, 20, Preferences(), np.random.default_rng(0))]
    ['soft', 'hard']
    """
    if not answers:
        raise ValueError("the pilot has no answers; expected some for each kind of label to compare")
    names = [group.name for group in answers]
    if len(set(names)) < len(names):
        raise ValueError(f"the pilot has a kind twice: {names}; join the answers of each kind")
    kinds, people = _by_person(answers)
    seconds, flips = draw_crowds(kinds, people, replicates, coverage, rng)  # (options, replicates + 1)
    information = np.array([float(preferences.estimate(group.kind, n, k, group.k_hat)) for group in answers])[:, None]
    place, assumed = nearest_to_hard([(group.kind, group.k_hat) for group in answers], k, preferences.costs)
    each = seconds / seconds[place] * assumed  # in hard labels
    items = np.full(seconds.shape, n)
    if budget is not None:
        items = np.stack([items_for(group.kind, budget / row, n) for group, row in zip(answers, each, strict=True)])
    share = np.stack([_share(group, row, n, k) for group, row in zip(answers, items, strict=True)])
    amount = np.stack([answers_for(group.kind, row) for group, row in zip(answers, items, strict=True)])
    ratio = (1 - flips) * information * share
    loss = preferences.trade_off(amount * each, ratio, n, k)
    able = items == n
    if not able.all():
        # If the budget ends before the items do, little is spent and little is learned: that alone is not a merit.
        able |= (items > 0) & (ratio >= (ratio[names.index("hard")] if "hard" in names else 0.0))
    judged = np.where(able, loss, np.inf)[:, 1:]
    lowest = judged == judged.min(axis=0)
    crowds = [_people(group) for group in answers]
    lone = [crowd == 1 for crowd in crowds]
    judges = [np.unique(kind.person[np.isfinite(kind.wrong)]).size for kind in kinds]  # whose errors are known
    if any(lone):
        lowest = able[:, 1:] if able[:, 1:].any(axis=0).all() else np.ones_like(lowest)
    best = (lowest / lowest.sum(axis=0)).mean(axis=1)
    options = [
        PilotOption(
            group.kind,
            group.k_hat,
            group.name,
            group.seconds.size,
            crowds[i],
            int(items[i, 0]),
            _interval(seconds[i], coverage, (0.0, np.inf) if lone[i] else None),
            _interval(each[i], coverage, (0.0, np.inf) if i != place and (lone[i] or lone[place]) else None),
            _interval(flips[i], coverage, (0.0, 1.0) if judges[i] == 1 else None) if judges[i] else None,
            _interval(ratio[i], coverage, (0.0, float(information[i, 0])) if lone[i] else None),
            _interval(loss[i], coverage, (-np.inf, np.inf) if lone[i] or lone[place] else None),
            float(best[i]),
        )
        for i, group in enumerate(answers)
    ]
    order = sorted(range(len(options)), key=lambda i: (not able[i, 0], options[i].loss.value, -options[i].best))
    return [options[i] for i in order]


@takes(answers=(Votes, Beliefs), reference=Distributions)
def wrong_comparisons(answers: Votes | Beliefs, reference: Distributions) -> np.ndarray:
    """Compute the share of each answer's comparisons of classes that a reference contradicts.

    An answer with more on class c than on d states that its item is closer to c. It is wrong if the reference has less
    on c than on d; pairs that are equal in the reference are left out. A vote has 1 on its class and 0 on the others.

    Parameters
    ----------
    answers : votes or beliefs
    reference : gold, another crowd or later votes on the same items, in the same order

    Returns
    -------
    (m,) : 0 to 1, NaN if an answer has no comparison

    Examples
    --------
    >>> votes = Votes.of(["a", "a"], ["cat", "dog"])
    >>> wrong_comparisons(votes, Distributions(np.array([[0.9, 0.1]]), votes.items, ("cat", "dog")))
    array([0., 1.])
    """
    if not np.array_equal(answers.items, reference.items) or tuple(answers.classes) != reference.classes:
        raise ValueError(
            f"the answers have {answers.n_items} items over {list(answers.classes)}, the reference "
            f"{reference.n_items} over {list(reference.classes)}; expected the same items and classes in the same order"
        )
    stated = np.eye(answers.n_classes)[answers.choice] if isinstance(answers, Votes) else answers.stated
    truth = reference.probs[answers.item]  # (m, k)
    wrong, judged = np.zeros(stated.shape[0]), np.zeros(stated.shape[0])
    for c in range(answers.n_classes):
        ahead = stated[:, [c]] > stated  # (m, k), False if one of the two is NaN
        wrong += (ahead & (truth[:, [c]] < truth)).sum(axis=1)
        judged += (ahead & (truth[:, [c]] != truth)).sum(axis=1)
    return np.divide(wrong, judged, out=np.full(judged.size, np.nan), where=judged > 0)


def repeat_flip_rate(differing: float) -> float:
    """Compute the flip rate of answers that were given twice, from the share of comparisons that differ.

    differing = 2 e (1 - e)  ->  e = (1 - sqrt(1 - 2 differing)) / 2;   a half if more than half differ
    """
    if not 0 <= differing <= 1:
        raise ValueError(f"differing is {differing}; expected a share from 0 to 1")
    return float((1 - np.sqrt(max(0.0, 1 - 2 * differing))) / 2)


def nearest_to_hard(kinds: Sequence[tuple[LabelKind, int]], k: int, costs: Costs) -> tuple[int, float]:
    """Find the kind that replaces hard labels, and its cost in hard labels.

    A hard label costs 1. If none was tried, the kind with the lowest assumed cost stands at that cost.
    """
    assumed = [hard_label_cost(kind, k_hat, k, costs) for kind, k_hat in kinds]
    place = next((i for i, (kind, _) in enumerate(kinds) if kind == "hard"), int(np.argmin(assumed)))
    return place, assumed[place]


def hard_label_cost(kind: LabelKind, k_hat: int, k: int, costs: Costs) -> float:
    """The assumed cost of one answer of a kind, in hard labels."""
    items = 2 if kind == "pairwise" else 1  # one pair, one item
    return float(costs.total(kind, items, k, k_hat)) / costs.hard


def _by_person(answers: Sequence[PilotAnswers]) -> tuple[list[KindByPerson], int]:
    """Group answers by person and count people; an answer without annotator is a person of its own."""
    named = np.unique([str(who) for group in answers if group.annotator is not None for who in group.annotator])
    kinds, people = [], named.size
    for group in answers:
        if group.annotator is None:
            person = people + np.arange(group.seconds.size)
            people += group.seconds.size
        else:
            person = np.searchsorted(named, group.annotator.astype(str))
        kinds.append(KindByPerson(person, group.seconds, group.wrong))
    return kinds, people


def _people(group: PilotAnswers) -> int | None:
    return None if group.annotator is None else np.unique(group.annotator.astype(str)).size


def _share(group: PilotAnswers, items: np.ndarray, n: int, k: int) -> np.ndarray:
    """Information in labels of these items, as a share of that of all n.  (b,) -> (b,), 0 to 1"""
    some = np.where(items > 0, constraints_of(group.kind, np.maximum(items, 1), k, group.k_hat), 0.0)
    whole = float(constraints_of(group.kind, n, k, group.k_hat))
    return np.asarray(some / whole if whole > 0 else np.ones_like(some))


def _interval(values: np.ndarray, coverage: float, open_range: tuple[float, float] | None = None) -> Interval:
    """Interval from the measured value, which is the first, and the drawn ones; or the given range if unknown."""
    if open_range is None:
        return percentile_interval(float(values[0]), values[1:], coverage)
    return Interval(float(values[0]), *open_range, np.inf, coverage)
