"""Recalibration before aggregation: gold matched by name, and the option of `dissensus aggregate`."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from dissensus import Beliefs, Votes, complete, read
from dissensus.aggregate.aggregations import aggregate
from dissensus.aggregate.pooling import linear_pool
from dissensus.aggregate.recalibration import gold_codes, recalibrated, temperatures, temperatures_by
from dissensus.cli.main import app

SURE = "x,ann,0.99,0.01\ny,ann,0.98,0.02\nz,ann,0.99,0.01\n"
SAID = f"item,annotator,stated.a,stated.b\n{SURE}x,bo,0.6,0.4\ny,bo,0.4,0.6\nz,bo,0.7,0.3\n"
GOLD = "item,label\nz,a\ny,b\nelsewhere,a\n"


def quiet(_: str) -> None:
    """Notices are not what these tests are about."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "said.csv").write_text(SAID)
    (tmp_path / "gold.csv").write_text(GOLD)
    return tmp_path


def verb(folder, *words, code=0):
    result = CliRunner().invoke(app, ["aggregate", *map(str, words), "-o", str(folder / "out.parquet")])
    assert result.exit_code == code, result.output
    return result


def beliefs_of(folder) -> Beliefs:
    labels = read(folder / "said.csv", say=quiet)
    assert isinstance(labels, Beliefs)
    return labels


def test_gold_is_matched_by_the_names_of_items_and_classes(folder):
    beliefs = beliefs_of(folder)
    gold = Votes.of(["y", "elsewhere", "z", "z"], ["b", "a", "a", "a"])
    shuffled = Votes(item=gold.item, items=gold.items, choice=1 - gold.choice, classes=gold.classes[::-1])
    assert gold_codes(gold, beliefs).tolist() == gold_codes(shuffled, beliefs).tolist() == [-1, 1, 0]


def test_gold_that_does_not_fit_is_refused(folder):
    beliefs = beliefs_of(folder)
    with pytest.raises(ValueError, match=r"item y has the gold classes \['a', 'b'\]; expected one; 1 of 2 items have"):
        gold_codes(Votes.of(["y", "y", "x"], ["a", "b", "a"]), beliefs)
    with pytest.raises(ValueError, match=r"gold knows the classes \['a', 'c'\], the beliefs \['a', 'b'\]"):
        gold_codes(Votes.of(["y", "x"], ["a", "c"]), beliefs)
    with pytest.raises(ValueError, match=r"none of the same name \(gold begins with q, the beliefs with x\); expected"):
        gold_codes(Votes.of(["q", "r"], ["a", "b"]), beliefs)


def test_the_option_tempers_beliefs_before_they_are_pooled(folder):
    words = (folder / "said.csv", "--method", "linear-pool")
    told = verb(folder, *words, "--recalibrate", folder / "gold.csv", "--json")
    assert json.loads(told.stdout)["recalibrate"] == str(folder / "gold.csv")
    assert "recalibrated by gold: 4 known answers" in told.stderr.replace("\n", " ")
    beliefs = beliefs_of(folder)
    by_hand = linear_pool(recalibrated(beliefs, temperatures(beliefs, np.array([-1, 1, 0]))))
    found = read(folder / "out.parquet", say=quiet)
    assert np.allclose(found.probs, by_hand.probs, atol=1e-9)
    assert not np.allclose(found.probs, linear_pool(beliefs).probs, atol=0.01)


def test_the_option_takes_second_answers_where_there_are_some(folder):
    words = (folder / "said.csv", "--method", "log-pool", "--recalibrate", "repeats")
    assert "no annotator answered an item twice" in verb(folder, *words, code=2).stderr
    (folder / "said.csv").write_text(SAID + "x,ann,0.3,0.7\nx,bo,0.55,0.45\n")
    told = verb(folder, *words, "--repeats", "keep").stderr.replace("\n", " ")
    assert "recalibrated by repeats: 4 known answers" in told


def test_recalibration_is_refused_where_it_would_do_nothing(folder):
    said = (folder / "said.csv",)
    line = verb(folder, *said, "--method", "share", "--recalibrate", "repeats", code=2).stderr
    assert "recalibrate only matters to dawid-skene, linear-pool and log-pool, not to 'share'; leave it out" in line
    line = verb(folder, *said, "--method", "log-pool", "--recalibrate", "nowhere.csv", code=2).stderr
    assert "--recalibrate nowhere.csv: no such file; expected repeats, or a file with item and label" in line
    line = verb(folder, *said, "--method", "log-pool", "--recalibrate", folder / "said.csv", code=2).stderr
    assert "expected one row per item with its right label" in line
    assert not (folder / "out.parquet").exists()
    with pytest.raises(ValueError, match="recalibrate changes how sure beliefs are, and Votes do not say how sure"):
        aggregate(Votes.of(["x"], ["a"], ["ann"]), "log-pool", recalibrate="repeats")


@pytest.mark.parametrize("known", ["repeat", {"a": "x"}])
def test_what_cannot_be_recalibrated_by_is_refused(known):
    beliefs = complete(Beliefs.of_votes(Votes.of(["a", "a"], ["x", "y"], [1, 2])))
    with pytest.raises(ValueError, match='expected "repeats", or Votes with the right class of each item'):
        temperatures_by(known, beliefs)
