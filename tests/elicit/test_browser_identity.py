"""Whose session a link opens, in real browsers: one's own where it was begun, and nobody else's."""

from __future__ import annotations

from urllib.parse import urlencode

from tests.elicit.browser import kept, served
from tests.elicit.surveys import from_prolific, write_survey
from tests.facts import states

PROLIFIC = {"people": {"source": "prolific"}, "contact": "Ada, ada@example.org", "protocol": {"per_person": 4}}


def come(me, address, **query):
    me.page.goto(f"{address}/start?{urlencode(query)}")
    me.ready()


def test_the_id_of_somebody_else_shows_nothing_of_theirs(tmp_path, person):
    folder = write_survey(tmp_path / "survey", **PROLIFIC)
    with served(folder) as address:
        me, thief = person(), person()
        come(me, address, **from_prolific(1))
        me.moves_on(lambda: me.keys("c"))
        for query in ({"PROLIFIC_PID": from_prolific(1)["PROLIFIC_PID"]}, from_prolific(1, visit=2)):
            come(thief, address, **query)
            assert thief.stage() == "elsewhere" and "token" not in thief.page.url
            assert states(thief.page.inner_text("main"), "browser")
            assert thief.page.get_by_text("Ada, ada@").is_visible()
            assert thief.page.locator("img, #progress:not([hidden])").count() == 0
            assert thief.page.evaluate("Object.keys(localStorage).length") == 0
        assert me.place() == "2 of 4"
    assert len(kept(folder)) == 1


def test_a_session_resumes_in_its_browser_by_any_link_of_the_person(tmp_path, person):
    folder = write_survey(tmp_path / "survey", **PROLIFIC)
    with served(folder) as address:
        me = person()
        come(me, address, **from_prolific(1))
        me.moves_on(lambda: me.keys("c"))
        come(me, address, **from_prolific(1, visit=2))
        assert me.place() == "2 of 4"
        come(me, address, PROLIFIC_PID=from_prolific(1)["PROLIFIC_PID"])
        me.moves_on(lambda: me.keys("c"))
        assert me.place() == "3 of 4"
    assert len({row["annotator"] for row in kept(folder)}) == 1


def test_two_people_on_one_machine_each_find_their_own(tmp_path, person):
    folder = write_survey(tmp_path / "survey", **PROLIFIC)
    with served(folder) as address:
        me = person()
        come(me, address, **from_prolific(1))
        me.moves_on(lambda: me.keys("c"))
        come(me, address, **from_prolific(2))
        assert me.place() == "1 of 4"
        come(me, address, **from_prolific(1, visit=2))
        assert me.place() == "2 of 4"
        come(me, address, **from_prolific(2, visit=2))
        assert me.place() == "1 of 4"


def test_the_same_visit_resumes_in_another_browser(tmp_path, person):
    folder = write_survey(tmp_path / "survey", **PROLIFIC)
    with served(folder) as address:
        me, again = person(), person()
        come(me, address, **from_prolific(1))
        me.moves_on(lambda: me.keys("c"))
        come(again, address, **from_prolific(1))
        assert again.place() == "2 of 4"


def test_a_worker_who_comes_again_submits_the_assignment_of_today(tmp_path, person):
    folder = write_survey(tmp_path / "survey", people={"source": "mturk"}, protocol={"per_person": 1})
    link = {"workerId": "A1W1", "hitId": "H1", "turkSubmitTo": "https://workersandbox.mturk.com"}
    with served(folder) as address:
        me = person()
        come(me, address, assignmentId="FIRST1", **link)
        come(me, address, assignmentId="SECOND2", **link)
        me.moves_on(lambda: me.keys("c"))
        assert me.page.locator("main form [name=assignmentId]").get_attribute("value") == "SECOND2"
