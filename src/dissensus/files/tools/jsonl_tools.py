"""Prodigy and doccano exports, one JSON line per answer, <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.records import (
    Parsed,
    Place,
    as_label,
    as_list,
    as_name,
    as_object,
    as_seconds,
    each_record,
    first_of,
    further,
    kept,
    no_questions,
    only_choice,
    parsed,
    pick_question,
    rows_of,
)

_PRODIGY_FIELDS = ("item", "label", "accept", "answer", "options", "_annotator_id", "seconds")
_DOCCANO_FIELDS = ("id", "doc_id", "label", "labels", "annotations", "username", "user", "annotator", "seconds")


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
        who = first_of(record, "_annotator_id", "_session_id")
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
        item = as_name(first_of(record, "id", "doc_id"), "id", place)
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
    labels = first_of(record, "label", "labels")
    who = first_of(record, "username", "user", "annotator")
    annotator = None if who is None else as_name(who, "username", place)
    given = labels if isinstance(labels, list) else [] if labels is None else [labels]
    return {annotator: given} if given else {}
