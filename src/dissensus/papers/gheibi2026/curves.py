"""Figure 3: smooth reliability curves on held-out images, compared with those of soft labels."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.evaluate.calibration import confidence_and_outcome
from dissensus.evaluate.smooth_calibration import SmoothCurve, smooth_reliability
from dissensus.labels.shares import as_distributions
from dissensus.papers.paper import Tell
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder

DRAWN = ("soft", "sls", "majority")
VERSION = 1  # of the code that makes the numbers


def curve_distances(part: str, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Distance from the curve of soft labels by epoch kept, delivery and seed; models of a seed share their images."""
    people = as_distributions(load("cifar10h").labels).probs
    curves: dict[tuple[str, str], dict[str, SmoothCurve]] = {}
    for record in read_folder(needs[part]).records:
        arm = record["arm"]
        if arm["delivery"] in DRAWN:
            held = read_predictions(needs[part] / "cells" / record["cell"])
            pair = confidence_and_outcome(held.probs, people[held.items.astype(np.int64)])
            curves.setdefault((arm["keep"], arm["delivery"]), {})[str(record["seed"])] = smooth_reliability(*pair)
    distances: dict[str, Any] = {}
    for (keep, delivery), by_seed in curves.items():
        if delivery != "soft":
            soft = curves[keep, "soft"]
            known = {seed: curve_distance(curve, soft[seed]) for seed, curve in by_seed.items()}
            distances.setdefault(keep, {})[delivery] = known
    return distances


def curve_distance(first: SmoothCurve, second: SmoothCurve) -> float:
    """Mean absolute difference of two curves, weighted by the density of the confidence of both."""
    return float(np.average(np.abs(first.outcome - second.outcome), weights=first.density + second.density))
