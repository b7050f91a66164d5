"""Checks of class numbers and simulated beliefs that several kinds of question share."""

from __future__ import annotations

from typing import Any

import numpy as np

from dissensus.labels.refusals import one_of

MOST = 1_000_000  # limit of a number in an answer
CONCENTRATION = 30.0  # of simulated beliefs around the truth; higher makes annotators more alike


def check_percent(field: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError(f"{field} is {value!r}; expected a number from 0 to 100")


def check_classes(field: str, given: Any, classes: tuple[str, ...]) -> list[str]:
    """Return a list of classes without repeats, in the order of the survey."""
    if not isinstance(given, list):
        raise ValueError(f"{field} is {type(given).__name__}; expected a list of classes")
    return sorted({one_of("class", name, classes, place=field) for name in given}, key=classes.index)


def check_numbers(field: str, given: Any, classes: tuple[str, ...]) -> dict[str, float]:
    """Return a number of 0 or more for some of the classes, in the order of the survey."""
    if not isinstance(given, dict):
        raise ValueError(f"{field} is {type(given).__name__}; expected an object of class and number")
    for name, value in given.items():
        one_of("class", name, classes, place=field)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
            raise ValueError(f"{field} gives {name!r} {value!r:.40}; expected a number from 0 to {MOST:,}")
    return {name: given[name] for name in classes if name in given}


def largest(parts: dict[str, float]) -> str:
    """Return the class with the largest number, the first of equals."""
    return max(parts, key=lambda name: parts[name])


def draw_belief(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the belief of one simulated annotator: Dirichlet with the truth as its mean.  (k,)"""
    mass = rng.standard_gamma(CONCENTRATION * truth)
    return mass / mass.sum() if mass.sum() > 0 else truth
