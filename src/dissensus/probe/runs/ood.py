"""Images from outside the training data: how well scores of the network separate them from its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.content_hash import hash_arrays
from dissensus.labels.intervals import Interval
from dissensus.labels.refusals import Refusal, Way
from dissensus.probe.detection import Separation
from dissensus.probe.ood import DETECTORS, NEIGHBOURS
from dissensus.probe.ood_sets import Detection, detect_ood
from dissensus.probe.probed import Move, Probed
from dissensus.report.charts import Line, line_chart
from dissensus.report.document import Block, Card, Figure, Section
from dissensus.report.tables import Table
from dissensus.train.images import ImageTable

SCORES = {"aupr_in": "AUPR in", "aupr_out": "AUPR out", "fpr95_in": "FPR95 in", "fpr95_out": "FPR95 out"}


@dataclass(frozen=True, eq=False)
class OodResult:
    """How well the network separates images from outside from its own."""

    detection: Detection
    remarks: tuple[str, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        return self.detection.as_json()

    def answer(self, probed: Probed) -> str:
        name, detector, result = self._first()
        return (
            f"{DETECTORS[detector].title} separates {name} from the probed images with an AUROC of {result.auroc:.3f}, "
            "where 0.5 is chance."
        )

    def card(self, probed: Probed) -> Card:
        name, detector, result = self._first()
        return Card(f"AUROC on {name}", result.auroc, DETECTORS[detector].title)

    def blocks(self, probed: Probed) -> list[Block]:
        return [Section("", [self._figure()], columns=2, detail=True), self._table(probed)]

    def _first(self) -> tuple[str, str, Separation]:
        name, by_detector = next(iter(self.detection.separations.items()))
        detector, result = next(iter(by_detector.items()))
        return name, detector, result

    def _table(self, probed: Probed) -> Table:
        rows = [
            (name, DETECTORS[detector].title, _auroc(result), *(getattr(result, score) for score in SCORES))
            for name, by_detector in self.detection.separations.items()
            for detector, result in by_detector.items()
        ]
        sizes = ", ".join(f"{len(table):,} of {name}" for name, table in probed.outside.items())
        note = (
            f"{len(probed.images):,} images inside, {sizes}. AUROC has its 95% interval over items. AUROC and AUPR: "
            "higher is better; chance is 0.5 and the share of the set. FPR95 in: share of images outside that pass "
            "if 95% of those inside do. FPR95 out: share of images inside that are flagged if 95% of those outside "
            "are. Lower is better for both."
        )
        return Table(["set", "detector", "AUROC", *SCORES.values()], rows, note=note, shown=12)

    def _figure(self) -> Figure:
        """How the first detector spreads both sides: the share of items at or below each score."""
        name = next(iter(self.detection.inside))
        sides = {"inside": self.detection.inside[name]} | {
            set_: by[name] for set_, by in self.detection.outside.items()
        }
        shares = np.linspace(0, 1, 101)
        lines = [Line(side, np.quantile(values, shares), shares) for side, values in sides.items()]
        drawing = line_chart(lines, f"{name}: further outside to the right", "share of items", marks=False)
        return Figure(f"Scores of {name}", drawing)


def find_obstacle(probed: Probed) -> Refusal | None:
    if probed.outside:
        return None
    way = Way("add some with {outside}, such as cifar100-test-8k", outside=...)
    return Refusal("no images from outside the training data given", ways=[way])


def run(probed: Probed, rng: np.random.Generator, move: Move) -> OodResult:
    reference, remarks = _leave_out_probed(probed)
    detection = detect_ood(probed.network, probed.images, probed.outside, reference=reference, progress=move)
    inside = set(_hash_images(probed.images))
    for name, table in probed.outside.items():
        if shared := sum(digest in inside for digest in _hash_images(table)):
            remarks.append(f"{shared:,} of {len(table):,} images of {name} are also inside, so no score separates them")
    height, width = probed.images.pixels.shape[1:3]
    remarks += [
        f"images of {name} have {table.pixels.shape[1]} x {table.pixels.shape[2]} pixels and those inside {height} x "
        f"{width}; the size alone may separate them"
        for name, table in probed.outside.items()
        if table.pixels.shape[1:3] != (height, width)
    ]
    return OodResult(detection, tuple(remarks))


def _auroc(result: Separation) -> float | Interval:
    if math.isnan(result.auroc_low):
        return result.auroc
    return Interval(result.auroc, result.auroc_low, result.auroc_high, math.nan, 0.95)


def _leave_out_probed(probed: Probed) -> tuple[ImageTable | None, list[str]]:
    """The reference without images that are probed, which would be their own neighbours; None if too few remain."""
    names = ", ".join(name for name, detector in DETECTORS.items() if detector.needs == "features")
    if probed.reference is None:
        return None, [f"{names} is left out: no reference images of the training set given"]
    inside = set(_hash_images(probed.images))
    rows = [row for row, digest in enumerate(_hash_images(probed.reference)) if digest not in inside]
    shared = len(probed.reference) - len(rows)
    if len(rows) < NEIGHBOURS:
        less = f", {shared:,} of them probed" if shared else ""
        return None, [
            f"{names} is left out: {len(probed.reference):,} reference images{less}; expected {NEIGHBOURS} or more"
        ]
    if not shared:
        return probed.reference, []
    total = len(probed.reference)
    return probed.reference.select(rows), [f"{names} ignores {shared:,} of {total:,} reference images that are probed"]


def _hash_images(images: ImageTable) -> list[str]:
    return [hash_arrays([pixels]) for pixels in images.pixels]
