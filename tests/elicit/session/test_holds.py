"""Whose place is kept, for how long, and what becomes of people for whom nothing is free."""

from __future__ import annotations

import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from dissensus.elicit.app import make_app
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.database import schema
from dissensus.elicit.identity import sign
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.draws import draw
from dissensus.elicit.session.session import current_page, submit, take_back
from tests.elicit.database.test_store import counters, expire
from tests.elicit.session.test_session import answer, rows, through_trials
from tests.elicit.surveys import from_prolific


@pytest.fixture
def texts(tmp_path, opened):
    """Function that opens a survey of so many texts."""

    def made(count, **sections):
        (tmp_path / "survey").mkdir()
        rows = "".join(f"i{i},text {i}\n" for i in range(count))
        (tmp_path / "survey" / "items.csv").write_text("item,text\n" + rows)
        return opened(items="items.csv", **sections)

    return made


def held(run):
    """The units that somebody holds, once for each of them."""
    return [row.unit for row in rows(run, schema.trials) if row.held]


def silent_for(run, person, minutes):
    """Let this be how long ago the person gave a sign of life."""
    older = 60 * minutes

    def work(connection):
        connection.execute(
            sa.update(schema.people).where(schema.people.c.id == person).values(seen=schema.people.c.seen - older)
        )
        connection.execute(
            sa.update(schema.trials).where(schema.trials.c.person == person).values(drawn=schema.trials.c.drawn - older)
        )

    run.store.write(work)


def look(run, count):
    """So many people come and look at what they get. -> their ids, and the stages they see"""
    people = [arrive(run, {}) for _ in range(count)]
    return people, [current_page(run, person)["stage"] for person in people]


def stop_waiting(run, person):
    """What somebody sees who waits, and does not want to."""
    return submit(run, person, {"page": current_page(run, person)["page"], "answer": {}})["page"]


def test_only_what_is_shown_is_held(opened):
    run = opened(protocol={"per_person": 4, "break_every": 2})
    me = arrive(run, {})
    page = current_page(run, me)
    assert len(held(run)) == 1 and page["preload"]
    page = answer(run, me, page)["page"]
    assert len(held(run)) == 1
    page = answer(run, me, page)["page"]
    assert page["stage"] == "break" and held(run) == []
    assert submit(run, me, {"page": page["page"]})["page"]["stage"] == "trial" and len(held(run)) == 1


@pytest.mark.parametrize("draw", ["least-answered", "expected-error", "batches"])
def test_what_was_loaded_early_comes_next_if_nobody_took_it(opened, tmp_path, draw):
    (tmp_path / "survey").mkdir(exist_ok=True)
    (tmp_path / "survey" / "batches.csv").write_text("batch,item\n" + "".join(f"a,p{i}\n" for i in range(8)))
    batches = {"batches": "batches.csv"} if draw == "batches" else {}
    run = opened(protocol={"per_person": 8, "per_item": 4, "draw": draw, **batches})
    early = 0
    for me in [arrive(run, {}) for _ in range(4)]:
        page, told = current_page(run, me), None
        while page["stage"] == "trial":
            assert told in (None, [page["stimuli"][0]["parts"][0]["src"]])
            assert current_page(run, me)["preload"] == page["preload"]  # also after a reload
            assert len(held(run)) == 1
            told = page["preload"] or None
            early += told is not None
            page = answer(run, me, page)["page"]
    assert early == 28 if draw != "expected-error" else early > 0


def test_of_two_who_expect_the_same_item_one_gets_it(texts):
    run = texts(4, protocol={"per_person": 2, "per_item": 1})
    people = [arrive(run, {}) for _ in range(2)]
    pages = [current_page(run, person) for person in people]
    for person, page in zip(people, pages, strict=True):
        assert answer(run, person, page)["page"]["stage"] == "trial"
    assert sorted(held(run)) == sorted(set(held(run)))


def walk(client, number):
    """A person with this id who answers all they get. -> answers given, and the last stage"""
    place = client.get("/start", params=from_prolific(number)).headers["location"]
    me = {"authorization": f"Bearer {parse_qs(urlsplit(place).fragment)['token'][0]}"}
    page, given = client.post("/api/page", headers=me).json(), 0
    while page["stage"] == "trial":
        sent = {"page": page["page"], "answer": {"choice": "cat"}, "times": {"looked": 0, "submitted": 900}}
        page, given = client.post("/api/submit", headers=me, json=sent).json()["page"], given + 1
    return given, page["stage"]


def invent(client, count):
    """Ids that nobody has come, look, and never answer."""
    stages = []
    for number in range(count):
        place = client.get("/start", params=from_prolific(1000 + number)).headers["location"]
        me = {"authorization": f"Bearer {parse_qs(urlsplit(place).fragment)['token'][0]}"}
        stages.append(client.post("/api/page", headers=me).json()["stage"])
    return stages


@pytest.mark.parametrize("draw", ["least-answered", "expected-error"])
def test_sixty_invented_ids_close_nothing(texts, draw):
    """104 places, of which 60 are taken by nobody: eleven people who come right after finish all the same."""
    run = texts(26, protocol={"per_person": 4, "per_item": 4, "draw": draw}, people={"source": "prolific"})
    client = TestClient(make_app(run), follow_redirects=False)
    assert invent(client, 60) == ["trial"] * 60
    assert [walk(client, number) for number in range(11)] == [(4, "done")] * 11


def test_invented_ids_that_take_every_place_are_waited_for_and_then_forgotten(opened):
    """24 places and 60 ids: people who come right after are not sent away, and get items once the ids were silent."""
    run = opened(people={"source": "prolific"})
    client = TestClient(make_app(run), follow_redirects=False)
    stages = invent(client, 60)
    assert stages.count("trial") == 24 + 2 and stages.count("waiting") == 34
    assert walk(client, 0) == (0, "waiting")
    expire(run)
    assert [walk(client, number) for number in range(6)] == [(4, "done")] * 6
    assert walk(client, 7) == (0, "full")
    assert survey_status(run)["share"] == 1 and survey_status(run)["surplus"] == 0


def test_a_sign_of_life_keeps_the_place(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1, "hold_minutes": 3})
    (quiet, there), _ = look(run, 2)
    silent_for(run, quiet, 4)
    silent_for(run, there, 4)
    app = make_app(run)
    client = TestClient(app)
    me = {"authorization": f"Bearer {sign(run.secret, 'person', there)}"}
    assert client.post("/api/alive", headers=me).status_code == 204
    assert client.post("/api/alive").status_code == 401
    app.state.presence.write()  # as the server does every few seconds
    look(run, 1)  # whoever comes gives back what was left
    assert {row.person for row in rows(run, schema.trials) if row.held} >= {there}
    assert quiet not in {row.person for row in rows(run, schema.trials) if row.held}
    assert counters(run)[0] == counters(run)[1]


def test_signs_of_life_do_not_keep_a_place_for_ever(opened):
    """Pages that are left open in sight, or ids that somebody invented: what they have goes to others in the end."""
    run = opened(protocol={"per_person": 8, "per_item": 1, "hold_minutes": 3})
    idle, _ = look(run, 10)
    for minutes, stage in ((14, "waiting"), (2, "trial")):
        for person in idle:
            silent_for(run, person, minutes)
            current_page(run, person)  # as often as they like
        (me,), (found,) = look(run, 1)
        assert found == stage
    assert through_trials(run, me)[1]["stage"] == "done" and survey_status(run)["share"] == 1
    assert answer(run, idle[0], current_page(run, idle[0]))["saved"]  # it counts all the same
    stored, counted = counters(run)
    assert stored == counted


def test_every_request_is_a_sign_of_life(opened):
    run = opened()
    me = arrive(run, {})
    page = current_page(run, me)
    for act in (
        lambda: current_page(run, me),
        lambda: answer(run, me, page),
        lambda: take_back(run, me, {"page": page["page"]}),
        lambda: submit(run, me, {"page": "waiting:0:0"}),
    ):
        silent_for(run, me, 10)
        before = {row.id: row.seen for row in rows(run, schema.people)}[me]
        act()
        assert {row.id: row.seen for row in rows(run, schema.people)}[me] > before + 300


def test_the_place_of_who_was_silent_longest_is_given_twice_and_both_may_answer(opened):
    run = opened(protocol={"per_person": 1, "per_item": 1, "hold_minutes": 30})
    people, stages = look(run, 8)
    assert stages == ["trial"] * 8
    for minutes, person in enumerate(people, start=2):
        silent_for(run, person, minutes)
    units = {row.person: row.unit for row in rows(run, schema.trials)}
    (second, third, fourth), stages = look(run, 3)
    assert stages == ["trial", "trial", "waiting"]  # two beyond what is wanted, and no more
    now = {row.person: row.unit for row in rows(run, schema.trials)}
    assert (now[second], now[third]) == (units[people[7]], units[people[6]])
    for person in (second, people[7]):
        assert answer(run, person)["page"]["stage"] == "done"
    assert survey_status(run)["surplus"] == 1 and survey_status(run)["answers"] == 2
    assert current_page(run, fourth)["stage"] == "waiting"
    assert counters(run)[0] == counters(run)[1]


def test_what_is_left_goes_to_somebody_else_and_whoever_returns_holds_and_answers_it(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    gone = arrive(run, {})
    page = current_page(run, gone)
    silent_for(run, gone, 10)
    shown, _ = through_trials(run, arrive(run, {}))
    assert len(shown) == 8 and held(run) == []
    assert current_page(run, gone)["page"] == page["page"] and len(held(run)) == 1
    assert counters(run)[0] == counters(run)[1]
    answer(run, gone, page)
    assert sorted(row.answered for row in rows(run, schema.units)) == [1] * 7 + [2]
    assert survey_status(run)["surplus"] == 1 and counters(run)[0] == counters(run)[1]


@pytest.mark.parametrize("draw", ["least-answered", "expected-error"])
def test_people_who_come_at_once_do_not_go_beyond_the_bound(opened, draw):
    run = opened(protocol={"per_person": 2, "per_item": 2, "draw": draw})
    people = [arrive(run, {}) for _ in range(24)]
    with ThreadPoolExecutor(12) as pool:
        stages = list(pool.map(lambda person: current_page(run, person)["stage"], people))
    assert "full" not in stages and set(stages) == {"trial", "waiting"}
    stored, counted = counters(run)
    assert stored == counted
    assert sum(max(0, assigned - 2) for assigned, _ in stored.values()) <= 2
    assert max(assigned for assigned, _ in stored.values()) <= 3
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda person: through_trials(run, person), people))
    for person in people:
        through_trials(run, person)
    stages = [current_page(run, person)["stage"] for person in people]
    assert set(stages) <= {"done", "full"} and survey_status(run)["share"] == 1 and survey_status(run)["surplus"] <= 2


def test_nobody_is_told_that_nothing_is_left_before_that_is_so(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    busy = [arrive(run, {}) for _ in range(8)]
    pages = [current_page(run, person) for person in busy]
    assert look(run, 2)[1] == ["trial"] * 2
    (late,), stages = look(run, 1)
    assert stages == ["waiting"]
    for person, page in itertools.islice(zip(busy, pages, strict=True), 7):
        answer(run, person, page)
        assert current_page(run, late)["stage"] == "waiting"
    answer(run, busy[7], pages[7])
    assert current_page(run, late)["stage"] == "full"


def test_people_without_items_get_some_after_more_are_wanted(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    through_trials(run, arrive(run, {}))
    (late,), stages = look(run, 1)
    assert stages == ["full"] and current_page(run, late)["stage"] == "full"
    decisions.extend(run, 2)
    shown, last = through_trials(run, late)
    assert len(shown) == 8 and last["stage"] == "done"
    assert [row.finished is not None for row in rows(run, schema.people)] == [True, True]


def test_people_without_items_get_some_after_somebody_is_excluded(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    first = arrive(run, {})
    through_trials(run, first)
    (late,), stages = look(run, 1)
    decisions.exclude(run, first, "odd")
    assert stages == ["full"] and len(through_trials(run, late)[0]) == 8


def test_excluded_people_hold_no_items(opened):
    """Ids that somebody invented, and whose browsers go on giving signs of life."""
    run = opened(protocol={"per_person": 8, "per_item": 1})
    invented, stages = look(run, 10)
    assert stages == ["trial"] * 10 and look(run, 1)[1] == ["waiting"]
    for person in invented:
        decisions.exclude(run, person, "invented")
        answer(run, person, current_page(run, person))
        assert current_page(run, person)["stage"] == "trial"
    assert held(run) == []
    (me,), _ = look(run, 1)
    assert through_trials(run, me)[1]["stage"] == "done" and survey_status(run)["share"] == 1
    decisions.include(run, invented[0])
    current_page(run, invented[0])
    stored, counted = counters(run)
    assert stored == counted and len(held(run)) == 1


def test_whoever_does_not_want_to_wait_is_let_go_and_may_come_back(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    busy, _ = look(run, 10)
    (late,), stages = look(run, 1)
    assert stages == ["waiting"]
    page = stop_waiting(run, late)
    assert page["stage"] == "full" and page["missing"]
    assert current_page(run, late)["stage"] == "waiting"  # who returns looks again
    assert stop_waiting(run, late)["stage"] == "full"
    silent_for(run, busy[0], 10)
    silent_for(run, busy[8], 10)
    silent_for(run, busy[9], 10)
    assert current_page(run, late)["stage"] == "trial"


def test_whoever_has_answered_and_does_not_want_to_wait_is_done(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    me = arrive(run, {})
    page = current_page(run, me)
    look(run, 9)
    page = answer(run, me, page)["page"]
    assert (page["stage"], page["answered"]) == ("waiting", 1)
    waited = {"page": page["page"], "answer": {}}
    page = submit(run, me, waited)["page"]
    assert page["stage"] == "done" and page["code"]
    assert submit(run, me, waited)["page"]["stage"] == "done"


def test_what_ends_one_waiting_ends_no_later_one_when_it_is_sent_late(opened):
    run = opened(protocol={"per_person": 8, "per_item": 1})
    busy, _ = look(run, 10)
    (me,), _ = look(run, 1)
    waits = [current_page(run, me)]
    assert current_page(run, me) == waits[0]  # looking again is the same waiting
    stop_waiting(run, me)
    waits.append(current_page(run, me))  # they came back
    decisions.forget(run, busy[0])
    page = current_page(run, me)
    assert page["stage"] == "trial"
    for waited in waits:
        assert submit(run, me, {"page": waited["page"], "answer": {}})["page"]["page"] == page["page"]
    waits.append(answer(run, me, page)["page"])
    for waited in (*waits[:2], {"page": "waiting"}):  # of which the last is what an earlier version sent
        assert submit(run, me, {"page": waited["page"], "answer": {}})["page"] == waits[2]
    assert len({waited["page"] for waited in waits}) == 3
    assert submit(run, me, {"page": waits[2]["page"], "answer": {}})["page"]["stage"] == "done"


def test_nobody_finishes_early_by_saying_that_they_wait(opened):
    run = opened()
    me = arrive(run, {})
    page = answer(run, me, current_page(run, me))["page"]
    for name in ("waiting", "waiting:2:0", "waiting:1:0"):
        assert submit(run, me, {"page": name, "answer": {}})["page"]["page"] == page["page"]
    assert through_trials(run, me)[1]["stage"] == "done" and len(rows(run, schema.answers)) == 4
    new = opened(protocol={"consent": "Yes?"})
    assert submit(new, arrive(new, {}), {"page": "waiting:0:0", "answer": {}})["page"]["stage"] == "consent"


def test_people_with_two_items_of_an_earlier_version_continue_with_both(opened):
    """Then the next item was drawn and held together with the one that was shown."""
    run = opened()
    me = arrive(run, {})
    page = current_page(run, me)
    had = {row.unit for row in rows(run, schema.trials)}

    def draw_ahead(connection):
        unit = draw(connection, run.survey, me, 0, 3, had=had, late=0.0, first=False).unit
        shown = {"items": run.names[unit], "classes": ["cat", "dog", "ship"]}
        row = {"id": "ahead", "person": me, "place": 1, "unit": unit, "kind": "main", "shown": json.dumps(shown)}
        connection.execute(sa.insert(schema.trials).values(**row, drawn=time.time(), held=True))

    run.store.write(draw_ahead)
    assert current_page(run, me)["page"] == page["page"] and len(held(run)) == 2
    page = answer(run, me, page)["page"]
    assert page["page"] == "trial:ahead" and len(held(run)) == 1
    assert answer(run, me, page)["page"]["stage"] == "trial" and counters(run)[0] == counters(run)[1]
