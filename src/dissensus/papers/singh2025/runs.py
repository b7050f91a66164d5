"""The numbers of a set as findings need them: which encoder counts, and soft less hard by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025 import published
from dissensus.papers.singh2025.encoders import HERE, OF_THE_PAPER, SHOWN, part_of
from dissensus.papers.singh2025.work import SIZES, grid_of

Numbers = Mapping[str, Any]


@dataclass(frozen=True)
class SetRun:
    """A set with the encoder that its findings are judged by.

    numbers  of `part`: the paper's own encoder where a user has its features, else the one there is here
    others   numbers of the other encoders, by part; told beside
    """

    name: str
    scale: Scale
    part: str
    numbers: Numbers
    others: Mapping[str, Numbers]

    @property
    def title(self) -> str:
        return published.NAMES[self.name]

    @property
    def other_here(self) -> list[str]:
        """What is other here than in the paper."""
        theirs = SHOWN[OF_THE_PAPER[self.name]]
        texts = ["offensiveness stands for politeness, which is not among the data"] * (self.name == "popquorn")
        if self.numbers["encoder"] != theirs:
            texts.append(f"{self.numbers['encoder']} stands for {theirs}")
        return texts

    @property
    def reason(self) -> str:
        return "; ".join(self.other_here)


def set_runs(results: Results, scale: Scale) -> dict[str, SetRun]:
    """The sets of a run, by name."""
    runs = {}
    for name in published.NAMES:
        parts = [part for part in results.numbers if part == name or part.startswith(f"{name}-")]
        wanted = part_of(name, OF_THE_PAPER[name])
        part = wanted if wanted in parts else part_of(name, HERE[name])
        others = {other: results.numbers[other] for other in parts if other != part}
        runs[name] = SetRun(name, scale, part, results.numbers[part], others)
    return runs


def soft_less_hard(numbers: Numbers, metric: str, reading: str = "fixed") -> np.ndarray:
    """By seed; accuracy in points.  (seeds,)"""
    scores = numbers[reading]["scores"]
    gaps: np.ndarray = np.array(scores["soft"][metric]) - np.array(scores["hard"][metric])
    return gaps * (100 if metric == "accuracy" else 1)


def mean_score(numbers: Numbers, targets: str, metric: str, reading: str = "fixed") -> float:
    """Over seeds; accuracy in percent."""
    return float(np.mean(numbers[reading]["scores"][targets][metric])) * (100 if metric == "accuracy" else 1)


def relative_gain(numbers: Numbers, metric: str) -> float:
    """How much soft labels improve the mean over seeds, in percent of hard labels; NaN where that is 0 or below."""
    hard, soft = (mean_score(numbers, targets, metric) for targets in ("hard", "soft"))
    if hard <= 0:
        return float("nan")
    return 100 * (1 - soft / hard if metric == "kl" else soft / hard - 1)


def by_seed(values: np.ndarray | Sequence[float], prefix: str = "seed") -> dict[str, float]:
    """Values with the names of their seeds."""
    return {f"{prefix} {place + 1}": float(value) for place, value in enumerate(values)}


def with_text(finding: Finding, ours: str) -> Finding:
    """The finding in other words."""
    return replace(finding, ours=ours)


def with_size(finding: Finding, scale: Scale) -> Finding:
    """At a small scale, what differs may be chance: the reason says so."""
    if scale != "quick" or finding.verdict != "differs" or not finding.parts:
        return finding
    size = SIZES[scale]
    most = [
        f"{count} items of {published.NAMES[name]}"
        for name, count in size["at_most"].items()
        if any(part.startswith(name) for part in finding.parts)
    ]
    taken = ", ".join([f"{size['seeds']} seeds", f"{len(grid_of(scale))} settings", *most])
    small = f"{scale} takes {taken}, so this may be chance"
    return replace(finding, reason=f"{small}; {finding.reason}" if finding.reason else small)
