"""Checks before anything runs: every combination is made once, on a few items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec

import numpy as np

from dissensus.labels.shares import Labels
from dissensus.study.cells import key_of, settings_of
from dissensus.study.construct import make_labels
from dissensus.study.data import StudyData
from dissensus.study.grid import Cell, cells_of
from dissensus.study.model_settings import ModelSettings
from dissensus.study.pipes import make_delivery
from dissensus.study.spec import LabelRecipe, Study
from dissensus.study.splits import split_items
from dissensus.study.work.jobs import Task
from dissensus.study.work.scoring import slices_by
from dissensus.train.matching import items_of
from dissensus.train.networks.catalogue import check_network

FEW = 200  # items that deliveries are tried on


def tasks_of(study: Study, data: Mapping[str, StudyData]) -> list[Task]:
    """List all cells with their names, after all checks."""
    cells = cells_of(study)
    _check_splits(study, cells, data)
    _check_networks(study, data)
    _check_deliveries(study, cells, data)
    tasks, known = [], dict[str, Cell]()
    for cell in cells:
        settings = settings_of(cell, study, data[cell.data])
        key = key_of(settings)
        if key in known:
            twin = known[key]
            if twin.data != cell.data:
                study.text.refuse(("data", cell.data), f"has the same content as {twin.data}, so cells would repeat")
            said = ", ".join(f"{axis} {cell.arm[axis]}" for axis in ("data", "delivery", "model"))
            study.text.refuse((), f"the cell of {said} and seed {cell.seed} is there twice; expected each once")
        known[key] = cell
        tasks.append(Task(cell, key, settings))
    return tasks


def _check_splits(study: Study, cells: list[Cell], data: Mapping[str, StudyData]) -> None:
    folds = range(study.split.folds) if study.split.scheme == "k-fold" else [None]
    for name, items in data.items():
        for fold in folds:
            try:
                parts = split_items(items, study.split, study.seeds[0], fold)
            except (ValueError, OSError) as problem:
                study.text.refuse(("split",), f"{name}: {problem}")
        if not parts.validation.size:
            _check_choosing(study, [cell.model for cell in cells if cell.data == name], name)
        for by in study.evaluation.slices:
            try:
                slices_by(by, items, parts.test)
            except ValueError as problem:
                study.text.refuse(("evaluate", "slices"), str(problem))


def _check_choosing(study: Study, models: list[ModelSettings], name: str) -> None:
    """Refuse models that need validation items if the split has none."""
    for model in models:
        settings = model.settings
        chosen = {
            "penalty": model.name == "logistic" and settings["penalty"] is None,
            "patience": model.kind == "network" and settings["patience"] is not None,
            "schedule": settings.get("schedule") == "plateau",
            "scheduler": settings.get("scheduler") == "plateau",
        }
        for key in (key for key, is_chosen in chosen.items() if is_chosen):
            value = "none" if settings[key] is None else settings[key]
            study.text.refuse(
                ("model",),
                f"{model.name} with {key} {value} needs validation items, and the split has none of {name}; set "
                f"validation in [split], or change {key}",
            )


def _check_networks(study: Study, data: Mapping[str, StudyData]) -> None:
    """Make every network once, without its weights, which refuses widths and depths that it cannot have."""
    shapes = {
        (model.name, model.settings["width"], model.settings["depth"]): None
        for model in study.models
        if model.kind == "network"
    }
    if not shapes or find_spec("torch") is None:
        return
    for items in data.values():
        assert items.images is not None
        for name, width, depth in shapes:
            try:
                check_network(name, items.people.n_classes, items.images.pixels.shape[3], width=width, depth=depth)
            except ValueError as problem:
                study.text.refuse(("model",), str(problem))


def _check_deliveries(study: Study, cells: list[Cell], data: Mapping[str, StudyData]) -> None:
    """Make the labels and the delivery of every combination, of a few items."""
    tried = set()
    made: dict[tuple[str, LabelRecipe], Labels] = {}
    for cell in cells:
        combination = cell.data, cell.labels, cell.delivery, cell.model.name == "logistic"
        if combination in tried:
            continue
        tried.add(combination)
        items = data[cell.data]
        recipe = cell.data, cell.labels
        try:
            if recipe not in made:
                # Every item must have the answers that are asked for; models of annotators are tried on a few.
                make_labels(items.labels, replace(cell.labels, aggregation=None, transforms=""), cell.seed)
                few = items_of(items.labels, np.arange(min(FEW, items.n_items)))
                made[recipe] = make_labels(few, cell.labels, cell.seed)
        except ValueError as problem:
            study.text.refuse(("labels",), f"{cell.data}, {_describe_recipe(cell)}: {problem}")
        try:
            delivery = make_delivery(made[recipe], cell.delivery, cell.seed)
        except ValueError as problem:
            study.text.refuse(("delivery",), f"{cell.data}, {_describe_recipe(cell)}, {cell.delivery}: {problem}")
        if cell.model.name == "logistic" and (not delivery.fixed or delivery.mixes):
            study.text.refuse(
                ("delivery",),
                f"{cell.delivery} changes with the epoch, and the logistic head needs one target per "
                "item; use the head linear or mlp, or add the pair to [[skip]]",
            )


def _describe_recipe(cell: Cell) -> str:
    recipe = cell.labels
    steps = [f"{recipe.votes} votes per item" if recipe.votes else "all answers", recipe.completion, recipe.aggregation]
    return " | ".join(step for step in (*steps, recipe.transforms) if step)
