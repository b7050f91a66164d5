"""Scores of trained models by kind of label and run, as findings and figures need them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.reading import Runs
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.verdicts import count_finding

Row = Mapping[str, Any]
Value = Callable[[Row], float]


def by_run(rows: Sequence[Row], value: Value) -> dict[str, Runs]:
    """A value by kind of label that was learned from, then by network and seed; folds are averaged by their items.

    Of several learning rates, that with the lowest cross-entropy to CIFAR-10H counts, as the paper keeps its best.
    """
    together: dict[tuple[str, str], dict[Any, list[Row]]] = {}
    for row in rows:
        run = f"{row['network']} · seed {row['seed']}"
        together.setdefault((row["kind"], run), {}).setdefault(row["learning_rate"], []).append(row)
    values: dict[str, Runs] = {}
    for (kind, run), rates in together.items():
        best = min(rates.values(), key=lambda folds: _mean(folds, on_labels("H")))
        values.setdefault(kind, {})[run] = _mean(best, value)
    return values


def on_labels(kind: str, metric: str = "cross-entropy") -> Value:
    """Against labels of a kind, of the images that a model was judged on."""
    return lambda row: float(row["labels"][kind][metric])


def on_shift(name: str, metric: str = "cross-entropy") -> Value:
    """On a set of shifted images."""
    return lambda row: float(row["shift"][name][metric])


def on_all_labels(row: Row) -> float:
    """Mean cross-entropy over all kinds of label."""
    return float(np.mean([scores["cross-entropy"] for scores in row["labels"].values()]))


def lowest_kind(values: Mapping[str, Runs]) -> dict[str, str]:
    """The kind of label with the lowest value, by run."""
    runs = next(iter(values.values()))
    return {run: min(values, key=lambda kind: values[kind][run]) for run in runs}


def lowest_on_average(values: Mapping[str, Runs]) -> str:
    """The kind of label with the lowest mean over runs."""
    return min(values, key=lambda kind: mean_of(values[kind]))


def middle_finding(
    values: Mapping[str, Runs], kinds: Sequence[str], *, over: str, parts: tuple[str, ...], text: str, reason: str
) -> Finding:
    """Whether neither the hardest nor the softest labels have the lowest value, on average and in most runs.

    kinds  by rising softness
    """
    ends = (kinds[0], kinds[-1])
    inside = {run: best not in ends for run, best in lowest_kind(values).items()}
    finding = count_finding(inside, over=over, parts=parts, text=text, reason=reason)
    lowest = lowest_on_average(values)
    if finding.verdict == "differs" or lowest not in ends:
        return finding
    mean = f"on average {NAMES[lowest]} is lowest"
    return replace(finding, verdict="differs", reason=f"{mean}; {reason}" if reason else mean)


def by_chance(kinds: Sequence[str]) -> str:
    """How often a kind that is drawn at random is none of the two ends."""
    return f"a kind drawn at random is a middling one in {len(kinds) - 2} of {len(kinds)}"


def beyond_chance(inside: Sequence[bool], kinds: Sequence[str]) -> bool:
    """Whether a middling kind is best more often than a kind drawn at random is a middling one."""
    return sum(inside) * len(kinds) > len(inside) * (len(kinds) - 2)


def mean_of(runs: Runs) -> float:
    """Over runs."""
    return float(np.mean(list(runs.values())))


def format_ranking(values: Mapping[str, Runs], digits: int = 3) -> str:
    """Kinds of label with their means over runs, lowest first, in words."""
    means = {kind: mean_of(runs) for kind, runs in values.items()}
    return ", ".join(f"{NAMES[kind]} {means[kind]:.{digits}f}" for kind in sorted(means, key=means.__getitem__))


def _mean(folds: Sequence[Row], value: Value) -> float:
    return float(np.average([value(row) for row in folds], weights=[row["items"] for row in folds]))
