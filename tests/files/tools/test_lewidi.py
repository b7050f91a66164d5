"""LeWiDi: the editions of 2023 and 2025."""

from __future__ import annotations

import json

import pyarrow as pa

from dissensus.files.exports import EXPORTS
from tests.facts import refuses
from tests.files.notices import state_each
from tests.files.tools.samples import LEWIDI, parse


def test_lewidi_editions_read_the_same_and_unannotated_items_are_counted():
    older = {**LEWIDI, "annotations": "5,1"}
    for record in (LEWIDI, older):
        answers = parse("lewidi", {"1": record, "2": {**record, "annotations": None}})
        assert answers.table.select(["item", "annotator", "label"]).to_pylist() == [
            {"item": 1, "annotator": "Ann1", "label": "5"},
            {"item": 1, "annotator": "Ann2", "label": "1"},
        ]
        assert json.loads(answers.table["text"][0].as_py()) == LEWIDI["text"]
        assert state_each(answers.notices, ("1 item", "annotations", "left out"))


def test_lewidi_answers_of_several_classes_are_recognised_by_the_soft_label():
    record = {"annotations": {"Ann1": "yes,maybe"}, "annotators": "Ann1", "soft_label": {"yes": {}, "maybe": {}}}
    assert parse("lewidi", {"9": record}).table["label"].to_pylist() == [["yes", "maybe"]]
    whole = {**record, "soft_label": {"yes,maybe": 1.0}}
    assert parse("lewidi", {"9": whole}).table["label"].to_pylist() == ["yes,maybe"]


def test_lewidi_cannot_store_two_answers_by_one_annotator():
    table = pa.table({"item": ["a", "a"], "annotator": ["ann", "ann"], "label": ["x", "y"]})
    with refuses("item 'a'", ["ann", "ann"], "CSV or Parquet"):
        EXPORTS["lewidi"].render(table)


def test_lewidi_refuses_a_class_without_a_name():
    table = pa.table({"item": ["a"], "annotator": ["ann"], "label": [""]})
    with refuses("item 'a'", "class ''", "no answer", "name the class"):
        EXPORTS["lewidi"].render(table)
    record = {**LEWIDI, "annotations": {"Ann1": "", "Ann2": "1"}, "soft_label": {"": 0.5, "1": 0.5}}
    with refuses("out.json, item '1'", "'Ann1' is ''", "a class", "null"):
        parse("lewidi", {"1": record})


def test_nested_fields_come_out_as_they_went_in():
    records = EXPORTS["lewidi"].render(parse("lewidi", {"1": LEWIDI}).table)
    assert records == {"1": LEWIDI}
