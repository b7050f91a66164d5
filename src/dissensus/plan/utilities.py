"""Utilities of recovered similarity: functions of rho from 0 at 0 to 1 at 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from dissensus.labels.refusals import one_of

Utility = Callable[[np.ndarray], np.ndarray]
STEEP = 10.0  # the paper names sigmoids but no scale; this one takes four fifths of its rise between 0.28 and 0.72


def linear(x: np.ndarray) -> np.ndarray:
    """u(rho) = rho"""
    return np.asarray(x, dtype=np.float64)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """A logistic curve from 0 at 0 to 1 at 1: low and high rho change little.

    u(rho) = [s(rho) - s(0)] / [s(1) - s(0)],   s(x) = 1 / (1 + exp(-10 (x - 1/2)))
    """
    low, high = _logistic(0.0), _logistic(1.0)
    return np.asarray((_logistic(np.asarray(x, dtype=np.float64)) - low) / (high - low))


def inverse_sigmoid(x: np.ndarray) -> np.ndarray:
    """The inverse of `sigmoid`: changes at low and high rho count most."""
    low, high = _logistic(0.0), _logistic(1.0)
    s = low + np.clip(np.asarray(x, dtype=np.float64), 0, 1) * (high - low)
    return np.asarray(0.5 + np.log(s / (1 - s)) / STEEP)


UTILITIES: dict[str, Utility] = {"linear": linear, "sigmoid": sigmoid, "inverse-sigmoid": inverse_sigmoid}


def find_utility(utility: str | Utility) -> Utility:
    """Find a utility by its name; a function of an array of rho is returned as it is."""
    if callable(utility):
        return utility
    return UTILITIES[one_of("utility", utility, UTILITIES)]


def _logistic(x: float | np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-STEEP * (np.asarray(x) - 0.5))))
