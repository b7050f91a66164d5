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
from dissensus.labels.votes import Votes
from dissensus.plan.information import answers_for, constraints_of, items_for
from dissensus.plan.label_kinds import LABEL_KINDS, LabelKind, label_name
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
        if self.kind not in LABEL_KINDS:
            raise ValueError(f"there is no kind of label {self.kind!r}; expected one of {', '.join(LABEL_KINDS)}")
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
    seconds    median seconds per answer
    each       what an answer costs, in hard labels: the seconds of both compared, or as assumed where no hard labels
               were tried and this kind stands for them
    flip_rate  share of comparisons that are wrong; None where the pilot does not say, and 0 is assumed
    ratio      information ratio times (1 - flip rate), of the items that the budget labels
    loss       beta cost / reference - u(ratio), lower is better
    best       probability that this kind has the lowest loss of all
    """

    kind: LabelKind
    k_hat: int
    name: str
    answers: int
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
    """The kinds of a pilot, ranked by the probability that each is the one to collect.

        flip rate = (g_1 + sum_i w_i wrong_i) / (g_0 + g_1 + sum_i w_i),   seconds = median with weights w
        w_i = w_annotator(i) ~ Exponential(1),   g_0, g_1 ~ Gamma(1/2)
        L = beta n seconds / (seconds of `reference` hard labels) - u((1 - flip rate) IR)

    The Bayesian bootstrap over annotators (Rubin 1981), or over answers where annotators are not known, beside half a
    wrong and half a right answer, so that a pilot without errors does not promise that there are none: for independent
    answers that are right or wrong the flip rate is the Beta of Jeffreys. An annotator has the same weight in every
    kind that they tried, so that slow people do not make a kind look slow. Seconds are counted in those of a hard
    label under the same weights. Where none were tried, the kind that `preferences` take to be cheapest stands at its
    assumed cost, and the others are measured by it.

    budget  what may be spent, in hard labels. A kind too expensive for all items is judged by those that it can pay
            for, and is not the best where these tell less than hard labels for the same budget
    """
    if not answers:
        raise ValueError("the pilot has no answers; expected some of each kind that you are considering")
    names = [group.name for group in answers]
    if len(set(names)) < len(names):
        raise ValueError(f"the pilot names a kind twice: {names}; join its answers first")
    *streams, people_rng = rng.spawn(len(answers) + 1)
    people = np.unique([str(who) for group in answers if group.annotator is not None for who in group.annotator])
    each = people_rng.standard_exponential((replicates, people.size))
    drawn = [
        _reweighted(group, _weights(group, people, each, stream), stream)
        for group, stream in zip(answers, streams, strict=True)
    ]
    seconds, flips = (np.stack([draw[at] for draw in drawn]) for at in (0, 1))  # (options, replicates + 1)
    information = np.array([float(preferences.estimate(group.kind, n, k, group.k_hat)) for group in answers])[:, None]
    place, assumed = nearest_to_hard([(group.kind, group.k_hat) for group in answers], k, preferences.costs)
    each = seconds / seconds[place] * assumed  # in hard labels
    items = np.full(seconds.shape, n)
    if budget is not None:
        items = np.stack([items_for(group.kind, budget / row, n) for group, row in zip(answers, each, strict=True)])
    share = np.stack([_share(group, row, n, k) for group, row in zip(answers, items, strict=True)])
    amount = np.stack([answers_for(group.kind, row) for group, row in zip(answers, items, strict=True)])
    ratio = (1 - flips) * information * share
    loss = preferences.traded(amount * each, ratio, n, k)
    able = items == n
    if not able.all():
        # Where the budget ends before the items do, little is spent and little is learned: that alone is not a merit.
        able |= (items > 0) & (ratio >= (ratio[names.index("hard")] if "hard" in names else 0.0))
    judged = np.where(able, loss, np.inf)[:, 1:]
    lowest = judged == judged.min(axis=0)
    best = (lowest / lowest.sum(axis=0)).mean(axis=1)
    options = [
        PilotOption(
            group.kind, group.k_hat, group.name, group.seconds.size, int(items[i, 0]),
            _interval(seconds[i], coverage), _interval(each[i], coverage),
            _interval(flips[i], coverage) if np.isfinite(group.wrong).any() else None,
            _interval(ratio[i], coverage), _interval(loss[i], coverage), float(best[i]),
        )
        for i, group in enumerate(answers)
    ]  # fmt: skip
    return sorted(options, key=lambda option: (-option.best, option.loss.value))


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
    assumed = [in_hard_labels(kind, k_hat, k, costs) for kind, k_hat in kinds]
    place = next((i for i, (kind, _) in enumerate(kinds) if kind == "hard"), int(np.argmin(assumed)))
    return place, assumed[place]


def in_hard_labels(kind: LabelKind, k_hat: int, k: int, costs: Costs) -> float:
    """What one answer of a kind is assumed to cost, in hard labels."""
    items = 2 if kind == "pairwise" else 1  # one pair, one item
    return float(costs.total(kind, items, k, k_hat)) / costs.hard


def _weights(group: PilotAnswers, people: np.ndarray, each: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Weights of the answers, first 1 and then as drawn.  (b + 1, m)

    people, each: (p,) annotators of all kinds in order of name, and (b, p) their weights
    """
    m = group.seconds.size
    if group.annotator is None:
        return np.vstack([np.ones((1, m)), rng.standard_exponential((each.shape[0], m))])
    return np.vstack([np.ones((1, m)), each[:, np.searchsorted(people, group.annotator.astype(str))]])


def _reweighted(group: PilotAnswers, weight: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Median seconds and flip rate under each row of weights, the first as observed.  (b + 1, m) -> (b + 1,) each"""
    order = np.argsort(group.seconds)
    reached = np.cumsum(weight[:, order], axis=1)
    half, ordered = reached[:, -1:] / 2, group.seconds[order]
    # Where exactly half the weight lies before an answer, the median is midway to the next one, as without weights.
    lower, upper = (ordered[np.argmax(past, axis=1)] for past in (reached >= half, reached > half))
    seconds = (lower + upper) / 2
    known = np.isfinite(group.wrong)
    if not known.any():
        return seconds, np.zeros(weight.shape[0])
    right, wrong = rng.standard_gamma(0.5, (2, weight.shape[0]))
    right[0] = wrong[0] = 0.0
    flips = (wrong + weight[:, known] @ group.wrong[known]) / (right + wrong + weight[:, known].sum(axis=1))
    return seconds, flips


def _share(group: PilotAnswers, items: np.ndarray, n: int, k: int) -> np.ndarray:
    """How much labels of these items tell, as a share of what labels of all n tell.  (b,) -> (b,), 0 to 1"""
    some = np.where(items > 0, constraints_of(group.kind, np.maximum(items, 1), k, group.k_hat), 0.0)
    whole = float(constraints_of(group.kind, n, k, group.k_hat))
    return np.asarray(some / whole if whole > 0 else np.ones_like(some))


def _interval(values: np.ndarray, coverage: float) -> Interval:
    return percentile_interval(float(values[0]), values[1:], coverage)
