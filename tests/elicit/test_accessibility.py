"""WCAG 2.2 AA by axe-core, light and dark, on every page, plus what a machine cannot see: keys, names and sizes."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey_run import open_survey
from tests.elicit.browser import kept, served, unavailable
from tests.elicit.session.test_holds import look
from tests.elicit.surveys import give_key, question_of, write_survey, write_survey_of
from tests.elicit.test_browser_protocol import SOMEBODY, WHOLE

TEN = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
MANY = tuple(f"{kind} {number:02d}" for kind in ("tern", "wren", "gull") for number in range(40))
ASKED = {kind: question_of(kind, TEN) for kind in QUESTIONS} | {
    "choose in a list": {"kind": "choose", "classes": TEN, "layout": "list"},
    "choose by search": {"kind": "choose", "classes": MANY},
    "top-two about a crowd": {"kind": "top-two", "classes": TEN, "frame": "crowd"},
    "top-two by search": {"kind": "top-two", "classes": MANY},
    "top-two as a form": {"kind": "top-two", "classes": TEN, "layout": "form"},
    "top-two in whole questions": {"kind": "top-two", "classes": TEN, "wording": "collins", "frame": "crowd"},
    "whole questions by search": {"kind": "top-two", "classes": MANY, "wording": "collins", "frame": "crowd"},
}
# What is done before the check, so that marked, struck out and filled parts are seen as well.
DONE = {
    "top-two": "c70d20-",
    "top-two about a crowd": "c70d20-",
    "top-two by search": "wren\n70-",
    "top-two in whole questions": "c70d20-",
    "whole questions by search": "wren\n70-",
    "allocate": "c70",
    "tokens": "ccd",
    "sliders": "c7d",
}
# Of rules that hold axe is not to describe every place: that takes ten times as long as the check itself.
VIOLATIONS = """async (tags) => (
  await axe.run({ runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] })).violations"""
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session")
def axe(pytestconfig) -> str:
    """The text of axe.min.js: the file that DISSENSUS_AXE names, or by npm from the registry into pytest's cache."""
    named = os.environ.get("DISSENSUS_AXE")
    if named:
        return Path(named).read_text(encoding="utf-8")
    folder = pytestconfig.cache.mkdir("axe")
    if not list(folder.glob("axe-core-*.tgz")):
        npm = shutil.which("npm")
        if npm is None:
            unavailable("no axe-core: set DISSENSUS_AXE to an axe.min.js, or install npm")
        command = [npm, "pack", "axe-core@4"]
        got = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
        if got.returncode:
            unavailable(f"no axe-core: npm pack failed: {got.stderr[-300:]}")
    with tarfile.open(next(folder.glob("axe-core-*.tgz"))) as packed:
        text = packed.extractfile("package/axe.min.js")
        assert text is not None
        return text.read().decode()


@pytest.fixture
def faults(axe):
    """Function that gives what axe finds wrong on a page, in the light and in the dark."""

    def found(page):
        wrong = []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            if not page.evaluate("typeof axe === 'object'"):
                page.evaluate(axe)
            for rule in page.evaluate(VIOLATIONS, STANDARDS):
                places = [f"{node['target']} {node['failureSummary']}" for node in rule["nodes"]]
                wrong += [f"{scheme}: {rule['id']}: {place}" for place in places]
        return wrong

    return found


@pytest.mark.parametrize("name", ASKED)
def test_every_question_is_accessible(tmp_path, person, faults, name):
    folder = write_survey_of(ASKED[name]["kind"], tmp_path / "survey", question=ASKED[name])
    with served(folder) as address:
        me = person(bypass_csp=True)
        page = me.start(address)
        for key in DONE.get(name, ""):
            page.keyboard.press("Enter" if key == "\n" else key)
        assert faults(page) == []
        assert small_targets(page) == []
        me.resize(320, 640)  # as 1280 pixels at a zoom of 400 %
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_question_that_cannot_be_shown_is_accessible(tmp_path, person, faults):
    with served(write_survey(tmp_path / "survey", contact="Ada")) as address:
        me = person(bypass_csp=True)
        me.page.route(
            "**/questions/choose.js",
            lambda route: route.fulfill(body="export const ask = null;", content_type="text/javascript"),
        )
        page = me.start(address)
        assert me.stage() == "broken"
        assert faults(page) == [] and small_targets(page) == []
        me.resize(320, 640)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        me.problems.clear()
        page.unroute("**/questions/choose.js")


def small_targets(page):
    """Buttons, fields and options under 24 by 24 CSS pixels (WCAG 2.5.8); a field counts with its label."""
    return page.evaluate(
        """() => [...document.querySelectorAll("button, input, [role=option], a:not(.skip)")].filter((element) => {
          const box = (element.closest("label") || element).getBoundingClientRect();
          return box.width && (box.width < 24 || box.height < 24) && element.type !== "checkbox";
        }).map((element) => element.outerHTML)"""
    )


def test_every_page_of_a_survey_is_accessible(tmp_path, person, faults):
    with served(write_survey(tmp_path / "survey", **WHOLE)) as address:
        me = person(bypass_csp=True)
        me.page.goto(address + SOMEBODY)
        me.ready()
        stages = set()
        while me.stage() != "done":
            if me.stage() not in stages:
                assert faults(me.page) == []
                stages.add(me.stage())
            if me.stage() in ("comprehension", "debrief"):
                me.page.get_by_label("Yes").check()
            if me.stage() in ("trial", "practice"):
                me.moves_on(lambda: me.keys("c"))
            else:
                me.moves_on(lambda: me.page.locator("main button.main").first.click())
        me.page.get_by_role("button", name="Stay on this page").click()
        assert faults(me.page) == []
        assert {
            "consent",
            "instructions",
            "comprehension",
            "practice",
            "feedback",
            "trial",
            "break",
            "debrief",
        } <= stages
        me.page.goto(f"{address}/start")  # without an id: refused in plain words
        assert faults(me.page) == [] and "PROLIFIC_PID" in me.page.inner_text("main")
        me.problems.clear()  # the browser notes the refusal


def test_every_end_of_a_session_is_accessible(tmp_path, person, faults):
    """Declined, failed, full, paused, lost: pages that nobody hopes for."""
    settings = {"consent": "Yes?", "per_person": 8, "per_item": 1}
    folder = write_survey(
        tmp_path / "survey",
        **{**WHOLE, "people": {"source": "open"}, "protocol": settings, "attention": {}, "practice": [], "debrief": []},
    )
    with served(folder) as address:
        run = open_survey(folder)

        def somebody(*buttons):
            me = person(bypass_csp=True)
            me.start(address)
            for name in buttons:
                if name == "Check my answers":
                    me.page.get_by_label("No" if buttons.count(name) == 2 else "Yes").check()
                me.moves_on(lambda: me.page.get_by_role("button", name=name).click())  # noqa: B023
            return me

        def stage_of(me):
            assert faults(me.page) == [] and small_targets(me.page) == []
            return me.stage()

        assert stage_of(somebody("I do not want")) == "declined"
        assert stage_of(somebody("I agree", "Check my answers", "Check my answers")) == "failed"
        busy = somebody("I agree", "Check my answers")
        decisions.stop(run)
        assert stage_of(somebody()) == "stopped"
        decisions.reopen(run)
        for _ in range(8):
            busy.moves_on(lambda: busy.keys("c"))
        assert stage_of(busy) == "done"
        assert stage_of(somebody("I agree", "Check my answers")) == "full"
        lost = person(bypass_csp=True)
        lost.page.goto(f"{address}/run")
        lost.ready()
        assert stage_of(lost) == "lost"
        run.store.close()


def test_the_page_to_wait_at_is_accessible(tmp_path, person, faults):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 8, "per_item": 1})
    with served(folder) as address, open_survey(folder) as run:
        look(run, 10)
        me = person(bypass_csp=True)
        me.start(address)
        assert "Please wait a moment" in me.page.inner_text("main")
        assert faults(me.page) == [] and small_targets(me.page) == []
        me.moves_on(lambda: me.page.get_by_role("button", name="Stop waiting").click())
        assert faults(me.page) == []


def test_the_dashboard_is_accessible(tmp_path, person, faults):
    folder = write_survey(tmp_path / "survey", protocol={"per_person": 2})
    give_key(folder, "a key of some length")
    with served(folder) as address:
        me = person(bypass_csp=True)
        me.start(address)
        for key in "cd":
            me.moves_on(lambda: me.keys(key))  # noqa: B023
        page = me.page
        page.goto(f"{address}/dashboard")
        assert faults(page) == [] and small_targets(page) == []
        page.get_by_label("Dashboard key").fill("not the key at all")
        page.keyboard.press("Enter")
        page.get_by_role("alert").wait_for()
        assert faults(page) == []
        me.problems.clear()  # the browser notes that the page was refused
        page.get_by_label("Dashboard key").fill("a key of some length")
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Pause").wait_for()
        assert faults(page) == []
        assert small_targets(page) == []
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused", exact=True).wait_for()
        assert faults(page) == []
        page.get_by_role("button", name="Resume").click()
        page.get_by_text("Open", exact=True).wait_for()
        page.get_by_role("button", name="Exclude").click()
        assert faults(page) == []
        page.get_by_label("Reason").fill("in a hurry")
        page.get_by_role("dialog").get_by_role("button", name="Exclude").click()
        page.get_by_role("button", name="Include").wait_for()
        assert page.evaluate("document.activeElement.textContent") == "Include"
        assert faults(page) == []
        # A decision may change the table, and the text of the state, which on a busy machine is long after the click.
        me.moved = [shift for shift in me.shifts() if not shift[1] and 'id="state"' not in str(shift[2])]
        for width in (390, 320):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert [row["excluded_why"] for row in kept(folder)] == ["in a hurry"] * 2


def test_a_survey_can_be_done_by_keyboard_alone_with_the_shortcuts_switched_off(tmp_path, person):
    with served(write_survey(tmp_path / "survey", protocol={"per_person": 2, "consent": "Yes?"})) as address:
        me = person()
        page = me.start(address)
        me.moves_on(lambda: me.keys("Tab", "Enter"))
        page.get_by_role("checkbox").focus()
        me.keys("Space", "c")
        # WCAG 2.1.4: keys of one character can be switched off. An answer would make the page busy at once.
        assert page.locator("#page[aria-busy]").count() == 0 and me.place() == "1 of 2"
        page.reload()
        me.ready()
        assert not page.get_by_role("checkbox").is_checked()
        page.locator("main h1").focus()
        me.keys("Tab", "Tab")
        name = page.evaluate("document.activeElement.textContent")
        me.moves_on(lambda: me.keys("Space"))
        assert page.evaluate("document.activeElement.tagName") == "H1"  # the next question is read out
        assert name in me.classes() or name[:-1] in me.classes()


def test_screen_readers_hear_what_a_class_is_to_the_answer(tmp_path, person):
    with served(write_survey(tmp_path / "survey", question=ASKED["top-two about a crowd"])) as address:
        me = person()
        page = me.start(address)
        me.keys(*"c70d20-")
        assert page.get_by_role("button", name="cat , most probable", pressed=True).count() == 1
        assert page.get_by_role("button", name=re.compile("^deer , second"), pressed=True).count() == 1
        assert page.get_by_role("button", name="ship , definitely not", pressed=False).count() == 1
        assert page.get_by_role("textbox", name="deer, in percent").input_value() == "20"
        assert page.get_by_role("status").filter(has_text="8 classes").count() == 1
        assert page.get_by_role("img", name="The picture").count() == 1
        assert page.get_by_role("progressbar", name="Progress").count() == 1
