"""Resampling against closed forms, and its coverage on data whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from dissensus.evaluate.bootstrap import item_weights, over_items, pivotal
from dissensus.evaluate.drawn_correlations import correlation, rank_correlation
from dissensus.evaluate.over_people import over_annotators
from dissensus.evaluate.over_runs import over_seeds
from dissensus.labels.distances import jensen_shannon, kl
from dissensus.labels.votes import Votes
from tests.facts import refuses


def test_an_interval_of_a_mean_is_the_normal_one_for_many_items():
    values = np.random.default_rng(0).exponential(1, 2000)
    found = over_items({"mean": values}, np.random.default_rng(1), replicates=4000)["mean"]
    error = values.std() / np.sqrt(values.size)
    assert found.value == pytest.approx(values.mean())
    assert found.sd == pytest.approx(error, rel=0.05)
    assert found.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert found.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    """Mean and correlation of 60 pairs with correlation 0.5, 300 times at 90 %; three standard errors are 5 points."""
    rng = np.random.default_rng(2)
    hits = np.zeros(2)
    for _ in range(300):
        x, y = rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 60).T
        found = over_items({"mean": x}, rng, measures={"r": correlation(x, y)}, replicates=300, coverage=0.9)
        hits += [found["mean"].low <= 0 <= found["mean"].high, found["r"].low <= 0.5 <= found["r"].high]
    assert (hits / 300 > 0.83).all() and (hits / 300 < 0.96).all()


def test_clusters_widen_the_interval_as_the_closed_form_says():
    """40 clusters of 25 equal values: the error is that of 40 values, five times that of 1000 alone."""
    clusters = np.repeat(np.arange(40), 25)
    values = np.random.default_rng(3).normal(size=40)[clusters]
    together = over_items({"v": values}, np.random.default_rng(4), clusters=clusters, replicates=4000)["v"]
    alone = over_items({"v": values}, np.random.default_rng(4), replicates=4000)["v"]
    assert together.sd == pytest.approx(values.std() / np.sqrt(40), rel=0.06)
    assert together.sd / alone.sd == pytest.approx(5, rel=0.1)


def test_clusters_of_one_item_each_are_items():
    values = np.random.default_rng(3).normal(size=30)
    by_name = over_items({"v": values}, np.random.default_rng(4), clusters=np.arange(30), replicates=20_000)["v"]
    alone = over_items({"v": values}, np.random.default_rng(5), replicates=20_000)["v"]
    assert by_name.value == alone.value and by_name.sd == pytest.approx(alone.sd, rel=0.03)


def test_a_paired_difference_is_narrower_than_two_intervals_apart():
    """Two models that fail on the same items: the noise they share cancels."""
    rng = np.random.default_rng(5)
    hard = rng.exponential(1, 500)
    a, b = hard + rng.normal(0, 0.05, 500), hard + 0.05 + rng.normal(0, 0.05, 500)
    found = over_items({"a": a, "b": b, "a - b": a - b}, rng)
    assert found["a - b"].high < 0 and found["a"].high > found["b"].low


def test_a_correlation_of_weights_is_the_correlation_of_the_repeated_items():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 50)) * 1e-6
    for weights in item_weights(50, 3, rng):
        for drawn, found in zip(weights, correlation(x, y)(weights), strict=True):
            picked = np.repeat(np.arange(50), drawn.astype(int))
            assert found == pytest.approx(scipy.stats.pearsonr(x[picked], y[picked]).statistic)
    assert np.isnan(correlation(np.full(50, 0.3), y)(np.ones((1, 50)))[0])


def test_ranks_are_those_among_the_items_drawn():
    rng = np.random.default_rng(6)
    x = rng.integers(0, 9, 60)  # many equal ones
    y = x + rng.normal(size=60)
    for weights in item_weights(60, 5, rng):
        for drawn, value in zip(weights, rank_correlation(x, y)(weights), strict=True):
            picked = np.repeat(np.arange(60), drawn.astype(int))
            assert value == pytest.approx(scipy.stats.spearmanr(x[picked], y[picked]).statistic)
    assert np.isnan(rank_correlation(np.full(60, 3.0), y)(np.ones((1, 60)))[0])


def test_rank_correlations_near_one_have_intervals_that_hold_them():
    """0.9956 over 100 pairs, 150 times at 95 %: with the ranks of all items held fixed, 122 intervals held it."""
    rng = np.random.default_rng(12)
    hits = 0
    for _ in range(150):
        x = rng.normal(size=100)
        y = x + 0.09 * rng.normal(size=100)
        found = over_items({"mean": x}, rng, measures={"rho": rank_correlation(x, y)}, replicates=300)["rho"]
        hits += found.low <= 0.9956 <= found.high
    assert hits >= 135


@pytest.mark.parametrize(
    ("least", "draw", "truth"),
    [
        (138, lambda rng: rng.lognormal(0, 1, 30), np.exp(0.5)),
        (136, lambda rng: rng.exponential(1, 20), 1.0),
    ],
)
def test_means_of_a_few_skewed_losses_are_held(least, draw, truth):
    """150 intervals called 95 %; of percentiles of the resampled means 135 and 134 hold it."""
    rng = np.random.default_rng(1)
    found = [over_items({"loss": draw(rng)}, rng, replicates=300)["loss"] for _ in range(150)]
    assert sum(one.low <= truth <= one.high for one in found) >= least


@pytest.mark.parametrize("sizes", [(4, 4), (2, 12), (3, 5, 20)])
def test_a_mean_over_very_few_clusters_is_held(sizes):
    """150 intervals called 95 % over clusters that differ; by resampling alone 120, 84 and 122 hold it."""
    rng, code = np.random.default_rng(2), np.repeat(np.arange(len(sizes)), sizes)
    hits = 0
    for _ in range(150):
        values = rng.normal(size=len(sizes))[code] + rng.normal(size=code.size)
        found = over_items({"v": values}, rng, clusters=code, replicates=200)["v"]
        hits += found.low <= 0 <= found.high
    assert hits >= 137


def test_an_accuracy_of_one_leaves_room_for_errors():
    """Nothing wrong in 50 items: Wilson's interval, which scipy computes with a normal quantile in place of t's."""
    rng = np.random.default_rng(0)
    found = over_items({"accuracy": np.ones(50)}, rng, bounds={"accuracy": (0.0, 1.0)})["accuracy"]
    known = scipy.stats.binomtest(50, 50).proportion_ci(method="wilson")
    assert found.high == 1.0 and found.low == pytest.approx(known.low, abs=0.004)
    right = np.arange(50) < 41
    some = over_items({"accuracy": right.astype(float)}, rng, bounds={"accuracy": (0.0, 1.0)})["accuracy"]
    known = scipy.stats.binomtest(41, 50).proportion_ci(method="wilson")
    assert (some.low, some.high) == pytest.approx((known.low, known.high), abs=0.006)
    shifted = over_items({"gap": right * 2.0 - 1}, rng, bounds={"gap": (-1.0, 1.0)})["gap"]
    assert (shifted.low, shifted.high) == pytest.approx((2 * some.low - 1, 2 * some.high - 1))


def test_infinite_and_missing_values_are_told_as_they_are():
    rng = np.random.default_rng(7)
    found = over_items({"inf": np.array([1.0, np.inf, 2.0]), "gap": np.array([1.0, np.nan, 3.0])}, rng)
    assert found["inf"].value == found["inf"].high == np.inf
    assert found["gap"].value == 2.0 and found["gap"].low < 1.0 and found["gap"].high > 3.0  # of two values: wide


def test_seeds_and_items_both_count():
    """v = run effect + item effect: the variance of the mean is that of both, s_run^2/s + s_item^2/n."""
    rng = np.random.default_rng(8)
    runs, items = rng.normal(0, 1, 10), rng.normal(0, 2, 200)
    found = over_seeds(runs[:, None] + items[None, :])
    assert found.sd == pytest.approx(np.sqrt(runs.var(ddof=1) / 10 + items.var(ddof=1) / 200))


def test_with_one_source_of_chance_the_interval_over_seeds_is_students():
    """Runs alike: Student's over items. Items alike: Student's over runs, as scipy has them."""
    rng = np.random.default_rng(10)
    items, runs = rng.exponential(1, 30), rng.normal(0, 1, 4)
    for values, table in ((items, np.tile(items, (3, 1))), (runs, np.tile(runs[:, None], (1, 50)))):
        interval = over_seeds(table, coverage=0.9)
        expected = scipy.stats.t.interval(0.9, values.size - 1, values.mean(), scipy.stats.sem(values))
        assert (interval.low, interval.high) == pytest.approx(expected)


@pytest.mark.parametrize(("runs", "spread"), [(3, 0.3), (3, 0.02), (5, 0.3), (5, 0.0)])
def test_intervals_over_few_seeds_hold_the_truth(runs, spread):
    """500 studies of 100 items; three standard errors of 95 % are 3 points. Resampling 3 runs held it in 74 %."""
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(500):
        table = spread * rng.normal(size=(runs, 1)) + 0.3 * rng.normal(size=100) + 0.3 * rng.normal(size=(runs, 100))
        interval = over_seeds(table)
        held += interval.low <= 0 <= interval.high
    assert 0.92 <= held / 500 <= 0.98


def test_few_annotators_widen_the_interval_over_items():
    """Six people, each with a bias of their own, answer 300 yes-no items: the share of yes is about the people."""
    rng = np.random.default_rng(9)
    lean = rng.uniform(0.2, 0.8, 6)
    said = rng.random((300, 6)) < lean
    votes = Votes(
        item=np.repeat(np.arange(300), 6),
        items=np.arange(300),
        annotator=np.tile(np.arange(6), 300),
        annotators=np.arange(6),
        choice=said.astype(int).ravel(),
        classes=("no", "yes"),
    )
    found = over_annotators(votes, lambda used, shares: float(shares[:, 1].mean()), rng, replicates=1500)
    assert found.value == pytest.approx(said.mean())
    assert found.sd == pytest.approx(said.mean(axis=0).std(ddof=1) / np.sqrt(6))
    assert found.sd > 3 * over_items({"v": said.mean(axis=1)}, rng)["v"].sd


@pytest.fixture(scope="module")
def few_votes():
    """4 of 12 people on each of 80 items; each leans to some classes."""
    rng = np.random.default_rng(3)
    truth, leaning = rng.dirichlet([0.9, 0.5, 0.3], 80), rng.dirichlet([5.0] * 3, 12)
    who = rng.random((80, 12)).argsort(axis=1)[:, :4].ravel()
    mass = np.repeat(truth, 4, axis=0) * leaning[who]
    choice = [rng.choice(3, p=row / row.sum()) for row in mass]
    votes = Votes(
        item=np.repeat(np.arange(80), 4),
        items=np.arange(80),
        annotator=who,
        annotators=np.arange(12),
        choice=np.array(choice),
        classes=("a", "b", "c"),
    )
    return votes, 0.8 * truth + 0.2 / 3


@pytest.mark.parametrize("distance", [kl, jensen_shannon])
def test_an_interval_over_annotators_holds_its_own_value(few_votes, distance):
    """Votes that count twice raise every distance: percentiles of resampled crowds lie above the crowd's own."""
    votes, model = few_votes
    found = over_annotators(
        votes, lambda used, shares: float(distance(shares, model[used]).mean()), np.random.default_rng(0), least=0.0
    )
    assert 0 <= found.low < found.value < found.high
    shares = votes.counts() / 4
    assert found.value == pytest.approx(distance(shares, model).mean())


def test_of_as_many_groups_as_annotators_the_spread_is_that_of_leaving_each_out(few_votes):
    votes, _ = few_votes
    found = over_annotators(votes, lambda used, shares: float(shares[:, 0].mean()), np.random.default_rng(0))
    without = []
    for person in range(12):
        counts = votes.select(answers=votes.annotator != person).counts()
        without.append((counts[:, 0] / counts.sum(axis=1))[counts.sum(axis=1) > 0].mean())
    sd = np.sqrt(11 / 12 * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert found.sd == pytest.approx(sd)
    assert found.high - found.value == pytest.approx(scipy.stats.t.ppf(0.975, 11) * sd)
    grouped = over_annotators(
        votes, lambda used, shares: float(shares[:, 0].mean()), np.random.default_rng(0), replicates=6
    )
    assert 0.3 * sd < grouped.sd < 3 * sd


def test_annotators_without_votes_are_not_counted_as_people(few_votes):
    """Two people's votes, selected from those of twelve: there is one degree of freedom, not eleven."""
    votes, _ = few_votes
    two = votes.select(answers=votes.annotator < 2)
    assert two.annotators.size == 12
    found = over_annotators(two, lambda used, shares: float(shares[:, 0].mean()), np.random.default_rng(0))
    each = [two.select(answers=two.annotator == person).counts() for person in (1, 0)]
    without = [counts[counts.any(axis=1), 0].mean() for counts in each]  # nobody votes twice on an item
    assert found.sd == pytest.approx(abs(without[0] - without[1]) / 2)
    assert found.high - found.value == pytest.approx(scipy.stats.t.ppf(0.975, 1) * found.sd)
    with pytest.raises(ValueError, match=r"1 annotator;.*2 or more"):
        over_annotators(votes.select(answers=votes.annotator == 3), lambda used, shares: 0.0, np.random.default_rng(0))


def binned_error(confidence, right):
    gaps = (confidence - right)[np.argsort(confidence, kind="stable")]
    return np.abs(gaps.reshape(10, -1).sum(axis=1)).sum() / gaps.size


@pytest.mark.parametrize(("overconfidence", "least"), [(0.0, 0.75), (0.05, 0.88), (0.1, 0.88)])
def test_an_interval_of_a_calibration_error_takes_back_what_chance_adds(overconfidence, least):
    """Calibration error of 500 answers, known from how they were drawn; mirrored quantiles held 0 in 56 of 100."""
    rng = np.random.default_rng(10)
    hits = 0
    for _ in range(100):
        confidence = rng.uniform(0.5, 1, 500)
        right = rng.random(500) < confidence - overconfidence

        def error(at, confidence=confidence, right=right):
            return {"error": binned_error(confidence[at], right[at])}

        found = pivotal(error, 500, rng, replicates=150)["error"]
        hits += found.low <= overconfidence <= found.high
        assert 0 <= found.low <= found.value <= found.high
    assert hits / 100 >= least


def test_bad_input_is_refused():
    rng = np.random.default_rng(0)
    with refuses("number per item", "(n,)"):
        over_items({"a": np.ones(3), "b": np.ones(4)}, rng)
    with refuses("all 3 items", "one cluster"):
        over_items({"a": np.ones(3)}, rng, clusters=["x", "x", "x"])
    with refuses("replicates=1:", "2 or more"):
        over_items({"a": np.ones(3)}, rng, replicates=1)
    with pytest.raises(ValueError, match=r"\(seeds, items\)"):
        over_seeds(np.ones((1, 5)))
    with refuses("1 of 4 values", "not finite"):
        over_seeds(np.array([[1, 2], [3, np.inf]]))
