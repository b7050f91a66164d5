"""Label Studio exports, JSON and JSON-MIN, <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    ASIDE,
    Place,
    as_list,
    as_name,
    as_object,
    as_seconds,
    by_item,
    cell,
    choose_classes,
    each_record,
    keep_fields,
    make_parsed,
    pick_question,
    rows_of,
    shared_columns,
    uncell,
)
from dissensus.labels.frames import ROLES

TOOL = "Label Studio"
_ANSWERS = ("choices", "rating", "number")  # types of results, and the field of `value` that has the answer
_OF_TASK = ("id", "data", "annotations", "completions")
_OF_ANNOTATION = ("result", "completed_by", "lead_time", "was_cancelled", "skipped", "task", "data")


def recognises(record: dict[str, Any]) -> bool:
    annotations = record.get("annotations", record.get("completions"))
    flat = {"id", "annotator", "annotation_id", "lead_time"} <= record.keys()
    return flat or (isinstance(record.get("data"), dict) and isinstance(annotations, list))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of a Label Studio export, either the full JSON or JSON-MIN.

    JSON: a list of tasks {id, data, annotations: [{completed_by, lead_time, was_cancelled, result: [{from_name,
    type: "choices", value: {choices: [...]}}]}]}; `completed_by` is a number or {id, email}, `lead_time` seconds.
    Results of the types rating and number, {value: {rating: 4}}, hold a number; choices may be several.
    Fields of `data` keep their names, those of the task and the annotation become task.* and annotation.*.
    JSON-MIN: a list of annotations, {fields of data, id, one field per question, annotator, annotation_id,
    created_at, updated_at, lead_time}, in this order, which tells questions from data; an answer is "sad",
    {"choices": ["sad", "wry"]}, [{"rating": 4}] or [{"number": 63}].
    Label Studio documentation, Label Studio Task Format and the tags Rating and Number; label-studio-sdk, converter.py
    (both layouts, and that annotations with `was_cancelled` or `skipped` are not answers) and prettify_result.
    """
    if isinstance(records, list) and records and isinstance(records[0], dict) and "annotation_id" in records[0]:
        return _parse_flat(records, source, question)
    left_out: Counter[str] = Counter()
    answers = list(_annotations(records, source, left_out))
    asked = pick_question((name for *_, given in answers for name in given), question, source, left_out)
    rows = []
    for place, task, annotation, given in answers:
        if not given.get(asked):
            left_out[f"annotation{{s}} without an answer to {asked!r}"] += 1
            continue
        item = as_name(task.get("id"), "the task's id", place)
        annotator, columns = _annotator(annotation.get("completed_by"), place)
        for data in (task.get("data"), annotation.get("data", {})):
            columns |= {_column_of(key): cell(v) for key, v in as_object(data, "data", place).items()}
        columns |= {f"annotation.{key}": cell(v) for key, v in annotation.items() if key not in _OF_ANNOTATION}
        columns |= {f"task.{key}": cell(value) for key, value in task.items() if key not in _OF_TASK}
        rows.append(
            columns
            | {
                "item": item,
                "annotator": annotator,
                "label": choose_classes(given[asked], place),
                "seconds": as_seconds(annotation.get("lead_time"), "lead_time", place),
            }
        )
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> list[dict[str, Any]]:
    """Tasks as the full JSON export has them, one per item; the question is named "label".

    A column that differs between the answers to one item goes into the field `data` of the annotation.
    """
    groups = by_item(rows_of(table))
    shared = shared_columns(groups)
    tasks = []
    for item, rows in groups.items():
        task: dict[str, Any] = {"id": item, "data": {}, "annotations": []}
        for row in rows:
            who = row.get("annotator")
            annotation: dict[str, Any] = {
                "completed_by": {"email": who} if isinstance(who, str) else who,
                "result": [
                    {"from_name": "label", "to_name": "item", "type": "choices", "value": {"choices": [row["label"]]}}
                ],
                "was_cancelled": False,
                "lead_time": row.get("seconds"),
            }
            for name in (name for name in row if name not in ROLES):
                level, _, key = name.partition(".")
                if level == "task" and key not in _OF_TASK and name in shared:
                    task[key] = uncell(row[name])
                elif level == "annotation" and key not in _OF_ANNOTATION:
                    annotation[key] = uncell(row[name])
                else:
                    holder = task if name in shared else annotation
                    holder.setdefault("data", {})[_key_of(name)] = uncell(row[name])
            task["annotations"].append(annotation)
        tasks.append(task)
    return tasks


def _annotations(
    records: Any, source: str, left_out: Counter[str]
) -> Iterator[tuple[Place, dict[str, Any], dict[str, Any], dict[str, list[Any]]]]:
    """Every annotation that was not skipped: its place, task, itself, and what it chose for each question."""
    for place, task in each_record(records, source, TOOL):
        annotations = as_list(task.get("annotations", task.get("completions")), "annotations", place)
        left_out["task{s} without annotations"] += not annotations
        for value in annotations:
            annotation = as_object(value, "an annotation", place)
            if annotation.get("was_cancelled") or annotation.get("skipped"):
                left_out["skipped annotation{s}"] += 1
                continue
            given: dict[str, list[Any]] = {}
            for entry in as_list(annotation.get("result"), "result", place):
                result = as_object(entry, "an entry of result", place)
                kind = result.get("type")
                if kind not in _ANSWERS:
                    left_out[f"result{{s}} of a type other than {', '.join(_ANSWERS)}"] += 1
                    continue
                name = str(as_name(result.get("from_name"), "from_name", place))
                value = as_object(result.get("value"), f"the value of a {kind} result", place).get(kind)
                given.setdefault(name, []).extend(as_list(value, kind, place) if kind == "choices" else [value])
            yield place, task, annotation, given


def _annotator(completed_by: Any, place: Place) -> tuple[str | int | None, dict[str, Any]]:
    """The annotator: the email if there is one, as in the converter of Label Studio, else the number."""
    if completed_by is None or (isinstance(completed_by, dict) and not completed_by):
        return None, {}
    if not isinstance(completed_by, dict):
        return as_name(completed_by, "completed_by", place), {}
    email = completed_by.get("email")
    name = completed_by.get("id") if email is None else email
    rest = {f"annotation.completed_by.{key}": cell(v) for key, v in completed_by.items() if key != "email"}
    return as_name(name, "the email or id in completed_by", place), rest


def _parse_flat(records: Any, source: str, question: str | None) -> Parsed:
    left_out: Counter[str] = Counter()
    entries = list(each_record(records, source, TOOL))
    fields = [name for _, record in entries for name in (_questions_in(record) if question is None else record)]
    asked = pick_question(fields, question, source, Counter())  # the other questions stay as columns
    rows = []
    for place, record in entries:
        answer = _flat_answer(record.get(asked))
        if not answer or record.get("annotation_id") is None:
            left_out[f"record{{s}} without an answer to {asked!r}"] += 1
            continue
        item = as_name(record.get("id"), "id", place)
        who = record.get("annotator")
        annotator = None if who is None else as_name(who, "annotator", place)
        rows.append(
            keep_fields(record, ("id", "annotator", "lead_time", asked))
            | {
                "item": item,
                "annotator": annotator,
                "label": choose_classes(answer, place),
                "seconds": as_seconds(record.get("lead_time"), "lead_time", place),
            }
        )
    return make_parsed(rows, left_out, source)


def _flat_answer(answer: Any) -> list[Any]:
    """The choice of an answer in JSON-MIN: one class, {"choices": [...]}, or a list of {"rating": 4} and the like."""
    chosen = []
    for part in answer if isinstance(answer, list) else [] if answer is None else [answer]:
        kind = next((kind for kind in _ANSWERS if isinstance(part, dict) and kind in part), None)
        value = part if kind is None else part[kind]
        chosen.extend(value if isinstance(value, list) else [value])
    return chosen


def _questions_in(record: dict[str, Any]) -> list[str]:
    keys = list(record)
    if "id" not in keys or "annotator" not in keys:
        return []
    return keys[keys.index("id") + 1 : keys.index("annotator")]


def _is_claimed(name: str) -> bool:
    while name.startswith(ASIDE):
        name = name.removeprefix(ASIDE)
    return name in ROLES or name.startswith(("task.", "annotation."))


def _column_of(key: str) -> str:
    return ASIDE + key if _is_claimed(key) else key


def _key_of(column: str) -> str:
    return column.removeprefix(ASIDE) if _is_claimed(column) else column


EXPORT = Export("label-studio", "json", recognises, parse, render)
