"""The printed numbers of Gheibi 2026 agree with each other, with statements of the text, and with CIFAR-10H."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.datasets import load
from dissensus.labels.distances import entropy
from dissensus.labels.shares import as_distributions
from dissensus.papers.evidence import Number
from dissensus.papers.gheibi2026.claims import CLAIMS, MARGINS, ONE_SIDED
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.published import Printed, read_published

PUBLISHED = read_published("gheibi2026")


def row(source: str, metric: str, where: str = "") -> dict[str, Printed]:
    table = PUBLISHED.table(source, where)
    assert table is not None
    return dict(table.numbers[metric])


def values(source: str, metric: str, where: str = "") -> dict[str, float]:
    return {arm: printed.value for arm, printed in row(source, metric, where).items()}


def test_soft_nll_is_kl_and_the_entropy_of_people_for_every_delivery():
    """soft NLL = KL + H(people): the same H for all rows of tables 2 and 5, up to rounding."""
    nll, kl = values("table 2", "soft_nll"), values("table 5", "kl")
    assert set(nll) == set(kl) and len(nll) == 5
    assert np.ptp([nll[arm] - kl[arm] for arm in nll]) < 2.1e-4


def test_that_entropy_is_the_one_of_cifar10h(data_folder):
    people = as_distributions(load("cifar10h").labels).probs
    gap = values("table 2", "soft_nll")["soft"] - values("table 5", "kl")["soft"]
    assert entropy(people).mean() == pytest.approx(gap, abs=0.005)  # the mean over ten test splits of 2,000 images


def test_every_hard_delivery_is_below_soft_labels_in_table_1_and_nine_cells_have_the_least_p_of_five_seeds():
    tests = []
    for k in KS:
        nll = values("table 1", "soft_nll", f"K = {k}")
        assert all(nll[method] < nll["soft"] for method in HARD)
        tests += list(row("table 1", "wilcoxon_p", f"K = {k}").values())
    assert sum(test.text == "0.031" for test in tests) == values("table 1", "agreeing_cells")["hard"] == 9
    assert {round(test.value * 32) for test in tests} <= {1, 2, 3}  # p of 5 seeds are multiples of 1/32


def test_the_gains_of_table_1_are_not_larger_at_few_votes_as_the_text_says():
    gains = {}
    for k in KS:
        nll = values("table 1", "soft_nll", f"K = {k}")
        gains[k] = nll["soft"] - np.mean([nll[method] for method in HARD])
    few, many = (gains[5] + gains[10]) / 2, (gains[25] + gains[50]) / 2
    assert (round(few, 3), round(many, 3)) == (0.031, 0.032)
    claim = next(claim for claim in CLAIMS if claim.key == "table-1-strongest")
    assert "0.031 at 5 and 10 votes, 0.032 at 25 and 50" in claim.published


def test_p_values_of_ten_seeds_are_multiples_of_one_in_1024():
    """Some of table 8 are odd multiples, which a two-sided test cannot give: they are one-sided."""
    counts = {table: [p * 1024 for p in values(table, "wilcoxon_p").values()] for table in ("table 2", "table 8")}
    assert all(abs(count - round(count)) < 0.06 for count in counts["table 2"] + counts["table 8"])
    assert all(round(count) % 2 == 0 for count in counts["table 2"])
    assert any(round(count) % 2 for count in counts["table 8"])
    assert values("table 8", "wilcoxon_p") == ONE_SIDED


def test_sls_is_above_soft_labels_by_every_detector_and_flatter_at_every_k():
    for metric in ("energy", "odin", "entropy", "msp", "knn", "margin"):
        auroc = values("table 8", f"auroc_{metric}")
        assert auroc["sls"] > auroc["soft"]
    for k in KS:
        for metric in ("lambda_full", "lambda_high"):
            curvature = values("table 6", metric, f"K = {k}")
            assert curvature["sls"] < curvature["soft"]


def test_hard_deliveries_exceed_soft_labels_on_five_of_six_detectors_of_svhn():
    table = PUBLISHED.table("table 7", "SVHN")
    assert table is not None
    rows = [{arm: printed.value for arm, printed in arms.items()} for arms in table.numbers.values()]
    assert sum(all(arms[method] > arms["soft"] for method in HARD) for arms in rows) == 5
    assert sum(max(arms, key=lambda arm: arms[arm]) == "deterministic_control" for arms in rows) == 5
    assert len(rows) == 6


def test_rows_that_two_tables_share_are_the_same():
    for metric in ("soft_nll", "accuracy", "ece_equal_mass", "entropy_spearman"):
        assert row("table 2", metric)["soft"].text == row("table 3", metric)["soft"].text
    for detector in ("energy", "msp", "knn"):
        metric = f"auroc_{detector}"
        assert values("table 8", metric)["soft"] == values("table 9", metric)["soft"]


def test_held_labels_worsen_monotonically_and_ranges_contain_their_mean():
    held = [values("figure 4", "soft_nll", f"every {every} epochs")["held"] for every in HELD_FOR]
    each_epoch = values("figure 4", "soft_nll", "every 5 epochs")["sls"]
    assert [each_epoch, *held] == sorted([each_epoch, *held])
    gradients = values("figure 7", "gradient_spearman")
    assert gradients["least"] < gradients["sls"] < gradients["most"]


def test_hard_deliveries_are_in_one_regime_of_flatness_and_shuffled_sls_is_flattest():
    for metric in ("lambda_full", "trace_full", "lambda_high", "trace_high"):
        hard = values("table 4 (5 seeds)", metric)
        soft = values("table 4", metric)["soft"]
        assert hard.pop("shuffled") < min(hard.values()) and max(hard.values()) < soft / 2


def test_margins_are_the_printed_spreads_of_soft_labels():
    tables = {metric: "table 5" if metric in ("kl", "brier") else "table 2" for metric in MARGINS}
    assert {metric: row(table, metric)["soft"].sd for metric, table in tables.items()} == MARGINS
    assert row("table 3", "entropy_spearman")["shuffled"].sd == 0.0556


def test_one_at_a_time_deliveries_have_to_show_as_many_labels_as_there_are_votes(data_folder):
    people = as_distributions(load("cifar10h").labels)
    assert people.votes is not None and int(people.votes.mean()) == 51
    for table in PUBLISHED.tables:
        if table.source != "figure 4":
            k = table.where.removeprefix("K = ")
            for arm, shown in table.must_show.items():
                assert shown == (int(k) if k else 50 if arm == "hard" else 51)


def test_every_table_and_figure_has_claims_and_each_claim_finds_its_table():
    sources = {claim.table for claim in CLAIMS}
    assert {f"table {number}" for number in range(1, 10)} <= sources
    assert {f"figure {number}" for number in (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)} <= sources
    known = {table.source for table in PUBLISHED.tables}
    assert {source for source in sources if source.startswith(("table", "figure"))} <= known


def test_no_number_is_printed_twice_under_one_address():
    seen: set[tuple[str, Number]] = set()
    for table in PUBLISHED.tables:
        for metric, arms in table.numbers.items():
            for arm in arms:
                place = (table.source, Number(metric, arm, table.where))
                assert place not in seen
                seen.add(place)
    assert len(seen) > 200
