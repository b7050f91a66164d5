"""Models and people brought to the same items and classes by name, with what else is known about the items.

Names that do not match are refused and listed; only rows without names are matched by position.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.evaluate.people import People, as_people
from dissensus.evaluate.predictions import as_predictions, rescale_rows
from dissensus.evaluate.slices import Slices, column_slices, entropy_bins, high_disagreement
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.matching import Missing, check_clear_order, list_names, match_items
from dissensus.labels.names import positions_of, refuse_names_for_codes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_numbers import are_named

_NAMING = (
    Way("if the rows are in the same order, name them with {items}", items=...),
    Way("write the predictions with an item column"),
)
_LEAVE_OUT = Way("score the shared items alone with {missing}", missing="leave out")
MOST_CLASSES = 20  # beyond, slices by class are left out


@dataclass(frozen=True, eq=False)
class SharedItems:
    """Models and people on the same items and classes, and what is known about these items.

    gold      (n,) class codes, -1 for none; None if there is no gold at all
    slices    divisions of the items
    clusters  (n,) what each item belongs to, or None
    remarks   how they were matched
    """

    models: dict[str, Distributions]
    people: People
    gold: np.ndarray | None
    slices: list[Slices]
    clusters: np.ndarray | None
    remarks: tuple[str, ...]


def match_models(
    models: Mapping[str, Any],
    labels: Any,
    gold: Any,
    columns: Mapping[str, Any] | None,
    clusters: Any,
    missing: Missing,
    rescale: bool,
) -> SharedItems:
    """Read every model, match all to the labels, and bring what is known about items along."""
    everyone = people = as_people(labels)
    targets = people.targets
    remarks: list[str] = []
    if rescale:
        models = {name: _rescale_model(model, name, remarks) for name, model in models.items()}
    read = {name: name_predictions(model, people, name) for name, model in models.items()}
    for model in read.values():
        _, people = match_predictions(model, people, missing=missing)
    if people.n_items < 2 or targets.n_classes < 2:
        raise ValueError(
            f"there are {people.n_items} items over {targets.n_classes} classes to score; expected 2 or more of both"
        )
    models = {name: match_predictions(model, people, missing="leave out")[0] for name, model in read.items()}
    left_out = everyone.n_items - people.n_items
    if left_out:
        remarks.append(f"{left_out:,} items without a prediction are left out")
    kept = slice(None) if not left_out else positions_of(people.targets.items, targets.items)

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
    return SharedItems(
        models=models,
        people=people,
        gold=None if gold is None else _gold_codes(about(gold, "gold"), targets.classes),
        slices=slices,
        clusters=None if clusters is None else about(clusters, "clusters").astype(str),
        remarks=tuple(remarks),
    )


@takes(predictions=Distributions, people=People)
def match_predictions(
    predictions: Distributions, people: People, *, missing: Missing = "refuse"
) -> tuple[Distributions, People]:
    """Match predictions and people to the same items and classes, in the order of the people.

    Parameters
    ----------
    predictions : what a model predicts
    people : labels, as `as_people` returns them
    missing : whether items that only one side has are refused or left out

    Returns
    -------
    predictions and people, (r, k) each

    Examples
    --------
    >>> from dissensus.evaluate import as_people
    >>> people = as_people([[3, 1], [0, 2]], items=["x", "y"], classes=["a", "b"])
    >>> model = Distributions(np.array([[0.2, 0.8], [0.9, 0.1]]), ["y", "x"], ("a", "b"))
    >>> match_predictions(model, people)[0].probs[:, 0]
    array([0.9, 0.2])
    """
    in_order = with_classes(predictions, people.targets.classes)
    match = match_items(
        people.targets.items,
        predictions.items,
        ("labels", "predictions"),
        missing=missing,
        naming=_NAMING,
        leaving_out=[_LEAVE_OUT],
    )
    if match.is_same:
        return in_order, people
    return in_order.select(match.second), people.select(match.first)


def name_predictions(model: Any, people: People, name: str) -> Distributions:
    """Give predictions without names those of the labels, by position; predictions with names stay as they are.

    Rows without names need as many rows as the labels have, in a clear order. An array has no names of classes either,
    so it needs as many columns, too.
    """
    targets = people.targets
    if isinstance(model, Distributions) and (are_named(model.items) or not are_named(targets.items)):
        return model
    check_clear_order(people.source, name)
    if isinstance(model, Distributions):
        try:
            match_items(model.items, targets.items, ("predictions", "labels"), by_position=True)
        except Refusal as refusal:
            raise refusal.at(name) from None
        return replace(model, items=targets.items)
    read = as_predictions(model)
    if read.probs.shape != targets.probs.shape:
        raise Refusal(
            f"{read.n_items} rows by {read.n_classes} columns without names, and the labels are {targets.n_items} "
            f"items by {targets.n_classes} classes; rows are matched by position only if both shapes are the same",
            name,
            [PythonWay("pass Distributions"), Way("use a file with the names of items and classes")],
        )
    return Distributions(read.probs, targets.items, targets.classes)


def _rescale_model(model: Any, name: str, remarks: list[str]) -> Any:
    if isinstance(model, Distributions):  # their rows sum to 1
        return model
    rows, remark = rescale_rows(model)
    remarks.append(f"{name}: {remark}")
    return rows


def with_classes(predictions: Distributions, classes: tuple[str, ...]) -> Distributions:
    """Return the same predictions with their columns in the order of `classes`."""
    if predictions.classes == classes:
        return predictions
    order = positions_of(classes, predictions.classes)
    only_people = [name for name, place in zip(classes, order, strict=True) if place < 0]
    only_model = [name for name in predictions.classes if name not in classes]
    if only_model or only_people:
        raise Refusal(
            f"the predictions are over {list_names(predictions.classes)}, the labels over {list_names(classes)}; "
            f"only the predictions have {list_names(only_model)}, only the labels have {list_names(only_people)}",
            ways=[Way("use the same class names in both")],
        )
    return Distributions(predictions.probs[:, order], predictions.items, classes, predictions.votes)


def _gold_codes(gold: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """Return class names or codes as codes, -1 for None, NaN and -1.  (n,)

    Whole numbers are codes. If classes are named by other whole numbers (ratings 1 to 5) they could be either, and are
    refused.
    """
    given = [None if value is None or value != value else value for value in gold.tolist()]
    names = all(value is None or isinstance(value, str) for value in given)
    if not names:
        refuse_names_for_codes(classes, "gold")
    absent = np.array([value is None for value in given], dtype=bool)
    read = positions_of(given, classes) if names else np.array([_whole_number(value) for value in given])
    codes = np.where(absent, -1, read)
    bad = np.flatnonzero(~absent & ((read < (0 if names else -1)) | (read >= len(classes))))
    if bad.size:
        raise ValueError(
            f"gold of item {bad[0]} is {gold[bad[0]]!r}; expected one of {', '.join(classes[:10])}, or a code "
            f"from 0; {bad.size} of {codes.size} are not"
        )
    return codes


def _whole_number(value: Any) -> int:
    """A whole number, or -2 for anything else."""
    return int(value) if isinstance(value, int | float | np.number) and float(value).is_integer() else -2
