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
    assert "1 draft response left out" in parse("argilla", [ARGILLA_FLAT], "tone").notices
    assert "1 discarded response left out" in parse("argilla", [ARGILLA_1]).notices
    assert "1 draft response left out" in parse("argilla", [ARGILLA_1_RECORD], "tone").notices


def test_where_the_export_does_not_say_what_is_a_draft_this_is_said():
    assert parse("argilla", [ARGILLA]).notices == [
        "2 of 2 responses have no status, so drafts and discarded ones may be among them; to_list(flatten=True) and "
        "to_datasets() of Argilla write it"
    ]


def test_several_questions_are_listed():
    with pytest.raises(ValueError, match=r"has the questions \['tone', 'topics', 'stars'\].*question="):
        parse("argilla", [ARGILLA_FLAT])


def test_several_labels_and_ratings(tmp_path):
    (tmp_path / "r.json").write_text(json.dumps([ARGILLA_FLAT]))
    beliefs = read(tmp_path / "r.json", question="topics", several="beliefs", say=quiet)
    assert isinstance(beliefs, Beliefs) and beliefs.classes == ("fate", "rain")
    assert beliefs.stated.tolist() == [[0.5, 0.5], [0, 1]]
    assert read(tmp_path / "r.json", question="topics", several="votes", say=quiet).counts().tolist() == [[1, 2]]
    with pytest.raises(ValueError, match=rf"item 'r1', annotator '{ANN}'\) ticks 2 classes"):
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
    with pytest.raises(
        ValueError, match=r"record 1: a response to 'tone' is .*rankings and spans are not labels.*another question"
    ):
        parse("argilla", [changed(ARGILLA_1, ("tone", 0, "value"), value)])


def test_a_ranking_of_version_2_is_told_from_several_labels_by_holding_the_same_in_other_orders():
    ranked = {**ARGILLA_FLAT, "topics.responses": [["rain", "fate"], ["fate", "rain"]]}
    with pytest.raises(ValueError, match=r"same 2 values, in 2 different orders.*a ranking"):
        parse("argilla", [ranked], "topics")
    agreed = {**ARGILLA_FLAT, "topics.responses": [["rain", "fate"], ["rain", "fate"]]}
    assert parse("argilla", [agreed], "topics").table["label"].to_pylist() == [["rain", "fate"]] * 2


def test_records_without_an_id_are_numbered_and_this_is_said():
    nameless = {**ARGILLA_1, "external_id": None}
    answers = parse("argilla", [nameless, nameless])
    assert answers.table["item"].to_pylist() == [1, 2]
    assert "items = the numbers of the records, which have no id of their own" in answers.notices
    with pytest.raises(ValueError, match="record 2: id is None"):
        parse("argilla", [ARGILLA_1, nameless])


def test_records_nobody_answered_are_counted():
    empty = {**ARGILLA_FLAT, **{name: None for name in ARGILLA_FLAT if ".responses" in name}, "id": "r2"}
    answers = parse("argilla", [empty, ARGILLA_FLAT], "stars")
    assert "1 record without a response left out" in answers.notices and answers.table.num_rows == 1


def test_a_frame_with_dates_and_pictures_is_read():
    frame = pd.DataFrame([ARGILLA_FLAT]).assign(inserted_at=pd.Timestamp("2024-05-01"), image=[{"bytes": b"\x89PNG"}])
    votes = read(frame, question="tone", say=quiet)
    assert votes.column("inserted_at").tolist() == ["2024-05-01 00:00:00"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("tone.responses.users",), [ANN], "tone.responses is .* expected 1 entries"),
        (("tone.responses.status",), ["submitted"], "tone.responses.status is .* expected 2 entries"),
        (("tone.responses.status", 0), 3, "the status of a response is 3, expected 'submitted'"),
        (("tone.responses.users", 0), {}, "user_id is {}, expected text or a whole number"),
    ],
)
def test_what_is_wrong_is_named(path, value, message):
    with pytest.raises(ValueError, match=f"record 1: {message}"):
        parse("argilla", [changed(ARGILLA_FLAT, path, value)], "tone")
