"""Measures of agreement of counted votes; NaN if no two votes differ."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, get_args

import numpy as np

from dissensus.aggregate.vote_pairs import Cells, count_pairs
from dissensus.labels.refusals import one_of

Level = Literal["nominal", "ordinal", "interval"]


def alpha_of_cells(cells: Cells, level: Level) -> float:
    """Compute alpha; NaN if no two votes differ."""
    one_of("level of measurement", level, get_args(Level))
    rows = count_pairs(cells)
    total = rows.votes
    if np.unique(cells.values[rows.by_code > 0] if level == "interval" else np.flatnonzero(rows.by_code)).size < 2:
        return float(np.nan)
    _, left, right = cells.copies.T
    if level == "nominal":
        apart = rows.size**2 - cells.per_row(cells.weight**2)
        expected = total**2 - float((rows.by_code**2).sum())
        copied = cells.copies_per_row(cells.apart)
    else:
        values = cells.values
        if level == "ordinal":
            values = np.cumsum(rows.by_code) - rows.by_code / 2  # mid-ranks
        values = values - rows.by_code @ values / total  # centred, or the sums of squares lose their digits
        at = values[cells.code]
        apart = 2 * (rows.size * cells.per_row(cells.weight * at**2) - cells.per_row(cells.weight * at) ** 2)
        expected = 2 * total * float(rows.by_code @ values**2)
        copied = cells.copies_per_row(cells.apart * (values[left] - values[right]) ** 2)
    observed = float((rows.times * rows.size * (apart - copied) / rows.pairs).sum())
    all_pairs = total**2 - float(rows.times @ (rows.size**2 - rows.pairs))
    return 1.0 - observed * all_pairs / ((expected - float(rows.times @ copied)) * total)


def observed_of_cells(cells: Cells) -> float:
    """Compute the share of pairs of votes on an item that agree, averaged over items."""
    rows = count_pairs(cells)
    same = cells.per_row(cells.weight**2 - cells.square) / rows.pairs  # (r,)
    return float(rows.times @ same / rows.times.sum())


def fleiss_of_cells(cells: Cells) -> float:
    """Compute kappa; NaN if no two votes differ."""
    rows = count_pairs(cells)
    chance = float(((rows.by_code / rows.votes) ** 2).sum())
    return (observed_of_cells(cells) - chance) / (1 - chance) if np.count_nonzero(rows.by_code) > 1 else float(np.nan)


ON_CELLS: dict[str, Callable[[Cells], float]] = {
    "nominal alpha": partial(alpha_of_cells, level="nominal"),
    "ordinal alpha": partial(alpha_of_cells, level="ordinal"),
    "interval alpha": partial(alpha_of_cells, level="interval"),
    "fleiss kappa": fleiss_of_cells,
    "observed agreement": observed_of_cells,
}
