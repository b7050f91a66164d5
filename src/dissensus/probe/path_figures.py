"""Figures of the loss between networks and around one."""

from __future__ import annotations

import numpy as np

from dissensus.probe.landscapes import LossLine, LossPlane
from dissensus.probe.paths import Barrier
from dissensus.report.charts import Line, line_chart
from dissensus.report.maps import grid_map

LOSS = "cross-entropy, nats"


def barrier_figure(way: Barrier, names: tuple[str, str] = ("the first network", "the second")) -> str:
    """The loss from one network to the other: once or, with batch norm, for both ways of treating its statistics."""
    curves = {"renewed statistics": way.renewed, "interpolated statistics": way.interpolated}
    if not way.batch_norms:
        curves = {"loss": way.renewed}
    lines = [Line(name, curve.at, curve.loss) for name, curve in curves.items()]
    return line_chart(lines, f"0: {names[0]}, 1: {names[1]}", LOSS)


def line_figure(slices: dict[str, LossLine]) -> str:
    """Slices along directions, by their names."""
    lines = [Line(name, part.at, part.loss) for name, part in slices.items()]
    return line_chart(lines, "multiples of the direction; 0 is the network", LOSS, marks=False)


def plane_figure(plane: LossPlane, x_title: str, y_title: str) -> str:
    """The loss over two directions, a ring around each network in it.

    Shades go by the logarithm of the loss, which grows by powers of ten away from a network.
    """
    shown = np.log(np.maximum(plane.loss, np.finfo(np.float64).tiny))
    finite = plane.loss[np.isfinite(plane.loss)]
    low, high = float(finite.min()), float(finite.max())
    return grid_map(
        np.where(np.isfinite(shown), shown, np.nan),
        plane.x.tolist(),
        plane.y.tolist(),
        x_title,
        y_title,
        LOSS,
        low=float(np.log(max(low, 1e-300))),
        high=float(np.log(max(high, 1e-300))),
        ends=(f"{low:.3g}", f"{high:.3g}"),
        mark=plane.places,
    )
