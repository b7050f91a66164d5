"""Heads of a job, trained together on the features they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dissensus.study.data import StudyData
from dissensus.study.work.jobs import Job, Task
from dissensus.study.work.trained import Trained, deliveries_of, saved_files
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.heads.model_files import save_head
from dissensus.train.heads.penalty import choose_penalty
from dissensus.train.heads.scaling import scales, undo_scaling
from dissensus.train.heads.training import train_heads
from dissensus.train.splits import Parts
from dissensus.train.targets import target_rows


def train_head_cells(job: Job, data: StudyData, parts: Parts, threads: int) -> list[Trained]:
    """One head for each task; which others are trained with it changes nothing."""
    model = job.tasks[0].cell.model
    assert data.features is not None
    shift, scale = scales(data.features[parts.train], bool(model.settings["standardise"]))
    x = (data.features - shift) / scale  # (n, d)
    solve = _logistic_heads if model.name == "logistic" else partial(_adam_heads, threads=threads)
    trained = []
    for solved, curve in solve(job.tasks, x, data, parts):
        head = Head(undo_scaling(solved.layers, shift, scale), data.people.classes)
        files = saved_files(head, save_head) if job.keep_models else {}
        trained.append(Trained(head.probs(data.features[parts.test]), curve, files, {}))
    return trained


def _adam_heads(
    tasks: Sequence[Task], x: np.ndarray, data: StudyData, parts: Parts, threads: int
) -> Iterator[tuple[Head, dict[str, Any]]]:
    deliveries = deliveries_of(tasks, data, parts.train)
    names = {id(delivery): str(place) for place, delivery in enumerate(deliveries)}
    targets = {names[id(delivery)]: delivery for delivery in deliveries}
    configs = [_config(task, names[id(it)], parts) for task, it in zip(tasks, deliveries, strict=True)]
    validation = None
    if parts.validation.size:
        people = data.people.select(parts.validation)
        validation = (x[parts.validation], dict.fromkeys(targets, people))
    for trained in train_heads(x[parts.train], targets, configs, validation=validation, threads=threads):
        losses = [round(float(loss), 6) for loss in trained.validation_losses]
        yield trained.head, {"epoch": trained.epoch, "validation soft NLL": losses}


def _config(task: Task, targets: str, parts: Parts) -> HeadConfig:
    config = replace(task.cell.model.head, targets=targets, seed=task.cell.seed)
    return config if parts.validation.size else replace(config, patience=None, keep="last")


def _logistic_heads(
    tasks: Sequence[Task], x: np.ndarray, data: StudyData, parts: Parts
) -> Iterator[tuple[Head, dict[str, Any]]]:
    for task, delivery in zip(tasks, deliveries_of(tasks, data, parts.train), strict=True):
        if not delivery.fixed or delivery.mixes:
            raise ValueError(
                f"the delivery {delivery.name} changes with the epoch, and the logistic head needs one target per "
                "item; take the head linear or mlp"
            )
        probs, penalty = target_rows(delivery), task.cell.model.settings["penalty"]
        if penalty is None:
            if not parts.validation.size:
                raise ValueError("nothing can choose the penalty without items to choose by; give one, or validation")
            people = data.people.probs[parts.validation]
            penalty, _ = choose_penalty(x[parts.train], probs, x[parts.validation], people)
        solved = soft_logistic(x[parts.train], probs, np.ones(parts.train.size), penalty=penalty)
        yield Head((solved.layer,), data.people.classes), {"penalty": penalty, "iterations": solved.iterations}
