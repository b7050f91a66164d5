"""A whole survey in a real browser, and everything that goes wrong in one: in the end exactly one answer each."""

from __future__ import annotations

import os
import signal
from collections import Counter
from urllib.parse import urlencode

from dissensus.elicit.server import find_free_port
from tests.elicit.browser import kept, served
from tests.elicit.servers import start_server
from tests.elicit.surveys import from_prolific, write_survey

PROTOCOL = {
    "consent": "You will judge **pictures**.\n\nDo you agree?",
    "instructions": ["Look.", "Then say what it is."],
    "per_person": 4,
    "attention_every": 2,
    "repeats": 1,
    "break_every": 2,
    "debrief_text": "One more thing.",
}
WHOLE = {
    "protocol": PROTOCOL,
    "people": {"source": "prolific"},
    "ends": {"completed": {"code": "CDONE42"}},
    "contact": "Ada, ada@example.org",
    "practice": [{"item": "p0", "feedback": "Most say cat, **some** dog."}],
    "comprehension": [{"question": "May people differ?", "options": ["Yes", "No"], "correct": "Yes"}],
    "attention": {"p1": "dog", "p2": "ship"},
    "debrief": [
        {"name": "hard", "question": "Was it hard?", "options": ["Yes", "No"], "required": True},
        {"name": "comments", "question": "Comments"},
    ],
}
SOMEBODY = f"/start?{urlencode(from_prolific(0x5F01))}"


def press(me, name):
    me.moves_on(lambda: me.page.get_by_role("button", name=name).click())


def test_a_whole_survey_from_consent_to_the_code(tmp_path, person):
    folder = write_survey(tmp_path / "survey", **WHOLE)
    me = person()
    with served(folder) as address:
        me.page.goto(address + SOMEBODY)
        me.ready()
        assert me.heading() == "Animals" and me.page.locator("main strong").inner_text() == "pictures"
        assert me.page.get_by_text("Ada, ada@").is_visible()
        press(me, "I agree")
        for text in ("Look.", "Then say what it is."):
            assert me.page.get_by_text(text).is_visible()
            press(me, "Continue")
        me.page.get_by_label("No").check()
        press(me, "Check my answers")
        assert me.page.get_by_text("was wrong").is_visible()
        me.page.get_by_label("Yes").check()
        press(me, "Check my answers")
        assert me.page.get_by_text("Practice", exact=True).is_visible() and me.place() == "1 of 1"
        me.moves_on(lambda: me.keys("c"))
        assert me.page.locator(".feedback strong").inner_text() == "some"
        me.moves_on(lambda: me.keys("Enter"))  # the button has the focus; "c" is not answered a second time
        stages = []
        while me.stage() != "debrief":
            stages.append("break" if me.stage() == "break" else me.place())
            if stages[-1] == "break":
                press(me, "Continue")
            else:
                me.moves_on(lambda: me.keys("d"))
        me.page.get_by_label("No").check()
        me.page.get_by_label("Comments").fill("<b>Fine</b>, cordially")
        press(me, "Finish")
        assert me.stage() == "done" and me.page.locator(".code").inner_text() == "CDONE42"
        link = me.page.get_by_role("link", name="Return to Prolific")
        assert link.get_attribute("href") == "https://app.prolific.com/submissions/complete?cc=CDONE42"
    assert [stage for stage in stages if stage != "break"] == [f"{i} of 7" for i in range(1, 8)]
    assert stages.count("break") == 1
    rows = kept(folder)
    assert Counter(row["kind"] for row in rows) == {"practice": 1, "main": 4, "attention": 2, "repeat": 1}
    assert {row["answer"]["choice"] for row in rows[1:]} == {"dog"} and rows[0]["answer"] == {"choice": "cat"}
    repeated = next(row["item"] for row in rows if row["kind"] == "repeat")
    assert repeated in {row["item"] for row in rows if row["kind"] == "main"}


def test_whoever_declines_or_fails_twice_is_thanked(tmp_path, person):
    folder = write_survey(
        tmp_path / "survey", **{**WHOLE, "people": {"source": "open"}, "protocol": {"consent": "Yes?"}}
    )
    with served(folder) as address:
        declining, failing = person(), person()
        declining.start(address)
        press(declining, "I do not want to take part")
        assert declining.stage() == "declined"
        failing.start(address)
        press(failing, "I agree")
        for _ in range(2):
            failing.page.get_by_label("No").check()
            press(failing, "Check my answers")
        assert failing.stage() == "failed"


def test_double_clicks_held_keys_refresh_and_the_back_button_give_one_answer_each(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 6})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: page.get_by_role("button", name="cat").dblclick())
        page.mouse.down(click_count=2)  # the second click of a slower hand, when the next page is there
        page.mouse.up(click_count=2)
        assert page.locator("#page[aria-busy]").count() == 0 and me.place() == "2 of 6"
        page.keyboard.down("c")
        for _ in range(5):
            page.keyboard.down("c")  # repeats, as of a key that is held
        page.wait_for_function("() => document.getElementById('count').textContent === '3 of 6'")
        page.keyboard.up("c")
        page.reload()
        me.ready()
        assert me.place() == "3 of 6"
        me.moves_on(lambda: me.keys("d"))
        page.goto("about:blank")
        page.go_back()
        me.ready()
        assert me.place() == "4 of 6"
        me.moves_on(lambda: me.keys("s"))
    rows = kept(folder)
    assert [row["answer"]["choice"] for row in rows] == ["cat", "cat", "dog", "ship"]
    assert len({row["item"] for row in rows}) == 4


def test_two_tabs_give_one_answer_to_each_trial(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 3})
    with served(folder) as address:
        me = person()
        first = me.start(address)
        second = me.tab()
        second.goto(first.url)
        second.wait_for_selector("#answer")
        first.bring_to_front()
        me.moves_on(lambda: me.keys("c"))
        # The second tab still shows the first trial: what it says of it comes too late, and it is taken along.
        second.evaluate("document.querySelector('.around button').click()")
        second.wait_for_function("() => document.getElementById('count').textContent === '2 of 3'")
        me.moves_on(lambda: me.keys("d"))
        second.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # as when somebody returns to it
        second.wait_for_function("() => document.getElementById('count').textContent === '3 of 3'")
    assert [row["answer"]["choice"] for row in kept(folder)] == ["cat", "dog"]


def test_without_a_network_answers_wait_in_the_browser(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 4})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        me.answer_offline("c")
        me.keys("d")  # nothing is there to be answered yet
        me.moves_on(lambda: me.context.set_offline(False))
        assert me.place() == "2 of 4" and page.locator("#status").inner_text() == ""
        me.answer_offline("d")
        me.reopen_online(me.close_page())  # the browser is closed with the answer still in it
        assert me.place() == "3 of 4"
        me.problems = [problem for problem in me.problems if "ERR_INTERNET_DISCONNECTED" not in problem]
    assert [row["answer"]["choice"] for row in kept(folder)] == ["cat", "dog"]


def test_a_server_that_is_killed_and_comes_back_has_the_answer_once(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 3})
    port = find_free_port()
    process, address = start_server(folder, None, port=port)
    try:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        me.keys("d")
        page.get_by_text("No connection.").wait_for()
        process, _ = start_server(folder, None, port=port)
        page.wait_for_function("() => document.getElementById('count').textContent === '3 of 3'")
        me.problems = [problem for problem in me.problems if "net::ERR_" not in problem]
    finally:
        process.terminate()
        process.wait(20)
    assert [row["answer"]["choice"] for row in kept(folder)] == ["cat", "dog"]


def test_the_same_link_resumes_on_another_day(tmp_path, person):
    folder = write_survey(tmp_path / "survey", people={"source": "prolific"})
    with served(folder) as address:
        for choice in ("c", "d"):
            me = person()  # another browser, which knows nothing of the first
            me.page.goto(address + SOMEBODY)
            me.ready()
            me.moves_on(lambda: me.keys(choice))  # noqa: B023
        assert me.place() == "3 of 4"
    rows = kept(folder)
    assert [row["answer"]["choice"] for row in rows] == ["cat", "dog"]
    assert len({row["annotator"] for row in rows}) == 1 and len({row["item"] for row in rows}) == 2


def test_the_time_away_from_the_page_is_not_the_answers(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 1})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        page.evaluate("window.dispatchEvent(new Event('blur'))")
        page.wait_for_timeout(300)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        me.moves_on(lambda: me.keys("c"))
    (row,) = kept(folder)
    ((left, back),) = row["times"]["away"]
    assert back - left >= 300 and row["away_seconds"] == (back - left) / 1000
    times = row["times"]
    assert abs(row["seconds"] - (times["submitted"] - times["looked"] - (back - left)) / 1000) < 1e-9


def test_nobody_has_looked_before_the_picture_is_there(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 1})
    with served(folder) as address:
        me = person()
        waiting = []
        me.page.route("**/media/**", lambda route: waiting.append(route))
        with me.page.expect_request("**/media/**"):
            me.page.goto(f"{address}/start")
        me.page.wait_for_selector("img")
        me.page.wait_for_timeout(250)
        for route in waiting:
            route.continue_()
        me.ready()
        me.page.wait_for_timeout(50)
        me.moves_on(lambda: me.keys("c"))
    (row,) = kept(folder)
    assert row["times"]["looked"] >= 200


def test_names_of_classes_and_items_are_always_shown_as_text(tmp_path, person):
    nasty = '<img src=x onerror="window.broken=1">'
    folder = tmp_path / "survey"
    folder.mkdir()
    (folder / "items.csv").write_text(
        f'item,text\na,"{nasty.replace(chr(34), chr(34) * 2)}"\nb,</p><script>1</script>\n'
    )
    write_survey(
        folder,
        items="items.csv",
        question={"kind": "choose", "classes": [nasty, "plain"], "prompt": nasty},
        title=nasty,
        protocol={"per_person": 2, "debrief_text": nasty},
    )
    with served(folder) as address:
        me = person()
        page = me.start(address)
        for _ in range(2):
            assert page.inner_text("blockquote") in (nasty, "</p><script>1</script>") and me.heading() == nasty
            me.moves_on(lambda: page.get_by_role("button", name="<img").click())
        assert page.get_by_text("onerror").count() == 2 and page.evaluate("window.broken") is None
    assert [row["answer"]["choice"] for row in kept(folder)] == [nasty, nasty]


def test_the_browser_itself_submits_to_mturk(tmp_path, person):
    folder = write_survey(tmp_path / "survey", people={"source": "mturk"}, protocol={"per_person": 1})
    query = "workerId=A1W1&assignmentId=A1&hitId=H1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
    with served(folder) as address:
        me = person()
        me.page.goto(f"{address}/start?workerId=A1W1&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
        assert me.page.get_by_text("This is a preview.").is_visible()
        me.page.goto(f"{address}/start?{query}")
        me.ready()
        me.moves_on(lambda: me.keys("c"))
        form = me.page.locator("main form")
        assert form.get_attribute("action") == "https://workersandbox.mturk.com/mturk/externalSubmit"
        assert form.locator("[name=assignmentId]").get_attribute("value") == "A1"
        assert me.page.get_by_role("button", name="Submit to MTurk").is_visible()
