"""Models and people brought to the same items and classes by name, with what else is known about the items.

Names that do not match are refused and listed; nothing is matched by position but rows that have no names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.people import People, as_people, as_predictions, rescaled
from dissensus.evaluate.slices import Slices, column_slices, entropy_bins, high_disagreement
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import takes
from dissensus.labels.names import positions_of, refuse_names_for_codes
from dissensus.labels.refusals import PythonWay, Refusal, Way, one_of
from dissensus.labels.row_numbers import are_named
from dissensus.labels.votes import Votes

Missing = Literal["refuse", "leave out"]
NAME_ROWS = PythonWay("name the rows with items=... if they are in the same order")
MOST_CLASSES = 20  # beyond, slices by class are left out


@dataclass(frozen=True, eq=False)
class SharedItems:
    """Models and people on the same items and classes, and what is known about these items.

    gold      (n,) class codes, -1 for none; None where there is no gold at all
    slices    divisions of the items
    clusters  (n,) what each item belongs to, or None
    remarks   what was done to bring them together
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
        models = {name: _rescaled(model, name, remarks) for name, model in models.items()}
    for name, model in models.items():
        if not isinstance(model, Distributions) or not are_named(model.items):
            check_order_is_clear(labels, name)
    read = {name: named_predictions(model, targets, name) for name, model in models.items()}
    for model in read.values():
        _, people = match_items(model, people, missing=missing)
    if people.n_items < 2 or targets.n_classes < 2:
        raise ValueError(
            f"there are {people.n_items} items over {targets.n_classes} classes to score; expected 2 or more of both"
        )
    models = {name: match_items(model, people, missing="leave out")[0] for name, model in read.items()}
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
def match_items(
    predictions: Distributions, people: People, *, missing: Missing = "refuse"
) -> tuple[Distributions, People]:
    """Both for the same items and classes in the same order: that of the people. Matched by name, never by place.

    missing  what happens to items only one side has: refused, or left out
    """
    in_order = with_classes(predictions, people.targets.classes)
    rows, kept = matching_rows(predictions.items, people.targets.items, missing)
    if rows is None:
        return in_order, people
    return in_order.select(rows), people.select(kept)


def named_predictions(model: Any, targets: Distributions, name: str) -> Distributions:
    """Distributions with names as they are; rows without names by position, which needs as many rows as the labels.

    An array has no names of classes either, so it needs as many columns, too.
    """
    if isinstance(model, Distributions) and (are_named(model.items) or not are_named(targets.items)):
        return model
    if isinstance(model, Distributions):
        if model.n_items != targets.n_items:
            raise ValueError(
                f"{name}: {model.n_items} rows without names, and {targets.n_items} items with labels; rows are "
                "matched by position only where there are as many: name the items of the predictions"
            )
        return replace(model, items=targets.items)
    read = as_predictions(model)
    if read.probs.shape != targets.probs.shape:
        raise ValueError(
            f"{name}: {read.n_items} rows by {read.n_classes} columns without names, and the labels are "
            f"{targets.n_items} items by {targets.n_classes} classes; rows are matched by position only where both are "
            "the same: hand over Distributions, or a file with the names of items and classes"
        )
    return Distributions(read.probs, targets.items, targets.classes)


def check_order_is_clear(labels: Any, name: str) -> None:
    """Refuse to match rows by position to answers that come to their items in another order than reading put them in.

    Reading sorts items that are whole numbers, so row 0 could be the item that the source has first, or the one with
    the least number. Where numbers count on and the answers to an item stand apart, as in a file sorted by annotator,
    the source has no order of items but that of their numbers.
    """
    if not isinstance(labels, Votes | Beliefs) or not are_named(labels.items):
        return
    counts_on = labels.items.dtype.kind == "i" and bool((np.diff(labels.items) == 1).all())
    blocks = 1 + int(np.count_nonzero(np.diff(labels.item)))
    if counts_on and blocks > np.count_nonzero(labels.per_item):
        return
    early = labels.out_of_order()
    if early is not None:
        raise Refusal(
            f"rows without names, and the answers come to item {early[0]} when item {early[1]} would be next in the "
            "order of the names, so rows could be in either order",
            name,
            [Way("name the items of the rows in a file with an item column"), NAME_ROWS],
        )


def _rescaled(model: Any, name: str, remarks: list[str]) -> Any:
    if isinstance(model, Distributions):  # their rows sum to 1
        return model
    rows, remark = rescaled(model)
    remarks.append(f"{name}: {remark}")
    return rows


def with_classes(predictions: Distributions, classes: tuple[str, ...]) -> Distributions:
    """The same predictions with their columns in the order of `classes`."""
    if predictions.classes == classes:
        return predictions
    order = positions_of(classes, predictions.classes)
    only_people = [name for name, place in zip(classes, order, strict=True) if place < 0]
    only_model = [name for name in predictions.classes if name not in classes]
    if only_model or only_people:
        raise ValueError(
            f"the model's classes are {_listed(predictions.classes)}, people's {_listed(classes)}; only the model has "
            f"{_listed(only_model)}, only people have {_listed(only_people)}: use the same class names in both"
        )
    return Distributions(predictions.probs[:, order], predictions.items, classes, predictions.votes)


def matching_rows(
    items: np.ndarray, wanted: np.ndarray, missing: Missing = "refuse"
) -> tuple[np.ndarray, np.ndarray] | tuple[None, None]:
    """Where the wanted items stand among the items, and which of the wanted are there; None where both are the same.

    items: (n,), wanted: (m,) names -> rows (r,) in `items`, kept (r,) in `wanted`
    """
    one_of("rule for missing items", missing, ("refuse", "leave out"))
    if are_named(items) != are_named(wanted):
        whose = ("people's", "the model's") if are_named(items) else ("the model's", "people's")
        raise Refusal(
            f"{whose[0]} rows have no names, only numbers, and {whose[1]} items are named "
            f"{_listed((items if are_named(items) else wanted).tolist())}: row 0 need not be the item called 0, so "
            "they are not matched",
            ways=[NAME_ROWS],
        )
    if np.array_equal(items, wanted):
        return None, None
    rows = positions_of(wanted, items)
    kept = np.flatnonzero(rows >= 0)
    if not kept.size:
        raise Refusal(
            f"the model's items ({_listed(items.tolist())}) and people's ({_listed(wanted.tolist())}) share no name",
            ways=[NAME_ROWS],
        )
    without_label = items[positions_of(items, wanted) < 0].tolist()
    without_prediction = wanted[rows < 0].tolist()
    if missing == "refuse" and (without_prediction or without_label):
        raise Refusal(
            f"{len(without_prediction)} items have labels and no prediction ({_listed(without_prediction)}), "
            f"{len(without_label)} a prediction and no labels ({_listed(without_label)})",
            ways=[
                Way("select the shared items first"),
                Way("score only those with {missing}", missing="leave out"),
            ],
        )
    return rows[kept], kept


def _gold_codes(gold: np.ndarray, classes: tuple[str, ...]) -> np.ndarray:
    """Class names or codes as codes, -1 where there is none, None or NaN.  (n,)

    Whole numbers are codes. Where classes are named by other whole numbers (ratings 1 to 5) they could be either, and
    are refused.
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
            f"gold of item {bad[0]} is {gold[bad[0]]!r}, which is not a class of {', '.join(classes[:10])}; {bad.size} "
            f"of {codes.size} are not: expected class names or their codes from 0"
        )
    return codes


def _whole_number(value: Any) -> int:
    """A whole number, or -2 for anything else."""
    return int(value) if isinstance(value, int | float | np.number) and float(value).is_integer() else -2


def _listed(names: Sequence[Any]) -> str:
    if not len(names):
        return "none"
    shown = ", ".join(str(name) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
