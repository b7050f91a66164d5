"""Scores of a model on held-out items."""

from __future__ import annotations

import numpy as np

from dissensus.evaluate.alignment import entropy_pearson
from dissensus.evaluate.choices import accuracy_to_majority
from dissensus.evaluate.closeness import kl_to_people, soft_nll


def scores_of(truth: np.ndarray, guess: np.ndarray) -> dict[str, float]:
    """Score predictions against people's distributions; one item has no correlation.  (n, k)"""
    return {
        "soft_nll": float(soft_nll(guess, truth).mean()),
        "kl": float(kl_to_people(guess, truth).mean()),
        "accuracy": float(accuracy_to_majority(guess, truth).mean()),
        "entropy_correlation": entropy_pearson(guess, truth) if len(truth) > 1 else float("nan"),
    }
