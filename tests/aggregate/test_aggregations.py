"""Every aggregation by its name: shared properties, so that a new entry is tested on the day it arrives."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Beliefs, Distributions, Votes
from dissensus.aggregate.aggregations import AGGREGATIONS, aggregate, distributions_of
from dissensus.aggregate.building import build
from dissensus.labels.simulate import random_truth, simulated_beliefs, simulated_votes
from dissensus.labels.transforms import one_hot


def quiet(_: str) -> None:
    """Notices are not what these tests are about."""


def crowd(seed: int = 0, n: int = 60, k: int = 3) -> Votes:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    truth = one_hot(gold, np.arange(n), [f"class {c}" for c in range(k)])
    return simulated_votes(truth, 5, 12, rng, skill=0.8).votes


def run(labels, method) -> Distributions:
    return distributions_of(aggregate(labels, method, quiet))


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_every_method_gives_one_distribution_per_item(method):
    votes = crowd()
    found = run(votes, method)
    assert found.items.tolist() == votes.items.tolist() and found.classes == votes.classes
    assert np.allclose(found.probs.sum(axis=1), 1) and not np.isnan(found.probs).any()


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_relabelling_classes_relabels_the_result(method):
    votes = crowd()
    order = [2, 0, 1]
    renamed = Votes(
        item=votes.item, items=votes.items, annotator=votes.annotator, annotators=votes.annotators,
        choice=np.argsort(order)[votes.choice], classes=tuple(votes.classes[c] for c in order),
    )  # fmt: skip
    assert np.allclose(run(renamed, method).probs, run(votes, method).probs[:, order], atol=1e-6)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_the_order_of_answers_and_annotators_changes_nothing(method):
    votes = crowd()
    rng = np.random.default_rng(1)
    people = rng.permutation(12)
    mixed = votes.select(answers=rng.permutation(votes.n_answers)).select(annotators=people)
    assert np.allclose(run(mixed, method).probs, run(votes, method).probs, atol=1e-6)


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_people_who_all_agree_are_believed(method):
    votes = Votes.of([i for i in range(6) for _ in range(4)], ["cat"] * 12 + ["dog"] * 12, list("abcd") * 6)
    found = run(votes, method)
    assert (found.probs.argmax(axis=1) == np.repeat([0, 1], 3)).all()


@pytest.mark.parametrize("method", AGGREGATIONS)
def test_beliefs_are_taken_or_their_first_choices(method):
    rng = np.random.default_rng(0)
    beliefs = simulated_beliefs(random_truth(30, 4, rng), 5, 9, rng)
    said: list[str] = []
    found = distributions_of(aggregate(beliefs, method, said.append))
    assert found.probs.shape == (30, 4) and len(said) == 1


@pytest.mark.parametrize("method", ["share", "majority", "dirichlet", "shrinkage"])
def test_counts_without_annotators_do_for_methods_that_only_count(method):
    votes = crowd()
    counted = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    assert np.allclose(run(counted, method).probs, run(votes, method).probs)


def test_methods_that_need_people_say_so_of_counts():
    with pytest.raises(ValueError, match="needs to know who gave each vote"):
        run(Distributions.from_counts([[1, 2], [2, 1]]), "dawid-skene")


def test_an_unknown_method_is_refused_with_the_list():
    with pytest.raises(
        ValueError, match=r"no method 'vote'; there are share, majority, dirichlet, .*shrinkage|log-pool"
    ):
        aggregate(crowd(), "vote", quiet)


def test_build_says_which_method_it_took_and_refuses_what_has_no_use():
    votes = crowd()
    assert build(votes)[0] == "share"
    beliefs: Beliefs = simulated_beliefs(random_truth(5, 3, np.random.default_rng(0)), 3, 4, np.random.default_rng(0))
    assert build(beliefs)[0] == "t2-clamp"
    with pytest.raises(ValueError, match="gamma only matters to t1-clamp and t2-clamp, not to 'share'; leave it out"):
        build(votes, "share", gamma=0.1)
    with pytest.raises(ValueError, match="these are distributions already"):
        build(build(votes)[1], "share")
