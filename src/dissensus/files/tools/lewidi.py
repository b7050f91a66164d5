"""Data of the shared tasks Learning With Disagreements (LeWiDi) <-> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pyarrow as pa

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_label,
    as_object,
    as_seconds,
    by_item,
    cell,
    choose_classes,
    further,
    keep_fields,
    make_parsed,
    no_questions,
    parallel_list,
    rows_of,
    shared_columns,
    show_value,
    whole_numbers,
)

_FIELDS = ("annotations", "annotators", "number of annotations", "number of annotators", "per_annotation")


def recognises(record: dict[str, Any]) -> bool:
    return "annotations" in record and not record.keys().isdisjoint(("annotators", "soft_label"))


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of a data set of the shared tasks Learning With Disagreements, {item: record}.

    2023: {text, "annotation task", "number of annotations", annotations: "1,0", annotators: "Ann1,Ann2", lang,
    hard_label, soft_label, split, other_info}; 2025: annotations: {"Ann1": "3", "Ann2": "5"}, text an object.
    Items without annotations (test splits) are left out. Item and annotator names that all are whole numbers
    are read as numbers. Classes of the 2023 edition are text, since they stand in one text.
    LeWiDi website repository, readme of the third edition and its data; the files of the second edition.
    """
    no_questions(question, source, "LeWiDi")
    if not isinstance(records, dict) or not records:
        raise ValueError(
            f"{source}: has {show_value(records)}, expected an object {{item: record}} with at least one item"
        )
    left_out: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for item, value in records.items():
        place = Place(source, f"item {item!r}", "the LeWiDi website")
        record = as_object(value, "the record", place)
        answers = _answers(record, place)
        left_out["item{s} without annotations"] += not answers
        beside = as_object(record.get("per_annotation", {}), "per_annotation", place)
        lists = (
            {name: parallel_list(values, len(answers), name, place) for name, values in beside.items()}
            if answers
            else {}
        )
        for number, (annotator, label) in enumerate(answers):
            if label == "" and isinstance(record.get("soft_label"), dict) and "" in record["soft_label"]:
                raise place.error(f"the annotation by {annotator!r}", label, "a class with a name, or null for none")
            if label is None or label == "":
                left_out["annotation{s} without a label"] += 1
                continue
            row = keep_fields(record, _FIELDS) | {
                "item": item,
                "annotator": annotator,
                "label": _classes_in(label, record, annotator, place),
            }
            row |= {name: cell(values[number]) for name, values in lists.items() if name not in row}
            rows.append(row | {"seconds": as_seconds(row.get("seconds"), "seconds", place)})
    for name in ("item", "annotator"):
        texts = [row[name] for row in rows if row[name] is not None]
        if len(texts) == len(rows):
            for row, restored in zip(rows, whole_numbers(texts), strict=True):
                row[name] = restored
    return make_parsed(rows, left_out, source)


def render(table: pa.Table) -> dict[str, Any]:
    """Records of the 2025 edition; columns that differ between the answers to one item go into `per_annotation`."""
    groups = by_item(rows_of(table))
    shared = shared_columns(groups)
    apart = [name for name in table.column_names if name not in (*shared, "item", "annotator", "label")]
    records = {}
    for item, rows in groups.items():
        names = [row.get("annotator") for row in rows]
        if None in names or len(set(names)) < len(names):
            raise ValueError(
                f"item {item!r} has answers by {names}, but LeWiDi names each answer to an item by its annotator: "
                "give every answer another annotator, or write CSV or Parquet instead"
            )
        if any(row["label"] == "" for row in rows):
            raise ValueError(
                f"an answer to item {item!r} is the class '', which LeWiDi takes for no answer; name the class"
            )
        record = further({name: rows[0][name] for name in shared}, _FIELDS) | {
            "annotators": ",".join(map(str, names)),
            "number of annotations": len(rows),
            "annotations": {str(row["annotator"]): row["label"] for row in rows},
        }
        if apart:
            record["per_annotation"] = {name: [row[name] for row in rows] for name in apart}
        records[str(item)] = record
    return records


def _answers(record: dict[str, Any], place: Place) -> list[tuple[str | None, Any]]:
    annotations = record.get("annotations")
    if isinstance(annotations, dict):
        return list(annotations.items())
    if annotations is None or annotations == "":
        return []
    labels = _comma_separated(annotations, "annotations", place)
    names = record.get("annotators")
    if names is None or names == "":
        return [(None, label) for label in labels]
    annotators = _comma_separated(names, "annotators", place)
    if len(annotators) != len(labels):
        raise place.error("annotators", names, f"one name for each of the {len(labels)} annotations")
    return list(zip(annotators, labels, strict=True))


def _comma_separated(value: Any, what: str, place: Place) -> list[str]:
    if not isinstance(value, str):
        raise place.error(what, value, "names separated by commas, or an object {annotator: class}")
    return [part.strip() for part in value.split(",")]


def _classes_in(
    label: Any, record: dict[str, Any], annotator: Any, place: Place
) -> str | int | float | list[str | int | float]:
    """The class, or several that are joined by commas (VariErr NLI), which the soft label tells."""
    classes = record.get("soft_label")
    if isinstance(label, str) and isinstance(classes, dict) and label not in classes and "," in label:
        parts = [part.strip() for part in label.split(",")]
        if all(part in classes for part in parts):
            return choose_classes(parts, place)
    return as_label(label, f"the annotation by {annotator!r}", place)


EXPORT = Export("lewidi", "json", recognises, parse, render, by_item=True)
