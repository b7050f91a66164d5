"""A small export of every tool, as its parsed JSON; the tests of all formats loop over them."""

from __future__ import annotations

import copy

from dissensus.files.exports import EXPORTS

TASK = {
    "id": 7,
    "data": {"text": "so it goes", "label": "gold"},
    "project": 3,
    "annotations": [
        {
            "id": 11, "completed_by": 1, "lead_time": 4.5, "was_cancelled": False, "created_at": "2021-03-09T22:16:08Z",
            "result": [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["sad"]}}],
        },
        {
            "id": 12, "completed_by": 2, "lead_time": 2, "was_cancelled": False, "created_at": "2021-03-09T22:17:08Z",
            "result": [{"from_name": "tone", "to_name": "text", "type": "choices", "value": {"choices": ["wry"]}}],
        },
        {"id": 13, "completed_by": 3, "lead_time": 1, "was_cancelled": True, "result": []},
    ],
}  # fmt: skip
FLAT = {
    "text": "so it goes", "id": 7, "tone": "sad", "annotator": 1, "annotation_id": 11,
    "created_at": "2021-03-09T22:16:08Z", "updated_at": "2021-03-09T22:16:08Z", "lead_time": 4.5,
}  # fmt: skip
POTATO = {
    "id": "item_2", "displayed_text": "so it goes", "label_annotations": {"tone": {"sad": "true"}},
    "span_annotations": {}, "behavioral_data": {"time_string": "Time spent: 0d 0h 1m 5s "},
}  # fmt: skip
CHOICE = {
    "text": "so it goes", "options": [{"id": "sad", "text": "sad"}, {"id": "wry", "text": "wry"}], "accept": ["wry"],
    "answer": "accept", "_input_hash": -12, "_task_hash": 5, "_annotator_id": "db-ann", "_session_id": "db-ann",
    "_timestamp": 1700000000,
}  # fmt: skip
DOCCANO = {"id": 3, "text": "so it goes", "split": "a", "label": ["sad"], "Comments": []}
LEWIDI = {
    "text": {"context": "rain", "response": "lovely"}, "annotation task": "sarcasm detection", "lang": "en",
    "annotators": "Ann1,Ann2", "number of annotations": 2, "annotations": {"Ann1": "5", "Ann2": "1"},
    "soft_label": {"1": 0.5, "5": 0.5}, "split": "dev",
}  # fmt: skip
TFDS = {
    "id": "test_00001", "label": 8, "soft_label": [0.0] * 8 + [1.0, 0.0], "human_labels": [8, 8],
    "annotator_ids": [3, 40], "reaction_times": [1342.0, 900.0], "trial_indices": [0, 17],
}  # fmt: skip
SAMPLES = {
    "label-studio": [TASK],
    "potato": [POTATO],
    "prodigy": [CHOICE],
    "doccano": [DOCCANO],
    "lewidi": {"1": LEWIDI, "2": {**LEWIDI, "annotations": ""}},
    "tfds-cifar10h": [TFDS],
}


def changed(record, path, value):
    """A copy of a record in which the value at a path is another."""
    fresh = copy.deepcopy(record)
    *way, last = path
    holder = fresh
    for step in way:
        holder = holder[step]
    holder[last] = value
    return fresh


def parse(name, records, question=None):
    return EXPORTS[name].parse(records, "out.json", question)
