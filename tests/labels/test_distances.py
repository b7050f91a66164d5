"""Distances between distributions: shared properties, and a second road to each number."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.spatial.distance import cosine as scipy_cosine
from scipy.spatial.distance import jensenshannon

from dissensus.labels.distances import DISTANCES, entropy, kl, normalised_entropy, wasserstein_of_values
from tests.facts import refuses

LARGEST = {
    "kl": lambda k: np.inf,
    "jensen_shannon": lambda k: np.log(2),
    "total_variation": lambda k: 1.0,
    "manhattan": lambda k: 2.0,
    "cosine": lambda k: 1.0,
    "wasserstein": lambda k: k - 1.0,
    "wasserstein_of_values": lambda k: 2 * (k - 1) / k**2,
}
NOT_SYMMETRIC = {"kl"}
NEEDS_CLASS_ORDER = {"wasserstein"}

SLOW = {
    "kl": lambda p, q: stats.entropy(p, q),
    # scipy takes the root of a rounding error below 0 for rows an ulp apart, which is NaN.
    "jensen_shannon": lambda p, q: np.nan_to_num(jensenshannon(p, q)) ** 2,
    "total_variation": lambda p, q: max(abs(sum(p[s] - q[s] for s in subset)) for subset in _subsets(len(p))),
    "manhattan": lambda p, q: sum(abs(a - b) for a, b in zip(p, q, strict=True)),
    "cosine": lambda p, q: scipy_cosine(p, q),
    "wasserstein": lambda p, q: stats.wasserstein_distance(range(len(p)), range(len(q)), p, q),
    "wasserstein_of_values": lambda p, q: stats.wasserstein_distance(p, q),
}


def _subsets(k):
    return [[c for c in range(k) if code >> c & 1] for code in range(2**k)]


@st.composite
def pairs(draw):
    """Two sets of rows with the same shape; zeros, certain rows and vanishing mass are common."""
    n, k = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    mass = st.one_of(st.just(0.0), st.just(1.0), st.floats(1e-300, 1.0))
    both = draw(arrays(np.float64, (2, n, k), elements=mass))
    both[..., 0] += (both.sum(axis=2) == 0).astype(float)
    return both / both.sum(axis=2, keepdims=True)


@pytest.mark.parametrize("name", DISTANCES)
@given(both=pairs())
def test_is_zero_on_equal_rows_and_within_its_range(name, both):
    p, q = both
    assert DISTANCES[name](p, p).tolist() == [0.0] * len(p)
    apart = DISTANCES[name](p, q)
    assert apart.shape == (len(p),)
    assert (apart >= 0).all() and (apart <= LARGEST[name](p.shape[1]) + 1e-12).all()


@pytest.mark.parametrize("name", [name for name in DISTANCES if name not in NOT_SYMMETRIC])
@given(both=pairs())
def test_is_symmetric(name, both):
    p, q = both
    np.testing.assert_allclose(DISTANCES[name](p, q), DISTANCES[name](q, p), atol=1e-12)


@pytest.mark.parametrize("name", [name for name in DISTANCES if name not in NEEDS_CLASS_ORDER])
@given(both=pairs(), seed=st.integers(0, 99))
def test_renaming_classes_changes_nothing(name, both, seed):
    p, q = both
    order = np.random.default_rng(seed).permutation(p.shape[1])
    np.testing.assert_allclose(DISTANCES[name](p[:, order], q[:, order]), DISTANCES[name](p, q), atol=1e-12)


@pytest.mark.parametrize("name", DISTANCES)
@given(both=pairs(), seed=st.integers(0, 99))
def test_items_are_scored_one_by_one(name, both, seed):
    p, q = both
    order = np.random.default_rng(seed).permutation(len(p))
    np.testing.assert_array_equal(DISTANCES[name](p[order], q[order]), DISTANCES[name](p, q)[order])


@pytest.mark.parametrize("name", DISTANCES)
@settings(max_examples=50)
@given(both=pairs())
def test_agrees_with_a_slow_road_row_by_row(name, both):
    p, q = both
    with np.errstate(all="ignore"):  # scipy's own warnings at zeros
        expected = [SLOW[name](*rows) for rows in zip(p, q, strict=True)]
    np.testing.assert_allclose(DISTANCES[name](p, q), expected, atol=1e-7)


@pytest.mark.parametrize("name", DISTANCES)
def test_reaches_its_largest_value(name):
    one, other = np.eye(4)[[0]], np.eye(4)[[3]]
    if name == "wasserstein_of_values":
        other = np.full((1, 4), 0.25)
    assert DISTANCES[name](one, other) == pytest.approx(LARGEST[name](4))


@pytest.mark.parametrize("name", DISTANCES)
def test_the_smallest_floats_matter_only_to_kl(name):
    tiny = np.nextafter(0, 1)
    p, q = np.array([[1.0, 0.0, tiny]]), np.array([[1.0, tiny, 0.0]])
    apart = DISTANCES[name](p, q)
    assert np.isinf(apart).all() if name == "kl" else apart == pytest.approx(0, abs=1e-300)


def test_kl_is_infinite_only_where_mass_is_missing():
    people, model = np.array([[0.5, 0.5], [1.0, 0.0]]), np.array([[1.0, 0.0], [0.5, 0.5]])
    assert kl(people, model).tolist() == [np.inf, pytest.approx(np.log(2))]


def test_wasserstein_counts_steps_between_ordered_classes():
    never, rarely, always = np.eye(5)[[0]], np.eye(5)[[1]], np.eye(5)[[4]]
    assert DISTANCES["wasserstein"](never, rarely) == 1 and DISTANCES["wasserstein"](never, always) == 4
    assert DISTANCES["total_variation"](never, rarely) == DISTANCES["total_variation"](never, always)


def test_wasserstein_of_values_does_not_see_which_class():
    assert wasserstein_of_values(np.eye(3)[[0]], np.eye(3)[[2]]) == 0


@given(both=pairs())
def test_entropy_agrees_with_scipy_and_is_between_certainty_and_uniform(both):
    p = both[0]
    k = p.shape[1]
    np.testing.assert_allclose(entropy(p), stats.entropy(p, axis=1), atol=1e-12)
    assert (entropy(p) >= 0).all() and (entropy(p) <= np.log(k) + 1e-12).all()
    np.testing.assert_allclose(normalised_entropy(p) * np.log(k), entropy(p), atol=1e-12)
    assert entropy(np.eye(k)).tolist() == [0.0] * k


def test_normalised_entropy_is_one_for_uniform_and_zero_for_a_single_class():
    assert normalised_entropy(np.full((1, 7), 1 / 7)) == pytest.approx(1)
    assert normalised_entropy(np.ones((2, 1))).tolist() == [0.0, 0.0]


def test_cifar10h_disagreement(data_folder):
    """cifar10h-probs.npy: normalised entropy 0.067 on average, standard deviation 0.102."""
    spread = normalised_entropy(np.load(data_folder / "cifar10h" / "probs.npy"))
    assert spread.mean() == pytest.approx(0.067, abs=5e-4) and spread.std() == pytest.approx(0.102, abs=5e-4)


def test_cifar10s_is_as_near_to_cifar10h_as_published(data_folder):
    """Collins 2022, sec. 4.3: average Wasserstein distance 0.028 (T2 clamp); released labels, repeats left out."""
    table = pq.read_table(data_folder / "cifar10s" / "elicitations.parquet", columns=["image", "is_repeat", "t2clamp"])
    once = ~table["is_repeat"].to_numpy()
    images, row = np.unique(table["image"].to_numpy()[once], return_inverse=True)
    mass = np.zeros((images.size, 10))
    np.add.at(mass, row, np.array(table["t2clamp"].to_pylist())[once])
    elicited = mass / mass.sum(axis=1, keepdims=True)
    voted = np.load(data_folder / "cifar10h" / "probs.npy")[images]
    assert wasserstein_of_values(voted, elicited).mean() == pytest.approx(0.028, abs=1.5e-3)


@pytest.mark.parametrize("name", DISTANCES)
def test_refuses_rows_that_do_not_match(name):
    with refuses("p has 2 rows", "3 classes", "q has 1 rows"):
        DISTANCES[name](np.full((2, 3), 1 / 3), np.full((1, 3), 1 / 3))
    with refuses("q has shape (3,)", "(n, k)", "q[None, :]"):
        DISTANCES[name](np.full((1, 3), 1 / 3), np.full(3, 1 / 3))


def test_entropy_refuses_a_single_row():
    with refuses("p has shape (3,)", "(n, k)", "p[None, :]"):
        normalised_entropy(np.full(3, 1 / 3))
