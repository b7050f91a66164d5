"""A pilot from a file with one row per answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dissensus.labels.refusals import Refusal, Way
from dissensus.plan.label_kinds import PARTIAL_KINDS
from dissensus.plan.pilot import PilotAnswers

_COLUMNS = ("kind", "seconds", "wrong", "k_hat", "annotator")


def read_pilot(path: Path | str) -> list[PilotAnswers]:
    """Read a pilot from a CSV file with one row per answer.

    Columns: `kind` (one of `LABEL_KINDS`), `seconds`, and optionally `wrong` (share of wrong comparisons, empty if
    unknown), `k_hat` (classes with a number, required for sparse and top-class labels) and `annotator`, in every row
    or in none.

    Parameters
    ----------
    path : of the CSV file

    Returns
    -------
    list of PilotAnswers : one entry per kind and k_hat

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("pilot.csv").write_text("kind,seconds\\nhard,2.1\\nhard,1.8\\nsoft,9\\nsoft,11\\n")
    >>> [answers.kind for answers in read_pilot("pilot.csv")]
    ['hard', 'soft']
    """
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    try:
        table = pa_csv.read_csv(path)
    except pa.ArrowInvalid as problem:
        raise Refusal(f"not a readable CSV file: {problem}", str(path)) from None
    missing = [name for name in ("kind", "seconds") if name not in table.column_names]
    if missing:
        raise Refusal(
            f"the columns are {table.column_names}; expected also {missing}",
            str(path),
            [Way("write one row per answer, with kind, seconds, and optionally wrong, k_hat and annotator")],
        )
    repeated = [name for name in _COLUMNS if table.column_names.count(name) > 1]
    if repeated:
        raise Refusal(f"several columns {repeated[0]!r} in {table.column_names}; expected one of each", str(path))
    if not table.num_rows:
        raise Refusal("no rows; expected one row per answer", str(path))
    kind = np.array([str(value) for value in table["kind"].to_pylist()], dtype=object)
    seconds, wrong, k_hat = (_numbers(table, name, path) for name in ("seconds", "wrong", "k_hat"))
    who = _annotators(table, path)
    groups = []
    for name in dict.fromkeys(kind.tolist()):
        rows = np.flatnonzero(kind == name)
        if name not in PARTIAL_KINDS:
            groups.append(_answers(name, 1, rows, seconds, wrong, who))
            continue
        bad = rows[~(k_hat[rows] >= 1) | (k_hat[rows] != k_hat[rows].round()) | np.isinf(k_hat[rows])]
        if bad.size:
            value = "no k_hat" if np.isnan(k_hat[bad[0]]) else f"k_hat {k_hat[bad[0]]:g}"
            raise Refusal(
                f"row {bad[0] + 1} is a {name} label with {value}; expected its number of classes, a whole number of 1 "
                f"or more; {bad.size} of {rows.size} are invalid",
                str(path),
            )
        groups += [
            _answers(name, int(asked), rows[k_hat[rows] == asked], seconds, wrong, who)
            for asked in np.unique(k_hat[rows])
        ]
    return groups


def _answers(
    kind: Any, k_hat: int, rows: np.ndarray, seconds: np.ndarray, wrong: np.ndarray, who: np.ndarray | None
) -> PilotAnswers:
    return PilotAnswers(kind, k_hat, seconds[rows], wrong[rows], None if who is None else who[rows])


def _annotators(table: Any, path: Path | str) -> np.ndarray | None:
    """Annotator of each answer; None if no row has one.  (m,)"""
    if "annotator" not in table.column_names:
        return None
    who = np.array(["" if name is None else str(name).strip() for name in table["annotator"].to_pylist()], dtype=object)
    unnamed = np.flatnonzero(who == "")
    if unnamed.size == who.size:
        return None
    if unnamed.size:
        raise Refusal(
            f"row {unnamed[0] + 1} has no annotator; {unnamed.size} of {who.size} rows have none",
            str(path),
            [Way("name the annotator in every row"), Way("in none, so that each answer counts as one person")],
        )
    return who


def _numbers(table: Any, name: str, path: Path | str) -> np.ndarray:
    """A column of numbers, NaN if empty or absent.  (m,)"""
    if name not in table.column_names:
        return np.full(table.num_rows, np.nan)
    try:
        return np.array([np.nan if value is None else float(value) for value in table[name].to_pylist()])
    except (TypeError, ValueError):
        raise Refusal(f"column {name!r} has the type {table[name].type}; expected numbers", str(path)) from None
