"""CKA: what it does not depend on, what it is for unrelated features, and that batches give the number of the whole."""

import json
from itertools import permutations

import numpy as np
import pytest
import torch
from scipy.stats import ortho_group

from dissensus.probe import cka_table, linear_cka
from dissensus.probe import representation as module
from dissensus.probe.representation import cka_of_batches
from tests.facts import refuses, states


def related(n, d, e, seed=0):
    """Features of two layers, the second partly a function of the first."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * rng.uniform(0.2, 2, d)
    return x, x @ rng.normal(size=(d, e)) + 2 * rng.normal(size=(n, e))


def hsic_over_fours(k, el):
    """Song et al. (2012), eq. 3: the mean of the kernel of the U-statistic over all i, j, q, r that differ."""
    fours = np.array(list(permutations(range(len(k)), 4)))
    i, j, q, r = fours.T
    return float((k[i, j] * (el[i, j] + el[q, r] - 2 * el[i, q])).mean())


def biased(x, y):
    x, y = x - x.mean(axis=0), y - y.mean(axis=0)
    return ((x.T @ y) ** 2).sum() / np.sqrt(((x.T @ x) ** 2).sum() * ((y.T @ y) ** 2).sum())


@pytest.mark.parametrize(("n", "d", "e"), [(4, 3, 2), (7, 2, 5), (9, 40, 3), (8, 30, 30)])
def test_it_is_the_u_statistic_over_all_fours_of_items(n, d, e):
    x, y = related(n, d, e)
    k, el = x @ x.T, y @ y.T
    slow = hsic_over_fours(k, el) / np.sqrt(hsic_over_fours(k, k) * hsic_over_fours(el, el))
    assert linear_cka(x, y) == pytest.approx(slow, abs=1e-11)


@pytest.mark.parametrize(("n", "d", "e"), [(60, 5, 8), (20, 300, 200)])
def test_rotation_scale_and_shift_change_nothing_and_the_order_of_the_two_neither(n, d, e):
    x, y = related(n, d, e)
    value = linear_cka(x, y)
    turned = 7.5 * x @ ortho_group.rvs(d, random_state=1) + np.arange(d)
    assert linear_cka(turned, y) == pytest.approx(value, abs=1e-12)
    assert linear_cka(y, x) == pytest.approx(value, abs=1e-12)
    assert linear_cka(x, x) == pytest.approx(1, abs=1e-12) == linear_cka(x, turned)
    order = np.random.default_rng(0).permutation(n)
    assert linear_cka(x[order], y[order]) == pytest.approx(value, abs=1e-12)
    assert -1 <= value <= 1


def test_features_far_from_zero_and_very_large_or_small_keep_their_digits():
    x, y = related(200, 6, 4)
    value = linear_cka(x, y)
    assert linear_cka(x + 1e6, y) == pytest.approx(value, abs=1e-9)
    assert linear_cka(1e150 * x, 1e-150 * y) == pytest.approx(value, abs=1e-12)
    single = (x + 100).astype(np.float32)
    assert linear_cka(single, y) == pytest.approx(linear_cka(single.astype(np.float64), y), abs=1e-14)
    assert linear_cka(torch.tensor(x, requires_grad=True), y) == pytest.approx(value, abs=1e-12)


def test_unrelated_features_of_few_items_give_0_where_the_biased_one_gives_a_fifth():
    rng = np.random.default_rng(0)
    draws = [(rng.normal(size=(32, 8)), rng.normal(size=(32, 8))) for _ in range(300)]
    ours, others = (np.array([measure(x, y) for x, y in draws]) for measure in (linear_cka, biased))
    assert abs(ours.mean()) < 4 * ours.std() / np.sqrt(300) and ours.min() < 0
    assert others.mean() == pytest.approx(0.2, abs=0.01)


def test_products_are_the_same_in_blocks_and_by_either_way():
    x, y = related(30, 7, 11)
    slow = ((x.T @ y) ** 2).sum()
    wide = x @ ortho_group.rvs(40, random_state=0)[:7], y @ ortho_group.rvs(500, random_state=0)[:11]
    for block in (1, 50, 10**6):
        assert module._product(x, y, block) == pytest.approx(slow, rel=1e-12)
        assert module._product(*wide, block) == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
@pytest.mark.parametrize("shift", [0, 1e4])
def test_batches_of_any_size_give_the_number_of_all_rows_together(size, shift):
    """The mean over batches is another number, and a larger one with the biased CKA."""
    x, y = related(203, 6, 9)
    x, y = x + shift, y - shift
    batches = ((x[start : start + size], y[start : start + size]) for start in range(0, len(x), size))
    assert cka_of_batches(batches) == pytest.approx(linear_cka(x, y), abs=1e-10)


def test_batches_in_sorted_order_give_it_too():
    """The first batch is then far from the others, and its mean from theirs."""
    x, y = related(200, 3, 3)
    order = np.argsort(x[:, 0])
    batches = [(x[rows], y[rows]) for rows in np.split(order, 20)]
    assert cka_of_batches(batches) == pytest.approx(linear_cka(x, y), abs=1e-12)
    assert cka_of_batches([(x[:0], y[:0]), *batches]) == pytest.approx(linear_cka(x, y), abs=1e-12)


def test_runs_are_compared_within_and_across_methods():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(50, 5))
    runs = {
        "sls": [shared + 0.1 * rng.normal(size=(50, 5)) for _ in range(3)],
        "soft": [np.hstack([shared + rng.normal(size=(50, 5)), shared]) for _ in range(2)],
        "alone": [rng.normal(size=(50, 2))],
    }
    table = cka_table(runs)
    a, b, c = runs["sls"]
    assert table.within["sls"] == pytest.approx(np.mean([linear_cka(a, b), linear_cka(a, c), linear_cka(b, c)]))
    assert table.within["soft"] == pytest.approx(linear_cka(*runs["soft"])) and np.isnan(table.within["alone"])
    each = [linear_cka(x, y) for x in runs["sls"] for y in runs["soft"]]
    assert table.across["sls", "soft"] == pytest.approx(np.mean(each))
    assert table.within["sls"] > table.across["sls", "soft"] > table.across["soft", "alone"]
    record = json.loads(json.dumps(table.as_json(), allow_nan=False))
    assert record["items"] == 50 and [row["pairs"] for row in record["within"]] == [3, 1, 0]
    assert record["within"][2]["mean"] is None and [row["pairs"] for row in record["across"]] == [6, 3, 2]
    assert states(repr(table), "CkaTable", "methods=tuple of 6", "values=6 x 6", "items=50")


def test_what_has_no_alignment_is_refused():
    x, y = related(10, 3, 4)
    with refuses("x: 3 items", "4 or more"):
        linear_cka(x[:3], y[:3])
    with refuses("x have 10 rows", "y 9"):
        linear_cka(x, y[:9])
    with refuses("features y", "(10, 4, 1, 1)", "(n, d)", "features.reshape(n, -1)"):
        linear_cka(x, y[:, :, None, None])
    broken = y.copy()
    broken[[6, 8], 2] = np.nan
    with refuses("row 6", "features y", "nan in column 2", "2 of 10 rows"):
        linear_cka(x, broken)
    with refuses("row 6", "soft, run 1", "nan in column 2", "2 of 10 rows"):
        cka_table({"soft": [y, broken]})
    with refuses("soft, run 0", "10 rows", "sls, run 0 9"):
        cka_table({"soft": [y], "sls": [y[:9]]})
    with refuses("1 runs", "2 or more", "method: [run, run, ...]"):
        cka_table({"soft": [y]})
    with refuses("a list", "a mapping", "method: [run, run, ...]"):
        cka_table([x, y])


@pytest.mark.parametrize(
    "flat",
    [np.full((10, 3), 0.1), np.full((10, 2), 1e7 / 3), np.eye(10), np.eye(10)[:, :1] + 0.3, np.eye(10) * 1e9 + 0.1],
)
def test_features_that_see_no_differences_in_likeness_are_refused(flat):
    """HSIC of such features with themselves is 0; with rounding it would be anything."""
    other = np.random.default_rng(0).normal(size=(10, 4))
    with refuses("features y", "0/0"):
        linear_cka(other, flat)
    with refuses("features x", "0/0"):
        cka_of_batches([(flat[:5], other[:5]), (flat[5:], other[5:])])


def test_batches_that_do_not_belong_together_are_refused():
    x, y = related(10, 3, 4)
    with refuses("x of batch 1", "5 rows", "y of batch 1 4"):
        cka_of_batches([(x[:5], y[:5]), (x[5:], y[6:])])
    with refuses("batch 1", "2 and 4 columns", "3 and 4"):
        cka_of_batches([(x[:5], y[:5]), (x[5:, :2], y[5:])])
    for items, few in ((0, []), (3, [(x[:2], y[:2]), (x[2:3], y[2:3])])):
        with refuses("batches together", f"{items} items", "4 or more"):
            cka_of_batches(few)
