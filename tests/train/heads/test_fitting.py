"""train_head: from features and labels to a head, with the items held out to stop and to choose by."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus import Distributions
from dissensus.deliver import DELIVERIES
from dissensus.deliver.deliveries import wrapped
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.fitting import FitConfig, scores_of, train_head
from tests.facts import refuses
from tests.train.crowd import CLASSES, crowd
from tests.train.notices import quiet


@pytest.mark.parametrize("name", sorted(DELIVERIES))
def test_every_delivery_trains_a_head(name):
    features, votes, _ = crowd(n=60)
    config = FitConfig(delivery=name, head="linear", training=HeadConfig(epochs=2))
    head = train_head(features, votes, config, quiet)
    assert head.card["delivery"].startswith(name) and np.isfinite(head.probs(features.values)).all()


def test_wrappers_stack_around_a_delivery():
    features, votes, _ = crowd(n=60)
    config = FitConfig(wraps=("stale=2", "smoothed=0.1", "mixup=0.2"), training=HeadConfig(epochs=2))
    assert train_head(features, votes, config, quiet).card["delivery"] == "mixup(smoothed(stale(soft, 2), 0.1), 0.2)"
    with refuses("shuffled=1", "expected shuffled", "without"):
        wrapped(DELIVERIES["soft"](votes), "shuffled=1", 0)
    with refuses("smoothed=x", "'x'", "number", "amount", "0 to 1"):
        wrapped(DELIVERIES["soft"](votes), "smoothed=x", 0)


def test_the_logistic_head_is_the_estimator_and_its_penalty_is_chosen_on_items_held_out():
    features, votes, _ = crowd()
    head = train_head(features, votes, FitConfig(head="logistic", penalty=2.0), quiet)
    same = SoftLabelClassifier(C=0.5).fit(features.values, votes)
    assert np.allclose(head.probs(features.values), same.predict_proba(features.values), atol=1e-4)
    chosen = train_head(features, votes, FitConfig(head="logistic"), quiet).card["training"]
    assert chosen["tried"][f"{chosen['penalty']:g}"] == min(chosen["tried"].values()) and len(chosen["tried"]) > 3


def test_held_out_scores_of_the_logistic_head_are_of_items_it_had_not_seen():
    """Twenty features without meaning and hardly a penalty: the items trained on are learned by heart."""
    rng = np.random.default_rng(0)
    features = FeatureTable(rng.normal(size=(50, 20)).astype(np.float32), np.arange(50))
    labels = Distributions(rng.dirichlet(np.ones(3), 50), np.arange(50), CLASSES)
    for standardise in (False, True):
        config = FitConfig(head="logistic", penalty=1e-2, standardise=standardise)
        head = train_head(features, labels, config, quiet, labels_from=__file__)
        assert head.card["labels from"] == {"path": __file__}
        assert scores_of(labels.probs, head.probs(features.values))["kl"] < 0.25
        assert head.card["scores on items held out"]["kl"] > 0.5


def test_standardised_heads_take_features_as_they_are():
    features, votes, probs = crowd()
    moved = FeatureTable(features.values * np.float32(50) + np.float32(300), features.items)
    config = FitConfig(standardise=True, training=HeadConfig(epochs=40, learning_rate=0.01))
    head = train_head(moved, votes, config, quiet)
    assert scores_of(probs, head.probs(moved.values))["kl"] < 0.1
    assert scores_of(probs, train_head(moved, votes, FitConfig(), quiet).probs(moved.values))["kl"] > 0.1


def test_items_that_cannot_teach_are_refused():
    features, votes, _ = crowd(n=10)
    empty = votes.select(answers=votes.item != 3)
    with refuses("item i3", "no votes", "1 of 10 items"):
        train_head(features, empty, FitConfig(validation=0), quiet)
    with refuses("1 item", "2 or more"):
        train_head(features.select([0]), votes.select(items=[0]), FitConfig(), quiet)
    with refuses("validation=0.9", "9 of 10", "2 or more"):
        train_head(features, votes, FitConfig(validation=0.9), quiet)
    with refuses("class 'd'", "no mass", "10 items", "1 of 4 classes", "smoothed=0.01"):
        four = Distributions.from_counts(
            np.insert(votes.counts(), 3, 0, axis=1), items=votes.items, classes=("a", "b", "c", "d")
        )
        train_head(features, four, FitConfig(head="logistic", penalty=1.0), quiet)
    with refuses("penalty", "validation above 0"):
        train_head(features, votes, FitConfig(head="logistic", validation=0), quiet)


def test_a_correlation_that_does_not_exist_is_null_in_the_card():
    features, _, _ = crowd(n=20)
    even = Distributions(np.tile([0.5, 0.25, 0.25], (20, 1)), features.items, CLASSES)
    card = train_head(features, even, FitConfig(training=HeadConfig(epochs=1)), quiet).card
    assert card["scores on items held out"]["entropy_correlation"] is None
    json.dumps(card, allow_nan=False)


def test_scores_are_those_of_the_formulas():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(4), 30), rng.dirichlet(np.ones(4), 30)
    found = scores_of(p, q)
    assert found["soft_nll"] == pytest.approx(-(p * np.log(q)).sum(axis=1).mean())
    assert found["kl"] == pytest.approx((p * np.log(p / q)).sum(axis=1).mean())
    human, model = (-(r * np.log(r)).sum(axis=1) for r in (p, q))
    assert found["entropy_correlation"] == pytest.approx(np.corrcoef(human, model)[0, 1])
    assert found["accuracy"] == (p.argmax(axis=1) == q.argmax(axis=1)).mean()


@pytest.mark.parametrize("head", ["mlp", "logistic"])
def test_a_single_item_held_out_is_scored_without_a_correlation(head):
    features, votes, _ = crowd(n=12)
    found = train_head(features, votes, FitConfig(head=head, validation=0.1), quiet).card
    scores = found["scores on items held out"]
    assert found["items held out"] == 1 and scores["entropy_correlation"] is None and scores["kl"] >= 0


def test_the_card_says_how_features_and_labels_were_matched():
    features, votes, _ = crowd(n=20)
    config = FitConfig(head="linear", training=HeadConfig(epochs=1))
    assert train_head(features, votes, config, quiet).card["items matched"] == "by name"
    vouched = train_head(FeatureTable(features.values), votes, config, quiet, by_position=True)
    assert vouched.card["items matched"] == "by position"


def test_a_seed_below_0_is_refused():
    with refuses("seed=-1", "whole number", "0 to 18446744073709551615"):
        FitConfig(seed=-1)
