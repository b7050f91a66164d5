"""What is trained, in which size: heads on frozen features, the paper's three networks, or one for two cores."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features
from dissensus.papers.collins2022.arms import BELIEFS, BETAS, COMPLETIONS, KINDS, SMOOTHED, VOTES
from dissensus.papers.collins2022.images import SIDE, images
from dissensus.papers.collins2022.labels import Pool, beliefs_of, gamma_labels, make_fixed_labels, pool, votes_of
from dissensus.papers.paper import Scale
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study
from dissensus.train.heads.features import FeatureTable

FEATURES = "cifar10-resnet50"
NETWORKS = {"resnet34a": "ResNet-34A", "resnet50": "ResNet-50", "vgg11": "VGG-11"}  # of the paper
RATE_GRID = dict.fromkeys(("vgg11", "resnet50"), (0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5))
RATES = {"resnet34a": 0.1, "resnet50": 0.4, "vgg11": 0.1}
FEW = {"votes": (1, 2), "beliefs": (1, 2)}  # annotators per image that small networks learn from, besides all
MANY = {"votes": VOTES, "beliefs": BELIEFS}
MODELS = {"heads": "heads", "networks": "networks", "swift": "small networks"}  # as a reader knows them
COMPARED = ("votes", "beliefs")  # studies with the labels that the tables compare
# Kinds of labels by the part that trains networks on them, where a night may end between two parts.
_FIRST = {
    "main": ("hard", "random", "uniform", "h aggregated", "s aggregated", "h", "s"),  # tables 1 and 2
    "table-3": ("h 2", "s 2", "h 1", "s 1"),
    "tables-4-to-6": ("smoothed", "t1-uniform", "t1-clamp", "t2-uniform", "top-two-only"),
}
GROUPS = {**_FIRST, "figure-6": tuple(kind for kind in KINDS if all(kind not in own for own in _FIRST.values()))}
_LAPTOP_HEADS = {"others": None, "seeds": 5, "epochs": 65, "hidden": 64, "batch": 64, "features": 512}
# others: images with their CIFAR-10 class that are learned from, besides the 900; None: all 6,000 of the split.
SIZES: dict[Scale, dict[str, Any]] = {
    "quick": {
        "heads": {"others": 1_500, "seeds": 2, "epochs": 65, "hidden": 32, "batch": 64, "features": 256},
        "networks": {"others": 300, "seeds": 2, "epochs": 3, "batch": 64, "side": 16, "widths": {"vgg11": 4}},
    },
    "laptop": {
        "heads": _LAPTOP_HEADS,
        "networks": {
            "others": 2_100,
            "seeds": 2,
            "epochs": 20,
            "batch": 64,
            "side": 16,
            "widths": {"resnet34a": 4, "resnet50": 4, "vgg11": 8},
        },
    },
    "overnight": {
        "heads": _LAPTOP_HEADS,
        "swift": {
            "others": 2_100,
            "seeds": 5,
            "epochs": 65,
            "batch": 64,
            "side": SIDE,
            "widths": {"swift": 16},
            "precision": "auto",
        },
    },
    "full": {
        "heads": {"others": None, "seeds": 5, "epochs": 65, "hidden": 128, "batch": 64, "features": 2_048},
        "networks": {
            "others": None,
            "seeds": 5,
            "epochs": 65,
            "batch": 128,
            "side": SIDE,
            "widths": dict.fromkeys(NETWORKS, 64),
        },
    },
}
"""Sizes by scale and models; networks after heads, and nearer to the paper."""


def head_models(size: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A linear head and one with a hidden layer, trained to the last epoch as the paper's networks are."""
    common = {"epochs": size["epochs"], "batch": size["batch"], "learning_rate": 1e-3, "patience": None, "keep": "last"}
    return [{"head": "mlp", "hidden": size["hidden"], "dropout": 0.0, **common}, {"head": "linear", **common}]


def network_models(size: Mapping[str, Any], full: bool) -> list[dict[str, Any]]:
    """Networks by the paper's recipe: the rate falls by 1e-4 after 50 and 55 of 65 epochs, or as late in fewer."""
    epochs = size["epochs"]
    return [
        {
            "network": name,
            "width": width,
            "epochs": epochs,
            "batch": size["batch"],
            "weight_decay": 1e-4,
            "learning_rate": RATES[name] if full else 0.1,
            "schedule": "steps",
            "factor": 1e-4,
            "milestones": milestones(epochs),
            "crop": 0,
            "flip": False,
            "keep": "last",
            "precision": size.get("precision", "float32"),
            "device": "auto" if full else "cpu",
        }
        for name, width in size["widths"].items()
    ]


def milestones(epochs: int) -> list[int]:
    """After 50 and 55 of 65 epochs, and at the same shares of fewer."""
    return sorted({min(max(1, round(epochs * share / 65)), epochs - 1) for share in (50, 55)})


def networks_of(scale: Scale) -> str:
    """The models of a scale that are nearest to the paper's."""
    return list(SIZES[scale])[-1]


def parts_with_scores(models: str) -> dict[str, Sequence[str]]:
    """Parts with scores, and the kinds of labels that each compares."""
    if models == "swift":
        return {f"swift-{group}": kinds for group, kinds in GROUPS.items()}
    return {f"scores-{models}": tuple(KINDS)}


def study_part(name: str, models: str, scored: str) -> str:
    """Name of the part with the study that a part with scores needs."""
    return f"{scored}-{name}" if models == "swift" else f"{name}-{models}"


def spec(name: str, models: str, scale: Scale, kinds: Collection[str] = tuple(KINDS)) -> dict[str, Any]:
    """A study without its data, learned by heads or networks, with the labels of these kinds.

    name  key of `labels_of`
    """
    size = SIZES[scale][models]
    full = scale == "full"
    made: dict[str, Any] = {
        "name": f"{name}, {models}",
        "seeds": size["seeds"],
        "model": head_models(size) if models == "heads" else network_models(size, full),
        "split": {"scheme": "column", "column": "split", "validation": 0},
        "keep_models": models != "heads" and name in MANY,
    }
    few = models == "networks" and not full
    counts = list((FEW if few else MANY)[name]) if name in MANY else []
    if name == "votes":
        controls = ["hard", "random", "uniform"]
        made |= {
            "labels": {"votes": ["all", *counts]},
            "delivery": ["soft", "deaggregated", SMOOTHED],
            "skip": [
                {"data": controls, "votes": counts},
                {"data": controls, "delivery": "deaggregated"},
                {"data": ["h", "random", "uniform"], "delivery": SMOOTHED},
                {"data": "h", "delivery": "soft", "votes": counts},
            ],
        }
    elif name == "beliefs":
        others = [completion for completion in COMPLETIONS if completion != "t2-clamp"]
        made |= {
            "labels": {"votes": ["all", *counts], "completion": list(COMPLETIONS)},
            "delivery": ["soft", "deaggregated"],
            "skip": [
                {"completion": others, "votes": counts},
                {"completion": others, "delivery": "soft"},
                {"delivery": "soft", "votes": counts},
            ],
        }
    elif name == "gamma":
        made |= {"delivery": "deaggregated"}
    elif name == "rates":
        made["model"] = [
            {**model, "learning_rate": list(RATE_GRID[model["network"]])}
            for model in made["model"]
            if model["network"] in RATE_GRID
        ]
    else:
        made |= {"delivery": [f"soft | smoothed={beta}" if beta else "soft" for beta in BETAS]}
    if name in MANY:
        made["skip"] += [dict(kind.arm) for key, kind in KINDS.items() if kind.study == name and key not in kinds]
    return made


def study(name: str, models: str, scale: Scale, kinds: Collection[str] = tuple(KINDS)) -> Study:
    """The study with its data."""
    size = SIZES[scale][models]
    made = pool(size["others"], validation=name not in MANY)
    inputs: dict[str, Any] = (
        {"features": features_of(size["features"])} if models == "heads" else {"images": images_of(size["side"])}
    )
    data = {
        key: {"labels": made.label_items(labels), "people": made.people_labels, **inputs}
        for key, labels in labels_of(name, made).items()
    }
    return study_of({**spec(name, models, scale, kinds), "data": data})


def labels_of(name: str, made: Pool) -> dict[str, Any]:
    """What a study compares, by the names that its cells have."""
    if name == "votes":
        return {"h": votes_of(made), **make_fixed_labels(made)}
    if name == "beliefs":
        return {"s": beliefs_of(made)}
    return dict(gamma_labels(made)) if name == "gamma" else {"hard": make_fixed_labels(made)["hard"]}


@lru_cache(maxsize=1)
def features_of(columns: int) -> FeatureTable:
    """The features that vary most over all images; no label is looked at."""
    known = features(FEATURES)
    kept = np.argsort(-known.values.astype(np.float64).var(axis=0), kind="stable")[:columns]
    return FeatureTable(known.values[:, np.sort(kept)], known.items)


def images_of(side: int) -> Any:
    """Images by their name where they are as released, so that nothing is read before it is needed."""
    return "cifar10-test" if side == SIDE else images(side)


def choice_studies(scale: Scale) -> Sequence[tuple[str, str]]:
    """Which studies choose gamma, beta and learning rates, by which models: networks in the paper's own protocol."""
    if scale == "full":
        return [("gamma", "networks"), ("smoothing", "networks"), ("rates", "networks")]
    return [("gamma", "heads"), ("smoothing", "heads")]
