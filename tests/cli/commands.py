"""The command line in this process, as tests call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from dissensus.cli.main import app


def run(*words: object, code: int = 0, **settings: Any) -> Result:
    """Run a verb that ends with this exit code; no exception but its own exit may end it."""
    result = CliRunner().invoke(app, [str(word) for word in words], **settings)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def refused(*words: object, **settings: Any) -> str:
    """Return the error of a verb: exit code 2, one line after the notices, no result and no traceback."""
    result = run(*words, code=2, **settings)
    assert not result.stdout
    *notices, line = result.stderr.splitlines()
    assert line.startswith("error: ") and not any("error" in notice for notice in notices)
    return line


def override(words: Sequence[object], *more: object) -> list[object]:
    """Return the words with these options and values, in place of the values that the options have there."""
    options = [str(option) for option in more[::2]]
    places = [place for place, word in enumerate(words) if str(word) in options]
    dropped = {*places, *(place + 1 for place in places)}
    return [*(word for place, word in enumerate(words) if place not in dropped), *more]


def quiet(notice: str) -> None:
    """Drop a notice."""
