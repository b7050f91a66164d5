"""Heads on real features: people's votes beat hard labels where images are few, and shuffled votes do not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dissensus.labels.distributions import Distributions
from dissensus.papers.evidence import Candidate, Number
from dissensus.papers.outcomes import Judgement
from dissensus.papers.paper import SCALES, Results
from dissensus.papers.sucholutsky2023.differences import PAPER, differences
from dissensus.papers.sucholutsky2023.figures import small_data_figure
from dissensus.papers.sucholutsky2023.observe_models import CHANCE, observe_few, observe_uncertain
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.studies import (
    EPOCHS,
    NETWORKS,
    PER_CLASS,
    RATES,
    SIZES,
    few_network_study,
    few_study,
    head_study,
    network_study,
)
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR, head_transfer
from dissensus.study.cells import read_predictions
from dissensus.study.grid import cells_of
from dissensus.study.run import run_study
from dissensus.train.networks import NETWORKS as CATALOGUE
from tests.papers.sucholutsky2023.judged_rows import Row, judge_rows

SEEDS = 6


def silent(text: object) -> None:
    pass


@pytest.fixture(scope="module")
def kinds(data_folder: Path) -> dict[str, Distributions]:
    some = label_kinds(1_200)
    return {kind: some[kind] for kind in ("hard", "H")}


def small_data(kinds: dict[str, Distributions], judges: Distributions, folder: Path) -> Results:
    """Table 1 by heads, judged by the votes as they are, whatever was learned from."""
    for count in PER_CLASS:
        study = few_study(kinds, count, SEEDS)
        sources = {kind: replace(source, people=judges) for kind, source in study.data.items()}
        run_study(replace(study, data=sources), folder / f"heads-{count}", say=silent)
    return Results({f"heads-{count}": folder / f"heads-{count}" for count in PER_CLASS}, {})


@pytest.fixture(scope="module")
def learned(kinds, tmp_path_factory) -> Results:
    return small_data(kinds, kinds["H"], tmp_path_factory.mktemp("learned"))


@pytest.fixture(scope="module")
def broken(kinds, tmp_path_factory) -> Results:
    """The same with votes on other images."""
    votes = kinds["H"]
    moved = votes.probs[np.random.default_rng(0).permutation(votes.n_items)]
    shuffled = kinds | {"H": Distributions(moved, votes.items, votes.classes)}
    return small_data(shuffled, votes, tmp_path_factory.mktemp("broken"))


def exchanged(rows: list[Row]) -> list[Row]:
    """Hard labels and votes under each other's name."""
    swap = {"hard": "H", "H": "hard"}
    return [
        (candidate, number._replace(arm=swap[number.arm]) if number.metric == "cross_entropy" else number, runs)
        for candidate, number, runs in rows
    ]


def at_chance(rows: list[Row]) -> list[Row]:
    """Models that learned nothing: equal probabilities, up to noise."""
    rng = np.random.default_rng(0)

    def runs_of(number: Number, runs: Mapping[str, float]) -> dict[str, float]:
        value = CHANCE if number.metric == "cross_entropy" else 0.0
        return {run: value + rng.normal(0, 0.001) for run in runs}

    return [(candidate, number, runs_of(number, runs)) for candidate, number, runs in rows]


def test_votes_beat_hard_labels_from_few_images(learned):
    ours = judge_rows(observe_few(learned, "heads"))
    votes = ours["table-1-H-80"]
    assert votes.verdict in ("equal", "same direction")
    assert votes.deciding is not None and votes.deciding.agreeing == len(votes.deciding.runs) == SEEDS
    dense = ours["table-1-DS-80"]
    assert dense.verdict == "cannot be tested here" and "dense.npy" in dense.reason


def test_hard_labels_and_votes_exchanged_turn_the_verdict_to_differs(learned):
    assert judge_rows(exchanged(list(observe_few(learned, "heads"))))["table-1-H-80"].verdict == "differs"


def test_votes_on_other_images_do_not_beat_hard_labels(broken):
    """They are worse in every run; such models do not reach the level, unless they learn from many images."""
    votes = judge_rows(observe_few(broken, "heads"))["table-1-H-80"]
    assert votes.verdict in ("differs", "too weak to tell")
    assert votes.deciding is not None and min(votes.deciding.runs.values()) > 0


def test_models_at_chance_are_too_weak_to_tell(learned):
    ours = judge_rows(at_chance(list(observe_few(learned, "heads"))))
    for count in PER_CLASS:
        votes: Judgement = ours[f"table-1-H-{count}"]
        assert votes.verdict == "too weak to tell" and votes.deciding is not None and "level" in votes.deciding.weak


def test_networks_decide_table_1_if_they_reach_the_level(learned, broken):
    """Heads of either run take the place of networks here; both are drawn next to the paper's numbers."""
    networks = {part.replace("heads", "networks"): folder for part, folder in learned.folders.items()}
    both = Results({**broken.folders, **networks}, {})
    votes = judge_rows([*observe_few(both, "networks"), *observe_few(both, "heads")])["table-1-H-80"]
    assert votes.deciding is not None and votes.deciding.candidate == Candidate("networks")
    assert votes.verdict in ("equal", "same direction")
    drawn = small_data_figure(both, 80)
    assert [series.name for series in drawn.series] == ["networks", "heads"]
    theirs = dict(zip(drawn.published[0].x, drawn.published[0].y, strict=True))
    assert theirs["CIFAR-10H"] == pytest.approx(1.67 - 1.80)


def test_heads_are_scored_on_every_kind_of_label_and_on_shifted_images(kinds, tmp_path):
    """The cross-entropy to the votes that they are judged by is the study's own soft NLL."""
    run_study(head_study(kinds, "quick", 2, 1), tmp_path / "heads", say=silent)
    result = Results({"heads": tmp_path / "heads"}, {})
    numbers = head_transfer("heads", tmp_path, result.folders, silent)
    records = {(r["arm"]["data"], r["fold"]): r["scores"] for r in result.study("heads").records}
    assert numbers["shifts"] == {NEAR: 5_000, FAR: 1_065} and len(numbers["rows"]) == 4
    for row in numbers["rows"]:
        own = records[row["kind"], row["fold"]]
        assert row["labels"]["H"]["cross-entropy"] == pytest.approx(own["soft_nll"], rel=1e-4)
        assert row["shift"][FAR]["cross-entropy"] > row["shift"][NEAR]["cross-entropy"]
        assert row["shift"][FAR]["accuracy"] < row["shift"][NEAR]["accuracy"]
    assert not (tmp_path / "rows.json").exists(), "rows are kept only while they are made"
    _check_uncertain_images(result, kinds["H"])


def _check_uncertain_images(result: Results, votes: Distributions) -> None:
    """Figure 11 by a slow second road: add entropies image by image, and take the hundred largest."""
    sums: dict[int, float] = {}
    for record in result.study("heads").records:
        predicted = read_predictions(result.folders["heads"] / "cells" / record["cell"])
        for item, probs in zip(predicted.items, predicted.probs, strict=True):
            sums[int(item)] = sums.get(int(item), 0.0) - sum(p * np.log(p) for p in probs if p > 0)
    least = sorted(sums, key=lambda item: -sums[item])[:100]
    of_votes = {
        int(item): -sum(p * np.log(p) for p in probs if p > 0)
        for item, probs in zip(votes.items, votes.probs, strict=True)
    }
    rows = {number.arm: runs for _, number, runs in observe_uncertain(result)}
    (ours,), (everywhere,) = rows["100 least certain images"].values(), rows["all images"].values()
    assert ours == pytest.approx(np.mean([of_votes[item] for item in least]), rel=1e-6)
    assert everywhere == pytest.approx(np.mean(list(of_votes.values())))
    assert ours > everywhere


def test_full_is_the_papers_protocol(kinds):
    """Five networks of full size in ten folds, over learning rates and seeds; table 1 with 80 and 8 images a class."""
    study = network_study(kinds, "full", 5, EPOCHS)
    assert study.split.scheme == "k-fold" and study.split.folds == 10
    assert len(cells_of(study)) == len(kinds) * len(NETWORKS) * len(RATES) * 5 * 10
    for model in study.models:
        assert (model.settings["width"], model.settings["depth"]) == (
            CATALOGUE[model.name].width,
            CATALOGUE[model.name].depth,
        )
        assert model.settings["epochs"] == EPOCHS
    for count in PER_CLASS:
        few = few_network_study(kinds, "full", count, 5, EPOCHS)
        assert (1 - few.split.test) * kinds["H"].n_items == pytest.approx(10 * count) and few.split.validation == 0


def test_a_night_has_one_network_for_each_kind_of_label_in_table_1(kinds):
    """Otherwise it is as scale laptop; an epoch is more than one step, also of 80 images."""
    few = SIZES["overnight"]["few networks"]
    assert SIZES["overnight"] == SIZES["laptop"] | {"few networks": few}
    for count in PER_CLASS:
        study = few_network_study(kinds, "overnight", count, few["seeds"], few["epochs"][count])
        assert len(cells_of(study)) == len(kinds) * 5
        (model,) = study.models
        assert (model.name, model.settings["keep"], model.settings["optimizer"]) == ("swift", "last", "sgd")
        assert 10 * count > model.settings["batch"]
    by_default = differences("overnight"), differences("laptop")
    assert {row[0] for row in set(by_default[0]) - set(by_default[1])} == {
        "models",
        "networks",
        "runs of table 1",
        "seeds of networks",
        "epochs and learning rates of networks",
        "batch, schedule and augmentation of networks",
    }


def test_differences_from_the_paper_are_listed(data_folder):
    listed = {scale: {row[0]: row[2] for row in differences(scale)} for scale in SCALES}
    assert all(name in listed["quick"]["networks"] for name in NETWORKS.values())
    assert {"training of networks", "networks on few images"} <= listed["quick"].keys()
    assert listed["laptop"]["networks"] == listed["laptop"]["networks on few images"] == "not run"
    assert "150 epochs" in listed["full"]["epochs and learning rates of networks"]
    assert "were not released" in listed["full"]["kinds of label"]
    assert "sizes of the simulation, n and k" in listed["quick"].keys() - listed["laptop"].keys(), "laptop has all"
    cells = [cell for scale in listed for row in differences(scale) for cell in row]
    assert max(map(len, cells)) <= 120 and set(listed["full"]) <= set(PAPER)
