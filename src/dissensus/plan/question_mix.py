"""Spending seconds over items and kinds of question: quick votes beside slow, fuller answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from dissensus.aggregate.priors.dirichlet_mixture import expected_kl, posterior_mean
from dissensus.aggregate.priors.vote_prior import VotePrior
from dissensus.labels.answers import hold
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distances import kl
from dissensus.labels.votes import Votes
from dissensus.plan.adaptive_prior import fit_prior
from dissensus.plan.replays import PORTIONS, Curve

COLLINS_SECONDS = {"vote": 1.8, "elicitation": 32.0}  # median seconds per answer; Collins 2022, "Annotation time"
PILOT = 0.05  # share of items about which every kind of question is asked once, to learn what its answers are worth


@dataclass(frozen=True, eq=False)
class Answered:
    """Answers of one kind that were already given, to be asked for again.

    seconds  what one answer costs
    item     (m,) which item it is about
    probs    (m, k) what it says, rows sum to 1: certainty for a vote
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

    @classmethod
    def of(cls, answers: Votes | Beliefs, seconds: float) -> Answered:
        """Votes, or beliefs that are complete (see `dissensus.complete`)."""
        if isinstance(answers, Votes):
            return cls(seconds, answers.item, np.eye(answers.n_classes)[answers.choice])
        stated = answers.stated
        bad = np.flatnonzero(np.isnan(stated).any(axis=1) | (np.abs(stated.sum(axis=1) - 1) > 1e-6))
        if bad.size:
            raise ValueError(
                f"belief {bad[0]} does not state probabilities for all classes that sum to 1; {bad.size} of "
                f"{stated.shape[0]} are incomplete: complete them first with dissensus.complete"
            )
        return cls(seconds, answers.item, stated)


@dataclass(frozen=True)
class Worth:
    """What an answer of one kind counts for: a number of votes, spread by its probabilities raised to 1/temperature."""

    votes: float = 1.0
    temperature: float = 1.0

    def mass(self, probs: np.ndarray) -> np.ndarray:
        """(m, k) -> (m, k), rows sum to `votes`"""
        raised = np.maximum(probs, 1e-6) ** (1 / self.temperature)
        spread = self.votes * raised / raised.sum(axis=1, keepdims=True)
        return np.where(probs == 1, self.votes, np.where((probs == 1).any(axis=1, keepdims=True), 0.0, spread))


def replay_seconds(
    kinds: Mapping[str, Answered],
    truth: np.ndarray,
    per_item: Sequence[float],
    rng: np.random.Generator,
) -> tuple[Curve, dict[str, np.ndarray]]:
    """Ask in the order of expected drop in KL per second, over items and kinds of question together.

        value of (item, kind) = [E KL now - sum_v P(v) E KL after a typical answer with first choice v] / seconds

    Every kind's first choices are votes, from which the prior is learned (`vote_prior`). What a kind's fuller answers
    are worth beyond that is learned by how well they predict the first choices of other people about the same item;
    votes count 1. The first question about each item is of the cheapest kind; with several kinds, each is then
    asked once about a twentieth of the items. Answers come in random order, without replacement.

    truth: (n, k); per_item: seconds per item, rising -> error by mean seconds per item, and the answers of each kind
    used at each budget, (b,)
    """
    n = truth.shape[0]
    order_rng, tie_rng = rng.spawn(2)
    given = {name: _Supply(answers, n, order_rng) for name, answers in kinds.items()}
    cheapest = min(kinds, key=lambda name: kinds[name].seconds)
    state = _State(n, truth.shape[1], {name: Worth() for name in kinds})
    portion = max(1, n // PORTIONS)
    plan = [(cheapest, part) for part in np.array_split(tie_rng.permutation(n), -(-n // portion))]
    for name in kinds if len(kinds) > 1 else ():
        plan.append((name, tie_rng.permutation(n)[: max(1, round(PILOT * n))]))
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
            if planned and not asked.size:  # nobody answered this kind of question about these items
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
    return Curve(np.array(at), np.array(errors), np.array(deepest)), {name: np.array(v) for name, v in used.items()}


class _Supply:
    """The answers of one kind, item by item in a random order, and how many were taken."""

    def __init__(self, answers: Answered, n: int, rng: np.random.Generator) -> None:
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
    """All answers so far, what each kind is worth, and the posterior of each item."""

    def __init__(self, n: int, k: int, worth: dict[str, Worth]) -> None:
        self.n, self.k, self.worth = n, k, worth
        self.item = {name: np.zeros(0, dtype=np.int64) for name in worth}
        self.probs = {name: np.zeros((0, k)) for name in worth}
        self.prior = VotePrior(np.ones((1, k)), np.ones(1))
        self.mass = np.zeros((n, k))
        self.typical = {name: np.eye(k) for name in worth}
        self.drop = {name: np.zeros(n) for name in worth}

    def add(self, name: str, item: np.ndarray, probs: np.ndarray) -> None:
        self.item[name] = np.concatenate([self.item[name], item])
        self.probs[name] = np.concatenate([self.probs[name], probs])
        np.add.at(self.mass, item, self.worth[name].mass(probs))
        self._look_ahead(np.unique(item))

    def estimate(self) -> np.ndarray:
        return posterior_mean(self.prior.posterior(self.mass))

    def learn(self) -> None:
        """Fit the prior to all first choices, then the worth of each fuller kind, then add everything up anew."""
        counts = np.zeros((self.n, self.k), dtype=np.int64)
        for name in self.worth:
            np.add.at(counts, (self.item[name], self.probs[name].argmax(axis=1)), 1)
        self.prior = fit_prior(counts)
        for name, probs in self.probs.items():
            if probs.shape[0] and not (probs.max(axis=1) == 1).all():
                self.worth[name] = self._weighed(name)
        self.mass = np.zeros((self.n, self.k))
        for name, worth in self.worth.items():
            mass, first = worth.mass(self.probs[name]), self.probs[name].argmax(axis=1)
            np.add.at(self.mass, self.item[name], mass)
            sums = np.zeros((self.k, self.k))
            np.add.at(sums, first, mass)
            seen = np.bincount(first, minlength=self.k)[:, None]  # (k, 1)
            self.typical[name] = np.where(seen > 0, sums / np.maximum(seen, 1), worth.votes * np.eye(self.k))
        self._look_ahead(np.arange(self.n))

    def _weighed(self, name: str) -> Worth:
        """The worth by which the answers of a kind predict best what others say first about the same items."""
        here = np.isin(np.concatenate(list(self.item.values())), self.item[name])
        target = np.concatenate([probs.argmax(axis=1) for probs in self.probs.values()])[here]
        item = np.concatenate(list(self.item.values()))[here]

        def loss(place: np.ndarray) -> float:
            worth = Worth(*np.exp(np.clip(place, -4, 4)).tolist())
            tried = self.worth | {name: worth}
            own = np.concatenate([tried[kind].mass(self.probs[kind]) for kind in self.probs])[here]
            total = np.zeros((self.n, self.k))
            np.add.at(total, item, own)
            # An answer must not predict itself; what is left after taking it away may round to below 0.
            likely = posterior_mean(self.prior.posterior(np.maximum(total[item] - own, 0.0)))
            # A wide bell around one vote and temperature 1, for sets too small to tell.
            return float(-np.log(likely[np.arange(item.size), target]).sum() + (place**2).sum() / 8)

        corners = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, -1.0]])
        options = {"xatol": 0.05, "fatol": 0.05, "maxiter": 40, "initial_simplex": corners}
        fit = minimize(loss, corners[0], method="Nelder-Mead", options=options)
        return Worth(*np.exp(np.clip(fit.x, -4, 4)).tolist())

    def _look_ahead(self, items: np.ndarray) -> None:
        """The expected drop of these items' KL by one more answer of each kind."""
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
    """The kind of question whose best items gain most per second, and those items; none where all is used up."""
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
