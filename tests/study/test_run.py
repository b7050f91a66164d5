"""A run keeps what is there, works on what is missing, and says what failed."""

import json
import os
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dissensus.datasets.dataset import LabelledItems
from dissensus.deliver import deliver
from dissensus.evaluate import soft_nll
from dissensus.labels.shares import share
from dissensus.study import read_folder, read_predictions, run_study, summarise_study
from dissensus.study.cells import VARIES
from dissensus.study.checks import tasks_of
from dissensus.study.description import write_description
from dissensus.study.holding import hold_folder
from dissensus.study.read_data import load_data
from dissensus.study.read_spec import read_study, study_of
from dissensus.study.spec import Evaluation
from dissensus.study.splits import split_items
from dissensus.study.status import study_status
from dissensus.study.work.jobs import Job
from dissensus.study.work.work import run_job
from dissensus.train.heads import HeadConfig, train_heads
from tests.facts import refuses, states
from tests.study.world import CLASSES, N, answers, small_study


def told(folder):
    return {
        record["cell"]: {key: value for key, value in record.items() if key not in VARIES}
        for record in read_folder(folder).records
    }


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    ran = run_study(small_study(), folder)
    assert (ran.total, ran.before, ran.made, ran.failures) == (4, 0, 4, {})
    return folder


def test_a_cell_is_what_a_plain_training_of_its_head_gives(finished):
    """The second road: split, deliver and train by hand, one head alone, chosen by what people said."""
    study = small_study()
    data = load_data(study)["world"]
    for record in read_folder(finished).records:
        parts = split_items(data, study.split, record["seed"], None)
        delivery = deliver(data.labels.select(items=parts.train), record["arm"]["delivery"], record["seed"])
        config = HeadConfig(epochs=3, hidden=8, seed=record["seed"], targets="mine")
        people = share(data.labels.select(items=parts.validation))
        (trained,) = train_heads(
            data.features[parts.train],
            {"mine": delivery},
            [config],
            validation=(data.features[parts.validation], {"mine": people}),
        )
        guess = trained.head.probs(data.features[parts.test])
        assert np.array_equal(read_predictions(finished / "cells" / record["cell"]).probs, guess)
        loss = soft_nll(guess, data.people.probs[parts.test]).mean()
        assert record["scores"]["soft_nll"] == pytest.approx(loss)


def test_a_second_run_works_on_nothing(finished):
    before = told(finished)
    ran = run_study(small_study(), finished)
    assert (ran.before, ran.made) == (4, 0)
    assert told(finished) == before


def test_more_seeds_run_those_seeds(finished, tmp_path):
    run_study(small_study(), tmp_path)
    ran = run_study(small_study(seeds=4), tmp_path)
    assert (ran.total, ran.before, ran.made) == (8, 4, 4)
    assert told(tmp_path).items() >= told(finished).items()


def test_data_that_get_another_name_stay_one_arm_with_the_cells_made_since(tmp_path):
    """The name of data is no part of a cell's, so cells of both names are one study."""
    run_study(small_study(), tmp_path)
    votes, features = answers()
    ran = run_study(small_study(seeds=3, data={"renamed": {"labels": votes, "features": features}}), tmp_path)
    assert (ran.before, ran.made) == (4, 2)
    arms = summarise_study(read_folder(tmp_path)).arms
    assert [(arm.name, arm.settings["data"], len(arm.records)) for arm in arms] == [
        ("soft", "renamed", 3),
        ("majority", "renamed", 3),
    ]


def test_items_judged_on_need_not_have_the_parts_that_others_have(tmp_path):
    """One item has gold, so some seeds judge on none that has."""
    votes, features = answers()
    gold = [CLASSES[0], *[None] * (N - 1)]
    items = LabelledItems(votes, pa.table({"item": votes.items.tolist(), "gold": pa.array(gold, pa.string())}))
    study = small_study(
        data={"world": {"labels": items, "features": features}},
        delivery="soft",
        evaluate={"slices": ["gold"]},
        split={"test": 0.5},
        seeds=[8, 0],
    )
    there = [0 in split_items(load_data(study)["world"], study.split, seed, None).test for seed in study.seeds]
    assert there == [True, False]
    assert run_study(study, tmp_path).failures == {}
    assert [list(record["slices"]["gold"]) for record in read_folder(tmp_path).records] == [[CLASSES[0]], []]


def test_a_training_whose_state_was_damaged_begins_anew(tmp_path):
    """As after a power cut: no cell fails for it."""
    network = {"network": "small", "width": 2, "depth": 1, "epochs": 1}
    study = study_of({"data": {"labels": "digits", "images": "digits"}, "seeds": 1, "model": network})
    (task,) = tasks_of(study, load_data(study))
    state = tmp_path / "unfinished" / task.key / "state.safetensors"
    state.parent.mkdir(parents=True)
    state.write_bytes(b"half")
    assert run_study(study, tmp_path, jobs=1).failures == {}
    assert not (tmp_path / "unfinished").exists()


def test_the_order_and_company_of_cells_change_nothing(finished, tmp_path):
    run_study(small_study(seeds=[1], delivery="majority"), tmp_path)
    run_study(small_study(seeds=[1, 0], delivery=["majority", "soft"]), tmp_path, jobs=1)
    assert told(tmp_path) == told(finished)


def test_other_slices_are_scored_without_training(tmp_path):
    run_study(small_study(), tmp_path)
    ran = run_study(small_study(evaluate={"slices": ["disagreement", "majority"]}), tmp_path)
    assert (ran.made, ran.judged_anew) == (0, 4)
    record = read_folder(tmp_path).records[0]
    assert set(record["slices"]) == {"disagreement", "majority"}
    parts = record["slices"]["majority"]
    overall = sum(part["items"] * part["scores"]["soft_nll"] for part in parts.values()) / record["items"]["judged on"]
    assert overall == pytest.approx(record["scores"]["soft_nll"])


def test_a_column_that_says_other_things_divides_the_items_anew(tmp_path):
    votes, features = answers()
    for halves, judged in (("ab", 0), ("ba", 2), ("ba", 0)):
        items = pa.table({"item": votes.items.tolist(), "half": [halves[place % 2] for place in range(N)]})
        data = {"world": {"labels": LabelledItems(votes, items), "features": features}}
        study = small_study(data=data, delivery="soft", evaluate={"slices": ["half"]})
        assert run_study(study, tmp_path / "kept").judged_anew == judged
        run_study(study, tmp_path / halves)
        assert told(tmp_path / "kept") == told(tmp_path / halves)


def test_answers_to_items_judged_on_do_not_reach_what_is_learned(tmp_path):
    """Dawid-Skene sees the confusions of annotators; those on items judged on must not count."""
    votes, features = answers()
    given = {"labels": {"aggregation": "dawid-skene"}, "delivery": "soft", "seeds": 1}
    first = small_study(**given)
    data = load_data(first)["world"]
    test = split_items(data, first.split, 0, None).test
    spoiled = votes.choice.copy()
    there = np.isin(votes.item, test)
    spoiled[there] = np.random.default_rng(1).permutation(spoiled[there])
    for name, labels in (("a", votes), ("b", replace(votes, choice=spoiled))):
        world = {"labels": labels, "people": share(votes), "features": features}
        run_study(small_study(**given, data={"world": world}), tmp_path / name)
    guesses = [read_predictions(next((tmp_path / name / "cells").iterdir())).probs for name in "ab"]
    assert np.array_equal(*guesses)


def test_a_cell_that_fails_leaves_the_others_and_a_record(tmp_path):
    """A class that only an item to choose by has cannot be learned from soft labels; drawn ones do not tell."""
    votes, features = answers()
    rare = replace(votes, choice=np.where(votes.item == 0, 2, np.minimum(votes.choice, 1)))
    parts = tmp_path / "parts.csv"
    part = ["validation" if place < 20 else "test" if place < 40 else "train" for place in range(votes.n_items)]
    parts.write_text("item,part\n" + "".join(f"i{place},{name}\n" for place, name in enumerate(part)))
    values = {
        "data": {"world": {"labels": rare, "features": features}},
        "delivery": ["sls", "soft"],
        "seeds": 1,
        "split": {"scheme": "file", "file": str(parts)},
    }
    ran = run_study(small_study(**values), tmp_path / "study")
    assert ran.made == 2
    ((key, error),) = ran.failures.items()
    record = json.loads((tmp_path / "study" / "cells" / key / "record.json").read_text())
    assert (record["status"], record["arm"]["delivery"], record["error"]) == ("failed", "soft", error)
    assert states(error, "class fox", "validation", "none in training")
    assert "Traceback" in record["traceback"]
    again = run_study(small_study(**values), tmp_path / "study")
    assert (again.made, list(again.failures)) == (0, [key])
    assert run_study(small_study(**values), tmp_path / "study", retry=True).made == 1
    with refuses(f"cell {key}", "class fox", "traceback"):
        run_study(small_study(**values), tmp_path / "study", retry=True, stop=True)


def test_two_drivers_on_one_study_are_refused_with_who_has_it(tmp_path):
    with hold_folder(tmp_path):
        since = json.loads((tmp_path / ".running.json").read_text())["since"]
        with refuses(f"{tmp_path}:", f"process {os.getpid()}", since):
            run_study(small_study(), tmp_path)
    assert not (tmp_path / ".running.json").exists()


def test_a_cell_that_cannot_be_judged_is_a_failure_with_its_traceback():
    """What a check would refuse, such as slices by a column that is not there, ends no run where it comes up later."""
    study = small_study(seeds=1)
    data = load_data(study)
    job = Job(tuple(tasks_of(study, data)), study.split, study.evaluation, keep_models=False)
    assert {outcome.record["status"] for outcome in run_job(job, data["world"])} == {"done"}
    spoiled = run_job(replace(job, evaluation=Evaluation(slices=("nowhere",))), data["world"])
    assert [outcome.record["status"] for outcome in spoiled] == ["failed", "failed"]
    for outcome in spoiled:
        assert outcome.predictions is None and "no column 'nowhere'" in outcome.record["error"]
        assert "Traceback" in outcome.record["traceback"]


@pytest.mark.parametrize("note", ["", "5", "[]", "{}", '{"pid": 1}'])
def test_a_note_that_says_nothing_keeps_nobody_from_running(finished, note):
    (finished / ".running.json").write_text(note)
    assert study_status(finished).running is None
    assert run_study(small_study(), finished).before == 4


def test_a_study_whose_file_lies_in_its_folder_keeps_what_was_edited_meanwhile(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('[data]\nlabels = "digits"\nfeatures = "pixels"\n[model]\nhead = "linear"\n')
    study = read_study(file)
    file.write_text(file.read_text() + "epochs = 2\n")
    write_description(study, [], tmp_path)
    assert file.read_text().endswith("epochs = 2\n")
    (tmp_path / "run").mkdir()
    write_description(study, [], tmp_path / "run")
    assert (tmp_path / "run" / "study.toml").read_text() == study.text.text


def test_classes_that_no_table_of_predictions_can_have_are_refused_before_anything_runs(tmp_path):
    votes, features = answers()
    labels = replace(votes, classes=("item", "dog", "fox"))
    with refuses("data.world.labels:", "class", "'item'"):
        run_study(small_study(data={"world": {"labels": labels, "features": features}}), tmp_path)
    assert not any(tmp_path.iterdir())
