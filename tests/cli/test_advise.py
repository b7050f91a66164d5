"""`dissensus advise`."""

from __future__ import annotations

import json

import numpy as np

from dissensus.datasets import catalogue
from dissensus.files import write
from tests.cli.commands import refused, run
from tests.facts import states
from tests.study.world import answers


def test_people_read_what_to_do_why_and_what_next():
    text = run("advise", "anesthesia").stdout
    assert states(text.splitlines()[1], "shrinkage", "significantly better", "soft", "not tested")
    following = text.rpartition("\n\n")[2].splitlines()
    assert following[0] == "Next"
    assert following[1].split()[:5] == ["dissensus", "aggregate", "anesthesia", "--method", "shrinkage"]


def test_programs_read_the_same_as_json(tmp_path):
    votes, _ = answers()
    write(votes, tmp_path / "votes.csv")
    advice = json.loads(run("advise", tmp_path / "votes.csv", "--json", "--html", tmp_path / "a.html").stdout)
    assert advice["regime"]["per_item"] == {"min": 6, "median": 6.0, "max": 6}
    assert advice["recommendation"]["estimator"] == advice["evidence"]["held_out_answers"]["log_loss"]["chosen"]
    assert advice["evidence"]["study"] is None
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")


def test_a_data_set_is_loaded_once(monkeypatch):
    loaded = []

    def count_loads(name, load=catalogue.load):
        loaded.append(name)
        return load(name)

    monkeypatch.setattr(catalogue, "load", count_loads)
    run("advise", "anesthesia", "--json")
    assert loaded == ["anesthesia"]


def test_a_study_is_kept_in_its_folder_and_its_file_finds_it_there(tmp_path):
    votes, features = answers()
    write(votes, tmp_path / "votes.csv")
    np.save(tmp_path / "x.npy", features.values)
    (tmp_path / "x.npy.json").write_text(json.dumps({"items": features.items.tolist()}))
    kept, file = tmp_path / "kept", tmp_path / "study.toml"
    words = [tmp_path / "votes.csv", tmp_path / "x.npy", "--seeds", 1, "-o", kept]
    advice = json.loads(run("advise", *words, "--study", file, "--json").stdout)
    arms = advice["evidence"]["study"]["scores"]
    assert len(list((kept / "cells").iterdir())) == 5 * len(arms)
    there = json.loads(run("study", "check", file, "-o", kept, "--no-timing", "--json").stdout)
    assert (there["there"], there["left"]) == (5 * len(arms), 0)


def test_what_is_about_the_study_needs_features(tmp_path):
    assert states(refused("advise", "anesthesia", "-o", tmp_path / "kept"), "-o", "FEATURES")
    assert states(refused("advise", "anesthesia", "--study", tmp_path / "s.toml"), "--study", "FEATURES")
    wrong, right = tmp_path / "s.txt", tmp_path / "s.toml"
    assert states(refused("advise", "digits", "pixels", "--study", wrong), f"--study {wrong}", "TOML", right)
    (tmp_path / "votes.csv").write_text("item,annotator,label\na,1,x\na,2,y\n")
    assert states(refused("advise", tmp_path / "votes.csv", "pixels"), "pixels", "images", tmp_path / "votes.csv")
