"""The tables of the study of probes: what stands side by side is of the same kind, or says that it is not."""

from __future__ import annotations

from studies.probes import METHODS, SEEDS, WHICH
from studies.probes_tables import CLAIMS, alike_table, claims_table


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


def test_methods_that_are_equal_go_nobodys_way():
    rows = claims_table(record()).splitlines()[2:]
    assert len(rows) == len(CLAIMS) and all("; 0 of 3" in row and "; 3 of 3" not in row for row in rows)


def test_rows_say_where_the_images_or_the_treatment_are_not_the_papers():
    whole = claims_table(record()) + alike_table(record())
    assert "a temperature for each network" in whole
    assert "interpolated | 2.05 by one of the two" in whole and "renewed | which is not said" in whole
    assert "Grad-CAM stability, not all agree" in whole and "disputed: sls and soft | 0.861" not in whole
