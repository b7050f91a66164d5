"""Valid depths and options of the families; an error names the valid ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from dissensus.labels.refusals import one_of


def blocks_per_stage(depth: int, step: int, beside: int) -> int:
    """n of a network with step n + beside layers, in stages of n blocks each."""
    blocks = (depth - beside) // step
    if blocks < 1 or step * blocks + beside != depth:
        near = step * max(blocks, 1) + beside
        raise ValueError(f"depth is {depth}; expected {step}n + {beside}, such as {near} or {near + step}")
    return blocks


def plan_stages(depth: int, plans: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    """The blocks of each stage, where the depths of a family are a list and not a rule."""
    return plans[one_of("depth", depth, plans)]


def check_choice(what: str, value: object, choices: Collection[object]) -> None:
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise ValueError(f"{what} is {value!r}; expected {' or '.join(map(str, choices))}")


def check_number(what: str, value: object, least: float, below: float = float("inf")) -> None:
    """A number from `least` to below `below`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < below:
        limit = "up" if below == float("inf") else f"to below {below:g}"
        raise ValueError(f"{what} is {value!r}; expected a number from {least:g} {limit}")


def check_count(what: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError(f"{what} is {value!r}; expected a whole number from 1 up")
