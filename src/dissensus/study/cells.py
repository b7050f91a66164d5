"""Cells on disk: one folder each, named by what decides its result, whole or not there at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from dissensus.files.read_labels import read
from dissensus.files.tables.from_labels import as_table
from dissensus.labels.distributions import Distributions
from dissensus.study.data import StudyData
from dissensus.study.grid import Cell
from dissensus.study.spec import Study
from dissensus.study.splits import split_items
from dissensus.study.versions import versions_of

RECORD = "record.json"
PREDICTIONS = "predictions.parquet"
FORMAT = 1
WRITERS = 2  # cells written at once, as each waits for the disk
_ASIDE = re.compile(r"\.(old-)?[0-9a-z]+-[0-9a-f]{8}")
_NEEDED = {
    "done": ("arm", "seed", "fold", "settings", "scores", "slices"),
    "failed": ("arm", "seed", "fold", "settings", "error"),
}
_encode = json.JSONEncoder(allow_nan=False).encode
VARIES = ("seconds", "made", "hardware", "commit", "packages")  # in a record, and not part of what was measured


def settings_of(cell: Cell, study: Study, data: StudyData) -> dict[str, Any]:
    """Everything that decides what a cell gives.

    The content of data does, not where they lie or what they are called.
    """
    inputs = "features" if cell.model.kind == "head" else "images"
    settings = {
        "data": {name: data.checksums[name] for name in ("labels", "people", "gold", inputs)},
        "labels": asdict(cell.labels), "delivery": cell.delivery, "model": cell.model.as_json(),
        "split": _split_settings(study, data), "seed": cell.seed, "fold": cell.fold,
        "probes": sorted(study.evaluation.probes) if cell.model.kind == "network" else [],
    }  # fmt: skip
    return settings | {"versions": versions_of(settings)}


def key_of(settings: Mapping[str, Any]) -> str:
    """The name of a cell's folder: 16 digits of the hash of its settings."""
    return hashlib.sha256(canonical(settings).encode()).hexdigest()[:16]


def canonical(settings: Mapping[str, Any]) -> str:
    """Settings as text, the same for the same settings."""
    return json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def _split_settings(study: Study, data: StudyData) -> dict[str, Any]:
    split = study.split
    used = {"per-seed": ("test",), "fixed": ("test",), "k-fold": ("folds",), "column": (), "file": ()}[split.scheme]
    settings = {"scheme": split.scheme, "validation": split.validation, **{key: getattr(split, key) for key in used}}
    if split.scheme in ("column", "file"):
        parts = split_items(data, split, 0, None)
        dealt = np.zeros(data.n_items, dtype=np.int8)
        dealt[parts.train] = 3  # what is in no part, such as given validation items that are not used, is 0
        dealt[parts.test] = 1
        if split.validation != "test":
            dealt[parts.validation] = 2
        settings["parts"] = hashlib.sha256(dealt.tobytes()).hexdigest()
    return settings


def read_record(folder: Path) -> dict[str, Any] | None:
    """The record of a cell's folder; None where there is no whole one."""
    try:
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        _check_record(record, folder.name)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as problem:
        raise ValueError(
            f"{folder / RECORD}: cannot be read ({problem}); remove the folder to run its cell again"
        ) from None
    return dict(record)


def _check_record(record: Any, name: str) -> None:
    """Refuse what no run of this version has written: edited by hand, moved, or of a later version."""
    if not isinstance(record, dict):
        raise ValueError(f"it holds a {type(record).__name__}; expected the keys of a record")
    if record.get("format", FORMAT) != FORMAT:
        raise ValueError(
            f"it has the format {record['format']!r}, and this version of dissensus knows {FORMAT}; another one made it"
        )
    if record.get("status") not in _NEEDED:
        raise ValueError(f"its status is {record.get('status')!r}; expected one of {', '.join(_NEEDED)}")
    missing = [key for key in _NEEDED[record["status"]] if key not in record]
    if missing:
        raise ValueError(f"it has no {', '.join(missing)}")
    if record.get("cell") != name:
        raise ValueError(f"it is of the cell {record.get('cell')}, and its folder is called {name}")
    settings = record["settings"]
    if not isinstance(settings, dict) or any(record[key] != settings.get(key) for key in ("seed", "fold")):
        raise ValueError("its seed and fold are not those of its settings; was it edited by hand?")


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Read all records of a study's folder, in the order of their names.

    Parameters
    ----------
    folder : of the study

    Returns
    -------
    list of dict

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> read_records("runs")[0]["status"]
    'done'
    """
    cells = Path(folder) / "cells"
    if not cells.is_dir():
        raise ValueError(f"{folder}: holds no study: there is no folder `cells` in it; `dissensus study run` makes one")
    records = (read_record(place) for place in sorted(cells.iterdir()) if place.is_dir() and place.name[0] != ".")
    return [record for record in records if record is not None]


def read_predictions(folder: Path) -> Distributions:
    """Read the predictions of a cell for its test items.

    Parameters
    ----------
    folder : of the cell

    Returns
    -------
    Distributions

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> from pathlib import Path
    >>> cell = next(Path("runs/cells").iterdir())
    >>> read_predictions(cell).n_classes
    2
    """
    try:
        labels = read(folder / PREDICTIONS, say=lambda notice: None)
    except (OSError, ValueError) as problem:
        raise ValueError(f"{problem}; remove the folder {folder} to run its cell again") from None
    assert isinstance(labels, Distributions)
    return labels


def write_cells(
    cells: Path, made: Sequence[tuple[Mapping[str, Any], Distributions | None, Mapping[str, bytes]]]
) -> None:
    """Folders of cells, each from its record, its predictions and its further files, several written at once.

    All texts come first, then all tables: the same work many times in a row takes two thirds of the time of taking
    turns with threads that train.
    """
    texts = [record_text(record).encode() for record, _, _ in made]
    tables = [None if predictions is None else as_table(predictions) for _, predictions, _ in made]
    stored = [{} if table is None else {PREDICTIONS: _parquet(table)} for table in tables]
    with ThreadPoolExecutor(WRITERS) as pool:
        for written in [
            pool.submit(_write_cell, cells, str(record["cell"]), {**files, RECORD: text, **predictions})
            for (record, _, files), text, predictions in zip(made, texts, stored, strict=True)
        ]:
            written.result()


def _parquet(table: pa.Table) -> pa.Buffer:
    stream = pa.BufferOutputStream()
    parquet.write_table(table, stream, use_dictionary=False, write_statistics=False)
    return stream.getvalue()


def _write_cell(cells: Path, name: str, contents: Mapping[str, Any]) -> None:
    """A folder made aside and renamed into place; what was there before, a failure, makes way for it."""
    aside = cells / f".{name}-{os.urandom(4).hex()}"
    aside.mkdir()
    for file, content in contents.items():
        with (aside / file).open("wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
    place = cells / name
    try:
        aside.rename(place)
    except OSError:
        if not place.exists():
            raise
        old = cells / f".old-{name}-{os.urandom(4).hex()}"
        place.rename(old)
        aside.rename(place)
        shutil.rmtree(old)


def record_text(record: Mapping[str, Any]) -> str:
    """A record as JSON with a line for each of its keys: quickly written, and quickly looked through."""
    lines = (f"{json.dumps(key)}: {_encode(value)}" for key, value in record.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def sweep(cells: Path) -> None:
    """Remove what a killed run left half-written; only for who holds the study."""
    for place in cells.glob(".*"):
        if _ASIDE.fullmatch(place.name):  # and nothing that somebody else keeps here
            shutil.rmtree(place, ignore_errors=True)


def check_same(record: Mapping[str, Any], settings: Mapping[str, Any], folder: Path) -> None:
    """Refuse a folder whose record is of other settings: two settings with one name."""
    other = record["settings"]
    if canonical(other) != canonical(settings):
        key = next(key for key in (*settings, *other) if other.get(key) != settings.get(key))
        raise ValueError(
            f"{folder}: its name is that of another cell: its record has {key} {other.get(key)}, and the study "
            f"{settings.get(key)}; was it edited by hand? Remove the folder to run the cell again"
        )
