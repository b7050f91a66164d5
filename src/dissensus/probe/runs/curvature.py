"""Curvature of the loss: Hessian eigenvalues, its trace, and slices through the loss around the network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.evaluate.slices import high_disagreement
from dissensus.labels.display import shapes
from dissensus.probe.curvature import Density, Eigenvalues, spectral_density, top_eigenvalues
from dissensus.probe.directions import random_direction
from dissensus.probe.landscapes import LossLine, LossPlane, loss_line, loss_plane
from dissensus.probe.path_figures import line_figure, plane_figure
from dissensus.probe.probed import Move, Probed
from dissensus.probe.traces import Trace, trace
from dissensus.report.charts import Line, line_chart
from dissensus.report.document import Block, Card, Figure, Section
from dissensus.report.tables import Column, Table

DECADES = 8  # of a density that are drawn
EIGENVALUES = 3
NOTE = (
    "Hessian of the mean cross-entropy to people by all weights, batch norm frozen; larger is sharper. The error of "
    "the eigenvalues is the largest of theirs. Rescaling weights that cancel, as before batch norm, changes both "
    "numbers, so compare networks of one architecture that were trained alike."
)


@dataclass(frozen=True, eq=False)
class CurvatureResult:
    """How the loss curves around the network.

    eigenvalues, traces  by name of the items they are over: all, and those people disagree about most
    density              of all eigenvalues, over all items
    lines                the loss along directions by their names, and
    plane                over two random ones, both over `slice_items` items
    """

    eigenvalues: dict[str, Eigenvalues]
    traces: dict[str, Trace]
    density: Density
    lines: dict[str, LossLine]
    plane: LossPlane
    slice_items: int
    remarks: tuple[str, ...] = ()

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        over = [
            {"items": name, "top_eigenvalues": values.as_json(), "trace": self.traces[name].as_json()}
            for name, values in self.eigenvalues.items()
        ]
        density = {name: getattr(self.density, name).tolist() for name in ("at", "value", "error")}
        return {"over": over, "density": density | {"products": self.density.products}}

    def answer(self, probed: Probed) -> str:
        total = self.traces["all"]
        largest = self.eigenvalues["all"].value[0]
        spread = f"{total.value:.3g}" + (f" (standard error {total.error:.2g})" if total.error else "")
        return f"The largest eigenvalue of the Hessian is {largest:.3g} and its trace {spread}."

    def card(self, probed: Probed) -> Card:
        total = self.traces["all"]
        note = f"trace {total.value:.4g}" + (f" ± {total.error:.2g}" if total.error else "")
        return Card("largest eigenvalue", float(self.eigenvalues["all"].value[0]), note, format=".4g")

    def blocks(self, probed: Probed) -> list[Block]:
        return [Section("", self._figures(), columns=3, detail=True), self._table()]

    def _table(self) -> Table:
        columns = [
            Column("items"),
            Column("n"),
            Column("largest eigenvalues", wraps=True),
            Column("error", ".2g"),
            Column("trace", ".4g"),
            Column("standard error", ".2g"),
            Column("loss"),
        ]
        rows = [
            (
                name,
                values.items,
                ", ".join(f"{value:.4g}" for value in values.value),
                float(values.error.max()),
                self.traces[name].value,
                self.traces[name].error,
                values.loss,
            )
            for name, values in self.eigenvalues.items()
        ]
        return Table(columns, rows, note=NOTE)

    def _figures(self) -> list[Figure]:
        least = self.density.value.max() / 10**DECADES
        spectrum = Line("density", self.density.at, np.log10(np.maximum(self.density.value, least)))
        over = f"Over {self.slice_items:,} items."
        return [
            Figure("Hessian spectrum", line_chart([spectrum], "eigenvalue", "log10 of the density", marks=False)),
            Figure("Loss along two random directions", line_figure(self.lines), note=over),
            Figure("Loss over both directions", plane_figure(self.plane, "first", "second"), note=over),
        ]


def run(probed: Probed, rng: np.random.Generator, move: Move) -> CurvatureResult:
    batches, people = probed.batches, probed.people
    slices = high_disagreement(people)
    over = {"all": batches}
    remarks: list[str] = []
    if (slices.code == 1).any():
        rows = np.flatnonzero(slices.code == 1)
        over[slices.names[1]] = replace(batches, images=batches.images.select(rows), targets=people[rows])
    else:
        remarks.append("people agree about every item, so there is no slice of disputed items")
    values = {name: top_eigenvalues(probed.network, part, EIGENVALUES, rng) for name, part in over.items()}
    traces = {name: trace(probed.network, part, rng) for name, part in over.items()}
    for name in over:
        if not values[name].converged:
            remarks.append(f"eigenvalues of {name}: not converged after {values[name].products} products")
        if not traces[name].converged:
            share = traces[name].error / abs(traces[name].value)
            remarks.append(f"trace of {name}: standard error {share:.1%} after {traces[name].draws:,} draws")
    some = [next(iter(batches))]
    across, up = (random_direction(probed.network, rng) for _ in range(2))
    lines = {
        "first random direction": loss_line(probed.network, some, across),
        "second random direction": loss_line(probed.network, some, up),
    }
    plane = loss_plane(probed.network, some, (across, up))
    density = spectral_density(probed.network, batches, rng, draws=2, steps=30)
    return CurvatureResult(values, traces, density, lines, plane, len(some[0][0]), tuple(remarks))
