"""How people leave, in a real browser: the code of their outcome, and the way back, which they see coming."""

from __future__ import annotations

import pytest

from dissensus.elicit.survey.ends import COMPLETE, WAIT
from tests.elicit.browser import served
from tests.elicit.surveys import write_survey

ENDS = {
    "completed": {"code": "CDONE"},
    "screened_out": {"code": "CSCREEN"},
    "declined": {"code": "CNOTHANKS"},
    "full": {"code": "CFULL"},
}
ASKED = {
    "protocol": {"consent": "Yes?", "per_person": 1, "per_item": 1},
    "comprehension": [{"question": "May people differ?", "options": ["Yes", "No"], "correct": "Yes"}],
    "people": {"source": "prolific"},
    "contact": "Ada, ada@example.org",
}
GAP = 120  # milliseconds between the clicks of a hand


def link(number):
    return f"/start?PROLIFIC_PID={number:024x}&STUDY_ID={7:024x}&SESSION_ID={number + 99:024x}"


def press(me, name):
    me.page.wait_for_timeout(GAP)
    me.moves_on(lambda: me.page.get_by_role("button", name=name).click())


def decline(me):
    press(me, "I do not want to take part")


def fail(me):
    press(me, "I agree")
    for _ in range(2):
        me.page.get_by_label("No").check()
        press(me, "Check my answers")


def complete(me):
    press(me, "I agree")
    me.page.get_by_label("Yes").check()
    press(me, "Check my answers")
    press(me, "cat")


def meet_nothing(me):
    press(me, "I agree")
    me.page.get_by_label("Yes").check()
    press(me, "Check my answers")


@pytest.fixture
def prolific(person):
    """Function that gives somebody whose browser finds a page at Prolific, which tells where it was called."""

    def come():
        me = person()
        me.leaves_traces = True
        page = {"body": "<h1>Prolific</h1>", "content_type": "text/html"}
        me.context.route("https://app.prolific.com/**", lambda route: route.fulfill(**page))
        return me

    yield come


@pytest.mark.parametrize(
    ("number", "leave", "outcome"),
    [
        (1, complete, "completed"),
        (2, decline, "declined"),
        (3, fail, "screened_out"),
    ],
)
def test_everybody_is_taken_back_with_the_one_code_of_their_outcome(tmp_path, prolific, number, leave, outcome):
    folder = write_survey(tmp_path / "survey", **ASKED, ends=ENDS)
    code = ENDS[outcome]["code"]
    with served(folder) as address:
        me = prolific()
        me.page.clock.install()
        me.page.goto(address + link(number))
        me.ready()
        leave(me)
        assert me.page.locator(".code").all_inner_texts() == [code]
        assert me.page.get_by_role("timer").inner_text() == "20"
        me.page.clock.run_for(1000)
        me.page.wait_for_function("() => document.querySelector('[role=timer]').textContent < 20")
        assert "“Stay on" in me.page.locator("main [role=status]").inner_text()  # it is read out, once
        me.page.clock.run_for(20_000)
        me.page.wait_for_url(f"{COMPLETE}?cc={code}")
        me.problems.clear()  # a page that is not the survey's was asked for, as it should be


def test_whoever_comes_when_nothing_is_left_gets_their_way_back_too(tmp_path, prolific):
    folder = write_survey(tmp_path / "survey", **ASKED, ends=ENDS)
    for name in range(1, 8):
        (folder / "items" / f"p{name}.png").unlink()
    with served(folder) as address:
        for number, leave in ((1, complete), (2, meet_nothing)):
            me = prolific()
            me.page.goto(address + link(number))
            me.ready()
            leave(me)
        assert me.stage() == "full" and me.page.locator(".code").inner_text() == "CFULL"
        button = me.page.get_by_role("link", name="Return to Prolific")
        assert button.get_attribute("href") == f"{COMPLETE}?cc=CFULL"


def test_the_return_can_be_stopped_by_key_and_does_not_start_again(tmp_path, prolific):
    folder = write_survey(tmp_path / "survey", **ASKED, ends=ENDS)
    with served(folder) as address:
        me = prolific()
        me.page.clock.install()
        me.page.goto(address + link(1))
        me.ready()
        decline(me)
        for key in ("Tab", "Tab"):
            me.page.keyboard.press(key)
        assert me.page.evaluate("document.activeElement.textContent").startswith("Stay")
        me.may_move(lambda: me.page.keyboard.press("Enter"))
        me.page.clock.run_for(60_000)
        assert "stay" in me.page.locator(".countdown").inner_text()
        assert me.page.evaluate("document.activeElement.textContent") == "Return to Prolific"
        assert me.page.url.startswith(address)


def counted_down(me):
    """Let the countdown of the page run out."""
    me.page.get_by_role("timer").wait_for()
    me.page.clock.run_for(1000 * WAIT + 2000)


@pytest.mark.parametrize("by", ["countdown", "button", "staying"])
def test_whoever_went_back_once_or_stayed_is_not_sent_away_again_and_somebody_else_is(tmp_path, prolific, by):
    """They come back in a new tab; then another person uses the same browser."""
    folder = write_survey(tmp_path / "survey", **ASKED, ends=ENDS)
    back = f"{COMPLETE}?cc={ENDS['declined']['code']}"
    with served(folder) as address:
        me = prolific()
        me.page.clock.install()
        me.page.goto(address + link(1))
        me.ready()
        decline(me)
        if by == "staying":
            me.may_move(lambda: me.page.get_by_role("button", name="Stay on this page").click(delay=60))
        else:
            counted_down(me) if by == "countdown" else me.page.get_by_role("link", name="Return").click(delay=60)
            me.page.wait_for_url(back)
        me.page = me.tab()
        me.page.goto(address + link(1))
        me.ready()
        assert me.page.locator(".code").inner_text() == ENDS["declined"]["code"]
        assert me.page.get_by_role("link", name="Return to Prolific").is_visible()
        assert me.page.get_by_role("timer").count() == 0
        me.page = me.tab()
        me.page.goto(address + link(2))
        me.ready()
        decline(me)
        counted_down(me)
        me.page.wait_for_url(back)
        me.problems.clear()  # a page that is not the survey's was asked for, as it should be


def test_without_a_code_people_get_instructions_and_no_redirect(tmp_path, prolific):
    folder = write_survey(tmp_path / "survey", **ASKED)
    with served(folder) as address:
        me = prolific()
        me.page.goto(address + link(1))
        me.ready()
        decline(me)
        assert me.page.get_by_text("“Stop without").is_visible()
        assert me.page.get_by_role("timer").count() == me.page.locator(".code").count() == 0
        href = me.page.get_by_role("link", name="Return to Prolific").get_attribute("href")
        assert href == "https://app.prolific.com/submissions"
