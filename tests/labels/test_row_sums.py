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
def test_each_kind_of_numbers_is_told_by_what_it_is(size):
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


def test_what_was_divided_is_said_and_what_sums_to_1_stays_to_the_last_digit():
    rows = np.array([[0.1, 0.9], [0.2, 0.3], [3.0, 1.0]])
    scaled, done = divide_rows(rows)
    assert scaled[0].tolist() == [0.1, 0.9] and scaled.tolist()[1:] == [[0.4, 0.6], [0.75, 0.25]]
    assert done == "2 of 3 rows summed to 0.5 to 4 and were divided by their sum"
    assert divide_rows(rows[:1])[1] == "all 1 rows sum to 1 already, so none was divided by its sum"
    assert divide_rows(rows[1:2])[1] == "1 of 1 rows summed to 0.5 and were divided by their sum"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [[0.5, 0.5], [1.5, -0.5]],
            r"row 1 is \[1.5, -0.5\]; rows are divided by their sum only .* 1 of 2 rows .*logits",
        ),
        ([[0.0, 0.0]], r"row 0 is \[0, 0\]; .* one is above 0"),
        ([[0.5, np.nan]], r"row 0 is \[0.5, nan\]"),
        ([[np.inf, 1.0]], "row 0 is"),
    ],
)
def test_numbers_below_0_and_empty_rows_are_not_divided(rows, message):
    with pytest.raises(ValueError, match=message):
        divide_rows(np.array(rows))


@pytest.mark.parametrize(
    ("rows", "advice"),
    [
        ([[3.0, 1.0], [0.0, 2.0]], "probability 3; .*whole numbers, as counts of votes are.*Distributions.from_c"),
        ([[30.5, 69.5]], "look like percents.*Distributions.from_mass.*rescale=True"),
        ([[0.3, 0.3]], "look like mass that is not divided by its sum yet.*Distributions.from_mass"),
        ([[-1.0, 2.0]], "look like logits. Apply softmax first"),
        ([[1.0000001, -1e-7]], "look like probabilities that fell below 0 by rounding. Clip them at 0 first"),
        ([[-0.6931471805599453, -0.6931471805599453]], "look like log-probabilities. Apply exp first"),
    ],
)
def test_distributions_refuse_with_the_way_out_that_fits(rows, advice):
    with pytest.raises(ValueError, match=advice):
        Distributions(np.array(rows), np.arange(len(rows)), ("x", "y"))
