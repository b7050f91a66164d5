"""What stands between a browser and the survey answers in its place; in the end each answer is stored once."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

import pytest

from dissensus.elicit.identity import SECRET_FILE
from dissensus.elicit.server import find_free_port
from tests.elicit.browser import Person, kept, served
from tests.elicit.servers import start_server
from tests.elicit.surveys import write_survey

PORTAL = "<!doctype html><title>Welcome to Hotel Wi-Fi</title><form><input name=room></form>"
ANSWERS = {
    "a login page with status 200": {"status": 200, "content_type": "text/html", "body": PORTAL},
    "a login page that says it is JSON": {"status": 200, "content_type": "application/json", "body": '{"ok": true}'},
    "a login page elsewhere": {"status": 302, "headers": {"location": "https://portal.example/login"}},
    "a refusal": {"status": 403, "content_type": "text/html", "body": "<h1>403 Forbidden</h1>"},
    "a refusal in JSON": {"status": 401, "content_type": "application/json", "body": '{"error": "unauthorized"}'},
    "a missing page": {"status": 404, "content_type": "text/html", "body": "<h1>404 Not Found</h1>"},
    "a limit of size": {"status": 413, "content_type": "text/html", "body": "<h1>413 Request Entity Too Large</h1>"},
    "a wrong host": {"status": 421, "body": "Misdirected Request"},
}
STORED = "Object.keys(localStorage).filter((key) => key.includes('trial:'))"
BUSY = {"too slow": 408, "too early": 425, "too many": 429, "a bad gateway": 502, "away": 503}


@pytest.fixture
def survey(tmp_path):
    return write_survey(tmp_path / "survey", protocol={"per_person": 4})


def between(me, what="**/api/**", **reply):
    """Something that answers in the survey's place, until it is gone.

    A busy browser may still let a request through when Playwright says that it takes them all: asked until it does.
    """
    asked = []
    me.context.route(what, lambda route: (asked.append(route), route.fulfill(**reply)))
    while not asked:
        path = what.removeprefix("**/").replace("**", "probe")
        me.page.evaluate("(path) => fetch(path, { redirect: 'manual' }).then(() => null, () => null)", path)
    return lambda: me.context.unroute(what)


def place_is(page, place):
    page.wait_for_function("(place) => document.getElementById('count').textContent === place", arg=place)


def answers(folder):
    return [row["answer"]["choice"] for row in kept(folder)]


def without_replies(me):
    """The browser writes every refused request into its console, which is no fault of the page.

    It also announces, now and then, the way to the login page, which the page does not go (redirect: "manual").
    """
    harmless = ("Failed to load resource", "net::ERR_", "https://portal.example/login")
    me.problems = [problem for problem in me.problems if not any(words in problem for words in harmless)]
    assert me.page.url.startswith("http://127.0.0.1")


@pytest.mark.parametrize("reply", ANSWERS.values(), ids=ANSWERS)
def test_whoever_answers_in_the_surveys_place_loses_nothing(survey, person, reply):
    with served(survey) as address:
        me = person()
        page = me.start(address)
        gone = between(me, **reply)
        me.keys("c")
        page.get_by_text("network want you to log in").wait_for()
        assert answers(survey) == [] and len(page.evaluate(STORED)) == 1
        gone()
        place_is(page, "2 of 4")
        assert page.locator("#status").inner_text() == "" and page.evaluate(STORED) == []
        me.ready()
        me.moves_on(lambda: me.keys("d"))
    without_replies(me)
    assert answers(survey) == ["cat", "dog"]


@pytest.mark.parametrize("status", BUSY.values(), ids=BUSY)
def test_whoever_is_busy_is_asked_again(survey, person, status):
    with served(survey) as address:
        me = person()
        page = me.start(address)
        gone = between(me, status=status, body="later")
        me.keys("c")
        page.get_by_text("No connection.").wait_for()
        gone()
        place_is(page, "2 of 4")
    without_replies(me)
    assert answers(survey) == ["cat"]


def test_a_reply_that_never_comes_is_not_waited_for(survey, person):
    with served(survey) as address:
        me = person()
        me.take_over_the_clock()
        held = []
        # Before the page is there: an open one may still send past it, and Playwright does not tell of what it missed.
        me.context.route("**/api/submit", lambda route: held.append(route))
        page = me.start(address)
        with page.expect_request("**/api/submit"):  # before it is sent, no time runs out
            me.keys("c")
        assert len(page.evaluate(STORED)) == 1
        with page.expect_request("**/api/submit"):  # the page has given the first one up
            page.clock.fast_forward(31_000)
        page.get_by_text("No connection.").wait_for()
        held[1].continue_()
        place_is(page, "2 of 4")
    without_replies(me)
    assert len(held) == 2 and answers(survey) == ["cat"]


def test_a_login_page_a_closed_window_and_a_new_server_leave_one_answer(survey, person):
    port = find_free_port()
    process, address = start_server(survey, None, port=port)
    try:
        me = person()
        page = me.start(address)
        gone = between(me, **ANSWERS["a login page with status 200"])
        me.keys("c")
        page.get_by_text("network want you to log in").wait_for()
        link = page.url
        page.close()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process, _ = start_server(survey, None, port=port)
        me.page = me.tab()
        me.page.goto(link)
        me.page.get_by_text("network want you to log in").wait_for()
        gone()
        me.ready()
        assert me.place() == "2 of 4" and me.page.evaluate(STORED) == []
    finally:
        process.terminate()
        process.wait(20)
    assert answers(survey) == ["cat"]


def test_an_answer_blocked_by_a_filter_is_reported_and_can_be_sent_again(survey, person):
    """A filter that dislikes one answer, while all else passes, must not leave somebody waiting for ever."""
    with served(survey) as address:
        me = person()
        page = me.start(address)
        gone = between(me, "**/api/submit", **ANSWERS["a refusal"])
        me.keys("c")
        page.locator(".problem", has_text="Not sent, but kept here: your network").wait_for()
        assert len(page.evaluate(STORED)) == 1 and answers(survey) == []
        gone()
        me.moves_on(lambda: me.keys("c"))
        assert me.place() == "2 of 4" and page.evaluate(STORED) == []
    without_replies(me)
    assert answers(survey) == ["cat"]


def test_buttons_that_were_pressed_in_vain_can_be_pressed_again(tmp_path, person):
    folder = write_survey(tmp_path / "survey", protocol={"consent": "Do you agree?"})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        gone = between(me, "**/api/submit", **ANSWERS["a refusal"])
        agree = page.get_by_role("button", name="I agree")
        agree.click()
        page.locator(".problem", has_text="Not sent, but kept").wait_for()
        assert agree.evaluate("(button) => button === document.activeElement")
        gone()
        me.moves_on(lambda: me.keys("Enter"))
        assert me.place() == "1 of 4"
    without_replies(me)


def test_one_entry_that_is_refused_holds_up_no_other(survey, person):
    with served(survey) as address:
        me = person()
        page = me.start(address)
        me.answer_offline("c")
        # An older entry of a trial that the database has lost, and one that was damaged, before the good one.
        page.evaluate("""() => {
            const key = Object.keys(localStorage).find((name) => name.includes("trial:"));
            const old = { ...JSON.parse(localStorage.getItem(key)), page: "trial:lost", client: 1 };
            localStorage.setItem(key.replace(/trial:.*/, "trial:lost"), JSON.stringify(old));
            localStorage.setItem(key.replace(/trial:.*/, "trial:damaged"), "{");
        }""")
        me.reopen_online(me.close_page())
        assert me.place() == "2 of 4" and answers(survey) == ["cat"]
        me.page.get_by_text("kept in this browser").wait_for()
        assert sorted(key.split(":")[-1] for key in me.page.evaluate(STORED)) == ["damaged", "lost"]
        for _ in range(3):
            me.moves_on(lambda: me.keys("d"))
        assert me.stage() == "done" and me.page.get_by_text("answers are saved").count() == 0
    without_replies(me)
    assert answers(survey) == ["cat", "dog", "dog", "dog"]


def test_two_tabs_that_send_the_same_queue_store_one_answer(survey, person):
    with served(survey) as address:
        me = person()
        me.start(address)
        me.answer_offline("c")
        link = me.close_page()
        tabs = [me.tab(), me.tab()]
        me.context.set_offline(False)
        held = []
        me.context.route("**/api/submit", lambda route: held.append(route))
        for tab in tabs:
            tab.goto(link)
        while len(held) < 2:  # both have read the queue and sent it before either has an answer
            tabs[0].wait_for_timeout(20)
        for route in held:
            route.continue_()
        me.context.unroute("**/api/submit")
        for tab in tabs:
            place_is(tab, "2 of 4")
        assert tabs[0].evaluate(STORED) == []
        me.page = tabs[0]
    without_replies(me)
    assert answers(survey) == ["cat"]


def test_a_key_that_was_lost_and_found_again_leaves_the_answer(survey, person):
    port = find_free_port()
    process, address = start_server(survey, None, port=port)
    key = (survey / SECRET_FILE).read_text()

    def restarted(secret):
        process.terminate()
        process.wait(20)
        (survey / SECRET_FILE).write_text(secret)
        return start_server(survey, None, port=port)[0]

    try:
        me = person()
        page = me.start(address)
        process = restarted("x" * 64)
        me.keys("c")
        page.locator("[data-stage=lost]").wait_for()
        assert page.get_by_text("kept in this").first.is_visible()
        process = restarted(key)
        page.reload()
        me.ready()
        assert me.place() == "2 of 4" and page.evaluate(STORED) == []
    finally:
        process.terminate()
        process.wait(20)
    without_replies(me)
    assert answers(survey) == ["cat"]


def test_a_full_storage_leaves_the_open_page_to_keep_the_answer(survey, person):
    with served(survey) as address:
        me = person()
        page = me.start(address)
        page.evaluate("""() => {
            for (let size = 2 ** 22; size >= 1; size /= 2)
                try { for (let i = 0; ; i += 1) localStorage.setItem(`full-${size}-${i}`, "x".repeat(size)); } catch { }
        }""")
        with gone_for_a_while(me):
            assert page.evaluate(STORED) == []
            with page.expect_event("dialog") as asked:
                page.close(run_before_unload=True)  # the page asks not to be closed, and is not
            assert asked.value.type == "beforeunload"
            asked.value.dismiss()
            page.wait_for_function("() => true")
            assert not page.is_closed()
        place_is(page, "2 of 4")
    without_replies(me)
    assert answers(survey) == ["cat"]


def test_a_browser_that_keeps_nothing_still_sends_everything(survey, launched):
    with served(survey) as address, launched("--disable-local-storage") as browser:
        me = Person(browser)
        page = me.start(address)
        assert page.evaluate("window.localStorage") is None
        with gone_for_a_while(me):
            pass
        place_is(page, "2 of 4")
        me.ready()
        me.moves_on(lambda: me.keys("d"))
        without_replies(me)
        assert not me.problems
    assert answers(survey) == ["cat", "dog"]


@contextmanager
def gone_for_a_while(me):
    """An answer is given while there is no network, which comes back at the end."""
    me.answer_offline("c")
    yield
    me.context.set_offline(False)
