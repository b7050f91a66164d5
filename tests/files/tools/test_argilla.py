"""Argilla: records of version 1 and 2, nested and flat, in JSON, JSON lines, Parquet and frames."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from dissensus import Beliefs, read
from dissensus.files.exports import recognise
from tests.facts import refuses
from tests.files.notices import one_states, state_each
from tests.files.refusals import quiet
from tests.files.tools.samples import ANN, ARGILLA, ARGILLA_1, ARGILLA_1_RECORD, ARGILLA_FLAT, BO, changed, parse

LISTS = {**ARGILLA_1, "tone": {"user_id": [ANN, BO], "value": ["sad", "wry"], "status": ["submitted", "discarded"]}}
FORMS = {"2.x": ARGILLA, "2.x flat": ARGILLA_FLAT, "1.x": ARGILLA_1, "1.x lists": LISTS, "1.x record": ARGILLA_1_RECORD}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_known_as_argilla_and_gives_the_same_answer(form, tmp_path):
    record = FORMS[form]
    assert recognise([record]) == "argilla"
    (tmp_path / "records.json").write_text(json.dumps([record]))
    (tmp_path / "records.jsonl").write_text(json.dumps(record))
    table = pa.Table.from_pylist([{name: value for name, value in record.items() if value != {}}])  # as Parquet needs
    parquet.write_table(table, tmp_path / "records.parquet")
    for source in (*(tmp_path / f"records.{ending}" for ending in ("json", "jsonl", "parquet")), table):
        for options in ({}, {"format": "argilla"} if source is not table else {}):
            votes = read(source, question="tone" if form in ("2.x flat", "1.x record") else None, say=quiet, **options)
            assert votes.items.tolist() == ["r1"] and votes.column("text").tolist()[0] == "so it goes"
            first = votes.annotators.tolist()[0], votes.classes[votes.choice[0]]
            assert first == (ANN, "sad")
            assert votes.n_answers == (2 if form == "2.x" else 1)  # only there nobody knows which is a draft


def test_drafts_and_discarded_responses_are_left_out_and_counted():
    assert one_states(parse("argilla", [ARGILLA_FLAT], "tone").notices, "1 draft", "left out")
    assert one_states(parse("argilla", [ARGILLA_1]).notices, "1 discarded", "left out")
    assert one_states(parse("argilla", [ARGILLA_1_RECORD], "tone").notices, "1 draft", "left out")


def test_responses_without_a_status_are_reported():
    notices = parse("argilla", [ARGILLA]).notices
    assert state_each(
        notices, ("2 of 2", "no status", "drafts and discarded", "to_list(flatten=True)", "to_datasets()")
    )


def test_several_questions_are_listed():
    with refuses(["tone", "topics", "stars"], place="out.json", ways={"question": ...}):
        parse("argilla", [ARGILLA_FLAT])


def test_several_labels_and_ratings(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps([ARGILLA_FLAT]))
    beliefs = read(tmp_path / "r.json", question="topics", several="beliefs", say=quiet)
    assert isinstance(beliefs, Beliefs) and beliefs.classes == ("fate", "rain")
    assert beliefs.stated.tolist() == [[0.5, 0.5], [0, 1]]
    assert read(tmp_path / "r.json", question="topics", several="votes", say=quiet).counts().tolist() == [[1, 2]]
    with refuses("row 1", f"item 'r1', annotator '{ANN}'", "2 classes", ["rain", "fate"], "1 of 2"):
        read(tmp_path / "r.json", question="topics", say=quiet)
    stars = read(tmp_path / "r.json", question="stars", classes=list("12345"), say=quiet)
    assert stars.counts().tolist() == [[0, 0, 0, 1, 0]]
    shares = read(tmp_path / "r.json", question="stars", layout="slider", classes=["bad", "good"], scale=5, say=quiet)
    assert np.allclose(shares.stated, [[0.2, 0.8]])


@pytest.mark.parametrize(
    "value",
    [
        [{"rank": 1, "value": "a"}, {"rank": 2, "value": "b"}],
        {"rank": [1, 2], "value": ["a", "b"]},
        [{"start": 0, "end": 2, "label": "ORG"}],
    ],
)
def test_rankings_and_spans_are_refused_with_the_way_out(value):
    with refuses("out.json, record 1", "'tone'", value, "rankings and spans", "another question"):
        parse("argilla", [changed(ARGILLA_1, ("tone", 0, "value"), value)])


def test_a_ranking_of_version_2_has_the_same_labels_in_different_orders():
    ranked = {**ARGILLA_FLAT, "topics.responses": [["rain", "fate"], ["fate", "rain"]]}
    with refuses("out.json", "'topics'", "2 values", "2 different orders", "a ranking", "question="):
        parse("argilla", [ranked], "topics")
    agreed = {**ARGILLA_FLAT, "topics.responses": [["rain", "fate"], ["rain", "fate"]]}
    assert parse("argilla", [agreed], "topics").table["label"].to_pylist() == [["rain", "fate"]] * 2


def test_records_without_an_id_are_numbered_and_reported():
    nameless = {**ARGILLA_1, "external_id": None}
    answers = parse("argilla", [nameless, nameless])
    assert answers.table["item"].to_pylist() == [1, 2]
    assert one_states(answers.notices, "items = the numbers", "no id")
    with refuses("out.json, record 2", "id is None"):
        parse("argilla", [ARGILLA_1, nameless])


def test_records_nobody_answered_are_counted():
    empty = {**ARGILLA_FLAT, **{name: None for name in ARGILLA_FLAT if ".responses" in name}, "id": "r2"}
    answers = parse("argilla", [empty, ARGILLA_FLAT], "stars")
    assert one_states(answers.notices, "1 record", "response", "left out") and answers.table.num_rows == 1


def test_a_frame_with_dates_and_pictures_is_read():
    frame = pd.DataFrame([ARGILLA_FLAT]).assign(inserted_at=pd.Timestamp("2024-05-01"), image=[{"bytes": b"\x89PNG"}])
    votes = read(frame, question="tone", say=quiet)
    assert votes.column("inserted_at").tolist() == ["2024-05-01 00:00:00"]


@pytest.mark.parametrize(
    ("path", "value", "facts"),
    [
        (("tone.responses.users",), [ANN], ["tone.responses is", ["sad", "wry"], "1 entries"]),
        (("tone.responses.status",), ["submitted"], ["tone.responses.status is ['submitted']", "2 entries"]),
        (("tone.responses.status", 0), 3, ["status", 3, "'submitted', 'draft' or 'discarded'"]),
        (("tone.responses.users", 0), {}, ["user_id is {}", "text", "whole number"]),
    ],
)
def test_what_is_wrong_is_named(path, value, facts):
    with refuses("out.json, record 1", *facts):
        parse("argilla", [changed(ARGILLA_FLAT, path, value)], "tone")
