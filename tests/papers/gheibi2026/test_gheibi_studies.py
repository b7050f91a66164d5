"""What is run for Gheibi 2026: `full` is the protocol of the paper, and models are looked up as they were trained."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dissensus.datasets import load
from dissensus.labels.sampling import resample
from dissensus.labels.shares import as_distributions
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.evidence import Evidence
from dissensus.papers.gheibi2026.findings_main import dynamics_findings, family_findings, main_findings
from dissensus.papers.gheibi2026.findings_sweep import stale_findings, sweep_findings
from dissensus.papers.gheibi2026.measures import batches_of, diagnose_sparsity, module_of
from dissensus.papers.gheibi2026.paper import PAPER, differences
from dissensus.papers.gheibi2026.studies import FAMILY, FEW, MAIN, SIZES, studies_of
from dissensus.papers.gheibi2026.trained import load_cells
from dissensus.papers.paper import Results
from dissensus.study import cells_of, load_data, read_predictions, run_study, study_of
from dissensus.study.spec import Study

SEEDS = 3


def test_full_is_the_protocol_of_the_paper():
    studies = studies_of("resnet18", "full")
    trainings = {name: len(cells_of(study)) // 2 for name, study in studies.items()}  # best and last are one training
    assert trainings == {"main": 5 * 10, "family": (3 + 3) * 5, "sweep": 4 * 4 * 5}
    for study in studies.values():
        assert study.split.test == 0.2 and study.split.scheme == "per-seed" and study.split.validation == "test"
        for model in study.models:
            loop = model.loop
            assert (model.name, model.settings["width"], loop.epochs, loop.batch) == ("resnet18", 64, 200, 128)
            assert (loop.optimizer, loop.learning_rate, loop.momentum, loop.weight_decay) == ("sgd", 0.1, 0.9, 5e-4)
            assert (loop.schedule, loop.crop, loop.flip) == ("cosine", 4, True)
    drawn = {cell.labels.transforms for cell in cells_of(studies["sweep"])}
    assert drawn == {f"resampled={k}" for k in p.KS}  # with replacement: 50 votes are more than some images have


def test_laptop_runs_the_network_of_the_paper_at_a_small_width_and_says_so():
    assert SIZES["laptop"]["resnet18"].model["width"] == 4
    told = {what: here for what, _, here in differences("laptop")}
    assert "width 4" in told["model: resnet18"] and "3 seeds" in told["sweep comparison, small"]


def test_every_part_that_probes_needs_the_studies_it_looks_into(data_folder):
    for scale in ("quick", "laptop", "full"):
        parts = {part.name: part for part in PAPER.parts(scale)}
        for name, part in parts.items():
            if name.endswith("-probes"):
                assert set(part.needs) == {
                    other for other in parts if other.startswith(name.removesuffix("probes")) and other != name
                }


def tiny(part: str, labels: object = None) -> Study:
    """A study of the same arms on simulated readers of digits."""
    digits = load("digits")
    deliveries = {"main": MAIN, "family": FAMILY, "sweep": FEW}[part]
    transforms = [f"resampled={k}" for k in p.KS] if part == "sweep" else "none"
    return study_of(
        {
            "name": part,
            "seeds": SEEDS,
            "delivery": list(deliveries),
            "keep_models": True,
            "data": {
                "digits": {
                    "labels": digits if labels is None else labels,
                    "people": digits.labels,
                    "features": "pixels",
                    "images": "digits",
                }
            },
            "labels": {"transforms": transforms},
            "model": {
                "head": "mlp",
                "hidden": 16,
                "dropout": 0.0,
                "epochs": 6,
                "learning_rate": 0.01,
                "batch": 32,
                "standardise": True,
                "patience": "none",
                "keep": ["best", "last"],
            },
            "split": {"test": 0.2, "validation": "test"},
        }
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Iterator[tuple[Evidence, Path]]:
    folder = tmp_path_factory.mktemp("gheibi")
    folders = {}
    for part in ("main", "family", "sweep"):
        folders[f"heads-{part}"] = folder / part
        run_study(tiny(part), folder / part, jobs=1, say=lambda notice: None)
    yield Evidence(Results(folders, {}), "quick"), folder


def test_scores_of_a_run_judge_the_claims_about_scores(run):
    seen, _ = run
    told = (
        sweep_findings(seen)
        | stale_findings(seen)
        | main_findings(seen)
        | dynamics_findings(seen)
        | family_findings(seen)
    )
    assert set(told) <= {claim.key for claim in PAPER.claims}
    assert told["table-3-shuffled-nll"].verdict == "same direction"
    assert told["table-3-shuffled-accuracy"].verdict == "same direction"
    assert told["table-2-others-soft_nll"].verdict == "same direction"
    assert "last epoch" in told["table-1-sls-5"].ours and "best epoch" in told["table-1-sls-5"].ours
    assert told["table-1-least-p"].verdict == "equal"
    assert told["table-3-least-p"].verdict == "cannot be tested here"  # of 3 seeds, and the claim is about 5


def test_labels_of_other_items_turn_the_verdict_on_shuffling(tmp_path):
    """The method broken: targets that no longer belong to their items. Then shuffling them again ruins nothing."""
    digits = as_distributions(load("digits").labels)
    broken = digits.select(np.random.default_rng(0).permutation(digits.n_items))
    strangers = type(digits)(broken.probs, digits.items, digits.classes, broken.votes)
    folders = {}
    for part in ("main", "family"):
        folders[f"heads-{part}"] = tmp_path / part
        run_study(tiny(part, strangers), tmp_path / part, jobs=1, say=lambda notice: None)
    seen = Evidence(Results(folders, {}), "quick")
    told = family_findings(seen)["table-3-shuffled-nll"]
    assert told.verdict == "differs" and told.value.value < 0.2


def test_models_are_found_again_as_they_were_trained(run):
    _, folder = run
    study = tiny("sweep")
    (data,) = load_data(study, say=lambda notice: None).values()
    cells = list(
        load_cells(
            study, folder / "sweep", deliveries=("sls",), keep="best", transforms=("resampled=5",), seeds=2, data=data
        )
    )
    assert [cell.cell.seed for cell in cells] == [0, 1]
    cell = cells[0]
    stored = read_predictions(folder / "sweep" / "cells" / cell.key).probs
    assert np.allclose(cell.model.probs(cell.inputs(cell.parts.test)), stored)
    targets = cell.training_targets()
    assert np.allclose(5 * targets, np.round(5 * targets))  # shares of five votes
    whole = resample(as_distributions(data.labels).select(cell.parts.train), 5, np.random.default_rng([0, 22]))
    assert np.array_equal(targets, whole.probs)


def test_a_head_as_a_module_gives_the_logits_of_the_head(run):
    torch = pytest.importorskip("torch")
    _, folder = run
    study = tiny("main")
    (data,) = load_data(study, say=lambda notice: None).values()
    (cell,) = load_cells(
        study, folder / "main", deliveries=("soft",), keep="last", transforms=("",), seeds=1, data=data
    )
    rows = cell.parts.test[:20]
    ((x, people),) = batches_of(cell, rows)
    with torch.no_grad():
        logits = module_of(cell)(torch.tensor(x)).numpy()
    assert np.allclose(logits, cell.model.logits(cell.inputs(rows)), atol=1e-3)
    assert np.allclose(people, data.people.probs[rows], atol=1e-6)


def test_a_model_gains_nothing_on_itself_and_more_where_its_rival_errs_by_its_target(run):
    _, folder = run
    study = tiny("sweep")
    (data,) = load_data(study, say=lambda notice: None).values()
    soft, hard = (
        next(
            iter(
                load_cells(
                    study,
                    folder / "sweep",
                    deliveries=(name,),
                    keep="last",
                    transforms=("resampled=5",),
                    seeds=1,
                    data=data,
                )
            )
        )
        for name in ("soft", "multipass")
    )
    same = diagnose_sparsity(soft, soft, soft.parts.train, soft.training_targets())
    assert same["js"]["bins"] == [0.0] * len(same["js"]["bins"])
    other = diagnose_sparsity(soft, hard, soft.parts.train, soft.training_targets())
    assert set(other) == {"js", "l1", "high"} and any(other["js"]["bins"])
