"""The printed numbers agree with each other and with what the paper says about them."""

from __future__ import annotations

from math import log, sqrt

import pytest
from scipy.stats import t

from dissensus.papers.collins2022.arms import BETA, BETAS, GAMMA, GAMMAS, KINDS
from dissensus.papers.collins2022.claims import CLAIMS, HEADLINES, PAIRS, compare, find_printed, margin
from dissensus.papers.collins2022.label_claims import PUBLISHED
from dissensus.papers.collins2022.label_numbers import INPUTS
from dissensus.papers.collins2022.scores import METRICS, SETS
from dissensus.papers.collins2022.studies import RATE_GRID, RATES
from dissensus.papers.evidence import Number

LEARNED = [f"table {n}" for n in range(1, 7)]


def value(source, metric, arm):
    number = PUBLISHED.find(Number(metric, arm), source)
    assert number is not None
    return number.value


def change(kind, other, set_, metric):
    effect = compare(metric, kind, other, set_).published_value(PUBLISHED, "")
    assert effect is not None
    return effect


def test_every_table_has_all_metrics_on_both_sets_for_kinds_that_are_trained():
    known = set()
    for source in LEARNED:
        for set_ in SETS:
            table = PUBLISHED.table(source, set_)
            assert table is not None and table.runs == 15 and table.interval
            arms = [set(table.numbers[metric]) for metric in METRICS]
            assert arms[0] == arms[1] == arms[2] <= KINDS.keys()
            known |= arms[0]
    between = {*(f"h {count}" for count in (4, 8, 16, 32)), *(f"s {count}" for count in (3, 4, 5))}  # figure 6 alone
    assert known == KINDS.keys() - between and len(KINDS) == 23


@pytest.mark.parametrize("set_", SETS)
def test_numbers_that_are_printed_in_several_tables_are_the_same(set_):
    for metric in METRICS:
        for kind in KINDS:
            texts = {
                table.numbers[metric][kind].text
                for table in PUBLISHED.tables
                if table.where == set_ and kind in table.numbers.get(metric, {})
            }
            assert len(texts) <= 1, (metric, kind)


def test_counts_seconds_and_ratios_follow_from_each_other():
    each = value("section 5.1", "seconds", "answer") / value("section 5.1", "inputs", "s")
    assert each == pytest.approx(value("section 5.1", "seconds", "input"))
    for source in ("table 4", "table 5"):
        table = PUBLISHED.table(source)
        assert table is not None
        assert {arm: 6 * INPUTS[arm] * each for arm in table.numbers["seconds"]} == pytest.approx(
            {arm: number.value for arm, number in table.numbers["seconds"].items()}
        )
    assert value("section 4.3", "annotators_per_image", "h") / 6 == value("section 1", "annotator_ratio", "h")
    assert value("section 5.1", "split", "train") / 10_000 == 0.7
    assert value("section 4.1", "batches", "s") * (27 - 2) == value("section 1", "images", "s")
    assert value("section 4.1", "annotators", "s") * 25 / 1_000 == value("section 1", "thousand_labels", "s")
    assert GAMMA in GAMMAS and value("section 5.1", "chosen", "gamma") == GAMMA
    assert BETA in BETAS and value("appendix", "chosen", "beta") == BETA
    assert all(value("section 5.1", "chosen", name) == RATES[name] in RATE_GRID[name] for name in RATE_GRID)


def test_nearly_all_comparisons_of_sections_5_2_and_5_3_favour_stated_labels():
    odd = [
        key.format(set=set_, metric=metric)
        for key, (kind, other) in list(PAIRS.items())[:6]
        for set_ in SETS
        for metric in METRICS
        if change(kind, other, set_, metric) >= 0
    ]
    assert odd == [
        "table-2-10s-fgsm",
        "table-3-two-10s-calibration",
        "table-5-10h-calibration",
        "table-5-unif-10h-calibration",
    ]
    claims = {claim.key: claim.claim for claim in CLAIMS}
    assert "at most 21.0% lower" in claims["table-2-10s-fgsm"] and "at most" not in claims["table-2-10s-ce"]


def test_smoothing_is_best_by_two_metrics_on_cifar10h_and_not_on_cifar10s():
    """The appendix; on CIFAR-10S one of the six comparisons is in favour of smoothing, which the text leaves out."""
    for kind in ("s", "h"):
        assert change("smoothed", kind, "10h", "calibration") < 0 and change("smoothed", kind, "10h", "fgsm") < 0
        assert change("smoothed", kind, "10s", "ce") > 0 and change("smoothed", kind, "10s", "fgsm") > 0
    assert change("smoothed", "s", "10s", "calibration") > 0 > change("smoothed", "h", "10s", "calibration")


@pytest.mark.parametrize("set_", SETS)
def test_the_largest_contrast_of_table_1_is_that_of_hard_labels(set_):
    """It is the positive control of all tables: larger than any contrast of tables 2 to 6."""
    for metric in METRICS:
        sizes = {
            (source, arm, base): abs(size)
            for source in LEARNED
            if (table := PUBLISHED.table(source, set_)) is not None
            for arm, base, size in table.contrasts(metric)
        }
        source, arm, base = max(sizes, key=sizes.__getitem__)
        assert (source, base) == ("table 1", "hard") and arm in ("h aggregated", "uniform")


def test_half_of_an_interval_over_15_runs_is_turned_into_a_standard_error():
    """The second road: error * t is the printed half-width, up to rounding of the mean."""
    number = find_printed("ce", "s 1", "10h")
    assert (number.text, number.value, number.n) == ("1.58 ± 0.08", 1.58, 15)
    assert number.sd == pytest.approx(0.08 * sqrt(15) / t.ppf(0.975, 14))
    assert number.error == pytest.approx(sqrt((0.08 / t.ppf(0.975, 14)) ** 2 + 0.01**2 / 12))
    assert margin("ce", "s 1", "10h") == round(0.08 / 1.58, 3)


def test_a_guess_is_no_worse_than_the_papers_models_on_cifar10s():
    """So the level excludes nobody there, and the positive control has to."""
    assert all(find_printed("ce", kind, "10s").value > log(10) for kind in ("h", "s", "h aggregated", "s aggregated"))
    assert all(1.5 * find_printed("ce", kind, "10h").value < log(10) for kind in ("h", "s", "h aggregated"))


def test_every_table_and_figure_has_claims_that_are_short_and_have_judges():
    sources = " ".join(claim.source for claim in CLAIMS)
    numbered = {
        "table": range(1, 7),
        "figure": (1, 2, 4, 5, 6, 7, 8, 10),
        "section": (1, 4, 4.1, 4.2, 4.3, 5.1, 5.2, 6),
    }
    for wanted in (
        "abstract",
        "appendix",
        "figures 3 and 9",
        *(f"{k} {n}" for k, every in numbered.items() for n in every),
    ):
        assert wanted in sources
    assert all(claim.judge is not None for claim in CLAIMS)
    assert max(len(claim.claim) + len(claim.source) for claim in CLAIMS) <= 200
    assert max(len(claim.published) for claim in CLAIMS) <= 120 and 5 <= len(HEADLINES) <= 8
