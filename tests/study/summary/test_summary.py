"""What a study says, against numbers of one's own choice, scipy, and worlds in which the truth is known."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats

from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.evaluate.significance import adjust_p_values
from dissensus.evaluate.statistics import corrected_t, mean_interval
from dissensus.report import html_page
from dissensus.study.report import describe_study
from dissensus.study.summary.cell_table import cell_rows
from dissensus.study.summary.summary import Summary, summarise_study
from dissensus.train.splits import draw_stratified
from tests.facts import missing_facts, states
from tests.study.fabricated import failed, folder, grid, record

NLL = {
    "soft": [0.70, 0.74, 0.69, 0.71, 0.73],
    "majority": [0.80, 0.79, 0.77, 0.85, 0.78],
    "sls": [0.71, 0.72, 0.70, 0.70, 0.75],
}


def study(seeds: int = 5, **changed):
    """Three deliveries; by accuracy, majority is above soft by a hundredth for each seed and sls is equal."""
    lift = {"soft": 0.0, "majority": 0.01, "sls": 0.0}
    arms = {
        name: lambda seed, name=name: {"soft_nll": NLL[name][seed], "accuracy": 0.8 + 0.02 * seed + lift[name]}
        for name in NLL
    }
    return grid(arms, seeds, **changed)


def remarks_with(summary: Summary, *facts: object) -> list[str]:
    """The remarks that state all of these facts."""
    return [remark for remark in summary.remarks if not missing_facts(remark, *facts)]


def find_remark(summary: Summary, *facts: object) -> str:
    """The one remark that states all of these facts."""
    found = remarks_with(summary, *facts)
    assert len(found) == 1, (facts, summary.remarks)
    return found[0]


def test_means_have_scipys_interval_over_seeds():
    summary = summarise_study(study())
    for name, values in NLL.items():
        each = summary.scores[name]["soft_nll"]
        low, high = scipy.stats.t.interval(0.95, 4, np.mean(values), scipy.stats.sem(values))
        assert (each.interval.value, each.interval.low, each.interval.high) == pytest.approx(
            (np.mean(values), low, high)
        )
        assert each.n == 5 and list(each.values) == ["0", "1", "2", "3", "4"]
    assert states(summary.interval_of, "Student's t", "seeds", "own split")


def test_an_interval_called_95_percent_holds_the_truth_in_95_percent_of_worlds():
    rng = np.random.default_rng(1)
    for n in (3, 5, 10):
        drawn = rng.normal(0.7, 0.05, (2000, n))
        limits = [mean_interval(row) for row in drawn]
        covered = np.mean([each.low <= 0.7 <= each.high for each in limits])
        assert 0.935 < covered < 0.965, n


@pytest.mark.parametrize("test", ["wilcoxon", "paired-t", "corrected-t"])
def test_a_study_of_equal_arms_finds_a_difference_in_at_most_one_of_twenty_worlds(test):
    rng, rejected = np.random.default_rng(2), 0
    for _ in range(150):
        noise = rng.normal(0.7, 0.02, (3, 8)).tolist()
        arms = {
            name: lambda seed, row=row: {"soft_nll": row[seed]}
            for name, row in zip(["soft", "a", "b"], noise, strict=True)
        }
        summary = summarise_study(grid(arms, 8, metrics=["soft_nll"], compare={"test": test}))
        rejected += any(d.test.adjusted_p < 0.05 for d in summary.differences)
    assert rejected / 150 < 0.1


def test_of_worlds_without_a_difference_only_the_corrected_test_calls_few_different_over_splits_of_the_same_items():
    """Two arms see a signal through noise of their own, equally large; ten splits as `per-seed` draws them.

    What docs/study.md says of 400 worlds, for 100 of them.
    """
    rng, n, rejected = np.random.default_rng(0), 150, np.zeros(2)
    for _ in range(100):
        y = rng.integers(0, 2, n)
        signal = rng.normal(size=n) + y
        arms = [np.c_[signal + rng.normal(size=n), rng.normal(size=(n, 5)), np.ones(n)] for _ in range(2)]
        gaps = []
        for seed in range(10):
            test = draw_stratified(y, 0.2, np.random.default_rng([seed, 11]))
            errors = []
            for x in arms:
                weights = np.linalg.solve(x[~test].T @ x[~test] + np.eye(7), x[~test].T @ (2 * y[~test] - 1))
                errors.append(((x[test] @ weights - 2 * y[test] + 1) ** 2).mean())
            gaps.append(errors[0] - errors[1])
        rejected += [wilcoxon(gaps, np.zeros(10)).p < 0.05, corrected_t(gaps, np.zeros(10), 0.25).p < 0.05]
    assert rejected[0] >= 15 and rejected[1] <= 8


def test_differences_are_paired_by_seed_and_tested_with_holm_over_the_family():
    summary = summarise_study(study(compare={"test": "paired-t", "side": "greater"}))
    gap = np.array(NLL["majority"]) - np.array(NLL["soft"])
    nll = summary.difference("majority", "soft_nll")
    assert nll.interval.value == pytest.approx(gap.mean()) and nll.agreeing == 5 and nll.n == 5
    assert nll.test.p == pytest.approx(
        scipy.stats.ttest_rel(NLL["majority"], NLL["soft"], alternative="greater").pvalue
    )
    tested = [d.test for d in summary.differences if d.test is not None]
    assert [t.adjusted_p for t in tested] == pytest.approx(list(adjust_p_values(np.array([t.p for t in tested]))))
    low, high = scipy.stats.t.interval(0.95, 4, gap.mean(), scipy.stats.sem(gap))
    assert (nll.interval.low, nll.interval.high) == pytest.approx((low, high))
    # By accuracy majority is above by the same hundredth each time, and sls is the same: no spread, and no difference.
    assert summary.difference("majority", "accuracy").test is None
    assert find_remark(summary, "all 5 differences", "0.01", "t-test")
    assert (
        summary.difference("sls", "accuracy").test.effect == 0 and summary.difference("sls", "accuracy").agreeing == 0
    )
    assert summary.difference("soft", "soft_nll") is None


def test_a_family_can_be_that_of_each_metric():
    over_all, each = summarise_study(study()), summarise_study(study(compare={"family": "metric"}))
    assert {d.test.family for d in over_all.differences} == {4} and {d.test.family for d in each.differences} == {2}


def test_five_seeds_cannot_decide_four_tests_and_the_summary_says_so():
    summary = summarise_study(study())
    assert summary.difference("majority", "soft_nll").test.minimum_p == 0.0625
    remark = find_remark(summary, "p < 0.05", "5 pairs", "0.062", "4 tests", "0.25")
    assert states(remark, "3 of 4 tests"), "sls and soft are equal by accuracy, which no seeds would change"


@pytest.mark.parametrize("test", ["wilcoxon", "paired-t", "corrected-t"])
def test_seeds_that_repeat_one_training_are_no_evidence(test):
    """As with the logistic head, a fixed split and all answers: 8 seeds gave p = 0.0078, of one training."""

    def same(shift):
        return lambda seed: {"soft_nll": 0.7 + shift, "accuracy": 0.8 - shift}

    def drawn(seed):
        return {"soft_nll": 0.9 + 0.01 * seed, "accuracy": 0.8}

    arms = {"soft": same(0.0), "majority": same(0.1), "sls": drawn}
    summary = summarise_study(grid(arms, 8, compare={"test": test}, split={"scheme": "fixed", "validation": 0}))
    for metric in summary.metrics:
        gap = summary.difference("majority", metric)
        assert gap.test is None and math.isnan(gap.interval.low) and not math.isnan(gap.interval.value)
        assert math.isnan(summary.scores["majority"][metric].interval.low)
    assert summary.difference("sls", "soft_nll").test.p < 0.01, "one of the two is left to chance"
    assert find_remark(summary, "soft, majority", "identical scores")
    json.dumps(summary.as_json(), allow_nan=False)


def test_a_remark_names_two_arms_with_the_same_labels():
    arms = {name: lambda seed: {"soft_nll": 0.7 + 0.1 * seed, "accuracy": 0.8} for name in ("soft", "majority")}
    assert find_remark(summarise_study(grid(arms, 3)), "majority and soft", "same labels")
    assert not remarks_with(summarise_study(study()), "same labels")


def test_the_least_p_is_that_of_each_test_where_some_have_fewer_pairs():
    """sls lacks half of its seeds: after Holm its p is 1 x 2/2^5, since the other test may well reject before it."""
    whole = grid(
        {
            "soft": lambda s: {"soft_nll": 0.7 + 0.01 * s},
            "majority": lambda s: {"soft_nll": 0.8 + 0.02 * s},
            "sls": lambda s: {"soft_nll": 0.8 + 0.03 * s},
        },
        10,
        metrics=["soft_nll"],
    )
    records = [r for r in whole.records if r["arm"]["delivery"] != "sls" or r["seed"] < 5]
    summary = summarise_study(folder(records, missing=5, metrics=["soft_nll"]))
    few, many = (summary.difference(arm, "soft_nll").test for arm in ("sls", "majority"))
    assert few.adjusted_p == few.least == 0.0625 and many.adjusted_p == many.least == 4 / 2**10
    assert find_remark(summary, "1 of 2 tests", "p < 0.05", "0.062")


def test_kl_and_soft_nll_differ_by_the_same_amounts_and_are_one_test():
    def both(shift):
        return lambda seed: {
            "soft_nll": 0.7 + shift * (1 + seed),
            "kl": 0.3 + shift * (1 + seed),
            "accuracy": 0.8 - shift,
        }

    summary = summarise_study(
        grid({"soft": both(0), "majority": both(0.01)}, 4, metrics=["soft_nll", "kl", "accuracy"])
    )
    kl = summary.difference("majority", "kl")
    assert kl.same_as == "soft_nll" and {d.test.family for d in summary.differences} == {2}
    assert kl.test.adjusted_p == summary.difference("majority", "soft_nll").test.adjusted_p
    assert find_remark(summary, METRICS["kl"].meaning, METRICS["soft_nll"].meaning, "same amounts", "one test")


def test_the_best_is_marked_only_where_the_direction_is_known_and_the_data_are_the_same():
    values = {"a": (0.5, 0.9, 1.0), "b": (0.4, 0.8, 2.0)}
    records = [
        record({"delivery": name, "data": data}, 0, {"soft_nll": v[0] + shift, "accuracy": v[1], "entropy": v[2]})
        for name, v in values.items()
        for data, shift in (("easy", 0.0), ("hard", 1.0))
    ]
    summary = summarise_study(folder(records, metrics=["soft_nll", "accuracy", "entropy"], compare=None))
    assert summary.best == {
        ("easy · b", "soft_nll"),
        ("hard · b", "soft_nll"),
        ("easy · a", "accuracy"),
        ("hard · a", "accuracy"),
    }
    assert find_remark(summary, "no baseline")


def test_failures_missing_cells_and_infinite_scores_are_left_out_aloud():
    whole = study()
    records = [r for r in whole.records if (r["arm"]["delivery"], r["seed"]) not in {("majority", 0), ("sls", 1)}]
    error = "ValueError: the loss is not finite"
    records.append(failed({"delivery": "majority"}, 0, error))
    soft = next(r for r in records if r["arm"]["delivery"] == "soft" and r["seed"] == 4)
    soft["scores"]["soft_nll"] = None
    summary = summarise_study(folder(records, missing=1, seeds=[0, 1, 2, 3, 4]))
    assert find_remark(summary, "1 of 15 cells", "not been run") and find_remark(summary, "1 of 15 cells", "failed")
    assert find_remark(summary, "majority lacks seed 0", "over 4")
    assert find_remark(summary, "soft_nll", "soft", "infinite or undefined", "seed 4", "no mean")
    assert math.isnan(summary.scores["soft"]["soft_nll"].interval.value)
    assert summary.difference("majority", "soft_nll") is None, "its baseline has no mean"
    gap = summary.difference("majority", "accuracy")
    assert gap.n == 4 and gap.left_out == ("0",)
    assert find_remark(summary, "majority against soft:", "seed 0", "left out")
    assert ("soft", "soft_nll") not in summary.best and [f["error"] for f in summary.failures] == [error]
    json.dumps(summary.as_json(), allow_nan=False)


def test_an_arm_without_a_baseline_is_not_compared_and_the_summary_says_which():
    records = [record({"delivery": "soft", "votes": 3}, s, {"soft_nll": 0.5, "accuracy": 0.5}) for s in range(3)]
    records += [
        record({"delivery": "sls", "votes": v}, s, {"soft_nll": 0.6, "accuracy": 0.5}) for s in range(3) for v in (3, 1)
    ]
    summary = summarise_study(folder(records))
    assert {(d.arm, d.baseline) for d in summary.differences} == {("3 votes · sls", "3 votes · soft")}
    assert find_remark(summary, "1 vote · sls", "not compared", "delivery = soft")


def test_arms_on_other_items_are_not_paired_by_seed():
    """Two data sets of the same people share their splits, such as two sets of features; others share nothing."""
    records = [
        record(
            {"data": data},
            seed,
            {"soft_nll": level + 0.01 * seed * (1 + seed * (data == "b")), "accuracy": 0.5},
            settings={"data": {"people": people}, "split": {}, "name": data, "seed": seed},
        )
        for seed in range(3)
        for data, people, level in (("a", "x", 0.5), ("b", "x", 0.6), ("c", "y", 0.7))
    ]
    summary = summarise_study(folder(records, compare={"baseline": {"data": "a"}}))
    assert {(d.arm, d.baseline) for d in summary.differences} == {("b", "a")}
    assert find_remark(summary, "c", "not compared", "with a")


def test_slices_of_several_data_sets_are_kept_apart():
    records = [
        record(
            {"data": data},
            seed,
            {"soft_nll": 0.5},
            slices={"entropy": {"0–0.2": {"items": items, "scores": {"soft_nll": value + 0.1 * seed}}}},
        )
        for seed in range(2)
        for data, items, value in (("a", 10, 0.5), ("b", 1000, 0.9))
    ]
    summary = summarise_study(folder(records, metrics=["soft_nll"], compare=None))
    assert [(part.part, part.items, list(part.scores)) for part in summary.slices] == [
        ("a · 0–0.2", 10, ["a"]),
        ("b · 0–0.2", 1000, ["b"]),
    ]
    assert summary.slices[1].scores["b"]["soft_nll"].interval.value == pytest.approx(0.95)
    page = html_page(describe_study(summary))
    assert "a · 0–0.2 (n = 10)" in page and "b · 0–0.2 (n = 1,000)" in page


def test_a_baseline_of_another_model_is_like_the_arm_in_the_axes_and_in_what_both_have():
    linear = {"model": "linear", "hidden": None, "epochs": 10}
    records = [
        record({**model, "delivery": delivery, "votes": votes}, seed, {"soft_nll": 0.5 + seed, "accuracy": 0.5})
        for seed in range(2)
        for delivery in ("soft", "sls")
        for votes in (1, 3)
        for model in (linear, {**linear, "epochs": 20}, {"epochs": 10, "hidden": 32}, {"epochs": 20, "hidden": 64})
    ]
    summary = summarise_study(folder(records, compare={"baseline": {"model": "linear"}}))
    pairs = {d.arm: d.baseline for d in summary.differences}
    baseline = pairs["3 votes · sls · mlp · epochs 20 · hidden 64"]
    assert baseline.split(" · ") == ["3 votes", "sls", "linear", "epochs 20"]
    assert len(pairs) == 8 and all(name.split(" · ")[:2] == other.split(" · ")[:2] for name, other in pairs.items())


def test_folds_of_a_seed_are_averaged_by_their_items_and_a_seed_without_all_folds_does_not_count():
    def fold(seed, fold, value, items):
        return record({}, seed, {"soft_nll": value, "accuracy": 0.5}, fold=fold, items={"judged on": items})

    records = [fold(0, 0, 1.0, 30), fold(0, 1, 2.0, 10), fold(1, 0, 3.0, 20), fold(1, 1, 5.0, 20), fold(2, 0, 9.0, 20)]
    summary = summarise_study(folder(records, split={"scheme": "k-fold", "folds": 2}, compare=None, missing=1))
    assert summary.scores["soft · mlp"]["soft_nll"].values == {"0": 1.25, "1": 4.0}
    assert find_remark(summary, "lacks seed 2", "folds", "over 2")


def test_folds_are_the_units_of_a_single_seed_with_the_caveat():
    records = [
        record({"delivery": d}, 0, {"soft_nll": 0.5 + 0.1 * f, "accuracy": 0.5}, fold=f)
        for d in ("soft", "sls")
        for f in range(4)
    ]
    summary = summarise_study(folder(records, split={"scheme": "k-fold", "folds": 4}))
    assert summary.units.kind == "fold" and summary.scores["sls"]["soft_nll"].n == 4
    assert states(summary.interval_of, "too narrow")
    assert find_remark(summary, "folds", "too small", "corrected-t")


def test_the_corrected_test_takes_every_fold_of_every_seed_and_the_sizes_of_the_split():
    rng = np.random.default_rng(3)
    records = [
        record({"delivery": d}, s, {"soft_nll": rng.normal(), "accuracy": 0.5}, fold=f, items={"judged on": 20})
        for d in ("soft", "sls")
        for s in range(2)
        for f in range(5)
    ]
    split = {"scheme": "k-fold", "folds": 5, "validation": 0.1}
    summary = summarise_study(folder(records, split=split, compare={"test": "corrected-t"}, metrics=["soft_nll"]))
    (gap,) = summary.differences
    d = np.array(
        [b["scores"]["soft_nll"] - a["scores"]["soft_nll"] for a, b in zip(records[:10], records[10:], strict=True)]
    )
    t = d.mean() / np.sqrt((1 / 10 + 0.2 / (0.8 * 0.9)) * d.var(ddof=1))
    assert (
        gap.n == 10 and gap.units.kind == "seed/fold" and gap.test.p == pytest.approx(2 * scipy.stats.t.sf(abs(t), 9))
    )
    given = [r | {"items": {"judged on": 20, "learned from": 40}} for r in records]
    (by_sizes,) = summarise_study(
        folder(given, split=split, compare={"test": "corrected-t"}, metrics=["soft_nll"])
    ).differences
    half = scipy.stats.t.ppf(0.975, 9) * np.sqrt((1 / 10 + 20 / 40) * d.var(ddof=1))
    assert by_sizes.interval.high - by_sizes.interval.value == pytest.approx(half)


def test_t_tests_of_a_handful_of_pairs_are_told():
    def told(seeds, test):
        return remarks_with(summarise_study(study(seeds, compare={"test": test})), "normal differences")

    assert states(told(3, "paired-t")[0], "3 t-tests", "3 pairs") and told(4, "corrected-t")
    assert not told(5, "paired-t") and not told(3, "wilcoxon")


def test_what_p_speaks_of_is_told_where_seeds_share_their_items():
    def told(**changed):
        return remarks_with(summarise_study(study(**changed)), "share most items")

    assert told() and told(compare={"test": "paired-t"})
    assert not told(compare={"test": "corrected-t"}) and not told(split={"scheme": "fixed"}) and not told(compare=None)


def test_one_training_has_a_mean_and_no_interval():
    summary = summarise_study(study(1, compare={"test": "paired-t"}))
    each = summary.scores["soft"]["soft_nll"].interval
    assert each.value == 0.70 and math.isnan(each.low) and "no intervals" in summary.interval_of
    assert summary.difference("majority", "soft_nll").test is None
    assert find_remark(summary, "majority against soft", "soft_nll:", "t-test", "two pairs")


def test_parts_that_are_numbers_stand_in_order_though_the_first_cell_had_not_all_of_them():
    def part(number):
        return {"items": 5, "scores": {"soft_nll": number}}

    parts = [{"1": part(0.1), "10": part(0.2)}, {"1": part(0.1), "10": part(0.3), "2": part(0.5)}]
    bins = [{"0–0.2": part(0.1), "0.4–0.6": part(0.2)}, {"0–0.2": part(0.1), "0.2–0.4": part(0.3)}]
    records = [
        record({}, seed, {"soft_nll": 0.5}, slices={"age": parts[seed], "entropy": bins[seed]}) for seed in (0, 1)
    ]
    summary = summarise_study(folder(records, metrics=["soft_nll"], compare=None))
    assert [part.part for part in summary.slices] == ["1", "2", "10", "0–0.2", "0.2–0.4", "0.4–0.6"]


def test_slices_curves_and_probes_are_over_seeds_too():
    records = []
    for seed in range(3):
        parts = {"clean": {"items": 15, "scores": {"soft_nll": 0.1 * seed}}} | (
            {"blended": {"items": 5, "scores": {"soft_nll": 1.0}}} if seed else {}
        )
        bent = {"items": "all", "lambda max": 2.0 + seed, "value": [1.0, seed]}
        probes = {"curvature": {"over": [bent], "draws": 8 + seed, "epsilon": 4}}
        training = {"epoch": 2, "loss": [3.0, 2.0, 1.0 + seed][: 3 - (seed == 2)]}
        records.append(
            record(
                {}, seed, {"soft_nll": 0.5, "accuracy": 0.5}, slices={"made": parts}, probes=probes, training=training
            )
        )
    summary = summarise_study(folder(records, compare=None))
    clean, blended = summary.slices
    assert (clean.by, clean.part, clean.items) == ("made", "clean", 15) and list(clean.scores["soft · mlp"]) == [
        "soft_nll"
    ]
    assert clean.scores["soft · mlp"]["soft_nll"].interval.value == pytest.approx(0.1)
    assert blended.scores["soft · mlp"]["soft_nll"].n == 2
    (curve,) = summary.curves["loss"]
    assert curve.mean.tolist() == [3.0, 2.0] and curve.longest == 3 and curve.trainings == 3
    numbers = summary.probes["soft · mlp"]
    means = {name.removeprefix("curvature.over.all."): each.interval.value for name, each in numbers.items()}
    assert means == {"lambda max": 3.0, "value.2": 1.0}, "neither counts nor what never varies"


def test_cells_of_another_make_are_marked():
    records = study(2).records
    records[0] |= {"commit": "0ldc0de"}
    records[1] |= {"packages": {"dissensus": "1.0", "numpy": "1.9"}, "hardware": "Linux aarch64"}
    records[2] |= {"commit": "aaaaaaa-dirty"}
    summary = summarise_study(folder(records, others=3))
    assert find_remark(summary, "2 cells", "commit", "newest, aaaaaaa", "(0ldc0de: 1, aaaaaaa-dirty: 1)")
    assert find_remark(summary, "1 cell", "uncommitted")
    assert find_remark(summary, "versions of numpy", "1.9: 1") and find_remark(summary, "hardware", "Linux aarch64: 1")
    assert find_remark(summary, "3 more cells")
    rows = cell_rows(folder(records))
    assert [row["older_commit"] for row in rows] == [True, False, True, False, False, False]


def test_an_empty_study_says_that_it_is_empty():
    summary = summarise_study(folder([], missing=6, seeds=[0, 1]))
    assert states(summary.remarks[0], "None", "6 cells") and not summary.scores


def test_rows_of_cells_have_all_keys_whatever_their_model_and_their_fate():
    records = [
        record({"model": "linear", "hidden": 8}, 0, {"soft_nll": 0.5, "infinite_items": 0}),
        failed({"model": "mlp", "width": 2}, 0, "ValueError: no"),
    ]
    first, second = cell_rows(folder(records))
    assert list(first) == list(second) and first["soft_nll"] == 0.5 and second["soft_nll"] is None
    assert second["error"] == "ValueError: no" and first["width"] is None and first["items judged on"] == 20


def test_a_correlation_that_does_not_exist_is_not_said_to_be_infinite():
    """Where each item has one vote people are sure of all of them, and smoothing predictions would not help."""
    summary = summarise_study(
        grid(
            {"soft": lambda seed: {"entropy_pearson": None, "soft_nll": None}},
            2,
            compare=None,
            metrics=["entropy_pearson", "soft_nll"],
        )
    )
    said = {remark.split(" of ")[0]: remark for remark in summary.remarks if "undefined" in remark}
    assert states(said["entropy_pearson"], "another metric") and "smooth" not in said["entropy_pearson"]
    assert states(said["soft_nll"], "smooth")
