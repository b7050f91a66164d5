"""Evidence from answers alone: some are held out, and an estimate from the others has to predict them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.aggregate.models.dawid_skene import DawidSkeneFit
from dissensus.aggregate.models.mace import MaceFit
from dissensus.aggregate.models.one_coin import OneCoinFit
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.shares import as_distributions
from dissensus.labels.votes import Votes
from dissensus.study.construct import make_labels
from dissensus.study.spec import LabelRecipe

FOLDS = 5


@dataclass(frozen=True, eq=False)
class HeldAnswers:
    """Loss of each method on held-out answers; lower is better.

    items       (n,) positions of the items with two answers or more: the others give no evidence
    log_loss    by name: (n,) mean of -ln p(answer) over the item's answers, each held out once; in nats, infinite where
                an answer was called impossible
    brier       by name: (n,) mean of sum_c (p_c - [c was answered])^2, from 0 to 2
    by_author   by name of an annotator model: (n,) -ln p(answer | who answers), with the annotator known
    answers     how many were held out, one time each
    """

    items: np.ndarray
    log_loss: dict[str, np.ndarray]
    brier: dict[str, np.ndarray]
    by_author: dict[str, np.ndarray]
    answers: int

    __repr__ = shapes


@takes(answers=(Votes, Beliefs))
def hold_out_answers(
    answers: Votes | Beliefs, recipes: Mapping[str, LabelRecipe], rng: np.random.Generator, *, folds: int = FOLDS
) -> HeldAnswers:
    """Hold out a fifth of the answers at a time, make labels of the others, and score them by those held out.

    Each item's answers are dealt to the folds at random, so that an item with few of them lacks one at most, and
    every answer is held out once. Two answers of one person to one item are held out together. A held-out vote is the
    class chosen; a full belief the probabilities stated; a partial belief its first choice, since what it leaves
    unsaid is what completions differ about.

    An annotator model estimates the right class, not what people answer: if some err, its distributions do not
    predict answers and score as badly as they should. `by_author` scores it by its own claim: the probability that this
    person gives this answer,

        dawid-skene  sum_t P(t | i) confusion_jtc,   one-coin and mace alike by their own P(c | t, j)

    """
    fold = _dealt(answers, folds, rng)
    used = np.unique(answers.item[fold >= 0])
    if not used.size:
        raise ValueError(f"none of {answers.n_items} items has two answers, so none can be compared with another")
    soft = isinstance(answers, Beliefs) and not np.isnan(answers.stated).any()
    sums: dict[tuple[str, str], np.ndarray] = {}
    times = np.zeros(answers.n_items)

    for turn in range(folds):
        kept = answers.select(answers=fold != turn)
        held = answers.select(answers=fold == turn)
        target = held if soft else (held.first_choices() if isinstance(held, Beliefs) else held)
        times += target.per_item
        for name, recipe in recipes.items():
            probs, fit = _make_distributions(kept, recipe)
            for score, values in _scores(probs, target, fit).items():
                total = np.bincount(target.item, weights=values, minlength=answers.n_items)
                sums[score, name] = sums.get((score, name), 0.0) + total
    used = used[times[used] > 0]  # a belief may have no first choice
    tables: dict[str, dict[str, np.ndarray]] = {"log_loss": {}, "brier": {}, "by_author": {}}
    for (score, name), total in sums.items():
        tables[score][name] = total[used] / times[used]
    return HeldAnswers(items=used, **tables, answers=int(times[used].sum()))


def _dealt(answers: Votes | Beliefs, folds: int, rng: np.random.Generator) -> np.ndarray:
    """The fold of each answer, -1 for the only one of its item; a person's answers to an item stay together.  (m,)"""
    if answers.annotator is None:
        unit, item = np.arange(answers.n_answers), answers.item
    else:
        people = max(answers.n_annotators or 1, 1)
        pairs, unit = np.unique(answers.item.astype(np.int64) * people + answers.annotator, return_inverse=True)
        item = pairs // people
    have = np.bincount(item, minlength=answers.n_items)
    order = np.lexsort((rng.random(item.size), item))
    place = np.empty(item.size, dtype=np.int64)
    place[order] = np.arange(item.size) - np.repeat(np.cumsum(have) - have, have)
    # Where each item begins is random too: else the folds of items with few answers would be those at the front.
    fold = (place + rng.integers(folds, size=answers.n_items)[item]) % folds
    return np.where(have[item] > 1, fold, -1)[unit]


def _make_distributions(kept: Votes | Beliefs, recipe: LabelRecipe) -> tuple[np.ndarray, Any]:
    """The distributions that a recipe makes, and the fit of an annotator model.  (n, k)"""
    if recipe.aggregation is not None and not recipe.completion and not recipe.transforms:
        made = aggregate_labels(kept, recipe.aggregation)
        return made.distributions.probs, made.fit
    labels = make_labels(kept, recipe, 0)
    return (labels if isinstance(labels, Distributions) else as_distributions(labels)).probs, None


def _scores(probs: np.ndarray, held: Votes | Beliefs, fit: Any) -> dict[str, np.ndarray]:
    """One value for each answer held out.  probs: (n, k)"""
    p = probs[held.item]  # (h, k)
    with np.errstate(divide="ignore"):
        if isinstance(held, Beliefs):
            stated = held.stated / held.stated.sum(axis=1, keepdims=True)
            log_p = np.log(p)
            loss = -np.where(stated > 0, stated * np.where(stated > 0, log_p, 0.0), 0.0).sum(axis=1)
            return {"log_loss": loss, "brier": ((p - stated) ** 2).sum(axis=1)}
        chosen = p[np.arange(held.n_answers), held.choice]
        scores = {"log_loss": -np.log(chosen), "brier": (p**2).sum(axis=1) - 2 * chosen + 1}
        chance = _chance_by_author(p, chosen, held, fit)
        return scores if chance is None else scores | {"by_author": -np.log(chance)}


def _chance_by_author(p: np.ndarray, chosen: np.ndarray, held: Votes, fit: Any) -> np.ndarray | None:
    """The chance of each answer, given who gives it.  (h,)"""
    if held.annotator is None:
        return None
    who, k = held.annotator, held.n_classes
    if isinstance(fit, DawidSkeneFit):
        return np.asarray((p * fit.confusion[who, :, held.choice]).sum(axis=1))
    if isinstance(fit, OneCoinFit):
        return np.asarray(fit.skill[who] * chosen + (1 - fit.skill[who]) * (1 - chosen) / max(k - 1, 1))
    if isinstance(fit, MaceFit):
        return np.asarray(fit.skill[who] * chosen + (1 - fit.skill[who]) * fit.guess[who, held.choice])
    return None
