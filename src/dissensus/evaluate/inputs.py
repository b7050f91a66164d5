"""Contents of files and data sets as inputs of a scorecard: predictions, gold, columns about the items.

Nothing is read here. The caller passes what it read with the name of its source, and a function `say` that receives
each notice about how it was understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.evaluate.matching import name_predictions
from dissensus.evaluate.people import People
from dissensus.evaluate.predictions import rescale_rows
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.matching import check_clear_order
from dissensus.labels.names import item_positions, positions_of, refuse_names_for_codes
from dissensus.labels.refusals import Refusal, Way, add_place, one_of
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels, as_distributions
from dissensus.labels.transforms import smooth
from dissensus.labels.votes import Votes

Say = Callable[[str], None]


def as_models(
    read: Mapping[str, tuple[str, np.ndarray | Labels]], people: People, say: Say, *, rescale: bool = False
) -> dict[str, Distributions]:
    """Return predictions as distributions.

    Distributions stay as they are. Votes and full beliefs are those of an ensemble: their share or mean is the
    prediction. An array has no names, and is matched to the labels by position.

    read     model: (source, contents)
    rescale  divide rows of arrays that do not sum to 1 by their sum, and report how many
    """
    return {
        model: _read_array(contents, people, source, say, rescale)
        if isinstance(contents, np.ndarray)
        else _read_ensemble(contents, people, source, say)
        for model, (source, contents) in read.items()
    }


def name_labels(labels: Labels, predictions: Any, file: str, source: str, say: Say) -> Labels:
    """Give labels without names, as from an array, those of predictions that have names and the same shape.

    If the predictions name their items 0 to n - 1 in another order, row i could be the item called i or the one in row
    i of the predictions, so that is refused. Classes that are numbered from 0 in the predictions too, in any order, are
    names that both have, and are matched by name.
    """
    if isinstance(predictions, np.ndarray) or not isinstance(labels, Distributions):
        return labels
    named = as_distributions(predictions)
    if named.probs.shape != labels.probs.shape:
        return labels
    taken: dict[str, Any] = {}
    if are_named(named.items) and not are_named(labels.items):
        if (positions_of(named.items, labels.items) >= 0).all() and not np.array_equal(named.items, labels.items):
            raise Refusal(
                f"rows without names, and {source} names its items by whole numbers from 0 in another order "
                f"({named.items[0]} first): row 0 could be item 0 or item {named.items[0]}",
                file,
                [
                    Way(f"sort {source} by item if rows are numbered by item"),
                    Way("write the labels with an item column"),
                ],
            )
        taken["items"] = named.items
    if (positions_of(named.classes, labels.classes) < 0).any():
        taken["classes"] = named.classes
    if not taken:
        return labels
    columns = _list_some(named.classes)
    parts = {"items": f"rows of {file} = items of {source}", "classes": f"columns of {file} = {columns}"}
    say(f"took: {', '.join(parts[part] for part in taken)}, by position")
    return replace(labels, **taken)


def smooth_models(models: Mapping[str, Distributions], amount: float, say: Say) -> dict[str, Distributions]:
    """Spread a share `amount` of every prediction evenly over all classes, so that none is 0."""
    if not amount:
        return dict(models)
    result = {name: smooth(model, amount) for name, model in models.items()}
    say(f"predictions are smoothed: {amount:g} of each is spread evenly over all classes")
    return result


def gold_names(gold: np.ndarray | Labels, people: People, source: str, say: Say) -> list[str | None]:
    """Return the name of the true class of each item, None if it is not known.

    gold  (n,) codes of classes in the order of the labels' items, below 0 for none; or votes, one per item
    """
    targets = people.targets
    if isinstance(gold, np.ndarray):
        if gold.shape != (targets.n_items,) or gold.dtype.kind not in "iu":
            raise ValueError(f"{source}: {gold.dtype} of shape {gold.shape}; expected {targets.n_items} class codes")
        refuse_names_for_codes(targets.classes, source)
        check_clear_order(people.source, source)
        beyond = np.flatnonzero(gold >= targets.n_classes)
        if beyond.size:
            raise ValueError(
                f"{source}: number {beyond[0]} is {gold[beyond[0]]}, but there are {targets.n_classes} classes, 0.."
                f"{targets.n_classes - 1}; {beyond.size} of {gold.size} are out of range"
            )
        coded = _list_some([f"{code} is {name}" for code, name in enumerate(targets.classes)])
        say(f"took: gold = class codes in {source} ({coded}), in the order of the labels' items")
        known = dict(enumerate(targets.classes))
        return [known.get(code) for code in gold.tolist()]
    if not isinstance(gold, Votes) or (gold.per_item != 1).any():
        holds = "several labels per item" if isinstance(gold, Votes) else "beliefs or distributions"
        raise Refusal(f"{holds}; expected one row per item with its name and its true class", source)
    choice = np.empty(gold.n_items, dtype=np.int64)
    choice[gold.item] = gold.choice
    places = item_positions(targets.items, gold.items)
    if (places < 0).any():
        say(
            f"took: gold = {source}, for {(places >= 0).sum():,} of {targets.n_items:,} items; the others do not "
            "count in the accuracy to gold"
        )
    return [None if place < 0 else gold.classes[choice[place]] for place in places.tolist()]


def item_columns(known: Mapping[str, Sequence[Any]] | None, wanted: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Return the columns about the items to slice by.

    known  name: (n,) values; None for labels without such columns
    """
    for column in wanted:
        if known is None:
            raise Refusal(f"no column {column!r} to slice by: a file of labels has no columns about its items")
        one_of("column to slice by", column, known)
    return {column: known[column] for column in wanted} if known else {}


def _list_some(names: Sequence[str]) -> str:
    return ", ".join(names[:10]) + ", …" * (len(names) > 10)


def _read_array(matrix: np.ndarray, people: People, source: str, say: Say, rescale: bool) -> Distributions:
    if matrix.ndim == 2 and matrix.dtype.kind in "iu" and (matrix.sum(axis=1) > 1).any() and not rescale:
        raise Refusal(
            f"whole numbers ({matrix.dtype}); expected probabilities",
            source,
            [Way(f"aggregate the votes of an ensemble: `dissensus aggregate {source} -o predictions.npz`")],
        )
    rows = matrix.astype(np.float64)
    try:
        if rescale:
            rows, done = rescale_rows(rows)
            say(f"{source}: {done}")
        predictions = name_predictions(rows, people, source)
    except ValueError as error:
        raise add_place(error, source) from None
    say(f"took: rows of {source} = items of the labels, columns = {_list_some(people.targets.classes)}, by position")
    return predictions


def _read_ensemble(labels: Labels, people: People, source: str, say: Say) -> Distributions:
    predictions = as_distributions(labels)
    if are_named(people.targets.items) and not are_named(predictions.items):
        say(f"took: rows of {source} = items of the labels, by position")
        predictions = name_predictions(predictions, people, source)
    if isinstance(labels, Votes):
        say(f"took: {source} = votes of an ensemble, one prediction per item: the share of each class")
    elif isinstance(labels, Beliefs):
        say(f"took: {source} = beliefs of an ensemble, one prediction per item: their mean")
    return predictions
