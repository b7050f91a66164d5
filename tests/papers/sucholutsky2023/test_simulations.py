"""Formulas hold by count; simulated phases are those of the information ratio, and a broken simulation is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.papers.sucholutsky2023.judged_simulations import simulation_findings
from dissensus.papers.sucholutsky2023.judged_theory import theory_findings
from dissensus.papers.sucholutsky2023.simulated_figures import simulation_figures
from dissensus.papers.sucholutsky2023.simulation import GRID, SIZES, fewer_numbers, preferences, read_off, recoveries
from dissensus.papers.sucholutsky2023.theory import theory
from dissensus.plan.grid import Grid, GridConfig
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints

SIZES_HERE = (6, 12, 18, 27, 45, 72, 90)


def silent(share: float) -> None:
    pass


def as_the_ratio(swapped: bool = False) -> Grid:
    """A grid in which rho is the information ratio itself; or that of the other kind of label."""
    n, k = np.meshgrid(SIZES_HERE, SIZES_HERE, indexing="ij")
    ratios = [information_ratio(count(n, k), n, k) for count in (hard_constraints, soft_constraints)]
    kinds = ratios[::-1] if swapped else ratios
    return Grid(GridConfig(SIZES_HERE, SIZES_HERE, (25,), 1), np.array(kinds)[:, None, :, :, None])


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> dict[str, dict[str, Any]]:
    """All three parts at the smallest size."""
    folder = tmp_path_factory.mktemp("simulated")
    needs = {"simulations": folder}
    return {
        "simulations": recoveries("quick", folder, {}, silent),
        "theory": theory(folder, {}, silent),
        "preferences": preferences("quick", folder, needs, silent),
        "sparsity": fewer_numbers("quick", folder, needs, silent),
        "folder": {"path": folder},
    }


def test_formulas_are_what_listing_every_comparison_gives():
    found = theory_findings(theory(Path(), {}, silent))
    exact = (
        "total-queries",
        "hard-constraints",
        "soft-constraints",
        "ratio-is-unanswered",
        "noisy-constraints",
        "phases-soft",
        "phases-hard",
    )
    assert {key: found[key].verdict for key in exact} == dict.fromkeys(exact, "equal")
    assert {found[key].verdict for key in found.keys() - set(exact)} == {"same direction"}


def test_a_formula_for_other_labels_differs_from_the_count():
    numbers = theory(Path(), {}, silent)
    for row in numbers["counts"]:
        row["soft"], row["hard"] = row["soft"] | {"counted": row["hard"]["counted"]}, row["hard"]
    assert theory_findings(numbers)["soft-constraints"].verdict == "differs"


def test_flips_that_are_more_than_said_are_seen():
    numbers = theory(Path(), {}, silent)
    numbers["noise"][1]["right"] -= round(0.05 * numbers["noise"][1]["constraints"])
    assert theory_findings(numbers)["noisy-constraints"].verdict == "differs"


def test_a_rho_that_follows_the_ratio_has_all_phases_of_the_paper(simulated):
    found = simulation_findings(read_off(as_the_ratio()), simulated["preferences"], simulated["sparsity"])
    phases = [key for key in found if key.startswith("simulated-")]
    assert len(phases) == 9
    assert {key: found[key].verdict for key in phases} == dict.fromkeys(phases, "same direction")
    assert found["simulated-ratio"].value.value == pytest.approx(1)


def test_hard_and_soft_labels_exchanged_are_seen(simulated):
    found = simulation_findings(read_off(as_the_ratio(swapped=True)), simulated["preferences"], simulated["sparsity"])
    broken = ("simulated-soft-one-shot", "simulated-soft-above-hard", "simulated-few-labels")
    assert {key: found[key].verdict for key in broken} == dict.fromkeys(broken, "differs")


def test_simulated_scenes_show_that_soft_labels_recover_more(simulated):
    """By a wide margin in every cell; sparse labels lie between top-class ones and components."""
    found = simulation_findings(simulated["simulations"], simulated["preferences"], simulated["sparsity"])
    hold = (
        "simulated-soft-above-hard",
        "simulated-ratio",
        "sparse-above-top-class",
        "components-above-sparse",
        "preferred-where-cost-weighs",
        "preferred-where-cost-is-light",
        "effective-below-k",
    )
    assert {key: found[key].verdict for key in hold} == dict.fromkeys(hold, "same direction")
    assert found["effective-p"].verdict == "cannot be tested here" and "laptop" in found["effective-p"].reason


def test_a_simulation_goes_on_from_its_file(simulated):
    folder = simulated["folder"]["path"]
    before = (folder / GRID).stat().st_mtime_ns
    assert recoveries("quick", folder, {}, silent) == simulated["simulations"]
    assert (folder / GRID).stat().st_mtime_ns == before


def test_figures_show_what_was_simulated(simulated):
    drawn = {figure.key: figure for figure in simulation_figures(simulated)}
    assert {
        "figure-1-ratio-soft",
        "figure-1-rho-hard",
        "figure-1-preferences",
        "figure-2",
        "figure-3-1",
        "figure-6-linear",
    } <= drawn.keys()
    diagonal = np.diag(simulated["simulations"]["maps"]["25"]["soft"])
    assert drawn["figure-1-rho-soft"].series[0].y == tuple(diagonal)


def test_full_is_the_grid_of_the_paper():
    full = SIZES["full"]
    assert (len(full["sizes"]), full["sizes"][0], full["sizes"][-1]) == (30, 3, 90)
    assert full["dimensions"] == [5, 25, 125] == SIZES["laptop"]["dimensions"]
