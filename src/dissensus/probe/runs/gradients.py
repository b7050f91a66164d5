"""Gradient noise: how far an item's gradient varies with the label that is drawn for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.distances import normalised_entropy
from dissensus.labels.refusals import Refusal
from dissensus.labels.sampling import evenly_spaced
from dissensus.probe.gradients import GradientVariance, gradient_variance
from dissensus.probe.probed import Move, Probed
from dissensus.report.charts import scatter
from dissensus.report.document import Block, Card, Figure, Section
from dissensus.report.tables import Column, Table

DOTS = 600  # more would hide each other, and make the page heavy
NOTE = (
    "Exact variance of the last layer's gradient of an item if its label is drawn from people's distribution; "
    "larger is noisier. By its formula it rises with their entropy, so a high correlation says little about the "
    "network."
)


@dataclass(frozen=True, eq=False)
class GradientResult:
    """How far each item's gradient varies with the label drawn for it, with people's entropy."""

    gradients: GradientVariance
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        variance = self.gradients.variance
        return {
            "spearman_with_entropy": as_json(self.gradients.spearman),
            "items": len(variance),
            "mean_variance": float(variance.mean()),
            "median_variance": float(np.median(variance)),
        }

    def answer(self, probed: Probed) -> str:
        facts = self.as_json()
        if facts["spearman_with_entropy"] is None:
            return f"The mean gradient variance under label sampling is {facts['mean_variance']:.3g}."
        return (
            "The rank correlation of people's entropy and gradient variance under label sampling is "
            f"{facts['spearman_with_entropy']:.3f}."
        )

    def card(self, probed: Probed) -> Card:
        return Card("gradient variance and entropy", self.gradients.spearman, "rank correlation")

    def blocks(self, probed: Probed) -> list[Block]:
        facts = self.as_json()
        columns = [
            Column("items"),
            Column("Spearman with entropy"),
            Column("mean variance", ".4g"),
            Column("median variance", ".4g"),
        ]
        row = (facts["items"], self.gradients.spearman, facts["mean_variance"], facts["median_variance"])
        return [Section("", [self._figure(probed), Table(columns, [row], "Gradient variance", NOTE)], columns=2)]

    def _figure(self, probed: Probed) -> Figure:
        shown = evenly_spaced(len(probed.images), DOTS)
        drawing = scatter(
            normalised_entropy(probed.people)[shown],
            self.gradients.variance[shown],
            [str(item) for item in probed.images.items[shown].tolist()],
            "entropy of people, as a share of ln k",
            "gradient variance",
        )
        return Figure("Gradient variance and entropy per item", drawing)


def find_obstacle(probed: Probed) -> Refusal | None:
    return None if len(probed.images) > 1 else Refusal("1 item; expected 2 or more to correlate over")


def run(probed: Probed, rng: np.random.Generator, move: Move) -> GradientResult:
    result = gradient_variance(probed.network, probed.batches, progress=move)
    if np.isnan(result.spearman):
        return GradientResult(result, ("all items have the same entropy, so there is no correlation with it",))
    return GradientResult(result)
