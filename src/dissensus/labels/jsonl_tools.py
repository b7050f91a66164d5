"""Potato, Prodigy and doccano exports, one JSON line per answer, <-> the long table of answers."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.labels.export_records import (
    Parsed,
    Place,
    as_label,
    as_list,
    as_name,
    as_object,
    as_seconds,
    cell,
    each_record,
    further,
    kept,
    no_questions,
    only_choice,
    parsed,
    pick_question,
    rows_of,
)

_POTATO_FIELDS = ("id", "instance_id", "user", "user_id", "label_annotations", "labels", "behavioral_data")
_POTATO_TIME = re.compile(
    r"\s*Time spent: (\d{1,9})d (\d{1,9})h (\d{1,9})m (\d{1,20}(?:\.\d+)?(?:e-\d+)?)s\s*", re.ASCII
)
_BEHAVIOR = "behavioral_data."
_PRODIGY_FIELDS = ("item", "label", "accept", "answer", "options", "_annotator_id", "seconds")
_DOCCANO_FIELDS = ("id", "doc_id", "label", "labels", "annotations", "username", "user", "annotator", "seconds")


def is_potato(record: dict[str, Any]) -> bool:
    nested = "id" in record and isinstance(record.get("label_annotations"), dict)
    exported = {"instance_id", "user_id"} <= record.keys() and isinstance(record.get("labels"), dict)
    return nested or exported or ("instance_id" in record and any(":::" in key for key in record))


def parse_potato(records: Any, source: str, question: str | None = None) -> Parsed:
    """Answers of a Potato project; `question` is the name of an annotation scheme.

    annotated_instances.jsonl (one file per annotator's folder, the name is not in it): {id, displayed_text,
    label_annotations: {scheme: {label: "true"}}, span_annotations, behavioral_data: {time_string: "Time spent: 0d 0h
    0m 3s "}}; annotations.jsonl (version 2): {instance_id, user_id, labels: {scheme: {label: value}}, spans, links}.
    The rows of annotated_instances.csv (user, instance_id, displayed_text, scheme:::label) and annotations.csv
    (instance_id, user_id, scheme.label) are read the same way, each as a record.
    A label is the name that was ticked, or the value where it is one of its own (slider, select).
    Potato repository: example projects, user state manager, tabular_exporter.py; documentation, Export Formats.
    """
    left_out: Counter[str] = Counter()
    answers = [(place, record, *_schemes(record, place)) for place, record in each_record(records, source, "Potato")]
    asked = pick_question((name for _, _, schemes, _ in answers for name in schemes), question, source, left_out)
    rows = []
    for place, record, schemes, used in answers:
        chosen = _ticked(schemes.get(asked))
        if not chosen:
            left_out[f"record{{s}} without an answer to {asked!r}"] += 1
            continue
        item = as_name(_first(record, "id", "instance_id"), "id", place)
        who = _first(record, "user_id", "user")
        annotator = None if who is None else as_name(who, "the user", place)
        behavior = as_object(record.get("behavioral_data") or {}, "behavioral_data", place)
        rows.append(kept(record, (*_POTATO_FIELDS, *used)) | {
            "item": item, "annotator": annotator, "label": only_choice(chosen, item, annotator, place),
            "seconds": _spent(behavior.get("time_string"), place),
        } | {_BEHAVIOR + key: cell(value) for key, value in behavior.items() if key != "time_string"})  # fmt: skip
    return parsed(rows, left_out, source)


def render_potato(table: pa.Table) -> list[dict[str, Any]]:
    """Lines of annotated_instances.jsonl with the annotator as `user_id`; the scheme is named "label"."""
    records = []
    for row in rows_of(table):
        label, seconds = row["label"], row.get("seconds")
        behavior: dict[str, Any] = {k.removeprefix(_BEHAVIOR): v for k, v in row.items() if k.startswith(_BEHAVIOR)}
        if seconds is not None:
            minutes, rest = divmod(seconds, 60)
            behavior["time_string"] = f"Time spent: 0d {int(minutes) // 60}h {int(minutes) % 60}m {rest!r}s "
        records.append({
            "id": row["item"],
            **({} if row.get("annotator") is None else {"user_id": row["annotator"]}),
            "label_annotations": {"label": {label: "true"} if isinstance(label, str) else {f"scale_{label}": label}},
            "span_annotations": {},
            "behavioral_data": behavior,
        } | further({k: v for k, v in row.items() if not k.startswith(_BEHAVIOR)}, _POTATO_FIELDS))  # fmt: skip
    return records


def is_prodigy(record: dict[str, Any]) -> bool:
    judged = record.get("answer") in ("accept", "reject", "ignore")
    return judged and not record.keys().isdisjoint(("accept", "options", "label", "_input_hash", "_task_hash"))


def parse_prodigy(records: Any, source: str, question: str | None = None) -> Parsed:
    """Answers of a Prodigy data set (db-out).

    Choice tasks, {options: [{id, text}], accept: [id], answer, _input_hash, _annotator_id, _session_id, ...}, vote for
    the accepted option's id; binary tasks, {label, answer, ...}, vote accept or reject, and `question` is the label
    that was shown. The item is the `_input_hash`, the annotator `_annotator_id`, else `_session_id`.
    Prodigy documentation, Annotation interfaces (task format, `answer`).
    """
    left_out: Counter[str] = Counter()
    entries = list(each_record(records, source, "Prodigy"))
    shown = [str(as_name(r["label"], "label", p)) for p, r in entries if "label" in r and not _offers(r)]
    wordings = {repr(option) for _, record in entries for option in _offers(record) if _worded(option)}
    left_out["option wording{s} (the labels are the option ids)"] += len(wordings)
    if shown:
        question = pick_question(shown, question, source, left_out)
    else:
        no_questions(question, source, "Prodigy choice")
    rows = []
    for place, record in entries:
        item, used = _prodigy_item(record, place)
        who = _first(record, "_annotator_id", "_session_id")
        annotator = None if who is None else as_name(who, "_annotator_id", place)
        answer, choices = record.get("answer"), record.get("accept", [])
        if answer not in ("accept", "reject", "ignore"):
            raise place.error("answer", answer, "'accept', 'reject' or 'ignore'")
        if question is not None and ("label" not in record or _offers(record)):
            raise place.error(
                "the task", record, f"a label to judge as in {len(shown)} others: read choice tasks apart"
            )
        if answer == "ignore" or (question is None and answer == "reject"):
            left_out[f"{answer.rstrip('e')}ed task{{s}}"] += 1
        elif question is None and not as_list(choices, "accept", place):
            left_out["task{s} without a choice"] += 1
        elif question is None or str(record["label"]) == question:
            columns = kept(record, used) | ({} if question is None else {"question": question})
            label = answer if question is not None else only_choice(choices, item, annotator, place)
            seconds = as_seconds(record.get("seconds"), "seconds", place)
            rows.append(columns | {"item": item, "annotator": annotator, "label": label, "seconds": seconds})
    return parsed(rows, left_out, source)


def render_prodigy(table: pa.Table) -> list[dict[str, Any]]:
    """Answered choice tasks; items that are no numbers, so no hashes, stand in `item`, and Prodigy hashes the task."""
    rows = rows_of(table)
    options = [{"id": label, "text": str(label)} for label in dict.fromkeys(row["label"] for row in rows)]
    hashed = "_input_hash" not in table.column_names and all(isinstance(row["item"], int) for row in rows)
    records = []
    for row in rows:
        record = further(row, (*_PRODIGY_FIELDS, "_input_hash") if hashed else _PRODIGY_FIELDS)
        record |= {"_input_hash" if hashed else "item": row["item"], "options": options}
        record |= {"accept": [row["label"]], "answer": "accept"}
        for name, role in (("_annotator_id", "annotator"), ("seconds", "seconds")):
            record |= {} if row.get(role) is None else {name: row[role]}
        records.append(record)
    return records


def is_doccano(record: dict[str, Any]) -> bool:
    named = "id" in record or "doc_id" in record
    labels = record.get("label", record.get("labels"))
    listed = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    older = record.get("annotations")
    by_user = isinstance(older, list) and bool(older) and all(isinstance(a, dict) and "label" in a for a in older)
    return named and (listed or (by_user and "text" in record))


def parse_doccano(records: Any, source: str, question: str | None = None) -> Parsed:
    """Answers of a doccano classification project.

    {id, text or filename, label: [class], Comments, fields of meta}, one file per member without the name
    (admin.jsonl), or all.jsonl, in which the labels of all members are merged; older: {doc_id, text, labels: [class],
    username} and {id, text, annotations: [{label, user}], meta, annotation_approver}, where `label` is a number.
    doccano repository: backend/data_export, its tests; pull request 46 and issue 113 for the older two.
    """
    no_questions(question, source, "doccano")
    left_out: Counter[str] = Counter()
    rows = []
    for place, record in each_record(records, source, "doccano"):
        item = as_name(_first(record, "id", "doc_id"), "id", place)
        answers = _doccano_answers(record, place)
        left_out["record{s} without a label"] += not answers
        for annotator, labels in answers.items():
            rows.append(kept(record, _DOCCANO_FIELDS) | {
                "item": item, "annotator": annotator, "label": only_choice(labels, item, annotator, place),
                "seconds": as_seconds(record.get("seconds"), "seconds", place),
            })  # fmt: skip
    return parsed(rows, left_out, source)


def render_doccano(table: pa.Table) -> list[dict[str, Any]]:
    """One line per answer with the annotator as `username`, since doccano tells annotators apart only by file."""
    records = []
    for row in rows_of(table):
        record = {"id": row["item"]} | further(row, _DOCCANO_FIELDS) | {"label": [row["label"]]}
        for name, role in (("username", "annotator"), ("seconds", "seconds")):
            record |= {} if row.get(role) is None else {name: row[role]}
        records.append(record)
    return records


def _first(record: dict[str, Any], *names: str) -> Any:
    return next((record[name] for name in names if record.get(name) is not None), None)


def _schemes(record: dict[str, Any], place: Place) -> tuple[dict[str, Any], list[str]]:
    """What was said to each scheme, {scheme: {label: value}}, and the fields this was spread over in a flat record."""
    nested = _first(record, "label_annotations", "labels")
    if nested is not None:
        return as_object(nested, "the labels", place), []
    mark = ":::" if any(":::" in key for key in record) else "."
    spread = [key for key in record if mark in key and not key.startswith("span_annotation:::") and "._" not in key]
    schemes: dict[str, dict[str, Any]] = {}
    for key in spread:
        scheme, _, label = key.partition(mark)
        schemes.setdefault(scheme, {})[label] = record[key]
    return schemes, spread


def _ticked(labels: Any) -> list[Any]:
    if not isinstance(labels, dict):
        return [] if labels is None else [labels]
    said = {name: v for name, v in labels.items() if v is not False and v not in (None, "", "false", "False")}
    if len(said) > 1:
        said.pop("free_response", None)  # a remark beside the choice, not a second choice
    return [name if value is True or value in ("true", "True", name) else value for name, value in said.items()]


def _spent(time: Any, place: Place) -> float | None:
    if time is None:
        return None
    found = _POTATO_TIME.fullmatch(time) if isinstance(time, str) else None
    if found is None:
        raise place.error("time_string", time, "text like 'Time spent: 0d 0h 0m 3s'")
    days, hours, minutes = (int(part) for part in found.groups()[:3])
    return ((days * 24 + hours) * 60 + minutes) * 60 + float(found[4])


def _prodigy_item(record: dict[str, Any], place: Place) -> tuple[str | int, tuple[str, ...]]:
    """The item and the fields that are no further columns; our own `item` goes before the hash."""
    if "item" in record:
        return as_name(record["item"], "item", place), _PRODIGY_FIELDS
    return as_name(record.get("_input_hash"), "_input_hash", place), (*_PRODIGY_FIELDS, "_input_hash")


def _offers(record: dict[str, Any]) -> list[Any]:
    """What a choice task offers, nothing for a binary task."""
    offered = record.get("options") or record.get("accept")
    return offered if isinstance(offered, list) else []


def _worded(option: Any) -> bool:
    return isinstance(option, dict) and str(option.get("id")) != str(option.get("text"))


def _doccano_answers(record: dict[str, Any], place: Place) -> dict[str | int | None, list[Any]]:
    """The labels each annotator gave to a record."""
    answers: dict[str | int | None, list[Any]] = {}
    if record.get("annotations") is not None:
        for entry in as_list(record["annotations"], "annotations", place):
            annotation = as_object(entry, "an annotation", place)
            if "start_offset" in annotation:
                raise place.error("an annotation", annotation, "a class of the whole text, not of a span")
            user = annotation.get("user")
            annotator = None if user is None else as_name(user, "user", place)
            answers.setdefault(annotator, []).append(as_label(annotation.get("label"), "label", place))
        return answers
    labels = _first(record, "label", "labels")
    who = _first(record, "username", "user", "annotator")
    annotator = None if who is None else as_name(who, "username", place)
    given = labels if isinstance(labels, list) else [] if labels is None else [labels]
    return {annotator: given} if given else {}
