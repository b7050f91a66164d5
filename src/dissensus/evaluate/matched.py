"""Models and people brought to the same items and classes, with what else is known about the items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.evaluate.matching import Missing
from dissensus.evaluate.people import People, as_people, as_predictions, matched
from dissensus.evaluate.slices import Slices, column_slices, entropy_bins, high_disagreement
from dissensus.labels.distributions import Distributions

MOST_CLASSES = 20  # beyond, slices by class are left out


@dataclass(frozen=True, eq=False)
class Prepared:
    """Models and people brought to the same items and classes.  gold: (n,) codes, -1 for none; clusters: (n,)"""

    models: dict[str, Distributions]
    people: People
    gold: np.ndarray | None
    slices: list[Slices]
    clusters: np.ndarray | None
    left_out: int


def prepare(
    models: Mapping[str, Any], labels: Any, gold: Any, columns: Mapping[str, Any] | None, clusters: Any,
    missing: Missing,
) -> Prepared:  # fmt: skip
    """Read every model, match all to the labels, and bring what is known about items along."""
    everyone = people = as_people(labels)
    targets = people.targets
    read = {name: named_predictions(model, targets, name) for name, model in models.items()}
    for model in read.values():
        _, people = matched(model, people, missing=missing)
    if people.n_items < 2 or targets.n_classes < 2:
        raise ValueError(
            f"there are {people.n_items} items over {targets.n_classes} classes to score; expected 2 or more of both"
        )
    models = {name: matched(model, people, missing="leave out")[0] for name, model in read.items()}
    kept = slice(None) if people.n_items == everyone.n_items else np.isin(targets.items, people.targets.items)

    def about(values: Any, what: str) -> np.ndarray:
        array = np.asarray(values, dtype=object)
        if array.shape != (everyone.n_items,):
            raise ValueError(f"{what} has shape {array.shape}, but there are {everyone.n_items} items with labels")
        return array[kept]

    slices = [entropy_bins(people.probs), high_disagreement(people.probs)]
    if targets.n_classes <= MOST_CLASSES:
        slices.append(Slices("majority class", targets.classes, people.probs.argmax(axis=1)))
    for by, values in (columns or {}).items():
        if by in ("entropy", "disagreement", "majority class"):
            raise ValueError(f"every scorecard has slices by {by!r} of its own: give the column another name")
        slices.append(column_slices(about(values, f"column {by!r}"), by))
    return Prepared(
        models=models, people=people, gold=None if gold is None else _codes(about(gold, "gold"), targets.classes),
        slices=slices, clusters=None if clusters is None else about(clusters, "clusters").astype(str),
        left_out=everyone.n_items - people.n_items,
    )  # fmt: skip


def named_predictions(model: Any, targets: Distributions, name: str) -> Distributions:
    """Distributions as they are; an array by position, which needs as many rows and columns as the labels."""
    if isinstance(model, Distributions):
        return model
    read = as_predictions(model)
    if read.probs.shape != targets.probs.shape:
        raise ValueError(
            f"{name}: {read.n_items} rows by {read.n_classes} columns without names, and the labels are "
            f"{targets.n_items} items by {targets.n_classes} classes; rows are matched by position only where both are "
            "the same: hand over Distributions, or a file with the names of items and classes"
        )
    return Distributions(read.probs, targets.items, targets.classes)


def _codes(gold: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """Class names or codes as codes, -1 where there is none, None or NaN.  (n,)

    Whole numbers are codes. Where classes are named by other whole numbers (ratings 1 to 5) they could be either, and
    are refused.
    """
    place = {name: code for code, name in enumerate(classes)}
    given = [None if value is None or value != value else value for value in gold.tolist()]
    names = all(value is None or isinstance(value, str) for value in given)
    counted = tuple(str(code) for code in range(len(classes)))
    if not names and classes != counted and all(name.lstrip("-").isdigit() for name in classes):
        raise ValueError(
            f"gold holds numbers, and the classes are named {', '.join(classes[:10])}: numbers could be names or codes "
            "from 0; give the names as text, such as [str(value) for value in gold]"
        )
    found = [-1 if value is None else place.get(value, -2) if names else _code(value) for value in given]
    codes = np.array(found, dtype=np.int64)
    bad = np.flatnonzero((codes < -1) | (codes >= len(classes)))
    if bad.size:
        raise ValueError(
            f"gold of item {bad[0]} is {gold[bad[0]]!r}, which is no class of {', '.join(classes[:10])}; {bad.size} of "
            f"{codes.size} are not: expected class names or their codes from 0"
        )
    return codes


def _code(value: Any) -> int:
    """A whole number, or -2 for anything else."""
    return int(value) if isinstance(value, int | float | np.number) and float(value).is_integer() else -2
