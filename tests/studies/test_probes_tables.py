"""The tables of the study of probes: what stands side by side is of the same kind, or says that it is not."""

from __future__ import annotations

from studies.probes import METHODS, SEEDS, WHICH
from studies.probes_tables import CLAIMS, alike_table, claims_table
from tests.facts import states


def record():
    """Every number is that of its seed, so sls and soft differ in none."""
    names = {claim.score for claim in CLAIMS} | {"gradient variance and entropy"}
    cells = [
        {"setting": setting, "method": method, "seed": seed} | {which: dict.fromkeys(names, seed) for which in WHICH}
        for setting, methods in METHODS.items()
        for method in methods
        for seed in SEEDS
    ]
    scores = ("CKA within", "Grad-CAM stability", "Grad-CAM stability, disputed")
    alike = [
        {"setting": setting, "network": which, "method": method} | dict.fromkeys(scores, 0.5)
        for setting, methods in METHODS.items()
        for which in WHICH
        for method in methods
    ]
    barriers = [
        {"setting": setting}
        | {f"barrier, {name}, {which}": 1.0 for name in ("interpolated", "renewed") for which in WHICH}
        for setting in METHODS
    ]
    return {"cells": cells, "alike": alike, "barriers": barriers}


def papers_of(printed, word):
    """The numbers of the papers in the rows whose title has this word."""
    return [paper for title, paper in printed.items() if word in title]


def test_methods_that_are_equal_go_nobodys_way():
    rows = claims_table(record()).splitlines()[2:]
    assert len(rows) == len(CLAIMS) and all("; 0 of 3" in row and "; 3 of 3" not in row for row in rows)


def test_rows_say_where_the_images_or_the_treatment_are_not_the_papers():
    rows = [
        line.strip("| ").split(" | ") for table in (claims_table, alike_table) for line in table(record()).splitlines()
    ]
    printed = {title: paper for title, paper, *_ in rows[1:] if title}
    assert papers_of(printed, "temperature") == ["not asked"]
    (interpolated,), (renewed,) = (
        papers_of(printed, "batch norm interpolated"),
        papers_of(printed, "batch norm renewed"),
    )
    assert states(interpolated, "2.05") and not any(sign.isdigit() for sign in renewed)
    assert papers_of(printed, "not all agree") == ["0.861 and 0.756"]  # its images are not the most disputed ones
    assert papers_of(printed, "disputed") == [claim.paper for claim in CLAIMS if "disputed" in claim.what]
