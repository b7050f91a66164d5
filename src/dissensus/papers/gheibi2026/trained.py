"""Trained models of a study, looked up by what they learned from, with the items each was judged on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.papers.study_runs import load_model
from dissensus.study.cells import key_of, settings_of
from dissensus.study.construct import make_labels
from dissensus.study.data import StudyData
from dissensus.study.grid import Cell, cells_of
from dissensus.study.spec import Study
from dissensus.study.splits import split_items
from dissensus.train.heads.config import Layer
from dissensus.train.heads.head import Head
from dissensus.train.heads.scaling import scales
from dissensus.train.matching import items_of
from dissensus.train.splits import Parts


@dataclass(frozen=True, eq=False)
class TrainedCell:
    """A model of a study, what it learned from and what it was judged on.

    key     the name of its cell
    cell    its settings
    parts   positions of the items learned from and judged on
    model   a Head or a Network
    """

    key: str
    cell: Cell
    parts: Parts
    model: Any
    data: StudyData

    __repr__ = shapes

    def inputs(self, rows: np.ndarray) -> Any:
        """Features or images of some items."""
        if isinstance(self.model, Head):
            assert self.data.features is not None
            return self.data.features[rows]
        assert self.data.images is not None
        return self.data.images.select(rows)

    def people(self, rows: np.ndarray) -> Distributions:
        return self.data.people.select(rows)

    def training_targets(self) -> np.ndarray:
        """The distributions that its targets were made of.  (n, k) of the items learned from"""
        labels = make_labels(items_of(self.data.labels, self.parts.train), self.cell.labels, self.cell.seed)
        return as_distributions(labels).probs

    @cached_property
    def standardised_head(self) -> tuple[Head, np.ndarray, np.ndarray]:
        """A head as it was trained, on features of mean 0 and variance 1, with their shift and scale."""
        assert isinstance(self.model, Head) and self.data.features is not None
        shift, scale = scales(self.data.features[self.parts.train], bool(self.cell.model.settings["standardise"]))
        weight, bias = self.model.layers[0]
        first = Layer(weight * scale, bias + weight @ shift)
        return Head((first, *self.model.layers[1:]), self.model.classes), shift, scale


def load_cells(
    study: Study,
    folder: Path,
    *,
    deliveries: tuple[str, ...],
    keep: str,
    transforms: tuple[str, ...],
    seeds: int,
    data: StudyData,
) -> Iterator[TrainedCell]:
    """The models of a study that was run with `keep_models`, in the order of its cells; of the first seeds."""
    for cell in cells_of(study):
        wanted = cell.delivery in deliveries and cell.labels.transforms in transforms
        if wanted and cell.model.settings["keep"] == keep and cell.seed in study.seeds[:seeds]:
            key = key_of(settings_of(cell, study, data))
            path = folder / "cells" / key / "model.safetensors"
            parts = split_items(data, study.split, cell.seed, cell.fold)
            yield TrainedCell(key, cell, parts, load_model(path), data)
