"""Times come with every answer; those of another form are refused, and those that cannot be are flagged."""

from __future__ import annotations

import json
import math

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard.annotator_table import annotator_rows
from dissensus.elicit.database import schema
from dissensus.elicit.export import answer_table
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.doubtful_times import Doubt, doubts_about
from dissensus.elicit.session.saved_answers import check_times
from dissensus.elicit.session.session import current_page, submit, take_back
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.surveys import TIMES, time_passes, write_survey
from tests.facts import states


def give(run, me, times, page=None):
    """Answer a page, or the one that the person is at. -> the next"""
    page = page or current_page(run, me)
    return submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": times})["page"]


@pytest.mark.parametrize(
    "times",
    [
        None,
        [],
        {},
        {"looked": 1},
        {**TIMES, "submitted": None},
        {**TIMES, "submitted": math.inf},
        {**TIMES, "looked": math.nan},
        {**TIMES, "submitted": -1},
        {**TIMES, "submitted": 1e12},
        {**TIMES, "submitted": True},
        {**TIMES, "touched": "soon"},
        {**TIMES, "changes": [[-1, "a", 1]]},
        {**TIMES, "changes": [[1, "a", math.nan]]},
        {**TIMES, "changes": [[1, "a", {"b": 1}]]},
        {**TIMES, "changes": [[1, "a", "x" * 5000]]},
        {**TIMES, "changes": [[1, "a" * 5000, 1]]},
        {**TIMES, "changes": [[1, "a", [[1]]]]},
        {**TIMES, "changes": [1] * 3},
        {**TIMES, "changes": [[1, "a", 1]] * 5001},
        {**TIMES, "away": [[0, 1e12]]},
        {**TIMES, "away": [[math.nan, 1]]},
        {**TIMES, "more": 1},
    ],
)
def test_times_that_no_browser_measures_are_refused(times):
    with pytest.raises(RequestError, match="times"):
        check_times(times)


def test_nothing_is_kept_without_times(opened):
    run = opened()
    me = arrive(run, {})
    page = current_page(run, me)
    with pytest.raises(RequestError, match="times: expected"):
        submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}})
    assert answer_table(run).num_rows == 0


@pytest.mark.parametrize(
    ("change", "doubt"),
    [
        ({}, None),
        ({"looked": None}, Doubt.UNSEEN),
        ({"looked": 9}, Doubt.SENT_BEFORE_LOOK),
        ({"looked": 4}, Doubt.NO_TIME),
        ({"away": [[1, 4]]}, Doubt.NO_TIME),
        ({"changes": []}, Doubt.NO_INPUT),
        ({"changes": [[9, "a", 1]]}, Doubt.INPUT_AFTER_SENDING),
        ({"away": [[2, 1]]}, Doubt.ABSENT_AFTER_SENDING),
        ({"submitted": 60_000}, Doubt.LONGER_THAN_OPEN),
        ({"submitted": 3_500}, Doubt.LONGER_THAN_OPEN),
    ],
)
def test_implausible_times_raise_a_doubt(change, doubt):
    times = {**TIMES, **change}
    spent = None if times["looked"] is None else times["submitted"] - times["looked"]
    away = sum(until - since for since, until in times["away"])
    seconds = None if spent is None else (spent - away) / 1000
    assert list(doubts_about(times, seconds, 1.0)) == ([doubt] if doubt else [])


def test_an_answer_with_doubtful_times_is_kept_and_flagged(opened):
    run = opened()
    honest, liar = arrive(run, {}), arrive(run, {})
    current_page(run, honest)
    for _ in range(4):
        time_passes(run, honest, 4)
        give(run, honest, {**TIMES, "submitted": 4000})
        give(run, liar, {**TIMES, "submitted": 4000})
    doubts = answer_table(run).column("doubts").to_pylist()
    assert sorted(doubts, key=str) == [None] * 4 + [Doubt.LONGER_THAN_OPEN] * 4
    flags = {row["id"]: row["flags"] for row in annotator_rows(run)}
    (flag,) = flags[liar]
    assert states(flag, "times", "4 of 4") and flags[honest] == []


def test_a_page_reopened_after_a_change_counts_from_its_first_showing(opened):
    """Its clock goes on from when it was first shown, before the other answer came."""
    run = opened()
    me = arrive(run, {})
    second = give(run, me, TIMES)
    time_passes(run, me, 60)
    again = take_back(run, me, {"page": second["take_back"]})
    assert give(run, me, TIMES, again)["page"] == second["page"]
    give(run, me, {**TIMES, "submitted": 60_000}, second)
    assert answer_table(run).column("doubts").to_pylist() == [None, None]
    # The page of a changed answer is opened after the answer was there.
    fourth = give(run, me, TIMES)
    time_passes(run, me, 10)
    give(run, me, {**TIMES, "submitted": 30_000}, take_back(run, me, {"page": fourth["take_back"]}))
    assert answer_table(run).column("doubts").to_pylist() == [None, None, Doubt.LONGER_THAN_OPEN]


def test_an_answer_that_is_taken_back_and_sent_as_it_was_needs_no_input(opened):
    run = opened()
    me = arrive(run, {})
    again = take_back(run, me, {"page": give(run, me, TIMES)["take_back"]})
    give(run, me, {**TIMES, "changes": []}, give(run, me, {**TIMES, "changes": []}, again))
    assert answer_table(run).column("doubts").to_pylist() == [None, Doubt.NO_INPUT]


def test_answers_of_a_database_without_doubts_have_none(tmp_path):
    """answers.db as it was before answers had doubts."""
    with open_survey(write_survey(tmp_path / "survey")) as run:
        me = arrive(run, {})
        give(run, me, TIMES)
        with run.store.transaction() as connection:
            connection.execute(sa.text("ALTER TABLE answers DROP COLUMN doubts"))
    with open_survey(run.survey.folder) as again:
        assert answer_table(again).column("doubts").to_pylist() == [None]
        give(again, me, {**TIMES, "changes": []})
        assert answer_table(again).column("doubts").to_pylist() == [None, Doubt.NO_INPUT]


def test_the_column_is_added_on_postgresql_too(opened):
    run = opened()
    with run.store.transaction() as connection:
        connection.execute(sa.text("ALTER TABLE answers DROP COLUMN doubts"))
    with open_survey(run.survey.folder, run.store.url) as again:
        give(again, arrive(again, {}), TIMES)
        with again.store.reader() as connection:
            assert json.loads(connection.scalar(sa.select(schema.answers.c.times))) == TIMES
