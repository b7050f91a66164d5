"""doccano exports, one JSON line per text, <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_label,
    as_list,
    as_name,
    as_object,
    as_seconds,
    choose_classes,
    each_record,
    first_of,
    further,
    keep_fields,
    make_parsed,
    no_questions,
    rows_of,
)

_FIELDS = ("id", "doc_id", "label", "labels", "annotations", "username", "user", "annotator", "seconds")


def recognises(record: dict[str, Any]) -> bool:
    named = "id" in record or "doc_id" in record
    labels = record.get("label", record.get("labels"))
    listed = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    older = record.get("annotations")
    by_user = isinstance(older, list) and bool(older) and all(isinstance(a, dict) and "label" in a for a in older)
    return named and (listed or (by_user and "text" in record))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of a doccano classification project.

    {id, text or filename, label: [class], Comments, fields of meta}, one file per member without the name
    (admin.jsonl), or all.jsonl, in which the labels of all members are merged; older: {doc_id, text, labels: [class],
    username} and {id, text, annotations: [{label, user}], meta, annotation_approver}, where `label` is a number.
    A list with several classes is one answer that ticks them all; in all.jsonl they may be those of several members.
    doccano repository: backend/data_export, its tests; pull request 46 and issue 113 for the older two.
    """
    no_questions(question, source, "doccano")
    left_out: Counter[str] = Counter()
    rows = []
    for place, record in each_record(records, source, "doccano"):
        item = as_name(first_of(record, "id", "doc_id"), "id", place)
        answers = _answers(record, place)
        left_out["record{s} without a label"] += not answers
        for annotator, labels in answers.items():
            rows.append(
                keep_fields(record, _FIELDS)
                | {
                    "item": item,
                    "annotator": annotator,
                    "label": choose_classes(labels, place),
                    "seconds": as_seconds(record.get("seconds"), "seconds", place),
                }
            )
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> list[dict[str, Any]]:
    """One line per answer with the annotator as `username`, since doccano tells annotators apart only by file."""
    records = []
    for row in rows_of(table):
        record = {"id": row["item"]} | further(row, _FIELDS) | {"label": [row["label"]]}
        for name, role in (("username", "annotator"), ("seconds", "seconds")):
            record |= {} if row.get(role) is None else {name: row[role]}
        records.append(record)
    return records


def _answers(record: dict[str, Any], place: Place) -> dict[str | int | None, list[Any]]:
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


EXPORT = Export("doccano", "jsonl", recognises, parse, render)
