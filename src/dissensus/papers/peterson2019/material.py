"""Images and labels of sections 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.datasets.cifar10 import CLASSES
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Scale
from dissensus.papers.peterson2019.sets import (
    Inputs,
    imagenet_images,
    images_of,
    load_collected_images,
    people_of,
    some,
)
from dissensus.papers.peterson2019.sizes import SIZES

SEED = 0
VERSIONS = ("v4", "v6")  # of CIFAR-10.1: columns of table 1 if the images are in the data folder


@dataclass(frozen=True, eq=False)
class Material:
    """Images and labels for training and scoring, the same for all networks.

    pixels, people, gold  the images of CIFAR-10H
    train, classes        training images of CIFAR-10 with their classes
    elsewhere             further away: "far", ImageNet's images with a class of CIFAR-10, and CIFAR-10.1 if present
    """

    pixels: np.ndarray
    people: np.ndarray
    gold: np.ndarray
    train: np.ndarray
    classes: np.ndarray
    elsewhere: Mapping[str, Inputs]

    __repr__ = shapes

    def shares(self, rows: np.ndarray) -> Distributions:
        return Distributions(self.people[rows], rows, CLASSES)

    def arrays(self) -> dict[str, Any]:
        """Arrays by name, which `material_from` takes."""
        arrays = {name: value for name, value in vars(self).items() if name != "elsewhere"}
        for name, inputs in self.elsewhere.items():
            arrays |= {f"{name}:x": inputs.x, f"{name}:classes": inputs.classes}
        return arrays


def material_from(arrays: Mapping[str, np.ndarray]) -> Material:
    known = {name: arrays[name] for name in arrays if ":" not in name}
    names = [name.removesuffix(":x") for name in arrays if name.endswith(":x")]
    return Material(**known, elsewhere={name: Inputs(arrays[f"{name}:x"], arrays[f"{name}:classes"]) for name in names})


def material(scale: Scale) -> Material:
    size = SIZES[scale]
    people = people_of(size.images)
    assert isinstance(people.labels, Distributions)
    train = images_of("cifar10", "train")
    elsewhere = {"far": imagenet_images()["imagenet"]} | load_collected_images(None, names=VERSIONS)
    rows = some(len(train.labels), size.pretrained_on, seed=SEED)
    pixels = images_of("cifar10", "test").pixels[people.labels.items.astype(int)]
    return Material(pixels, people.labels.probs, people.gold, train.pixels[rows], train.labels[rows], elsewhere)


def classes_of(gold: np.ndarray) -> Distributions:
    """Certainty about the class of the data set.  (n,) codes -> (n, 10)"""
    return Distributions(np.eye(len(CLASSES))[gold], np.arange(len(gold)), CLASSES)
