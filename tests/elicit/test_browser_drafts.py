"""A half-filled page survives a reload in a real browser, with its times, and is gone once it is handed in."""

from __future__ import annotations

import pytest

from tests.elicit.browser import CHANGE_ANSWER, kept, served
from tests.elicit.surveys import write_survey, write_survey_of

CLASSES = ("cat", "dog", "ship")
DRAFTS = "Object.keys(sessionStorage).filter((key) => key.includes(':draft:'))"
# Keys before the reload, keys after it, and the answer that they make together.
HALVES = {
    "top-two": (
        "c7",
        "0d20\n",
        {"first": "cat", "first_percent": 70, "second": "dog", "second_percent": 20, "ruled_out": []},
    ),
    "sliders": ("c7d2", "s0\n", {"values": {"cat": 0.7, "dog": 0.2, "ship": 0}}),
    "allocate": ("c70", "d30\n", {"percents": {"cat": 70, "dog": 30}}),
    "tokens": ("ccd", "s\n", {"tokens": {"cat": 2, "dog": 1, "ship": 1}}),
    "typicality": ("7", "\n", {"value": 0.7}),
}


def press(me, keys):
    me.keys(*("Enter" if key == "\n" else key for key in keys))


def reload(me):
    me.page.reload()
    me.ready()


@pytest.mark.parametrize("kind", HALVES)
def test_half_an_answer_survives_a_reload(tmp_path, person, kind):
    classes = {} if kind == "typicality" else {"classes": CLASSES, "shuffle": False}
    more = {"tokens": 4} if kind == "tokens" else {}
    folder = write_survey_of(kind, tmp_path / "survey", question={"kind": kind, **classes, **more})
    before, after, answer = HALVES[kind]
    with served(folder) as address:
        me = person()
        page = me.start(address)
        press(me, before)
        reload(me)
        if kind == "top-two":
            me.page.get_by_label("How probable is cat").focus()
            me.keys("End")
        me.moves_on(lambda: press(me, after))
        # The next page has nothing of it, and nothing of it is left.
        assert page.evaluate(DRAFTS) == []
        reload(me)
        assert me.place() == "2 of 4" and len(kept(folder)) == 1
        assert page.locator("[data-before], [data-role=first]").count() == 0
    (row,) = kept(folder)
    times = row["times"]
    assert row["answer"] == answer
    made = [change[0] for change in times["changes"]]
    ((left, back),) = times["away"]
    assert times["reloads"] == 1 and made == sorted(made) and len(made) >= 1
    assert times["looked"] <= made[0] <= left <= back <= times["submitted"]
    assert row["seconds"] == pytest.approx((times["submitted"] - times["looked"] - (back - left)) / 1000)


def test_a_half_filled_form_is_kept(tmp_path, person):
    question = {"kind": "top-two", "classes": CLASSES, "layout": "form", "shuffle": False}
    with served(write_survey(folder := tmp_path / "survey", question=question)) as address:
        me = person()
        page = me.start(address)
        page.get_by_role("group", name="most probable?").get_by_label("cat").check()
        page.get_by_label("How probable is it, in percent (0 to 100)?", exact=True).fill("70")
        page.get_by_role("group", name="definitely not").get_by_label("ship").check()
        reload(me)
        assert page.get_by_role("group", name="second most").get_by_role("radio", checked=True).count() == 0
        me.moves_on(lambda: page.get_by_role("button", name="Next").click())
    assert [row["answer"] for row in kept(folder)] == [
        {"first": "cat", "first_percent": 70, "second": None, "second_percent": None, "ruled_out": ["ship"]}
    ]


def test_the_debriefing_and_the_check_keep_what_is_typed_but_not_for_somebody_else(tmp_path, person):
    asked = [
        {"name": "hard", "question": "Was it hard?", "options": ["Yes", "No"], "required": True},
        {"name": "length", "question": "Comments"},
    ]
    folder = write_survey(
        tmp_path / "survey",
        debrief=asked,
        protocol={"per_person": 1},
        comprehension=[{"question": "May people differ?", "options": ["Yes", "No"], "correct": "Yes"}],
    )
    with served(folder) as address:
        me = person()
        page = me.start(address)
        assert page.get_by_role("radiogroup", name="differ? required").count() == 1
        page.get_by_label("Yes").check()
        reload(me)
        assert page.get_by_label("Yes").is_checked()
        me.moves_on(lambda: page.get_by_role("button", name="Check my answers").click())
        me.moves_on(lambda: me.keys("c"))
        # Required questions are marked for eyes and ears, with what that means.
        group = page.get_by_role("radiogroup", name="Was it hard? required")
        assert group.get_attribute("aria-required") == "true" and group.locator(".required").is_visible()
        assert page.locator("main p.quiet", has_text="required").is_visible()
        assert page.get_by_role("textbox", name="Comments", exact=True).count() == 1
        page.get_by_label("No").check()
        page.get_by_label("Comments").fill("Half a sent")
        reload(me)
        assert page.get_by_label("No").is_checked() and page.get_by_label("Comments").input_value() == "Half a sent"
        page.goto(f"{address}/start")  # somebody else in the same tab
        me.ready()
        page.get_by_label("Yes").check()
        me.moves_on(lambda: page.get_by_role("button", name="Check my answers").click())
        me.moves_on(lambda: me.keys("c"))
        assert page.get_by_label("Comments").input_value() == "" and not page.get_by_label("No").is_checked()


def test_a_draft_survives_a_change_of_the_previous_answer(tmp_path, person):
    question = {"kind": "sliders", "classes": CLASSES, "shuffle": False}
    with served(write_survey(folder := tmp_path / "survey", question=question)) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: press(me, "c1d2s3\n"))
        press(me, "c7")
        me.moves_on(lambda: page.get_by_role("button", name=CHANGE_ANSWER).click())
        press(me, "d9")
        reload(me)  # half of the change survives, too
        me.moves_on(lambda: me.keys("Enter"))
        assert [slider.get_attribute("aria-valuetext") for slider in page.get_by_role("slider").all()] == [
            "0.70",
            "not set",
            "not set",
        ]
        me.moves_on(lambda: press(me, "d8s9\n"))
    rows = kept(folder)
    first, second = (row["answer"]["values"] for row in rows)
    assert first == {"cat": 0.1, "dog": 0.9, "ship": 0.3} and second == {"cat": 0.7, "dog": 0.8, "ship": 0.9}
    assert [row["times"]["reloads"] for row in rows] == [1, 0]  # the change was reloaded, the page after it was not
    assert len(rows[1]["times"]["away"]) == 1


def test_only_reloads_of_the_page_itself_count(tmp_path, person):
    """Not the way to the answer before and back, however often."""
    question = {"kind": "sliders", "classes": CLASSES, "shuffle": False}
    with served(write_survey(folder := tmp_path / "survey", question=question)) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: press(me, "c1d2s3\n"))
        press(me, "c7")
        for _ in range(2):
            page.wait_for_timeout(120)
            me.moves_on(lambda: page.get_by_role("button", name=CHANGE_ANSWER).click(delay=60))
            page.wait_for_timeout(120)
            me.moves_on(lambda: me.keys("Enter"))
        reload(me)
        me.moves_on(lambda: press(me, "d8s9\n"))
    first, second = (row["times"] for row in kept(folder))
    assert (first["reloads"], second["reloads"]) == (0, 1)
    assert len(second["away"]) == 3 and second["away"] == sorted(second["away"])
