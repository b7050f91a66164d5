"""Formulas hold by count; simulated phases are those of the information ratio, and a broken simulation is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.papers.evidence import Number
from dissensus.papers.paper import Results
from dissensus.papers.study_runs import pseudo_values
from dissensus.papers.sucholutsky2023.figures import simulation_figures
from dissensus.papers.sucholutsky2023.observe_simulated import (
    observe_maps,
    observe_preferences,
    observe_sparsity,
    observe_theory,
)
from dissensus.papers.sucholutsky2023.simulation import GRID, SIZES, fewer_numbers, preferences, read_off, recoveries
from dissensus.papers.sucholutsky2023.theory import theory
from dissensus.plan.grid import Grid, GridConfig
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints
from tests.papers.sucholutsky2023.judged_rows import HOLDS, judge_rows, verdicts

SIZES_HERE = (6, 12, 18, 27, 45, 72, 81, 90)
DIMENSIONS = (5, 25, 125)


def silent(share: float) -> None:
    pass


def as_the_ratio(swapped: bool = False) -> Grid:
    """A grid in which rho is the information ratio itself; or that of the other kind of label."""
    n, k = np.meshgrid(SIZES_HERE, SIZES_HERE, indexing="ij")
    ratios = [information_ratio(count(n, k), n, k) for count in (hard_constraints, soft_constraints)]
    kinds = ratios[::-1] if swapped else ratios
    planes = np.array([[kind] * len(DIMENSIONS) for kind in kinds])  # (kinds, d, n, k)
    return Grid(GridConfig(SIZES_HERE, SIZES_HERE, DIMENSIONS, 1), planes[..., None])


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


EXACT = (
    "total-queries",
    "hard-constraints",
    "soft-constraints",
    "ratio-is-unanswered",
    "noisy-constraints",
    "phases-soft",
    "phases-hard",
    "limits-many-shot",
    "limits-one-shot",
    "limits-soft-ahead",
)
PHASES = [
    *(f"simulated-{kind}-{regime}" for kind in ("soft", "hard") for regime in ("one-shot", "many-shot")),
    *(f"simulated-{kind}-less-than-one-shot" for kind in ("soft", "hard")),
    *("simulated-ratio", "simulated-ratio-soft", "simulated-ratio-hard"),
    *("simulated-soft-above-hard", "simulated-few-labels"),
    *(f"simulated-map-{d}" for d in DIMENSIONS),
]


def test_formulas_are_what_listing_every_comparison_gives():
    ours = judge_rows(observe_theory(theory(Path(), {}, silent)))
    assert verdicts(ours, EXACT) == dict.fromkeys(EXACT, "equal")


def test_a_formula_for_other_labels_differs_from_the_count():
    numbers = theory(Path(), {}, silent)
    for row in numbers["counts"]:
        row["soft"] = row["soft"] | {"counted": row["hard"]["counted"]}
    assert judge_rows(observe_theory(numbers))["soft-constraints"].verdict == "differs"


def test_exponents_of_hard_and_soft_labels_exchanged_are_seen():
    numbers = theory(Path(), {}, silent)
    numbers["exponents"] = {"soft": numbers["exponents"]["hard"], "hard": numbers["exponents"]["soft"]}
    broken = ("phases-soft", "phases-hard", "limits-one-shot", "limits-soft-ahead")
    assert verdicts(judge_rows(observe_theory(numbers)), broken) == dict.fromkeys(broken, "differs")


def test_flips_that_are_more_than_said_are_seen():
    numbers = theory(Path(), {}, silent)
    numbers["noise"][1]["right"] -= round(0.05 * numbers["noise"][1]["constraints"])
    assert judge_rows(observe_theory(numbers))["noisy-constraints"].verdict == "differs"


def test_a_rho_that_follows_the_ratio_has_all_phases_of_the_paper():
    ours = judge_rows(observe_maps(read_off(as_the_ratio())))
    assert {key: ours[key].verdict for key in PHASES if ours[key].verdict not in HOLDS} == {}
    ratio = ours["simulated-ratio"].deciding
    assert ratio is not None and ratio.value.value == pytest.approx(1)


def test_hard_and_soft_labels_exchanged_are_seen():
    ours = judge_rows(observe_maps(read_off(as_the_ratio(swapped=True))))
    broken = ["simulated-soft-one-shot", "simulated-soft-above-hard", "simulated-few-labels"]
    broken += [f"simulated-map-{d}" for d in DIMENSIONS]
    assert verdicts(ours, broken) == dict.fromkeys(broken, "differs")


def test_labels_that_recover_nothing_are_too_weak_to_tell():
    """Recovery by chance, the same for both kinds of label."""
    grid = as_the_ratio()
    noise = np.random.default_rng(0).normal(0, 0.1, grid.rho.shape)
    ours = judge_rows(observe_maps(read_off(Grid(grid.config, noise))))
    assert ours["simulated-soft-above-hard"].verdict == ours["simulated-ratio"].verdict == "too weak to tell"


def test_simulated_scenes_show_that_soft_labels_recover_more(simulated):
    """By a wide margin in every cell; sparse labels are between top-class ones and components in every scene."""
    ours = judge_rows(
        [
            *observe_maps(simulated["simulations"]),
            *observe_preferences(simulated["preferences"]),
            *observe_sparsity(simulated["sparsity"], simulated["simulations"]),
        ]
    )
    hold = (
        "simulated-soft-above-hard",
        "simulated-ratio",
        "preferred-where-cost-weighs",
        "preferred-where-cost-is-light",
        "effective-below-k",
    )
    assert verdicts(ours, hold) == dict.fromkeys(hold, "same direction")
    for key in ("sparse-above-top-class", "components-above-sparse"):
        outcome = ours[key].deciding
        assert outcome is not None and outcome.agreeing == len(outcome.runs) == 2
        assert outcome.value.value > 0.1 and ours[key].verdict != "differs"
    assert ours["effective-r"].verdict == ours["effective-p"].verdict == "cannot be tested here", "25 cells, not 900"


def test_recovery_by_run_is_the_mean_of_the_cells(simulated):
    rows = {number: runs for _, number, runs in observe_maps(simulated["simulations"])}
    sizes, soft = simulated["simulations"]["sizes"], simulated["simulations"]["maps"]["5"]["soft"]
    assert rows[Number("rho", "soft", "d = 5")]["n = 12"] == pytest.approx(sum(soft[sizes.index(12)]) / len(sizes))
    above = [soft[0][at] for at in range(1, len(sizes))]
    below = [soft[at][0] for at in range(1, len(sizes))]
    run = "d = 5, smaller size 6"
    assert rows[Number("rho", "soft", "fewer items than classes")][run] == pytest.approx(np.mean(above))
    assert rows[Number("rho", "soft", "more items than classes")][run] == pytest.approx(np.mean(below))
    ends = [rows[Number("rho", "soft", f"many-shot, {end}")]["d = 5, other size 6"] for end in ("small", "large")]
    assert ends == [pytest.approx(np.mean([soft[1][0], soft[2][0], soft[3][0]])), pytest.approx(soft[4][0])]


def test_pseudo_values_of_a_mean_are_the_values_and_of_a_correlation_have_fishers_width():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = 0.7 * x + rng.normal(size=400)
    names = [str(place) for place in range(400)]
    assert list(pseudo_values(lambda at: float(x[at].mean()), names).values()) == pytest.approx(x.tolist())
    values = list(pseudo_values(lambda at: float(np.corrcoef(x[at], y[at])[0, 1]), names).values())
    r = np.corrcoef(x, y)[0, 1]
    assert np.mean(values) == pytest.approx(r, abs=0.005)
    assert np.std(values, ddof=1) / 20 == pytest.approx((1 - r**2) / 20, rel=0.2)


def test_a_simulation_resumes_from_its_file(simulated):
    folder = simulated["folder"]["path"]
    before = (folder / GRID).stat().st_mtime_ns
    assert recoveries("quick", folder, {}, silent) == simulated["simulations"]
    assert (folder / GRID).stat().st_mtime_ns == before


def test_figures_show_what_was_simulated(simulated):
    drawn = {figure.key: figure for figure in simulation_figures(Results({}, simulated))}
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
