"""The loss on the straight line to another network: whether both are in one valley."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.refusals import Refusal
from dissensus.probe.architecture import same_architecture
from dissensus.probe.inputs import ImageBatches, image_batches
from dissensus.probe.path_figures import barrier_figure
from dissensus.probe.paths import Barrier, LossCurve, barrier
from dissensus.probe.probed import Move, Probed, find_no_other
from dissensus.report.document import Block, Card, Figure, Section
from dissensus.report.tables import Column, Table

RENEWED_ON = 5_000  # images are enough for means and variances of a channel, and are gone through at every point


@dataclass(frozen=True, eq=False)
class BarrierResult:
    """The loss on the line to the other network; `renewed_on` names the images that batch norm was renewed on."""

    barrier: Barrier
    renewed_on: str
    remarks: tuple[str, ...] = ()

    @property
    def curves(self) -> dict[str, LossCurve]:
        """By how batch norm was treated; one curve if there is none."""
        if not self.barrier.batch_norms:
            return {"no batch norm": self.barrier.renewed}
        return {"statistics renewed": self.barrier.renewed, "statistics interpolated": self.barrier.interpolated}

    def as_json(self) -> dict[str, Any]:
        return {
            "batch_norms": self.barrier.batch_norms,
            "statistics_renewed_on": self.renewed_on,
            **{name: _curve_json(getattr(self.barrier, name)) for name in ("interpolated", "renewed")},
        }

    def answer(self, probed: Probed) -> str:
        name, curve = next(iter(self.curves.items()))
        if curve.barrier <= 0:
            return f"The loss has no barrier on the straight line to {probed.names[1]} ({name})."
        rise = f"{curve.barrier:.3f} nats above its ends"
        return f"On the straight line to {probed.names[1]}, the loss rises {rise} ({name})."

    def card(self, probed: Probed) -> Card:
        (name, first), *others = self.curves.items()
        note = ", ".join(f"{other} {curve.barrier:.3f}" for other, curve in others)
        return Card(f"barrier, {name}", first.barrier, note)

    def blocks(self, probed: Probed) -> list[Block]:
        figure = Figure("Loss on the line", barrier_figure(self.barrier, (probed.names[0], probed.names[1])))
        return [Section("", [figure, self._table(probed)], columns=2)]

    def _table(self, probed: Probed) -> Table:
        columns = [
            Column("batch norm"),
            Column("barrier"),
            Column("at t", "g"),
            Column("above the mean"),
            Column("loss at t = 0"),
            Column("loss at t = 1"),
        ]
        rows = [
            (name, curve.barrier, curve.highest, curve.above_mean, *curve.ends) for name, curve in self.curves.items()
        ]
        note = (
            f"Straight line from {probed.names[0]} (t = 0) to {probed.names[1]} (t = 1). Barrier: how far the "
            "cross-entropy to people, in nats, rises above the line between its ends; 0 or less is no barrier. "
            "Above the mean: the largest loss less the mean of both ends."
        )
        if self.barrier.batch_norms:
            note += (
                f" Statistics of the batch-norm layers ({self.barrier.batch_norms}) were renewed on {self.renewed_on}; "
                "interpolated statistics fit no network in between, and can overstate the barrier."
            )
        return Table(columns, rows, "Barrier", note)


def find_obstacle(probed: Probed) -> Refusal | None:
    if probed.other is None:
        return find_no_other(probed)
    try:
        same_architecture(probed.network, probed.other)
    except ValueError as problem:
        return problem if isinstance(problem, Refusal) else Refusal(str(problem))
    return None


def run(probed: Probed, rng: np.random.Generator, move: Move) -> BarrierResult:
    assert probed.other is not None
    known = None if probed.reference is None else _batch_reference(probed)
    result = barrier(probed.network, probed.other, probed.batches, renew_statistics_on=known, progress=move)
    if not result.batch_norms:
        return BarrierResult(result, "nothing", ("the networks have no batch norm, so no statistics are renewed",))
    return BarrierResult(
        result, "the images that are probed" if known is None else f"{len(known.images):,} images of the training set"
    )


def _batch_reference(probed: Probed) -> ImageBatches:
    """Some images of the training set as batches; their targets are not used."""
    assert probed.reference is not None
    some = probed.reference.select(range(min(RENEWED_ON, len(probed.reference))))
    return image_batches(probed.network, some, np.zeros(len(some), dtype=np.int64), batch=probed.batches.batch)


def _curve_json(curve: LossCurve) -> dict[str, Any]:
    return {
        "barrier": as_json(curve.barrier),
        "highest_at": curve.highest,
        "above_mean_of_ends": as_json(curve.above_mean),
        "ends": list(curve.ends),
        "at": curve.at.tolist(),
        "loss": as_json(curve.loss),
    }
