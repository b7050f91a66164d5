"""Prodigy data sets (db-out), one JSON line per task, <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_list,
    as_name,
    as_seconds,
    choose_classes,
    each_record,
    first_of,
    further,
    keep_fields,
    make_parsed,
    no_questions,
    pick_question,
    rows_of,
)

_FIELDS = ("item", "label", "accept", "answer", "options", "_annotator_id", "seconds")


def recognises(record: dict[str, Any]) -> bool:
    judged = record.get("answer") in ("accept", "reject", "ignore")
    return judged and not record.keys().isdisjoint(("accept", "options", "label", "_input_hash", "_task_hash"))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of a Prodigy data set (db-out).

    Choice tasks, {options: [{id, text}], accept: [id], answer, _input_hash, _annotator_id, _session_id, ...}, vote for
    the accepted option's id, or tick several; binary tasks, {label, answer, ...}, vote accept or reject, and `question`
    is the label that was shown. The item is the `_input_hash`, the annotator `_annotator_id`, else `_session_id`.
    Prodigy documentation, Annotation interfaces (task format, `answer`).
    """
    left_out: Counter[str] = Counter()
    entries = list(each_record(records, source, "Prodigy"))
    shown = [str(as_name(r["label"], "label", p)) for p, r in entries if "label" in r and not _offers(r)]
    wordings = {repr(option) for _, record in entries for option in _offers(record) if _is_worded(option)}
    left_out["option wording{s} (the labels are the option ids)"] += len(wordings)
    if shown:
        question = pick_question(shown, question, source, left_out)
    else:
        no_questions(question, source, "Prodigy choice")
    rows = []
    for place, record in entries:
        item, used = _item(record, place)
        who = first_of(record, "_annotator_id", "_session_id")
        annotator = None if who is None else as_name(who, "_annotator_id", place)
        answer, choices = record.get("answer"), record.get("accept", [])
        if answer not in ("accept", "reject", "ignore"):
            raise place.error("answer", answer, "'accept', 'reject' or 'ignore'")
        if question is not None and ("label" not in record or _offers(record)):
            raise place.error(
                "the task", record, f"a label to judge as in {len(shown)} others: read choice tasks separately"
            )
        if answer == "ignore" or (question is None and answer == "reject"):
            left_out[f"{answer.rstrip('e')}ed task{{s}}"] += 1
        elif question is None and not as_list(choices, "accept", place):
            left_out["task{s} without a choice"] += 1
        elif question is None or str(record["label"]) == question:
            columns = keep_fields(record, used) | ({} if question is None else {"question": question})
            label = answer if question is not None else choose_classes(choices, place)
            seconds = as_seconds(record.get("seconds"), "seconds", place)
            rows.append(columns | {"item": item, "annotator": annotator, "label": label, "seconds": seconds})
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> list[dict[str, Any]]:
    """Answered choice tasks; items that are not numbers (hashes) stand in `item`, and Prodigy hashes the task."""
    rows = rows_of(table)
    options = [{"id": label, "text": str(label)} for label in dict.fromkeys(row["label"] for row in rows)]
    hashed = "_input_hash" not in table.column_names and all(isinstance(row["item"], int) for row in rows)
    records = []
    for row in rows:
        record = further(row, (*_FIELDS, "_input_hash") if hashed else _FIELDS)
        record |= {"_input_hash" if hashed else "item": row["item"], "options": options}
        record |= {"accept": [row["label"]], "answer": "accept"}
        for name, role in (("_annotator_id", "annotator"), ("seconds", "seconds")):
            record |= {} if row.get(role) is None else {name: row[role]}
        records.append(record)
    return records


def _item(record: dict[str, Any], place: Place) -> tuple[str | int, tuple[str, ...]]:
    """The item and the fields that do not become further columns; our own `item` goes before the hash."""
    if "item" in record:
        return as_name(record["item"], "item", place), _FIELDS
    return as_name(record.get("_input_hash"), "_input_hash", place), (*_FIELDS, "_input_hash")


def _offers(record: dict[str, Any]) -> list[Any]:
    """The options of a choice task; empty for a binary task."""
    offered = record.get("options") or record.get("accept")
    return offered if isinstance(offered, list) else []


def _is_worded(option: Any) -> bool:
    return isinstance(option, dict) and str(option.get("id")) != str(option.get("text"))


EXPORT = Export("prodigy", "jsonl", recognises, parse, render)
