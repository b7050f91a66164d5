"""VariErr NLI, one JSON line per pair of sentences, -> the long table of answers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from dissensus.files.tools.export import Export, Parsed
from dissensus.files.tools.records import (
    Place,
    as_list,
    as_name,
    as_object,
    choose_classes,
    each_record,
    keep_fields,
    make_parsed,
)
from dissensus.labels.refusals import one_of

_CLASSES = ("entailment", "neutral", "contradiction")
_ROUNDS = ("round 1", "round 2")
_FIELDS = ("id", *_CLASSES, "idk")


def recognises(record: dict[str, Any]) -> bool:
    return {"context", "statement", "idk"} <= record.keys() and all(isinstance(record.get(c), list) for c in _CLASSES)


def parse(records: Any, source: str, question: str | None) -> Parsed:
    """Answers of VariErr NLI; an annotator may give a pair several of the three labels, each with an explanation.

    {id, context, statement, entailment, neutral, contradiction: [{annotator, id, reason, judgments: [{annotator,
    makes_sense}], self_corrected, label_correction}], idk: [annotator], label_count_round_1, label_count_round_2, ...}.
    In round 1 people labelled, in round 2 they judged all explanations; `question` is "round 1" (all labels, also
    if it is not given) or "round 2": without the labels whose own annotator then said they make no sense
    (`self_corrected`), which gives label_count_round_2. An annotator who said "I don't know" (`idk`) gave no label.
    Column `reasons` has each label's explanation.
    varierr.json of the repository mainlp/VariErr-NLI (ACL 2024), which in spite of its name is JSON lines.
    """
    if question is not None:
        one_of("question of VariErr NLI", question, _ROUNDS, place=source)
    left_out: Counter[str] = Counter()
    rows = []
    for place, record in each_record(records, source, "the VariErr NLI repository"):
        item = as_name(record.get("id"), "id", place)
        left_out["answer{s} 'I don't know'"] += len(as_list(record.get("idk", []), "idk", place))
        for annotator, reasons in _labels_by_annotator(record, question == "round 2", left_out, place).items():
            rows.append(
                keep_fields(record, _FIELDS)
                | {
                    "item": item,
                    "annotator": annotator,
                    "label": choose_classes(list(reasons), place),
                    "reasons": " | ".join(f"{label}: {reason}" for label, reason in reasons.items()),
                }
            )
    return make_parsed(rows, left_out, source)


def _labels_by_annotator(
    record: dict[str, Any], validated: bool, left_out: Counter[str], place: Place
) -> dict[str | int, dict[str, str]]:
    """The labels that each annotator gave, with the explanation of each."""
    answers: dict[str | int, dict[str, str]] = {}
    for label in _CLASSES:
        for entry in as_list(record.get(label), label, place):
            explained = as_object(entry, f"an entry of {label}", place)
            withdrawn = explained.get("self_corrected", False)
            if not isinstance(withdrawn, bool):
                raise place.error("self_corrected", withdrawn, "true or false")
            if validated and withdrawn:
                left_out["label{s} withdrawn in round 2"] += 1
                continue
            annotator = as_name(explained.get("annotator"), "annotator", place)
            answers.setdefault(annotator, {})[label] = str(explained.get("reason", ""))
    return answers


EXPORT = Export("varierr", "jsonl", recognises, parse)
