"""Label Studio: the full JSON and JSON-MIN."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dissensus import read
from tests.facts import refuses
from tests.files.notices import one_states, state_each
from tests.files.refusals import quiet
from tests.files.tools.samples import FLAT, TASK, changed, parse


def test_label_studio_gives_one_row_per_annotation_that_was_not_skipped():
    answers = parse("label-studio", [TASK])
    assert answers.table.select(["item", "annotator", "label", "seconds"]).to_pylist() == [
        {"item": 7, "annotator": 1, "label": "sad", "seconds": 4.5},
        {"item": 7, "annotator": 2, "label": "wry", "seconds": 2.0},
    ]
    assert answers.table["text"][0].as_py() == "so it goes" and answers.table["data.label"][0].as_py() == "gold"
    assert answers.table["annotation.id"].to_pylist() == [11, 12] and answers.table["task.project"][0].as_py() == 3
    assert state_each(answers.notices, ("1 skipped", "left out"))


def test_label_studio_names_annotators_by_email_where_it_knows_it():
    task = changed(TASK, ("annotations", 0, "completed_by"), {"id": 1, "email": "ann@x.org"})
    task = changed(task, ("annotations", 1, "completed_by"), {"id": 2, "email": "bo@x.org"})
    table = parse("label-studio", [task]).table
    assert table["annotator"].to_pylist() == ["ann@x.org", "bo@x.org"]
    assert table["annotation.completed_by.id"].to_pylist() == [1, 2]


def test_label_studio_counts_annotations_without_an_answer_to_the_question():
    task = changed(TASK, ("annotations", 1, "result"), [])
    notices = parse("label-studio", [task]).notices
    assert state_each(notices, ("1 skipped", "left out"), ("1 annotation", "'tone'", "left out"))


def test_json_min_tells_the_question_by_its_place_between_id_and_annotator():
    table = parse("label-studio", [FLAT]).table
    assert table["label"].to_pylist() == ["sad"] and table["seconds"].to_pylist() == [4.5]
    assert table["text"][0].as_py() == "so it goes" and table["annotation_id"][0].as_py() == 11
    two = {"text": "x", "id": 1, "tone": "sad", "topic": "rain", "annotator": 1, "annotation_id": 2, "lead_time": 1}
    with refuses(["tone", "topic"], place="out.json", ways={"question": ...}):
        parse("label-studio", [two])
    assert parse("label-studio", [two], "topic").table["label"].to_pylist() == ["rain"]


@pytest.mark.parametrize(("kind", "value"), [("rating", 4), ("number", 63), ("number", 0.5)])
def test_ratings_and_numbers_are_answers_in_both_layouts(kind, value):
    result = [{"from_name": "how", "to_name": "text", "type": kind, "value": {kind: value}}]
    task = changed(changed(TASK, ("annotations", 0, "result"), result), ("annotations", 1, "result"), result)
    assert parse("label-studio", [task]).table["label"].to_pylist() == [value, value]
    assert parse("label-studio", [{**FLAT, "tone": [{kind: value}]}]).table["label"].to_pylist() == [value]


def test_a_slider_becomes_a_belief_between_two_classes(tmp_path):
    result = [{"from_name": "how", "to_name": "text", "type": "number", "value": {"number": 63}}]
    task = changed(changed(TASK, ("annotations", 0, "result"), result), ("annotations", 1, "result"), result)
    (tmp_path / "export.json").write_text(json.dumps([task]))
    beliefs = read(tmp_path / "export.json", layout="slider", classes=["no", "yes"], scale=100, say=quiet)
    assert beliefs.classes == ("no", "yes") and np.allclose(beliefs.stated, [[0.37, 0.63]] * 2)


def test_other_results_are_counted():
    drawn = {"from_name": "box", "to_name": "text", "type": "rectanglelabels", "value": {"rectanglelabels": ["x"]}}
    task = changed(TASK, ("annotations", 0, "result"), [*TASK["annotations"][0]["result"], drawn])
    notices = parse("label-studio", [task]).notices
    assert one_states(notices, "1 result", "other than", "choices, rating, number", "left out")
