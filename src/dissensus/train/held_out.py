"""Scores of a model on held-out items."""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.alignment import entropy_pearson
from dissensus.evaluate.choices import accuracy_to_majority
from dissensus.evaluate.closeness import kl_to_people, soft_nll


def scores_of(truth: np.ndarray, guess: np.ndarray) -> dict[str, float]:
    """Score predictions against people's distributions.

    Parameters
    ----------
    truth : (n, k), people's distributions, rows sum to 1
    guess : (n, k), predicted distributions, rows sum to 1

    Returns
    -------
    dict of `soft_nll` and `kl` in nats (lower is better), `accuracy` against the majority, and `entropy_correlation`,
    Pearson's; NaN for one item (higher is better)

    Examples
    --------
    >>> truth = np.array([[0.75, 0.25], [0.0, 1.0]])
    >>> scores = scores_of(truth, np.array([[0.5, 0.5], [0.1, 0.9]]))
    >>> scores["accuracy"], round(scores["soft_nll"], 3)
    (0.75, 0.399)
    """
    return {
        "soft_nll": float(soft_nll(guess, truth).mean()),
        "kl": float(kl_to_people(guess, truth).mean()),
        "accuracy": float(accuracy_to_majority(guess, truth).mean()),
        "entropy_correlation": entropy_pearson(guess, truth) if len(truth) > 1 else float("nan"),
    }
