"""A cell is named by what decides its result, and is there whole or not at all."""

import json
from dataclasses import replace

import numpy as np
import pytest

from dissensus.labels.distributions import Distributions
from dissensus.study.cells import (
    canonical,
    key_of,
    read_predictions,
    read_record,
    read_records,
    settings_of,
    sweep,
    write_cells,
)
from dissensus.study.checks import tasks_of
from dissensus.study.read_data import load_data
from dissensus.study.read_spec import study_of
from dissensus.study.run import known_cells
from dissensus.study.versions import METHODS, versions_of
from tests.facts import refuses
from tests.study.world import answers, small_study

DONE = {
    "status": "done",
    "arm": {},
    "seed": 0,
    "fold": None,
    "settings": {"seed": 0, "fold": None},
    "scores": {},
    "slices": {},
}


def keys(study):
    return [task.key for task in tasks_of(study, load_data(study))]


def test_a_name_depends_on_settings_and_content_and_on_nothing_else():
    study = small_study()
    assert keys(study) == keys(small_study(name="other", question="?", data={"moved": vars(study.data["world"])}))
    assert set(keys(study)).isdisjoint(keys(small_study(split={"test": 0.3})))
    longer = keys(small_study(seeds=7))
    assert longer[: len(keys(study))] == keys(study)
    assert len(longer) == 14


def test_one_other_answer_means_other_cells():
    votes, features = answers()
    changed = votes.choice.copy()
    changed[5] = (changed[5] + 1) % 3
    other = small_study(data={"world": {"labels": replace(votes, choice=changed), "features": features}})
    assert set(keys(small_study())).isdisjoint(keys(other))


def test_a_new_meaning_of_a_method_changes_the_cells_that_use_it():
    study = small_study()
    data = load_data(study)["world"]
    soft, majority = (settings_of(task.cell, study, data) for task in tasks_of(study, {"world": data})[:2])
    METHODS["majority"] = 2
    try:
        assert versions_of(soft) == soft["versions"]
        assert versions_of(majority) == {"study": 1, "majority": 2}
        assert key_of(settings_of(tasks_of(study, {"world": data})[1].cell, study, data)) != key_of(majority)
    finally:
        del METHODS["majority"]


def test_the_order_of_probes_makes_no_other_cells():
    network = {
        "data": {"d": {"labels": "digits", "images": "digits"}},
        "seeds": 1,
        "model": {"network": "small", "epochs": 1},
    }
    first, second = (
        study_of(network | {"evaluate": {"probes": probes}})
        for probes in (["attacks", "gradients"], ["gradients", "attacks"])
    )
    assert keys(first) == keys(second) != keys(study_of(network))


def test_the_size_a_network_was_published_with_may_be_written_out():
    def sized(**size):
        model = {"network": "small", "epochs": 1} | size
        return keys(study_of({"data": {"labels": "digits", "images": "digits"}, "seeds": 1, "model": model}))

    assert sized() == sized(width="none", depth=4) == sized(width=16) != sized(width=8)


def test_settings_have_one_spelling():
    assert canonical({"b": [1, 2.5], "a": None}) == '{"a":null,"b":[1,2.5]}'
    assert canonical({"a": "é"}) == '{"a":"\\u00e9"}'


def test_what_is_half_written_is_not_there(tmp_path):
    record = DONE | {"cell": "abc"}
    guess = Distributions(np.array([[0.5, 0.5]]), ["x"], ("a", "b"))
    write_cells(tmp_path, [(record, guess, {"model.bin": b"1"})])
    assert read_record(tmp_path / "abc") == record
    assert np.array_equal(read_predictions(tmp_path / "abc").probs, guess.probs)
    (tmp_path / ".abd-12345678").mkdir()
    (tmp_path / ".abd-12345678" / "record.json").write_text("{")
    sweep(tmp_path)
    assert [place.name for place in tmp_path.iterdir()] == ["abc"]
    write_cells(tmp_path, [(record | {"status": "failed", "error": "?"}, None, {})])
    assert read_record(tmp_path / "abc")["status"] == "failed"
    assert [place.name for place in (tmp_path / "abc").iterdir()] == ["record.json"]


def test_two_settings_with_one_name_are_refused(tmp_path):
    study = small_study()
    tasks = tasks_of(study, load_data(study))
    other = DONE | {"cell": tasks[0].key, "settings": dict(tasks[1].settings)}
    (tmp_path / tasks[0].key).mkdir()
    (tmp_path / tasks[0].key / "record.json").write_text(json.dumps(other))
    with refuses(tmp_path / tasks[0].key, "another cell"):
        known_cells(tasks, tmp_path)
    (tmp_path / tasks[0].key / "record.json").write_text("{")
    with refuses(tmp_path / tasks[0].key / "record.json", "cannot be read", "remove the folder"):
        known_cells(tasks, tmp_path)


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ([], ["list"]),
        ({"format": 2}, ["format 2", "knows 1"]),
        ({"status": "begun"}, ["status", "'begun'", "done, failed"]),
        ({"status": "failed"}, ["no error"]),
        ({"cell": "abd"}, ["abd", "abc"]),
        ({"seed": 7}, ["seed and fold", "settings"]),
    ],
)
def test_a_record_that_no_run_has_written_is_refused_with_what_to_do(tmp_path, change, facts):
    (tmp_path / "cells" / "abc").mkdir(parents=True)
    record = DONE | {"cell": "abc"} | change if isinstance(change, dict) else change
    (tmp_path / "cells" / "abc" / "record.json").write_text(json.dumps(record))
    path = tmp_path / "cells" / "abc" / "record.json"
    with refuses(f"{path}:", "cannot be read", *facts, "remove the folder"):
        read_records(tmp_path)


def test_predictions_that_are_gone_are_named_with_what_to_do(tmp_path):
    with refuses("no such file", f"remove the folder {tmp_path / 'abc'}"):
        read_predictions(tmp_path / "abc")


def test_what_others_keep_beside_cells_is_not_swept_away(tmp_path):
    cells = tmp_path / "cells"
    for name in (".git", ".old-0e511833b22aec89-0a1b2c3d", ".0e511833b22aec89-0a1b2c3d"):
        (cells / name).mkdir(parents=True)
    (cells / "notes.txt").write_text("mine")
    sweep(cells)
    assert sorted(place.name for place in cells.iterdir()) == [".git", "notes.txt"]
    assert read_records(tmp_path) == []
