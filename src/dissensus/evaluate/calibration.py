"""Calibration: does the model's confidence match how often it is right, or how many people agree with it?

Every measure takes two columns. Confidence is the probability of the model's choice; the outcome of that choice is
1 or 0 against gold, or a share against people: see `confidence_and_outcome`.

Bins hold equally many items, in order of confidence. Items with the same confidence that lie on the edge of two bins
are shared: each bin takes its part of them, at their mean outcome. So the order of the items never matters, and
without such ties the bins are those of a sort followed by np.array_split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dissensus.evaluate.choices import accuracy_to_gold, accuracy_to_majority, vote_accuracy
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.refusals import one_of

Against = Literal["people", "majority"]
BIN_SIZE = 100  # items in a bin of the RMSE calibration error


@dataclass(frozen=True, eq=False)
class Bins:
    """b bins of items in order of confidence, as means over each bin.

    mass              (b,) items in the bin; a fraction where an item is shared
    confidence        (b,) mean confidence
    outcome           (b,) mean outcome
    confidence_spread (b,) variance of confidence inside the bin
    outcome_spread    (b,) variance of outcomes inside the bin
    joint_spread      (b,) their covariance inside the bin
    """

    mass: np.ndarray
    confidence: np.ndarray
    outcome: np.ndarray
    confidence_spread: np.ndarray
    outcome_spread: np.ndarray
    joint_spread: np.ndarray

    __repr__ = shapes

    def __post_init__(self) -> None:
        for name in self.__dataclass_fields__:
            hold(self, name, getattr(self, name))

    @property
    def gap(self) -> np.ndarray:
        """(b,) confidence minus outcome: above 0 if the model is overconfident"""
        return self.confidence - self.outcome

    @property
    def weight(self) -> np.ndarray:
        """(b,) share of the items, sums to 1"""
        return self.mass / self.mass.sum()


def confidence_and_outcome(
    p_model: np.ndarray,
    p_people: np.ndarray | None = None,
    *,
    gold: np.ndarray | None = None,
    against: Against = "people",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the probability of the model's choice, and its outcome.

    Parameters
    ----------
    p_model : (n, k), rows sum to 1
    p_people : (n, k), rows sum to 1; leave it out if `gold` is given
    gold : (n,) class codes: the outcome is 1 if the choice is the gold class, else 0
    against : "people": the outcome is the share of people who made that choice; "majority": 1 if it is people's most
        frequent class, else 0, ties shared

    Returns
    -------
    confidence and outcome, (n,) each, 0 to 1

    Examples
    --------
    >>> confidence_and_outcome(np.array([[0.8, 0.2]]), np.array([[0.7, 0.3]]))
    (array([0.8]), array([0.7]))
    """
    if (p_people is None) == (gold is None):
        raise ValueError("expected either people's distributions or gold classes, not both or neither")
    if gold is not None:
        return np.max(p_model, axis=1), accuracy_to_gold(p_model, gold)
    one_of("reference of calibration", against, ("people", "majority"))
    assert p_people is not None
    outcome = vote_accuracy if against == "people" else accuracy_to_majority
    return np.max(p_model, axis=1), outcome(p_model, p_people)


def equal_mass_bins(confidence: np.ndarray, outcome: np.ndarray, bins: int = 15) -> Bins:
    """Make bins with equally many items each; fewer items than bins make one bin each.

    confidence, outcome: (n,)
    """
    return _bin_items(confidence, outcome, equal_mass_edges(np.size(confidence), bins))


def bins_of_size(confidence: np.ndarray, outcome: np.ndarray, size: int = BIN_SIZE) -> Bins:
    """Make bins of `size` items each, the last with the remaining items too.  confidence, outcome: (n,)"""
    return _bin_items(confidence, outcome, edges_of_size(np.size(confidence), size))


def equal_mass_ece(confidence: np.ndarray, outcome: np.ndarray, bins: int = 15) -> float:
    """Compute the expected calibration error over bins with equally many items.

        ECE = sum_b n_b/n |mean confidence in b - mean outcome in b|

    Nguyen and O'Connor (2015), Posterior calibration and exploratory analysis; Nixon et al. (2019), Measuring
    calibration in deep learning; Gheibi 2026. Items with equal confidence at the edge of two bins are shared by both.

    Parameters
    ----------
    confidence, outcome : (n,), each 0 to 1; see `calibration.confidence_and_outcome`
    bins : number of bins

    Returns
    -------
    0 to 1, lower is better

    Examples
    --------
    >>> equal_mass_ece(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]), bins=2).__round__(3)
    0.15
    """
    binned = equal_mass_bins(confidence, outcome, bins)
    return float(binned.weight @ np.abs(binned.gap))


def rmse_calibration(
    confidence: np.ndarray, outcome: np.ndarray, size: int = BIN_SIZE, *, as_released: bool = False
) -> float:
    """Compute the root mean square calibration error over bins of `size` items.

        RMSE = sqrt( sum_b n_b/n (mean confidence in b - mean outcome in b)^2 )

    Hendrycks et al. (2022), PixMix, whose released code has 100 items per bin; used by Collins 2022, sec. 5.1, against
    the most probable class of people.

    Parameters
    ----------
    confidence, outcome : (n,), each 0 to 1; see `calibration.confidence_and_outcome`
    size : items per bin
    as_released : leave out the last bin, the most confident items, as the released code does

    Returns
    -------
    0 to 1, lower is better

    Examples
    --------
    >>> round(rmse_calibration(np.array([0.9, 0.8, 0.7, 0.6]), np.array([1, 1, 0, 1]), size=2), 3)
    0.15
    """
    binned = bins_of_size(confidence, outcome, size)
    squares = binned.weight * binned.gap**2
    return float(np.sqrt(squares[:-1].sum() if as_released else squares.sum()))


def equal_mass_edges(n: int, bins: int) -> np.ndarray:
    """Return the places in the sorted items at which bins begin and end, as np.array_split cuts.  -> (b + 1,)"""
    if bins < 1:
        raise ValueError(f"{bins} bins were asked for; expected 1 or more")
    bins = max(1, min(bins, n))
    size, longer = divmod(n, bins)
    return np.concatenate([[0], np.cumsum(size + (np.arange(bins) < longer))])


def edges_of_size(n: int, size: int) -> np.ndarray:
    """Return the same for bins of `size` items, the last with the remaining items.  -> (b + 1,)"""
    if size < 1:
        raise ValueError(f"bins of {size} items were asked for; expected 1 or more")
    edges = np.arange(max(1, n // size) + 1) * size
    edges[-1] = n
    return edges


def bins_of_sums(sums: np.ndarray) -> Bins:
    """Make bins from sums over each bin of 1, f, o, f^2, o^2, f o (f confidence, o outcome).  sums: (b, 6)"""
    mass = sums[:, 0]
    f, o, ff, oo, fo = (sums[:, column] / mass for column in range(1, 6))
    return Bins(mass, f, o, np.maximum(ff - f * f, 0.0), np.maximum(oo - o * o, 0.0), fo - f * o)


def check_columns(confidence: np.ndarray, outcome: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both as floats from 0 to 1; other values are refused.  (n,), (n,)"""
    f, o = np.asarray(confidence, dtype=np.float64), np.asarray(outcome, dtype=np.float64)
    if f.ndim != 1 or f.shape != o.shape or not f.size:
        raise ValueError(f"confidence has shape {f.shape}, outcome {o.shape}; expected (n,) in both, n above 0")
    for name, values in (("confidence", f), ("outcome", o)):
        bad = np.flatnonzero(~((values >= 0) & (values <= 1 + 1e-5)))
        if bad.size:
            raise ValueError(
                f"item {bad[0]} has {name} {values[bad[0]]:g}; expected 0 to 1; {bad.size} of {values.size} are off"
            )
    return f, o


def _bin_items(confidence: np.ndarray, outcome: np.ndarray, edges: np.ndarray) -> Bins:
    f, o = check_columns(confidence, outcome)
    order = np.argsort(f, kind="stable")
    f, o = f[order], o[order]
    ends = np.concatenate([np.flatnonzero(f[1:] > f[:-1]) + 1, [f.size]])  # where each group of equal ones ends
    places = np.concatenate([[0], ends])
    # Centred, so that squares do not lose the digits of small spreads.
    mid = f.mean()
    df, do = f - mid, o - mid
    columns = [np.ones(f.size), df, do, df * df, do * do, df * do]
    # Running sums at the ends of groups, straight in between: an edge inside a group takes a share of all of it.
    running = [np.concatenate([[0.0], np.cumsum(column)[ends - 1]]) for column in columns]
    sums = np.stack([np.diff(np.interp(edges, places, column)) for column in running], axis=1)  # (b, 6)
    centred = bins_of_sums(sums)
    return Bins(
        centred.mass,
        centred.confidence + mid,
        centred.outcome + mid,
        centred.confidence_spread,
        centred.outcome_spread,
        centred.joint_spread,
    )
