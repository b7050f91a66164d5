"""Type checks for the labels that public functions take, with errors that say how to make the right type.

@takes(votes=Votes)
def share(votes: Votes) -> Distributions: ...

share(frame)    ValueError: share takes Votes; this is a pandas DataFrame: Votes.of_frame(frame) makes them, …
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.streams import check_generator
from dissensus.labels.votes import Votes

P = ParamSpec("P")
R = TypeVar("R")
Kinds = type | tuple[type, ...]
ANY_LABELS = (Votes, Beliefs, Distributions)

OF_FRAME: dict[type, str] = {
    Votes: "Votes.of_frame(frame)",
    Distributions: "Distributions.of_frame(frame)",
    Beliefs: "read(frame)",
}
OF_NUMBERS: dict[type, str] = {
    Votes: "Votes.of(item, choice, annotator)",
    Beliefs: "Beliefs(...)",
    Distributions: "Distributions.from_counts(counts) or Distributions.from_mass(mass)",
}
FROM_LABELS: dict[tuple[type, type], str] = {
    (Votes, Distributions): "share(votes) makes them",
    (Votes, Beliefs): "Beliefs.of_votes(votes) makes them",
    (Beliefs, Votes): "beliefs.first_choices() makes them",
    (Beliefs, Distributions): "mean_belief(complete(beliefs)) makes them",
    (Distributions, Votes): "start from the votes, or, for shares of votes, from Votes.of_counts(distributions)",
    (Distributions, Beliefs): "start from the individual answers, which distributions no longer have",
}


def takes(**expected: Kinds) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Refuse anything but these kinds for the parameters named, and for `rng` anything but a generator.

    None passes if it is the default.
    """

    def guard(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        optional = {name for name in expected if parameters[name].default is None}
        draws = "rng" in parameters and parameters["rng"].default is inspect.Parameter.empty
        place = {name: list(parameters).index(name) for name in (*expected, *["rng"] * draws)}

        @functools.wraps(function)
        def check_arguments(*args: P.args, **kwargs: P.kwargs) -> R:
            for name, position in place.items():
                if position < len(args):
                    value = args[position]
                elif name in kwargs:
                    value = kwargs[name]
                else:
                    continue  # not given: the default, or Python's own error
                if name not in expected:
                    check_generator(value)
                elif not isinstance(value, expected[name]) and not (value is None and name in optional):
                    raise ValueError(refusal(function.__name__, name, expected[name], value))
            return function(*args, **kwargs)

        return check_arguments

    return guard


def refusal(function: str, parameter: str, kinds: Kinds, value: Any) -> str:
    """Word the error for a value that is not of these kinds."""
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    names = [kind.__name__ for kind in wanted]
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    as_what = "" if parameter in ("votes", "beliefs", "labels", "answers", "d", "value") else f" as {parameter}"
    return f"{function} takes {listed}{as_what}; this is {describe_type(value)}: {way_out(wanted, value)}"


def describe_type(value: Any) -> str:
    """A value in a few words, in an error."""
    if value is None:
        return "None"
    if isinstance(value, str | os.PathLike):
        return f"a path or a name, {str(value)!r:.80}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    kind, package = type(value).__name__, type(value).__module__.partition(".")[0]
    if package in ("pandas", "polars", "pyarrow", "torch"):
        return f"a {package} {kind}"
    return kind if isinstance(value, ANY_LABELS) else f"{'an' if kind[:1] in 'aeiouAEIOU' else 'a'} {kind}"


def way_out(wanted: tuple[type, ...], value: Any) -> str:
    """How to make labels of one of these kinds from this value."""
    matrix = isinstance(value, np.ndarray) and value.ndim == 2 and Distributions in wanted
    kind = Distributions if matrix else wanted[0]
    if isinstance(value, str | os.PathLike):
        return f"read({str(value)!r:.80}) reads a file, load(...) a data set"
    if value is None:
        return "no value was passed"
    if isinstance(value, ANY_LABELS):
        return FROM_LABELS.get((type(value), kind), f"make {kind.__name__} of them first")
    for field in ("labels", "distributions"):
        if isinstance(getattr(value, field, None), ANY_LABELS):
            return f"pass its .{field}"
    if kind not in OF_FRAME:
        return f"make {kind.__name__} of it first"
    if is_frame(value):
        return f"{OF_FRAME[kind]} makes them, and read(frame) also finds out what the columns are"
    return f"{OF_NUMBERS[kind]} makes them, read('file.csv') reads a file"


def is_frame(value: Any) -> bool:
    """Whether this is a frame or a column of pandas, polars or Arrow."""
    return hasattr(value, "__dataframe__") or hasattr(value, "reset_index") or hasattr(value, "__arrow_c_stream__")
