"""Assignment of items to annotators: an item at most once per annotator, and equally many for each of them."""

from __future__ import annotations

import numpy as np

from dissensus.labels.distributions import Distributions


def assign_items(
    truth: Distributions, per_item: int | np.ndarray, annotators: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Deal items to annotators in random order.  -> item (m,), annotator (m,), by item"""
    wanted = np.asarray(per_item)
    if wanted.shape not in ((), (truth.n_items,)) or wanted.dtype.kind not in "iu":
        raise ValueError(
            f"per_item has {wanted.dtype} of shape {wanted.shape}; expected a whole number, or one for each of "
            f"{truth.n_items} items"
        )
    wanted = np.broadcast_to(wanted, (truth.n_items,))
    bad = np.flatnonzero((wanted < 0) | (wanted > annotators))
    if bad.size:
        raise ValueError(
            f"item {truth.items[bad[0]]} should get {wanted[bad[0]]} answers, but there are {annotators} annotators, "
            f"each answering an item at most once; expected 0 to {annotators}; {bad.size} of {wanted.size} items "
            "ask for another number: ask for fewer answers or more annotators"
        )
    # Items in random order are dealt out in rounds; in each round every annotator has one turn.
    order = rng.permutation(truth.n_items)
    item = np.repeat(order, wanted[order])
    rounds = rng.permuted(np.tile(np.arange(annotators), (-(-item.size // max(annotators, 1)), 1)), axis=1)
    # An item dealt across the end of a round must not meet the same annotator at the start of the next.
    ends = np.cumsum(wanted[order])
    cuts = np.arange(1, len(rounds)) * annotators
    across = np.searchsorted(ends, cuts, side="right")
    before, after = cuts - (ends - wanted[order])[across], ends[across] - cuts
    for turn in np.flatnonzero(before) + 1:
        taken = rounds[turn - 1, -before[turn - 1] :]
        rounds[turn] = _start_apart(rounds[turn], taken, after[turn - 1])
    annotator = rounds.ravel()[: item.size]
    by_item = np.argsort(item, kind="stable")
    return item[by_item], annotator[by_item]


def _start_apart(turns: np.ndarray, taken: np.ndarray, count: int) -> np.ndarray:
    """Return the same turns with the first `count` that are not taken put in front."""
    is_taken = np.zeros(turns.size, dtype=bool)
    is_taken[taken] = True
    if not is_taken[turns[:count]].any():
        return turns
    front = np.flatnonzero(~is_taken[turns])[:count]
    later = np.ones(turns.size, dtype=bool)
    later[front] = False
    return np.concatenate([turns[front], turns[later]])
