"""`dissensus review`, and `aggregate` as users of crowd-kit and cleanlab call it."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from dissensus import load, read
from dissensus.aggregate import dawid_skene, dirichlet, item_labels, mace, majority_vote, review, wawa
from tests.cli.commands import refused, run
from tests.facts import states


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_review_shows_the_first_of_both_lists(tmp_path):
    text = run("review", "anesthesia", "--top", 2).stdout
    assert states(text, "(2 of 315)", "dawid-skene", "(2 of 45)", "0 of 6")
    facts = json.loads(run("review", "anesthesia", "--top", 3, "--json").stdout)
    assert facts == json.loads(json.dumps(review(load("anesthesia").labels).as_json(3)))
    assert json.loads(run("review", "anesthesia", "--method", "share", "--json").stdout)["method"] == "share"


def test_review_writes_every_answer_and_every_item_in_order(tmp_path):
    run("review", "anesthesia", "--votes", tmp_path / "votes.csv", "--items", tmp_path / "items.csv")
    votes, items = rows(tmp_path / "votes.csv"), rows(tmp_path / "items.csv")
    assert len(votes) == 315 and len(items) == 45
    quality = [float(row["quality"]) for row in votes]
    confidence = [float(row["confidence"]) for row in items]
    assert quality == sorted(quality) and confidence == sorted(confidence)
    assert list(votes[0]) == [
        "item",
        "annotator",
        "label",
        "quality",
        "consensus",
        "confidence",
        "others",
        "others_same",
    ]


def test_review_refuses_in_one_line_and_leaves_nothing(tmp_path):
    assert states(refused("review", "anesthesia", "--top", 0), "--top 0:", "1 or more")
    options = ["--votes", tmp_path / "v.csv", "--items", tmp_path / "i.npz"]
    assert states(refused("review", "anesthesia", *options), f"--items {tmp_path / 'i.npz'}:", ".npz", ".csv")
    nowhere = tmp_path / "no"
    line = refused("review", "anesthesia", "--votes", nowhere / "v.csv")
    assert states(line, f"--votes {nowhere / 'v.csv'}:", f"no folder {nowhere}")
    assert list(tmp_path.iterdir()) == []


def test_aggregate_writes_a_label_per_item_with_its_confidence(tmp_path):
    votes = load("anesthesia").labels
    done = run("aggregate", "anesthesia", "--method", "dawid-skene", "--labels", tmp_path / "labels.csv")
    assert states(done.stdout, 45, "dawid-skene", tmp_path / "labels.csv") and done.stdout.count("\n") == 1
    wanted = item_labels(dawid_skene(votes).distributions, votes).as_rows()
    assert [(int(row["item"]), row["label"]) for row in rows(tmp_path / "labels.csv")] == [
        (row["item"], row["label"]) for row in wanted
    ]
    both = run("aggregate", "anesthesia", "--labels", tmp_path / "l.parquet", "-o", tmp_path / "d.parquet", "--json")
    facts = json.loads(both.stdout)
    assert facts["labels"].endswith("l.parquet") and facts["output"].endswith("d.parquet") and facts["tied"] == 1
    assert "1 of 45 items" in both.stderr
    assert read(tmp_path / "l.parquet").column("confidence").max() == 1


def test_aggregate_with_nowhere_to_write_says_what_to_give(tmp_path):
    assert states(refused("aggregate", "anesthesia"), "-o FILE", "--labels FILE")
    options = ["-o", tmp_path / "d.csv", "--labels", tmp_path / "l.npy"]
    assert "--labels" in refused("aggregate", "anesthesia", *options) and list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("method", "options", "wanted"),
    [
        ("dawid-skene", ["--smoothing", 0.5], lambda votes: dawid_skene(votes, smoothing=0.5).distributions),
        ("dawid-skene", ["--iterations", 3], lambda votes: dawid_skene(votes, most_iterations=3).distributions),
        ("mace", ["--iterations", 2], lambda votes: mace(votes, most_iterations=2).distributions),
        ("dirichlet", ["--smoothing", 2], lambda votes: dirichlet(votes, 2.0)),
        ("wawa", [], lambda votes: wawa(votes).distributions),
        ("majority", [], majority_vote),
    ],
)
def test_habitual_options_reach_the_method_that_has_them(method, options, wanted, tmp_path):
    run("aggregate", "anesthesia", "--method", method, "-o", tmp_path / "d.parquet", *options)
    assert np.allclose(read(tmp_path / "d.parquet").probs, wanted(load("anesthesia").labels).probs)


def test_an_option_that_a_method_does_not_have_is_refused_with_the_methods_that_have_it(tmp_path):
    line = refused("aggregate", "anesthesia", "--method", "glad", "-o", tmp_path / "d.csv", "--smoothing", 1)
    assert states(line, "smoothing", "not for 'glad'", "dirichlet, dawid-skene and one-coin")
    line = refused("aggregate", "anesthesia", "-o", tmp_path / "d.csv", "--iterations", 5)
    methods = "shrinkage, dawid-skene, one-coin, mace and glad"
    assert states(line, "iterations", "not for 'share'", methods)
