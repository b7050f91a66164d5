"""CIFAR-10H as TensorFlow Datasets has it <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    as_label,
    as_list,
    as_name,
    as_seconds,
    by_item,
    cell,
    column_of,
    each_record,
    field_of,
    make_parsed,
    no_questions,
    parallel_list,
    rows_of,
)

_LISTS = {
    "human_labels": "label",
    "annotator_ids": "annotator",
    "reaction_times": "seconds",
    "trial_indices": "trial_index",
}
_FIELDS = ("id", "label", "image", "soft_label", *_LISTS)


def recognises(record: dict[str, Any]) -> bool:
    return {"id", "human_labels", "annotator_ids"} <= record.keys()


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of CIFAR-10H as examples of the TensorFlow data set cifar10_h, lists as JSON lists.

    {id: "test_00000", image, label, soft_label (10), human_labels, annotator_ids, reaction_times, trial_indices}; the
    last four are parallel, one entry per answer, empty in the train split. Reaction times are milliseconds, as in
    cifar10h-raw.csv. `label`, the class in CIFAR-10, becomes column true_label; images and soft_label, the mean of
    human_labels, are not kept.
    TensorFlow Datasets catalogue, cifar10_h; cifar10_h.py and its dummy data.
    """
    no_questions(question, source, "cifar10_h")
    left_out: Counter[str] = Counter()
    rows = []
    for place, record in each_record(records, source, "TensorFlow Datasets"):
        left_out["image{s}"] += record.get("image") is not None
        item = as_name(record.get("id"), "id", place)
        count = len(as_list(record.get("human_labels"), "human_labels", place))
        left_out["example{s} without human labels"] += not count
        lists = {
            role: parallel_list(record[name], count, name, place) for name, role in _LISTS.items() if name in record
        }
        every = {} if record.get("label") is None else {"true_label": as_label(record["label"], "label", place)}
        for field, value in record.items():
            if field not in _FIELDS and isinstance(value, list):
                lists[column_of(field, _FIELDS)] = parallel_list(value, count, field, place)
            elif field not in _FIELDS:
                every[column_of(field, _FIELDS)] = cell(value)
        for number in range(count):
            row = every | {name: cell(values[number]) for name, values in lists.items()}
            time = as_seconds(row.get("seconds"), "a reaction time", place)
            annotator = row.get("annotator")
            rows.append(
                row
                | {
                    "item": item,
                    "annotator": None if annotator is None else as_name(annotator, "annotator_ids", place),
                    "label": as_label(row["label"], "a human label", place),
                    "seconds": None if time is None else time / 1000,
                }
            )
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> list[dict[str, Any]]:
    """Examples without image and soft_label; times to the nanosecond, further columns as parallel lists."""
    examples = []
    for item, rows in by_item(rows_of(table)).items():
        example: dict[str, Any] = {"id": item}
        truths = [row.get("true_label") for row in rows]
        once = truths[0] is not None and all(truth == truths[0] for truth in truths)
        if once:
            example["label"] = truths[0]
        for name, role in _LISTS.items():
            values = [row.get(role) for row in rows]
            if any(value is not None for value in values):
                example[name] = [_milliseconds(value) for value in values] if role == "seconds" else values
        taken = {"item", *_LISTS.values(), *(("true_label",) if once else ())}
        beside = [name for name in table.column_names if name not in taken]
        example |= {field_of(name, _FIELDS): [row[name] for row in rows] for name in beside}
        examples.append(example)
    return examples


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 6)


EXPORT = Export("tfds-cifar10h", "jsonl", recognises, parse, render)
