"""Section 3 by a second road: comparisons are listed one by one, and exponents read off the formulas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.papers.paper import Tell
from dissensus.plan.constraints import label_triplets
from dissensus.plan.information import (
    hard_constraints,
    information_ratio,
    noisy_constraints,
    soft_constraints,
    total_queries,
)
from dissensus.plan.simulation import simulate_scene

COUNTED = ((6, 3), (12, 4), (20, 5), (8, 8), (5, 15), (30, 10))  # items and classes that can be listed
FLIPS = (0.05, 0.2, 0.4)
FAR = 20_000  # a size at which formulas behave as in the limit
FEW = 10
FORMULAS = {"soft": soft_constraints, "hard": hard_constraints}
REGIMES = ("many-shot", "one-shot", "less-than-one-shot")


def theory(folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Formula and count for each size, flips that were drawn, and how ratios change with size."""
    rng = np.random.default_rng(2023)
    return {
        "counts": [_count_constraints(n, k, rng) for n, k in COUNTED],
        "noise": [_measure_flips(rate, rng) for rate in FLIPS],
        "exponents": {kind: _exponents(count) for kind, count in FORMULAS.items()},
        "ratios": {kind: _ratios(count) for kind, count in FORMULAS.items()},
    }


def _count_constraints(n: int, k: int, rng: np.random.Generator) -> dict[str, Any]:
    """How many different comparisons labels of n items answer: by listing them, and by formula."""
    points = n + k
    numbers: dict[str, Any] = {
        "n": n,
        "k": k,
        "total": {"formula": float(total_queries(n, k)), "counted": _all_questions(points)},
        "balanced": n % k == 0,
    }
    labels = {"soft": simulate_scene(n, k, 3, rng).soft, "hard": np.eye(k)[np.arange(n) % k]}
    for kind, matrix in labels.items():
        triplets = label_triplets(matrix)
        asked = {(a, *sorted((b, c))) for a, b, c in triplets.tolist()}
        numbers[kind] = {
            "formula": float(FORMULAS[kind](n, k)),
            "listed": len(triplets),
            "counted": len(asked),
            "ratio": float(information_ratio(FORMULAS[kind](n, k), n, k)),
            "unanswered": 1 - len(asked) / numbers["total"]["counted"],
        }
    return numbers


def _all_questions(points: int) -> int:
    return sum(1 for a in range(points) for b in range(points) for c in range(b) if a not in (b, c))


def _measure_flips(rate: float, rng: np.random.Generator) -> dict[str, float]:
    """The share of comparisons that stay right where each is turned round with this probability."""
    triplets = label_triplets(simulate_scene(30, 30, 5, rng).soft)
    right = rng.random(len(triplets)) >= rate
    return {
        "rate": rate,
        "constraints": len(triplets),
        "right": int(right.sum()),
        "formula": float(noisy_constraints(len(triplets), rate)),
    }


def _exponents(count: Callable[..., np.ndarray]) -> dict[str, float]:
    """d log(ratio) / d log(size), far out, where n, both or k grow."""
    ends = {
        "many-shot": ((FAR, FEW), (2 * FAR, FEW)),
        "one-shot": ((FAR, FAR), (2 * FAR, 2 * FAR)),
        "less-than-one-shot": ((FEW, FAR), (FEW, 2 * FAR)),
    }
    slopes = {}
    for regime in REGIMES:
        near, far = (float(information_ratio(count(n, k), n, k)) for n, k in ends[regime])
        slopes[regime] = float(np.log(far / near) / np.log(2))
    return slopes


def _ratios(count: Callable[..., np.ndarray]) -> dict[str, list[float]]:
    """Ratios along three lines through the maps of figure 1."""
    sizes = np.arange(3, 91, 3)
    nine = np.full(sizes.size, 9)
    lines = {"many-shot": (sizes, nine), "one-shot": (sizes, sizes), "less-than-one-shot": (nine, sizes)}
    return {"sizes": sizes.tolist()} | {
        name: information_ratio(count(n, k), n, k).tolist() for name, (n, k) in lines.items()
    }
