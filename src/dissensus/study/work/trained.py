"""What a training leaves for its cell, and the deliveries it learns from."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.deliver.delivery import Delivery
from dissensus.labels.display import shapes
from dissensus.study.construct import make_labels
from dissensus.study.data import StudyData
from dissensus.study.pipes import make_delivery
from dissensus.study.work.jobs import Task
from dissensus.train.matching import items_of

Files = dict[str, bytes]


@dataclass(frozen=True, eq=False)
class Trained:
    """A model's predictions, how its training went, and its files where they are kept."""

    probs: np.ndarray
    curve: dict[str, Any]
    files: Files
    probes: dict[str, Any]

    __repr__ = shapes


def deliveries_of(tasks: Sequence[Task], data: StudyData, train: np.ndarray) -> list[Delivery]:
    """One delivery for each task; labels and deliveries that tasks share are made once."""
    answers = items_of(data.labels, train)
    made: dict[Any, Any] = {}
    deliveries = []
    for task in tasks:
        cell = task.cell
        labels_key = (cell.labels, cell.seed)
        if labels_key not in made:
            made[labels_key] = make_labels(answers, cell.labels, cell.seed)
        key = (*labels_key, cell.delivery)
        if key not in made:
            made[key] = make_delivery(made[labels_key], cell.delivery, cell.seed)
        deliveries.append(made[key])
    return deliveries


def saved_files(model: Any, save: Callable[[Any, Path], Any]) -> Files:
    """The files of a saved model, by name."""
    with tempfile.TemporaryDirectory() as folder:
        save(model, Path(folder) / "model.safetensors")
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}
