"""Labels made from labels: what each transform keeps, what it changes, what it refuses."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import entropy, total_variation
from dissensus.labels.distributions import Distributions
from dissensus.labels.informative_classes import (
    class_information,
    top_classes,
)
from dissensus.labels.sampling import evenly_spaced, resample, spread_over_entropy, subsample
from dissensus.labels.transforms import (
    TRANSFORMS,
    class_means,
    infill,
    one_hot,
    random_labels,
    shuffle,
    smooth,
    sparsify,
    temper,
    uniform_labels,
)
from dissensus.labels.votes import Votes
from tests.facts import refuses

SETTINGS = {
    "smoothed": {"amount": 0.1},
    "tempered": {"temperature": 2.0},
    "sparsest": {"k_hat": 1},
    "shuffled": {},
    "random_labels": {},
    "uniform_labels": {},
    "resampled": {"m": 5},
}
RANDOM = {"shuffled", "random_labels", "resampled"}


@st.composite
def distributions(draw):
    """Shares of few votes, so that zeros, ties and certain rows are common; the number of votes is carried."""
    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    counts = draw(arrays(np.int64, (n, k), elements=st.integers(0, 3)))
    counts[:, -1] += counts.sum(axis=1) == 0
    return Distributions.from_counts(counts, items=[f"item {i}" for i in range(n)])


def applied(name, d, seed=0):
    randomness = {"rng": np.random.default_rng(seed)} if name in RANDOM else {}
    return TRANSFORMS[name](d, **SETTINGS[name], **randomness)


@pytest.mark.parametrize("name", TRANSFORMS)
@given(d=distributions())
def test_keeps_names_leaves_its_argument_and_repeats_by_seed(name, d):
    before = d.probs.copy()
    result = applied(name, d)
    assert result.items.tolist() == d.items.tolist() and result.classes == d.classes
    assert np.array_equal(d.probs, before) and not np.shares_memory(result.probs, d.probs)
    assert result == applied(name, d)
    if result.votes is not None:
        assert result.counts().sum(axis=1).tolist() == result.votes.tolist()


@given(distributions(), st.floats(0, 1))
def test_smoothing_moves_every_row_towards_uniform(d, amount):
    result = smooth(d, amount)
    assert result.votes is None and result.probs.min() >= amount / d.n_classes - 1e-12
    to_uniform = total_variation(d.probs, uniform_labels(d).probs)
    np.testing.assert_allclose(
        total_variation(result.probs, uniform_labels(d).probs), (1 - amount) * to_uniform, atol=1e-12
    )


@given(distributions(), st.floats(0.05, 20), st.floats(0.05, 20))
def test_temperatures_multiply_and_one_changes_nothing(d, first, second):
    np.testing.assert_allclose(temper(d, 1).probs, d.probs, atol=1e-12)
    both = temper(temper(d, first), second)
    np.testing.assert_allclose(both.probs, temper(d, first * second).probs, atol=1e-7)


@given(distributions(), st.floats(0.01, 100), st.floats(0.01, 100))
def test_a_higher_temperature_never_makes_a_row_more_certain(d, one, other):
    cool, warm = sorted((one, other))
    assert (entropy(temper(d, cool).probs) <= entropy(temper(d, warm).probs) + 1e-9).all()


def test_tempering_has_sensible_limits_at_zeros_and_ties():
    d = Distributions(np.array([[0.6, 0.4, 0.0], [0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), np.arange(3), ("a", "b", "c"))
    sharp, flat = [[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]], [[0.5, 0.5, 0], [0.5, 0.5, 0], [1, 0, 0]]
    for cold in (0, 1e-300, 1e-3):
        np.testing.assert_allclose(temper(d, cold).probs, sharp, atol=1e-100)
    for hot in (np.inf, 1e300):
        np.testing.assert_allclose(temper(d, hot).probs, flat)
    np.testing.assert_allclose(temper(d, 0.5).probs[0], [0.36 / 0.52, 0.16 / 0.52, 0])


@given(distributions(), st.data())
def test_sparsest_keeps_the_largest_and_their_ratios(d, data):
    k_hat = data.draw(st.integers(1, d.n_classes))
    result = sparsify(d, k_hat)
    for row, kept in zip(d.probs, result.probs, strict=True):
        chosen = sorted(range(d.n_classes), key=lambda c: (-row[c], c))[:k_hat]
        expected = [row[c] / sum(row[chosen]) if c in chosen else 0 for c in range(d.n_classes)]
        np.testing.assert_allclose(kept, expected, atol=1e-12)


def slow_information(column, alike, bins):
    """The mutual information of one class from dictionaries, pair by pair."""
    n = len(column)

    def binned(values):
        middle = [sum(w < v for w in values) + sum(w == v for w in values) / 2 for v in values]
        return [int(rank / len(values) * bins) for rank in middle]

    pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
    of_item, of_pair = binned(column), binned([alike[i][j] for i, j in pairs])
    seen = [(tuple(sorted((of_item[i], of_item[j]))), of_pair[at]) for at, (i, j) in enumerate(pairs)]

    def share(value, of):
        return sum(v == value for v in of) / len(of)

    ones, twos = [a for a, _ in seen], [b for _, b in seen]
    return sum(share(s, seen) * np.log(share(s, seen) / share(s[0], ones) / share(s[1], twos)) for s in set(seen))


def two_informative_classes(n, rng):
    """Similarity follows classes 0 and 3; class 1 is rare noise, class 4 much noise, and class 2 the remainder."""
    told = rng.random((n, 2))
    rare = np.where(rng.random(n) < 0.8, 0.0, rng.random(n))
    mass = np.stack([told[:, 0], rare, np.zeros(n), told[:, 1], 5 * rng.random(n)], axis=1) / 8
    mass[:, 2] = 1 - mass.sum(axis=1)
    return Distributions(mass, np.arange(n), ("one", "rare", "rest", "other", "noise")), told @ told.T


def test_class_information_agrees_with_a_slow_loop():
    d, alike = two_informative_classes(20, np.random.default_rng(0))
    expected = [slow_information(column, alike, bins=3) for column in d.probs.T]
    np.testing.assert_allclose(class_information(d, alike), expected, atol=1e-12)


def test_class_information_uses_only_the_order_of_similarities_and_not_the_diagonal():
    d, alike = two_informative_classes(30, np.random.default_rng(1))
    stretched = np.exp(3 * alike)
    np.fill_diagonal(stretched, np.nan)
    np.testing.assert_allclose(class_information(d, stretched), class_information(d, alike))


def test_top_classes_finds_the_classes_behind_the_similarity():
    d, alike = two_informative_classes(1000, np.random.default_rng(2))
    kept = top_classes(d, 2, alike)
    assert np.flatnonzero(kept.probs.any(axis=0)).tolist() == [0, 3] and kept.classes == d.classes
    np.testing.assert_allclose(kept.probs[:, 0] * d.probs[:, 3], kept.probs[:, 3] * d.probs[:, 0])
    assert class_information(d, alike)[1] < 0.01 < class_information(d, alike)[[0, 3]].min()


def test_rows_without_mass_on_the_kept_classes_become_uniform_over_them():
    d = Distributions(np.array([[1.0, 0, 0], [0.8, 0, 0.2], [0, 0, 1.0], [0, 1.0, 0]]), np.arange(4), ("a", "b", "c"))
    alike = -np.abs(d.probs[:, [0]] - d.probs[:, 0]) - np.abs(d.probs[:, [2]] - d.probs[:, 2])
    result = top_classes(d, 2, alike)
    kept = np.flatnonzero(result.probs.any(axis=0))
    assert kept.size == 2
    lost = d.probs[:, kept].sum(axis=1) == 0
    assert lost.any() and (result.probs[np.ix_(lost, kept)] == 0.5).all()


@given(distributions(), st.integers(0, 99))
def test_class_means_replace_each_row_by_that_of_its_class(d, seed):
    gold = np.random.default_rng(seed).integers(d.n_classes, size=d.n_items)
    result = class_means(d, gold)
    for row, code in enumerate(gold):
        np.testing.assert_allclose(result.probs[row], d.probs[gold == code].mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(result.probs.mean(axis=0), d.probs.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(class_means(result, gold).probs, result.probs, atol=1e-12)


def test_cifar10h_class_means_confuse_cats_with_dogs(data_folder):
    """cifar10h-counts.npy: ten distinct rows, as many as Peterson 2019, sec. 6.2, speaks of."""
    d = Distributions.from_counts(np.load(data_folder / "cifar10h" / "counts.npy"))
    gold = d.probs.argmax(axis=1)
    means = class_means(d, gold)
    assert len(np.unique(means.probs, axis=0)) == 10 and (means.probs.argmax(axis=1) == gold).all()
    cat = means.probs[gold == 3][0]
    assert np.argsort(-cat)[:2].tolist() == [3, 5]
    assert entropy(means.probs).mean() > entropy(d.probs).mean()


def test_infilled_takes_the_frame_of_the_other_set_and_keeps_its_own_rows():
    hard = one_hot(np.array([0, 1, 1]), ["x", "y", "z"], ("cat", "dog"))
    soft = Distributions(np.array([[0.3, 0.7], [0.9, 0.1]]), ["z", "x"], ("dog", "cat"))
    result = infill(soft, hard)
    assert result.items.tolist() == ["x", "y", "z"] and result.classes == ("cat", "dog") and result.votes is None
    assert result.probs.tolist() == [[0.1, 0.9], [0, 1], [0.7, 0.3]]
    assert hard.probs.tolist() == [[1, 0], [0, 1], [0, 1]]


def test_infilled_keeps_the_votes_of_both_where_both_have_them():
    few = Distributions.from_counts([[1, 1]], items=[7])
    many = Distributions.from_counts([[3, 0], [0, 4]], items=["6", "7"])
    result = infill(few, many)
    assert result.votes.tolist() == [3, 2] and result.counts().tolist() == [[3, 0], [1, 1]]


def test_infilled_refuses_other_classes_and_unknown_items():
    one, two = one_hot(np.array([0]), ["x"], ("cat", "dog")), one_hot(np.array([0]), ["x"], ("cat", "cow"))
    with refuses("classes", ["cat", "dog"], "from ['cat', 'cow']", "same names"):
        infill(one, two)
    with refuses("item y", "not among", "1 items", "1 of 2"):
        infill(one_hot(np.array([0, 0]), ["x", "y"], ("cat", "dog")), one)


@given(distributions(), st.integers(0, 99))
def test_shuffling_keeps_the_rows_and_the_votes_behind_them(d, seed):
    result = shuffle(d, np.random.default_rng(seed))
    assert sorted(result.counts().tolist()) == sorted(d.counts().tolist())


@given(distributions(), st.integers(0, 99))
def test_shuffling_within_classes_keeps_the_rows_of_every_class(d, seed):
    rng = np.random.default_rng(seed)
    gold = rng.integers(d.n_classes, size=d.n_items)
    result = shuffle(d, rng, gold=gold)
    for code in set(gold.tolist()):
        assert sorted(result.counts()[gold == code].tolist()) == sorted(d.counts()[gold == code].tolist())


def test_shuffling_deals_every_row_to_every_item_equally_often():
    d, rng = Distributions.from_counts(np.diag([1, 1, 1, 1])), np.random.default_rng(0)
    gold = np.array([2, 0, 2, 0])
    within = sum(shuffle(d, rng, gold=gold).probs for _ in range(2000)) / 2000
    across = sum(shuffle(d, rng).probs for _ in range(2000)) / 2000
    np.testing.assert_allclose(within, (gold[:, None] == gold) / 2, atol=0.06)
    np.testing.assert_allclose(across, 1 / 4, atol=0.06)


def test_control_labels_carry_no_information_about_the_item():
    d = one_hot(np.zeros(20_000, dtype=int), np.arange(20_000), ("a", "b", "c"))
    assert (uniform_labels(d).probs == 1 / 3).all()
    drawn = random_labels(d, np.random.default_rng(0)).probs
    np.testing.assert_allclose(drawn.mean(axis=0), 1 / 3, atol=0.01)
    assert drawn[:, 0].var() == pytest.approx(1 / 18, rel=0.05)  # Dirichlet(1, 1, 1)


def uneven_votes(rng, n=200):
    per_item = rng.integers(3, 9, size=n)
    item = rng.permutation(np.repeat(np.arange(n), per_item))
    return Votes(
        item=item,
        items=np.arange(n),
        choice=rng.integers(4, size=item.size),
        classes=tuple("abcd"),
        seconds=np.arange(item.size, dtype=float),
        extra=pa.table({"row": np.arange(item.size)}),
    )


def test_subsampling_draws_real_votes_without_replacement():
    votes = uneven_votes(np.random.default_rng(0))
    few = subsample(votes, 3, np.random.default_rng(1))
    assert (few.per_item == 3).all() and (few.counts() <= votes.counts()).all()
    rows = few.column("row")
    assert (np.diff(rows) > 0).all() and few == votes.select(answers=rows)
    assert few == subsample(votes, 3, np.random.default_rng(1))
    assert subsample(Beliefs.of_votes(votes), 3, np.random.default_rng(1)) == Beliefs.of_votes(few)


def test_subsampling_treats_every_vote_alike():
    votes, rng = Votes.of(["x"] * 5 + ["y"] * 3, list("aabbbccc")), np.random.default_rng(0)
    counts = sum(subsample(votes, 2, rng).counts() for _ in range(3000)) / 3000
    np.testing.assert_allclose(counts, [[2 * 2 / 5, 2 * 3 / 5, 0], [0, 0, 2]], atol=0.05)


def test_subsampling_names_the_item_with_too_few_votes_or_keeps_it():
    votes = Votes.of(["x", "x", "y"], ["cat", "dog", "dog"])
    with refuses("item y", "1 votes", "2 per item", "1 of 2", ways={"short": "keep"}):
        subsample(votes, 2, np.random.default_rng(0))
    assert subsample(votes, 2, np.random.default_rng(0), short="keep") == votes


def test_subsampling_half_a_million_real_votes_leaves_ten_each(data_folder):
    """cifar10h annotator votes: 50 for each of 10,000 images."""
    table = pq.read_table(data_folder / "cifar10h" / "annotator_votes.parquet", columns=["image", "choice"])
    image, choice = table["image"].to_numpy(), table["choice"].to_numpy()
    votes = Votes(item=image, items=np.arange(10_000), choice=choice, classes=tuple("0123456789"))
    few = subsample(votes, 10, np.random.default_rng(0))
    assert (few.per_item == 10).all() and (few.counts() <= votes.counts()).all()


@given(distributions(), st.integers(1, 50), st.integers(0, 99))
def test_resampling_gives_shares_of_m_votes_on_classes_that_had_mass(d, m, seed):
    result = resample(d, m, np.random.default_rng(seed))
    assert (result.counts().sum(axis=1) == m).all() and (result.votes == m).all()
    assert (result.probs[d.probs == 0] == 0).all()


def test_resampling_has_the_mean_and_variance_of_a_multinomial():
    p = np.array([0.7, 0.2, 0.1], dtype=np.float32)  # sums to 1 only within float32
    d = Distributions(np.tile(p, (40_000, 1)), np.arange(40_000), ("a", "b", "c"))
    drawn = resample(d, 5, np.random.default_rng(0)).probs
    np.testing.assert_allclose(drawn.mean(axis=0), p, atol=0.005)
    np.testing.assert_allclose(drawn.var(axis=0), p * (1 - p) / 5, rtol=0.05)


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (lambda d: smooth(d, 1.5), ["smoothing amount", 1.5, "0 (unchanged) to 1"]),
        (lambda d: temper(d, -1), ["temperature is -1", "0 or more", "1 changes nothing"]),
        (lambda d: temper(d, float("nan")), ["temperature is nan", "0 or more"]),
        (lambda d: sparsify(d, 0), ["0 classes", "of 2", "k_hat from 1 to 2"]),
        (lambda d: top_classes(d, 3, np.eye(2)), ["3 classes", "of 2", "k_hat from 1 to 2"]),
        (lambda d: resample(d, 0, np.random.default_rng(0)), ["0 answers", "per item", "1 or more"]),
        (lambda d: class_means(d, np.array([0, 2])), ["item y", "gold class 2", "2 classes, 0..1", "1 of 2"]),
        (lambda d: class_means(d, np.array([0.0, 1.0])), ["gold", "float64", "(2,)", "integer", "2 items"]),
        (lambda d: shuffle(d, np.random.default_rng(0), gold=np.array([0])), ["gold", "int64", "(1,)", "2 items"]),
        (lambda d: one_hot(np.array([-1]), ["x"], ("cat",)), ["item x", "gold class -1", "1 classes, 0..0"]),
        (lambda d: class_information(d, np.eye(3)), ["similarity matrix", "(3, 3)", "2 items", "one row"]),
        (
            lambda d: class_information(d, np.array([[1, 0.5], [0.25, 1]])),
            ["row 0, column 1", "has 0.5", "row 1, column 0 0.25", "equal", "1 of 1"],
        ),
        (lambda d: class_information(d, np.full((2, 2), np.nan)), ["row 0, column 1", "has nan", "missing"]),
    ],
)
def test_refusals_name_the_value_and_the_way_out(call, facts):
    with refuses(*facts):
        call(one_hot(np.array([0, 1]), ["x", "y"], ("cat", "dog")))


def test_cifar10h_hard_takes_images_from_all_levels_of_disagreement(data_folder):
    """Singh 2025, sec. 3: 10 entropy bins, at most 200 each, 1,103 images; their edges give the reading here 1,104."""
    counts = np.load(data_folder / "cifar10h" / "counts.npy")
    d = Distributions.from_counts(counts)
    chosen = spread_over_entropy(d, np.random.default_rng(0))
    assert chosen.size == 1104 and np.unique(chosen).size == 1104
    assert np.bincount(np.minimum((entropy(d.probs[chosen]) / entropy(d.probs).max() * 10).astype(int), 9)).max() == 200


def test_spread_over_entropy_keeps_small_bins_whole():
    d = Distributions.from_counts([[4, 0]] * 50 + [[3, 1]] * 3 + [[2, 2]] * 2)
    chosen = spread_over_entropy(d, np.random.default_rng(0), bins=10, at_most=5)
    assert chosen.size == 5 + 3 + 2 and set(range(50, 55)) <= set(chosen.tolist())
    with refuses("0 bins", "at most 5", "1 or more"):
        spread_over_entropy(d, np.random.default_rng(0), bins=0, at_most=5)


@given(st.integers(0, 500), st.integers(1, 500))
def test_evenly_spaced_positions_are_distinct_and_reach_both_ends(n, count):
    rows = evenly_spaced(n, count)
    assert rows.size == min(n, count) and (np.diff(rows) > 0).all()
    if rows.size > 1:
        assert rows[0] == 0 and rows[-1] == n - 1 and np.ptp(np.diff(rows)) <= 1
    assert evenly_spaced(n, None).tolist() == list(range(n))
