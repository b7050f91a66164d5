"""Figures of the probes: curves of attacks, the way to another network, gradients, and images with their maps."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np

from dissensus.labels.distances import normalised_entropy
from dissensus.probe.parts import Attacked, Bending, Maps, Outside, Spread, Way
from dissensus.probe.path_figures import barrier_figure, line_figure, plane_figure
from dissensus.probe.probed import Probed
from dissensus.report.charts import Line, line_chart, scatter
from dissensus.report.colours import BLUE, ORANGE
from dissensus.report.items import picture

DOTS = 600  # more would hide each other, and make the page heavy
DECADES = 8  # of a density that are drawn
Figure = tuple[str, str]  # its heading, and the drawing


def attack_figures(part: Attacked, probed: Probed) -> list[Figure]:
    """Peterson 2019, figure 4: the loss along the steps of PGD; and over epsilons, where there are several."""
    pgd = part.by_method["pgd"]
    lines = [
        Line(f"epsilon {epsilon:g}", np.arange(len(scores.cross_entropy_hard)), scores.cross_entropy_hard.mean(axis=1))
        for epsilon, scores in pgd.steps.items()
    ]
    figures = [("Step by step", line_chart(lines, "step of PGD; 0 is its start", "cross-entropy to the majority"))]
    if len(probed.epsilons) > 1:
        over = []
        for method, result in part.by_method.items():
            means = [result.before.means(), *(scores.means() for scores in result.after.values())]
            over.append(
                Line(method, np.array([0.0, *result.after]), np.array([m["cross_entropy_hard"] for m in means]))
            )
        figures.append(
            ("By how far pixels may move", line_chart(over, "epsilon, of 255", "cross-entropy to the majority"))
        )
    return figures


def ood_figures(part: Outside, probed: Probed) -> list[Figure]:
    """How the first detector spreads both sides: the share of items at or below each score."""
    name = next(iter(part.detection.inside))
    sides = {"inside": part.detection.inside[name]} | {n: by[name] for n, by in part.detection.outside.items()}
    shares = np.linspace(0, 1, 101)
    lines = [Line(side, np.quantile(values, shares), shares) for side, values in sides.items()]
    return [
        (f"Scores of {name}", line_chart(lines, f"{name}: further out to the right", "share of items", marks=False))
    ]


def curvature_figures(part: Bending, probed: Probed) -> list[Figure]:
    """The spectrum, and the loss around the network along single directions and over two."""
    least = part.density.value.max() / 10**DECADES
    spectrum = Line("density", part.density.at, np.log10(np.maximum(part.density.value, least)))
    items = f"over {part.slice_items:,} items"
    return [
        ("Eigenvalues of the Hessian", line_chart([spectrum], "eigenvalue", "log10 of their density", marks=False)),
        (f"The loss along each of two directions, {items}", line_figure(part.lines)),
        (f"The loss over both directions, {items}", plane_figure(part.plane, "first", "second")),
    ]


def barrier_figures(part: Way, probed: Probed) -> list[Figure]:
    first, second = probed.names
    return [("The loss on the way", barrier_figure(part.barrier, (first, second)))]


def gradient_figures(part: Spread, probed: Probed) -> list[Figure]:
    at = np.linspace(0, len(probed.images) - 1, min(len(probed.images), DOTS)).astype(int)
    drawn = scatter(
        normalised_entropy(probed.people)[at],
        part.gradients.variance[at],
        [str(item) for item in probed.images.items[at].tolist()],
        "entropy of people, as a share of ln k",
        "gradient variance",
    )
    return [("One dot for each item", drawn)]


FIGURES: dict[str, Callable[[Any, Probed], list[Figure]]] = {
    "attacks": attack_figures,
    "ood": ood_figures,
    "curvature": curvature_figures,
    "barrier": barrier_figures,
    "gradients": gradient_figures,
}


def map_cards(part: Maps, probed: Probed) -> str:
    """A few images, each beside its map: orange speaks for what people said, blue against it."""
    drawn = []
    for place in part.shown.tolist():
        item = str(probed.images.items[place])
        pixels = _coloured(probed.images.pixels[place])
        said = _said(probed.people[place], probed.network.classes)
        pictures = [_captioned("the image", picture(pixels, f"picture of item {item}"))]
        pictures += [
            _captioned(name, picture(overlaid(pixels, maps[place]), f"map of {name} over item {item}"))
            for name, maps in part.maps.items()
        ]
        drawn.append(
            f'<section class="card"><span>item {escape(item)} · {escape(said)}</span>'
            f'<div class="maps">{"".join(pictures)}</div></section>'
        )
    return f'<div class="grid four">{"".join(drawn)}</div>'


def overlaid(pixels: np.ndarray, saliency: np.ndarray) -> np.ndarray:
    """An image in grey, tinted where a map is far from 0.  (h, w, 3) uint8, (a, b) -> (h, w, 3) uint8"""
    height, width = pixels.shape[:2]
    rows = np.arange(height) * saliency.shape[0] // height
    columns = np.arange(width) * saliency.shape[1] // width
    strength = saliency[np.ix_(rows, columns)] / max(float(np.abs(saliency).max()), 1e-300)  # (h, w), -1 to 1
    grey = np.repeat(pixels.mean(axis=2, keepdims=True), 3, axis=2)
    tints = np.where(strength[..., None] > 0, _channels(ORANGE), _channels(BLUE))
    share = 0.7 * np.abs(strength)[..., None]
    return np.asarray((1 - share) * grey + share * tints).round().astype(np.uint8)


def _channels(colour: str) -> np.ndarray:
    return np.frombuffer(bytes.fromhex(colour.removeprefix("#")), np.uint8).astype(np.float64)


def _coloured(pixels: np.ndarray) -> np.ndarray:
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels


def _captioned(name: str, image: str) -> str:
    return f"<figure>{image}<figcaption>{escape(name)}</figcaption></figure>"


def _said(probs: np.ndarray, classes: tuple[str, ...]) -> str:
    order = np.argsort(-probs, kind="stable")[:2]
    return ", ".join(f"{classes[c]} {probs[c]:.0%}" for c in order if probs[c] > 0)
