"""The evidence of a whole run at scale quick has the numbers of every claim that this scale can test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.labels.distances import kl
from dissensus.papers.figures import Figure
from dissensus.papers.judging import judge_claims
from dissensus.papers.paper import Results
from dissensus.papers.sucholutsky2023 import guidance, simulation
from dissensus.papers.sucholutsky2023.figures import figures
from dissensus.papers.sucholutsky2023.informed import label_numbers
from dissensus.papers.sucholutsky2023.observe import observe
from dissensus.papers.sucholutsky2023.observe_models import mean_divergence
from dissensus.papers.sucholutsky2023.paper import PAPER
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.studies import PER_CLASS, few_study, head_study
from dissensus.papers.sucholutsky2023.theory import theory
from dissensus.papers.sucholutsky2023.transfer import FAR
from dissensus.study.run import run_study
from tests.papers.sucholutsky2023.test_labels import measured, scene_kinds
from tests.papers.sucholutsky2023.test_models import ENTROPY, heads, kept_rows, networks

NOT_AT_QUICK = {"simulated-map-125", "effective-r", "effective-p", "crossed-networks"}


def silent(share: object) -> None:
    pass


@pytest.fixture(scope="module")
def results(data_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Parts of a run: real formulas, simulations and labels; few heads; scores of models as in a known world."""
    folder = tmp_path_factory.mktemp("quick")
    needs = {"simulations": folder}
    kinds = label_kinds(1_000)
    for count in PER_CLASS:
        run_study(few_study(kinds, count, 2), folder / f"heads-{count}", say=silent)
    run_study(head_study({kind: kinds[kind] for kind in ("hard", "H")}, "quick", 2, 2), folder / "heads", say=silent)
    two = [entry for entry in networks() if entry["kind"] in ("hard", "H")]
    for entry in two:
        entry["shift"] = {FAR: entry["shift"][FAR]}
    numbers: dict[str, Any] = {
        "theory": theory(folder, {}, silent),
        "simulations": simulation.recoveries("quick", folder, {}, silent),
        "preferences": simulation.preferences("quick", folder, needs, silent),
        "sparsity": simulation.fewer_numbers("quick", folder, needs, silent),
        "labels": label_numbers(folder, {}, silent),
        "informed": measured(scene_kinds()),
        "guidance": {"worlds": [guidance.world(np.random.default_rng(seed)) for seed in range(3)]},
        "architectures": {"vgg15": 1, "wrn28_10": 1, "densenet_bc_100_12": 1, "shake_shake26_2x64": 1},
        "transfer": {"rows": heads(), "label entropy": ENTROPY},
        "transfer-kept": {"rows": kept_rows("H", {"2": 0.0, "3": -0.01, "4": -0.02, "10": 0.1})},
        "transfer-networks": {"rows": two, "label entropy": ENTROPY},
    }
    folders = {name: folder / name for name in ("heads", *(f"heads-{count}" for count in PER_CLASS))}
    return Results(folders, numbers)


def test_every_claim_has_its_numbers_or_a_reason(results):
    judged = judge_claims(PAPER, observe(results, "quick"))
    absent = {key for key, finding in judged.items() if finding.reason == "not part of this scale"}
    assert absent == NOT_AT_QUICK
    others = [f for key, f in judged.items() if f.verdict == "cannot be tested here" and key not in absent]
    assert all("not released" in finding.reason or "not here" in finding.reason for finding in others)


def test_cells_of_the_claims_table_are_short(results):
    for finding in judge_claims(PAPER, observe(results, "quick")).values():
        assert max(len(cell) for cell in (finding.published, finding.ours, finding.reason, finding.evidence)) <= 120


def test_parameters_that_are_not_the_printed_ones_differ(results):
    judged = judge_claims(PAPER, observe(results, "quick"))
    assert {judged[key].verdict for key in judged if key.startswith("table-2-")} == {"differs"}


def test_the_main_figure_has_the_papers_numbers_and_no_figure_is_taller_than_a_screen(results):
    drawn = figures(results, "quick", observe(results, "quick"))
    assert drawn[0].key == "table-1-80" and drawn[0].published
    assert {figure.key: rows for figure in drawn if (rows := count_dot_rows(figure)) > 12} == {}
    assert len({figure.key for figure in drawn}) == len(drawn)


def count_dot_rows(figure: Figure) -> int:
    return sum(len(series.x) for series in (*figure.series, *figure.published)) if figure.kind == "dots" else 0


def test_divergence_of_models_is_the_mean_symmetric_kl_of_two_of_them():
    models = np.random.default_rng(0).dirichlet(np.ones(3), size=(3, 4))  # (models, n, k)
    slow = [
        np.mean([(kl(p, q) + kl(q, p))[0] for p, q in ((a, b), (a, c), (b, c))])
        for a, b, c in zip(*(model[:, None] for model in models), strict=True)
    ]
    assert mean_divergence(models) == pytest.approx(slow)
    assert np.isnan(mean_divergence(np.where(np.arange(4)[None, :, None] == 1, np.nan, models))).tolist() == [
        False,
        True,
        False,
        False,
    ]
