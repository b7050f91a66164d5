"""Pretraining on the classes of images, done once: the network is stored under the hash of all that determines it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.datasets.catalogue import DATASETS
from dissensus.datasets.catalogue import images as load_images
from dissensus.datasets.folder import is_present, store_folders, writable_store
from dissensus.datasets.sources import describe_source, find_source
from dissensus.deliver.delivery import Delivery
from dissensus.deliver.fixed import soft
from dissensus.files.notices import Say, to_stderr
from dissensus.files.stored_results import compute_once, find_result, inputs_key
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import Refusal
from dissensus.train.fold_processes import torch_threads
from dissensus.train.loop import Training, train_module
from dissensus.train.network import Network
from dissensus.train.network_files import load_network, save_network
from dissensus.train.network_fitting import add_card
from dissensus.train.networks.catalogue import make_network
from dissensus.train.preparing import prepare
from dissensus.train.recipes import network_recipe
from dissensus.train.stored_networks import ENDING, stored_networks
from dissensus.train.train_config import TrainConfig

VERSION = 1  # of the code that trains; another one gives other bits
WIDTH, EPOCHS, CROP = 16, 8, 2  # 86% of the test images of CIFAR-10, in minutes
_LONG = 16  # characters of a hash, which a notice leaves out


@dataclass(frozen=True, eq=False)
class Pretraining:
    """A training on classes.

    name     of the stored network, such as "cifar10-swift16"
    make     makes the module
    pixels   (n, h, w, c) uint8
    targets  the classes of the same images
    threads  of torch, on which the last bits depend
    """

    name: str
    make: Callable[[], nn.Module]
    pixels: np.ndarray
    targets: Delivery
    config: TrainConfig
    threads: int = 1

    @cached_property
    def inputs(self) -> dict[str, Any]:
        """Everything that determines the weights, as JSON: images, classes, settings, initial weights, versions."""
        with torch_threads(self.threads):
            work = prepare(self.make, self.pixels, self.targets, self.config, None).work
        about = {"version": VERSION, "torch": torch.__version__, "threads": self.threads} | work
        return dict(json.loads(json.dumps(about)))

    def train(self, checkpoint: Path, quiet: bool) -> Training:
        """Train the network; rerun with the same folder of checkpoints to resume."""
        with torch_threads(self.threads):
            return train_module(self.make, self.pixels, self.targets, self.config, checkpoint=checkpoint, quiet=quiet)

    def path(self, folder: Path) -> Path:
        """Return the path of the network in a store."""
        return folder / f"{self.name}-{inputs_key(self.inputs)}{ENDING}"


def class_targets(classes: np.ndarray, names: tuple[str, ...]) -> Delivery:
    """Make certain targets of the classes of a data set.  (n,) codes"""
    return soft(Distributions(np.eye(len(names))[classes], np.arange(len(classes)), names))


def find_pretrained(work: Pretraining, say: Say = to_stderr) -> Path | None:
    """Find the stored network of exactly this training; if there are only others of its name, say how they differ."""
    for folder in filter(Path.is_dir, store_folders()):
        path = work.path(folder)
        if find_result(folder, work.name, work.inputs, files=[path], say=say) is not None:
            return path
    for other in stored_networks(work.name):
        if differences := _differences(other, work.inputs):  # none: the same settings, and the file is damaged
            say(f"{other.stem} has other settings ({', '.join(differences)}), so a network is trained")
    return None


def pretrain(
    images: str,
    *,
    width: int = WIDTH,
    epochs: int = EPOCHS,
    crop: int = CROP,
    seed: int = 0,
    threads: int = 1,
    say: Say = to_stderr,
    quiet: bool = False,
) -> Path:
    """Train `swift` by the recipe `fast` on the classes of a data set, and store it, unless it is stored already.

    images   name of a data set of images, such as "cifar10-train"
    width, epochs, crop, seed   settings of the network and of its training
    threads  of torch; another number gives other last bits
    """
    if threads < 1:
        raise Refusal("{threads}: expected a whole number of 1 or more", threads=threads)
    source = find_source(images, "images")
    if isinstance(source, Path):
        raise Refusal("is a path; expected the name of a data set of images, such as cifar10-train", images)
    family, _, split = images.rpartition("-")
    table = load_images(family, split, quiet=quiet)
    config = network_recipe("fast", width=width, epochs=epochs, crop=crop, seed=seed)
    assert config.network is not None
    work = Pretraining(
        name=f"{family}-{config.network}{width}",
        make=partial(make_network, config.network, len(table.classes), width=width),
        pixels=table.pixels,
        targets=class_targets(table.labels, table.classes),
        config=config.training,
        threads=threads,
    )

    def score(network: Network) -> dict[str, float]:
        test = f"{family}-test"
        if test == images or test not in DATASETS or not is_present(DATASETS[test]):
            return {}
        unseen = load_images(family, "test", quiet=quiet)
        correct = network.probs(unseen.pixels).argmax(axis=1) == unseen.labels
        return {f"accuracy on {test}": float(correct.mean())}

    where = describe_source(images)
    return store_pretrained(work, {"images from": where, "labels from": where}, score, say=say, quiet=quiet)


def store_pretrained(
    work: Pretraining,
    facts: Mapping[str, Any],
    score: Callable[[Network], Mapping[str, Any]],
    *,
    say: Say = to_stderr,
    quiet: bool = False,
) -> Path:
    """Train the network and store it in the data folder, unless it is there; rerun to resume.

    facts  for its card
    score  gives facts about the trained network, for its card
    """
    if (stored := find_pretrained(work, say)) is not None:
        return stored
    folder = writable_store()
    path = work.path(folder)
    state = folder / f".{path.stem}.training"

    def train() -> dict[str, Any]:
        training = work.train(state, quiet)
        about = {
            "delivery": work.targets.name,
            "items trained on": len(work.pixels),
            "image size": list(work.pixels.shape[1:3]),
            "channels": work.pixels.shape[3],
            "threads": work.threads,
            "hash of images": work.inputs["images"],
            **facts,
            **score(training.last),
        }
        save_network(add_card(training.last, "last", len(training.history), training, about), path)
        return about

    compute_once(folder, work.name, work.inputs, train, files=[path], say=say)
    rmtree(state, ignore_errors=True)
    return path


def load_weights(path: Path) -> Network:
    """Load a stored network without its card, as if it had just been trained."""
    return replace(load_network(path), card={})


def _differences(other: Path, inputs: Mapping[str, Any]) -> list[str]:
    """Name the settings in which a stored network differs, with both values where they are short."""
    try:
        known = json.loads(other.with_suffix(".json").read_bytes())["inputs"]
        there, here = ({**each, **each["config"]} for each in (known, inputs))
    except (OSError, ValueError, KeyError, TypeError):
        return ["which are unknown"]
    different = [name for name in here if name != "config" and there.get(name) != here[name]]
    return [
        name if len(str(here[name])) > _LONG else f"{name} {there.get(name)}, not {here[name]}" for name in different
    ]
