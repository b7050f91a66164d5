"""How each probe of a page is run, what it needs, and what a reader should know about its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from torch import nn

from dissensus.evaluate.slices import high_disagreement
from dissensus.labels.distances import entropy
from dissensus.probe.architecture import same_architecture
from dissensus.probe.curvature import spectral_density, top_eigenvalues
from dissensus.probe.gradients import gradient_variance
from dissensus.probe.inputs import ImageBatches, image_batches
from dissensus.probe.landscapes import loss_line, loss_plane, random_direction
from dissensus.probe.ood import DETECTORS, NEIGHBOURS
from dissensus.probe.ood_sets import detect_ood
from dissensus.probe.parts import Attacked, Bending, Likeness, Maps, Outside, Spread, Way
from dissensus.probe.paths import barrier
from dissensus.probe.probed import Move, Probed
from dissensus.probe.representation import LEAST, linear_cka
from dissensus.probe.robustness import attack
from dissensus.probe.saliency import grad_cam
from dissensus.probe.stability import stability_by_disagreement
from dissensus.probe.traces import trace
from dissensus.train.images import ImageTable

SHOWN = 6  # images with their maps on a page
FEW_PIXELS = 16  # of a map, over fewer of which a correlation is mostly chance
EIGENVALUES = 3
RENEWED_ON = 5_000  # images are enough for means and variances of a channel, and are gone through at every point


def _attacks(probed: Probed, rng: np.random.Generator, move: Move) -> Attacked:
    by_method = {
        method: attack(
            probed.network,
            probed.images,
            probed.people,
            method,
            epsilons=probed.epsilons,
            rng=stream,
            batch=probed.batches.batch,
            progress=move,
        )
        for method, stream in (("fgsm", None), ("pgd", rng))
    }
    remarks = []
    for method, result in by_method.items():
        still = {epsilon: int(moved.sum()) for epsilon, moved in result.unmoved.items() if epsilon and moved.any()}
        remarks += [
            f"{method} at {epsilon:g} changed no pixel of {count:,} images, whose loss has a gradient of 0: they count "
            "as withstood"
            for epsilon, count in still.items()
        ]
    steps, size = (by_method["pgd"].options[name] for name in ("steps", "step_size"))
    remarks += [
        f"pgd takes {steps} steps of {size:g}, which do not reach the epsilon of {epsilon:g}: fgsm may be stronger "
        "there"
        for epsilon in probed.epsilons
        if epsilon > steps * size
    ]
    return Attacked(by_method, tuple(remarks))


def _ood(probed: Probed, rng: np.random.Generator, move: Move) -> Outside:
    reference, remarks = _apart_from_inside(probed)
    detection = detect_ood(probed.network, probed.images, probed.outside, reference=reference, progress=move)
    inside = set(_fingerprints(probed.images))
    for name, table in probed.outside.items():
        both = sum(one in inside for one in _fingerprints(table))
        if both:
            remarks.append(f"{both:,} of {len(table):,} images of {name} are inside too: nothing tells them apart")
    size = probed.images.pixels.shape[1:3]
    remarks += [
        f"images of {name} have {table.pixels.shape[1]} x {table.pixels.shape[2]} pixels and those inside {size[0]} x "
        f"{size[1]}, which alone may tell them apart"
        for name, table in probed.outside.items()
        if table.pixels.shape[1:3] != size
    ]
    return Outside(detection, tuple(remarks))


def _apart_from_inside(probed: Probed) -> tuple[ImageTable | None, list[str]]:
    """The reference without images that are probed, which would be their own neighbours; None if too few are left."""
    names = ", ".join(name for name, detector in DETECTORS.items() if detector.needs == "features")
    if probed.reference is None:
        return None, [f"{names} is left out: it compares with images of the training set, and no reference is given"]
    inside = set(_fingerprints(probed.images))
    rows = [row for row, one in enumerate(_fingerprints(probed.reference)) if one not in inside]
    both = len(probed.reference) - len(rows)
    if len(rows) < NEIGHBOURS:
        less = f", less {both:,} that are probed" if both else ""
        return None, [
            f"{names} is left out: the reference has {len(probed.reference):,} images{less}, and {NEIGHBOURS} or more "
            "are needed"
        ]
    if not both:
        return probed.reference, []
    return probed.reference.select(rows), [
        f"{names} does without the {both:,} of {len(probed.reference):,} images of the reference that are probed"
    ]


def _fingerprints(images: ImageTable) -> list[bytes]:
    """A short text for each image, the same where all pixels are."""
    return [blake2b(pixels.tobytes(), digest_size=16).digest() for pixels in images.pixels]


def _curvature(probed: Probed, rng: np.random.Generator, move: Move) -> Bending:
    batches, people = probed.batches, probed.people
    slices = high_disagreement(people)
    over = {"all": batches}
    remarks: list[str] = []
    if (slices.code == 1).any():
        rows = np.flatnonzero(slices.code == 1)
        over[slices.names[1]] = replace(batches, images=batches.images.select(rows), targets=people[rows])
    else:
        remarks.append("people agree about every item, so there is no slice of disputed ones")
    values = {name: top_eigenvalues(probed.network, part, EIGENVALUES, rng) for name, part in over.items()}
    traces = {name: trace(probed.network, part, rng) for name, part in over.items()}
    for name in over:
        if not values[name].converged:
            remarks.append(f"eigenvalues of {name}: {values[name].products} products did not bring their errors down")
        if not traces[name].converged:
            share = traces[name].error / abs(traces[name].value)
            remarks.append(f"trace of {name}: after {traces[name].draws:,} draws its standard error is {share:.1%}")
    some = [next(iter(batches))]
    across, up = (random_direction(probed.network, rng) for _ in range(2))
    lines = {
        "first random direction": loss_line(probed.network, some, across),
        "second random direction": loss_line(probed.network, some, up),
    }
    plane = loss_plane(probed.network, some, (across, up))
    density = spectral_density(probed.network, batches, rng, draws=2, steps=30)
    return Bending(values, traces, density, lines, plane, len(some[0][0]), tuple(remarks))


def _barrier(probed: Probed, rng: np.random.Generator, move: Move) -> Way:
    assert probed.other is not None
    known = None if probed.reference is None else _unlabelled(probed)
    where = "the images that are probed" if known is None else f"{len(known.images):,} images of the training set"
    way = barrier(probed.network, probed.other, probed.batches, renew_statistics_on=known, progress=move)
    if not way.batch_norms:
        return Way(way, "nothing", ("the networks have no batch norm, so there are no statistics to renew",))
    return Way(way, where)


def _cka(probed: Probed, rng: np.random.Generator, move: Move) -> Likeness:
    sides = []
    for place, network in enumerate(probed.networks.values(), start=1):
        sides.append(network.features(probed.images))
        move(place, 2)
    x, y = sides
    return Likeness(linear_cka(x, y), (x.shape[1], y.shape[1]), len(x))


def _saliency(probed: Probed, rng: np.random.Generator, move: Move) -> Maps:
    maps: dict[str, np.ndarray] = {}
    total = len(probed.networks) * len(probed.batches)
    for name, network in probed.networks.items():
        parts = []
        for inputs, targets in replace(probed.batches, network=network):
            parts.append(grad_cam(network, inputs, targets, relu=False))
            move(len(maps) * len(probed.batches) + len(parts), total)
        maps[name] = np.concatenate(parts)
    order = np.argsort(-entropy(probed.people), kind="stable")
    half = min(SHOWN // 2, len(order) // 2)
    shown = np.concatenate([order[:half], order[len(order) - half :]]) if half else order
    if len(maps) < 2:
        return Maps(maps, shown, None)
    if len({part.shape for part in maps.values()}) > 1:
        sizes = " and ".join(f"{part.shape[1]} x {part.shape[2]}" for part in maps.values())
        return Maps(maps, shown, None, (f"maps of {sizes} are not compared: the networks see images at other scales",))
    height, width = next(iter(maps.values())).shape[1:]
    remarks: tuple[str, ...] = ()
    if height * width < FEW_PIXELS:
        remarks = (
            f"each correlation is over the {height * width} pixels of maps of {height} x {width}, and says little: "
            "grad_cam(..., layer=) in Python takes an earlier layer, whose maps are larger",
        )
    return Maps(maps, shown, stability_by_disagreement(list(maps.values()), probed.people), remarks)


def _gradients(probed: Probed, rng: np.random.Generator, move: Move) -> Spread:
    result = gradient_variance(probed.network, probed.batches, progress=move)
    if np.isnan(result.spearman):
        return Spread(result, ("all items have the same entropy, so there is no correlation with it",))
    return Spread(result)


@dataclass(frozen=True)
class Part:
    """A probe: what it is called while it runs, what it does, and why it cannot be done, if so.

    A probe without a title shows bars of its own.
    """

    title: str
    compute: Callable[[Probed, np.random.Generator, Move], Any]
    missing: Callable[[Probed], str | None] = lambda probed: None


def _no_other(probed: Probed) -> str | None:
    return None if probed.other is not None else "it compares two networks, and no other network is given"


def _no_way(probed: Probed) -> str | None:
    if probed.other is None:
        return _no_other(probed)
    try:
        same_architecture(probed.network, probed.other)
    except ValueError as problem:
        return str(problem)
    return None


def _no_outside(probed: Probed) -> str | None:
    return None if probed.outside else "it needs images from elsewhere, and none are given as ood"


def _no_likeness(probed: Probed) -> str | None:
    few = len(probed.images) < LEAST
    return f"{len(probed.images)} items are too few, {LEAST} or more are needed" if few else _no_other(probed)


def _no_maps(probed: Probed) -> str | None:
    seen = any(isinstance(part, nn.Conv2d) for part in probed.network.module.modules())
    return None if seen else "the network has no convolution, so there are no maps of an image"


def _no_correlation(probed: Probed) -> str | None:
    return None if len(probed.images) > 1 else "it correlates over items, and there is 1; 2 or more are needed"


PARTS: dict[str, Part] = {
    "attacks": Part("attacking images", _attacks),
    "ood": Part("scoring sets of images", _ood, _no_outside),
    "curvature": Part("", _curvature),
    "barrier": Part("walking to the other network", _barrier, _no_way),
    "cka": Part("comparing features", _cka, _no_likeness),
    "saliency": Part("making maps, batches", _saliency, _no_maps),
    "gradients": Part("measuring gradients, batches", _gradients, _no_correlation),
}


def _unlabelled(probed: Probed) -> ImageBatches:
    """Some images of the training set as batches; nobody looks at their targets."""
    assert probed.reference is not None
    some = probed.reference.select(range(min(RENEWED_ON, len(probed.reference))))
    return image_batches(probed.network, some, np.zeros(len(some), dtype=np.int64), batch=probed.batches.batch)
