"""Every aggregation by its name: shared properties, so that a new entry is tested on the day it arrives."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from dissensus import Beliefs, Distributions, Votes, complete, mean_belief, share
from dissensus.aggregate.aggregations import AGGREGATIONS, aggregate_labels
from dissensus.aggregate.counting import dirichlet, majority_vote
from dissensus.aggregate.models.dawid_skene import dawid_skene
from dissensus.labels.completion import COMPLETIONS
from dissensus.labels.simulate import simulate_beliefs, simulate_truth, simulate_votes
from dissensus.labels.transforms import one_hot
from tests.facts import refuses, states

COUNTING = ("share", "majority", "dirichlet", "shrinkage")


def crowd(seed: int = 0, n: int = 60, k: int = 3) -> Votes:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    truth = one_hot(gold, np.arange(n), [f"class {c}" for c in range(k)])
    return simulate_votes(truth, 5, 12, rng, skill=0.8).votes


def run(labels, method) -> Distributions:
    return aggregate_labels(labels, method).distributions


@cache
def of_the_crowd(method) -> Distributions:
    return run(crowd(), method)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_every_method_gives_one_distribution_per_item(method):
    votes = crowd()
    found = of_the_crowd(method)
    assert found.items.tolist() == votes.items.tolist() and found.classes == votes.classes
    assert np.allclose(found.probs.sum(axis=1), 1) and not np.isnan(found.probs).any()


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_relabelling_classes_relabels_the_result(method):
    votes = crowd()
    order = [2, 0, 1]
    renamed = Votes(
        item=votes.item,
        items=votes.items,
        annotator=votes.annotator,
        annotators=votes.annotators,
        choice=np.argsort(order)[votes.choice],
        classes=tuple(votes.classes[c] for c in order),
    )
    assert np.allclose(run(renamed, method).probs, of_the_crowd(method).probs[:, order], atol=1e-6)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_the_order_of_answers_and_annotators_changes_nothing(method):
    votes = crowd()
    rng = np.random.default_rng(1)
    people = rng.permutation(12)
    mixed = votes.select(answers=rng.permutation(votes.n_answers)).select(annotators=people)
    assert np.allclose(run(mixed, method).probs, of_the_crowd(method).probs, atol=1e-6)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_people_who_all_agree_are_believed(method):
    votes = Votes.of([i for i in range(6) for _ in range(4)], ["cat"] * 12 + ["dog"] * 12, list("abcd") * 6)
    found = run(votes, method)
    assert (found.probs.argmax(axis=1) == np.repeat([0, 1], 3)).all()


def said(top: int = 2, seed: int = 0) -> Beliefs:
    rng = np.random.default_rng(seed)
    return simulate_beliefs(simulate_truth(30, 4, rng), 5, 9, rng, top=top)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_every_method_takes_beliefs_and_says_what_it_did_to_them(method):
    result = aggregate_labels(said(top=1), method)
    assert result.distributions.probs.shape == (30, 4) and result.method == method
    done = [notice for notice in result.notices if "departs from the majority" not in notice]
    assert len(done) == (0 if AGGREGATIONS[method].takes == "beliefs" else 1)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_counts_do_for_every_method_that_does_not_ask_who_answered(method):
    votes = crowd()
    counted = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    try:
        by_counts = run(counted, method).probs
    except ValueError as error:
        assert states(str(error), "annotator of each vote") and method not in COUNTING
    else:
        assert np.allclose(by_counts, of_the_crowd(method).probs)


def test_methods_that_need_people_say_so_of_counts():
    with refuses("annotator"):
        run(Distributions.from_counts([[1, 2], [2, 1]]), "dawid-skene")


def test_an_unknown_method_is_refused_with_the_list():
    with refuses("'vote'", ", ".join(AGGREGATIONS)):
        aggregate_labels(crowd(), "vote")


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_a_method_refuses_every_option_that_only_matters_to_others(method):
    understood = set(AGGREGATIONS[method].understands)
    for option in {option for entry in AGGREGATIONS.values() for option in entry.understands} - understood:
        with refuses(option, f"not for '{method}'"):
            aggregate_labels(said(), method, **{option: "repeats"})


def test_without_a_method_votes_are_shared_and_beliefs_completed_as_usual():
    votes, beliefs = crowd(), said()
    assert aggregate_labels(votes).method == "share" and aggregate_labels(votes).distributions == share(votes)
    assert aggregate_labels(beliefs).method == "t2-clamp"
    assert aggregate_labels(beliefs).distributions == mean_belief(complete(beliefs))
    full = complete(beliefs)
    assert aggregate_labels(full).method == "dense" and aggregate_labels(full).distributions == mean_belief(
        COMPLETIONS["dense"](full)
    )


def test_distributions_stay_as_they_are_unless_a_method_is_named():
    teacher = Distributions(np.array([[0.2, 0.8]]), np.array([7]), ("x", "y"))
    result = aggregate_labels(teacher)
    assert result.distributions is teacher and result.method == "none"
    assert result.method == "none" and len(result.notices) == 1
    with refuses("gamma", "no effect"):
        aggregate_labels(teacher, gamma=0.1)
    with refuses("number of votes"):
        aggregate_labels(teacher, "share")


def test_completions_by_name_are_the_means_of_completed_beliefs():
    beliefs = said()
    found = aggregate_labels(beliefs, "t1-clamp", gamma=0.3, contradictions="mass").distributions
    assert found == mean_belief(complete(beliefs, top=1, gamma=0.3, contradictions="mass"))
    assert set(COMPLETIONS) < set(AGGREGATIONS)


def test_options_reach_the_method_and_those_nobody_knows_are_refused():
    votes = crowd()
    assert aggregate_labels(votes, "majority", ties="first").distributions == majority_vote(votes, ties="first")
    sharp = aggregate_labels(votes, "dawid-skene", smoothing=0.0)
    assert np.array_equal(sharp.fit.confusion, dawid_skene(votes, smoothing=0.0).confusion)
    with refuses("gamma", "t1-clamp and t2-clamp", "not for 'share'"):
        aggregate_labels(votes, "share", gamma=0.1)
    with refuses("majority", "'colour'", "ties"):
        aggregate_labels(votes, "majority", colour="red")


def test_names_that_other_tools_have_for_an_option_do_as_well():
    votes = crowd()
    by_habit, by_name = (
        aggregate_labels(votes, "mace", iterations=3),
        aggregate_labels(votes, "mace", most_iterations=3),
    )
    assert by_habit.fit.iterations == 3 and by_habit.distributions == by_name.distributions
    assert aggregate_labels(votes, "dirichlet", smoothing=2.0).distributions == dirichlet(votes, 2.0)
    with refuses("smoothing", "prior", "same option"):
        aggregate_labels(votes, "dirichlet", smoothing=2.0, prior=1.0)
    for name in ("seed", "random_state"):
        with refuses(name, "no effect"):
            aggregate_labels(votes, "mace", **{name: 1})


def test_the_page_names_every_method():
    page = (Path(__file__).parents[2] / "docs" / "aggregate.md").read_text()
    table = page[: page.index("assume that every item has one right class")]
    assert [name for name in AGGREGATIONS if f"`{name}`" not in table] == []


@pytest.mark.parametrize("method", ["dawid-skene", "one-coin", "mace", "glad", "shrinkage"])
def test_too_few_iterations_are_refused_by_the_name_they_were_given(method):
    with refuses("iterations=0", "1 or more"):
        aggregate_labels(Votes.of(["a", "a", "b"], ["x", "y", "x"], ["ann", "bo", "ann"]), method, iterations=0)
