"""The sparse-target diagnostic on crowds whose full distribution is known."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from dissensus.evaluate.sparse_target import sparse_target_diagnostic
from dissensus.labels.distances import entropy, jensen_shannon, kl, manhattan
from tests.facts import states


@pytest.fixture(scope="module")
def crowd():
    """Full distributions, and the shares of three votes from each."""
    rng = np.random.default_rng(0)
    full = rng.dirichlet([0.6] * 4, 800)
    sparse = np.array([rng.multinomial(3, row) / 3 for row in full])
    return full, sparse


def nll(full, model):
    return entropy(full) + kl(full, model)


def test_shrinking_gains_most_where_the_few_votes_misled(crowd):
    """A model that believes the sparse share against one that trusts it half: the gain grows with the error."""
    full, sparse = crowd
    believes, doubts = 0.98 * sparse + 0.005, 0.6 * sparse + 0.1
    found = sparse_target_diagnostic(nll(full, believes), nll(full, doubts), sparse, full, np.random.default_rng(1))
    means = [part.score.value for part in found.bins]
    assert means == sorted(means) and means[0] < 0 < means[-1]
    assert found.spearman.low > 0.5
    error, gain = jensen_shannon(sparse, full), nll(full, believes) - nll(full, doubts)
    assert found.spearman.value == pytest.approx(scipy.stats.spearmanr(error, gain).statistic)
    assert sum(part.items for part in found.bins) == 800 and [part.items for part in found.bins] == [160] * 5
    assert states(str(found).partition("\n")[0], "Spearman", f"{found.spearman.value:.4f}")


def test_a_gain_that_has_nothing_to_do_with_the_target_shows_no_correlation(crowd):
    full, sparse = crowd
    loss, gain = np.random.default_rng(2).normal(size=(2, 800))
    found = sparse_target_diagnostic(loss + gain, loss, sparse, full, np.random.default_rng(3), distance=manhattan)
    assert found.spearman.low < 0 < found.spearman.high


def test_infinite_losses_and_other_items_are_refused(crowd):
    full, sparse = crowd
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"3 and 800 items.*800"):
        sparse_target_diagnostic(np.ones(3), np.ones(800), sparse, full, rng)
    with pytest.raises(ValueError, match="not finite: smooth"):
        sparse_target_diagnostic(nll(full, sparse), np.ones(800), sparse, full, rng)
