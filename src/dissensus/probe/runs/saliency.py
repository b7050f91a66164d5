"""Grad-CAM maps: the parts of an image that count, and whether another network depends on the same parts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from torch import nn

from dissensus.labels.display import shapes
from dissensus.labels.distances import entropy
from dissensus.labels.refusals import Refusal
from dissensus.probe.probed import Move, Probed
from dissensus.probe.saliency import grad_cam
from dissensus.probe.stability import SaliencyStability, stability_by_disagreement
from dissensus.report.colours import BLUE, ORANGE
from dissensus.report.document import Block, Card, Section, Text
from dissensus.report.items import picture
from dissensus.report.tables import AnyCell, Column, Drawing, Table

SHOWN = 6  # images with their maps on a page
FEW_PIXELS = 16  # of a map, over fewer of which a correlation is mostly chance


@dataclass(frozen=True, eq=False)
class SaliencyResult:
    """Grad-CAM for people's distribution, a few images with their maps, and how alike both networks' maps are.

    maps    by name of the network: (n, h, w), without ReLU
    shown   positions of images for a page
    """

    maps: dict[str, np.ndarray]
    shown: np.ndarray
    stability: SaliencyStability | None
    remarks: tuple[str, ...] = ()

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        sizes = {name: list(maps.shape[1:]) for name, maps in self.maps.items()}
        return {"map_size": sizes, "stability": None if self.stability is None else self.stability.as_json()}

    def answer(self, probed: Probed) -> str:
        if self.stability is None or np.isnan(self.stability.overall):
            return f"The page shows Grad-CAM maps of {len(self.shown)} images for people's distribution."
        return (
            f"The Grad-CAM maps of {' and '.join(probed.names)} correlate at {self.stability.overall:.3f} on "
            "average, at most 1."
        )

    def card(self, probed: Probed) -> Card | None:
        if self.stability is None:
            return None
        return Card("correlation of saliency maps", self.stability.overall, "1: the same parts of each image")

    def blocks(self, probed: Probed) -> list[Block]:
        return [self._table(), self._pictures(probed)]

    def _table(self) -> Table:
        if self.stability is None:
            rows = [(name, len(maps), f"{maps.shape[1]} x {maps.shape[2]}") for name, maps in self.maps.items()]
            note = (
                "Grad-CAM maps for people's distribution. A second network, of another seed, shows how stable they are."
            )
            return Table([Column("network"), Column("maps"), Column("size")], rows, note=note)
        facts = list(self.stability.as_json().items())[1:]
        correlations = [(name, fact["mean"], fact["images"], fact["without a value"]) for name, fact in facts]
        note = (
            "Mean correlation of the Grad-CAM maps of both networks for people's distribution, without ReLU: 1 if both "
            "look at the same parts of an image. An image whose map is constant has no correlation."
        )
        columns = [Column("items"), Column("correlation"), Column("images"), Column("without a value")]
        return Table(columns, correlations, note=note)

    def _pictures(self, probed: Probed) -> Section:
        """A few images with their maps: orange counts for people's distribution, blue against it."""
        rows: list[list[AnyCell]] = []
        for place in self.shown.tolist():
            item, pixels = str(probed.images.items[place]), _repeat_grey(probed.images.pixels[place])
            drawings = [_draw(pixels, f"picture of item {item}")]
            drawings += [
                _draw(overlay_map(pixels, maps[place]), f"map of {name} over item {item}")
                for name, maps in self.maps.items()
            ]
            rows.append([item, _format_shares(probed.people[place], probed.network.classes), *drawings])
        columns = [Column("item"), Column("people", wraps=True), Column("image")]
        columns += [Column(f"map of {name}") for name in self.maps]
        about = Text(
            "Orange parts count for people's distribution, blue parts against it. Each map is scaled to its own "
            "largest value."
        )
        title = "Images people disagree about most, then least"
        return Section(title, [about, Table(columns, rows)], detail=True)


def find_obstacle(probed: Probed) -> Refusal | None:
    if any(isinstance(layer, nn.Conv2d) for layer in probed.network.module.modules()):
        return None
    return Refusal("the network has no convolution, so there are no maps of an image")


def run(probed: Probed, rng: np.random.Generator, move: Move) -> SaliencyResult:
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
        return SaliencyResult(maps, shown, None)
    if len({part.shape for part in maps.values()}) > 1:
        sizes = " and ".join(f"{part.shape[1]} x {part.shape[2]}" for part in maps.values())
        return SaliencyResult(maps, shown, None, (f"maps of {sizes} are not compared, as their scales differ",))
    height, width = next(iter(maps.values())).shape[1:]
    remarks: tuple[str, ...] = ()
    if height * width < FEW_PIXELS:
        remarks = (
            f"each correlation is over the {height * width} pixels of {height} x {width} maps, and mostly chance; "
            "an earlier layer has larger maps",
        )
    return SaliencyResult(maps, shown, stability_by_disagreement(list(maps.values()), probed.people), remarks)


def overlay_map(pixels: np.ndarray, saliency: np.ndarray) -> np.ndarray:
    """Tint a grey version of an image where a map is far from 0.  (h, w, 3) uint8, (a, b) -> (h, w, 3) uint8"""
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


def _repeat_grey(pixels: np.ndarray) -> np.ndarray:
    return np.repeat(pixels, 3, axis=2) if pixels.shape[2] == 1 else pixels


def _draw(pixels: np.ndarray, words: str) -> Drawing:
    return Drawing(picture(pixels, words), words)


def _format_shares(probs: np.ndarray, classes: tuple[str, ...]) -> str:
    order = np.argsort(-probs, kind="stable")[:2]
    return ", ".join(f"{classes[c]} {probs[c]:.0%}" for c in order if probs[c] > 0)
