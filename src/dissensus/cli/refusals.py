"""Errors of the library in the words of the command line: parameters become options of the verb that runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from types import EllipsisType
from typing import Any

from dissensus.files.convert_command import READING_SETTINGS, REPEATED, convert_command, write_option
from dissensus.labels.refusals import Front, Refusal, Way, fill

try:
    from typer._click.globals import get_current_context
except ImportError:  # Typer before 0.20 uses the package itself
    from click import get_current_context  # type: ignore[assignment,no-redef,unused-ignore]


class CommandLine(Front):
    """One verb: `--drop note`.

    A reading setting that the verb does not offer becomes a `dissensus convert` command to run first. Any other setting
    that it does not offer has no way out here.

    options : the verb's parameters, as Typer holds them, by the name of their setting
    file : the file that a `convert` command reads; "": the refusal's place; None: nothing that `convert` could read
    """

    def __init__(self, options: Mapping[str, Any], file: str | None = "") -> None:
        self.options = options
        self.file = file

    def write(self, name: str, value: object) -> str | None:
        option = self.options.get(name)
        if option is None:
            return None
        if option.param_type_name == "argument":
            return str(option.metavar or option.name.upper())
        spelled = max(option.opts, key=len)
        if isinstance(value, EllipsisType):
            return str(spelled)
        if option.is_flag:
            return str(spelled) if value else next(iter(option.secondary_opts), None)
        return write_option(spelled.lstrip("-"), value, repeated=option.multiple)

    def replace_way(self, way: Way, place: str) -> str | None:
        command = None if self.file is None else convert_command(self.file or place, way.settings)
        if command is None:
            return None
        first, *others = way.settings
        return fill(way.text, {first: f"`{command}` first"} | {name: write_option(name, ...) for name in others})


class ReadingOptions(Front):
    """The options by which every verb that reads labels does so: `--layout annotators`."""

    def write(self, name: str, value: object) -> str | None:
        return write_option(name, value, repeated=name in REPEATED) if name in READING_SETTINGS else None

    def replace_way(self, way: Way, place: str) -> str | None:
        options = [option for name, value in way.settings.items() if (option := self.write(name, value))]
        return f"{way.text.partition('{')[0]}{' '.join(options)}" if options else None


def running_verb(names: Collection[str] | None = None, file: str | None = "", **renamed: str) -> CommandLine:
    """Return the front of the verb that runs.

    names : the settings that the verb offers here, by their parameters; None: all its options
    file : the file that a `convert` command reads; "": the refusal's place; None: nothing that `convert` could read
    renamed : settings that the verb offers under another parameter, if it has that one: missing="shared"
    """
    context: Any = get_current_context(silent=True)
    parameters = {} if context is None else {parameter.name: parameter for parameter in context.command.params}
    options = {name: option for name, option in parameters.items() if names is None or name in names}
    for setting, parameter in renamed.items():
        if parameter in parameters:
            options[setting] = parameters[parameter]
    return CommandLine(options, file)


@contextmanager
def word_settings(names: Collection[str] | None = None, file: str | None = "", **renamed: str) -> Iterator[None]:
    """Word refusals of a block by settings of its own, as when two files of one verb are read by different options."""
    try:
        yield
    except Refusal as refusal:
        raise refusal.settle(running_verb(names, file, **renamed)) from None
