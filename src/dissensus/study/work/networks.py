"""Networks of a job: one training, of which the best and the last network may both be asked for."""

from __future__ import annotations

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

from dissensus.probe.inputs import image_batches
from dissensus.probe.probed import Probed
from dissensus.probe.probing import probe_network
from dissensus.study.data import StudyData
from dissensus.study.work.jobs import Job
from dissensus.study.work.trained import Trained, deliveries_of, saved_files
from dissensus.train.checkpoints import UnusableStateError
from dissensus.train.fold_processes import torch_threads
from dissensus.train.loop import Training, train_module
from dissensus.train.network import Network
from dissensus.train.network_files import save_network
from dissensus.train.networks.catalogue import make_network
from dissensus.train.splits import Parts


def train_network_cells(job: Job, data: StudyData, parts: Parts, scratch: str | None) -> list[Trained]:
    """The networks of tasks that differ at most in which one is kept, by one training in one thread."""
    with torch_threads(1):
        training = _train(job, data, parts, scratch)
        return [_of(training, task.cell.model.settings["keep"], job, data, parts) for task in job.tasks]


def _train(job: Job, data: StudyData, parts: Parts, scratch: str | None) -> Training:
    task, model, images = job.tasks[0], job.tasks[0].cell.model, data.images
    assert images is not None
    (delivery,) = deliveries_of([task], data, parts.train)
    network = partial(
        make_network,
        model.name,
        data.people.n_classes,
        width=model.settings["width"],
        depth=model.settings["depth"],
        channels=images.pixels.shape[3],
    )
    validation = None
    if parts.validation.size:
        validation = (images.select(parts.validation), data.people.select(parts.validation))
    state = None if scratch is None else Path(scratch) / task.key
    train = partial(
        train_module,
        network,
        images.select(parts.train),
        delivery,
        replace(model.loop, seed=task.cell.seed),
        validation=validation,
        checkpoint=state,
        quiet=True,
    )
    try:
        return train()
    except UnusableStateError:  # of a disk that lost some of it, or of another version: nobody else's, so it may go
        assert state is not None
        shutil.rmtree(state)
        return train()


def _of(training: Training, keep: str, job: Job, data: StudyData, parts: Parts) -> Trained:
    network: Network = training.best if keep == "best" else training.last
    assert data.images is not None
    pictures = data.images.select(parts.test)
    curve = {
        "epoch": training.best_epoch if keep == "best" else len(training.history),
        "loss": [round(epoch["loss"], 6) for epoch in training.history],
    }
    if "soft_nll" in training.history[0]:
        curve["validation soft NLL"] = [round(epoch["soft_nll"], 6) for epoch in training.history]
    probes = {}
    if job.evaluation.probes:
        batches = image_batches(network, pictures, data.people.select(parts.test))
        probes = probe_network(Probed({"model": network}, batches), job.evaluation.probes).as_json()
    files = saved_files(network, save_network) if job.keep_models else {}
    return Trained(network.probs(pictures), curve, files, probes)
