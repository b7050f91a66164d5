"""In a real browser: signs of life while somebody thinks, and the page to wait at while others have everything."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.browser import kept, served
from tests.elicit.session.test_holds import look, silent_for
from tests.elicit.surveys import TIMES, write_survey
from tests.facts import states

ALL_HELD = 10  # people who hold every place of eight items, and the two that may be given twice

LONGEST = 6_500  # milliseconds until the page looks again


@pytest.fixture
def busy(tmp_path):
    """A survey of eight items, one answer each, all of them before somebody. -> the survey, and who they are"""
    run = open_survey(write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 1}))
    people, stages = look(run, ALL_HELD)
    assert set(stages) == {"trial"}
    yield run, people
    run.store.close()


def press(me, name):
    """A click as a hand does it, some time after the page is there."""
    me.page.wait_for_timeout(250)
    me.moves_on(lambda: me.page.get_by_role("button", name=name).click(delay=90))


def test_the_page_looks_again_by_itself_until_something_is_free(busy, person):
    run, people = busy
    with served(run.survey.folder) as address:
        me = person()
        me.take_over_the_clock()
        me.start(address)
        assert me.stage() == "waiting"
        waits = me.page.locator("main h1").element_handle()
        with me.page.expect_response("**/api/page"):  # it looks, finds nothing, and leaves the page as it is
            me.page.clock.run_for(LONGEST)
        assert waits.evaluate("(heading) => heading.isConnected")
        for somebody in people:
            decisions.forget(run, somebody)
        me.page.clock.run_for(LONGEST)
        me.page.wait_for_function("(heading) => !heading.isConnected", arg=waits)
        me.ready()
        me.page.wait_for_timeout(300)
        me.moves_on(lambda: me.keys("c"))
        assert me.place() == "2 of 8"
    assert len(kept(run.survey.folder)) == 1


def test_it_says_when_everything_has_been_answered_after_all(busy, person):
    run, people = busy
    with served(run.survey.folder) as address:
        me = person()
        me.start(address)
        for somebody in people:
            page = current_page(run, somebody)
            submit(run, somebody, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})
        me.page.locator("[data-stage=full]").wait_for()
        assert me.stage() == "full"


def test_whoever_stops_waiting_is_thanked_and_may_come_back(busy, person):
    run, people = busy
    with served(run.survey.folder) as address:
        me = person()
        me.start(address)
        press(me, "Stop waiting")
        assert me.stage() == "full" and "later" in me.page.inner_text("main")
        me.page.reload()
        me.ready()
        assert me.stage() == "waiting"
        for somebody in people:
            decisions.forget(run, somebody)
        press(me, "Check now")
        assert me.place() == "1 of 8"


def test_whoever_has_answered_may_finish_instead_of_waiting(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 1})
    with served(folder) as address, open_survey(folder) as run:
        me = person()
        me.start(address)
        look(run, ALL_HELD - 1)
        me.page.wait_for_timeout(300)
        me.moves_on(lambda: me.keys("c"))
        assert "answers are saved" in me.page.inner_text("main")
        press(me, "Finish now")
        assert me.stage() == "done" and me.page.locator(".code").count() == 1


def test_finishing_that_a_network_blocked_does_not_end_a_later_visit(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 1})
    with served(folder) as address, open_survey(folder) as run:
        me = person()
        me.start(address)
        others, _ = look(run, ALL_HELD - 1)
        me.page.wait_for_timeout(300)
        me.moves_on(lambda: me.keys("c"))
        me.context.route("**/api/submit", lambda route: route.fulfill(status=403, body="blocked"))
        me.page.get_by_role("button", name="Finish now").click(delay=90)
        problem = me.page.locator(".problem", has_text="your network blocks it.")
        problem.wait_for()
        me.context.unroute("**/api/submit")
        said = problem.inner_text()
        me.reopen_online(me.close_page())  # another day: still nothing is free, and they have not said that they go
        assert me.stage() == "waiting"
        decisions.forget(run, others[0])
        press(me, "Check now")
        assert me.page.locator("#count").inner_text() == "2 of 8"
        me.page.wait_for_timeout(300)
        me.moves_on(lambda: me.keys("c"))
        assert me.stage() == "waiting"
        press(me, "Finish now")
        assert me.stage() == "done" and me.page.get_by_text("answers are saved").is_visible()
    me.problems = [each for each in me.problems if "403" not in each]
    assert len(kept(folder)) == 2 and states(said, "Not sent", "network")


def test_somebody_who_thinks_gives_a_sign_of_life_every_twenty_seconds(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 2, "hold_minutes": 0.1})
    with served(folder) as address, open_survey(folder) as run:
        me = person()
        me.take_over_the_clock()
        page = me.start(address)
        with run.store.reader() as connection:
            who = connection.scalar(sa.select(schema.people.c.id))
        silent_for(run, who, 60)
        with page.expect_response("**/api/alive") as sign:
            page.clock.run_for(20_000)
        assert sign.value.status == 204
        seen_again(run, who)
        silent_for(run, who, 60)
        page.clock.run_for(2_000)
        with page.expect_response("**/api/alive"):  # whoever leaves says so
            hide(page)
        signs = []
        page.on("request", lambda sent: signs.append(sent.url) if sent.url.endswith("/api/alive") else None)
        page.clock.run_for(60_000)
        assert signs == []  # out of sight nobody knows whether somebody is there


def test_no_signs_of_life_are_sent_after_the_end(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 1})
    with served(folder) as address:
        me = person()
        me.take_over_the_clock()
        page = me.start(address)
        page.wait_for_timeout(300)
        me.moves_on(lambda: me.keys("c"))
        signs = []
        page.on("request", lambda sent: signs.append(sent.url) if sent.url.endswith("/api/alive") else None)
        page.clock.run_for(60_000)
        assert me.stage() == "done" and signs == []


def seen_again(run, who):
    """Wait until the server has written down a sign of life of now."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with run.store.reader() as connection:
            if connection.scalar(sa.select(schema.people.c.seen).where(schema.people.c.id == who)) > time.time() - 60:
                return
        time.sleep(0.05)
    raise AssertionError("the sign of life was not written down")


def hide(page):
    """Let the page believe that another tab is in front of it."""
    page.evaluate("""() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")


def test_people_who_only_arrive_hold_nothing(tmp_path, person):
    """Whoever reads the instructions has nothing before them, and keeps nothing from others."""
    folder = write_survey(tmp_path / "survey", protocol={"instructions": ["Look."], "per_person": 8, "per_item": 1})
    with served(folder) as address, open_survey(folder) as run:
        me = person()
        me.start(address)
        assert me.stage() == "instructions"
        with run.store.reader() as connection:
            assert connection.scalar(sa.select(sa.func.count()).select_from(schema.trials)) == 0
        other = arrive(run, {})
        assert submit(run, other, {"page": "instructions:0"})["page"]["stage"] == "trial"
