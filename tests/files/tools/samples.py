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
ANN, BO = "6f0b2a0e-1c55-4a7e-9a53-0b0f3f6a0001", "6f0b2a0e-1c55-4a7e-9a53-0b0f3f6a0002"
ARGILLA = {  # 2.x, records.to_json
    "id": "r1", "fields": {"text": "so it goes"}, "metadata": {"source": "web"},
    "suggestions": {"tone": {"value": "sad", "score": 0.9, "agent": "a model"}},
    "responses": {"tone": [{"value": "sad", "user_id": ANN}, {"value": "wry", "user_id": BO}]},
    "vectors": {}, "_server_id": "0b0f3f6a-1c55-4a7e-9a53-6f0b2a0e0009",
}  # fmt: skip
ARGILLA_FLAT = {  # 2.x, to_list(flatten=True), to_datasets
    "id": "r1", "status": "completed", "_server_id": None, "text": "so it goes", "source": "web",
    "tone.responses": ["sad", "wry"], "tone.responses.users": [ANN, BO],
    "tone.responses.status": ["submitted", "draft"],
    "topics.responses": [["rain", "fate"], ["rain"]], "topics.responses.users": [ANN, BO],
    "topics.responses.status": ["submitted", "submitted"],
    "stars.responses": [4], "stars.responses.users": [ANN], "stars.responses.status": ["submitted"],
    "tone.suggestion": "sad", "tone.suggestion.score": 0.9, "tone.suggestion.agent": "a model",
}  # fmt: skip
ARGILLA_1 = {  # 1.x, a FeedbackDataset on the Hub
    "text": "so it goes",
    "tone": [
        {"user_id": ANN, "value": "sad", "status": "submitted"}, {"user_id": BO, "value": "wry", "status": "discarded"},
    ],
    "tone-suggestion": None, "tone-suggestion-metadata": {"type": None, "score": None, "agent": None},
    "external_id": "r1", "metadata": "{}",
}  # fmt: skip
ARGILLA_1_RECORD = {  # 1.x, feedback records as the client and the server write them
    "id": "r1", "fields": {"text": "so it goes"}, "metadata": {}, "external_id": "e1", "suggestions": [],
    "responses": [
        {"user_id": ANN, "status": "submitted", "values": {"tone": {"value": "sad"}, "stars": {"value": 4}}},
        {"user_id": BO, "status": "draft", "values": {"tone": {"value": "wry"}}},
    ],
}  # fmt: skip
VARIERR = {
    "id": "975e", "context": "it goes", "statement": "it keeps going",
    "entailment": [
        {"annotator": 0, "id": "9-entailment-1", "reason": "goes", "self_corrected": False, "label_correction": False,
         "judgments": [{"annotator": 0, "makes_sense": True}, {"annotator": 1, "makes_sense": False}]},
        {"annotator": 1, "id": "9-entailment-2", "reason": "on and on", "self_corrected": True,
         "label_correction": False, "judgments": [{"annotator": 1, "makes_sense": False}]},
    ],
    "neutral": [
        {"annotator": 0, "id": "9-neutral-1", "reason": "may stop", "self_corrected": False,
         "label_correction": False, "judgments": [{"annotator": 0, "makes_sense": True}]},
        {"annotator": 2, "id": "9-neutral-2", "reason": "who knows", "self_corrected": False,
         "label_correction": False, "judgments": [{"annotator": 2, "makes_sense": True}]},
    ],
    "contradiction": [], "idk": [3],
    "label_count_round_1": {"contradiction": None, "entailment": 2.0, "neutral": 2.0},
    "label_count_round_2": {"contradiction": None, "entailment": 1.0, "neutral": 2.0},
    "label_set_round_1": ["neutral", "entailment"], "has_ambiguity": True, "chaosnli_labels": {"e": 72, "n": 28},
}  # fmt: skip
SAMPLES = {
    "label-studio": [TASK],
    "potato": [POTATO],
    "prodigy": [CHOICE],
    "doccano": [DOCCANO],
    "argilla": [ARGILLA],
    "lewidi": {"1": LEWIDI, "2": {**LEWIDI, "annotations": ""}},
    "varierr": [VARIERR],
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
