"""What makes a cell run again: other settings, other data, a new meaning of a method; never the text of the code."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dissensus
from dissensus.labels import Votes
from dissensus.study import study_of
from dissensus.study.checks import tasks_of
from dissensus.study.read_data import load_data
from dissensus.train.heads import FeatureTable

KEYS = {
    ("soft", 0): "7c2fb49c34f0ec47",
    ("majority", 0): "667f9e8f736739cc",
    ("soft", 1): "e70230cf5b901688",
    ("majority", 1): "49db9935641c87b0",
}
"""Recorded when studies came: a change here makes everybody's finished cells run again."""


def votes(changed=()):
    """Three answers to each of twelve items, by counting."""
    choice = np.arange(36) * 7 // 5 % 3
    for place in changed:
        choice[place] = (choice[place] + 1) % 3
    return Votes(
        item=np.repeat(np.arange(12), 3),
        items=[f"i{place}" for place in range(12)],
        choice=choice,
        classes=("a", "b", "c"),
        annotator=np.tile(np.arange(3), 12),
        annotators=["x", "y", "z"],
    )


def keys(labels=None, features=None, **changes):
    """(delivery, seed) -> name of the cell's folder."""
    table = np.arange(24, dtype=np.float32).reshape(12, 2) / 8 if features is None else features
    values = {
        "name": "fixed",
        "seeds": 2,
        "delivery": ["soft", "majority"],
        "model": {"head": "linear", "epochs": 4},
        "data": {"d": {"labels": labels or votes(), "features": FeatureTable(table, [f"i{p}" for p in range(12)])}},
    }
    study = study_of(values | changes)
    return {(task.cell.delivery, task.cell.seed): task.key for task in tasks_of(study, load_data(study))}


def test_names_of_cells_are_those_of_the_day_studies_came():
    assert keys() == KEYS


def test_names_have_nothing_to_do_with_names_order_and_what_is_shown():
    shown = {"evaluate": {"metrics": ["kl"], "slices": ["majority"]}, "compare": {"baseline": {"delivery": "soft"}}}
    assert keys(name="other", question="why?", keep_models=True, **shown) == KEYS
    assert keys(seeds=[1, 0], delivery=["majority", "soft"]) == KEYS
    assert keys(model={"epochs": 4, "batch": 32, "head": "linear"}) == KEYS, "a default may be written out"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"model": {"head": "linear", "epochs": 4}}, {"model": {"head": "linear", "epochs": 4, "weight_decay": 0}}),
        ({"model": {"head": "mlp", "learning_rate": 1}}, {"model": {"head": "mlp", "learning_rate": 1.0}}),
        ({"model": {"head": "logistic", "penalty": 1}}, {"model": {"head": "logistic", "penalty": np.float32(1)}}),
        ({"model": {"head": "linear", "epochs": 4}}, {"model": {"head": "linear", "epochs": np.int64(4)}}),
        ({"model": {"head": "mlp", "hidden": [4]}}, {"model": {"head": "mlp", "hidden": np.array([4])}}),
        ({"split": {"validation": 0}}, {"split": {"validation": 0.0}}),
        ({"delivery": ["soft | shuffled", "majority"]}, {"delivery": ["soft|shuffled=", "majority"]}),
    ],
)
def test_a_number_is_the_same_however_it_is_written(one, other):
    assert list(keys(**one).values()) == list(keys(**other).values())


@pytest.mark.parametrize(
    "change",
    [
        {"labels": votes(changed=[5])},
        {"features": np.arange(24, dtype=np.float32).reshape(12, 2) / 4},
        {"model": {"head": "linear", "epochs": 5}},
        {"model": {"head": "mlp", "epochs": 4}},
        {"split": {"test": 0.25}},
    ],
    ids=["a vote", "a feature", "a setting", "a model", "a split"],
)
def test_other_data_and_settings_change_every_cell(change):
    assert not set(keys(**change).values()) & set(KEYS.values())


def test_what_is_added_leaves_the_others_as_they_are():
    more = keys(seeds=3, delivery=["soft", "majority", "soft | tempered=2"])
    assert len(more) == 9 and more.items() > KEYS.items()


def test_renaming_a_variable_in_the_code_reruns_nothing(tmp_path):
    """A copy of the package with other names and comments in all modules of studies names cells alike."""
    copy = tmp_path / "dissensus"
    shutil.copytree(Path(dissensus.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__"))
    renamed = 0
    for path in [*(copy / "study").glob("*.py"), *(copy / "deliver").glob("*.py")]:
        text, count = re.subn(r"\bsettings = ", "settings = renamed = ", path.read_text())
        path.write_text(text + "\n# a comment\n")
        renamed += count
    assert renamed > 3
    code = (
        "import json, runpy, dissensus\n"
        f"named = runpy.run_path({str(Path(__file__))!r})['keys']()\n"
        "print(json.dumps([dissensus.__file__, *named.values()]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path), "PATH": ""}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [str(copy / "__init__.py"), *KEYS.values()]
