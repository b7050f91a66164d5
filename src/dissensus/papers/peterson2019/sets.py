"""Images of CIFAR-10H with people's answers, and sets further and further away."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from dissensus.datasets.catalogue import features, images, load, lookup
from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import LabelledItems, build_labelled_items, class_names
from dissensus.datasets.folder import is_present
from dissensus.datasets.image_files import Images
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions

DRAW = 2019  # seed for drawing images if not all are used
SHIFTED = {
    "cifar10": "CIFAR-10, training images",
    "v6": "CIFAR-10.1 v6",
    "v4": "CIFAR-10.1 v4",
    "cinic10": "CINIC-10, images of ImageNet",
    "imagenet": "ImageNet at 32 pixels, classes of CIFAR-10",
    "far": "ImageNet at 32 pixels, classes near those of CIFAR-10",
}
# Sets that are scored if they are in the data folder.
COLLECTED = {"v6": ("cifar10.1", "v6"), "v4": ("cifar10.1", "v4"), "cinic10": ("cinic10", "imagenet")}
# ImageNet classes that are like a class of CIFAR-10 without being it. The paper names ibex, gazelle and zebra, and does
# not list the others: these are ours. All birds of ImageNet are birds, so there is none for them.
FAR: Mapping[str, tuple[int, ...]] = {
    "airplane": (405, 812),  # airship, space shuttle
    "automobile": (407, 573, 575, 734),  # ambulance, go-kart, golf cart, police van
    "cat": tuple(range(286, 294)),  # cougar to cheetah
    "deer": (350, 351, 352, 353),  # ibex, hartebeest, impala, gazelle
    "dog": (*range(269, 276), *range(277, 281)),  # wolves and wild dogs, foxes
    "frog": (25, 26, 27, 28),  # salamanders and newts
    "horse": (340,),  # zebra
    "ship": (472, 576, 833),  # canoe, gondola, submarine
    "truck": (586, 757, 803, 866),  # half-track, camper, snowplough, tractor
}


@dataclass(frozen=True, eq=False)
class Inputs:
    """Inputs of a model with their classes.

    x        (n, 32, 32, 3) uint8 images, or (n, d) float32 features
    classes  (n,) codes
    """

    x: np.ndarray
    classes: np.ndarray

    __repr__ = shapes


def people_of(at_most: int | None) -> LabelledItems:
    """Load CIFAR-10H: shares of people's answers, with the class of the data set as gold; all images or a sample."""
    loaded = load("cifar10h")
    people = loaded.labels
    assert isinstance(people, Distributions)
    rows = some(people.n_items, at_most)
    return build_labelled_items(people.select(rows), gold=class_names(loaded.gold[rows], people.classes))


def one_hot(items: LabelledItems) -> LabelledItems:
    """Replace people's answers by the class of the data set, which the paper's controls learn."""
    assert isinstance(items.labels, Distributions)
    return replace(items, labels=replace(items.labels, probs=np.eye(items.labels.n_classes)[items.gold], votes=None))


def some(n: int, at_most: int | None, seed: int = DRAW) -> np.ndarray:
    """Return all positions, or `at_most` of them at random, in order."""
    if at_most is None or at_most >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).permutation(n)[:at_most])


@cache
def images_of(name: str, split: str) -> Images:
    """Decode the images of a set, once, since that is slow."""
    return images(name, split, quiet=True)


def load_shifted_images(at_most: int | None) -> dict[str, Inputs]:
    """Load every set of SHIFTED that has images; at most `at_most` of CIFAR-10's training images and of CINIC-10."""
    return {"cifar10": _some_of("cifar10", "train", at_most)} | load_collected_images(at_most) | imagenet_images()


def available_versions() -> dict[str, str]:
    """Return the data sets of COLLECTED that are in the data folder, by their name here."""
    names = {name: "-".join(place) for name, place in COLLECTED.items()}
    return {name: data for name, data in names.items() if is_present(lookup(data))}


def load_collected_images(at_most: int | None, *, names: Collection[str] = tuple(COLLECTED)) -> dict[str, Inputs]:
    return {name: _some_of(*COLLECTED[name], at_most) for name in available_versions() if name in names}


def _some_of(name: str, split: str, at_most: int | None) -> Inputs:
    known = images_of(name, split)
    rows = some(len(known.labels), at_most)
    return Inputs(known.pixels[rows], known.labels[rows])


def imagenet_images() -> dict[str, Inputs]:
    """Load the two sets of ImageNet: classes of CIFAR-10, and classes near them."""
    others = images_of("imagenet32", "validation")
    return _by_class(others.pixels, others.items["cifar10"].to_numpy(), others.labels)


def load_shifted_features() -> dict[str, Inputs]:
    """Load the sets of SHIFTED that have features of EfficientNet-Lite0."""
    train, others = features("cifar10-train-efficientnet"), features("imagenet32-efficientnet")
    known = images_of("imagenet32", "validation")
    assert train.gold is not None and others.gold is not None
    return {"cifar10": Inputs(train.values.astype(np.float32), train.gold)} | _by_class(
        others.values.astype(np.float32), others.gold, known.labels[others.items.astype(np.int64)]
    )


def _by_class(x: np.ndarray, cifar10: np.ndarray, imagenet: np.ndarray) -> dict[str, Inputs]:
    """Divide ImageNet's images into the two sets.  cifar10: (n,) codes, -1 for none; imagenet: (n,) codes"""
    near = {code: CLASSES.index(name) for name, codes in FAR.items() for code in codes}
    far = np.array([near.get(int(code), -1) for code in imagenet])
    return {
        name: Inputs(x[codes >= 0], codes[codes >= 0].astype(np.int64))
        for name, codes in (("imagenet", cifar10), ("far", far))
    }
