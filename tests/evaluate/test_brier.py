"""The parts of the Brier score add up to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from dissensus.evaluate.brier import brier_decomposition, brier_decomposition_of_classes
from dissensus.evaluate.metrics import soft_brier


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0]), st.floats(0, 1)), min_size=1, max_size=60),
    st.integers(1, 12),
)
def test_parts_sum_to_the_score_exactly(items, bins):
    f, o = np.array(items).T
    parts = brier_decomposition(f, o, bins)
    assert parts.score == pytest.approx(np.mean((f - o) ** 2), abs=1e-12)
    total = parts.reliability - parts.resolution + parts.uncertainty + parts.inside
    assert total == pytest.approx(parts.score, abs=1e-12)
    assert parts.uncertainty == pytest.approx(o.var(), abs=1e-12)


def test_on_discrete_forecasts_the_parts_are_murphys():
    """Murphy (1973): with a bin for each forecast nothing is inside; his three terms by their formulas."""
    f = np.repeat([0.1, 0.5, 0.9], 100)
    o = np.concatenate([np.arange(100) < hits for hits in (20, 50, 80)]).astype(float)
    parts = brier_decomposition(f, o, 3)
    assert parts.reliability == pytest.approx((0.1**2 + 0 + 0.1**2) / 3)
    assert parts.resolution == pytest.approx((0.3**2 + 0 + 0.3**2) / 3)
    assert parts.uncertainty == pytest.approx(0.25)
    assert parts.inside == pytest.approx(0.0, abs=1e-12)
    assert parts.score == pytest.approx(brier_score_loss(o, f))


def test_over_classes_the_parts_sum_to_the_soft_brier_score():
    rng = np.random.default_rng(0)
    model, people = rng.dirichlet(np.ones(4), 500), rng.dirichlet(np.ones(4), 500)
    parts = brier_decomposition_of_classes(model, people)
    assert parts.score == pytest.approx(soft_brier(model, people).mean())
    assert parts.uncertainty == pytest.approx(people.var(axis=0).sum())
