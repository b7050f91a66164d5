"""What is measured on trained models: curvature, gradients, maps, gains over target error, reliability curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import features, images, load
from dissensus.evaluate.calibration import confidence_and_outcome
from dissensus.evaluate.closeness import manhattan, soft_nll
from dissensus.evaluate.slices import high_disagreement
from dissensus.evaluate.smooth_calibration import SmoothCurve, smooth_reliability
from dissensus.evaluate.sparse_target import sparse_target_diagnostic
from dissensus.labels.as_json import as_json
from dissensus.labels.distances import jensen_shannon
from dissensus.labels.sampling import resample
from dissensus.labels.shares import as_distributions
from dissensus.labels.streams import Stream, stream
from dissensus.papers.gheibi2026.trained import TrainedCell
from dissensus.papers.paper import Tell
from dissensus.study.cells import read_predictions
from dissensus.study.description import read_folder
from dissensus.train.heads.head import Head

BINS = 5
REPLICATES = 20  # of intervals that are not read: those here are over seeds


def module_of(cell: TrainedCell) -> Any:
    """What torch probes: the network, or the head as a module on standardised features."""
    if not isinstance(cell.model, Head):
        return cell.model
    from dissensus.train.heads.torch_module import head_module

    return head_module(cell.standardised_head[0])


def batches_of(cell: TrainedCell, rows: np.ndarray) -> Any:
    """Some items as the probes of torch take them, with what people said."""
    people = cell.people(rows)
    if not isinstance(cell.model, Head):
        from dissensus.probe.inputs import image_batches

        return image_batches(cell.model, cell.inputs(rows), people)
    _, shift, scale = cell.standardised_head
    x = ((cell.inputs(rows) - shift) / scale).astype(np.float32)
    return [(x, people.probs.astype(np.float32))]


def bends(cell: TrainedCell, rows: np.ndarray, tolerance: float) -> dict[str, float]:
    """The largest eigenvalue and the trace of the Hessian of the soft cross-entropy on some items."""
    from dissensus.probe.curvature import top_eigenvalues
    from dissensus.probe.traces import trace

    module, batches, rng = module_of(cell), batches_of(cell, rows), stream(cell.cell.seed, Stream.CURVATURE)
    top = top_eigenvalues(module, batches, 1, rng, tolerance=tolerance, quiet=True)
    whole = trace(module, batches, rng, tolerance=tolerance, quiet=True)
    return {"lambda": float(top.value[0]), "trace": float(whole.value)}


def gradient_correlation(cell: TrainedCell, rows: np.ndarray) -> float:
    """Rank correlation of the last layer's gradient variance with the entropy among people."""
    from dissensus.probe.gradients import gradient_variance_of_features

    return float(
        gradient_variance_of_features(cell.people(rows).probs, cell.model.features(cell.inputs(rows))).spearman
    )


def outside_images(model: str, at_most: int) -> dict[str, Any]:
    """CIFAR-100, and ImageNet without the classes of CIFAR-10: features or pixels."""
    if model == "heads":
        far = features("imagenet32-efficientnet")
        assert far.gold is not None
        sets = {"CIFAR-100": features("cifar100-efficientnet").values, "ImageNet": far.values[far.gold < 0]}
        return {name: values[:: max(1, len(values) // at_most)].astype(np.float32) for name, values in sets.items()}
    others = images("imagenet32", "validation", quiet=True)
    pixels = {
        "CIFAR-100": images("cifar100", "test-8k", quiet=True).pixels,
        "ImageNet": others.pixels[others.items["cifar10"].to_numpy() < 0],
    }
    return {name: values[:: max(1, len(values) // at_most)] for name, values in pixels.items()}


def load_unseen_images(model: str, at_most: int) -> tuple[Any, np.ndarray]:
    """Training images of CIFAR-10 and their classes."""
    if model == "heads":
        known = features("cifar10-train-efficientnet")
        assert known.gold is not None
        return known.values[:at_most].astype(np.float32), known.gold[:at_most]
    table = images("cifar10", "train", quiet=True)
    return table.pixels[:at_most], np.asarray(table.labels[:at_most], dtype=np.int64)


def map_stability(cells: Sequence[TrainedCell], unseen: tuple[np.ndarray, np.ndarray]) -> dict[str, float]:
    """Grad-CAM for the class of the data set, without ReLU, by the last layer with maps of 4 x 4 or more."""
    from dissensus.probe.inputs import image_batches
    from dissensus.probe.saliency import grad_cam
    from dissensus.probe.stability import stability_by_disagreement

    pixels, classes = unseen
    people = as_distributions(load("cifar10n").labels).probs[: len(pixels)]
    maps = []
    for cell in cells:
        layer = "stages.1" if cell.cell.model.name == "small" else "stage4"
        batches = image_batches(cell.model, pixels, classes)
        maps.append(np.concatenate([grad_cam(cell.model, x, y, layer=layer, relu=False) for x, y in batches]))
    stable = stability_by_disagreement(np.stack(maps), people)
    return {"overall": stable.overall, "high": stable.on_disputed}


def drawn_votes(cell: TrainedCell, k: int) -> np.ndarray:
    """K votes for each item judged on, drawn as those of the items learned from.  (n, k)"""
    return resample(cell.people(cell.parts.test), k, stream(cell.cell.seed, Stream.JUDGED_ANSWERS)).probs


def diagnose_sparsity(soft: TrainedCell, hard: TrainedCell, rows: np.ndarray, sparse: np.ndarray) -> dict[str, Any]:
    """Rank correlations of the target's error with the gain, and the gain in bins of that error."""
    people = hard.people(rows).probs
    losses = [soft_nll(np.clip(cell.model.probs(cell.inputs(rows)), 1e-12, 1), people) for cell in (soft, hard)]
    disputed = high_disagreement(people).code == 1
    by_target: dict[str, Any] = {}
    for name, distance, inside in (
        ("js", jensen_shannon, slice(None)),
        ("l1", manhattan, slice(None)),
        ("high", jensen_shannon, disputed),
    ):
        before, after = (loss[inside] for loss in losses)
        result = sparse_target_diagnostic(
            before,
            after,
            sparse[inside],
            people[inside],
            np.random.default_rng(0),
            bins=BINS,
            distance=distance,
            replicates=REPLICATES,
        )
        by_target[name] = {
            "spearman": as_json(result.spearman.value),
            "bins": [part.score.value for part in result.bins],
        }
    return by_target


DRAWN = ("soft", "sls", "majority")
CURVES_VERSION = 1  # of the code that makes the distances of reliability curves


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
