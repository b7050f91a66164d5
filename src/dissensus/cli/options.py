"""Options of a verb made from a config class: name, type, default and help are those of its settings."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any

import typer

from dissensus.cli.refusals import word_settings
from dissensus.cli.seeds import SEED_HELP
from dissensus.labels.refusals import one_of
from dissensus.labels.settings import Setting, describe_setting, make_config, settings_of

_TYPES: dict[str, type] = {"int": int, "float": float, "str": str, "bool": bool}


def takes_settings(
    config: type,
    *,
    leave_out: Collection[str] = (),
    names: Mapping[str, str] | None = None,
    recipes: Mapping[str, Mapping[str, Any]] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a verb an option for every setting of a config class; its parameter `config` receives the config.

    Settings of nested configs are options of the same verb. An option with a default of True is a flag `--no-NAME`; a
    list of texts is an option to repeat; a list of numbers is written with commas.

    leave_out  settings that the command line does not offer
    names      setting -> name of its option, if different
    recipes    settings by name of a recipe, which `--recipe` takes in place of defaults; the verb has a `context`
    """
    chosen = [each for each in settings_of(config) if each.name not in leave_out]
    named = {each.name: (names or {}).get(each.name, _name_option(each)) for each in chosen}

    def add_options(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def run(**given: Any) -> None:
            values = {each.name: _read_value(each, given.pop(named[each.name])) for each in chosen}
            if recipes is not None and (recipe := given.pop("recipe")) is not None:
                asked = [each.name for each in chosen if is_given(given["context"], named[each.name])]
                values |= {
                    name: value
                    for name, value in recipes[one_of("recipe", recipe, recipes)].items()
                    if name not in asked
                }
            with word_settings(**(names or {})):
                verb(config=make_config(config, values), **given)

        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(verb).parameters.values():
            if parameter.name == "config":
                parameters += [_make_recipe(recipes)] if recipes is not None else []
                parameters += [_make_parameter(each, named[each.name]) for each in chosen]
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return run

    return add_options


def setting_help(config: type, name: str) -> str:
    """The help of one setting, for a verb that offers it without its config."""
    return f"{describe_setting(next(each for each in settings_of(config) if each.name == name))}."


def is_given(context: typer.Context, name: str) -> bool:
    """Whether the user gave this option; otherwise it has its default."""
    source = context.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def _name_option(each: Setting) -> str:
    return f"no_{each.name}" if each.default is True else each.name


def _make_parameter(each: Setting, name: str) -> inspect.Parameter:
    kind = _TYPES.get(each.type, str)
    default = each.default
    flag: tuple[str, ...] = ()
    help = SEED_HELP.rstrip(".") if each.name == "seed" else describe_setting(each)
    if kind is bool:
        flag, default = (f"--{name.replace('_', '-')}",), False
        help = f"Do not {help[0].lower()}{help[1:]}" if each.default is True else help
    elif each.several and kind is str:
        kind, default, help = list[str] | None, None, f"{help}; repeat to add more"  # type: ignore[assignment]
    elif each.several:
        kind, default = str, ",".join(map(str, each.default))
    elif each.optional:
        kind = kind | None  # type: ignore[assignment]
    option = typer.Option(
        *flag, help=f"{help}.", show_default=default is not None and default is not False and default != ""
    )
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option])


def _make_recipe(recipes: Mapping[str, Any]) -> inspect.Parameter:
    option = typer.Option(help=f"Settings to start from: {', '.join(recipes)}; other options replace single ones.")
    annotation = Annotated[str | None, option]
    return inspect.Parameter("recipe", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def _read_value(each: Setting, value: Any) -> Any:
    if each.type == "bool":
        return value != each.default if each.default is True else value
    if each.several and each.type == "str":
        return tuple(value or ())
    if each.several:
        try:
            return tuple(_TYPES[each.type](part) for part in value.split(",")) if value else ()
        except ValueError:
            raise ValueError(f"--{each.name} {value}: expected {each.expected}, separated by commas") from None
    return value
