"""The last answer is taken back until the next one is sent, on SQLite and on PostgreSQL; no answer is ever lost."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.watch import Watch, read_now
from dissensus.elicit.database import schema
from dissensus.elicit.export import answer_rows, labels_of
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.doubtful_times import Doubt
from dissensus.elicit.session.session import current_page, submit, take_back
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.surveys import time_passes

TIMES = {"looked": 0, "touched": 900.0, "submitted": 1500.0, "changes": [], "away": []}


def send(run, me, page, choice, **more):
    return submit(run, me, {"page": page["page"], "answer": {"choice": choice}, "times": TIMES, **more})["page"]


def undo(run, me, page):
    return take_back(run, me, {"page": page["take_back"]})


def rows(run):
    return {row["trial"]: row for row in answer_rows(run)}


def labelled(run):
    votes = labels_of(run)
    return [votes.classes[choice] for choice in votes.choice]


def counts(run):
    with run.store.reader() as connection:
        return connection.execute(sa.select(schema.units.c.assigned, schema.units.c.answered)).all()


def test_the_last_answer_is_opened_again_with_what_was_said_and_replaced(opened):
    run = opened()
    me = arrive(run, {})
    first = current_page(run, me)
    assert "take_back" not in first
    second = send(run, me, first, "cat")
    assert second["take_back"] == first["page"]
    before = counts(run)
    again = undo(run, me, second)
    assert again["before"] == {"choice": "cat"} and again["stimuli"] == first["stimuli"]
    assert (again["place"], again["page"], "take_back" in again) == (1, f"{first['page']}:1", False)
    assert current_page(run, me) == again  # after a reload, or in another tab
    assert send(run, me, again, "dog") == second and counts(run) == before
    (row,) = answer_rows(run)
    (earlier,) = json.loads(row["earlier"])
    assert json.loads(row["answer"]) == {"choice": "dog"} and row["taken_back"] == 1
    assert earlier["answer"] == {"choice": "cat"} and earlier["times"] == TIMES and earlier["seconds"] == 1.5
    assert earlier["received"] <= earlier["taken_back"] <= earlier["replaced"] == row["received"]
    assert labelled(run) == ["dog"]


def test_an_answer_that_is_taken_back_and_not_replaced_stays_the_answer(opened):
    run = opened()
    me = arrive(run, {})
    page = undo(run, me, send(run, me, current_page(run, me), "cat"))
    (row,) = answer_rows(run)
    assert json.loads(row["answer"]) == {"choice": "cat"} and row["taken_back"] == 1
    assert json.loads(row["earlier"])[0]["replaced"] is None
    assert sum(answered for _, answered in counts(run)) == 1
    with pytest.raises(RequestError, match="choice"):
        send(run, me, page, "no such class")
    assert labelled(run) == ["cat"]


def test_a_late_resend_never_replaces_a_newer_answer(opened):
    run = opened()
    me = arrive(run, {})
    first = current_page(run, me)
    second = send(run, me, first, "cat")
    again = undo(run, me, second)
    assert send(run, me, first, "cat") == again  # the first answer once more: it closes nothing
    assert send(run, me, again, "dog") == second
    for page, choice in ((first, "cat"), (again, "ship"), (again, "dog")):
        assert send(run, me, page, choice) == second
    third = undo(run, me, second)
    assert third["page"] == f"{first['page']}:2" and send(run, me, again, "cat") == third
    send(run, me, third, "ship")
    (row,) = answer_rows(run)
    assert json.loads(row["answer"]) == {"choice": "ship"} and row["taken_back"] == 2
    assert [earlier["answer"]["choice"] for earlier in json.loads(row["earlier"])] == ["cat", "dog"]
    with pytest.raises(RequestError, match="7 times"):
        submit(run, me, {"page": f"{first['page']}:7", "answer": {"choice": "cat"}, "times": TIMES})
    with pytest.raises(RequestError, match="no answer"):
        submit(run, me, {"page": f"{second['page']}:1", "answer": {"choice": "cat"}, "times": TIMES})


def test_only_the_last_answer_until_the_next_is_sent_and_only_ones_own(opened):
    run = opened()
    me, other = arrive(run, {}), arrive(run, {})
    second = send(run, me, current_page(run, me), "cat")
    third = send(run, me, second, "dog")
    for who, page in ((me, second["take_back"]), (other, second["take_back"]), (me, third["page"]), (me, "trial:x")):
        with pytest.raises(RequestError, match="last answer") as refused:
            take_back(run, who, {"page": page})
        assert refused.value.status == 409
    for nonsense in ({}, {"page": 3}, {"page": "consent"}, {"page": "trial:\0"}):
        with pytest.raises(RequestError, match="field page"):
            take_back(run, me, nonsense)
    assert not any(row["taken_back"] for row in answer_rows(run))


def test_an_answer_can_be_taken_back_five_times(opened):
    run = opened()
    me = arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    for choice in ("dog", "ship", "cat", "dog", "ship"):
        page = send(run, me, undo(run, me, page), choice)
    with pytest.raises(RequestError, match="5 times"):
        undo(run, me, page)
    assert send(run, me, page, "cat")["place"] == 3


def test_two_tabs_that_take_back_and_answer_at_once_end_in_one_answer(opened):
    run = opened()
    me = arrive(run, {})
    second = send(run, me, current_page(run, me), "cat")
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: undo(run, me, second), range(4)))
        assert all(page == pages[0] for page in pages)
        list(pool.map(lambda choice: send(run, me, pages[0], choice), ("dog", "ship", "dog", "ship")))
    (row,) = answer_rows(run)
    assert row["taken_back"] == 1 and json.loads(row["answer"])["choice"] in ("dog", "ship")
    assert sum(answered for _, answered in counts(run)) == 1


def test_a_trial_that_is_open_again_is_closed_by_the_next_answer(opened):
    """Of another tab, or of a queue that is sent late: all that was acknowledged stays, and people go on."""
    run = opened()
    me = arrive(run, {})
    first = current_page(run, me)
    second = send(run, me, first, "cat")
    again = undo(run, me, second)
    third = send(run, me, second, "ship")
    assert third["place"] == 3 and third["take_back"] == second["page"]
    before = counts(run)
    for _ in range(2):
        with pytest.raises(RequestError, match="earlier answer stays") as refused:
            send(run, me, again, "dog")
        assert refused.value.status == 409 and current_page(run, me) == third and counts(run) == before
    assert send(run, me, first, "cat") == send(run, me, second, "ship") == third  # sent again, they are kept already
    answers = {f"trial:{trial}": row for trial, row in rows(run).items()}
    assert [json.loads(answers[page["page"]]["answer"])["choice"] for page in (first, second)] == ["cat", "ship"]
    assert json.loads(answers[first["page"]]["earlier"])[0]["replaced"] is None
    changed = send(run, me, undo(run, me, third), "dog")  # the next one can be taken back, as ever
    assert changed == third and sorted(labelled(run)) == ["cat", "dog"]
    with pytest.raises(RequestError, match="earlier answer stays"):
        send(run, me, again, "dog")


def test_the_last_trial_is_closed_when_the_debriefing_is_handed_in(opened):
    run = opened(protocol={"per_person": 1, "debrief_text": "Thanks."})
    me = arrive(run, {})
    debrief = send(run, me, current_page(run, me), "cat")
    again = undo(run, me, debrief)
    assert submit(run, me, {"page": "debrief", "answer": {}})["page"]["stage"] == "done"
    with pytest.raises(RequestError, match="earlier answer stays"):
        send(run, me, again, "dog")
    assert current_page(run, me)["stage"] == "done" and labelled(run) == ["cat"]


def test_practice_attention_repeats_breaks_and_the_debriefing(opened):
    run = opened(
        protocol={"per_person": 2, "attention_every": 1, "repeats": 1, "break_every": 1, "debrief_text": "Thanks."},
        practice=[{"item": "p0", "feedback": "A cat."}, {"item": "p1", "feedback": "A dog."}],
        attention={"p2": "dog"},
    )
    me = arrive(run, {})
    page, came_from, seen = current_page(run, me), None, []
    while page["stage"] != "done":
        if "take_back" in page:
            assert page["take_back"] == came_from["page"]
            seen.append((came_from["stage"], page["stage"]))
            again = undo(run, me, page)
            assert again["stage"] == came_from["stage"] and again["stimuli"] == came_from["stimuli"]
            assert again["place"] == came_from["place"]
            assert send(run, me, again, "dog") == page
        if "question" in page:
            came_from, page = page, send(run, me, page, "cat")
        else:
            page = submit(run, me, {"page": page["page"], "answer": {}})["page"]
    assert ("practice", "practice") in seen and ("trial", "break") in seen and ("trial", "debrief") in seen
    assert ("practice", "trial") not in seen  # what practice was about is over with it
    with pytest.raises(RequestError, match="last answer"):
        take_back(run, me, {"page": came_from["page"]})
    kinds = {row["kind"]: row["taken_back"] for row in answer_rows(run) if row["taken_back"]}
    assert kinds.keys() == {"practice", "main", "attention", "repeat"}


def test_a_paused_survey_a_lost_item_and_a_person_to_be_forgotten(opened):
    run = opened()
    me = arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    decisions.stop(run)
    assert undo(run, me, page)["stage"] == "stopped" and not any(row["taken_back"] for row in answer_rows(run))
    decisions.reopen(run)
    undo(run, me, page)
    with run.store.reader() as connection:
        (trial,) = connection.execute(sa.select(schema.taken_back.c.trial)).scalars()
        unit = connection.scalar(sa.select(schema.trials.c.unit).where(schema.trials.c.id == trial))
    lost = run.names[unit][0]
    kept = run.units.items.pop(lost)
    assert "again" not in current_page(run, me)  # there is nothing to be shown again
    run.units.items[lost] = kept
    assert decisions.forget(run, me) == 1
    with run.store.reader() as connection:
        assert connection.execute(sa.select(schema.taken_back)).all() == []


def test_the_dashboard_follows_what_people_take_back(opened):
    run = opened()
    watch = Watch(run)
    people = [arrive(run, {}) for _ in range(3)]
    pages = {me: send(run, me, current_page(run, me), "cat") for me in people}
    assert watch.read()
    again = undo(run, people[0], pages[people[0]])
    watch.read()
    send(run, people[0], again, "dog")
    decisions.exclude(run, people[1], "in a hurry")
    send(run, people[1], undo(run, people[1], pages[people[1]]), "ship")
    assert watch.read() and not watch.read()
    fresh = read_now(run)
    assert (watch.mass == fresh.mass).all() and (watch.counted == fresh.counted).all()
    assert sorted(watch.columns()["first"]) == sorted(fresh.columns()["first"]) == [0, 1, 2]
    send(run, people[0], undo(run, people[0], pages[people[0]]), "ship")
    assert watch.read() and sorted(watch.columns()["first"]) == [0, 2, 2]


def test_an_answer_that_is_replaced_while_the_dashboard_reads_counts_once(opened):
    """The new answer is read before it is known that it replaces one that was given long ago."""
    run = opened()
    watch, me = Watch(run), arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    time_passes(run, me, 3600)
    other = arrive(run, {})
    send(run, other, current_page(run, other), "cat")
    watch.read()
    changes = [undo(run, me, page)]

    @sa.event.listens_for(run.store.engine, "after_cursor_execute")
    def between(connection, cursor, statement, parameters, context, executemany):
        """Right after the dashboard has asked which answers were replaced, and before it asks for new ones."""
        if "taken_back.replaced >=" in statement and changes:
            send(run, me, changes.pop(), "dog")

    watch.read()
    assert changes == []
    for _ in range(2):
        watch.read()
        assert sorted(watch.columns()["first"]) == [0, 1] and (watch.mass == read_now(run).mass).all()


def test_doubts_about_an_earlier_answer_are_kept_with_it(opened):
    """Without an input a new answer is doubtful, and one that came filled in is not."""
    run = opened()
    me = arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    send(run, me, undo(run, me, page), "dog")
    (row,) = answer_rows(run)
    (earlier,) = json.loads(row["earlier"])
    assert earlier["doubts"] == "no input" and row["doubts"] is None


def test_a_database_from_before_gets_the_doubts_of_earlier_answers(opened, database):
    """Those that were taken back before have none that are known."""
    run = opened()
    me = arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    undo(run, me, page)
    with run.store.transaction() as connection:
        connection.execute(sa.text("ALTER TABLE taken_back DROP COLUMN doubts"))
    later = open_survey(run.survey.folder, database)
    try:
        again = current_page(later, me)
        assert again["before"] == {"choice": "cat"}
        page = send(later, me, again, "dog", times={**TIMES, "submitted": 1e9})
        send(later, me, undo(later, me, page), "ship")
        (row,) = answer_rows(later)
        doubts = {earlier["answer"]["choice"]: earlier["doubts"] for earlier in json.loads(row["earlier"])}
        assert doubts == {"cat": None, "dog": f"{Doubt.NO_TIME}; {Doubt.LONGER_THAN_OPEN}"}
    finally:
        later.store.close()


def test_a_database_from_before_has_the_table_once_it_is_opened(opened, database):
    run = opened()
    me = arrive(run, {})
    page = send(run, me, current_page(run, me), "cat")
    with run.store.transaction() as connection:
        schema.taken_back.drop(connection)
    later = open_survey(run.survey.folder, database)
    try:
        assert undo(later, me, page)["before"] == {"choice": "cat"}
    finally:
        later.store.close()
