"""Sets of texts with what people said, and their features by all-MiniLM-L6-v2."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets.catalogue import load
from dissensus.labels.display import shapes
from dissensus.labels.shares import as_distributions
from dissensus.train.heads.embed_items import embed
from dissensus.train.heads.encodable_items import text_items

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class FeaturedSet:
    """Features and what people said.

    x        (n, d) float32
    probs    (n, k)
    votes    (n,) answers behind each row
    encoder  what made the features
    """

    x: np.ndarray
    probs: np.ndarray
    votes: np.ndarray
    encoder: str

    __repr__ = shapes


def chaosnli(folder: Path, at_most: int | None, progress: Progress) -> FeaturedSet:
    """Both halves of ChaosNLI; pairs of sentences by all-MiniLM-L6-v2."""
    parts = []
    for name in ("chaosnli-snli", "chaosnli-mnli"):
        loaded = load(name)
        rows = _some(loaded.labels.n_items, None if at_most is None else at_most // 2)
        names, left, right = (
            [loaded.items[column][int(row)].as_py() for row in rows] for column in ("item", "premise", "hypothesis")
        )
        table = embed(text_items(names, left, right), "minilm", folder / f"{name}.npy", say=_quiet, progress=progress)
        people = as_distributions(loaded.labels).select(rows)
        parts.append((table.values, people.probs, people.votes))
    x, probs, votes = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return FeaturedSet(x, probs, votes, "all-MiniLM-L6-v2 of both sentences as u, v, |u - v|, u * v")


def popquorn(folder: Path, at_most: int | None, progress: Progress) -> FeaturedSet:
    """The offensiveness ratings of POPQUORN."""
    return _single_texts("popquorn", folder, at_most, progress)


def hs_brexit(folder: Path, at_most: int | None, progress: Progress) -> FeaturedSet:
    """HS-Brexit: whether a tweet is hate speech, by six annotators."""
    return _single_texts("hs-brexit", folder, at_most, progress)


def _some(n: int, at_most: int | None) -> np.ndarray:
    """Evenly spaced positions, all of them where they are few enough."""
    wanted = n if at_most is None else min(n, at_most)
    return np.unique(np.linspace(0, n - 1, wanted).astype(np.int64))


def _single_texts(name: str, folder: Path, at_most: int | None, progress: Progress) -> FeaturedSet:
    loaded: Any = load(name)
    rows = _some(loaded.labels.n_items, at_most)
    texts = [loaded.items["text"][int(row)].as_py() for row in rows]
    items = text_items(loaded.labels.items[rows], texts)
    table = embed(items, "minilm", folder / f"{name}.npy", say=_quiet, progress=progress)
    people = as_distributions(loaded.labels).select(rows)
    assert people.votes is not None
    return FeaturedSet(table.values, people.probs, people.votes, "all-MiniLM-L6-v2")


def _quiet(notice: str) -> None:
    pass
