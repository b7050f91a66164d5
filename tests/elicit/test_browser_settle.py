"""Clicks and keys at the pace of hands: a double click or a doubled key answers one item, whatever is asked."""

from __future__ import annotations

import time

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS
from tests.elicit.browser import CHANGE_ANSWER, kept, served
from tests.elicit.surveys import write_survey, write_survey_of

GAPS = (60, 100, 150, 250)  # milliseconds between the two presses of one hand
SLOWEST = 0.3  # seconds: input counts from 0.3 s after a page is painted, which is later than the first press
PAUSE = "(gap) => new Promise((done) => setTimeout(done, gap))"
# What is to be done before the button or the key that sends, for kinds where one press is not the whole answer.
FIRST = {
    "top-two": ["c", "7", "0"],
    "sliders": ["c", "7", "d", "7", "s", "7"],
    "allocate": ["c", "1", "0", "0"],
    "tokens": ["c"] * 10,
    "typicality": ["7"],
}
SENDS = {"choose": "cat", "similarity": "3", "triplet": "The left one"}
KEY = {"choose": "c", "similarity": "3", "triplet": "ArrowLeft"}


def twice(me, press, gap):
    """Press, and press again after this many milliseconds, as a hand does, whatever the page does meanwhile.

    On a busy machine the second press can be late. From 300 ms after the first it may be an answer of its own, so it is
    left out then.
    """
    start = time.monotonic()
    press()
    me.page.evaluate(PAUSE, gap)
    if time.monotonic() - start < SLOWEST:
        press()


def at_the_place_of(me, name):
    """Function that clicks where this button is now, whatever is there later."""
    box = me.page.get_by_role("button", name=name).first.bounding_box()
    return lambda: me.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_double_click_and_a_doubled_key_answer_one_item(tmp_path, person, kind):
    if kind not in {*FIRST, *SENDS}:
        pytest.fail(f"say in FIRST or SENDS of this test how {kind} is answered")
    more = {"tokens": 10} if kind == "tokens" else {}
    classes = {} if not QUESTIONS[kind].needs_classes else {"classes": ("cat", "dog", "ship"), "shuffle": False}
    folder = write_survey_of(
        kind, tmp_path / "survey", question={"kind": kind, **classes, **more}, protocol={"per_person": 8}
    )
    with served(folder) as address:
        me = person()
        me.start(address)
        for number, gap in enumerate(GAPS):
            for press in ("click", "key"):
                me.keys(*FIRST.get(kind, ()))
                act = at_the_place_of(me, SENDS.get(kind, "Next")) if press == "click" else None
                me.moves_on(lambda: twice(me, act or (lambda: me.keys(KEY.get(kind, "Enter"))), gap))  # noqa: B023
                done = 2 * number + (2 if press == "key" else 1)
                assert len(kept(folder)) == done, f"{press}, {gap} ms"
    rows = kept(folder)
    assert len(rows) == 8 and len({row["item"] for row in rows}) == 8


def test_the_time_from_which_input_counted_is_kept_with_what_came_before(tmp_path, person):
    with served(write_survey(folder := tmp_path / "survey", protocol={"per_person": 2})) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("c"))
        # Input of every kind right after the page was drawn: none of it is heard.
        page.evaluate("""() => {
            const gone = document.querySelector(".trial");
            new MutationObserver((_, watch) => {
                if (gone.isConnected || !document.querySelector(".trial")) return;
                watch.disconnect();
                const button = document.querySelector("button");
                button.click();
                for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"])
                    button.dispatchEvent(new MouseEvent(kind, { bubbles: true, detail: 1, cancelable: true }));
                document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "c", bubbles: true }));
            }).observe(document.getElementById("page"), { childList: true });
        }""")
        me.moves_on(lambda: page.get_by_role("button", name=CHANGE_ANSWER).click())
        assert page.locator("#page[aria-busy]").count() == 0 and len(kept(folder)) == 1
        me.moves_on(lambda: me.keys("d"))
    (row,) = kept(folder)
    assert row["times"]["early"] == 3 and row["times"]["ready"] >= 300
    assert row["times"]["ready"] <= row["times"]["touched"] and row["answer"] == {"choice": "dog"}


def test_pages_other_than_trials_wait_too_and_keep_the_focus(tmp_path, person):
    """Double clicks and doubled keys from consent to the first item: one page each."""
    settings = {"consent": "Yes?", "instructions": ["One.", "Two."], "break_every": 1, "per_person": 3}
    with served(write_survey(folder := tmp_path / "survey", protocol=settings)) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: twice(me, at_the_place_of(me, "I agree"), 100))
        assert page.get_by_text("One.").is_visible()
        assert page.evaluate("document.activeElement.tagName") == "H1"
        assert page.locator("main :disabled").count() == 0
        page.get_by_role("button", name="Continue").focus()
        me.moves_on(lambda: twice(me, lambda: me.keys("Enter"), 60))
        assert page.get_by_text("Two.").is_visible()
        page.get_by_role("button", name="Continue").focus()
        me.moves_on(lambda: twice(me, lambda: me.keys("Space"), 150))
        assert me.place() == "1 of 3"
        me.moves_on(lambda: twice(me, lambda: me.keys("c"), 60))
        assert me.stage() == "break"
        me.moves_on(lambda: twice(me, at_the_place_of(me, "Continue"), 250))
        assert me.place() == "2 of 3"
        # A click by a script or by assistive technology counts once the wait is over.
        me.moves_on(lambda: page.evaluate("document.querySelector('.around button').click()"))
    assert len(kept(folder)) == 2
