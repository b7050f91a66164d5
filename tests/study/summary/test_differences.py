"""How one study differs from another, where it is known what was changed."""

from __future__ import annotations

import copy
import json
import math

import pytest

from dissensus.labels.as_json import json_text
from dissensus.report.cells import format_cell
from dissensus.report.terminal import print_document
from dissensus.study.reporting.differences import SHOWN, describe_diff
from dissensus.study.summary.differences import diff
from tests.facts import states
from tests.study.fabricated import failed, folder, grid, record


def study(seeds: int = 4, shift: float = 0.0, **changed):
    arms = {
        name: lambda seed, i=i: {"soft_nll": 0.7 + 0.1 * i + 0.01 * seed * (i + 1) + shift * i, "accuracy": 0.8}
        for i, name in enumerate(["soft", "majority"])
    }
    return grid(arms, seeds, **changed)


def rows_of(result, title: str) -> list[list[str]]:
    """The rows of a section of the page, as text."""
    (section,) = [section for section in describe_diff(result).sections if section.title == title]
    table = section.blocks[0]
    return [
        [format_cell(cell, column.format) for column, cell in zip(table.heads, row.cells, strict=True)]
        for row in table.lines
    ]


def test_a_study_is_the_same_as_itself_whatever_made_its_cells():
    again = copy.deepcopy(study())
    for each in again.records:
        each |= {"commit": "another", "seconds": 99.0, "made": "2027-01-01T00:00:00Z", "hardware": "other"}
    result = diff(study(), again)
    assert result.same and result.shared == 8 and not any(result.largest.values())
    page = describe_diff(result)
    assert states(page.answer, "are the same", "8 cells") and not page.sections
    assert dict(page.facts) == {"a": "a study", "b": "a study", "cells in both": 8}


def test_keys_of_the_spec_and_cells_of_more_seeds_are_named():
    a, b = study(3), study(5, split={"test": 0.3}, question="Another?")
    result = diff(a, b)
    assert result.spec["split.test"] == (0.2, 0.3) and result.spec["seeds"] == ([0, 1, 2], [0, 1, 2, 3, 4])
    assert "question" in result.spec and result.shared == 6 and not result.only_a and len(result.only_b) == 4
    assert ["split.test", "0.2", "0.3"] in rows_of(result, "Spec") and len(rows_of(result, "Cells only in b")) == 4
    assert states(describe_diff(result).answer, "differ", "6 cells", "identical scores")
    assert all(each.only_b == ("3", "4") and each.difference.n == 3 for each in result.arms)


def test_scores_that_changed_are_found_with_the_largest_change_and_paired_by_seed():
    a, b = study(), study(shift=0.05)
    b.records[0]["scores"]["accuracy"] = None
    result = diff(a, b)
    assert result.largest["soft_nll"] == pytest.approx(0.05) and result.largest["accuracy"] == float("inf")
    assert len(result.changed) == 4 + 1 and not result.only_a and not result.only_b
    by = {(each.arm, each.metric): each for each in result.arms}
    gap = by["majority", "soft_nll"].difference
    assert (
        gap.interval.value == pytest.approx(0.05)
        and gap.n == 4
        and by["soft", "soft_nll"].difference.interval.value == 0
    )
    assert (
        states(describe_diff(result).answer, "8 cells", 5, "accuracy")
        and len(rows_of(result, "Scores that differ")) == 5
    )
    soft = ["soft", "accuracy", "0.8000", "–", "+0.0000 [+0.0000, +0.0000]", "3", "without 0"]
    assert soft in rows_of(result, "Arms in both, b - a")
    for each in b.records:
        each["scores"]["accuracy"] = None
    soft = ["soft", "accuracy", "0.8000", "–", "–", "0", "no finite mean in both"]
    assert soft in rows_of(diff(a, b), "Arms in both, b - a")
    again = json.loads(json_text(result))
    assert again["largest"]["accuracy"] == math.inf and len(again["changed"]) == 5 and again["same"] is False


def test_settings_that_only_one_has_and_cells_that_failed_in_one_are_told():
    a, b = study(2), study(2)
    b.records[1] = failed({"delivery": "majority"}, 0, "ValueError: no")
    other = folder([*b.records, record({"delivery": "sls", "votes": 3}, 0, {"soft_nll": 0.5, "accuracy": 0.5})])
    result = diff(a, other)
    assert result.settings["delivery"] == (["soft", "majority"], ["soft", "majority", "sls"])
    assert [(x, y) for _, x, y in result.status] == [("done", "failed")] and result.shared == 3
    assert ["votes", '"all"', '"all", 3'] in rows_of(result, "Settings of cells")
    assert [row[1:] for row in rows_of(result, "Cells that failed in one study")] == [["done", "failed"]]
    pairs = {each.arm: each.difference.n for each in result.arms if each.metric == "soft_nll"}
    assert pairs == {"soft": 2, "majority": 1}, "although names of the other are longer, since votes differ there"


def test_long_lists_are_cut_and_counted(capsys):
    print_document(describe_diff(diff(study(1), study(40))))
    text = capsys.readouterr().out
    assert "Cells only in b" in text and f"… and {78 - SHOWN} more rows" in text


def test_many_seeds_that_only_one_study_has_are_counted_not_listed():
    rows = rows_of(diff(study(3), study(40)), "Arms in both, b - a")
    assert all(row[-2:] == ["3", "without 3, 4, 5, 6, 7, 8 and 31 more"] for row in rows)
