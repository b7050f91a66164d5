"""A study of a user's own files: 120 items with six votes each, four features, and a small head."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from typer.testing import CliRunner

from dissensus.cli.main import app
from dissensus.files import write
from tests.study.world import answers

STUDY = """\
name = "own files"
seeds = 2  # two to begin with
delivery = ["soft", "majority"]

[data.world]
labels = "{folder}/votes.csv"
features = "{folder}/x.npy"

[labels]
votes = "all"

[model]
head = "mlp"
epochs = 3
hidden = 8

[split]
scheme = "per-seed"

[evaluate]
metrics = ["soft_nll", "accuracy"]
slices = ["disagreement"]

[compare]
baseline = {{delivery = "soft"}}
"""


def dissensus(*words: Any) -> Any:
    """Call the command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words])


def make_study(folder: Path) -> Path:
    """Votes, features and a study of them in a folder; the study's file."""
    votes, features = answers()
    write(votes, folder / "votes.csv", say=lambda notice: None)
    np.save(folder / "x.npy", features.values)
    (folder / "x.npy.json").write_text(json.dumps({"items": features.items.tolist()}))
    (folder / "study.toml").write_text(STUDY.format(folder=folder))
    return folder / "study.toml"


def changed(file: Path, *pairs: tuple[str, str], name: str = "changed.toml") -> Path:
    """Another study beside one, with some text replaced."""
    text = file.read_text()
    for old, new in pairs:
        assert old in text, f"{old!r} is not in the study"
        text = text.replace(old, new, 1)
    (file.parent / name).write_text(text)
    return file.parent / name
