"""The recorded study of probes: what its page shows is what was recorded, and what is claimed holds in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studies.probes import cells, summary
from studies.probes_figure import FIGURE, figure
from studies.probes_tables import CLAIMS, RECORD, alike_table, claims_table, curvature_table

PAGE = (Path(__file__).parents[2] / "docs" / "probe.md").read_text(encoding="utf-8")
STUDY = json.loads(RECORD.read_text(encoding="utf-8"))


def values(setting, which, method, score):
    """One number for each seed."""
    runs = [cell for cell in STUDY["cells"] if (cell["setting"], cell["method"]) == (setting, method)]
    return [cell[which][score] for cell in sorted(runs, key=lambda cell: cell["seed"])]


def below(setting, which, first, second, score):
    """In how many seeds the first method has less."""
    pairs = zip(*(values(setting, which, method, score) for method in (first, second)), strict=True)
    return sum(one < two for one, two in pairs)


def test_every_cell_of_the_study_was_probed():
    done = {(cell["setting"], cell["seed"], cell["method"]) for cell in STUDY["cells"]}
    assert done == {(cell.setting, cell.seed, cell.method) for cell in cells()} and len(STUDY["barriers"]) == 6


@pytest.mark.parametrize("table", [claims_table, alike_table, curvature_table])
def test_the_page_shows_the_tables(table):
    assert table(STUDY) in PAGE


def test_table_and_figure_follow_from_the_cells():
    assert summary(STUDY["cells"]) == STUDY["table"]
    assert figure(STUDY) == FIGURE.read_text(encoding="utf-8")


def test_what_the_page_says_of_curvature():
    for setting, methods in (("flip", ("sls", "multipass")), ("crop", ("sls",))):
        for method in methods:
            assert below(setting, "last", method, "soft", "trace, all") == 3
            assert below(setting, "best", method, "soft", "trace, all") == 2
    for cell in STUDY["cells"]:
        for which in ("best", "last"):
            for part in ("all", "disputed"):
                assert cell[which][f"trace error, {part}"] <= 0.01 * cell[which][f"trace, {part}"]
                assert cell[which][f"lambda max error, {part}"] <= 0.001 * cell[which][f"lambda max, {part}"]


def test_what_the_page_says_of_attacks():
    after, tempered = "cross-entropy after fgsm 4", "cross-entropy after fgsm 4, temperature, half"
    assert below("flip", "last", "soft", "majority", after) == 3
    assert below("flip", "last", "soft", "majority", tempered) == 1
    assert below("flip", "best", "soft", "majority", after) == 1


def test_what_the_page_says_of_ood_and_ways():
    scores = [claim.score for claim in CLAIMS if claim.score.startswith("AUROC")]
    gaps = [
        abs(row[score]["mean"] - soft[score]["mean"])
        for row in STUDY["table"]
        if row["method"] == "sls"
        for soft in STUDY["table"]
        if (soft["setting"], soft["network"], soft["method"]) == (row["setting"], row["network"], "soft")
        for score in scores
    ]
    ways = [
        below(setting, which, "soft", "sls", score)
        for setting in ("flip", "crop")
        for which in ("best", "last")
        for score in scores
    ]
    assert len(gaps) == 24 and max(gaps) < 0.015 and 0.4 < sum(ways) / (3 * len(ways)) < 0.6
    for way in STUDY["barriers"]:
        assert all(
            way[f"barrier, {how}, {which}"] > 0.1 for how in ("interpolated", "renewed") for which in ("best", "last")
        )
