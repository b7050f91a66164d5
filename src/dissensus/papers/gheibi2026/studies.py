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
from dissensus.papers.gheibi2026.published import HARD, KS, MIXUP, SHUFFLED, SMOOTHING
from dissensus.papers.paper import Scale
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study
from dissensus.train.heads.features import FeatureTable

FEATURES = "cifar10-efficientnet"
HELD_FOR = (5, 10, 50)
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
    """

    model: Mapping[str, Any]
    main: tuple[Sequence[str], int]
    family: tuple[Sequence[str], int]
    sweep: tuple[Sequence[str], int]
    ks: Sequence[int]
    items: int | None = None


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


def _network(name: str, width: int | str, epochs: int, crop: int) -> dict[str, Any]:
    return {"network": name, "width": width, "epochs": epochs, "crop": crop}


SIZES: dict[Scale, dict[str, Size]] = {
    "quick": {"heads": Size(_head(32, 15, 16), (MAIN, 5), (FAMILY, 5), (FEW, 5), KS, items=2_000)},
    "laptop": {
        "small": Size(
            _network("small", 16, 16, 0),
            (("soft", "sls", "majority"), 3),
            (("multipass", "deterministic_control", SHUFFLED), 3),
            (FEW, 3),
            (5,),
        ),
        "resnet18": Size(_network("resnet18", 4, 8, 0), ((), 0), ((), 0), (("soft", "sls", "multipass"), 2), (5,)),
        "heads": Size(_head(64, 20, 128), (MAIN, 10), (FAMILY, 5), (FEW, 5), KS),
    },
    "full": {
        "resnet18": Size(_network("resnet18", "none", 200, 4), (MAIN, 10), (FAMILY, 5), (FEW, 5), KS),
        "heads": Size(_head(64, 20, 128), (MAIN, 10), (FAMILY, 5), (FEW, 5), KS),
    },
}
"""Models of each scale, the nearest to the paper's first."""


def studies_of(model: str, scale: Scale) -> dict[str, Study]:
    """The studies of one model by name: "main", "family" and "sweep", as far as it is put through them."""
    size = SIZES[scale][model]
    made = {}
    for part in ("main", "family", "sweep"):
        deliveries, seeds = getattr(size, part)
        if seeds:
            made[part] = study_of(
                {
                    "name": f"Gheibi 2026, {part} comparison, {model}",
                    "seeds": seeds,
                    "delivery": list(deliveries),
                    "keep_models": True,
                    "data": {"cifar10h": data_of(model, size.items)},
                    "labels": {"transforms": [f"resampled={k}" for k in size.ks] if part == "sweep" else "none"},
                    "model": dict(size.model) | {"keep": ["best", "last"]} | device(model, scale),
                    "split": {"scheme": "per-seed", "test": 0.2, "validation": "test"},
                    "evaluate": {"metrics": list(SHOWN), "slices": ["disagreement"]},
                }
            )
    return made


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
