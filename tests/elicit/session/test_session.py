"""One person's way through a survey, on SQLite and on PostgreSQL."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import RequestError
from tests.elicit.surveys import TIMES

CHECKS = [{"question": "Two?", "options": ["1", "2"], "correct": "2"}]


def answer(run, person, page=None, given=None):
    page = page or current_page(run, person)
    return submit(
        run,
        person,
        {"page": page["page"], "answer": given or {"choice": page["question"]["classes"][0]}, "times": TIMES},
    )


def through_trials(run, person):
    """Answer every trial; the pages that were shown."""
    shown, page = [], current_page(run, person)
    while page["stage"] in ("trial", "break"):
        shown.append(page)
        given = {} if page["stage"] == "break" else {"choice": page["question"]["classes"][0]}
        page = submit(run, person, {"page": page["page"], "answer": given, "times": TIMES})["page"]
    return shown, page


def rows(run, table):
    with run.store.reader() as connection:
        return connection.execute(sa.select(table)).all()


def test_the_whole_way_from_consent_to_the_code(opened):
    run = opened(
        protocol={
            "consent": "Yes?",
            "instructions": ["One.", "Two."],
            "attention_every": 2,
            "repeats": 1,
            "break_every": 2,
            "debrief_text": "Thanks.",
        },
        comprehension=CHECKS,
        practice=[{"item": "p0", "feedback": "A cat."}],
        attention={"p1": "dog"},
        debrief=[{"name": "age", "question": "Age?", "required": True}],
    )
    me = arrive(run, {})
    assert current_page(run, me)["stage"] == "consent"
    page = submit(run, me, {"page": "consent", "answer": {"agreed": True}})["page"]
    assert (page["page"], page["text"]) == ("instructions:0", "One.")
    submit(run, me, {"page": "instructions:0"})
    page = submit(run, me, {"page": "instructions:1"})["page"]
    assert page["stage"] == "comprehension" and "correct" not in json.dumps(page)
    page = submit(run, me, {"page": "comprehension:0", "answer": {"chosen": ["1"]}})["page"]
    assert page["page"] == "comprehension:1" and page["again"]
    page = submit(run, me, {"page": "comprehension:1", "answer": {"chosen": ["2"]}})["page"]
    assert page["stage"] == "practice"
    reply = answer(run, me, page)
    assert reply["feedback"] == "A cat." and reply["page"]["stage"] == "trial"
    shown, page = through_trials(run, me)
    assert [row.kind for row in sorted(rows(run, schema.answers), key=lambda row: row.received)] == [
        "practice",
        "main",
        "main",
        "attention",
        "main",
        "main",
        "attention",
        "repeat",
    ] or len(shown) == 7
    assert [p["stage"] for p in shown].count("break") == 1
    assert page["stage"] == "debrief"
    with pytest.raises(RequestError, match="needs an answer"):
        submit(run, me, {"page": "debrief", "answer": {"age": " "}})
    page = submit(run, me, {"page": "debrief", "answer": {"age": "40"}})["page"]
    assert page["stage"] == "done" and len(page["code"]) == 10


def test_an_answer_is_kept_once_however_often_it_is_sent(opened):
    run = opened()
    me = arrive(run, {})
    page = current_page(run, me)
    sent = {"page": page["page"], "answer": {"choice": "cat"}, "times": {"looked": 0, "submitted": 1500.0}}
    first = submit(run, me, sent)
    again = submit(run, me, {**sent, "answer": {"choice": "dog"}})  # a second tab with another answer
    assert first["page"] == again["page"]
    (kept,) = rows(run, schema.answers)
    assert json.loads(kept.answer) == {"choice": "cat"} and kept.seconds == 1.5


def test_many_at_once_share_the_work_evenly_and_nobody_gets_an_item_twice(opened):
    run = opened(protocol={"per_person": 3, "per_item": 3})
    people = [arrive(run, {}) for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda person: through_trials(run, person), people))
    kept = rows(run, schema.answers)
    assert len(kept) == 18 and len({(row.person, row.unit) for row in kept}) == 18
    assert {row.answered for row in rows(run, schema.units)} <= {2, 3}
    while through_trials(run, arrive(run, {}))[1]["stage"] != "full":
        pass
    assert {row.answered for row in rows(run, schema.units)} == {3}


def test_the_same_link_resumes_and_ids_are_kept_as_keyed_hashes(opened):
    run = opened(people={"source": "prolific"})
    query = {"PROLIFIC_PID": "5f0000000000000000000001", "STUDY_ID": "57" * 12, "SESSION_ID": "5e" * 12}
    me = arrive(run, query)
    answer(run, me)
    assert arrive(run, query) == me and current_page(run, me)["place"] == 2
    kept = str(rows(run, schema.people))
    assert query["PROLIFIC_PID"] not in kept and "5e" * 12 not in kept
    with pytest.raises(RequestError, match="PROLIFIC_PID"):
        arrive(run, {})
    with pytest.raises(RequestError, match="link is incomplete"):
        arrive(run, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"})


def test_a_link_that_the_survey_did_not_sign_is_refused(opened):
    from dissensus.elicit.identity import sign

    run = opened(people={"source": "links"})
    assert arrive(run, {"invite": sign(run.secret, "invite", "7")}) == arrive(
        run, {"invite": sign(run.secret, "invite", "7")}
    )
    for forged in ("7", sign(b"x" * 40, "invite", "7"), sign(run.secret, "person", "7")):
        with pytest.raises(RequestError, match="invitation is not"):
            arrive(run, {"invite": forged})


def test_another_persons_trial_and_a_page_out_of_turn_are_refused(opened):
    run = opened(protocol={"consent": "Yes?"})
    me, other = arrive(run, {}), arrive(run, {})
    submit(run, other, {"page": "consent", "answer": {"agreed": True}})
    page = current_page(run, other)
    with pytest.raises(RequestError, match="not part of"):
        submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})
    with pytest.raises(RequestError, match="not the current"):
        submit(run, me, {"page": "debrief", "answer": {}})
    assert not rows(run, schema.answers)


def test_whoever_declines_or_fails_the_check_twice_is_let_go(opened):
    run = opened(protocol={"consent": "Yes?"}, comprehension=CHECKS)
    me, other = arrive(run, {}), arrive(run, {})
    assert submit(run, me, {"page": "consent", "answer": {"agreed": False}})["page"]["stage"] == "declined"
    submit(run, other, {"page": "consent", "answer": {"agreed": True}})
    for attempt in (0, 1):
        page = submit(run, other, {"page": f"comprehension:{attempt}", "answer": {"chosen": ["1"]}})["page"]
    assert page["stage"] == "failed"
