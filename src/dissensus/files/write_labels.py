"""One door out: Votes, Beliefs and Distributions -> files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from dissensus.files.delimited import write_delimited
from dissensus.files.exports import EXPORTS, check_exportable, recognise, recognise_table
from dissensus.files.formats import DELIMITED, MATRICES, WHOLE, format_of
from dissensus.files.json_text import json_bytes, json_records
from dissensus.files.matrices import npy_matrix, write_npz
from dissensus.files.notices import Notice, Say, to_stderr
from dissensus.files.tables.from_labels import as_table, find_losses_in_plain_columns, has_item_column
from dissensus.files.whole_files import whole_or_not
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import Way, add_place
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels

SHOWN = 3  # names of items, where their order is said


@takes(value=ANY_LABELS)
def write(
    value: Labels,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    layout: str | None = None,
    say: Say = to_stderr,
) -> None:
    """Write labels so that `read` returns the same; the file appears whole or not at all.

    Parquet, Arrow and (for distributions) NPZ keep everything.

    Parameters
    ----------
    value : Votes, Beliefs or Distributions
    path : path
        Its ending gives the format.
    format : str or None
        One of FORMATS, if not clear from the ending.
    layout : "crowd-kit", "annotators" or None
        How votes are laid out, see `as_table`.
    say : function of a text
        Receives what to pass when reading, if a format cannot keep everything; by default it goes to stderr.

    Returns
    -------
    None

    Examples
    --------
    >>> write(Votes.of(["a", "a"], ["cat", "dog"]), "votes.parquet")
    >>> read("votes.parquet").n_answers
    2
    """
    target = Path(path)
    try:
        kind = format_of(target, format)
        if kind in MATRICES:
            _write_matrix(value, target, kind, say)
        else:
            _write_table(value, target, kind, layout, say)
    except ValueError as error:
        raise add_place(error, str(target)) from None


def _say_unnamed(value: Labels, target: Path, say: Say) -> None:
    """A file with a column of names is read as one with names, whatever they are."""
    if not are_named(value.items) and has_item_column(value):
        say(f"{target}: these items have no names; the column of items has row numbers, from 0")


def _write_matrix(value: Labels, target: Path, kind: str, say: Say) -> None:
    if not isinstance(value, Distributions):
        raise ValueError(f"{kind} has one row per item, and this is one per answer: write .parquet or .csv")
    if kind == "npz":
        _say_unnamed(value, target, say)
        whole_or_not(target, lambda out: write_npz(value, out))
        return
    held, matrix = npy_matrix(value)
    names = _list_names(value.items[: SHOWN + 1].tolist())
    problem = f"{target}: NPY keeps no names of items and classes; rows are in the order of the items ({names})"
    say(Notice(problem, Way(f"read these {held} back with {{items}} and {{classes}}", items=..., classes=...)))
    whole_or_not(target, lambda out: np.save(out, matrix, allow_pickle=False))


def _read_back(**settings: Any) -> Way:
    return Way(f"read it back with {' and '.join(f'{{{name}}}' for name in settings)}", **settings)


def _list_names(names: list[object]) -> str:
    return ", ".join(map(str, names[:SHOWN])) + (", …" if len(names) > SHOWN else "")


def _write_table(value: Labels, target: Path, kind: str, layout: str | None, say: Say) -> None:
    table = as_table(value, layout)
    _say_unnamed(value, target, say)
    if kind in EXPORTS:
        check_exportable(table, kind)
    if kind not in WHOLE or layout == "annotators":
        for lost, settings in find_losses_in_plain_columns(value, table, text=kind in DELIMITED):
            problem = f"{target}: {layout or kind} does not keep {lost}"
            say(Notice(problem, _read_back(**settings)) if settings else problem)
    tool = recognise(json_records(table.slice(0, 1))) if kind in ("json", "jsonl") else None
    if kind in DELIMITED:
        tool = recognise_table(table.column_names)
    if tool is not None:
        problem = f"{target}: {kind} does not keep that this is not an export of {tool}"
        say(Notice(problem, _read_back(format=kind)))
    whole_or_not(target, lambda out: _fill(table, kind, out, str(target)))


def _fill(table: pa.Table, kind: str, out: IO[bytes], name: str) -> None:
    tool = EXPORTS.get(kind)
    if kind == "parquet":
        parquet.write_table(table, out, compression="zstd")
    elif kind == "arrow":
        with pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    elif kind in DELIMITED:
        write_delimited(table, kind, out, name)
    elif tool is not None and tool.render is not None:
        out.write(json_bytes(tool.render(table), lines=tool.container == "jsonl", name=name))
    else:
        out.write(json_bytes(json_records(table), lines=kind == "jsonl", name=name))
