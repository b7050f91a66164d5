"""What was measured inside trained models: curvature, gradients, barriers, features, maps, images from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Number, Runs
from dissensus.papers.gheibi2026.studies import SHUFFLED

Known = dict[Number, Runs]
READINGS = {"held out": "", "learned": "images learned from"}  # the paper does not say which; other scores are held out


def observe_probes(studies: Sequence[Mapping[str, Any]], keep: str) -> Known:
    """Numbers of the models of all studies after one epoch. The paper's curvature is of the best epoch."""
    known: Known = {}
    for name, by_seed in _together(studies, "curvature").items() if keep == "best" else ():
        arm, _, k = name.partition(" at ")
        for metric in next(iter(by_seed.values())):
            place = Number(metric, "shuffled" if arm == SHUFFLED else arm, f"K = {k}" if k else "")
            known[place] = {f"seed {seed}": values[metric] for seed, values in by_seed.items()}
    known |= _outside(_together(studies, "ood")) | _targets(_together(studies, "targets"))
    known |= _pairs(_together(studies, "cka"), _together(studies, "grad_cam"))
    drawn = _together(studies, "gradients").get("sls", {})
    known[Number("gradient_spearman", "sls")] = {f"seed {seed}": value for seed, value in drawn.items()}
    for metric, key in (("barrier", "interpolated"), ("barrier_renewed", "renewed")):
        ways = _together(studies, "way")
        known[Number(metric, "sls")] = {f"seed {seed}": way[key] for seed, way in ways.items()}
    return known


def _together(studies: Sequence[Mapping[str, Any]], what: str) -> dict[str, Any]:
    """One measurement of all studies; no two of them have the same arm, or the same K."""
    return {name: value for numbers in studies for name, value in numbers.get(what, {}).items()}


def _outside(numbers: Mapping[str, Any]) -> Known:
    """AUROC by detector: of CIFAR-100 without a condition, of other sets under their name."""
    known: Known = {}
    for arm, by_seed in numbers.items():
        for seed, sets in by_seed.items():
            for name, detectors in sets.items():
                for detector, auroc in detectors.items():
                    place = Number(f"auroc_{detector}", arm, "" if name == "CIFAR-100" else name)
                    known.setdefault(place, {})[f"seed {seed}"] = auroc
    return known


def _targets(numbers: Mapping[str, Any]) -> Known:
    """Where hard delivery gains, by seed: means over methods and K."""
    together: dict[Number, dict[str, list[float]]] = {}
    for by_method in numbers.values():
        for by_seed in by_method.values():
            for seed, readings in by_seed.items():
                for reading, where in READINGS.items():
                    for place, value in _diagnosis(readings[reading], where):
                        if value is not None:
                            together.setdefault(place, {}).setdefault(f"seed {seed}", []).append(value)
    return {place: {run: float(np.mean(values)) for run, values in runs.items()} for place, runs in together.items()}


def _diagnosis(measured: Mapping[str, Any], where: str) -> list[tuple[Number, float | None]]:
    correlations = [(Number(f"{name}_spearman", "hard", where), measured[name]["spearman"]) for name in measured]
    bins = measured["js"]["bins"]
    ends = {"least error": bins[0], "largest error": bins[-1]}
    gains = [(Number("js_gain", "hard", ", ".join(filter(None, (end, where)))), gain) for end, gain in ends.items()]
    return [*correlations, *gains]


def _pairs(features: Mapping[str, Any], maps: Mapping[str, Any]) -> Known:
    """Likeness of two seeds: of features by CKA, of maps by Grad-CAM."""
    known: Known = {Number("cka", arm): dict(pairs) for arm, pairs in features.items()}
    for arm, pairs in maps.items():
        for metric, key in (("grad_cam", "overall"), ("grad_cam_high", "high")):
            known[Number(metric, arm)] = {pair: values[key] for pair, values in pairs.items()}
    return known
