"""Stability of saliency maps across seeds. Arrays; torch is not needed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.evaluate.slices import HIGH_DISAGREEMENT, high_disagreement
from dissensus.labels.arrays import as_array
from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes

EVEN = 1e-12  # of the largest value: a map that varies less is the same everywhere, but for rounding


def saliency_stability(maps: Any) -> np.ndarray:
    """Compute how alike the maps of an image are across seeds: the mean correlation over all pairs of seeds.

        r_i = mean over s < t of Pearson(map_si, map_ti)

    From -1 to 1, higher is more stable. NaN for an image with a constant map in one of the seeds, which has no
    correlation; `stability_by_disagreement` counts these. Gheibi 2026, sec. 5.3: "cross-seed stability correlation".

    Parameters
    ----------
    maps : (s, n, h, w), of 2 seeds or more, the same images in the same order

    Returns
    -------
    (n,)

    Examples
    --------
    >>> maps = np.random.default_rng(0).normal(size=(1, 2, 4, 4))
    >>> saliency_stability(np.concatenate([maps, 2 * maps])).round(6)
    array([1., 1.])
    """
    stack = _maps(maps)
    seeds, n = stack.shape[:2]
    flat = stack.reshape(seeds, n, -1)
    apart = flat - flat.mean(axis=2, keepdims=True)
    largest = np.abs(apart).max(axis=2)  # (s, n)
    even = largest <= EVEN * np.abs(flat).max(axis=2)
    apart = apart / np.where(even, 1.0, largest)[:, :, None]
    unit = apart / np.sqrt(np.where(even[:, :, None], 1.0, (apart**2).sum(axis=2, keepdims=True)))
    # |sum of s unit vectors|^2 is s and twice the sum over pairs.
    pairs = ((unit.sum(axis=0) ** 2).sum(axis=1) - seeds) / (seeds * (seeds - 1))
    return np.where(even.any(axis=0), math.nan, np.clip(pairs, -1.0, 1.0))


@dataclass(frozen=True, eq=False)
class SaliencyStability:
    """Stability of maps across seeds, of all images and of those people disagree about most.

    values    (n,) one per image, NaN if a map is the same everywhere
    disputed  (n,) bool, the images people disagree about most
    seeds     how many
    """

    values: np.ndarray
    disputed: np.ndarray
    seeds: int

    __repr__ = shapes

    @property
    def overall(self) -> float:
        """Mean over the images that have a value; NaN if none has."""
        return _mean(self.values)

    @property
    def on_disputed(self) -> float:
        """The same over the disputed ones."""
        return _mean(self.values[self.disputed])

    def __str__(self) -> str:
        return f"{self.overall:.3f} overall ({_count_known(self.values)}), " + (
            f"{self.on_disputed:.3f} on the most disputed ({_count_known(self.values[self.disputed])})"
        )

    def as_json(self) -> dict[str, Any]:
        parts = {
            "overall": (self.overall, self.values),
            "most disputed": (self.on_disputed, self.values[self.disputed]),
        }
        return {"seeds": self.seeds} | {
            name: {
                "mean": as_json(mean),
                "images": values.size,
                "without a value": int(np.isnan(values).sum()),
            }
            for name, (mean, values) in parts.items()
        }


def stability_by_disagreement(maps: Any, p_people: np.ndarray, share: float = HIGH_DISAGREEMENT) -> SaliencyStability:
    """Compute `saliency_stability` of all images, and of those that people disagree about most.

    Gheibi 2026, fig. 9. The paper does not state the rule of its high-entropy slice; ours is `high_disagreement`.

    Parameters
    ----------
    maps : (s, n, h, w)
    p_people : (n, k) rows sum to 1
    share : share of the images with the largest entropy among people

    Returns
    -------
    SaliencyStability

    Examples
    --------
    >>> maps = np.random.default_rng(0).normal(size=(1, 2, 4, 4))
    >>> result = stability_by_disagreement(np.concatenate([maps, maps]), np.array([[1.0, 0.0], [0.5, 0.5]]), share=0.5)
    >>> round(result.on_disputed, 6)
    1.0
    """
    values, people = saliency_stability(maps), np.asarray(as_array(p_people), dtype=np.float64)
    if people.ndim != 2 or len(people) != values.size:
        raise ValueError(
            f"there are maps of {values.size} images and p_people has shape {people.shape}; expected ({values.size}, "
            "k), the same images in the same order"
        )
    return SaliencyStability(values, high_disagreement(people, share).code == 1, len(maps))


def _maps(maps: Any) -> np.ndarray:
    try:
        stack = np.stack([np.asarray(as_array(of_seed), dtype=np.float64) for of_seed in maps])
    except ValueError as error:
        sizes = [np.shape(of_seed) for of_seed in maps]
        raise ValueError(f"maps of the seeds have the shapes {sizes}; expected the same (n, h, w) in all") from error
    if stack.ndim != 4 or stack.shape[0] < 2 or stack.shape[2] * stack.shape[3] < 2:
        raise ValueError(
            f"maps have shape {stack.shape}; expected (seeds, n, h, w) with 2 seeds or more, and maps of 2 pixels or "
            "more: for Grad-CAM, name a layer with larger maps"
        )
    bad = np.argwhere(~np.isfinite(stack).all(axis=(2, 3)))
    if bad.size:
        raise ValueError(
            f"the map of image {bad[0, 1]}, seed {bad[0, 0]}, has numbers that are not finite; {len(bad)} of "
            f"{stack.shape[0] * stack.shape[1]} maps have such"
        )
    return stack


def _mean(values: np.ndarray) -> float:
    return math.nan if np.isnan(values).all() else float(np.nanmean(values))


def _count_known(values: np.ndarray) -> str:
    without = int(np.isnan(values).sum())
    return f"{values.size:,} images" + (f", {without:,} of them without a value" if without else "")
