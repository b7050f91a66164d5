"""Text data sets of several papers: labels, texts and features."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import as_distributions
from dissensus.train.heads.embed_items import embed
from dissensus.train.heads.encodable_items import text_items

CHAOSNLI = ("chaosnli-snli", "chaosnli-mnli")  # its halves, joined in this order


def people_of(name: str) -> Distributions:
    """Load the labels of "chaosnli" (both halves, SNLI first), "popquorn" (offensiveness) or "hs-brexit"."""
    if name != "chaosnli":
        return as_distributions(load(name).labels)
    halves = [as_distributions(load(half).labels) for half in CHAOSNLI]
    probs, items, votes = (
        np.concatenate(columns)
        for columns in zip(*((half.probs, half.items, half.votes) for half in halves), strict=True)
    )
    return Distributions(probs, items, halves[0].classes, votes)


def texts_of(name: str, rows: np.ndarray) -> tuple[Sequence[str], Sequence[str] | None]:
    """Load the texts of some items, and the second texts if items are pairs of sentences.  rows: (r,)"""
    if name != "chaosnli":
        return _column((name,), "text", rows), None
    left, right = (_column(CHAOSNLI, column, rows) for column in ("premise", "hypothesis"))
    return left, right


def minilm_features(
    name: str, people: Distributions, rows: np.ndarray, folder: Path, progress: Callable[[int, int], None]
) -> np.ndarray:
    """Embed some items with all-MiniLM-L6-v2, cached in the folder; pairs as u, v, |u - v|, u * v.  -> (r, d)"""
    items = text_items(people.items[rows], *texts_of(name, rows))
    return embed(items, "minilm", folder / f"{name}.npy", say=lambda notice: None, progress=progress).values


def _column(names: Sequence[str], column: str, rows: np.ndarray) -> list[str]:
    every = np.concatenate([np.array(load(name).items[column].to_pylist(), dtype=object) for name in names])
    values: list[str] = every[rows].tolist()
    return values
