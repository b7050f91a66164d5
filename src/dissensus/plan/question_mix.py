"""Allocation of seconds to items and kinds of question: quick votes and slow, fuller answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dissensus.aggregate.priors.dirichlet_mixture import expected_kl, posterior_mean
from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distances import kl
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.labels.votes import Votes
from dissensus.plan.adaptive_prior import fit_prior
from dissensus.plan.answer_worth import Worth, worth_by_answers, worth_by_votes
from dissensus.plan.replays import PORTIONS, ReplayCurve

COLLINS_SECONDS = {"vote": 1.8, "elicitation": 32.0}  # median seconds per answer; Collins 2022, "Annotation time"
PILOT = 0.05  # share of items that get every fuller kind of question, to measure its worth
FEWEST = 10  # such items


@dataclass(frozen=True, eq=False)
class QuestionAnswers:
    """Collected answers of one kind of question, to be replayed.

    seconds  cost of one answer
    item     (m,) codes of the items
    probs    (m, k) stated probabilities, rows sum to 1; one-hot for a vote
    """

    seconds: float
    item: np.ndarray
    probs: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        if not self.seconds > 0:
            raise ValueError(f"an answer costs {self.seconds} seconds; expected a number above 0")
        hold(self, "item", np.asarray(self.item, dtype=np.int64))
        hold(self, "probs", np.asarray(self.probs, dtype=np.float64))

    @property
    def are_votes(self) -> bool:
        """Whether every answer is certain of one class."""
        return bool((self.probs.max(axis=1) == 1).all())

    @classmethod
    def of(cls, answers: Votes | Beliefs, seconds: float) -> QuestionAnswers:
        """Build from votes, or from complete beliefs (see `dissensus.complete`)."""
        if isinstance(answers, Votes):
            return cls(seconds, answers.item, np.eye(answers.n_classes)[answers.choice])
        stated = answers.stated
        bad = np.flatnonzero(np.isnan(stated).any(axis=1) | (np.abs(stated.sum(axis=1) - 1) > 1e-6))
        if bad.size:
            raise Refusal(
                f"belief {bad[0]} is incomplete; expected probabilities of all classes that sum to 1; {bad.size} of "
                f"{stated.shape[0]} are incomplete",
                ways=[PythonWay("complete them with dissensus.complete")],
            )
        return cls(seconds, answers.item, stated)


def replay_seconds(
    kinds: Mapping[str, QuestionAnswers],
    truth: np.ndarray,
    per_item: Sequence[float],
    rng: np.random.Generator,
) -> tuple[ReplayCurve, dict[str, np.ndarray]]:
    """Replay answers in the order of their expected drop of KL per second, over items and kinds of question.

        value of (item, kind) = [E KL now - sum_v P(v) E KL after a typical answer with first choice v] / seconds

    Votes have weight 1, and the prior is fitted to them (`vote_prior`). The worth of fuller answers is estimated from
    the probability that they give to votes on the same items (`answer_worth`). Without votes, it is estimated from how
    well answers predict each other, and the prior is fitted to one class drawn from each answer: the most likely class
    is not a vote, since everybody may name the same class of an ambiguous item. The first question about each item is
    of the cheapest kind. If there are votes, each fuller kind is then asked once about a twentieth of the items, ten or
    more. Answers come in random order, without replacement.

    truth: (n, k); per_item: seconds per item, rising -> error by mean seconds per item, and the answers of each kind
    used at each budget, (b,)
    """
    n = truth.shape[0]
    order_rng, tie_rng, vote_rng = rng.spawn(3)
    given = {name: _Supply(answers, n, order_rng) for name, answers in kinds.items()}
    cheapest = min(kinds, key=lambda name: kinds[name].seconds)
    votes = [name for name, answers in kinds.items() if answers.are_votes]
    state = _State(n, truth.shape[1], list(kinds), votes, vote_rng)
    portion = max(1, n // PORTIONS)
    plan = [(cheapest, part) for part in np.array_split(tie_rng.permutation(n), -(-n // portion))]
    for name in kinds if len(kinds) > 1 else ():
        if name not in votes:
            plan.append((name, tie_rng.permutation(n)[: max(FEWEST, round(PILOT * n))]))
    spent = 0.0
    errors: list[float] = []
    at: list[float] = []
    deepest: list[int] = []
    used: dict[str, list[int]] = {name: [] for name in kinds}
    for limit in (np.asarray(per_item, dtype=np.float64) * n).tolist():
        state.learn()
        since = spent
        while True:
            if spent - since > 0.1 * max(since, n * kinds[cheapest].seconds):
                state.learn()
                since = spent
            planned = bool(plan)
            name, asked = plan.pop(0) if planned else _best(state, given, portion, tie_rng)
            asked = given[name].able(asked)
            if planned and not asked.size:  # no answers of this kind about these items
                continue
            affordable = int((limit - spent) // kinds[name].seconds)
            if asked.size > affordable:
                plan.insert(0, (name, asked[affordable:]))
                asked = asked[:affordable]
            if not asked.size:
                break
            state.add(name, asked, given[name].take(asked))
            spent += asked.size * kinds[name].seconds
        state.learn()
        errors.append(float(kl(truth, state.estimate()).mean()))
        deepest.append(max(int(supply.taken.max()) for supply in given.values()))
        at.append(spent / n)
        for name in kinds:
            used[name].append(int(given[name].taken.sum()))
    curve = ReplayCurve(np.array(at), np.array(errors), np.array(deepest))
    return curve, {name: np.array(counts) for name, counts in used.items()}


class _Supply:
    """The answers of one kind, item by item in random order, and how many were used."""

    def __init__(self, answers: QuestionAnswers, n: int, rng: np.random.Generator) -> None:
        self.seconds, self.probs = answers.seconds, answers.probs
        self.rows = np.lexsort((rng.random(answers.item.size), answers.item))
        self.size = np.bincount(answers.item, minlength=n)
        self.start = np.cumsum(self.size) - self.size
        self.taken = np.zeros(n, dtype=np.int64)

    def able(self, asked: np.ndarray) -> np.ndarray:
        return np.asarray(asked[self.taken[asked] < self.size[asked]])

    def take(self, asked: np.ndarray) -> np.ndarray:
        rows = self.rows[self.start[asked] + self.taken[asked]]
        self.taken[asked] += 1
        return np.asarray(self.probs[rows])


class _State:
    """All answers so far, the worth of each kind, and the posterior of each item."""

    def __init__(self, n: int, k: int, kinds: list[str], votes: list[str], rng: np.random.Generator) -> None:
        self.n, self.k, self.votes, self.rng = n, k, votes, rng
        self.worth = {name: Worth(1.0 if name in votes or not votes else 0.0) for name in kinds}
        self.item = {name: np.zeros(0, dtype=np.int64) for name in kinds}
        self.probs = {name: np.zeros((0, k)) for name in kinds}
        self.counts = np.zeros((n, k), dtype=np.int64)
        self.prior = VotePrior(np.ones((1, k)), np.ones(1))
        self.mass = np.zeros((n, k))
        self.typical = {name: np.eye(k) for name in kinds}
        self.drop = {name: np.zeros(n) for name in kinds}

    def add(self, name: str, item: np.ndarray, probs: np.ndarray) -> None:
        self.item[name] = np.concatenate([self.item[name], item])
        self.probs[name] = np.concatenate([self.probs[name], probs])
        if name in self.votes or not self.votes:
            drawn = (self.rng.random((item.size, 1)) > np.cumsum(probs, axis=1)[:, :-1]).sum(axis=1)
            np.add.at(self.counts, (item, drawn), 1)
        np.add.at(self.mass, item, self.worth[name].mass(probs))
        self._look_ahead(np.unique(item))

    def estimate(self) -> np.ndarray:
        return posterior_mean(self.prior.posterior(self.mass))

    def learn(self) -> None:
        """Fit the prior to the votes, then the worth of each fuller kind, then sum all answers again."""
        self.prior = fit_prior(self.counts)
        for name in [kind for kind in self.probs if kind not in self.votes and self.item[kind].size]:
            self.worth[name] = self._weigh(name)
        self.mass = np.zeros((self.n, self.k))
        for name, worth in self.worth.items():
            mass, first = worth.mass(self.probs[name]), self.probs[name].argmax(axis=1)
            np.add.at(self.mass, self.item[name], mass)
            sums = np.zeros((self.k, self.k))
            np.add.at(sums, first, mass)
            times = np.bincount(first, minlength=self.k)[:, None]  # (k, 1)
            self.typical[name] = np.where(times > 0, sums / np.maximum(times, 1), worth.votes * np.eye(self.k))
        self._look_ahead(np.arange(self.n))

    def _weigh(self, name: str) -> Worth:
        item, probs = self.item[name], self.probs[name]
        if not self.votes:
            return worth_by_answers(item, probs, self.n, self.prior)
        further = np.zeros((self.n, self.k))
        for kind in self.probs:
            if kind != name and kind not in self.votes:
                np.add.at(further, self.item[kind], self.worth[kind].mass(self.probs[kind]))
        return worth_by_votes(item, probs, self.counts, further, self.prior)

    def _look_ahead(self, items: np.ndarray) -> None:
        """Compute the expected drop of KL of these items by one more answer of each kind."""
        mass = self.mass[items]
        posterior = self.prior.posterior(mass)
        chance, now = posterior_mean(posterior), expected_kl(posterior)
        for name, typical in self.typical.items():
            after = [
                chance[:, code] * expected_kl(self.prior.posterior(mass + typical[code])) for code in range(self.k)
            ]
            self.drop[name][items] = now - np.sum(after, axis=0)


def _best(
    state: _State, given: Mapping[str, _Supply], portion: int, rng: np.random.Generator
) -> tuple[str, np.ndarray]:
    """Choose the kind of question whose best items gain most per second, and these items; none if all are used."""
    best, chosen, kind = 0.0, np.zeros(0, dtype=np.int64), next(iter(given))
    for name, supply in given.items():
        able = rng.permutation(supply.able(np.arange(state.n)))
        if not able.size:
            continue
        value = state.drop[name][able] / supply.seconds
        top = np.argsort(-value, kind="stable")[:portion]
        if not chosen.size or value[top].mean() > best:
            best, chosen, kind = float(value[top].mean()), able[top], name
    return kind, chosen
