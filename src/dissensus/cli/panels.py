"""Options of a verb in groups, so that its help can be read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Annotated, Any, get_args

from typer.models import OptionInfo


def in_panels(panels: Mapping[str, Sequence[str]]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Show options of a verb under titles, in the order in which the verb has them; others stay under Options.

    panels  title -> names of parameters
    """

    def group(verb: Callable[..., None]) -> Callable[..., None]:
        titles = {name: title for title, names in panels.items() for name in names}
        parameters = [
            parameter.replace(annotation=under(parameter.annotation, titles[name])) if name in titles else parameter
            for name, parameter in inspect.signature(verb).parameters.items()
        ]
        verb.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        verb.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return verb

    return group


def under(annotation: Any, title: str) -> Any:
    """The annotation of an option, which the help shows under this title."""
    kind, option = get_args(annotation)
    assert isinstance(option, OptionInfo)
    titled = copy(option)
    titled.rich_help_panel = title
    return Annotated[kind, titled]
