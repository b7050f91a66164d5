"""What the truth scores: closed forms against every outcome that a few votes can have."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import multinomial

from dissensus.evaluate.closed_forms import (
    PossibleTruth,
    brier_of_truth,
    js_of_truth,
    kl_of_truth,
    soft_nll_of_truth,
)
from dissensus.evaluate.metrics import METRICS
from dissensus.labels.distances import entropy


def outcomes(truth: np.ndarray, votes: int) -> tuple[np.ndarray, np.ndarray]:
    """Every table of `votes` votes that can be, and how likely it is."""
    counts = np.array([row for row in product(range(votes + 1), repeat=truth.size) if sum(row) == votes])
    chance = multinomial.pmf(counts, votes, truth)
    return counts[chance > 0], chance[chance > 0]


@pytest.mark.parametrize("votes", [2, 3, 7])
@pytest.mark.parametrize("truth", [[0.5, 0.3, 0.2], [0.9, 0.09, 0.01], [1.0, 0.0, 0.0], [0.7, 0.3, 0.0]])
def test_brier_of_the_truth_is_unbiased_whatever_is_drawn(truth, votes):
    truth = np.array(truth)
    counts, chance = outcomes(truth, votes)
    expected = chance @ METRICS["brier"].function(np.tile(truth, (len(counts), 1)), counts / votes)
    far_off = PossibleTruth(np.full(counts.shape, 1 / 3), counts)
    assert chance @ brier_of_truth(far_off) == pytest.approx(expected, abs=1e-12)
    by_hand = (counts * (votes - counts)).sum(axis=1) / (votes**2 * (votes - 1))
    assert brier_of_truth(far_off) == pytest.approx(by_hand)


@pytest.mark.parametrize("votes", [2, 5, 9])
@pytest.mark.parametrize("truth", [[0.5, 0.3, 0.2], [0.9, 0.09, 0.01], [0.7, 0.3, 0.0]])
def test_with_the_truth_itself_as_the_draw_every_form_is_exact_on_average(truth, votes):
    truth = np.array(truth)
    counts, chance = outcomes(truth, votes)
    rows = np.tile(truth, (len(counts), 1))
    drawn = PossibleTruth(rows, counts)
    assert chance @ soft_nll_of_truth(drawn) == pytest.approx(entropy(truth[None])[0], abs=1e-12)
    for name, form in {"soft_nll": soft_nll_of_truth, "kl": kl_of_truth, "js": js_of_truth}.items():
        assert chance @ form(drawn) == pytest.approx(chance @ METRICS[name].function(rows, counts / votes), abs=1e-12)


def test_a_wrong_draw_moves_the_entropy_less_the_more_votes_there_are():
    """The votes tell the first terms of the entropy themselves; a draw that is far off decides on the rest."""
    truth, wrong = np.array([0.8, 0.15, 0.05]), np.full(3, 1 / 3)
    off = []
    for votes in (2, 5, 12):
        counts, chance = outcomes(truth, votes)
        off.append(
            abs(
                chance @ soft_nll_of_truth(PossibleTruth(np.tile(wrong, (len(counts), 1)), counts))
                - entropy(truth[None])[0]
            )
        )
    assert off[0] > off[1] > off[2] and off[2] < 0.1 * abs(entropy(wrong[None]) - entropy(truth[None]))[0]


def test_an_entropy_that_is_off_moves_jensen_shannon_by_a_quarter_and_brier_not_at_all():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet([0.5] * 3, 20)
    counts = rng.multinomial(6, probs)
    exact, off = PossibleTruth(probs, counts), PossibleTruth(probs, counts, off=0.04)
    moved = {soft_nll_of_truth: 0.04, kl_of_truth: 0.04, js_of_truth: 0.01, brier_of_truth: 0.0}
    for form, by in moved.items():
        assert form(off) - form(exact) == pytest.approx(by, abs=1e-12)


def test_items_may_have_different_numbers_of_votes():
    rng = np.random.default_rng(0)
    probs, votes = rng.dirichlet([0.5] * 4, 30), rng.integers(2, 40, 30)
    counts = rng.multinomial(votes, probs)
    together = soft_nll_of_truth(PossibleTruth(probs, counts))
    alone = [soft_nll_of_truth(PossibleTruth(probs[[i]], counts[[i]]))[0] for i in range(30)]
    assert together == pytest.approx(alone, abs=1e-12)
