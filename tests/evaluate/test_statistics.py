"""Tests and effect sizes against enumeration, the definitions read slowly, and scipy where scipy is exact."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from dissensus.evaluate.effect_sizes import cohen_d, cohen_d_paired, has_spread
from dissensus.evaluate.signed_rank import EXACT_UP_TO, rank_biserial, wilcoxon
from dissensus.evaluate.significance import Comparison, adjust_p_values, holm
from dissensus.evaluate.statistics import (
    clustered_t,
    corrected_t,
    mean_interval,
    paired_t,
    welch_t,
)
from dissensus.labels.refusals import Refusal
from tests.facts import refuses, states

SIDES = ("two-sided", "less", "greater")


def enumerated(d, alternative, zeros):
    """Signed-rank p over all 2^n signs, one by one."""
    ranked = d if zeros == "pratt" else d[d != 0]
    ranks = rankdata(np.abs(ranked))[ranked != 0]
    up = ranked[ranked != 0] > 0
    seen = ranks[up].sum()
    sums = np.array([ranks[list(signs)].sum() for signs in itertools.product([False, True], repeat=ranks.size)])
    below, above = (sums <= seen + 1e-9).mean(), (sums >= seen - 1e-9).mean()
    return {"less": below, "greater": above, "two-sided": min(1.0, 2 * min(below, above))}[alternative]


@given(
    st.lists(st.integers(-4, 4), min_size=1, max_size=9), st.sampled_from(SIDES), st.sampled_from(["wilcoxon", "pratt"])
)
def test_wilcoxon_is_the_count_over_all_signs_with_ties_and_zeros(differences, alternative, zeros):
    d = np.array(differences, dtype=float)
    found = wilcoxon(d, np.zeros(d.size), alternative, zeros=zeros)
    assert found.p == pytest.approx(enumerated(d, alternative, zeros), abs=1e-12)
    strongest = wilcoxon(
        np.abs(d), np.zeros(d.size), "two-sided" if alternative == "two-sided" else "greater", zeros=zeros
    )
    assert found.minimum_p == pytest.approx(strongest.p, abs=1e-12)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("n", [5, 12, 30, 50])
def test_wilcoxon_is_scipys_where_scipy_is_exact(n, alternative):
    a, b = np.random.default_rng(n).normal([[0.3], [0.0]], 1, (2, n))
    theirs = scipy.stats.wilcoxon(a, b, alternative=alternative, method="exact").pvalue
    assert wilcoxon(a, b, alternative).p == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("zeros", ["wilcoxon", "pratt"])
def test_wilcoxon_of_many_pairs_is_scipys_normal_approximation(zeros):
    d = np.round(np.random.default_rng(3).normal(0.05, 1, EXACT_UP_TO + 150), 1)
    theirs = scipy.stats.wilcoxon(d, zero_method="wilcox" if zeros == "wilcoxon" else zeros, method="asymptotic").pvalue
    found = wilcoxon(d, np.zeros(d.size), zeros=zeros)
    assert "normal" in found.test
    # For Pratt's rule scipy centres W on all ranks less those of zeros, as we do.
    assert found.p == pytest.approx(theirs, rel=1e-9)


def test_exact_and_normal_meet_where_one_takes_over_from_the_other():
    rng = np.random.default_rng(0)
    d = rng.normal(0.1, 1, EXACT_UP_TO)
    exact, normal = wilcoxon(d, 0 * d).p, scipy.stats.wilcoxon(d, method="asymptotic").pvalue
    assert exact == pytest.approx(normal, rel=0.02)


def test_five_seeds_that_agree_reach_the_least_p_and_no_family_of_twelve_can_reject():
    """Gheibi 2026, sec. 4: 5 paired seeds, minimum one-sided p 0.03125, 12 cells under Holm."""
    soft, hard = np.array([0.56, 0.57, 0.55, 0.58, 0.56]), np.array([0.55, 0.55, 0.54, 0.55, 0.50])
    found = wilcoxon(hard, soft, "less")
    assert found.p == found.minimum_p == 0.03125 and found.effect == -1
    assert str(found) == "p = 0.031 (n = 5, at best 0.031)"
    family = holm({str(cell): found for cell in range(12)})
    assert all(one.adjusted_p == 0.375 and not one.decidable for one in family.values())
    assert states(str(family["0"]), "p = 0.031", "n = 5", "at best 0.031", "Holm over 12: 0.38", "at best 0.38")


@pytest.mark.parametrize("side", SIDES)
def test_where_nothing_differs_p_is_one_whatever_the_side(side):
    same = np.array([0.7, 0.8, 0.9])
    assert wilcoxon(same, same, side).p == paired_t(same, same, side).p == corrected_t(same, same, 0.25, side).p == 1.0


def test_after_holm_no_p_is_below_the_least_one_and_some_results_reach_it():
    """Families of 3, 5 and 7 pairs: over all signs of all of them, the least corrected p of each is the one told."""
    sizes, lowest = (3, 5, 7), np.ones(3)
    for up in itertools.product(*(range(size + 1) for size in sizes)):
        family = holm(
            {
                str(size): wilcoxon(np.arange(1.0, size + 1) * np.where(np.arange(size) < right, 1, -1), np.zeros(size))
                for size, right in zip(sizes, up, strict=True)
            }
        )
        assert all(one.adjusted_p >= one.least for one in family.values())
        lowest = np.minimum(lowest, [one.adjusted_p for one in family.values()])
    assert lowest.tolist() == [one.least for one in family.values()]
    assert [one.decidable for one in family.values()] == [False, False, True]


def test_the_p_values_of_gheibis_ten_seed_table_are_attainable():
    """Gheibi 2026, sec. 4.2: 0.6953, 0.6250, 0.9219, 0.3750 over ten seeds, two-sided: multiples of 2 / 2^10."""
    sums = {
        wilcoxon(np.arange(1.0, 11) * np.where(np.array(signs), 1, -1), np.zeros(10)).p
        for signs in itertools.product([0, 1], repeat=10)
    }
    for published in (0.6953, 0.6250, 0.9219, 0.3750):
        assert min(abs(p - published) for p in sums) < 5e-5


def test_pairs_that_do_not_differ_are_told_and_raise_the_least_p():
    found = wilcoxon([1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0, 1.0], "greater")
    assert found.minimum_p == 0.125 and found.test.endswith("1 of 4 pairs equal")
    nothing = wilcoxon([1.0, 1.0], [1.0, 1.0])
    assert (nothing.p, nothing.minimum_p, nothing.effect) == (1.0, 1.0, 0.0)


def test_differences_that_only_rounding_tells_apart_are_ties():
    """0.3 - 0.2 and 0.2 - 0.1 differ in the last bit of a float, and are equal on paper."""
    assert 0.3 - 0.2 != 0.2 - 0.1
    assert wilcoxon([0.3, 0.1], [0.2, 0.2]).p == wilcoxon([3, 1], [2, 2]).p == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_its_definition_read_slowly(p):
    """Step down: reject the smallest while p <= alpha / (tests left); the adjusted p is the least such alpha."""
    adjusted = adjust_p_values(np.array(p))
    order = np.argsort(p, kind="stable")
    for place, i in enumerate(order):
        needed = max(min(1.0, p[j] * (len(p) - earlier)) for earlier, j in enumerate(order[: place + 1]))
        assert adjusted[i] == pytest.approx(needed, abs=1e-15)


@pytest.mark.parametrize("alternative", SIDES)
def test_t_tests_are_scipys(alternative):
    rng = np.random.default_rng(5)
    a, b, c = rng.normal(0.4, 1, 10), rng.normal(0, 1, 10), rng.normal(0, 3, 17)
    assert paired_t(a, b, alternative).p == pytest.approx(scipy.stats.ttest_rel(a, b, alternative=alternative).pvalue)
    theirs = scipy.stats.ttest_ind(a, c, equal_var=False, alternative=alternative).pvalue
    assert welch_t(a, c, alternative).p == pytest.approx(theirs)
    assert str(welch_t(a, c)).endswith("(n = 10, no lower bound)")


@pytest.mark.parametrize("alternative", SIDES)
def test_the_corrected_t_test_is_its_formula_and_the_plain_one_where_nothing_overlaps(alternative):
    """t of ten splits with a ninth judged on: sqrt(1/10 / (1/10 + 1/9)) of the plain one, by scipy's distribution."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(0.4, 1, 10), rng.normal(0, 1, 10)
    plain = scipy.stats.ttest_rel(a, b)
    t = plain.statistic * np.sqrt(0.1 / (0.1 + 1 / 9))
    tails = {
        "less": scipy.stats.t.cdf(t, 9),
        "greater": scipy.stats.t.sf(t, 9),
        "two-sided": 2 * scipy.stats.t.sf(abs(t), 9),
    }
    result = corrected_t(a, b, 1 / 9, alternative)
    assert result.p == pytest.approx(tails[alternative]) and result.test == "corrected resampled t-test"
    assert corrected_t(a, b, 1e-12, alternative).p == pytest.approx(paired_t(a, b, alternative).p)
    assert corrected_t(a, a, 0.25).p == 1


def test_splits_of_the_same_items_fool_the_plain_t_test_and_not_the_corrected_one():
    """Two learners of the mean of two columns that are alike: neither is better. 15 splits of 100 items, 10 judged on.

    Nadeau and Bengio (2003), tables 2 and 3: the plain test rejects far too often, the corrected one about as often as
    it says.
    """
    rng = np.random.default_rng(8)
    plain = corrected = 0
    for _ in range(400):
        x = rng.normal(0, 1, (100, 2))
        losses = []
        for _ in range(15):
            order = rng.permutation(100)
            test, train = x[order[:10]], x[order[10:]]
            losses.append(((test - train.mean(axis=0)) ** 2).mean(axis=0))
        a, b = np.array(losses).T
        plain += paired_t(a, b).p < 0.05
        corrected += corrected_t(a, b, 10 / 90).p < 0.05
    assert plain / 400 > 0.15 and 0.01 < corrected / 400 < 0.09


def test_effect_sizes_by_hand():
    a, b = np.array([2.0, 4.0, 6.0]), np.array([1.0, 2.0, 3.0])
    assert cohen_d_paired(a, b) == pytest.approx(2.0)  # differences 1, 2, 3
    assert cohen_d(a, b) == pytest.approx(2 / np.sqrt((4 + 1) / 2))
    assert rank_biserial([1, 5, -2], [0, 0, 0]) == pytest.approx((1 + 3 - 2) / 6)
    assert cohen_d_paired([1.0, 2.0], [0.0, 1.0]) == np.inf and cohen_d_paired([1.0, 2.0], [1.0, 2.0]) == 0


def test_a_comparison_cannot_be_made_without_its_n_and_its_least_p():
    known = {"test": "t", "alternative": "less", "difference": 0.1, "effect": 1.0, "effect_name": "d", "p": 0.04}
    with pytest.raises(TypeError, match=r"'n'.*'minimum_p'"):
        Comparison(**known)
    with refuses("p = 0.04", "minimum p = 0.05"):
        Comparison(**known, n=3, minimum_p=0.05)
    with refuses("0 pairs", "1 or more"):
        Comparison(**known, n=0, minimum_p=0.01)
    assert {"n", "minimum_p", "p"} <= Comparison(**known, n=5, minimum_p=0.03).as_json().keys()


REFUSED = [
    (lambda: wilcoxon([1, 2, 3], [1, 2]), ["a has 3 numbers", "b has 2"], "welch_t"),
    (lambda: paired_t([1.0, 2.0], [1.0, np.inf]), ["b[1] is inf", "1 of 2 numbers"], "smooth the predictions"),
    (lambda: paired_t([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]), ["all 3 differences are 1"], "wilcoxon"),
    (lambda: corrected_t([2.0, 3.0], [1.0, 2.0], 0.25), ["all 2 differences are 1"], "wilcoxon"),
    (lambda: corrected_t([2.0, 3.0], [1.0, 2.5], 0), ["test_to_train is 0", "above 0"], None),
    (lambda: wilcoxon([1, 2], [3, 4], "smaller"), ["unknown alternative 'smaller'"], "two-sided, less, greater"),
    (lambda: paired_t([1, 2], [3, 5], "smaller"), ["unknown alternative 'smaller'"], "two-sided, less, greater"),
    (lambda: wilcoxon([1, 2], [3, 4], zeros="split"), ["unknown rule for zeros 'split'"], "wilcoxon, pratt"),
]


@pytest.mark.parametrize(("run", "facts", "way"), REFUSED)
def test_bad_input_is_refused_with_the_way_out(run, facts, way):
    with pytest.raises(Refusal) as error:
        run()
    assert all(fact in error.value.problem for fact in facts)
    assert way is None or any(way in each.text for each in error.value.ways)


def test_p_values_out_of_range_and_groups_that_do_not_vary_are_refused():
    with refuses("1.2", "0 to 1"):
        adjust_p_values(np.array([0.2, 1.2]))
    with refuses("a is 1", "b is 2"):
        welch_t([1.0, 1.0], [2.0, 2.0])


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12), st.floats(0.01, 1))
def test_the_interval_contains_zero_exactly_if_the_corrected_test_does_not_reject(values, test_to_train):
    """Interval and test of Nadeau and Bengio are two sides of one formula, whatever the values."""
    d = np.array(values)
    interval = mean_interval(d, test_to_train=test_to_train)
    if not has_spread(d):
        assert interval.high - interval.low <= 1e-9 * np.abs(d).max()
        return
    p = corrected_t(d, np.zeros(d.size), test_to_train).p
    if abs(p - 0.05) > 1e-9:
        assert (interval.low <= 0 <= interval.high) == (p > 0.05)


@pytest.mark.parametrize("test_to_train", [0.0, 0.25])
def test_the_interval_of_no_value_one_value_and_equal_values(test_to_train):
    none, one, equal = (mean_interval(values, test_to_train=test_to_train) for values in ([], [0.3], [0.3, 0.3]))
    assert np.isnan([none.value, none.low, none.high, none.sd]).all()
    assert one.value == 0.3 and np.isnan([one.low, one.high, one.sd]).all()
    assert (equal.value, equal.low, equal.high, equal.sd) == (0.3, 0.3, 0.3, 0)


def test_a_clustered_t_test_is_of_the_mean_over_items():
    """A large cluster that differs one way and small ones the other: the sign is that of the items' mean."""
    sizes = np.array([60, 3, 3, 3, 3, 3])
    clusters = np.repeat(np.arange(6), sizes)
    gap = np.where(clusters == 0, 0.1, -0.05) + 0.01 * np.sin(np.arange(clusters.size))
    test = clustered_t(gap, np.zeros(gap.size), clusters)
    assert test.difference == pytest.approx(gap.mean()) and test.difference > 0 and test.n == 6
    assert test.p > 0.05  # one cluster decides it, and might have come out otherwise


def test_a_clustered_t_test_leaves_out_one_cluster_at_a_time():
    rng = np.random.default_rng(0)
    sizes = np.array([1, 2, 4, 8, 3, 5, 6])
    clusters = np.repeat(np.arange(7), sizes)
    gap = rng.normal(0.5, 1, clusters.size) + rng.normal(size=7)[clusters]
    without = np.array([gap[clusters != left_out].mean() for left_out in range(7)])
    error = np.sqrt(6 / 7 * ((without - without.mean()) ** 2).sum())
    freedom = 6 / 7 * (sizes**2).sum() ** 2 / (sizes**4).sum()
    expected = 2 * scipy.stats.t.sf(abs(gap.mean() / error), freedom)
    assert clustered_t(gap, np.zeros(gap.size), clusters).p == pytest.approx(expected)


def test_clusters_of_one_item_are_the_paired_t_test():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 25))
    alone, clustered = paired_t(a, b), clustered_t(a, b, np.arange(25))
    assert clustered.p == pytest.approx(alone.p) and clustered.effect == alone.effect


def test_a_clustered_t_test_keeps_its_size_where_clusters_differ_in_size():
    """No difference, 20 clusters of 1 to 60 items, 400 times: p < 0.05 in 5 % at most, here up to 7.5 % by chance."""
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(20), np.geomspace(1, 60, 20).astype(int))
    gaps = [rng.normal(size=20)[clusters] + rng.normal(size=clusters.size) for _ in range(400)]
    assert sum(clustered_t(gap, np.zeros(gap.size), clusters).p < 0.05 for gap in gaps) <= 30


def test_clusters_that_cannot_be_tested_are_refused():
    with refuses("all 3 pairs", "one cluster"):
        clustered_t([1, 2, 4], [0, 0, 0], ["x", "x", "x"])
    with refuses("(2,)", "3 pairs"):
        clustered_t([1, 2, 4], [0, 0, 0], [0, 1])
    with refuses("all 2 clusters", "by 1"):
        clustered_t([1, 1, 1], [0, 0, 0], [0, 1, 1])


def test_constant_groups_have_no_spread_whatever_their_rounding():
    """0.3 in three places has a standard deviation of 7e-17 in floating point."""
    a, b = [0.3] * 3, [0.1] * 3
    with pytest.raises(ValueError, match="neither group varies"):
        welch_t(a, b)
    assert cohen_d(a, b) == cohen_d_paired(a, b) == np.inf
    alone = scipy.stats.ttest_1samp([0.1, 0.2, 0.4], 0.25)  # one constant group: a test of the other
    assert welch_t([0.25] * 3, [0.1, 0.2, 0.4]).p == pytest.approx(alone.pvalue)


@pytest.mark.parametrize(
    "wrong", [{"coverage": 1.5}, {"coverage": 0.0}, {"test_to_train": -1.0}, {"test_to_train": np.nan}]
)
def test_an_interval_of_a_mean_refuses_settings_out_of_range(wrong):
    with pytest.raises(ValueError, match=f"{next(iter(wrong))} is {next(iter(wrong.values()))}"):
        mean_interval([1.0, 2.0, 3.0], **wrong)


@pytest.mark.parametrize("values", [3.0, [[1.0, 2.0], [3.0, 4.0]]])
def test_an_interval_of_a_mean_is_of_one_list(values):
    with pytest.raises(ValueError, match="shape"):
        mean_interval(values)
