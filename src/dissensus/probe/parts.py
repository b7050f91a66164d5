"""What each probe of a page gives: its numbers, and what a reader should know about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes
from dissensus.probe.curvature import Density, Eigenvalues
from dissensus.probe.gradients import GradientVariance
from dissensus.probe.landscapes import LossLine, LossPlane
from dissensus.probe.ood_sets import Detection
from dissensus.probe.paths import Barrier, LossCurve
from dissensus.probe.robustness import Robustness
from dissensus.probe.stability import SaliencyStability
from dissensus.probe.traces import Trace


@dataclass(frozen=True, eq=False)
class Attacked:
    """Each attack, by its name."""

    by_method: dict[str, Robustness]
    remarks: tuple[str, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        return [result.as_json() for result in self.by_method.values()]


@dataclass(frozen=True, eq=False)
class Outside:
    """How well the network tells items outside from its own."""

    detection: Detection
    remarks: tuple[str, ...] = ()

    def as_json(self) -> list[dict[str, Any]]:
        return self.detection.as_json()


@dataclass(frozen=True, eq=False)
class Bending:
    """How the loss bends around the network.

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


@dataclass(frozen=True, eq=False)
class Way:
    """The loss on the way to the other network; `renewed_on` says from what batch norm was renewed."""

    barrier: Barrier
    renewed_on: str
    remarks: tuple[str, ...] = ()

    @property
    def curves(self) -> dict[str, LossCurve]:
        """By how batch norm was treated; one curve where there is none."""
        if not self.barrier.batch_norms:
            return {"no batch norm": self.barrier.renewed}
        return {"statistics renewed": self.barrier.renewed, "statistics interpolated": self.barrier.interpolated}

    def as_json(self) -> dict[str, Any]:
        return {
            "batch_norms": self.barrier.batch_norms,
            "statistics_renewed_on": self.renewed_on,
            **{name: _curve_json(getattr(self.barrier, name)) for name in ("interpolated", "renewed")},
        }


@dataclass(frozen=True, eq=False)
class Likeness:
    """CKA of what the last linear layers are given; `columns` of them on both sides."""

    cka: float
    columns: tuple[int, int]
    items: int
    remarks: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"linear_cka": as_json(self.cka), "features": list(self.columns), "items": self.items}


@dataclass(frozen=True, eq=False)
class Maps:
    """Grad-CAM for what people said, a few images with their maps, and how alike both networks' maps are.

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


@dataclass(frozen=True, eq=False)
class Spread:
    """How far each item's gradient varies with the label drawn for it, beside people's entropy."""

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


def _curve_json(curve: LossCurve) -> dict[str, Any]:
    return {
        "barrier": as_json(curve.barrier),
        "highest_at": curve.highest,
        "above_mean_of_ends": as_json(curve.above_mean),
        "ends": list(curve.ends),
        "at": curve.at.tolist(),
        "loss": as_json(curve.loss),
    }
