"""Attacks on the images: what remains of a network's agreement with people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.probe.probed import Move, Probed
from dissensus.probe.robustness import Robustness, attack
from dissensus.report.charts import Line, line_chart
from dissensus.report.document import Block, Card, Figure, Section
from dissensus.report.tables import Column, Table

SCORES = {
    "accuracy": Column("accuracy", ".1%"),
    "cross_entropy_hard": Column("cross-entropy to the majority"),
    "soft_nll": Column("cross-entropy to people"),
}
LOSS = "cross-entropy to the majority"


@dataclass(frozen=True, eq=False)
class AttackResult:
    """Each attack, by its name."""

    by_method: dict[str, Robustness]
    remarks: tuple[str, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        return [result.as_json() for result in self.by_method.values()]

    def answer(self, probed: Probed) -> str:
        epsilon, before, after = self._smallest()
        return (
            f"PGD that moves each pixel by at most {epsilon:g} of 255 changes the accuracy from {before:.1%} to "
            f"{after:.1%}."
        )

    def card(self, probed: Probed) -> Card:
        epsilon, before, after = self._smallest()
        return Card(f"accuracy after PGD at {epsilon:g}", after, f"before {before:.1%}", format=".1%")

    def blocks(self, probed: Probed) -> list[Block]:
        figures = self._figures(probed)
        if len(figures) == 1:
            return [Section("", [*figures, self._table()], columns=2)]
        return [Section("", figures, columns=2, detail=True), self._table()]

    def _smallest(self) -> tuple[float, float, float]:
        """The smallest epsilon, with the accuracy before and after PGD."""
        pgd = self.by_method["pgd"]
        epsilon = min(pgd.after)
        return epsilon, pgd.before.means()["accuracy"], pgd.after[epsilon].means()["accuracy"]

    def _table(self) -> Table:
        before = next(iter(self.by_method.values())).before.means()
        rows: list[tuple[Any, ...]] = [("none", 0.0, *(before[name] for name in SCORES))]
        for method, result in self.by_method.items():
            for epsilon, scores in result.after.items():
                rows.append((method, epsilon, *(scores.means()[name] for name in SCORES)))
        pgd = self.by_method["pgd"].options
        note = (
            "Each attack raises the cross-entropy to the class most people chose. Epsilon is the largest change of a "
            f"pixel, of 255. PGD takes {pgd['steps']} steps of {pgd['step_size']:g} from a random start. Higher "
            "accuracy and lower cross-entropy (in nats) are better."
        )
        return Table(
            [Column("attack"), Column("epsilon", "g"), *SCORES.values()], rows, "Scores after each attack", note
        )

    def _figures(self, probed: Probed) -> list[Figure]:
        """The loss along the steps of PGD, as in Peterson 2019, figure 4; and over epsilons if there are several."""
        lines = [
            Line(
                f"epsilon {epsilon:g}", np.arange(len(steps.cross_entropy_hard)), steps.cross_entropy_hard.mean(axis=1)
            )
            for epsilon, steps in self.by_method["pgd"].steps.items()
        ]
        figures = [Figure("Loss by step of PGD", line_chart(lines, "step of PGD; 0 is its start", LOSS))]
        if len(probed.epsilons) > 1:
            over = [
                Line(
                    method,
                    np.array([0.0, *result.after]),
                    np.array([each.means()["cross_entropy_hard"] for each in (result.before, *result.after.values())]),
                )
                for method, result in self.by_method.items()
            ]
            figures.append(Figure("Loss by epsilon", line_chart(over, "epsilon, of 255", LOSS)))
        return figures


def run(probed: Probed, rng: np.random.Generator, move: Move) -> AttackResult:
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
    remarks = [
        f"{method} at epsilon {epsilon:g} changed no pixel of {int(unmoved.sum()):,} images, since their loss has a "
        "gradient of 0; they count as robust"
        for method, result in by_method.items()
        for epsilon, unmoved in result.unmoved.items()
        if epsilon and unmoved.any()
    ]
    steps, size = (by_method["pgd"].options[name] for name in ("steps", "step_size"))
    remarks += [
        f"pgd takes {steps} steps of {size:g}, which do not reach epsilon {epsilon:g}; fgsm may be stronger there"
        for epsilon in probed.epsilons
        if epsilon > steps * size
    ]
    return AttackResult(by_method, tuple(remarks))
