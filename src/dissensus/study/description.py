"""A study as its folder describes it, without its data and without its file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.study.cells import read_records
from dissensus.study.spec import DataSource, Study
from dissensus.study.work.jobs import Task

STUDY = "study.json"


@dataclass(frozen=True)
class StudyFolder:
    """The contents of a study's folder.

    description  of the study: name, question, seeds, split, evaluation, compare, data, text (of its TOML file)
    records      of the cells that the study has now, in its order; failures are among them
    missing      how many of its cells are not there yet
    others       how many cells are there that it no longer has, such as those of an earlier spec
    """

    description: dict[str, Any]
    records: list[dict[str, Any]]
    missing: int
    others: int


def write_description(study: Study, tasks: Sequence[Task], folder: Path) -> None:
    """The data of a report besides the records, and the study as written."""
    description = {
        "name": study.name,
        "question": study.question,
        "seeds": list(study.seeds),
        "split": asdict(study.split),
        "evaluation": asdict(study.evaluation),
        "compare": None if study.comparing is None else asdict(study.comparing),
        "data": {name: _describe_source(source) for name, source in study.data.items()},
        "text": study.text.text,
        "cells": [task.key for task in tasks],
    }
    write_text(json.dumps(description, indent=1) + "\n", folder / STUDY)
    copy = folder / "study.toml"
    if study.text.text and copy.resolve() != Path(study.text.source).resolve():  # which may have changed since
        write_text(study.text.text, copy)


def read_folder(folder: str | Path) -> StudyFolder:
    """Read the study of a folder, as it was run last.

    Parameters
    ----------
    folder : made by `run_study`

    Returns
    -------
    StudyFolder, with the description of the study and the records of its cells

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> len(read_folder("runs").records)
    2
    """
    place = Path(folder)
    try:
        description = json.loads((place / STUDY).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise ValueError(f"{place}: holds no study: there is no {STUDY}; `dissensus study run` makes one") from None
    except (OSError, ValueError) as problem:
        raise ValueError(f"{place / STUDY}: cannot be read: {problem}") from None
    by_key = {record["cell"]: record for record in read_records(place)}
    records = [by_key[key] for key in description["cells"] if key in by_key]
    return StudyFolder(description, records, len(description["cells"]) - len(records), len(by_key) - len(records))


def _describe_source(source: DataSource) -> dict[str, str]:
    """The source of data in words; for values that were passed in Python, their kind."""
    given = {name: value for name, value in vars(source).items() if value is not None and value is not False}
    return {
        name: str(value) if isinstance(value, str | Path | bool) else f"a {type(value).__name__}"
        for name, value in given.items()
    }
