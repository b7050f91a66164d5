"""Answers held out once each, and what has to foretell them."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.aggregate import dawid_skene, mace
from dissensus.aggregate import one_coin as one_coin_model
from dissensus.labels import Votes, simulate_truth, simulate_votes
from dissensus.labels.simulate import simulate_beliefs
from dissensus.study.advice.holding_out import _chance_by_author, _dealt, hold_out_answers
from dissensus.study.spec import LabelRecipe
from tests.facts import refuses

WAYS = {"share": LabelRecipe(), "dirichlet": LabelRecipe(aggregation="dirichlet")}


def crowd(per_item: int = 3, items: int = 60, seed: int = 0, **options: object) -> Votes:
    rng = np.random.default_rng(seed)
    return simulate_votes(simulate_truth(items, 3, rng), per_item, 8, rng, **options).votes  # type: ignore[arg-type]


def test_each_answer_is_held_out_once_and_an_item_never_loses_all():
    votes = crowd(per_item=2)
    fold = _dealt(votes, 5, np.random.default_rng(0))
    assert set(np.unique(fold)) <= set(range(5))
    for turn in range(5):
        assert votes.select(answers=fold != turn).per_item.min() >= 1


def test_single_answers_give_no_evidence():
    votes = Votes.of(["a", "a", "b"], ["x", "y", "x"], classes=["x", "y"])
    held = hold_out_answers(votes, WAYS, np.random.default_rng(0))
    assert held.items.tolist() == [0] and held.answers == 2
    with refuses("none of 2 items", "two answers"):
        hold_out_answers(Votes.of(["a", "b"], ["x", "y"]), WAYS, np.random.default_rng(0))


def test_second_answers_of_a_person_are_held_out_together():
    votes = Votes.of(["a"] * 6, ["x", "y", "x", "y", "x", "y"], ["ann", "ann", "bo", "bo", "cy", "cy"])
    fold = _dealt(votes, 5, np.random.default_rng(0))
    assert votes.annotator is not None
    assert [np.unique(fold[votes.annotator == who]).size for who in range(3)] == [1, 1, 1]


def test_losses_are_those_of_a_slow_loop():
    """With as many folds as answers, each is foretold by all others of its item."""
    votes = crowd(per_item=4, items=12)
    held = hold_out_answers(votes, WAYS, np.random.default_rng(0), folds=4)
    for item in range(12):
        own = np.flatnonzero(votes.item == item)
        losses, briers = [], []
        for answer in own:
            counts = np.bincount(votes.choice[np.setdiff1d(own, answer)], minlength=3)
            p = (counts + 0.5) / (counts.sum() + 1.5)
            losses.append(-np.log(p[votes.choice[answer]]))
            briers.append(((p - np.eye(3)[votes.choice[answer]]) ** 2).sum())
        assert held.log_loss["dirichlet"][item] == pytest.approx(np.mean(losses))
        assert held.brier["dirichlet"][item] == pytest.approx(np.mean(briers))


def test_a_share_that_calls_a_given_answer_impossible_has_an_infinite_loss():
    votes = Votes.of(["a", "a"], ["x", "y"], ["ann", "bo"], classes=["x", "y"])
    held = hold_out_answers(votes, WAYS, np.random.default_rng(0))
    assert np.isinf(held.log_loss["share"]).all() and np.isfinite(held.log_loss["dirichlet"]).all()


@pytest.mark.parametrize("model", [dawid_skene, one_coin_model, mace])
def test_what_a_model_says_of_an_author_sums_to_one_over_answers(model):
    votes = crowd(skill=0.8)
    fit = model(votes)
    total = np.zeros(votes.n_answers)
    for code in range(3):
        asked = Votes(
            item=votes.item,
            items=votes.items,
            classes=votes.classes,
            annotator=votes.annotator,
            annotators=votes.annotators,
            choice=np.full(votes.n_answers, code),
        )
        p = fit.distributions.probs[asked.item]
        chance = _chance_by_author(p, p[:, code], asked, fit)
        assert chance is not None
        total += chance
    assert np.allclose(total, 1)


def test_a_model_of_annotators_foretells_them_where_they_differ():
    """Half of the crowd answers blindly: who answers then says more than how clear the item is."""
    rng = np.random.default_rng(3)
    votes = simulate_votes(simulate_truth(300, 3, rng, 0.01), 6, 12, rng, skill=0.95, spammers=6).votes
    ways = {name: LabelRecipe(aggregation=name) for name in ("shrinkage", "one-coin")}
    held = hold_out_answers(votes, ways, rng)
    assert held.by_author["one-coin"].mean() < held.log_loss["shrinkage"].mean() - 0.05
    assert held.log_loss["one-coin"].mean() > held.log_loss["shrinkage"].mean()


def test_beliefs_are_judged_by_what_they_state_or_by_their_first_choice():
    truth = simulate_truth(20, 3, np.random.default_rng(0))
    full = simulate_beliefs(truth, 2, 5, np.random.default_rng(1), top=None)
    mean = {"mean": LabelRecipe(completion="dense")}
    held = hold_out_answers(full, mean, np.random.default_rng(0))
    first, second = (full.stated[full.item == 0][place] for place in (0, 1))
    assert held.log_loss["mean"][0] == pytest.approx(-(first @ np.log(second) + second @ np.log(first)) / 2)
    partial = simulate_beliefs(truth, 2, 5, np.random.default_rng(1), top=2)
    clamped = hold_out_answers(partial, {"t2-clamp": LabelRecipe(completion="t2-clamp")}, np.random.default_rng(0))
    votes = hold_out_answers(partial.first_choices(), WAYS, np.random.default_rng(0))
    assert clamped.answers == votes.answers == 40
