"""From a small pilot of several kinds of label: seconds and errors of each, and which kind to continue with.

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

FEWEST = 2  # answers of a kind below which nothing is said about it


@dataclass(frozen=True, eq=False)
class PilotAnswers:
    """The answers of one kind in a pilot.

    kind       hard, sparse, top-class, soft or pairwise
    k_hat      classes with a number, for sparse and top-class labels
    seconds    (m,) what each answer took
    wrong      (m,) the share of its comparisons that are wrong, NaN where that is not known
    annotator  (m,) who gave it, or None where that is not known: answers then count as independent
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
                f"answer {bad[0]} of {self.name} took {seconds[bad[0]]:g} seconds; expected a number above 0; "
                f"{bad.size} of {seconds.size} are wrong"
            )
        off = np.flatnonzero((wrong < 0) | (wrong > 1))
        if off.size:
            raise ValueError(
                f"answer {off[0]} of {self.name} has a share of {wrong[off[0]]:g} wrong; expected 0 to 1, or nothing "
                f"if that is not known; {off.size} of {wrong.size} are out of range"
            )
        hold(self, "seconds", seconds)
        hold(self, "wrong", wrong)

    @property
    def name(self) -> str:
        return label_name(self.kind, self.k_hat)


@dataclass(frozen=True)
class PilotOption:
    """One kind of label after the pilot.

    items      how many of the items the budget labels; all of them without a budget
    people     how many gave the answers; None where that is not known and answers count as independent
    seconds    per answer: the geometric mean over people of each one's median
    each       what an answer costs, in hard labels: the seconds of both compared, or as assumed where no hard labels
               were tried and this kind stands for them
    flip_rate  share of comparisons that are wrong; None where the pilot does not say, and 0 is assumed
    ratio      information ratio times (1 - flip rate), of the items that the budget labels
    loss       beta cost - u(ratio) on the scale of the preferences, lower is better
    best       probability that this kind has the lowest loss of all; the same for all kinds where one has the answers
               of a single person

    Intervals are about people like those of the pilot. One person says nothing about others: the intervals are then
    open, 0 to infinity for seconds.
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
    """The kinds of a pilot by the loss that was measured, lowest first, each with the probability that it is lowest.

        L = beta n seconds / seconds of a hard label - u((1 - flip rate) IR),   on the scale of `preferences`

    Seconds and flip rates are drawn for people like those who answered, each of whom has one deviation for all kinds
    that they tried (`pilot_crowd.draw_crowds`, with the intervals); where annotators are not known, every answer is a
    person of its own. Seconds are counted in those of a hard label of the same draw. Where none were tried, the kind
    that `preferences` take to be cheapest stands at its assumed cost, and the others are measured by it.

    The order is not that of the probabilities. With two people these say little more than which kind would gain most
    if it went much better than it did, and going by them costs more (tests/plan/test_pilot.py counts it).

    budget  what may be spent, in hard labels. A kind too expensive for all items is judged by those that it can pay
            for, and is not the best where these tell less than hard labels for the same budget
    """
    if not answers:
        raise ValueError("the pilot has no answers; expected some of each kind that you are considering")
    names = [group.name for group in answers]
    if len(set(names)) < len(names):
        raise ValueError(f"the pilot names a kind twice: {names}; join its answers first")
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
        # Where the budget ends before the items do, little is spent and little is learned: that alone is not a merit.
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
    """The share of each answer's comparisons of classes that a reference contradicts.  (m,), NaN where nothing tells

    An answer that puts more on class c than on d says that its item is closer to c. It is wrong where the reference
    puts less on c than on d; pairs that the reference holds equal are left out. A vote puts 1 on its class and 0 on
    the others. The reference may be gold, another crowd or later votes on the same items, in the same order.
    """
    if not np.array_equal(answers.items, reference.items) or tuple(answers.classes) != reference.classes:
        raise ValueError(
            f"the answers are about {answers.n_items} items over {list(answers.classes)}, the reference about "
            f"{reference.n_items} over {list(reference.classes)}; expected the same items and classes in the same order"
        )
    said = np.eye(answers.n_classes)[answers.choice] if isinstance(answers, Votes) else answers.stated
    truth = reference.probs[answers.item]  # (m, k)
    wrong, judged = np.zeros(said.shape[0]), np.zeros(said.shape[0])
    for c in range(answers.n_classes):
        ahead = said[:, [c]] > said  # (m, k), False where one of the two was left unsaid
        wrong += (ahead & (truth[:, [c]] < truth)).sum(axis=1)
        judged += (ahead & (truth[:, [c]] != truth)).sum(axis=1)
    return np.divide(wrong, judged, out=np.full(judged.size, np.nan), where=judged > 0)


def repeat_flip_rate(differing: float) -> float:
    """The flip rate behind answers that were given twice, where a share of the comparisons differ.

    differing = 2 e (1 - e)  ->  e = (1 - sqrt(1 - 2 differing)) / 2;   a half where more than half differ
    """
    if not 0 <= differing <= 1:
        raise ValueError(f"a share of {differing} of the comparisons differ; expected 0 to 1")
    return float((1 - np.sqrt(max(0.0, 1 - 2 * differing))) / 2)


def nearest_to_hard(kinds: Sequence[tuple[LabelKind, int]], k: int, costs: Costs) -> tuple[int, float]:
    """Which of several kinds tells what a hard label costs, and what it costs itself in hard labels.

    A hard label costs 1. Where none was tried, the kind that is assumed to cost least stands at its assumed cost.
    """
    assumed = [hard_label_cost(kind, k_hat, k, costs) for kind, k_hat in kinds]
    place = next((i for i, (kind, _) in enumerate(kinds) if kind == "hard"), int(np.argmin(assumed)))
    return place, assumed[place]


def hard_label_cost(kind: LabelKind, k_hat: int, k: int, costs: Costs) -> float:
    """What one answer of a kind is assumed to cost, in hard labels."""
    items = 2 if kind == "pairwise" else 1  # one pair, one item
    return float(costs.total(kind, items, k, k_hat)) / costs.hard


def _by_person(answers: Sequence[PilotAnswers]) -> tuple[list[KindByPerson], int]:
    """The kinds by who answered, and how many people that are; an answer of nobody known is a person of its own."""
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
    """How much labels of these items tell, as a share of what labels of all n tell.  (b,) -> (b,), 0 to 1"""
    some = np.where(items > 0, constraints_of(group.kind, np.maximum(items, 1), k, group.k_hat), 0.0)
    whole = float(constraints_of(group.kind, n, k, group.k_hat))
    return np.asarray(some / whole if whole > 0 else np.ones_like(some))


def _interval(values: np.ndarray, coverage: float, open_range: tuple[float, float] | None = None) -> Interval:
    """From the first of the values as measured and the others as drawn; or what is possible, where nothing is known."""
    if open_range is None:
        return percentile_interval(float(values[0]), values[1:], coverage)
    return Interval(float(values[0]), *open_range, np.inf, coverage)
