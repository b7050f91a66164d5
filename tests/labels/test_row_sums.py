"""What rows look like that are not probabilities: the advice fits the numbers, and dividing is said and refused."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import Way
from dissensus.labels.row_sums import divide_rows, look_of, row_ways
from tests.facts import refuses, states

DIVIDE = Way("divide")
SIZES = st.tuples(st.integers(1, 20), st.integers(2, 12), st.integers(0, 2**32 - 1))


def rows_of(n: int, k: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet(np.ones(k), n)


@given(SIZES, st.floats(1.2, 1e6))
def test_softmax_is_never_advised_for_rows_that_only_want_dividing_down(size, factor):
    """Mass up to 1 in each cell: softmax would flatten it, so it is not mentioned."""
    mass = rows_of(*size) / factor
    assert look_of(mass) == "mass" and row_ways(mass, divide=[DIVIDE], count=[])[1] == [DIVIDE]
    assert np.allclose(divide_rows(mass)[0], mass * factor, atol=1e-12)


@given(SIZES)
def test_each_kind_of_numbers_is_recognised(size):
    p = np.clip(rows_of(*size), 1e-6, 1)
    p /= p.sum(axis=1, keepdims=True)
    rng = np.random.default_rng(size[2])
    centred = rng.normal(0, 3, p.shape)
    assert look_of(np.log(p)) == "log-probabilities"
    assert look_of(centred - centred.mean(axis=1, keepdims=True)) == "logits"
    assert look_of(100 * p) == "percents"
    assert look_of(np.round(p, 3) + np.eye(*p.shape) * 2e-3) == "rounded"
    assert look_of(rng.integers(0, 5, p.shape) + 1.0) == "counts"
    assert look_of(rng.multinomial(100, p[0], size=p.shape[0]).astype(float)) == "counts or percents"
    assert look_of(np.eye(*p.shape) * 2.5 + 0.25) == "large mass"


def test_a_few_rows_that_are_off_are_judged_by_themselves():
    rows = np.full((50, 4), 0.25)
    rows[7] = [3, 1, 0, 0]
    assert look_of(rows) == "counts"
    rows[7] = [0.3, 0.1, 0, 0]
    assert look_of(rows) == "mass"


def test_released_logits_counts_and_shares_are_told_apart(loaded, data_folder):
    """ChaosNLI: logits of fine-tuned models, a hundred judgements of each pair, and their shares."""
    table = pq.read_table(data_folder / "chaosnli" / "model_logits.parquet")
    logits = np.stack([table[name].to_numpy() for name in table.column_names if name.startswith("logit_")], axis=1)
    counts = loaded("chaosnli-snli").labels.counts().astype(float)
    assert (
        look_of(logits) == "logits" and look_of(counts) == "counts or percents" and look_of(counts[:, :2]) == "counts"
    )
    assert look_of(loaded("chaosnli-snli").labels.probs * 100 + 0.001) == "percents"
    cifar = loaded("cifar10h").labels.counts().astype(float)
    assert look_of(cifar) == "counts" and look_of(cifar / 50) in ("mass", "large mass")


def test_divided_rows_are_reported_and_rows_that_sum_to_1_stay_exact():
    rows = np.array([[0.1, 0.9], [0.2, 0.3], [3.0, 1.0]])
    scaled, done = divide_rows(rows)
    assert scaled[0].tolist() == [0.1, 0.9] and scaled.tolist()[1:] == [[0.4, 0.6], [0.75, 0.25]]
    assert states(done, "2 of 3", "0.5 to 4", "were divided")
    assert states(divide_rows(rows[:1])[1], "all 1 rows", "none was divided")
    assert states(divide_rows(rows[1:2])[1], "1 of 1", "0.5 and were divided")


@pytest.mark.parametrize(
    ("rows", "facts"),
    [
        ([[0.5, 0.5], [1.5, -0.5]], ["row 1", [1.5, -0.5], "0 or more", "1 of 2", "logits"]),
        ([[0.0, 0.0]], ["row 0", [0, 0], "above 0", "1 of 1"]),
        ([[0.5, np.nan]], ["row 0", "[0.5, nan]", "1 of 1"]),
        ([[np.inf, 1.0]], ["row 0", "[inf, 1]", "1 of 1"]),
    ],
)
def test_numbers_below_0_and_empty_rows_are_not_divided(rows, facts):
    with refuses(*facts):
        divide_rows(np.array(rows))


@pytest.mark.parametrize(
    ("rows", "facts", "ways"),
    [
        (
            [[3.0, 1.0], [0.0, 2.0]],
            ["probability 3", "whole numbers", "counts of votes", "Distributions.from_counts"],
            {"layout": "counts"},
        ),
        ([[30.5, 69.5]], ["probability 30.5", "percents", "Distributions.from_mass"], {"rescale": True}),
        ([[0.3, 0.3]], ["sums to 0.6", "mass", "Distributions.from_mass"], {"rescale": True}),
        ([[-1.0, 2.0]], ["probability -1", "logits", "softmax"], {}),
        ([[1.0000001, -1e-7]], ["probability -1e-07", "below 0", "rounding", "Clip"], {}),
        ([[-0.6931471805599453, -0.6931471805599453]], ["-0.693147", "log-probabilities", "exp"], {}),
    ],
)
def test_distributions_refuse_with_the_way_out_that_fits(rows, facts, ways):
    with refuses("row 0", *facts, ways=ways):
        Distributions(np.array(rows), np.arange(len(rows)), ("x", "y"))
