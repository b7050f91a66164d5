"""What is judged stays in sight beside a long answer, on a phone and at a zoom of 200 %, and covers no control."""

from __future__ import annotations

import pytest

from tests.elicit.browser import served
from tests.elicit.surveys import write_survey

TWELVE = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck", "person", "bicycle")
WINDOWS = {"phone": (390, 844), "200 %": (640, 400), "desk": (1280, 640)}  # as CSS pixels
WHERE = """() => {
  const box = (element) => { const { top, bottom, left, right } = element.getBoundingClientRect(); return { top, bottom, left, right }; };
  return { shown: box(document.querySelector(".stimuli")), focused: box(document.activeElement), height: innerHeight };
}"""  # noqa: E501
READ = """() => {
  const { scrollTop, clientHeight, scrollHeight } = document.querySelector(".stimuli");
  return scrollTop + clientHeight >= scrollHeight - 2;
}"""
LONG = "A sentence that goes on for a while, as sentences do. " * 40


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("what", ["picture", "text"])
def test_the_item_is_visible_at_every_slider(tmp_path, person, window, what):
    folder = tmp_path / "survey"
    folder.mkdir()
    (folder / "items.csv").write_text("item,text\n" + "".join(f'i{i},"{LONG}"\n' for i in range(3)))
    items = {"items": "items.csv"} if what == "text" else {}
    write_survey(
        folder, question={"kind": "sliders", "classes": TWELVE, "shuffle": False}, protocol={"per_person": 1}, **items
    )
    with served(folder) as address:
        me = person()
        me.resize(*WINDOWS[window])
        page = me.start(address)
        sliders = page.get_by_role("slider")
        sliders.first.focus()
        for step in ["Tab"] * 11 + ["Shift+Tab"] * 11:
            me.keys(step)
            page.wait_for_function(
                "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))"
            )
            now = page.evaluate(WHERE)
            shown, focused = now["shown"], now["focused"]
            in_sight = min(shown["bottom"], now["height"]) - max(shown["top"], 0)
            assert in_sight >= 0.5 * (shown["bottom"] - shown["top"]), (step, now)
            assert focused["top"] >= 0 and focused["bottom"] <= now["height"], (step, now)
            apart = focused["left"] >= shown["right"] or focused["top"] >= shown["bottom"] - 1
            assert apart, (step, now)
            if window != "desk":
                assert shown["bottom"] - shown["top"] <= 0.45 * now["height"]
        if what == "text":  # the whole of it can be read, by keyboard, too
            page.get_by_role("group", name="Item to be judged").focus()
            me.keys("End")
            page.wait_for_function(READ)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
