"""What is said about practice is read, whatever happens before: a reload, a lost network, a closed window."""

from __future__ import annotations

import pytest

from tests.elicit.browser import kept, served
from tests.elicit.surveys import write_survey

PRACTICE = [{"item": "p0", "feedback": "Most say cat."}, {"item": "p1", "feedback": "Many say dog."}]


@pytest.fixture
def survey(tmp_path):
    return write_survey(tmp_path / "survey", practice=PRACTICE, protocol={"per_person": 2})


def read_on(me):
    me.page.wait_for_timeout(120)
    me.moves_on(lambda: me.page.get_by_role("button", name="Continue").click(delay=60))


def test_it_is_there_after_a_reload_until_it_was_read(survey, person):
    with served(survey) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        for _ in range(2):
            assert me.stage() == "feedback" and page.get_by_text("Most say cat.").is_visible()
            page.reload()
            me.ready()
        read_on(me)
        assert page.get_by_text("Practice", exact=True).is_visible() and me.place() == "2 of 2"
        page.reload()
        me.ready()
        assert me.place() == "2 of 2"
        me.moves_on(lambda: me.keys("d"))
        assert page.get_by_text("Many say dog.").is_visible()
        read_on(me)
        page.goto(f"{address}/start")  # somebody else in the same tab
        me.ready()
        assert me.place() == "1 of 2"
    assert [row["kind"] for row in kept(survey)] == ["practice", "practice"]


def test_it_comes_with_an_answer_that_was_sent_by_a_later_visit(survey, person):
    with served(survey) as address:
        me = person()
        me.start(address)
        me.answer_offline("c")
        me.reopen_online(me.close_page())
        assert me.stage() == "feedback" and me.page.get_by_text("Most say cat.").is_visible()
        read_on(me)
        assert me.place() == "2 of 2"
    me.problems = [problem for problem in me.problems if "net::ERR_" not in problem]
