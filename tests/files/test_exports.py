"""Exports of annotation tools: each is told from the others, nothing is lost out and back, bad ones say why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import Votes, read, write
from dissensus.files.exports import EXPORTS, recognise
from dissensus.files.formats import FORMATS
from dissensus.files.json_text import json_bytes
from tests.facts import refuses
from tests.files.refusals import list_ways, quiet
from tests.files.tools.samples import (
    ARGILLA,
    CHOICE,
    DOCCANO,
    FLAT,
    LEWIDI,
    POTATO,
    SAMPLES,
    TASK,
    TFDS,
    changed,
    parse,
)

WRITTEN = [name for name, tool in EXPORTS.items() if tool.render is not None]


@pytest.mark.parametrize(
    ("name", "records", "facts"),
    [
        ("label-studio", [], ["[]", "a list", "one record"]),
        ("label-studio", [TASK, 5], ["record 2", 5, "an object"]),
        ("label-studio", [changed(TASK, ("annotations",), None)], ["record 1", "annotations is None", "a list"]),
        ("label-studio", [changed(TASK, ("annotations", 0, "result"), {})], ["record 1", "result is {}", "a list"]),
        (
            "label-studio",
            [changed(TASK, ("annotations", 0, "result", 0, "value"), {})],
            ["record 1", "choices is None", "a list"],
        ),
        (
            "label-studio",
            [changed(TASK, ("annotations", 0, "lead_time"), "4s")],
            ["record 1", "lead_time is '4s'", "a time"],
        ),
        (
            "label-studio",
            [changed(TASK, ("annotations", 1, "completed_by"), None)],
            ["item 7", "no annotator", "1 of 2"],
        ),
        (
            "potato",
            [changed(POTATO, ("behavioral_data", "time_string"), "long")],
            ["record 1", "time_string is 'long'", "0d 0h 0m 3s"],
        ),
        ("potato", [changed(POTATO, ("id",), None)], ["record 1", "id is None", "text", "whole number"]),
        ("prodigy", [{**CHOICE, "answer": "yes"}], ["record 1", "answer is 'yes'", "'accept', 'reject' or 'ignore'"]),
        ("prodigy", [{**CHOICE, "answer": "ignore"}], ["no answer", "1 ignored"]),
        ("doccano", [{**DOCCANO, "label": [[0, 2, "ORG"]]}], ["record 1", [0, 2, "ORG"], "one class"]),
        (
            "doccano",
            [{"id": 1, "annotations": [{"label": 1, "user": 1, "start_offset": 0}]}],
            ["record 1", {"label": 1, "user": 1, "start_offset": 0}, "span"],
        ),
        ("lewidi", [], ["[]", "an object {item: record}"]),
        (
            "lewidi",
            {"1": {**LEWIDI, "annotations": "1,2,3"}},
            ["item '1'", "annotators is 'Ann1,Ann2'", "3 annotations"],
        ),
        ("lewidi", {"1": {**LEWIDI, "annotations": 4}}, ["item '1'", "annotations is 4", "commas"]),
        ("tfds-cifar10h", [{**TFDS, "annotator_ids": [3]}], ["record 1", "annotator_ids is [3]", "2 entries"]),
        ("tfds-cifar10h", [{**TFDS, "human_labels": None}], ["record 1", "human_labels is None", "a list"]),
    ],
)
def test_what_is_wrong_is_named_with_its_record_and_what_was_expected(name, records, facts):
    with refuses("out.json", *facts):
        parse(name, records)


TICKS = ["sad", "wry"]
TICKED = {
    "label-studio": [changed(TASK, ("annotations", 0, "result", 0, "value", "choices"), TICKS)],
    "potato": [changed(POTATO, ("label_annotations", "tone"), dict.fromkeys(TICKS, "true"))],
    "prodigy": [{**CHOICE, "accept": TICKS}],
    "doccano": [{**DOCCANO, "label": TICKS}],
    "lewidi": {"1": {**LEWIDI, "annotations": {"Ann1": "sad,wry"}, "soft_label": {"sad": 0.5, "wry": 0.5}}},
    "argilla": [changed(ARGILLA, ("responses", "tone", 0, "value"), TICKS)],
}


@pytest.mark.parametrize("name", TICKED)
def test_several_ticked_classes_become_beliefs_or_votes_as_the_caller_says(name, tmp_path):
    path = tmp_path / f"export.{EXPORTS[name].container}"
    path.write_bytes(json_bytes(TICKED[name], lines=EXPORTS[name].container == "jsonl", name=name))
    with refuses("row 1", "2 classes", TICKS, place=str(path)) as caught:
        read(path, say=quiet)
    assert list_ways(caught) == [{"several": "beliefs"}, {"several": "votes"}]
    beliefs = read(path, several="beliefs", say=quiet)
    assert beliefs.classes == ("sad", "wry") and beliefs.stated[0].tolist() == [0.5, 0.5]
    votes = read(path, several="votes", say=quiet)
    assert votes.n_answers == beliefs.n_answers + 1 and votes.choice[:2].tolist() == [0, 1]


def test_label_studio_json_min_ticks_several_too(tmp_path):
    (tmp_path / "min.json").write_text(json.dumps([{**FLAT, "tone": {"choices": TICKS}}]))
    assert read(tmp_path / "min.json", several="beliefs", say=quiet).stated.tolist() == [[0.5, 0.5]]


def test_files_with_one_question_take_no_question():
    for name in ("doccano", "lewidi", "tfds-cifar10h", "prodigy"):
        with refuses("one question", "question='tone'", "Leave it out", place="out.json"):
            parse(name, SAMPLES[name], "tone")


def test_every_format_is_distinguished_from_all_others():
    """A new format has to bring a sample: the tests here loop over them."""
    assert {name: recognise(records) for name, records in SAMPLES.items()} == {name: name for name in EXPORTS}
    assert recognise([FLAT]) == "label-studio"
    assert recognise([{"instance_id": 1, "user": "a", "tone:::sad": "true"}]) == "potato"


@pytest.mark.parametrize(
    "records",
    [
        [],
        {},
        None,
        "x",
        [3],
        {"a": 1},
        [{"item": 1, "annotator": "a", "label": "sad", "text": "x"}],
        [{"id": 1, "label": "sad", "text": "x"}],
        [{"instance_id": 1, "user_id": "a", "label": "sad"}],
        [{"id": 1, "label": [0.25, 0.75]}],
        [{"id": 1, "annotations": [{"class": "sad"}]}],
    ],
)
def test_plain_tables_are_not_exports(records):
    assert recognise(records) is None


TEXT = st.text(max_size=12)
ITEM = st.one_of(st.lists(st.integers(-(2**40), 2**40), min_size=1), st.lists(TEXT.map("i".__add__), min_size=1))
NAMES = st.one_of(TEXT.map("x".__add__), st.sampled_from(["id", "data.label", "data.data.seconds", "text", "answer"]))
CELLS = [TEXT, st.integers(-(2**62), 2**62), st.floats(-1e9, 1e9), st.booleans(), st.just('{"a": [1, "b"]}')]


@st.composite
def long_tables(draw):
    """Answers, each annotator at most once per item, with times in milliseconds and further columns."""
    items = draw(ITEM)
    whos = draw(st.sampled_from([["ann", "b,o", "ß\n"], [4, 7]]))
    m = draw(st.integers(1, 6))
    pairs = draw(
        st.lists(st.tuples(st.sampled_from(items), st.sampled_from(whos)), min_size=1, max_size=m, unique=True)
    )
    label = draw(st.sampled_from([st.integers(-9, 99), TEXT.filter(bool)]))
    columns = {
        "item": [item for item, _ in pairs],
        "annotator": [who for _, who in pairs],
        "label": [draw(label) for _ in pairs],
    }
    if draw(st.booleans()):
        columns["seconds"] = [draw(st.integers(0, 10**6)) / 1000 for _ in pairs]
    for name in draw(st.lists(NAMES, max_size=3, unique=True)):
        kind = draw(st.sampled_from(CELLS))
        columns[name] = [draw(kind), *(draw(st.one_of(st.none(), kind)) for _ in pairs[1:])]
    return pa.table(columns)


def grouped(table):
    """Rows as formats that hold one record per item give them back: items as they first appear."""
    rows = table.to_pylist()
    first = {row["item"]: number for number, row in reversed(list(enumerate(rows)))}
    return sorted(rows, key=lambda row: first[row["item"]])


@settings(max_examples=120, deadline=None)
@given(table=long_tables())
def test_what_is_written_reads_back_the_same(table):
    for name in WRITTEN:
        records = json.loads(json.dumps(EXPORTS[name].render(table)))
        assert recognise(records) == name or name == "doccano"  # labels that are numbers are not doccano's
        back = parse(name, records).table
        assert set(back.column_names) == set(table.column_names), name
        back = back.select(table.column_names)
        assert back.schema.types == table.schema.types, name
        assert grouped(back) == grouped(table), name
        if name in ("potato", "prodigy", "doccano"):
            assert back.to_pylist() == table.to_pylist(), name


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "lewidi"])
def test_answers_without_annotators_and_with_repeats_survive(name):
    table = pa.table({"item": ["a", "a", "b"], "label": ["x", "x", "y"], "seconds": [1.5, None, 2.0]})
    back = parse(name, json.loads(json.dumps(EXPORTS[name].render(table)))).table
    assert back.select(table.column_names).to_pylist() == table.to_pylist() and "annotator" not in back.column_names


def test_a_format_without_a_writer_is_only_read(tmp_path, monkeypatch):
    monkeypatch.setitem(EXPORTS, "prodigy", replace(EXPORTS["prodigy"], render=None))
    (tmp_path / "tasks.jsonl").write_text(json.dumps(CHOICE))
    votes = read(tmp_path / "tasks.jsonl", say=lambda _: None)
    assert votes.classes == ("wry",)
    with refuses("prodigy", "not written", ".parquet or .csv", place=str(tmp_path / "new.jsonl")):
        write(votes, tmp_path / "new.jsonl", format="prodigy")


def test_the_page_on_files_lists_every_format():
    page = (Path(__file__).parents[2] / "docs" / "files.md").read_text()
    assert [name for name in FORMATS if name in EXPORTS and f"(`{name}`)" not in page] == []


@pytest.mark.parametrize("name", WRITTEN)
def test_an_extra_column_is_not_taken_for_a_role(name, tmp_path):
    votes = Votes.of(["a"], ["x"], ["ann"], extra=pa.table({"seconds": ["soon"]}))
    with refuses(name, "extra column 'seconds'", "rename", place=str(tmp_path / "v.json")):
        write(votes, tmp_path / "v.json", format=name)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_table_without_labels_is_not_written(name):
    with refuses("column 'label'", ["item", "annotator"]):
        EXPORTS[name].render(pa.table({"item": [1], "annotator": [2]}))


def paths(value, way=()):
    """Every place in a JSON value but the root."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in inside:
        yield (*way, step)
        yield from paths(inner, (*way, step))


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(["accept", "1,2", ""])
)
KEYS = st.sampled_from(
    sorted(
        {
            step
            for sample in [*SAMPLES.values(), [FLAT]]
            for way in paths(sample)
            for step in way
            if isinstance(step, str)
        }
    )
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(KEYS, st.text(max_size=3)), inner, max_size=4)
    ),
    max_leaves=12,
)


def only_value_errors(name, records):
    assert recognise(records) in (None, *EXPORTS)
    try:
        table = parse(name, records).table
    except ValueError as error:
        assert "out.json" in str(error)
    else:
        assert table.num_rows and {"item", "label"} <= set(table.column_names)


@settings(max_examples=160, deadline=None)
@given(records=st.one_of(JSON, st.lists(st.dictionaries(KEYS, JSON, max_size=6), max_size=3)))
def test_any_json_is_read_or_refused_with_a_value_error(records):
    for name in EXPORTS:
        only_value_errors(name, records)


@pytest.mark.parametrize("sample", [*SAMPLES.items(), ("label-studio", [FLAT])], ids=lambda sample: str(sample[0]))
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_a_record_with_one_value_changed_is_read_or_refused_with_a_value_error(sample, data):
    name, records = sample
    path = data.draw(st.sampled_from(list(paths(records))))
    only_value_errors(name, changed(records, path, data.draw(JSON)))
