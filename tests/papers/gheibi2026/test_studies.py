"""What is run for Gheibi 2026: `full` is the protocol of the paper, and a run becomes evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.datasets import load
from dissensus.evaluate.closeness import soft_nll
from dissensus.labels.sampling import resample
from dissensus.labels.shares import as_distributions
from dissensus.papers.evidence import Candidate, Evidence, Number
from dissensus.papers.gheibi2026.figures import figures
from dissensus.papers.gheibi2026.measures import batches_of, diagnose_sparsity, module_of
from dissensus.papers.gheibi2026.observe import best_epoch, near_epoch, observe
from dissensus.papers.gheibi2026.paper import PAPER, differences
from dissensus.papers.gheibi2026.studies import FAMILY, FEW, HARD, KS, MAIN, SIZES, studies_of
from dissensus.papers.gheibi2026.trained import load_cells
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.outcomes import Judgement
from dissensus.papers.paper import Results
from dissensus.papers.strength import SHOWN
from dissensus.study import cells_of, read_folder, read_predictions, run_study, study_of
from dissensus.study.read_data import load_data
from dissensus.study.spec import Study
from tests.papers.gheibi2026.made_up import probe_numbers

SEEDS, EPOCHS = 4, 55  # more epochs than the 51 votes of CIFAR-10H
BEST, LAST = Candidate("heads", "best epoch"), Candidate("heads", "last epoch")
IDENTITIES = dict.fromkeys(("loss", "gradient", "covariance", "parameters", "square", "unanimous"), 0.0)
THEORY = IDENTITIES | {"squared_error": {"1": 1.0, "2": 1.01}, "growth": {"cat": 0.99, "dog": 0.98}}
PARTS = ("main", "family", "sweep")


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
    assert drawn == {f"resampled={k}" for k in KS}  # with replacement: 50 votes are more than some images have


def test_differences_name_only_what_differs():
    full = [row for row in differences("full") if row[0].endswith("ResNet-18") and not row[0].startswith("curvature")]
    assert full == []
    here = {aspect: ours for aspect, _, ours in differences("laptop")}
    assert here["epochs: heads on frozen features"] == "60" and "seeds, few votes: heads on frozen features" not in here
    assert here["passes over all votes: heads on frozen features"] == "1.2"
    assert list(SIZES["laptop"]) == ["heads"]


def test_each_study_of_a_model_is_probed_by_a_part_of_its_own(data_folder):
    for scale in PAPER.scales:
        parts = {part.name: part for part in PAPER.parts(scale)}
        probed = {name: part.needs for name, part in parts.items() if "-probes-" in name}
        assert probed == {
            f"{model}-probes-{study}": (f"{model}-{study}",)
            for model in SIZES[scale]
            for study in studies_of(model, scale)
        }


def tiny(part: str, labels: object = None, epochs: int = EPOCHS, rate: float = 0.003) -> Study:
    """A study of the same arms on simulated readers of digits."""
    digits = load("digits")
    deliveries = {"main": MAIN, "family": FAMILY, "sweep": FEW}[part]
    transforms = [f"resampled={k}" for k in KS] if part == "sweep" else "none"
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
                "epochs": epochs,
                "learning_rate": rate,
                "batch": 32,
                "standardise": True,
                "patience": "none",
                "keep": ["best", "last"],
            },
            "split": {"test": 0.2, "validation": "test"},
        }
    )


def results_of(folder: Path, **settings: Any) -> Results:
    for part in PARTS:
        run_study(tiny(part, **settings), folder / part, jobs=1, say=lambda notice: None)
    return Results({f"heads-{part}": folder / part for part in PARTS}, {"proposition": THEORY})


def judged(evidence: Evidence) -> dict[str, Judgement]:
    return judgements(judge_claims(PAPER, evidence))


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Iterator[tuple[Results, Path]]:
    folder = tmp_path_factory.mktemp("gheibi")
    yield results_of(folder), folder


def with_arms(evidence: Evidence, sources: Mapping[str, str]) -> Evidence:
    """Evidence in which arms have the scores of other arms; the labels that they have shown stay."""
    return Evidence(
        {
            candidate: {
                number: known.get(number._replace(arm=sources.get(number.arm, number.arm)), runs)
                if number.metric != SHOWN
                else runs
                for number, runs in known.items()
            }
            for candidate, known in evidence.values.items()
        }
    )


HOLD = ["table-3-shuffled-nll", "table-2-others-soft_nll", "table-2-sls-others-soft_nll", "figure-4-5", "figure-4-10"]


def test_scores_of_a_run_judge_the_claims_about_scores(run):
    ours = judged(observe(run[0], "quick"))
    assert {ours[key].verdict for key in HOLD} <= {"equal", "same direction"}


def test_sls_that_draws_labels_of_other_items_turns_its_claims_to_differs(run):
    """The method broken: SLS is shuffled SLS."""
    ours = judged(with_arms(observe(run[0], "quick"), {"sls": "shuffled"}))
    keys = ["table-2-soft_nll", "table-2-kl", "table-2-sls-others-soft_nll"]
    keys += ["table-3-multipass-sls", "table-3-deterministic_control-sls"]
    assert {key: ours[key].verdict for key in keys} == dict.fromkeys(keys, "differs")


def test_labels_that_are_not_held_and_exchanged_deliveries_turn_their_claims_to_differs(run):
    evidence = observe(run[0], "quick")
    ours = judged(with_arms(evidence, {"held": "sls"}))
    assert {ours[f"figure-4-{every}"].verdict for every in (5, 10)} == {"differs"}
    ours = judged(with_arms(evidence, {"soft": "majority", "sls": "majority", "majority": "soft"}))
    assert ours["table-2-others-soft_nll"].verdict == "differs"


def test_labels_of_other_items_for_all_deliveries_are_too_weak_and_shuffling_ruins_nothing_more(tmp_path):
    """Targets that do not belong to their items: no delivery learns, so nothing can be said about any."""
    digits = as_distributions(load("digits").labels)
    broken = digits.select(np.random.default_rng(0).permutation(digits.n_items))
    strangers = type(digits)(broken.probs, digits.items, digits.classes, broken.votes)
    made = judged(observe(results_of(tmp_path, labels=strangers, epochs=6), "quick"))["table-3-shuffled-nll"]
    assert made.verdict not in ("equal", "same direction")
    assert all("level" in outcome.weak and abs(outcome.value.value) < 0.2 for outcome in made.outcomes)


def test_one_short_epoch_is_too_weak_to_tell(tmp_path):
    ours = judged(observe(results_of(tmp_path, epochs=1, rate=1e-6), "quick"))
    tested = {key: made for key, made in ours.items() if made.outcomes and made.outcomes[0].candidate.model}
    assert len(tested) > 50
    assert {key: made.verdict for key, made in tested.items()} == dict.fromkeys(tested, "too weak to tell")


def test_every_claim_finds_its_numbers_in_the_evidence_of_quick_or_says_why_not(run):
    results = Results(run[0].folders, {"proposition": THEORY, "heads-probes-main": {"best": probe_numbers(1.0)}})
    untested = {key: made for key, made in judged(observe(results, "quick")).items() if not made.outcomes}
    absent = {"table-7-five", "table-7-control", "figure-9-overall", "figure-9-high", "figure-3-curves"}
    assert set(untested) == absent
    assert all(made.reason for made in untested.values())  # no SVHN, maps need a network, and curves their own part


def test_evidence_has_the_scores_of_the_stored_predictions_and_the_epoch_as_labels_shown(run):
    results, folder = run
    evidence = observe(results, "quick")
    study = tiny("main")
    (data,) = load_data(study, say=lambda notice: None).values()
    (cell, *_) = load_cells(
        study, folder / "main", deliveries=("sls",), keep="last", transforms=("",), seeds=1, data=data
    )
    probs = np.clip(cell.model.probs(cell.inputs(cell.parts.test)), 1e-12, 1)
    own = soft_nll(probs, cell.people(cell.parts.test).probs).mean()
    assert evidence.values[LAST][Number("soft_nll", "sls")]["seed 0"] == pytest.approx(own, rel=1e-4)
    shown = {candidate: evidence.values[candidate][Number(SHOWN, "sls")] for candidate in (BEST, LAST)}
    assert set(shown[LAST].values()) == {float(EPOCHS)}
    for record in read_folder(folder / "main").records:
        if record["arm"]["delivery"] == "sls" and record["arm"]["keep"] == "last":
            curve = record["training"]["validation soft NLL"]
            assert shown[BEST][f"seed {record['seed']}"] == curve.index(min(curve)) + 1
    arms = {number.arm for number in evidence.values[LAST] if number.metric == SHOWN}
    assert arms == {*HARD, "shuffled", "held", "hard"}


def test_cells_in_which_all_seeds_agree_are_counted(run):
    evidence = observe(run[0], "quick")
    known, count = evidence.values[LAST], 0
    for method in HARD:
        for k in KS:
            soft, hard = (known[Number("soft_nll", arm, f"K = {k}")] for arm in ("soft", method))
            count += max(hard[seed] - soft[seed] for seed in soft) < 0
    assert known[Number("agreeing_cells", "hard")] == {"all": float(count)}


def test_epochs_of_a_curve_by_a_slow_loop():
    curve = np.array([0.9, 0.52, 0.6, 0.5, 0.51])
    slow = next(epoch for epoch, value in enumerate(curve, 1) if 0.95 * value <= min(curve))
    assert (near_epoch(curve), best_epoch(curve)) == (slow, 4) == (2, 4)


def test_the_first_figure_is_the_sweep_with_the_numbers_of_the_paper(run):
    texts = {name: {"few": 5, "runs": {}} for name in ("chaosnli", "popquorn", "hs-brexit")}
    for numbers in texts.values():
        for votes in ("5", "all"):
            for delivery in ("soft", "multipass"):
                numbers["runs"] |= {f"{votes} · {delivery} · {keep}": [0.5, 0.6] for keep in ("best", "last")}
    results = Results(run[0].folders, {"proposition": THEORY, "texts": texts})
    drawn = figures(results, "quick", observe(results, "quick"))
    assert drawn[0].key.startswith("figure-1") and len({figure.key for figure in drawn}) == len(drawn)
    assert drawn[0].published[0].y == (0.5860, 0.5785, 0.5388, 0.5628)
    evidence = observe(results, "quick")
    candidate = BEST if "best" in drawn[0].key else LAST
    mean = np.mean(list(evidence.values[candidate][Number("soft_nll", "soft", "K = 5")].values()))
    assert drawn[0].series[0].y[0] == pytest.approx(mean)
    for figure in drawn:
        if figure.kind == "dots":
            assert sum(len(series.y) for series in (*figure.series, *figure.published)) <= 12


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
