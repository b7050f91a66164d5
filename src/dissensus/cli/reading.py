"""The options by which verbs read labels, made from the settings of `Reading`."""

from __future__ import annotations

import csv
import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer
from rich.text import Text

from dissensus.cli.argument_order import refuse_exchanged
from dissensus.cli.overwriting import refuse_overwriting
from dissensus.cli.refusals import ReadingOptions, running_verb, word_settings
from dissensus.cli.standard_input import MARK, NAME, standard_input
from dissensus.files.convert_command import READING_SETTINGS, REPEATED
from dissensus.files.formats import FORMATS
from dissensus.files.notices import Notice
from dissensus.files.read_labels import read
from dissensus.files.tables.columns import Reading
from dissensus.fronts import advise_install
from dissensus.labels.refusals import Refusal
from dissensus.labels.settings import Setting, describe_setting, settings_of
from dissensus.labels.shares import Labels
from dissensus.report.consoles import NoticeConsole

errors = NoticeConsole()

PANEL = "How the labels are read"
# What the command line adds to the help of a setting.
FORMS = {
    "format": ", ".join(FORMATS),
    "drop": "repeat for several",
    "classes": 'one row of CSV, such as cat,"dog, small"',
    "annotators": "one row of CSV",
    "where": "as COLUMN=VALUE, repeat for several columns",
}


def _make_option(each: Setting) -> Any:
    """The option of a reading setting: its help is that of the setting."""
    help = "; ".join(filter(None, (describe_setting(each), FORMS.get(each.name))))
    flag = ("--rescale",) if each.type == "bool" else ()
    kinds: dict[str, Any] = {"bool": bool, "float": float | None}
    kind = list[str] | None if each.name in REPEATED else kinds.get(each.type, str if each.default else str | None)
    return Annotated[kind, typer.Option(*flag, help=f"{help}.", rich_help_panel=PANEL)]


SETTINGS = {each.name: each for each in settings_of(Reading) if each.name in READING_SETTINGS}
OPTIONS: dict[str, Any] = {name: _make_option(each) for name, each in SETTINGS.items()}
FILE = Annotated[
    str, typer.Argument(help="A label file, a data set of `dissensus data list`, or - for standard input.")
]
DEFAULTS = {name: each.default for name, each in SETTINGS.items()}


def say(notice: str) -> None:
    """Print a notice to stderr, apart from the result, with settings as options."""
    if isinstance(notice, Notice):
        notice = notice.word(ReadingOptions())
    errors.print(notice, style="dim", markup=False)


def reads_labels(verb: Callable[..., None]) -> Callable[..., None]:
    """Give a verb the reading options; it receives the labels of its FILE, a path or a data set's name.

    Arguments the verb has before `file` come before it on the command line; a verb may give `file` a help of its own,
    and an option of its own replaces a reading option of that name. A verb with a parameter `about` also
    receives the table about the items of a data set. Whatever is wrong with the input ends in one line on stderr and
    exit code 2.
    """

    @functools.wraps(verb)
    def run(file: str, **given: Any) -> None:
        reading = {name: given.pop(name) for name in offered}
        with one_line_errors():
            refuse_overwriting({"file": file} | given)
            if "images" in given:
                refuse_exchanged(given["images"], file)
            with word_settings(offered, NAME if file == MARK else file):
                labels, about = _load(file, reading, given.get("images"))
            extra = {"about": about} if "about" in wanted else {}
            verb(labels=labels, **extra, file=NAME if file == MARK else file, **given)

    wanted = inspect.signature(verb).parameters
    own = [p for name, p in wanted.items() if name not in ("labels", "about")]
    for i, parameter in enumerate(own):
        if parameter.name == "file" and parameter.annotation is str:
            own[i] = parameter.replace(annotation=FILE)
    offered = {name: annotation for name, annotation in OPTIONS.items() if name not in {p.name for p in own}}
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=DEFAULTS.get(name), annotation=annotation)
        for name, annotation in offered.items()
    ]
    parameters = [*(p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own), *options]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


def before_labels(first: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Put an argument of a verb before its file of labels: FEATURES LABELS."""

    def order(verb: Callable[..., None]) -> Callable[..., None]:
        known = inspect.signature(verb).parameters
        file = known["file"].replace(
            annotation=Annotated[str, typer.Argument(metavar="LABELS", help="A label file, or a data set with labels.")]
        )
        rest = [parameter for name, parameter in known.items() if name not in (first, "file")]
        verb.__signature__ = inspect.Signature([known[first], file, *rest])  # type: ignore[attr-defined]
        verb.__annotations__["file"] = file.annotation
        return verb

    return order


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Report errors of the input in one line on stderr with exit code 2, without a traceback."""
    try:
        yield
    except BrokenPipeError:  # the reader of the output has stopped: no error of the input
        raise
    except (ValueError, OSError, ImportError) as error:
        print_error(error)
        raise typer.Exit(2) from None


def print_error(error: Exception) -> None:
    """Print one line on stderr: settings as options of the verb, a missing package with the way to install it."""
    advice = advise_install(error, "this") if isinstance(error, ModuleNotFoundError) else None
    text = advice or (error.word(running_verb()) if isinstance(error, Refusal) else str(error))
    errors.print(f"error: {' '.join(text.split())}", markup=False, style="red")


def _load(file: str, reading: dict[str, Any], images: str | None) -> tuple[Labels, pa.Table | None]:
    """Read labels, and from a data set the table about its items; the classes of the images themselves are labels."""
    given = [f"--{name}" for name, value in reading.items() if value not in (DEFAULTS.get(name), None, [])]
    reading["where"] = _pairs(reading["where"] or [])
    reading["classes"] = split_classes(reading["classes"])
    reading["annotators"] = split_classes(reading["annotators"], "--annotators")
    reading["drop"] = reading["drop"] or None
    if file == MARK:
        with standard_input(say) as (path, heard):
            return read(path, say=heard, **reading), None
    with errors.status(Text(f"reading {file}")):
        from dissensus.datasets.catalogue import load, load_classes
        from dissensus.datasets.sources import find_source, is_data_set

        own_classes = file == images and is_data_set(file, "images")
        if not own_classes and isinstance(find_source(file, "labels"), Path):
            return read(file, say=say, **reading), None
        if given:
            raise ValueError(
                f"{file} is a data set, so {', '.join(given)} would have no effect: leave it out, or convert it to a "
                f"file first: `dissensus convert {file} {file}.parquet`"
            )
        if own_classes:
            say(f"labels are the classes of {file}, not people's answers")
        data = load_classes(file) if own_classes else load(file)
        return data.labels, data.items


def split_classes(row: str | None, option: str = "--classes") -> list[str] | None:
    """Return the names in one row of CSV; a name with a comma is quoted."""
    if row is None:
        return None
    try:
        names = [name.strip() for name in next(csv.reader([row], skipinitialspace=True, strict=True), [])]
    except csv.Error as error:
        raise ValueError(f"{option} {row}: not one row of CSV ({error})") from None
    if not names:
        raise ValueError(f"{option} is empty; expected all {option.lstrip('-')} in order, separated by commas")
    return names


def _pairs(texts: list[str]) -> dict[str, str]:
    wanted: dict[str, str] = {}
    for text in texts:
        column, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--where {text}: expected COLUMN=VALUE")
        if column in wanted:
            raise ValueError(f"--where {column}={wanted[column]} and {text}: no row has both; give each column once")
        wanted[column] = value
    return wanted
