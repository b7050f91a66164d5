"""Singh's protocol on small simulated crowds, and each of its parts by a second road."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import pearsonr, ttest_rel

from dissensus.labels.distributions import Distributions
from dissensus.papers.singh2025.protocol import singh_protocol
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.training import train_heads
from dissensus.train.splits import draw_split

GRID = tuple(
    HeadConfig(hidden=8, learning_rate=rate, batch=batch, epochs=epochs, scheduler=scheduler, plateau_patience=1)
    for rate in (1e-2, 1e-3)
    for batch in (16, 32)
    for epochs in (2, 4)
    for scheduler in (None, "plateau")
)


def crowd(n=260, d=12, k=3, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d)).astype(np.float32)
    scores = features @ rng.normal(size=(d, k)) * 0.8
    probs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return features, Distributions.from_counts(rng.multinomial(20, probs))


@pytest.fixture(scope="module")
def found():
    return singh_protocol(*crowd(), np.random.default_rng(3), grid=GRID, seeds=range(1, 5))


def test_soft_targets_come_closer_to_people(found):
    """By a paired t-test over seeds."""
    tests = {metric: ttest_rel(*(found.scores[t][metric] for t in ("soft", "hard"))) for metric in found.scores["soft"]}
    assert tests["kl"].statistic < 0 and tests["kl"].pvalue < 0.01
    assert tests["entropy_correlation"].statistic > 0


def test_the_lowest_validation_loss_is_chosen_and_the_first_of_equals(found):
    for targets, losses in found.grid_losses.items():
        place = int(losses.argmin())
        assert found.chosen[targets] == replace(GRID[place], targets=targets)
        assert (found.grid_epochs[targets] <= [config.epochs for config in GRID]).all()
        assert losses[place] == losses.min() and not (losses[:place] == losses[place]).any()


def test_scores_are_those_of_heads_trained_alone(found):
    features, labels = crowd()
    split_rng, *_ = np.random.default_rng(3).spawn(5)
    split = draw_split(260, split_rng)
    config = replace(found.chosen["hard"], seed=2)
    (trained,) = train_heads(
        features[split.train],
        labels.probs[split.train].argmax(axis=1),
        [config],
        validation=(features[split.validation], labels.probs[split.validation].argmax(axis=1)),
        n_classes=3,
    )
    people, said = labels.probs[split.test], trained.head.probs(features[split.test])
    place = 1  # seed 2 is the second
    assert found.scores["hard"]["accuracy"][place] == np.mean(people.argmax(axis=1) == said.argmax(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        by_hand = np.nansum(people * np.log(people / said), axis=1).mean()
    assert found.scores["hard"]["kl"][place] == pytest.approx(by_hand)

    def spread_of(rows):
        return [-sum(p * np.log(p) for p in row if p > 0) for row in rows]

    correlation = pearsonr(spread_of(people), spread_of(said)).statistic
    assert found.scores["hard"]["entropy_correlation"][place] == pytest.approx(correlation)


def test_the_same_generator_gives_the_same_numbers_on_either_engine(found):
    again = singh_protocol(*crowd(), np.random.default_rng(3), grid=GRID, seeds=range(1, 5), threads=1)
    stack = singh_protocol(*crowd(), np.random.default_rng(3), grid=GRID, seeds=range(1, 5), engine="torch")
    for targets in ("soft", "hard"):
        assert np.array_equal(found.grid_losses[targets], again.grid_losses[targets])
        assert np.array_equal(found.scores[targets]["kl"], again.scores[targets]["kl"])
        assert np.allclose(found.scores[targets]["kl"], stack.scores[targets]["kl"], atol=1e-4)


def test_each_seed_may_have_its_own_split_and_progress_counts_every_head():
    seen = []
    found = singh_protocol(
        *crowd(),
        np.random.default_rng(3),
        grid=GRID[:2],
        seeds=range(3),
        resplit=True,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(done, 10) for done in range(1, 11)]
    assert [head.config.seed for head in found.heads["soft"]] == [0, 1, 2]


def test_a_split_is_complete_and_disjoint():
    split = draw_split(101, np.random.default_rng(0))
    together = np.concatenate([split.train, split.validation, split.test])
    assert np.array_equal(np.sort(together), np.arange(101))
    assert (split.train.size, split.validation.size, split.test.size) == (71, 15, 15)


@pytest.mark.parametrize(
    ("n", "seeds", "message"),
    [
        (1, range(3), "1 items with shares .* expected at least 2 items in each"),
        (260, [1], "1 seed leaves nothing to test"),
    ],
)
def test_too_little_to_compare_is_refused(n, seeds, message):
    features, labels = crowd()
    with pytest.raises(ValueError, match=message):
        singh_protocol(features[:n], labels.probs[:n], np.random.default_rng(0), grid=GRID[:1], seeds=seeds)


def test_distributions_must_be_rows():
    features, labels = crowd()
    with pytest.raises(ValueError, match=r"shape \(260,\); expected \(n, k\)"):
        singh_protocol(features, labels.probs.argmax(axis=1), np.random.default_rng(0), grid=GRID[:1])
