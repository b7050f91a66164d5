"""Out-of-distribution scores, one per item, on logits or features; higher is further from the training data.

    msp, energy, predictive_entropy, logit_margin   from logits alone
    knn                                             from features, beside those of the training items
    DETECTORS                                       the six by name; ODIN on logits is msp at temperature 1000
    ood_scores                                      several of them at once

All are arrays in, arrays out. ODIN's step on the image needs the network itself and is in `probe/odin_step.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from dissensus.labels.arrays import as_array, is_sparse
from dissensus.labels.distances import entropy
from dissensus.labels.refusals import one_of
from dissensus.probe.feature_rows import row_lengths, unit_rows
from dissensus.train.model import softmax

NEIGHBOURS = 50  # what Sun et al. (2022) take for CIFAR-10, and pytorch-ood by default
ODIN_TEMPERATURE = 1000.0  # Liang et al. (2018), sec. 4.3


@dataclass(frozen=True)
class Detector:
    """A score of how far an item is from the training data.

    score  function of logits (n, k), or of features (n, d), reference (m, d) and neighbours -> (n,)
    title  in a few words
    needs  its inputs
    """

    score: Callable[..., np.ndarray]
    title: str
    needs: Literal["logits", "features"] = "logits"


def msp(logits: Any, temperature: float = 1.0) -> np.ndarray:
    """Maximum softmax probability, negated: -1 where the model is certain, -1/k where all classes are alike.

        - max_c softmax(z / T)_c

    Hendrycks and Gimpel (2017), A baseline for detecting misclassified and out-of-distribution examples. At
    T = 1000 it is ODIN without its step on the input: to first order -(1 + (max_c z_c - mean_c z_c) / T) / k.

    logits: (n, k) -> (n,)
    """
    return -softmax(check_logits(logits) / check_temperature(temperature)).max(axis=1)


def energy(logits: Any, temperature: float = 1.0) -> np.ndarray:
    """Free energy: low where some logit is large. It has no fixed range.

        - T ln sum_c exp(z_c / T)

    A constant added to all logits of an item changes its energy and no probability, so energies of two models do not
    compare. Liu, Wang, Owens and Li (2020), Energy-based out-of-distribution detection.

    logits: (n, k) -> (n,)
    """
    scaled = check_logits(logits) / check_temperature(temperature)
    top = scaled.max(axis=1)
    return -temperature * (top + np.log(np.exp(scaled - top[:, None]).sum(axis=1)))


def predictive_entropy(logits: Any) -> np.ndarray:
    """Entropy of the predicted probabilities, in nats: 0 where the model is certain, ln k where all are alike.

        - sum_c p_c ln p_c,   p = softmax(z),   0 ln 0 = 0

    logits: (n, k) -> (n,)
    """
    return entropy(softmax(check_logits(logits)))


def logit_margin(logits: Any) -> np.ndarray:
    """How far the first class is ahead of the second, negated: 0 for a tie, -inf where no other class can be.

        - (z_(1) - z_(2)),   the largest two logits

    logits: (n, k) -> (n,), 0 or below
    """
    two = np.partition(check_logits(logits), -2, axis=1)[:, -2:]  # (n, 2), second and first
    return two[:, 0] - two[:, 1]


def knn(features: Any, reference: Any, neighbours: int = NEIGHBOURS) -> np.ndarray:
    """Distance to the neighbours-th nearest training item, features scaled to length 1: 0 to 2.

        || x/|x| - r/|r| ||,   r the neighbours-th nearest reference to x

    A row of zeros has no direction and stays as it is: at distance 1 from every other row, 0 from other zeros. An item
    that is itself in the reference is its own first neighbour. Blocks of both sides are multiplied and only the nearest
    are kept, so no (n, m) matrix is held; the distance is then taken from the two rows, so copies are at exactly 0.
    Sun, Ming, Zhu and Li (2022), Out-of-distribution detection with deep nearest neighbors; they use 50 neighbours for
    CIFAR-10, 200 for CIFAR-100, 1000 for ImageNet.

    features: (n, d), reference: (m, d) of the training items; dense or sparse -> (n,)
    """
    from sklearn.neighbors import NearestNeighbors

    rows, known = unit_rows(features, "features"), unit_rows(reference, "the features of the reference")
    if rows.shape[1] != known.shape[1]:
        raise ValueError(
            f"features have {rows.shape[1]} numbers per item and the reference has {known.shape[1]}; expected both "
            "from the same layer of the same model"
        )
    if not 1 <= neighbours <= known.shape[0]:
        raise ValueError(
            f"neighbours is {neighbours}, and the reference has {known.shape[0]} items; expected 1 to "
            f"{known.shape[0]}: take fewer neighbours or more training items"
        )
    if is_sparse(rows) != is_sparse(known):
        rows, known = as_array(rows), as_array(known)
    nearest = NearestNeighbors(algorithm="brute").fit(known).kneighbors(rows, neighbours, return_distance=False)
    return row_lengths(rows - known[nearest[:, -1]])


DETECTORS: dict[str, Detector] = {
    "msp": Detector(msp, "Maximum softmax probability"),
    "energy": Detector(energy, "Energy"),
    "odin": Detector(partial(msp, temperature=ODIN_TEMPERATURE), "ODIN"),
    "entropy": Detector(predictive_entropy, "Predictive entropy"),
    "margin": Detector(logit_margin, "Logit margin"),
    "knn": Detector(knn, "Nearest neighbours", "features"),
}


def ood_scores(
    logits: Any,
    features: Any = None,
    *,
    reference: Any = None,
    detectors: Iterable[str] | None = None,
    neighbours: int = NEIGHBOURS,
) -> dict[str, np.ndarray]:
    """Score items by several detectors; higher is further from the training data.

    Parameters
    ----------
    logits : (n, k); -inf for an impossible class
    features : (n, d), for knn
    reference : (m, d) features of the training items, for knn
    detectors : names from DETECTORS; None: all six if features and a reference are given, else those on logits
    neighbours : the neighbour to which knn takes the distance

    Returns
    -------
    dict of (n,) scores by detector

    Examples
    --------
    >>> ood_scores([[4.0, 0.0], [1.0, 1.0]], detectors=["msp"])["msp"].round(2)
    array([-0.98, -0.5 ])
    """
    rows = check_logits(logits)
    names = choose_detectors(detectors, features is not None or reference is not None)
    if any(DETECTORS[name].needs == "features" for name in names):
        _check_given(features, reference, len(rows))
    return {
        name: DETECTORS[name].score(rows)
        if DETECTORS[name].needs == "logits"
        else DETECTORS[name].score(features, reference, neighbours)
        for name in names
    }


def choose_detectors(detectors: Iterable[str] | None, with_features: bool) -> tuple[str, ...]:
    """Return the given names, each once; by default all that work on the given inputs."""
    if detectors is None:
        return tuple(name for name, detector in DETECTORS.items() if with_features or detector.needs == "logits")
    names = tuple(dict.fromkeys([detectors] if isinstance(detectors, str) else detectors))
    for name in names:
        if name not in DETECTORS:
            one_of("detector", name, DETECTORS)
    if not names:
        raise ValueError(f"no detector is named; expected some of {', '.join(DETECTORS)}, or None for all")
    return names


def check_logits(logits: Any) -> np.ndarray:
    """Logits as (n, k) float64, where every item has a finite one; -inf is a class that cannot be."""
    rows = as_array(logits)
    if rows.ndim != 2 or not rows.shape[0] or rows.dtype.kind not in "fiu":
        raise ValueError(
            f"logits have shape {rows.shape} and are {rows.dtype}; expected numbers (n, k), one row for each item"
        )
    if rows.shape[1] < 2:
        raise ValueError("logits have 1 class; of one class every model is certain, so expected 2 or more")
    rows = rows.astype(np.float64, copy=False)
    wrong = np.flatnonzero(~np.isfinite(rows.max(axis=1)))  # NaN, inf, or nothing but -inf
    if wrong.size:
        raise ValueError(
            f"row {wrong[0]} of the logits has {rows[wrong[0]].max()} as its largest; expected a finite one, and -inf "
            f"only for classes that cannot be; {wrong.size} of {len(rows)} rows are wrong: leave these items out"
        )
    return rows


def check_temperature(temperature: float) -> float:
    """Check the temperature, by which logits are divided."""
    if not (np.isfinite(temperature) and temperature > 0):
        raise ValueError(f"temperature is {temperature}; expected a number above 0")
    return temperature


def _check_given(features: Any, reference: Any, n: int) -> None:
    if features is None or reference is None:
        raise ValueError(
            f"knn needs features of the items and of the training items as reference; "
            f"{'features' if features is None else 'reference'} is None"
        )
    if np.shape(features)[:1] != (n,):
        raise ValueError(
            f"there are logits of {n} items, and features have shape {np.shape(features)}; expected (n, d)"
        )
