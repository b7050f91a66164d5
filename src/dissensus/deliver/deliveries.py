"""Deliveries by name, for the command line and for study files."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from dissensus.deliver.delivery import Delivery
from dissensus.deliver.fixed import class_means, majority, random, soft, uniform
from dissensus.deliver.from_posterior import posterior
from dissensus.deliver.one_answer import deaggregated, deterministic_control, multipass, sls
from dissensus.deliver.wrappers import WRAPPERS
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import one_of
from dissensus.labels.shares import Labels

DELIVERIES: dict[str, Callable[..., Delivery]] = {
    "soft": soft,
    "majority": majority,
    "sls": sls,
    "multipass": multipass,
    "deterministic_control": deterministic_control,
    "deaggregated": deaggregated,
    "posterior": posterior,
    "class_means": class_means,
    "random": random,
    "uniform": uniform,
}
"""Every delivery by its name; a new one is a line here."""


@takes(labels=ANY_LABELS)
def deliver(labels: Labels, name: str, seed: int, **options: Any) -> Delivery:
    """Make the delivery of a given name.

    Parameters
    ----------
    labels : Votes, Beliefs or Distributions
    name : str
        A key of DELIVERIES.
    seed : int
        Random seed; deliveries that draw nothing ignore it.
    **options
        Further arguments of that delivery.

    Returns
    -------
    Delivery

    Raises
    ------
    ValueError
        If the name or an option is unknown.

    Examples
    --------
    >>> deliver(Votes.of(["a", "a", "b"], ["cat", "dog", "dog"]), "majority", seed=0, ties="frequent")
    <Delivery majority: classes for 2 items over 2 classes>
    """
    maker = DELIVERIES[one_of("delivery", name, DELIVERIES)]
    known = inspect.signature(maker).parameters
    for option in options:
        one_of(
            f"option of {name}", option, [known_option for known_option in list(known)[1:] if known_option != "seed"]
        )
    return maker(labels, **options, **({"seed": seed} if "seed" in known else {}))


def wrapped(delivery: Delivery, wrap: str, seed: int) -> Delivery:
    """Wrap a delivery as a text such as "smoothed=0.1" describes.

    Parameters
    ----------
    delivery : Delivery
    wrap : str
        A key of WRAPPERS; if the wrapper has a knob, followed by "=" and its value.
    seed : int
        Random seed; wrappers that draw nothing ignore it.

    Returns
    -------
    Delivery

    Examples
    --------
    >>> delivery = soft(Votes.of(["a", "a"], ["cat", "dog"]))
    >>> wrapped(delivery, "smoothed=0.1", seed=0).name
    'smoothed(soft, 0.1)'
    """
    name, _, value = wrap.partition("=")
    one_of("wrapper", name, WRAPPERS)
    function, knob = WRAPPERS[name].function, WRAPPERS[name].knob
    if bool(value) != (knob is not None):
        raise ValueError(f"{wrap}: expected {name}" + (f"=NUMBER, its {knob.name}" if knob else " without a number"))
    options: dict[str, Any] = {"seed": seed} if "seed" in inspect.signature(function).parameters else {}
    if knob is not None:
        try:
            options[knob.name] = knob.type(value)
        except ValueError:
            kind = "a whole number" if knob.type is int else "a number"
            raise ValueError(
                f"{wrap}: {value!r} is not {kind}; expected the {knob.name} of {name}: {knob.range}"
            ) from None
    return function(delivery, **options)


def wrapper_forms() -> list[str]:
    """How each wrapper is written: its name, and its knob in capitals, such as "smoothed=AMOUNT"."""
    return [name if entry.knob is None else f"{name}={entry.knob.name.upper()}" for name, entry in WRAPPERS.items()]
