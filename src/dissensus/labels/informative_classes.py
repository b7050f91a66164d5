"""The classes that are most informative about the similarity of items, and labels over these alone."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.transforms import class_count


@takes(d=Distributions)
def class_information(d: Distributions, similarity: np.ndarray) -> np.ndarray:
    """Mutual information of each class with the similarity of items, in nats, 0 or more.  (k,)

        I_c = I({p_ic, p_jc}; s_ij) over all pairs of items i < j, values in equal-mass bins

    Sucholutsky 2023, sec. 6, asks for the information between a column and the similarity matrix but not how to
    estimate it. A column speaks about pairs through its two values, so the unordered pair of their bins is compared
    with the bin of the similarity; a product or a difference of the two would be a function of it and tell less.
    Bins are ranks, so only the order of similarities counts, as in the paper's non-metric setting.

    similarity: (n, n) symmetric, higher is more alike; its diagonal is not used -> (k,)
    """
    left, right, alike = _pair_similarity(similarity, d.n_items)  # (pairs,) each
    # n^(1/3) bins keep the plug-in estimate's bias small. Pairs share items, so it does not vanish: on CIFAR-10H
    # shuffled rows get 0.006 at n = 100 and 0.0007 at n = 1000, true ones 0.004..0.042 and 0.009..0.026.
    bins = max(2, round(d.n_items ** (1 / 3)))
    alike_bin = _equal_mass_bins(alike, bins)
    information = np.zeros(d.n_classes)
    for code in range(d.n_classes):
        bin_of = _equal_mass_bins(d.probs[:, code], bins)  # (n,)
        left_bin, right_bin = bin_of[left], bin_of[right]  # (pairs,) each
        pair = np.minimum(left_bin, right_bin) * bins + np.maximum(left_bin, right_bin)
        joint = np.bincount(pair * bins + alike_bin, minlength=bins**3).reshape(bins**2, bins) / pair.size
        apart = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        seen = joint > 0
        information[code] = max(0.0, float((joint[seen] * np.log(joint[seen] / apart[seen])).sum()))
    return information


@takes(d=Distributions)
def top_classes(d: Distributions, k_hat: int, similarity: np.ndarray) -> Distributions:
    """Keep the k_hat classes that are most informative about similarity in the whole set; the others get probability 0.

    Sucholutsky 2023, sec. 6, "top-class soft labels". Classes are ranked by `class_information` (the lowest code
    first among equals) and rows scaled to sum to 1. A row with nothing on the kept classes becomes uniform over
    them: an annotator asked about these classes alone could not prefer one.
    """
    kept = np.argsort(-class_information(d, similarity), kind="stable")[: class_count(k_hat, d)]
    mass = np.zeros(d.probs.shape)
    mass[:, kept] = d.probs[:, kept]
    lost = np.flatnonzero(mass.sum(axis=1) == 0)
    mass[np.ix_(lost, kept)] = 1.0
    return Distributions.from_mass(mass, items=d.items, classes=d.classes)


def _equal_mass_bins(values: np.ndarray, bins: int) -> np.ndarray:
    # Middle ranks put equal values into one bin from either end, be it many zeros or many ones.
    return np.floor((rankdata(values) - 0.5) / values.size * bins).astype(np.int64)


def _pair_similarity(similarity: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    alike = np.asarray(similarity, dtype=np.float64)
    if alike.shape != (n, n) or n < 2:
        raise ValueError(
            f"the similarity matrix has shape {alike.shape}, but there are {n} items; "
            "expected one row and one column per item, and at least 2 items"
        )
    left, right = np.triu_indices(n, k=1)  # (pairs,) each
    above, below = alike[left, right], alike[right, left]
    bad = np.flatnonzero(~np.isclose(above, below))
    if bad.size:
        i, j = left[bad[0]], right[bad[0]]
        raise ValueError(
            f"row {i}, column {j} of the similarity matrix has {above[bad[0]]:g}, row {j}, column {i} "
            f"{below[bad[0]]:g}; expected equal numbers; {bad.size} of {left.size} pairs differ or are missing: "
            "average the matrix with its transpose, or leave those items out"
        )
    return left, right, above
