"""Released crowd data, LeWiDi and CIFAR-10H as TensorFlow Datasets holds it, <-> the long table of answers."""

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
    by_item,
    cell,
    column_of,
    each_record,
    field_of,
    further,
    kept,
    no_questions,
    only_choice,
    parsed,
    rows_of,
    shared_columns,
    shown,
    whole_numbers,
)

_LEWIDI_FIELDS = ("annotations", "annotators", "number of annotations", "number of annotators", "per_annotation")
_TFDS_LISTS = {
    "human_labels": "label", "annotator_ids": "annotator", "reaction_times": "seconds", "trial_indices": "trial_index",
}  # fmt: skip
_TFDS_FIELDS = ("id", "label", "image", "soft_label", *_TFDS_LISTS)


def is_lewidi(records: Any) -> bool:
    """LeWiDi files are one object, {item: record}, so this looks at all of it and not at a record."""
    first = next(iter(records.values()), None) if isinstance(records, dict) else None
    return (
        isinstance(first, dict) and "annotations" in first and not first.keys().isdisjoint(("annotators", "soft_label"))
    )


def parse_lewidi(records: Any, source: str, question: str | None = None) -> Parsed:
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
            f"{source}: found {shown(records)}, expected an object {{item: record}} with at least one item"
        )
    left_out: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for item, value in records.items():
        place = Place(source, f"item {item!r}", "the LeWiDi website")
        record = as_object(value, "the record", place)
        answers = _lewidi_answers(record, place)
        left_out["item{s} without annotations"] += not answers
        beside = as_object(record.get("per_annotation", {}), "per_annotation", place)
        lists = (
            {name: _parallel(values, len(answers), name, place) for name, values in beside.items()} if answers else {}
        )
        for number, (annotator, label) in enumerate(answers):
            if label == "" and isinstance(record.get("soft_label"), dict) and "" in record["soft_label"]:
                raise place.error(f"the annotation by {annotator!r}", label, "a class with a name, or null for none")
            if label is None or label == "":
                left_out["annotation{s} without a label"] += 1
                continue
            row = kept(record, _LEWIDI_FIELDS) | {
                "item": item, "annotator": annotator, "label": _one_of(label, record, item, annotator, place),
            }  # fmt: skip
            row |= {name: cell(values[number]) for name, values in lists.items() if name not in row}
            rows.append(row | {"seconds": as_seconds(row.get("seconds"), "seconds", place)})
    for name in ("item", "annotator"):
        texts = [row[name] for row in rows if row[name] is not None]
        if len(texts) == len(rows):
            for row, restored in zip(rows, whole_numbers(texts), strict=True):
                row[name] = restored
    return parsed(rows, left_out, source)


def render_lewidi(table: pa.Table) -> dict[str, Any]:
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
        record = further({name: rows[0][name] for name in shared}, _LEWIDI_FIELDS) | {
            "annotators": ",".join(map(str, names)), "number of annotations": len(rows),
            "annotations": {str(row["annotator"]): row["label"] for row in rows},
        }  # fmt: skip
        if apart:
            record["per_annotation"] = {name: [row[name] for row in rows] for name in apart}
        records[str(item)] = record
    return records


def is_tfds_cifar10h(record: dict[str, Any]) -> bool:
    return {"id", "human_labels", "annotator_ids"} <= record.keys()


def parse_tfds_cifar10h(records: Any, source: str, question: str | None = None) -> Parsed:
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
            role: _parallel(record[name], count, name, place) for name, role in _TFDS_LISTS.items() if name in record
        }
        every = {} if record.get("label") is None else {"true_label": as_label(record["label"], "label", place)}
        for field, value in record.items():
            if field not in _TFDS_FIELDS and isinstance(value, list):
                lists[column_of(field, _TFDS_FIELDS)] = _parallel(value, count, field, place)
            elif field not in _TFDS_FIELDS:
                every[column_of(field, _TFDS_FIELDS)] = cell(value)
        for number in range(count):
            row = every | {name: cell(values[number]) for name, values in lists.items()}
            time = as_seconds(row.get("seconds"), "a reaction time", place)
            annotator = row.get("annotator")
            rows.append(row | {
                "item": item, "annotator": None if annotator is None else as_name(annotator, "annotator_ids", place),
                "label": as_label(row["label"], "a human label", place),
                "seconds": None if time is None else time / 1000,
            })  # fmt: skip
    return parsed(rows, left_out, source)


def render_tfds_cifar10h(table: pa.Table) -> list[dict[str, Any]]:
    """Examples without image and soft_label; times to the nanosecond, further columns as parallel lists."""
    examples = []
    for item, rows in by_item(rows_of(table)).items():
        example: dict[str, Any] = {"id": item}
        truths = [row.get("true_label") for row in rows]
        once = truths[0] is not None and all(truth == truths[0] for truth in truths)
        if once:
            example["label"] = truths[0]
        for name, role in _TFDS_LISTS.items():
            values = [row.get(role) for row in rows]
            if any(value is not None for value in values):
                example[name] = [_milliseconds(value) for value in values] if role == "seconds" else values
        taken = {"item", *_TFDS_LISTS.values(), *(("true_label",) if once else ())}
        beside = [name for name in table.column_names if name not in taken]
        example |= {field_of(name, _TFDS_FIELDS): [row[name] for row in rows] for name in beside}
        examples.append(example)
    return examples


def _lewidi_answers(record: dict[str, Any], place: Place) -> list[tuple[str | None, Any]]:
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


def _one_of(label: Any, record: dict[str, Any], item: str, annotator: Any, place: Place) -> str | int | float:
    """The class, refused where it is several joined by commas (VariErr NLI), which the soft label tells."""
    classes = record.get("soft_label")
    if isinstance(label, str) and isinstance(classes, dict) and label not in classes and "," in label:
        parts = [part.strip() for part in label.split(",")]
        if all(part in classes for part in parts):
            return only_choice(parts, item, annotator, place)
    return as_label(label, f"the annotation by {annotator!r}", place)


def _parallel(value: Any, count: int, what: str, place: Place) -> list[Any]:
    values = as_list(value, what, place)
    if len(values) != count:
        raise place.error(what, value, f"{count} entries, one per answer")
    return values


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 6)
