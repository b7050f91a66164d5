"""Tables of the web app that are not labels, and the command that gives labels."""

from __future__ import annotations

import json
from typing import Any

from dissensus.files.tables.columns import Reading
from dissensus.files.tables.source import SourceTable

ANSWERS = {"trial", "annotator", "kind", "items", "classes_shown", "answer", "received", "excluded"}
PEOPLE = {"annotator", "stage", "batch", "started", "finished", "excluded", "pages"}
COMMAND = "`dissensus elicit export FOLDER --labels -o labels.parquet` with the survey's folder"


def refuse_survey_exports(source: SourceTable, reading: Reading) -> None:
    """Refuse the raw answers and the people of a survey, unless a column of the user's own is the label.

    Raw answers hold JSON, practice, attention checks and excluded people; only the survey knows what they mean.
    """
    if reading.label not in (None, "answer"):
        return
    columns = set(source.columns)
    if columns >= PEOPLE and "answer" not in columns:
        raise ValueError(f"{source.name}: these are the people of a survey, not its labels; for labels, run {COMMAND}")
    if not columns >= ANSWERS:
        return
    if any(len(_items(value)) > 1 for value in source.table["items"].slice(0, 1).to_pylist()):
        raise ValueError(
            f"{source.name}: these are a survey's raw answers about pairs or triplets, which compare items and are not "
            "labels of them; analyse them as the table they are, with pandas for example"
        )
    raise ValueError(
        f"{source.name}: these are a survey's raw answers, practice, attention checks and excluded people included, "
        f"not labels; for labels, run {COMMAND}"
    )


def _items(value: Any) -> list[Any]:
    """The items of a trial: a list, or the JSON text of one in a CSV file."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return []
    return value if isinstance(value, list) else []
