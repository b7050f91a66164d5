"""Numbers of sections 3 to 6: formulas, simulated maps, preferences, and labels with fewer numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Number, Row
from dissensus.papers.study_runs import pseudo_values
from dissensus.papers.sucholutsky2023.simulation import FEW, LARGE_END, SMALL_END
from dissensus.papers.sucholutsky2023.theory import REGIMES
from dissensus.plan.information import information_ratio, soft_constraints

Numbers = Mapping[str, Any]
Maps = Mapping[str, np.ndarray]
KINDS = ("soft", "hard")
SIMULATED = Candidate()
PAPER_SIZES = 30  # of n and of k; r over fewer cells is another number
FLIP_BOUND = 4.0  # standard errors that the share of drawn flips may be off
FEWER, MORE = "fewer items than classes", "more items than classes"
FEW_ITEMS, MANY_ITEMS = "up to 15 items", f"from {LARGE_END} items on"
BORDER, CORNER = "few items or classes", "many items and classes"
ENDS = ("small", "large")
HALF = 0.5


def observe_theory(theory: Numbers) -> Iterator[Row]:
    """Sizes at which formula and count differ, exponents of the information ratio, and its phases."""
    counts = theory["counts"]
    even = [row for row in counts if row["balanced"]]
    pairs = {
        "all queries": [(row["total"]["formula"], row["total"]["counted"]) for row in counts],
        "hard": [(row["hard"]["formula"], row["hard"]["counted"]) for row in even],
        "soft": [(row["soft"]["formula"], row["soft"]["counted"]) for row in counts],
        "ratio": [(row["soft"]["ratio"], 1 - row["soft"]["unanswered"]) for row in counts]
        + [(row["hard"]["ratio"], 1 - row["hard"]["unanswered"]) for row in even],
    }
    for name, compared in pairs.items():
        off = sum(abs(formula - counted) > 1e-9 * max(1.0, abs(counted)) for formula, counted in compared)
        yield _single("mismatches", name, off)
    yield _single("rates_off", "flips", sum(_flip_error(row) > FLIP_BOUND for row in theory["noise"]))
    slopes = theory["exponents"]
    for kind in KINDS:
        yield _single("phases", kind, len(list(groupby(round(slopes[kind][regime]) for regime in REGIMES))))
        for regime in REGIMES:
            yield _single("exponent", kind, _without_sign_of_zero(slopes[kind][regime]), regime)
    for regime in REGIMES:
        gap = _without_sign_of_zero(slopes["soft"][regime] - slopes["hard"][regime])
        yield _single("exponent_gap", "soft less hard", gap, regime)


def observe_maps(simulated: Numbers) -> Iterator[Row]:
    """Recovery by size: soft and hard labels, ends of each regime, few and many items per class."""
    sizes = np.array(simulated["sizes"])
    maps = {d: {kind: np.array(of[kind]) for kind in KINDS} for d, of in simulated["maps"].items()}
    for kind in KINDS:
        for d, rho in maps.items():
            yield SIMULATED, Number("rho", kind, f"d = {d}"), _by_items(sizes, rho[kind])
        read_off: dict[str, Callable[[np.ndarray], dict[str, float]]] = {
            "": partial(_by_items, sizes),
            FEWER: partial(_triangle, sizes, True),
            MORE: partial(_triangle, sizes, False),
        }
        read_off |= {f"{regime}, {end}": partial(_end, sizes, regime, end) for regime in REGIMES for end in ENDS}
        for where, runs_of in read_off.items():
            runs = {f"d = {d}, {run}": value for d, rho in maps.items() for run, value in runs_of(rho[kind]).items()}
            yield SIMULATED, Number("rho", kind, where), runs
        within = {name: run["within"][kind] for name, run in simulated["runs"].items()}
        yield SIMULATED, Number("ratio_correlation", kind), within
    both = {name: run["rank correlation"] for name, run in simulated["runs"].items()}
    yield SIMULATED, Number("ratio_correlation", "both kinds"), both


def observe_preferences(preferred: Numbers) -> Iterator[Row]:
    """By how much soft labels are preferred: loss of hard less soft labels, by utility and dimension."""
    sizes = np.array(preferred["sizes"])
    border = (sizes[:, None] == sizes.min()) | (sizes[None, :] == sizes.min())
    corner = (sizes[:, None] >= LARGE_END) & (sizes[None, :] >= LARGE_END)
    together: dict[str, dict[str, float]] = {}
    for name, values in preferred["maps"].items():
        worth = np.array(values)  # (N, K)
        utility, beta, d = name.split(" · ")
        weight = f"β = {beta.removeprefix('beta ')}"
        means = {
            f"{weight}, {BORDER}": (f"{utility}, {d}", worth[border]),
            f"{weight}, {CORNER}": (f"{utility}, {d}", worth[corner]),
            FEW_ITEMS: (name, worth[sizes <= FEW[1]]),
            MANY_ITEMS: (name, worth[sizes >= LARGE_END]),
        }
        for where, (run, cells) in means.items():
            together.setdefault(where, {})[run] = float(cells.mean())
    for where, runs in together.items():
        yield SIMULATED, Number("preference", "soft", where), runs


def observe_sparsity(sparsity: Numbers, simulated: Numbers) -> Iterator[Row]:
    """Effective dimensionality, recovery and loss with fewer numbers per label."""
    sizes = simulated["sizes"]
    items, classes = np.meshgrid(sizes, sizes, indexing="ij")
    ratio = information_ratio(soft_constraints(items, classes), items, classes)
    names = [f"n = {n}" for n in sizes]
    for d, plane in sparsity["effective"].items():
        needed = np.array(plane["map"])  # (N, K)
        for arm, table in (("components", needed), ("half of the classes", HALF * classes)):
            runs = dict(zip(names, table.mean(axis=1).tolist(), strict=True))
            yield SIMULATED, Number("dimensions", arm, f"d = {d}"), runs
        if len(sizes) == PAPER_SIZES:
            runs = pseudo_values(partial(_pearson, ratio, needed), names)
            yield SIMULATED, Number("effective_r", "soft", f"d = {d}"), runs
    curves: Mapping[str, Numbers] = sparsity["curves"]
    for arm, key in (("components", "pca"), ("sparse", "sparse"), ("top-class", "top_class")):
        yield SIMULATED, Number("rho_kept", arm), {name: _mean_between(curve, key) for name, curve in curves.items()}
    yield SIMULATED, Number("share_kept", "sparse"), {name: _share_kept(curve) for name, curve in curves.items()}
    yield SIMULATED, Number("share_kept", "half"), dict.fromkeys(curves, HALF)
    losses = {name: [_losses(curves[name], loss) for loss in of.values()] for name, of in sparsity["losses"].items()}
    for place, arm in enumerate(("sparse", "hard or soft")):
        runs = {name: float(np.mean([loss[place] for loss in of])) for name, of in losses.items()}
        yield SIMULATED, Number("loss", arm), runs


def _single(metric: str, arm: str, value: float, where: str = "") -> Row:
    return SIMULATED, Number(metric, arm, where), {"all": float(value)}


def _without_sign_of_zero(value: float) -> float:
    return round(value, 3) + 0.0


def _flip_error(row: Mapping[str, float]) -> float:
    """Standard errors between the drawn and the expected number of answers that stay right."""
    expected_sd = (row["constraints"] * row["rate"] * (1 - row["rate"])) ** 0.5
    return abs(row["right"] - row["formula"]) / expected_sd


def _by_items(sizes: np.ndarray, rho: np.ndarray) -> dict[str, float]:
    return {f"n = {n}": float(row.mean()) for n, row in zip(sizes, rho, strict=True)}


def _end(sizes: np.ndarray, regime: str, end: str, rho: np.ndarray) -> dict[str, float]:
    """Recovery where the size that grows is small or large; the other size distinguishes runs."""
    small = np.flatnonzero((sizes >= SMALL_END[0]) & (sizes <= SMALL_END[1]))
    large = np.flatnonzero(sizes >= LARGE_END)
    at = small if end == "small" else large
    if regime == "one-shot":
        paired = at[: min(small.size, large.size)]
        return {f"pair {place}": float(rho[size, size]) for place, size in enumerate(paired, 1)}
    table = rho if regime == "many-shot" else rho.T  # the size that grows comes first
    few = np.flatnonzero((sizes >= FEW[0]) & (sizes <= FEW[1]))
    return {f"other size {sizes[other]}": float(table[at, other].mean()) for other in few}


def _triangle(sizes: np.ndarray, fewer: bool, rho: np.ndarray) -> dict[str, float]:
    """Mean of the cells with fewer items than classes, or of their mirror images, by the smaller size."""
    table = rho if fewer else rho.T
    return {f"smaller size {sizes[at]}": float(table[at, at + 1 :].mean()) for at in range(len(sizes) - 1)}


def _pearson(first: np.ndarray, second: np.ndarray, rows: np.ndarray) -> float:
    return float(np.corrcoef(first[rows].ravel(), second[rows].ravel())[0, 1])


def _mean_between(curve: Numbers, key: str) -> float:
    """Mean recovery with more than one number per label and fewer than all."""
    return float(np.mean([rho for rho, kept in zip(curve[key], curve["kept"], strict=True) if 1 < kept < curve["k"]]))


def _share_kept(curve: Numbers) -> float:
    """Share of the gain of soft over hard labels that sparse labels with at most half of the classes have."""
    at = max(place for place, kept in enumerate(curve["kept"]) if kept <= curve["k"] / 2)
    return float((curve["sparse"][at] - curve["hard"]) / (curve["soft"] - curve["hard"]))


def _losses(curve: Numbers, loss: Numbers) -> tuple[float, float]:
    """Lowest loss of sparse labels, and of hard and soft ones."""
    inside = [value for value, kept in zip(loss["sparse"], curve["kept"], strict=True) if 1 < kept < curve["k"]]
    return min(inside), min(loss["hard"], loss["soft"])
