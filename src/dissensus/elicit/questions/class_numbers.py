"""Numbers for classes: the checks and the simulated beliefs that several kinds of question share."""

from __future__ import annotations

from typing import Any

import numpy as np

MOST = 1_000_000  # of any number in an answer
SURE = 30.0  # how alike simulated annotators are: the concentration of what each holds around the truth


def check_percent(field: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 100:
        raise ValueError(f"{field} is {value!r}; expected a number from 0 to 100")


def check_classes(field: str, given: Any, classes: tuple[str, ...]) -> list[str]:
    """A list of classes, each once and in the order of the survey."""
    if not isinstance(given, list):
        raise ValueError(f"{field} is a list of classes, not {type(given).__name__}")
    unknown = [name for name in given if name not in classes]
    if unknown:
        raise ValueError(f"{field} names {unknown[0]!r}, which is not one of the {len(classes)} classes")
    return sorted(set(given), key=classes.index)


def check_numbers(field: str, given: Any, classes: tuple[str, ...]) -> dict[str, float]:
    """A number of 0 or more for some of the classes, in the order of the survey."""
    if not isinstance(given, dict):
        raise ValueError(f"{field} is an object of class and number, not {type(given).__name__}")
    for name, value in given.items():
        if name not in classes:
            raise ValueError(f"{field} names {name!r}, which is not one of the {len(classes)} classes")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
            raise ValueError(f"{field} gives {name!r} {value!r:.40}; expected a number of 0 or more, at most {MOST:,}")
    return {name: given[name] for name in classes if name in given}


def largest(parts: dict[str, float]) -> str:
    """The class with the largest number, the first of equals."""
    return max(parts, key=lambda name: parts[name])


def draw_belief(truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """What one person holds: Dirichlet around the truth, so that the mean of what people hold is the truth.  (k,)"""
    mass = rng.standard_gamma(SURE * truth)
    return mass / mass.sum() if mass.sum() > 0 else truth
