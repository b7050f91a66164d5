"""Heads on real features: people's votes beat hard labels where images are few, and shuffled votes do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Results
from dissensus.papers.sucholutsky2023.differences import differences
from dissensus.papers.sucholutsky2023.figures import small_data_figures
from dissensus.papers.sucholutsky2023.judged_small_data import small_data_findings
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.studies import (
    EPOCHS,
    NETWORKS,
    PER_CLASS,
    RATES,
    few_network_study,
    few_study,
    head_study,
    network_study,
)
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR, head_transfer
from dissensus.study.grid import cells_of
from dissensus.study.run import run_study
from dissensus.train.networks import NETWORKS as CATALOGUE


def silent(text: object) -> None:
    pass


@pytest.fixture(scope="module")
def kinds(data_folder: Path) -> dict[str, Distributions]:
    some = label_kinds(1_200)
    return {kind: some[kind] for kind in ("hard", "H")}


def small_data(kinds: dict[str, Distributions], judges: Distributions, folder: Path) -> Results:
    """Table 1 by heads, judged by the votes as they are, whatever was learned from."""
    for count in PER_CLASS:
        study = few_study(kinds, count, 3)
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


def test_votes_beat_hard_labels_from_few_images(learned):
    found = small_data_findings(learned)
    assert found["table-1-H-80"].verdict == "same direction" and "3 of 3 seeds" in found["table-1-H-80"].ours
    assert found["small-data-u-80"].parts == ("heads-80",)
    assert found["table-1-DS-80"].verdict == "cannot be tested here"
    assert "dense.npy" in found["table-1-DS-80"].reason


def test_votes_on_other_images_do_not(broken):
    assert small_data_findings(broken)["table-1-H-80"].verdict == "differs"


def test_where_networks_learned_from_few_images_the_verdict_is_theirs(learned, broken):
    """Heads of the broken run stand for networks here; both are told, and drawn beside the paper's numbers."""
    networks = {part.replace("heads", "networks"): folder for part, folder in broken.folders.items()}
    both = Results({**learned.folders, **networks}, {})
    found = small_data_findings(both)["table-1-H-80"]
    assert found.verdict == "differs" and found.parts == ("networks-80", "heads-80")
    assert found.ours.startswith("networks: ") and "heads: " in found.ours
    drawn = small_data_figures(both)
    assert [figure.key for figure in drawn] == ["table-1-80", "table-1-8"]
    assert [series.name for series in drawn[0].series] == ["networks", "heads"]
    theirs = dict(zip(drawn[0].published[0].x, drawn[0].published[0].y, strict=True))
    assert theirs["CIFAR-10H"] == 1.67


def test_heads_are_scored_on_every_kind_of_label_and_on_shifted_images(kinds, tmp_path):
    """The cross-entropy to the votes that they are judged by is the study's own soft NLL."""
    run_study(head_study(kinds, 2, 1), tmp_path / "heads", say=silent)
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


def test_what_is_smaller_is_said(data_folder):
    said = {scale: {row[0]: row[2] for row in differences(scale)} for scale in ("quick", "laptop", "full")}
    for scale in ("quick", "laptop"):
        assert all(name in said[scale]["networks"] for name in NETWORKS.values())
        assert {"training of networks", "networks on few images"} <= said[scale].keys()
    assert "150 epochs" in said["full"]["epochs and learning rates of networks"]
    assert "were not released" in said["full"]["kinds of label"]
