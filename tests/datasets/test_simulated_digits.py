"""Ambiguous digits: what is drawn, what is seen, what readers say, and what a model learns from them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from dissensus.aggregate.counting import share
from dissensus.datasets.catalogue import load
from dissensus.datasets.contents import item_contents
from dissensus.datasets.simulated_digits import (
    CAREFUL,
    COVERED,
    LEARNED,
    MADE,
    AmbiguousDigits,
    ambiguous_digits,
    kernel_posterior,
)
from dissensus.evaluate.comparisons import compare
from dissensus.labels.distances import normalised_entropy
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.fitting import FitConfig, train_head


@pytest.fixture(scope="module")
def digits() -> AmbiguousDigits:
    return ambiguous_digits()


def test_the_data_set_is_the_same_each_time_and_shows_its_pictures(digits):
    first = load("digits")
    ambiguous_digits.cache_clear()
    second = load("digits")
    assert first.labels == second.labels and first.labels.n_answers == 17_970 and set(first.labels.per_item) == {10}
    pairs = set(zip(first.labels.item.tolist(), first.labels.annotator.tolist(), strict=True))
    assert len(pairs) == first.labels.n_answers  # nobody reads a picture twice
    assert np.array_equal(first.gold, digits.gold) and first.items["split"].to_pylist().count("train") == LEARNED
    assert [MADE.index(name) for name in first.items["made"].to_pylist()] == digits.made.tolist()
    contents = item_contents("digits")
    assert contents.names == first.labels.items.tolist() and contents.pixels.shape == (1797, 8, 8, 3)
    assert np.array_equal(contents.pixels[:, :, :, 0], np.rint(255 - 255 * digits.pictures / 16))


def test_pictures_are_clean_digits_blends_of_two_or_partly_covered(digits):
    clean = load_digits().images
    made = digits.made
    assert np.array_equal(digits.pictures[made == 0], clean[made == 0])
    covered = (digits.pictures == COVERED).all(axis=2)[made == 2]  # (items, 8) rows
    assert set(covered.sum(axis=1)) <= {3, 4, 5, 6} and (covered[:, 0] | covered[:, 7]).all()
    shown = ~covered[:, :, None] & np.ones((1, 1, 8), dtype=bool)
    assert np.array_equal(digits.pictures[made == 2][shown], clean[made == 2][shown])
    # A blend w x + (1 - w) x' lies on the line from x to another digit of its own part, nearer to x.
    for i in np.flatnonzero(made == 1)[::40]:
        part = np.flatnonzero((np.arange(1797) < LEARNED) == (i < LEARNED))
        moved = digits.pictures[i] - clean[i]
        towards = clean[part] - clean[i]  # (items, 8, 8)
        length = (moved * towards).sum(axis=(1, 2)) / np.maximum((towards**2).sum(axis=(1, 2)), 1e-9)
        off = np.abs(moved - length[:, None, None] * towards).max(axis=(1, 2))
        other = part[off.argmin()]
        assert off.min() < 1e-9 and 0 < length[off.argmin()] <= 0.5 and digits.gold[other] != digits.gold[i]


def test_what_is_seen_by_a_slow_loop(digits):
    """Clean and covered pictures: a kernel over the other clean digits, by the pixels that are not covered."""
    x, gold = load_digits(return_X_y=True)
    for i in [*np.flatnonzero(digits.made == 0)[:3], *np.flatnonzero(digits.made == 2)[:3]]:
        picture = digits.pictures[i].reshape(-1)
        rows = ~((digits.pictures[i] == COVERED).all(axis=1) & (digits.made[i] == 2))
        seen = np.repeat(rows, 8)
        for kernel, expected in ((6.0, digits.careful[i]), (12.0, digits.glance[i])):
            mass = np.zeros(10)
            for j in range(1797):
                if j != i:
                    mass[gold[j]] += np.exp(-((picture[seen] - x[j][seen]) ** 2).sum() / (2 * kernel**2))
            assert np.allclose(mass / mass.sum(), expected, atol=1e-9)


def test_a_careful_look_is_the_kernel_that_tells_clean_digits_apart_best():
    x, gold = load_digits(return_X_y=True)

    def log_likelihood(kernel: float) -> float:
        right = kernel_posterior(x, np.ones_like(x), gold, kernel)[np.arange(gold.size), gold]
        return float(np.log(np.maximum(right, 1e-300)).mean())

    assert max(range(3, 13), key=log_likelihood) == CAREFUL


def test_votes_are_drawn_from_the_stated_distributions(digits):
    """Forty crowds by the chi-square of Pearson: its mean over cells with five expected votes or more is near 1."""
    assert np.allclose(digits.answers.sum(axis=2), 1) and digits.answers.min() >= 0
    assert np.allclose(digits.truth, digits.care.mean() * digits.careful + (1 - digits.care.mean()) * digits.glance)
    counts = sum(digits.read(np.random.default_rng(seed)).counts() for seed in range(40))
    expected = 400 * digits.truth
    enough = expected >= 5
    squared = (counts - expected)[enough] ** 2 / (expected * (1 - digits.truth))[enough]
    assert enough.sum() > 4000 and 0.9 < squared.mean() < 1.1
    votes = digits.read(np.random.default_rng(0))
    right = votes.choice == digits.gold[votes.item]
    by_reader = np.bincount(votes.annotator, right) / np.bincount(votes.annotator)
    assert np.corrcoef(by_reader, digits.care)[0, 1] > 0.8  # careful readers are right more often


def test_people_disagree_where_the_picture_is_ambiguous(digits):
    entropy = normalised_entropy(share(load("digits").labels).probs)
    clean, blended, covered = (entropy[digits.made == code].mean() for code in range(3))
    assert clean < 0.6 * min(blended, covered)
    assert np.corrcoef(entropy, normalised_entropy(digits.truth))[0, 1] > 0.7


@pytest.mark.parametrize("seed", [1, 2, 3])  # other readers than those of the data set
def test_soft_labels_bring_a_model_nearer_to_people_at_the_same_accuracy(digits, seed):
    """Peterson 2019, Singh 2025: lower soft NLL, KL and JS and a higher entropy correlation; the accuracy is kept.

    The settings are those of `examples/demo.py`; test pictures share no source with those trained on.
    """
    votes = digits.read(np.random.default_rng(seed))
    pixels = digits.pictures.reshape(1797, 64) / 16
    train, test = np.arange(LEARNED), np.arange(LEARNED, 1797)
    models = {}
    for name, delivery in (("soft", "soft"), ("hard", "majority")):
        features = FeatureTable(pixels[train].astype(np.float32), votes.items[train])
        config = FitConfig(head="mlp", delivery=delivery, standardise=True, seed=seed)
        head = train_head(features, votes.select(items=train), config, lambda notice: None)
        models[name] = head.predict(pixels[test].astype(np.float32), items=votes.items[test])
    people = votes.select(items=test)
    result = compare(models, people, rng=np.random.default_rng(0), replicates=20, ceiling=False)
    soft, hard = ({name: score.value for name, score in result.cards[m].scores.items()} for m in ("soft", "hard"))
    for score in ("soft_nll", "kl", "js"):
        assert soft[score] < hard[score], score
    assert soft["entropy_pearson"] > 0.5 and soft["entropy_pearson"] > hard["entropy_pearson"]
    assert soft["accuracy"] > hard["accuracy"] - 0.02
