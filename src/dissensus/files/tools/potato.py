"""Potato annotation outputs, lines and tables, <-> the long table of answers."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_name,
    as_object,
    cell,
    choose_classes,
    each_record,
    first_of,
    further,
    keep_fields,
    make_parsed,
    pick_question,
    rows_of,
)

_FIELDS = ("id", "instance_id", "user", "user_id", "label_annotations", "labels", "behavioral_data")
_TIME = re.compile(r"\s*Time spent: (\d{1,9})d (\d{1,9})h (\d{1,9})m (\d{1,20}(?:\.\d+)?(?:e-\d+)?)s\s*", re.ASCII)
_BEHAVIOR = "behavioral_data."


def recognises(record: dict[str, Any]) -> bool:
    nested = "id" in record and isinstance(record.get("label_annotations"), dict)
    exported = {"instance_id", "user_id"} <= record.keys() and isinstance(record.get("labels"), dict)
    return nested or exported or ("instance_id" in record and any(":::" in key for key in record))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of a Potato project; `question` is the name of an annotation scheme.

    annotated_instances.jsonl (one file per annotator's folder, the name is not in it): {id, displayed_text,
    label_annotations: {scheme: {label: "true"}}, span_annotations, behavioral_data: {time_string: "Time spent: 0d 0h
    0m 3s "}}; annotations.jsonl (version 2): {instance_id, user_id, labels: {scheme: {label: value}}, spans, links}.
    The rows of annotated_instances.csv (user, instance_id, displayed_text, scheme:::label) and annotations.csv
    (instance_id, user_id, scheme.label) are read the same way, each as a record.
    A label is the name that was ticked, or the value if it is one of its own (slider, likert, select); several
    names ticked at once (multiselect) are one answer.
    Potato repository: example projects, user state manager, tabular_exporter.py; documentation, Export Formats.
    """
    left_out: Counter[str] = Counter()
    answers = [(place, record, *_schemes(record, place)) for place, record in each_record(records, source, "Potato")]
    asked = pick_question((name for _, _, schemes, _ in answers for name in schemes), question, source, left_out)
    rows = []
    for place, record, schemes, used in answers:
        ticked = _find_ticked(schemes.get(asked), place)
        if not ticked:
            left_out[f"record{{s}} without an answer to {asked!r}"] += 1
            continue
        item = as_name(first_of(record, "id", "instance_id"), "id", place)
        who = first_of(record, "user_id", "user")
        annotator = None if who is None else as_name(who, "the user", place)
        behavior = as_object(record.get("behavioral_data") or {}, "behavioral_data", place)
        rows.append(
            keep_fields(record, (*_FIELDS, *used))
            | {
                "item": item,
                "annotator": annotator,
                "label": choose_classes(ticked, place),
                "seconds": _read_seconds(behavior.get("time_string"), place),
            }
            | {_BEHAVIOR + key: cell(value) for key, value in behavior.items() if key != "time_string"}
        )
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> list[dict[str, Any]]:
    """Lines of annotated_instances.jsonl with the annotator as `user_id`; the scheme is named "label"."""
    records = []
    for row in rows_of(table):
        label, seconds = row["label"], row.get("seconds")
        behavior: dict[str, Any] = {k.removeprefix(_BEHAVIOR): v for k, v in row.items() if k.startswith(_BEHAVIOR)}
        if seconds is not None:
            minutes, rest = divmod(seconds, 60)
            behavior["time_string"] = f"Time spent: 0d {int(minutes) // 60}h {int(minutes) % 60}m {rest!r}s "
        records.append(
            {
                "id": row["item"],
                **({} if row.get("annotator") is None else {"user_id": row["annotator"]}),
                "label_annotations": {
                    "label": {label: "true"} if isinstance(label, str) else {f"scale_{label}": label}
                },
                "span_annotations": {},
                "behavioral_data": behavior,
            }
            | further({k: v for k, v in row.items() if not k.startswith(_BEHAVIOR)}, _FIELDS)
        )
    return records


def _schemes(record: dict[str, Any], place: Place) -> tuple[dict[str, Any], list[str]]:
    """The answer to each scheme, {scheme: {label: value}}, and the fields this was spread over in a flat record."""
    nested = first_of(record, "label_annotations", "labels")
    if nested is not None:
        return as_object(nested, "the labels", place), []
    mark = ":::" if any(":::" in key for key in record) else "."
    spread = [key for key in record if mark in key and not key.startswith("span_annotation:::") and "._" not in key]
    schemes: dict[str, dict[str, Any]] = {}
    for key in spread:
        scheme, _, label = key.partition(mark)
        schemes.setdefault(scheme, {})[label] = record[key]
    return schemes, spread


def _find_ticked(labels: Any, place: Place) -> list[Any]:
    if not isinstance(labels, dict):
        return [] if labels is None else [labels]
    said = {name: v for name, v in labels.items() if v is not False and v not in (None, "", "false", "False")}
    if len(said) > 1:
        said.pop("free_response", None)  # a remark beside the choice, not a second choice
    own = {name: value for name, value in said.items() if value is not True and value not in ("true", "True", name)}
    if own and len(said) > 1:  # ratings of several rows, or the keys of buttons: not classes that were ticked
        raise place.error("the labels of a scheme", labels, "one value, or labels that are each 'true' or absent")
    return list(own.values()) or list(said)


def _read_seconds(time: Any, place: Place) -> float | None:
    if time is None:
        return None
    spent = _TIME.fullmatch(time) if isinstance(time, str) else None
    if spent is None:
        raise place.error("time_string", time, "text like 'Time spent: 0d 0h 0m 3s'")
    days, hours, minutes = (int(part) for part in spent.groups()[:3])
    return ((days * 24 + hours) * 60 + minutes) * 60 + float(spent[4])


EXPORT = Export("potato", "jsonl", recognises, parse, render, in_tables=True)
