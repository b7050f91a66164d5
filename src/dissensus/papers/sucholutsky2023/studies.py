"""The trainings of the paper as studies: each kind of label, for heads on frozen features and for five networks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features, images
from dissensus.datasets.dataset import build_labelled_items, class_names
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Scale
from dissensus.papers.peterson2019.sizes import HEAD_SIZES, PUBLISHED_RECIPE
from dissensus.papers.peterson2019.studies import CUTOUT, TO_THE_END
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study
from dissensus.train.heads.features import FeatureTable
from dissensus.train.images import ImageTable

FEATURES = "cifar10-efficientnet"
CLASSES = 10
PER_CLASS = (80, 8)  # table 1
KEPT = ("2", "3", "4", "10")  # table 3: classes per label
# Table 2, by the names of our catalogue; the paper leaves open which ResNet it took.
NETWORKS = {
    "vgg15": "VGG",
    "preact_resnet164": "ResNet",
    "wrn28_10": "WRN",
    "densenet_bc_100_12": "DenseNet",
    "shake_shake26_2x64": "Shake-Shake",
}
# Sizes that take 0.5 to 2 seconds of one core for an epoch of a thousand images.
SMALL = {
    "vgg15": {"width": 16, "depth": 11},
    "preact_resnet164": {"width": 8, "depth": 11},
    "wrn28_10": {"width": 1, "depth": 10},
    "densenet_bc_100_12": {"width": 6, "depth": 16},
    "shake_shake26_2x64": {"width": 8, "depth": 8},
}
# Nothing is said of epochs and rates. They are those of Peterson 2019, whose networks, images and labels these are, so
# that trainings on hard labels and on votes serve both papers.
EPOCHS, RATES = PUBLISHED_RECIPE["epochs"], [0.1, 0.01, 0.001]
# A night has one network for table 1, by the same recipe in fewer epochs; with 80 images in all, an epoch would be one
# step in the batches of that recipe.
NIGHT: dict[int, dict[str, Any]] = {80: {"learning_rate": 0.1}, 8: {"learning_rate": 0.03, "batch": 16}}
FEW_HEAD = {"head": "linear", "epochs": 20, "learning_rate": 1e-3, "batch": 16, "patience": "none", "standardise": True}

_LAPTOP: dict[str, Any] = {
    "heads": {"images": None, "folds": 10, "seeds": 5},
    "few": {"images": None, "seeds": 20},
    # Small networks on 4,000 images take an hour and stay far above the paper's cross-entropy: they decide nothing.
    "networks": None,
    "few networks": None,
}
SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {
        "heads": {"images": 1_500, "folds": 3, "seeds": 2},
        "few": {"images": 2_000, "seeds": 5},
        # Too small to learn anything: they only run the code of scale full.
        "networks": {"images": 200, "seeds": 1, "epochs": 1, "near": 0, "kinds": ["hard", "H"]},
        "few networks": None,
    },
    "laptop": _LAPTOP,
    "overnight": _LAPTOP | {"few networks": {"images": None, "seeds": 5, "epochs": {80: 60, 8: 50}}},
    "full": {
        "heads": {"images": None, "folds": 10, "seeds": 10},
        "few": {"images": None, "seeds": 20},
        "networks": {"images": None, "seeds": 5, "epochs": EPOCHS, "near": 50_000},
        "few networks": {"images": None, "seeds": 5, "epochs": {80: EPOCHS, 8: EPOCHS}},
    },
}

Kinds = Mapping[str, Distributions]


def head_study(kinds: Kinds, scale: Scale, folds: int, seeds: int) -> Study:
    """Cross-validated heads for each kind of label, judged by CIFAR-10H."""
    return study_of(
        {
            "name": "heads on kinds of label",
            "seeds": seeds,
            "data": _data(kinds, kinds, _features(kinds)),
            "model": _head(scale),
            "split": {"scheme": "k-fold", "folds": folds, "validation": 0},
            "keep_models": True,
            "compare": {"baseline": {"data": "hard"}},
        }
    )


def subset_study(kinds: Kinds, scale: Scale, folds: int, seeds: int) -> Study:
    """Heads on labels with numbers for 2, 3, 4 and all classes, as table 3 has them.

    Dense labels where there are any; votes otherwise, in which few images have more than four classes.
    """
    name = "DS" if "DS" in kinds else "H"
    transforms = [f"sparsest={kept}" for kept in KEPT]
    return study_of(
        {
            "name": "heads on sparser labels",
            "seeds": seeds,
            "data": _data({name: kinds[name]}, kinds, _features(kinds)),
            "labels": {"transforms": transforms},
            "model": _head(scale),
            "split": {"scheme": "k-fold", "folds": folds, "validation": 0},
            "keep_models": True,
            "compare": {"baseline": {"transforms": transforms[0]}},
        }
    )


def few_study(kinds: Kinds, per_class: int, seeds: int) -> Study:
    """Heads that learn from few images of each class."""
    return study_of(
        {
            "name": f"heads on {per_class} images a class",
            "seeds": seeds,
            "data": _data(kinds, kinds, _features(kinds)),
            "model": FEW_HEAD,
            "split": _few(kinds, per_class),
            "compare": {"baseline": {"data": "hard"}},
        }
    )


def network_study(kinds: Kinds, scale: Scale, seeds: int, epochs: int) -> Study:
    """The five networks on each kind of label: small on one split a seed, or as published in ten folds."""
    published = scale == "full"
    split: dict[str, Any] = {"scheme": "k-fold", "folds": 10, "validation": 0} if published else {"test": 0.2}
    return study_of(
        {
            "name": "networks on kinds of label",
            "seeds": seeds,
            "data": _data(kinds, kinds, _images(kinds)),
            "model": _networks(scale, epochs),
            "split": split,
            "keep_models": True,
            "compare": {"baseline": {"data": "hard"}},
        }
    )


def few_network_study(kinds: Kinds, scale: Scale, per_class: int, seeds: int, epochs: int) -> Study:
    """Networks on few images of each class: the five, or one by a night."""
    return study_of(
        {
            "name": f"networks on {per_class} images a class",
            "seeds": seeds,
            "data": _data(kinds, kinds, _images(kinds)),
            "model": _night(per_class, epochs) if scale == "overnight" else _networks(scale, epochs),
            "split": _few(kinds, per_class),
            "compare": {"baseline": {"data": "hard"}},
        }
    )


def _head(scale: Scale) -> dict[str, Any]:
    return {"head": "linear", "epochs": HEAD_SIZES[scale].epochs, **TO_THE_END}


def _networks(scale: Scale, epochs: int) -> list[dict[str, Any]]:
    if scale == "full":
        return [
            {"network": name, "keep": "last", "learning_rate": RATES, **PUBLISHED_RECIPE, "device": "auto"}
            | {"epochs": epochs, "cutout": CUTOUT.get(name, 0)}
            for name in NETWORKS
        ]
    return [{"network": name, **SMALL[name], "epochs": epochs, "learning_rate": 0.05, "batch": 64} for name in NETWORKS]


def _night(per_class: int, epochs: int) -> dict[str, Any]:
    recipe = {"network": "swift", "width": 16, "keep": "last", "device": "cpu"}
    return recipe | PUBLISHED_RECIPE | {"epochs": epochs} | NIGHT[per_class]


def _few(kinds: Kinds, per_class: int) -> dict[str, Any]:
    """A split with so many images of each class to learn from, and no others to choose by."""
    return {"test": 1 - CLASSES * per_class / kinds["H"].n_items, "validation": 0}


def _features(kinds: Kinds) -> dict[str, Any]:
    known = features(FEATURES)
    rows = kinds["H"].items.astype(np.int64)
    return {"features": FeatureTable(known.values[rows], known.items[rows])}


def _images(kinds: Kinds) -> dict[str, Any]:
    rows = kinds["H"].items.astype(np.int64)
    return {"images": ImageTable(_pixels()[rows], rows)}


@cache
def _pixels() -> np.ndarray:
    """The test images of CIFAR-10, decoded once for all studies.  (10000, 32, 32, 3)"""
    return images("cifar10", "test", quiet=True).pixels


def _data(learned: Kinds, kinds: Kinds, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Labels to learn from by name, all compared with votes; gold is the class of the data set."""
    gold = class_names(kinds["hard"].probs.argmax(axis=1), kinds["H"].classes)
    items = {kind: build_labelled_items(labels, gold=gold) for kind, labels in learned.items()}
    return {kind: {"labels": labels, "people": kinds["H"], **inputs} for kind, labels in items.items()}
