"""Measures of labels that people gave."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import spearmanr

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.labels.distributions import Distributions
from dissensus.plan.gnmds.embedding import embed_labels
from dissensus.plan.real_labels import compare_with_judgments, flip_rate, informativeness, label_variants
from dissensus.plan.simulation import simulate_scene

SCENE = simulate_scene(15, 6, 4, np.random.default_rng(0))
SOFT = Distributions.from_mass(SCENE.soft)
JUDGED = SCENE.similarity[:15, :15]


def test_measures_of_simulated_labels():
    measured = informativeness(SOFT, np.random.default_rng(0), JUDGED)
    assert measured.constraints == 6 * 15 * 19 / 2 and 0 < measured.ratio < 1
    assert measured.peak_variance == pytest.approx(np.var([max(row) for row in SCENE.soft]))
    assert measured.entropy == pytest.approx(-(SCENE.soft * np.log(SCENE.soft)).sum(axis=1).mean())
    assert measured.rho > 0.5 and measured.error_rate < 0.3 and measured.contradicted < 0.1
    alone = informativeness(SOFT, np.random.default_rng(0))
    assert alone.rho is None and alone.error_rate is None and alone.contradicted == measured.contradicted


def test_hard_labels_err_more():
    variants = label_variants(SOFT, SCENE.hard.argmax(axis=1))
    measured = {name: informativeness(labels, np.random.default_rng(0), JUDGED) for name, labels in variants.items()}
    assert measured["soft"].error_rate < measured["hard"].error_rate and measured["soft"].rho > measured["hard"].rho
    assert measured["hard"].entropy == 0 < measured["smoothed low"].entropy < measured["smoothed high"].entropy
    # Smoothing changes every number and no comparison.
    assert measured["smoothed high"].constraints == measured["hard"].constraints
    assert measured["smoothed high"].rho == pytest.approx(measured["hard"].rho)


def test_the_error_rate_equals_a_slow_loop():
    embedding = embed_labels(SCENE.soft, np.random.default_rng(0))
    likert = np.round(3 * JUDGED)  # ties, as on a rating scale
    wrong = asked = 0
    for a in range(15):
        for b, c in itertools.permutations([p for p in range(15) if p != a], 2):
            if likert[a, b] > likert[a, c]:
                asked += 1
                wrong += embedding.gram[a, b] < embedding.gram[a, c]
    rho, rate = compare_with_judgments(embedding, likert)
    upper = np.triu_indices(15, 1)
    assert rate == pytest.approx(wrong / asked)
    assert rho == pytest.approx(spearmanr(embedding.gram[:15, :15][upper], likert[upper])[0])


def test_pairs_nobody_judged_are_left_out():
    embedding = embed_labels(SCENE.soft, np.random.default_rng(0))
    partly = JUDGED.copy()
    partly[0, 1] = partly[1, 0] = np.nan
    rho, rate = compare_with_judgments(embedding, partly)
    assert rho == pytest.approx(compare_with_judgments(embedding, JUDGED)[0], abs=0.05) and 0 <= rate <= 1


def test_flips_between_two_signals_equal_a_slow_loop():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 3, (4, 3)) / 2, rng.integers(0, 3, (4, 3)) / 2
    both = differ = 0
    for a, b in ((first, second), (first.T, second.T)):
        for row, other in zip(a, b, strict=True):
            for i, j in itertools.combinations(range(row.size), 2):
                if row[i] != row[j] and other[i] != other[j]:
                    both += 1
                    differ += (row[i] > row[j]) != (other[i] > other[j])
    assert flip_rate(first, second) == pytest.approx(differ / both)
    assert flip_rate(first, first) == 0 and flip_rate(first, -first) == 1
    assert np.isnan(flip_rate(first, np.ones((4, 3))))


def test_people_tell_more_than_hard_labels(loaded):
    """CIFAR-10H and CIFAR-10S of the same 100 images: more comparisons than hard labels have."""
    shares = loaded("cifar10h").labels
    stated = aggregate_labels(loaded("cifar10s").labels).distributions.select(np.arange(100))
    place = {name: row for row, name in enumerate(shares.items.tolist())}
    votes = shares.select(np.array([place[name] for name in stated.items.tolist()]))
    hard = label_variants(votes, votes.probs.argmax(axis=1))["hard"]
    measured = {
        name: informativeness(labels, np.random.default_rng(0))
        for name, labels in (("votes", votes), ("stated", stated), ("hard", hard))
    }
    assert measured["hard"].constraints < measured["votes"].constraints
    assert measured["hard"].constraints < measured["stated"].constraints
    assert measured["stated"].entropy > measured["votes"].entropy > measured["hard"].entropy == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: informativeness(SOFT, np.random.default_rng(0), np.eye(3)), "15 items"),
        (
            lambda: informativeness(SOFT, np.random.default_rng(0), np.ones((15, 15))),
            "similarities are equal",
        ),
        (lambda: informativeness(SOFT, np.random.default_rng(0), np.full((15, 15), np.nan)), "0 judged similarities"),
        (lambda: flip_rate(np.ones((2, 2)), np.ones((3, 2))), "expected the same"),
    ],
)
def test_impossible_judgments_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
