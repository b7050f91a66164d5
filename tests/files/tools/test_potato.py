"""Potato: lines, lines of version 2, and tables."""

from __future__ import annotations

import pytest

from dissensus import read
from tests.facts import refuses
from tests.files.notices import state_each
from tests.files.tools.samples import POTATO, changed, parse


def test_several_questions_are_listed_and_one_can_be_asked_for():
    record = changed(POTATO, ("label_annotations", "topic"), {"rain": "true"})
    with refuses(["tone", "topic"], "expected one", place="out.json", ways={"question": ...}):
        parse("potato", [record])
    answers = parse("potato", [record], "topic")
    assert answers.table["label"].to_pylist() == ["rain"]
    assert state_each(answers.notices, ("1 question", "'topic' ('tone')", "left out"))
    with refuses(["tone", "topic"], "'mood'", "not among", place="out.json", ways={"question": ...}):
        parse("potato", [record], "mood")


def test_potato_lines_carry_text_and_time_but_no_annotator():
    table = parse("potato", [POTATO]).table
    assert table.to_pylist() == [{"item": "item_2", "label": "sad", "seconds": 65.0, "displayed_text": "so it goes"}]


@pytest.mark.parametrize(
    "record",
    [
        {"user": "ann", "instance_id": 4, "displayed_text": "x", "tone:::sad": None, "tone:::wry": "true"},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "tone.sad": None, "tone.wry": "wry"},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "labels": {"tone": {"wry": True}}, "spans": {}},
        {"user_id": "ann", "instance_id": 4, "displayed_text": "x", "labels": {"tone": {"select-one": "wry"}}},
        {
            "user_id": "ann",
            "instance_id": 4,
            "displayed_text": "x",
            "labels": {"tone": {"wry": "wry", "free_response": "hm"}},
        },
    ],
)
def test_potato_tables_and_version_2_read_the_same(record):
    row = {"item": 4, "annotator": "ann", "label": "wry", "displayed_text": "x"}
    assert parse("potato", [record]).table.to_pylist() == [row]


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("tsv", "\t")])
def test_potato_tables_are_recognised_by_their_columns(tmp_path, ending, mark):
    """annotated_instances.csv of a Potato project: one column per scheme and label, "true" where ticked."""
    lines = [
        "user,instance_id,displayed_text,tone:::sad,tone:::wry,topic:::rain",
        "ann,4,x,,true,true",
        "bo,4,x,true,,",
    ]
    path = tmp_path / f"annotated_instances.{ending}"
    path.write_text("\n".join(lines).replace(",", mark) + "\n")
    said = []
    votes = read(path, question="tone", say=said.append)
    assert votes.items.tolist() == [4] and votes.annotators.tolist() == ["ann", "bo"]
    assert votes.classes == ("sad", "wry") and votes.choice.tolist() == [1, 0]
    assert any("format = potato" in notice for notice in said)
    assert read(path, format="potato", question="tone", say=said.append) == votes
    with refuses(["tone", "topic"], place=str(path), ways={"question": ...}):
        read(path)
    with refuses("question='tone'", "an export", f"this is {ending}", "Leave it out", place=str(path)):
        read(path, format=ending, question="tone")


def test_potato_version_2_tables_are_read_when_asked_for(tmp_path):
    path = tmp_path / "annotations.csv"
    path.write_text("instance_id,user_id,tone.sad,tone.wry\n4,ann,,wry\n")
    assert read(path, format="potato").classes == ("wry",)


@pytest.mark.parametrize(
    ("said", "label"),
    [({"4": "4"}, "4"), ({"scale_4": "4"}, "4"), ({"scale_4": 4}, 4), ({"slider": "63"}, "63"), ({"slider": 63}, 63)],
)
def test_potato_likert_scales_and_sliders_give_their_number(said, label):
    assert parse("potato", [changed(POTATO, ("label_annotations", "tone"), said)]).table["label"].to_pylist() == [label]


def test_potato_rows_with_a_value_each_are_not_ticks():
    with refuses("out.json, record 1", {"speed": "3", "taste": "5"}, "one value", "'true'"):
        parse("potato", [changed(POTATO, ("label_annotations", "tone"), {"speed": "3", "taste": "5"})])


def test_a_potato_slider_becomes_a_belief_between_two_classes(tmp_path):
    path = tmp_path / "annotated_instances.csv"
    path.write_text("user,instance_id,displayed_text,sure:::slider\nann,4,x,63\nbo,4,x,20\n")
    beliefs = read(path, layout="slider", classes=["no", "yes"], scale=100, say=lambda _: None)
    assert beliefs.stated.round(9).tolist() == [[0.37, 0.63], [0.8, 0.2]]
