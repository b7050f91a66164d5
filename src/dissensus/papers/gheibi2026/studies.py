"""Which networks and heads are trained for the paper, by scale: every study as data.

K votes of an image are drawn with replacement, Multinomial(K, p) (`resampled`), as in the paper. The axis `votes` of a
study draws real votes without replacement, which says more of a smaller crowd, but some images have only 47 votes, and
the paper goes up to 50.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features, load
from dissensus.labels.sampling import evenly_spaced
from dissensus.labels.shares import as_distributions
from dissensus.papers.paper import Scale
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study
from dissensus.train.heads.features import FeatureTable

FEATURES = "cifar10-efficientnet"
KS = (5, 10, 25, 50)  # votes per image in the sweep
HELD_FOR = (5, 10, 50)  # epochs
HARD = ("sls", "multipass", "deterministic_control")
SMOOTHING, MIXUP, SHUFFLED = "majority | smoothed=0.1", "majority | mixup=0.2", "sls | shuffled"
MAIN = ("soft", "sls", "majority", SMOOTHING, MIXUP)
FAMILY = ("multipass", "deterministic_control", SHUFFLED, *(f"sls | stale={every}" for every in HELD_FOR))
FEW = ("soft", *HARD)
SHOWN = ("soft_nll", "accuracy", "ece_equal_mass", "entropy_spearman", "kl", "brier")


@dataclass(frozen=True)
class Size:
    """How much of the paper's comparison a model is put through.

    model      its settings in a study, without `keep`
    main       (deliveries, seeds) with all votes, table 2
    family     (deliveries, seeds) with all votes, table 3 and figure 4
    sweep      (deliveries, seeds) with K votes drawn for each item, table 1
    ks         these K
    items      at most so many images; None: all
    few_epochs of trainings with at most that many votes per image; each K is then a part of its own, so that a run
               can end between them
    """

    model: Mapping[str, Any]
    main: tuple[Sequence[str], int]
    family: tuple[Sequence[str], int]
    sweep: tuple[Sequence[str], int]
    ks: Sequence[int]
    items: int | None = None
    few_epochs: int | None = None


def _head(hidden: int, epochs: int, batch: int) -> dict[str, Any]:
    return {
        "head": "mlp",
        "hidden": hidden,
        "dropout": 0.0,
        "epochs": epochs,
        "learning_rate": 1e-3,
        "batch": batch,
        "standardise": True,
        "patience": "none",
    }


def _network(name: str, width: int | str, epochs: int, **recipe: Any) -> dict[str, Any]:
    return {"network": name, "width": width, "epochs": epochs, **recipe}


_LAPTOP = Size(_head(64, 60, 128), (MAIN, 10), (FAMILY, 5), (FEW, 5), KS)
SIZES: dict[Scale, dict[str, Size]] = {
    "quick": {"heads": Size(_head(32, 15, 16), (MAIN, 5), (FAMILY, 5), (FEW, 5), KS, items=2_000)},
    "laptop": {"heads": _LAPTOP},
    "overnight": {
        "swift": Size(_network("swift", 16, 60, crop=4), (MAIN, 5), (FAMILY, 5), (FEW, 5), KS, few_epochs=30),
        "heads": _LAPTOP,
    },
    "full": {
        "resnet18": Size(_network("resnet18", "none", 200, crop=4), (MAIN, 10), (FAMILY, 5), (FEW, 5), KS),
        "heads": _LAPTOP,
    },
}
"""Models of each scale, the nearest to the paper's first."""


def studies_of(model: str, scale: Scale) -> dict[str, Study]:
    """The studies of one model by name."""
    return {name: _study_of(model, scale, name, ks) for name, ks in comparisons_of(model, scale).items()}


def comparisons_of(model: str, scale: Scale) -> dict[str, Sequence[int]]:
    """Names of the studies of one model, with the K of each; "main" and "family" have all votes."""
    size = SIZES[scale][model]
    if size.few_epochs is None:
        return {"main": (), "family": (), "sweep": size.ks}
    return {"main": (), **{f"sweep-{k}": (k,) for k in size.ks}, "family": ()}  # the control first, then by cost


def _study_of(model: str, scale: Scale, name: str, ks: Sequence[int]) -> Study:
    """Deliveries of all votes, or of K votes drawn for each item."""
    size = SIZES[scale][model]
    deliveries, seeds = size.sweep if ks else getattr(size, name)
    few = size.few_epochs is not None and ks and max(ks) <= size.few_epochs
    settings = dict(size.model) | ({"epochs": size.few_epochs} if few else {})
    return study_of(
        {
            "name": f"Gheibi 2026, {name} comparison, {model}",
            "seeds": seeds,
            "delivery": list(deliveries),
            "keep_models": True,
            "data": {"cifar10h": data_of(model, size.items)},
            "labels": {"transforms": [f"resampled={k}" for k in ks] if ks else "none"},
            "model": settings | {"keep": ["best", "last"]} | device(model, scale),
            "split": {"scheme": "per-seed", "test": 0.2, "validation": "test"},
            "evaluate": {"metrics": list(SHOWN), "slices": ["disagreement"]},
        }
    )


def device(model: str, scale: Scale) -> dict[str, str]:
    """At full scale networks take the best device there is."""
    return {"device": "auto"} if scale == "full" and model != "heads" else {}


def data_of(model: str, items: int | None) -> dict[str, Any]:
    """CIFAR-10H with what the model sees; some of the images, evenly spaced, where there may only be so many."""
    if model != "heads":
        return {"labels": "cifar10h", "images": "cifar10-test"}
    if items is None:
        return {"labels": "cifar10h", "features": FEATURES}
    people, x = as_distributions(load("cifar10h").labels), features(FEATURES).values
    rows = evenly_spaced(people.n_items, items)
    some = people.select(rows)
    return {"labels": some, "features": FeatureTable(x[rows].astype(np.float32), some.items)}
