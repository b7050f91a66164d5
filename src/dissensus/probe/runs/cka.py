"""Linear CKA: whether two networks represent the items alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.refusals import Refusal
from dissensus.probe.probed import Move, Probed, find_no_other
from dissensus.probe.representation import LEAST, linear_cka
from dissensus.report.document import Block, Card
from dissensus.report.tables import Column, Table


@dataclass(frozen=True, eq=False)
class CkaResult:
    """CKA of the inputs of the last linear layers; `columns` of them in each network."""

    cka: float
    columns: tuple[int, int]
    items: int
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"linear_cka": as_json(self.cka), "features": list(self.columns), "items": self.items}

    def answer(self, probed: Probed) -> str:
        return f"Linear CKA of the features of {' and '.join(probed.names)} is {self.cka:.3f}, at most 1."

    def card(self, probed: Probed) -> Card:
        return Card("linear CKA", self.cka, "1: the same up to rotation and scale")

    def blocks(self, probed: Probed) -> list[Block]:
        note = (
            f"Of the inputs of the last linear layers, {self.columns[0]} and {self.columns[1]} features of "
            f"{self.items:,} items. Unbiased: around 0 for unrelated features, 1 if one is the other rotated and "
            "scaled."
        )
        rows = [(" and ".join(probed.names), self.cka)]
        return [Table([Column("features of"), Column("linear CKA")], rows, note=note)]


def find_obstacle(probed: Probed) -> Refusal | None:
    few = len(probed.images) < LEAST
    return Refusal(f"{len(probed.images)} items; expected {LEAST} or more") if few else find_no_other(probed)


def run(probed: Probed, rng: np.random.Generator, move: Move) -> CkaResult:
    sides = []
    for place, network in enumerate(probed.networks.values(), start=1):
        sides.append(network.features(probed.images))
        move(place, 2)
    x, y = sides
    return CkaResult(linear_cka(x, y), (x.shape[1], y.shape[1]), len(x))
