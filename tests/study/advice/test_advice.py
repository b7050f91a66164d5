"""Advice on labels whose truth is known: it is right, says what it rests on, and its study can be gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dissensus.aggregate import aggregate_labels
from dissensus.files import write
from dissensus.labels import Votes, simulate_truth, simulate_votes
from dissensus.labels.as_json import json_text
from dissensus.labels.simulate import simulate_beliefs
from dissensus.report import html_page
from dissensus.report.tables import Table
from dissensus.study import advise_labels, describe_advice, read_study, run_study
from dissensus.study.toml_text import write_study
from dissensus.train.heads import FeatureTable
from tests.facts import states
from tests.study.world import answers


def quiet(notice: str) -> None:
    """Which items match is of no interest here."""


def kl(truth: np.ndarray, probs: np.ndarray) -> float:
    return float(np.where(truth > 0, truth * np.log(truth / probs), 0.0).sum(axis=1).mean())


@pytest.mark.parametrize(("per_item", "skill"), [(3, 0.95), (10, 0.7)])
def test_the_advised_estimate_is_nearest_to_what_the_crowd_would_answer(per_item, skill):
    """One right class, read by people who err: dirichlet adds too much to a class, an annotator model too little."""
    rng = np.random.default_rng(per_item)
    crowd = simulate_votes(simulate_truth(500, 4, rng, 0.01), per_item, 30, rng, skill=skill)
    people = crowd.truth.probs @ crowd.confusion.mean(axis=0)
    advice = advise_labels(crowd.votes, rng)
    errors = {
        name: kl(people, aggregate_labels(crowd.votes, name).distributions.probs)
        for name in ("dirichlet", "shrinkage", "one-coin", "dawid-skene")
    }
    assert advice.recommended.estimator == min(errors, key=lambda name: errors[name])
    assert advice.recommended.estimator_basis == "evidence"


def test_answers_show_whether_annotators_differ_or_items_do():
    """Spammers among people who know: who answers matters. People who see items alike, and are torn: it does not."""
    rng = np.random.default_rng(0)
    spammed = simulate_votes(simulate_truth(300, 3, rng, 0.01), 5, 20, rng, skill=0.95, spammers=8)
    disputed = simulate_votes(simulate_truth(300, 3, rng, 6.0), 5, 20, rng)
    advice = advise_labels(spammed.votes, rng)
    right = aggregate_labels(spammed.votes, advice.recommended.right_class).distributions.probs.argmax(axis=1)
    majority = aggregate_labels(spammed.votes, "majority").distributions.probs.argmax(axis=1)
    truth = spammed.truth.probs.argmax(axis=1)
    assert advice.recommended.right_class_basis == "evidence"
    assert (right == truth).mean() > (majority == truth).mean()
    torn = advise_labels(disputed.votes, rng)
    assert torn.authors is not None and torn.authors.chosen == "annotator ignored"
    assert torn.recommended.right_class_basis == "doubt" and states(torn.why["right_class"][0], "no single class")


def test_one_answer_each_is_no_evidence_and_the_advice_says_so():
    votes = Votes.of([f"i{i}" for i in range(20)], ["x", "y"] * 10, ["ann", "bo"] * 10)
    advice = advise_labels(votes, np.random.default_rng(0))
    assert advice.answers is None and advice.recommended.estimator_basis == "rule"
    assert states(advice.why["estimator"][0], "two answers")


def test_probabilities_stay_what_they_are():
    advice = advise_labels(simulate_truth(20, 3, np.random.default_rng(0)), np.random.default_rng(0))
    assert advice.recommended.estimator == "none" and advice.answers is None
    assert states(advice.why["estimator"][0], "probabilities", "held out")


def test_partial_beliefs_get_a_completion():
    rng = np.random.default_rng(0)
    beliefs = simulate_beliefs(simulate_truth(60, 4, rng), 4, 10, rng)
    advice = advise_labels(beliefs, rng)
    assert advice.answers is not None and "t2-clamp" in advice.recommended.labels
    assert any("first choice" in sentence for sentence in advice.why["estimator"])


def test_the_same_seed_gives_the_same_advice_and_it_is_plain_json():
    votes, _ = answers()
    first, again = (json_text(advise_labels(votes, np.random.default_rng(5))) for _ in range(2))
    assert first == again and json.loads(first)["recommendation"]


def test_a_study_learns_from_each_way_and_its_file_knows_its_cells(tmp_path: Path):
    votes, features = answers()
    np.save(tmp_path / "x.npy", features.values)
    (tmp_path / "x.npy.json").write_text(json.dumps({"items": features.items.tolist()}), encoding="utf-8")
    write(votes, tmp_path / "votes.csv")
    advice = advise_labels(votes, np.random.default_rng(0), features, folder=tmp_path / "study", seeds=1, say=quiet)
    study = advice.study
    assert study is not None and not study.failed and study.ladder.units == 5
    assert study.ladder.start == "soft" and {"multipass", "soft of shrinkage"} <= set(study.scores)
    assert study.scores["soft of dirichlet"]["soft_nll"] == pytest.approx(study.ladder.rung("soft of dirichlet").loss)
    page = html_page(describe_advice(advice, "votes", ["dissensus aggregate votes.csv"]))
    assert "Training on it" in page and "http" not in page.replace("http://www.w3.org/2000/svg", "")
    tables = [block for block in describe_advice(advice).blocks() if isinstance(block, Table)]
    assert len(tables) == 3
    for table in tables:
        assert {column.format for column in table.heads if column.number} == {".3f", "+.3f", "p"}
        compared = [dict(zip((c.title for c in table.heads), row.cells, strict=True)) for row in table.lines]
        assert len({row.get("compared with") for row in compared} - {None}) != 1, "a common rival is named above"

    places = {"labels": str(tmp_path / "votes.csv"), "features": str(tmp_path / "x.npy"), "by_position": False}
    assert write_study(study.values, tmp_path / "s.toml", **places) == []  # type: ignore[arg-type]
    ran = run_study(read_study(tmp_path / "s.toml"), tmp_path / "study", say=quiet)
    assert (ran.made, ran.before) == (0, len(study.scores) * 5)
    write(votes.select(items=np.arange(60)), tmp_path / "votes.csv")
    copies = write_study(study.values, tmp_path / "s.toml", **places)  # type: ignore[arg-type]
    assert copies == [tmp_path / "s.labels.parquet"]
    assert run_study(read_study(tmp_path / "s.toml"), tmp_path / "study", say=quiet).made == 0


def test_no_difference_is_called_none():
    """Features that say nothing: nothing drawn from the answers teaches more than the answers' shares do."""
    votes, features = answers()
    noise = FeatureTable(np.random.default_rng(0).permutation(features.values), features.items)
    recommended = advise_labels(votes, np.random.default_rng(0), noise, seeds=1, say=quiet).recommended
    assert (recommended.labels, recommended.delivery) == ("answers", "soft")
    assert recommended.training_basis == "simplest"
