"""Cosines of features against how alike people find items: by loops, whatever form the judgments have."""

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import pearsonr, spearmanr

from dissensus.probe import similarity_to_people
from tests.facts import refuses


def world(n, rng, noise=0.5):
    """Items in a space; features and people see it, each in their way, people by marks from -5 to 5."""
    places = rng.normal(size=(n, 3)) + 0.5
    features = np.maximum(places @ np.random.default_rng(1).normal(size=(3, 12)) + rng.normal(size=(n, 12)) / 2, 0)
    features[:, 0] += 0.1
    wobble = np.triu(rng.normal(size=(n, n)), 1)
    seen = 1 - squareform(pdist(places, "cosine")) + noise * (wobble + wobble.T)
    return features, np.round(5 * np.clip(seen, -1, 1))


def test_it_is_the_correlation_over_pairs_of_cosine_and_judgment():
    features, judged = world(20, np.random.default_rng(0))
    upper = np.triu_indices(20, 1)
    cosines = 1 - pdist(features, "cosine")
    ours = similarity_to_people(features, judged)
    assert ours.pearson.value == pytest.approx(pearsonr(cosines, judged[upper])[0], abs=1e-12)
    assert ours.spearman.value == pytest.approx(spearmanr(cosines, judged[upper])[0], abs=1e-12)
    assert (ours.pairs, ours.items) == (190, 20)
    assert similarity_to_people(features, -judged).spearman.value == pytest.approx(-ours.spearman.value)


def test_matrix_halves_and_lists_of_pairs_say_the_same_and_each_pair_counts_once():
    features, judged = world(12, np.random.default_rng(0))
    whole = similarity_to_people(features, judged)
    half = np.where(np.triu(np.ones((12, 12)), 1) > 0, judged, np.nan)
    pairs = np.array(list(combinations(range(12), 2)))
    values = judged[pairs[:, 0], pairs[:, 1]]
    backwards, twice = pairs[:, ::-1], np.concatenate([pairs, pairs[:, ::-1]])
    again = np.concatenate([values - 1, values + 1])
    for other in (
        similarity_to_people(features, half),
        similarity_to_people(features, values, pairs=backwards),
        similarity_to_people(features, again, pairs=twice),
        similarity_to_people(1e-200 * features, judged),
    ):
        assert (other.pairs, other.items) == (66, 12)
        for ours, theirs in ((whole.spearman, other.spearman), (whole.pearson, other.pearson)):
            assert np.allclose([ours.value, ours.low, ours.high], [theirs.value, theirs.low, theirs.high], atol=1e-9)


def test_pairs_nobody_was_asked_about_and_items_in_none_are_left_out():
    features, judged = world(15, np.random.default_rng(0))
    features[14] = 0  # in no pair
    judged[14] = judged[:, 14] = np.nan
    judged[0, 1] = judged[1, 0] = np.nan
    ours = similarity_to_people(features, judged)
    assert (ours.pairs, ours.items) == (90, 14)
    pairs = np.argwhere(np.triu(~np.isnan(judged), 1))
    assert ours.spearman.value == pytest.approx(
        similarity_to_people(features, judged[tuple(pairs.T)], pairs=pairs).spearman.value
    )


def test_95_percent_intervals_hold_the_correlation_of_many_items_at_least_so_often():
    rng = np.random.default_rng(0)
    features, judged = world(1500, rng)
    many = spearmanr(1 - pdist(features, "cosine"), judged[np.triu_indices(1500, 1)])[0]
    intervals = [similarity_to_people(*world(25, rng)).spearman for _ in range(100)]
    held = sum(interval.low < many < interval.high for interval in intervals)
    assert held >= 92
    spread = np.std([interval.value for interval in intervals])
    assert 0.9 < np.mean([interval.sd for interval in intervals]) / spread < 1.6


def test_more_than_a_hundred_items_are_left_out_in_groups():
    rng = np.random.default_rng(0)
    wide, narrow = (similarity_to_people(*world(n, rng)).spearman for n in (40, 160))
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low) > 0


def test_few_items_have_no_interval():
    features, judged = world(6, np.random.default_rng(0))
    ours = similarity_to_people(features, judged)
    assert np.isnan([ours.spearman.low, ours.pearson.high]).all() and not np.isnan(ours.spearman.value)
    assert json.loads(json.dumps(ours.as_json(), allow_nan=False))["pairs"] == 15
    assert str(similarity_to_people(*world(12, np.random.default_rng(0)))).endswith("66 pairs of 12 items")


def test_people_who_judge_as_the_model_does_give_1():
    features, _ = world(12, np.random.default_rng(0))
    ours = similarity_to_people(features, 1 - squareform(pdist(features, "cosine")))
    assert ours.spearman.value == ours.pearson.value == pytest.approx(1) and np.isnan(ours.spearman.low)


def test_what_cannot_be_compared_is_refused():
    features, judged = world(8, np.random.default_rng(0))
    zero, broken = features.copy(), features.copy()
    zero[[2, 5]], broken[3, 0] = 0, np.nan
    with refuses("row 2", "all 0", "2 of the 8"):
        similarity_to_people(zero, judged)
    with refuses("row 3", "nan in column 0", "1 of 8 rows"):
        similarity_to_people(broken, judged)
    with refuses("judgments", "(3, 3)", "expected (8, 8)", "pairs="):
        similarity_to_people(features, judged[:3, :3])
    with refuses("28 pairs", "[1.0, 1.0, 1.0]", "3 or more"):
        similarity_to_people(features, np.ones((8, 8)))
    with refuses("0 pairs", "[]", "3 or more"):
        similarity_to_people(features, np.full((8, 8), np.nan))
    with refuses("pair 1", "[3, 3]", "0 to 7", "2 of 3 pairs"):
        similarity_to_people(features, [1.0, 2.0, 3.0], pairs=[[0, 1], [3, 3], [1, 8]])
    with refuses("pairs", "(1, 3)", "judgments (1,)", "(m, 2)"):
        similarity_to_people(features, [1.0], pairs=[[0, 1, 2]])
    with refuses("pairs", "float64", "whole numbers"):
        similarity_to_people(features, [1.0], pairs=[[0.0, 1.0]])
    judged[0, 4] = np.inf
    with refuses("items 0 and 4", "judged inf", "finite", "1 of 56"):
        similarity_to_people(features, judged)
