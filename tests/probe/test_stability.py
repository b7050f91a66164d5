"""Stability of maps across seeds: correlations over pairs, and the images that have none."""

import json
from itertools import combinations

import numpy as np
import pytest

from dissensus.evaluate.slices import high_disagreement
from dissensus.probe import saliency_stability, stability_by_disagreement
from tests.facts import refuses, states


def maps(seeds=4, n=7, side=5, noise=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, side, side)) + noise * rng.normal(size=(seeds, n, side, side))


def people(n, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(3), size=n)


def test_it_is_the_mean_correlation_over_pairs_of_seeds():
    stack = maps()
    slow = [
        np.mean([np.corrcoef(a[i].ravel(), b[i].ravel())[0, 1] for a, b in combinations(stack, 2)]) for i in range(7)
    ]
    assert np.allclose(saliency_stability(stack), slow, atol=1e-13)
    assert np.allclose(saliency_stability(list(1e200 * stack - 1e199)), slow, atol=1e-12)


def test_maps_that_differ_by_brightness_and_contrast_alone_are_stable():
    base = maps(seeds=2, noise=0)[0]
    assert np.allclose(saliency_stability([base, 3 * base + 8, 0.1 * base - 1]), 1)
    assert np.allclose(saliency_stability([base, -base]), -1)


def test_a_map_that_is_the_same_everywhere_has_no_stability_and_is_counted():
    stack, shares = maps(n=40), people(40)
    disputed = np.flatnonzero(high_disagreement(shares, 0.25).code)
    plain = saliency_stability(stack)
    stack[1, disputed[0]], stack[:, disputed[0] - 1] = 0.1, 1 / 3
    values = saliency_stability(stack)
    gone = [disputed[0] - 1, disputed[0]]
    assert np.isnan(values[gone]).all() and np.array_equal(np.delete(values, gone), np.delete(plain, gone))
    report = stability_by_disagreement(stack, shares, share=0.25)
    assert report.overall == pytest.approx(np.nanmean(values))
    assert report.on_disputed == pytest.approx(np.nanmean(values[disputed]))
    without = int(np.isin(gone, disputed).sum())
    assert json.loads(json.dumps(report.as_json(), allow_nan=False)) == {
        "seeds": 4,
        "overall": {"mean": report.overall, "images": 40, "without a value": 2},
        "most disputed": {"mean": report.on_disputed, "images": 10, "without a value": without},
    }
    assert states(str(report), f"{report.overall:.3f}", "40 images", "2 of them", f"{report.on_disputed:.3f}")
    assert states(repr(report), "SaliencyStability", "values=40", "disputed=40", "seeds=4")


def test_where_no_map_varies_there_is_no_mean():
    report = stability_by_disagreement(np.zeros((2, 10, 3, 3)), people(10))
    assert np.isnan(report.overall) and report.as_json()["overall"]["mean"] is None
    assert states(str(report), "nan overall", "10 images", "10 of them")


def test_maps_that_cannot_be_compared_are_refused():
    stack = maps()
    with refuses("(1, 7, 5, 5)", "(seeds, n, h, w)", "2 seeds or more"):
        saliency_stability(stack[:1])
    with refuses("(4, 7, 1, 1)", "(seeds, n, h, w)", "2 pixels or more", "larger maps"):
        saliency_stability(stack[:, :, :1, :1])
    with refuses("[(7, 5, 5), (6, 5, 5)]", "(n, h, w)"):
        saliency_stability([stack[0], stack[1][:6]])
    with refuses("7 images", "p_people", "(6, 3)", "(7, k)"):
        stability_by_disagreement(stack, people(6))
    stack[2, 3, 0, 0] = np.nan
    with refuses("image 3", "seed 2", "not finite", "1 of 28 maps"):
        saliency_stability(stack)
