"""Known points recovered from simulated labels, one scene or a grid of them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import spearmanr

from dissensus.plan.grid import (
    Grid,
    GridConfig,
    cell_scene,
    figure_1_grid,
    grid_record,
    load_grid,
    simulate_grid,
)
from dissensus.plan.information import hard_constraints, information_ratio, soft_constraints
from dissensus.plan.simulation import label_recovery, recovery, simulate_recovery, simulate_scene
from tests.facts import refuses

SMALL = GridConfig(items=(3, 6), classes=(3, 9), dimensions=(2, 5), seeds=2, hard_starts=2)


def test_labels_follow_the_paper_s_equations():
    scene = simulate_scene(5, 4, 3, np.random.default_rng(0))
    for i, item in enumerate(scene.items):
        away = np.array([np.sqrt(((item - centroid) ** 2).sum()) for centroid in scene.centroids])
        assert np.allclose(scene.soft[i], np.exp(-away) / np.exp(-away).sum())
        assert scene.hard[i].tolist() == [float(c == away.argmin()) for c in range(4)]
    cosine = scene.items[1] @ scene.centroids[2] / np.linalg.norm(scene.items[1]) / np.linalg.norm(scene.centroids[2])
    assert scene.similarity[1, 5 + 2] == pytest.approx(cosine)


def test_items_are_dealt_evenly_around_their_centroids():
    scene = simulate_scene(3000, 3, 2, np.random.default_rng(0), spread=0.5)
    for c in range(3):
        mine = scene.items[c::3]
        assert np.allclose(mine.mean(axis=0), scene.centroids[c], atol=0.06)
        assert np.allclose(mine.std(axis=0), 0.5, atol=0.03)


def test_soft_labels_far_from_every_class_do_not_underflow():
    scene = simulate_scene(3, 4, 5, np.random.default_rng(0), spread=1e4)
    assert np.allclose(scene.soft.sum(axis=1), 1)


def test_recovery_is_spearmans_correlation_of_upper_triangles():
    rng = np.random.default_rng(0)
    one, second = (rng.integers(0, 5, (6, 6)).astype(float) for _ in range(2))
    upper = np.triu_indices(6, 1)
    assert recovery(one, second) == pytest.approx(spearmanr(one[upper], second[upper])[0])
    assert recovery(one, 3 * one + 1) == pytest.approx(1)
    assert recovery(np.zeros((6, 6)), second) == 0


def test_soft_labels_tell_more_than_hard_ones_and_pin_the_answer_down():
    scene = simulate_scene(24, 18, 5, np.random.default_rng(0))
    soft = [label_recovery(scene.soft, scene.similarity, np.random.default_rng(start)) for start in range(3)]
    hard = label_recovery(scene.hard, scene.similarity, np.random.default_rng(0), starts=3)
    assert min(soft) > 0.75 > hard + 0.3
    assert np.ptp(soft) < 0.01


@pytest.mark.parametrize(("n", "k"), [(1, 2), (2, 1), (1, 5), (5, 1)])
@pytest.mark.parametrize("kind", ["hard", "soft"])
def test_a_single_item_or_class_has_a_recovery(n, k, kind):
    assert -1 <= simulate_recovery(kind, n, k, 3, np.random.default_rng(0)) <= 1


def test_a_grid_holds_its_cells_and_resumes(tmp_path):
    place = tmp_path / "kept" / "grid.json"
    first = simulate_grid(place, GridConfig(**{**vars(SMALL), "seeds": 1}), workers=2, quiet=True)
    assert first.rho.shape == (2, 2, 2, 2, 1) and not np.isnan(first.rho).any()
    kept = json.loads(place.read_text())
    kept["cells"]["soft d=2 n=3 k=3 seed=0"] = 0.12345
    del kept["cells"]["hard d=5 n=6 k=9 seed=0"]
    place.write_text(json.dumps(kept))
    again = simulate_grid(place, SMALL, workers=1, quiet=True)
    assert again.rho[1, 0, 0, 0, 0] == 0.12345  # read, not simulated again
    assert again.rho[0, 1, 1, 1, 0] == first.rho[0, 1, 1, 1, 0]  # simulated again, with the same random numbers
    assert np.array_equal(load_grid(place, SMALL).rho, again.rho)
    assert [path.name for path in place.parent.iterdir()] == ["grid.json"]


def test_a_cell_can_be_made_alone(tmp_path):
    grid = simulate_grid(tmp_path / "grid.json", SMALL, quiet=True)
    scene = cell_scene(SMALL, 1, 6, 9, 5)
    _, start = np.random.default_rng([1, 6, 9, 5]).spawn(2)
    assert grid.rho[1, 1, 1, 1, 1] == pytest.approx(label_recovery(scene.soft, scene.similarity, start), abs=1e-5)


def test_a_killed_run_leaves_a_file_to_go_on_from(tmp_path):
    place = tmp_path / "grid.json"
    config = "GridConfig(items=range(3, 31), classes=range(3, 31), dimensions=(5,), seeds=1)"
    code = (
        "import sys, dissensus.plan.grid as g\n"
        "g.SAVE_SECONDS = 0.0\n"
        f"g.simulate_grid(sys.argv[1], g.{config}, workers=1, quiet=True)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", code, str(place)])
    try:
        while not place.exists() and running.poll() is None:
            try:
                running.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
    finally:
        running.kill()
        running.wait()
    done = json.loads(place.read_text())["cells"]
    assert done and all(-1 <= value <= 1 for value in done.values())


def test_numbers_between_cells_are_interpolated():
    rho = np.arange(16, dtype=float).reshape(2, 2, 2, 2, 1)
    grid = Grid(GridConfig(**{**vars(SMALL), "seeds": 1}), rho)
    assert grid.mean("soft", 5).tolist() == [[12, 13], [14, 15]]
    assert grid.at("soft", 6, 3, 5) == 14 and grid.at("soft", 4, 6, 5) == pytest.approx(12 + 2 / 3 + 0.5)
    with pytest.raises(ValueError, match=r"items is 7; .* 3 to 6"):
        grid.at("soft", 7, 3, 5)
    with pytest.raises(ValueError, match=r"d=9: .* 2, 5"):
        grid.mean("soft", 9)


def test_a_file_of_other_settings_is_refused(tmp_path):
    place = tmp_path / "grid.json"
    simulate_grid(place, GridConfig(items=(3,), classes=(3,), dimensions=(2,), seeds=1), quiet=True)
    with refuses("grid.json", "another file"):
        load_grid(place, GridConfig(items=(3,), classes=(3,), dimensions=(2,), seeds=1, spread=2.0))
    with pytest.raises(FileNotFoundError, match="no such grid"):
        load_grid(tmp_path / "none.json", SMALL)
    with pytest.raises(ValueError, match="1 of 16 cells"):
        grid_record(Grid(GridConfig(**{**vars(SMALL), "seeds": 1}), np.r_[np.nan, np.zeros(15)].reshape(2, 2, 2, 2, 1)))


def test_the_shipped_grid_shows_the_phases():
    """Sucholutsky 2023, sec. 3 and 4: where soft and hard labels fall, and rho rising with the information ratio."""
    grid = figure_1_grid()
    usual = GridConfig()
    assert (grid.config.items, grid.config.dimensions) == (usual.items, usual.dimensions)
    items, classes = np.meshgrid(grid.config.items, grid.config.classes, indexing="ij")
    for d in (5, 25, 125):
        soft, hard = grid.mean("soft", d), grid.mean("hard", d)
        assert soft[9:, 9:].mean() > hard[9:, 9:].mean() + 0.5
        diagonal = np.diag(soft)
        assert np.ptp(diagonal[4:]) < 0.2 and diagonal[-1] >= diagonal[4] - 0.02  # one-shot: does not degrade
        assert np.diag(hard)[-5:].mean() < np.diag(hard)[:5].mean() - 0.1  # hard: degrades
        assert hard[:, 0].mean() > hard[:, -1].mean() + 0.2
    for d in (25, 125):
        soft = grid.mean("soft", d)
        assert soft[2, -5:].mean() < soft[2, 2] - 0.1  # less than one shot, n = 9: falls as classes are added
    ratio = np.stack(
        [information_ratio(count(items, classes), items, classes) for count in (hard_constraints, soft_constraints)]
    )
    for d in (5, 25, 125):
        rho = np.stack([grid.mean("hard", d), grid.mean("soft", d)])
        assert spearmanr(ratio.ravel(), rho.ravel())[0] > 0.5


def test_a_cell_of_the_shipped_grid_is_simulated_again():
    grid = figure_1_grid()
    n, k, d = 12, 9, 25
    rng = np.random.default_rng([0, n, k, d])
    assert grid.rho[1, 1, 3, 2, 0] == pytest.approx(simulate_recovery("soft", n, k, d, rng), abs=2e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda rng: simulate_scene(0, 3, 2, rng), "n is 0"),
        (lambda rng: simulate_scene(3, 3, 2, rng, spread=-1), "spread is -1"),
        (lambda rng: simulate_recovery("sparse", 3, 3, 2, rng), "unknown kind of label to simulate 'sparse'"),
        (lambda rng: label_recovery(np.eye(3), np.eye(6), rng, starts=0), "starts is 0"),
        (lambda rng: recovery(np.eye(2), np.eye(2)), "expected two square ones"),
        (lambda rng: simulate_recovery("soft", 1, 1, 2, rng), "expected two square ones"),
        (lambda rng: GridConfig(items=(6, 3)), r"items are \[6, 3\]"),
        (lambda rng: GridConfig(seeds=0), "seeds is 0"),
    ],
)
def test_impossible_input_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(np.random.default_rng(0))
