"""A study made in Python as the text of a TOML file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dissensus.datasets.dataset import LabelledItems
from dissensus.files.whole_files import write_text
from dissensus.files.write_labels import write
from dissensus.study.read_data import load_data
from dissensus.study.read_spec import study_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def study_toml(values: Mapping[str, Any], remark: str = "") -> str:
    """Write a study as the text of a TOML file.

    Parameters
    ----------
    values : keys and tables as `study_of` takes them; every value must exist in TOML
    remark : comment at the top

    Returns
    -------
    str

    Examples
    --------
    >>> print(study_toml({"seeds": 2, "model": {"head": "linear"}}))
    seeds = 2
    <BLANKLINE>
    [model]
    head = "linear"
    <BLANKLINE>
    """
    lines = [f"# {line}" for line in remark.splitlines()]
    tables = {key: value for key, value in values.items() if _is_table(value)}
    lines += [f"{_key(key)} = {_value(key, value)}" for key, value in values.items() if key not in tables]
    for key, value in tables.items():
        if isinstance(value, Mapping):
            lines += _table(key, value)
            continue
        for entry in value:
            lines += ["", f"[[{_key(key)}]]", *_pairs(key, entry)]
    return "\n".join(lines) + "\n"


def write_study(values: Mapping[str, Any], path: Path, *, labels: str, features: str, by_position: bool) -> list[Path]:
    """A study's file that names the files of its data, and copies of those that cannot be read so.  -> copies

    Labels are copied beside it where reading `labels` as a study does gives others: some of the items, or a column that
    was named. `people` of a study of values are always copied. Cells of the study are known again either way,
    since they go by the content of data.
    """
    ((name, data),) = values["data"].items()
    own = _checksums(values)
    sources: dict[str, Any] = {"labels": labels, "features": features}
    sources |= {"by_position": True} if by_position else {}
    copies = []
    if "people" in data:
        copies.append(path.with_suffix(".people.parquet"))
        write(data["people"], copies[-1], say=_quiet)
        sources["people"] = str(copies[-1])
    if _checksums({**values, "data": {name: sources}}) != own:
        copies.append(path.with_suffix(".labels.parquet"))
        given = data["labels"]
        write(given.labels if isinstance(given, LabelledItems) else given, copies[-1], say=_quiet)
        sources = {**sources, "labels": str(copies[-1])}
        sources.pop("by_position", None)  # the copy has the names of the features
    write_text(study_toml({**values, "data": {name: sources}}, _REMARK), path)
    return copies


_REMARK = """The quick study behind an advice, as a start for more seeds, other heads or other labels.
`dissensus study check` says what is in it, `dissensus study run` runs it."""


def _quiet(notice: str) -> None:
    """Omissions were reported when the labels were read."""


def _checksums(values: Mapping[str, Any]) -> dict[str, str] | None:
    try:
        (data,) = load_data(study_of(values), _quiet).values()
    except ValueError:
        return None
    return data.checksums


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(entry, Mapping) for entry in value)
    )


def _table(path: str, table: Mapping[str, Any]) -> list[str]:
    if table and all(isinstance(value, Mapping) for value in table.values()):
        return [line for key, value in table.items() for line in ("", f"[{path}.{_key(key)}]", *_pairs(path, value))]
    return ["", f"[{path}]", *_pairs(path, table)]


def _pairs(path: str, table: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(f'{path}.{key}', value)}" for key, value in table.items()]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key)


def _value(path: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return '"none"'
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(path, entry) for entry in value)}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(path, entry)}" for key, entry in value.items()) + "}"
    raise ValueError(f"{path} is a {type(value).__name__}, which a file cannot hold; write it to a file and name that")
