"""Targets of training: labels, counts and probabilities as one Delivery."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from dissensus.deliver.deliveries import deliver, wrapped
from dissensus.deliver.delivery import Delivery, Rule
from dissensus.deliver.fixed import soft
from dissensus.labels.arrays import as_array
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.names import class_order, codes_of_names, refuse_names_for_codes
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.shares import Labels
from dissensus.labels.votes import Votes

Classes = Sequence[Any] | np.ndarray | int | None


def as_delivery(targets: Any, classes: Classes = None, what: str = "targets") -> Delivery:
    """Convert labels, counts or probabilities to a Delivery, checked.

        Delivery                        as it is
        Votes, Beliefs, Distributions   their distributions, in every epoch
        (n,) whole numbers              class codes, 0 to k - 1 without gaps unless `classes` is given
        (n,) text                       class names
        (n, k) whole numbers            counts of votes; every item has the same weight, however many votes it has
        (n, k) other numbers            probabilities, rows sum to 1

    Arrays may be tensors, sparse matrices, sequences or data frames, whose columns name the classes.

    Parameters
    ----------
    targets : labels in any of these forms
    classes : k names; or k, if only the number is known; None: the targets decide
    what : the noun for the targets in errors

    Returns
    -------
    Delivery

    Examples
    --------
    >>> as_delivery([[3, 1], [0, 2]], ["cat", "dog"]).targets(0)
    array([[0.75, 0.25],
           [0.  , 1.  ]])
    """
    if isinstance(targets, Delivery | Votes | Beliefs | Distributions):
        delivery = targets if isinstance(targets, Delivery) else soft(targets)
        _check_classes(delivery, classes, what)
        return delivery
    if isinstance(targets, Mapping):
        raise ValueError(f"{what} are named {sorted(map(str, targets))}; expected one of them: choose it by its name")
    array = as_array(targets)
    if array.ndim == 1:
        return _one_class_each(array, classes, what)
    if array.ndim != 2 or array.dtype.kind not in "iufb":
        raise ValueError(
            f"{what}: {type(targets).__name__} of shape {array.shape} with {array.dtype} entries; expected a Delivery, "
            "Votes, Beliefs, Distributions, (n,) classes, or (n, k) counts or probabilities"
        )
    if classes is None:
        classes = getattr(targets, "columns", None)
    return soft(_shares(array, _names(classes, array.shape[1], what), what))


def build_delivery(labels: Labels, name: str, wraps: Sequence[str], seed: int) -> Delivery:
    """Build the delivery of that name, inside its wrappers, the first one innermost.

    name   one of DELIVERIES
    wraps  such as "smoothed=0.1"; see `wrapper_forms`
    """
    delivery = deliver(labels, name, seed)
    for wrap in wraps:
        delivery = wrapped(delivery, wrap, seed)
    return delivery


def target_rows(delivery: Delivery, epoch: int = 0) -> np.ndarray:
    """Return the targets of an epoch as probabilities, also if they are classes.  -> (n, k)"""
    targets = delivery.targets(epoch)
    return np.eye(delivery.n_classes)[targets] if delivery.hard else targets


def most_probable(delivery: Delivery) -> Delivery:
    """Deliver the class with the most mass in each epoch's targets, the first of equals; inputs are mixed as before."""
    if delivery.hard:
        return delivery
    rule = partial(_most_probable, delivery.rule)
    return replace(delivery, name=f"most_probable({delivery.name})", hard=True, rule=rule)


def _most_probable(rule: Rule, epoch: int, items: np.ndarray | None) -> np.ndarray:
    return rule(epoch, items).argmax(axis=1)


def _one_class_each(array: np.ndarray, classes: Classes, what: str) -> Delivery:
    if array.dtype.kind in "OU":
        nameless = [row for row, name in enumerate(array.tolist()) if not isinstance(name, str)]
        if nameless:
            raise ValueError(
                f"{what} give item {nameless[0]} the class {array[nameless[0]]!r}; expected names as text; "
                f"{len(nameless)} of {array.size} are not"
            )
        names = class_order(array.tolist()) if classes is None else _names(classes, None, what)
        codes = codes_of_names(array, names, what)
    elif array.dtype.kind not in "iu":
        raise ValueError(
            f"{what} of shape {array.shape} are classes; expected integers from 0 or names, not {array.dtype}"
        )
    else:
        names = _names(_count(array, what) if classes is None else classes, None, what)
        refuse_names_for_codes(names, what)
        codes, k = array.astype(np.int64), len(names)
        bad = np.flatnonzero((codes < 0) | (codes >= k))
        if bad.size:
            raise ValueError(
                f"{what} give item {bad[0]} class {codes[bad[0]]}, but there are {k} classes, 0..{k - 1}; {bad.size} "
                f"of {codes.size} are out of range: state the number of classes if there are more"
            )
    codes.flags.writeable = False
    return Delivery(
        name="labels", items=row_numbers(codes.size), classes=names, hard=True, fixed=True, rule=partial(_take, codes)
    )


def _take(codes: np.ndarray, epoch: int, items: np.ndarray | None) -> np.ndarray:
    return codes if items is None else codes[items]


def _count(codes: np.ndarray, what: str) -> int:
    k = max(int(codes.max(initial=0)) + 1, 2)
    absent = np.setdiff1d(np.arange(k), codes) if codes.size and codes.max() > 0 else np.empty(0)
    if absent.size:
        raise ValueError(
            f"no item of the {what} has class {absent[0]}, though classes go up to {k - 1}; {absent.size} of {k} "
            "classes are missing: number the classes without gaps, or state how many there are"
        )
    return k


def _shares(array: np.ndarray, names: tuple[str, ...], what: str) -> Distributions:
    values = array.astype(np.float64)
    counts = bool(np.isfinite(values).all() and (values == np.floor(values)).all())
    try:
        if counts:
            return Distributions.from_counts(values, classes=names)
        return Distributions(values, row_numbers(len(values)), names)
    except ValueError as problem:
        read = "whole numbers, so they are read as counts" if counts else "not whole numbers, so rows must sum to 1"
        raise ValueError(f"{what}: {problem} ({what} are {read})") from None


def _names(classes: Classes, k: int | None, what: str) -> tuple[str, ...]:
    """Return the names of the classes, as many as the targets have columns."""
    if classes is None:
        classes = k or 0
    names = tuple(str(name) for name in (range(classes) if isinstance(classes, int | np.integer) else classes))
    if (k is not None and len(names) != k) or len(set(names)) != len(names):
        raise ValueError(f"{what}: {k} columns, but the classes are {list(names)}; expected {k} different names")
    return names


def _check_classes(delivery: Delivery, classes: Classes, what: str) -> None:
    if isinstance(classes, int):
        if delivery.n_classes != classes:
            raise ValueError(f"{what} ({delivery.name}) have {delivery.n_classes} classes; expected {classes}")
    elif classes is not None and delivery.classes != tuple(str(name) for name in classes):
        raise ValueError(
            f"{what} ({delivery.name}) are over the classes {list(delivery.classes)}; expected {list(classes)}, in "
            "this order"
        )
