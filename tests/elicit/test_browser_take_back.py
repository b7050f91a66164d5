"""The last answer is taken back in a real browser: by button, by key, after a reload, with what was said filled in."""

from __future__ import annotations

import json

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS
from tests.elicit.browser import CHANGE_ANSWER, kept, served
from tests.elicit.surveys import write_survey, write_survey_of

# The keys of an answer, and those that make another of it when it is filled in again.
ANSWERS = {
    "choose": ("c", "d"),
    "top-two": (("c", "7", "0", "d", "2", "0", "-", "Enter"), ("c", "6", "0", "Enter")),
    "sliders": (("c", "7", "d", "1", "s", "0", "Enter"), ("d", "2", "Enter")),
    "allocate": (("c", "7", "0", "d", "3", "0", "Enter"), ("c", "5", "0", "s", "2", "0", "Enter")),
    "tokens": (("c", "c", "c", "d", "Enter"), ("Shift+C", "s", "Enter")),
    "typicality": (("7", "Enter"), ("ArrowRight", "Enter")),
    "similarity": ("3", "4"),
    "triplet": (("ArrowLeft",), ("ArrowRight",)),
}
CHANGED = {
    "choose": {"choice": "dog"},
    "top-two": {"first": "cat", "first_percent": 60, "second": "dog", "second_percent": 20, "ruled_out": ["ship"]},
    "sliders": {"values": {"cat": 0.7, "dog": 0.2, "ship": 0}},
    "allocate": {"percents": {"cat": 50, "dog": 30, "ship": 20}},
    "tokens": {"tokens": {"cat": 2, "dog": 1, "ship": 1}},
    "typicality": {"value": 0.71},
    "similarity": {"value": 4},
    "triplet": {"closer": "second"},
}


def take_back(me):
    me.moves_on(lambda: me.page.get_by_role("button", name=CHANGE_ANSWER).click())


def earlier(row):
    return [was["answer"] for was in json.loads(row["earlier"])]


@pytest.mark.parametrize("kind", QUESTIONS)
def test_every_question_reopens_with_its_answer(tmp_path, person, kind):
    if kind not in ANSWERS:
        pytest.fail(f"say in ANSWERS and CHANGED of this test how {kind} is answered")
    question = {"kind": kind}
    if QUESTIONS[kind].needs_classes:
        question |= {"classes": ("cat", "dog", "ship"), "shuffle": False}
    question |= {"tokens": 4} if kind == "tokens" else {}
    folder = write_survey_of(kind, tmp_path / "survey", question=question)
    with served(folder) as address:
        me = person()
        page = me.start(address)
        assert page.get_by_role("button", name=CHANGE_ANSWER).count() == 0
        me.moves_on(lambda: me.keys(*ANSWERS[kind][0]))
        (first,) = kept(folder)
        take_back(me)
        assert me.place() == "1 of 4" and page.locator(".note").is_visible()
        if "Enter" not in ANSWERS[kind][0]:
            before = page.locator("[data-before]")
            assert before.count() == 1 and "your earlier answer" in (
                before.get_attribute("aria-label") or before.inner_text()
            )
        me.moves_on(lambda: me.keys(*ANSWERS[kind][1]))
        assert me.place() == "2 of 4"
    (row,) = kept(folder)
    assert row["answer"] == CHANGED[kind] and earlier(row) == [first["answer"]] and row["taken_back"] == 1
    assert row["item"] == first["item"]


@pytest.mark.parametrize("layout", ["form", "search"])
def test_other_layouts_of_top_two_are_filled_in_again(tmp_path, person, layout):
    classes = ("cat", "dog", "ship")
    question = {"kind": "top-two", "classes": classes, "layout": layout, "shuffle": False}
    with served(write_survey(folder := tmp_path / "survey", question=question)) as address:
        me = person()
        page = me.start(address)
        if layout == "form":
            page.get_by_role("group", name="most probable?").get_by_label("cat").check()
            page.get_by_label("How probable is it, in percent (0 to 100)?", exact=True).fill("70")
            page.get_by_role("group", name="second most").get_by_role("radio").last.check()
            page.get_by_role("group", name="definitely not").get_by_label("ship").check()
        else:
            me.keys("c", "Enter", "7", "0", "-")
        me.moves_on(lambda: page.get_by_role("button", name="Next").click())
        take_back(me)
        me.moves_on(lambda: page.get_by_role("button", name="Next").click())
    (row,) = kept(folder)
    assert earlier(row) == [row["answer"]] and row["answer"]["first_percent"] == 70


def test_by_key_after_a_reload_from_a_break_and_from_the_debriefing(tmp_path, person):
    settings = {"per_person": 2, "break_every": 1, "debrief_text": "Thanks."}
    with served(write_survey(folder := tmp_path / "survey", protocol=settings)) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        assert me.stage() == "break"
        me.moves_on(lambda: me.keys("Control+z"))
        page.reload()
        me.ready()
        assert me.place() == "1 of 2" and page.locator("[data-before]").count() == 1
        me.moves_on(lambda: me.keys("d"))
        assert me.stage() == "break"
        me.moves_on(lambda: page.get_by_role("button", name="Continue").click())
        me.moves_on(lambda: me.keys("d"))
        assert me.stage() == "debrief"
        me.moves_on(lambda: me.keys("Meta+z"))
        me.moves_on(lambda: me.keys("s"))
        assert me.stage() == "debrief"
        me.moves_on(lambda: page.get_by_role("button", name="Finish").click())
        assert page.get_by_role("button", name="Take back").count() == 0
    rows = kept(folder)
    assert [row["answer"]["choice"] for row in rows] == ["dog", "ship"]
    assert [earlier(row) for row in rows] == [[{"choice": "cat"}], [{"choice": "dog"}]]


def test_the_key_belongs_to_a_text_that_is_typed_and_can_be_switched_off(tmp_path, person):
    question = {"kind": "allocate", "classes": ("cat", "dog", "ship"), "shuffle": False}
    with served(write_survey(folder := tmp_path / "survey", question=question)) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c", "1", "0", "0", "Enter"))
        me.keys("d", "5", "Control+z")  # the text field's own
        assert page.get_by_label("dog").input_value() == "" and me.place() == "2 of 4"
        box = page.get_by_role("checkbox")
        box.uncheck()
        me.keys("Control+z")
        assert page.locator("#page[aria-busy]").count() == 0 and me.place() == "2 of 4"
        box.check()
        me.moves_on(lambda: me.keys("Control+z"))
        assert me.place() == "1 of 4" and page.get_by_label("cat").input_value() == "100"
    assert [row["taken_back"] for row in kept(folder)] == [1]


def test_a_resend_from_another_tab_does_not_undo_the_change(tmp_path, person):
    """An answer hangs; another tab sends it, goes on, takes it back and changes it; then the first one arrives."""
    with served(write_survey(folder := tmp_path / "survey")) as address:
        me = person()
        page = me.start(address)
        held = []
        page.route("**/api/submit", lambda route: held.append(route))
        with page.expect_request("**/api/submit"):
            me.keys("c")
        other = me.tab()
        other.goto(page.url)  # it sends what this browser keeps, and is where the session is
        first, me.page = me.page, other
        me.ready()
        assert me.place() == "2 of 4"
        take_back(me)
        me.moves_on(lambda: me.keys("d"))
        held[0].continue_()
        first.wait_for_function("() => document.getElementById('count').textContent === '2 of 4'")
        me.moves_on(lambda: me.keys("s"))
    rows = kept(folder)
    assert [row["answer"]["choice"] for row in rows] == ["dog", "ship"]
    assert earlier(rows[0]) == [{"choice": "cat"}]


def second_tab(me):
    """Another tab at the trial at which the first one is."""
    other = me.tab()
    other.goto(me.page.url)
    other.wait_for_function("() => document.getElementById('page').dataset.ready === ''")
    return other


def test_the_next_answer_from_another_tab_ends_the_change_and_people_go_on(tmp_path, person):
    with served(write_survey(folder := tmp_path / "survey")) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        other = second_tab(me)
        take_back(me)
        page.wait_for_timeout(120)
        other.keyboard.press("d")  # there the next one is still shown
        other.wait_for_function("() => document.getElementById('count').textContent === '3 of 4'")
        page.wait_for_timeout(120)
        me.moves_on(lambda: me.keys("s"))
        assert me.place() == "3 of 4"
        assert "earlier answer stays" in page.locator("#status").inner_text()
        page.wait_for_timeout(120)
        me.moves_on(lambda: me.keys("s"))
        assert me.place() == "4 of 4" and page.locator("#status").inner_text() == ""
    me.problems = [problem for problem in me.problems if "409" not in problem]  # the browser writes every refusal down
    rows = kept(folder)
    assert [row["answer"]["choice"] for row in rows] == ["cat", "dog", "ship"]
    assert [row["taken_back"] for row in rows] == [1, 0, 0]


def test_a_change_sent_after_the_next_answer_is_reported_as_too_late(tmp_path, person):
    """It waits in the queue of a window that was closed, while another one goes on."""
    with served(write_survey(folder := tmp_path / "survey")) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        other = second_tab(me)
        take_back(me)
        page.wait_for_timeout(120)
        me.answer_offline("s")
        link = me.close_page()
        me.context.set_offline(False)
        other.keyboard.press("d")
        other.wait_for_function("() => document.getElementById('count').textContent === '3 of 4'")
        me.reopen_online(link)
        assert me.place() == "3 of 4" and "earlier answer stays" in me.page.locator("#status").inner_text()
        assert me.page.evaluate("Object.keys(localStorage).filter((key) => key.includes('trial:'))") == []
    me.problems = [problem for problem in me.problems if "409" not in problem and "net::ERR_" not in problem]
    assert [row["answer"]["choice"] for row in kept(folder)] == ["cat", "dog"]


@pytest.mark.parametrize(("first", "second"), [("take-back", "submit"), ("submit", "take-back")])
def test_answering_before_the_last_answer_reopens_continues(tmp_path, person, first, second):
    """Both are sent without a network. Whichever arrives first, and is replied to last, all that was said stays."""
    with served(write_survey(folder := tmp_path / "survey")) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        me.context.set_offline(True)
        page.get_by_role("button", name=CHANGE_ANSWER).click(delay=60)
        page.get_by_text("No connection.").wait_for()
        page.wait_for_timeout(120)
        me.keys("d")
        page.wait_for_function("() => Object.keys(localStorage).some((key) => key.includes('trial:'))")
        held = {}
        for name in (first, second):
            me.context.route(f"**/api/{name}", lambda route: held.setdefault(route.request.url.split("/")[-1], route))
        me.context.set_offline(False)
        while len(held) < 2:
            page.wait_for_timeout(20)
        replies = {name: held[name].fetch() for name in (first, second)}
        for name in (second, first):
            with page.expect_response(f"**/api/{name}"):
                held[name].fulfill(response=replies[name])
            me.context.unroute(f"**/api/{name}")
        page.wait_for_function("() => document.getElementById('count').textContent === '3 of 4'")
        me.ready()
        assert me.place() == "3 of 4"
        page.reload()  # where the page is, there is the session
        me.ready()
        assert me.place() == "3 of 4"
        me.moves_on(lambda: me.keys("s"))
    me.problems = [problem for problem in me.problems if "409" not in problem and "net::ERR_" not in problem]
    assert [row["answer"]["choice"] for row in kept(folder)] == ["cat", "dog", "ship"]


def test_a_double_click_on_the_button_takes_back_one_answer(tmp_path, person):
    with served(write_survey(folder := tmp_path / "survey")) as address:
        me = person()
        page = me.start(address)
        for key in "cd":
            me.moves_on(lambda: me.keys(key))  # noqa: B023
        me.moves_on(lambda: page.get_by_role("button", name=CHANGE_ANSWER).dblclick(delay=20))
        assert me.place() == "2 of 4" and page.get_by_role("button", name="Take back").count() == 0
        me.moves_on(lambda: me.keys("s"))
    assert [(row["answer"]["choice"], row["taken_back"]) for row in kept(folder)] == [("cat", 0), ("ship", 1)]
