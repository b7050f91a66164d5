"""Practice and attention of every kind of question in a real browser, and what people see where a script fails."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.elicit.identity import survey_secret
from dissensus.elicit.media import media_address
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey.template import make_survey
from tests.elicit.browser import kept, served
from tests.elicit.questions.test_attention import uncommented
from tests.elicit.surveys import write_survey


class Hands:
    """Somebody who has 60 to 300 ms before each key and each click."""

    def __init__(self, me):
        self.me, self.page, self.rng = me, me.page, np.random.default_rng(0)

    def pause(self):
        self.page.wait_for_timeout(int(self.rng.integers(60, 300)))

    def press(self, *keys):
        for key in keys:
            self.pause()
            self.me.keys(key)

    def click(self, name):
        self.pause()
        self.page.get_by_role("button", name=name, exact=True).click()


def names_shown(me, folder, names):
    known = {media_address(survey_secret(folder), name, 0): name for name in names}
    sources = "(all) => all.map((image) => image.getAttribute('src').split('?')[0])"
    return [known[src] for src in me.page.eval_on_selector_all("main img", sources)]


def choose(hands, shown):
    hands.press("0")


def top_two(hands, shown):
    hands.press("0", "9", "0", "-", "Enter")


def sliders(hands, shown):
    for digit in range(10):
        hands.page.get_by_label(str(digit), exact=True).focus()
        hands.press("1" if digit else "9")
    hands.press("Enter")


def allocate(hands, shown):
    hands.pause()
    hands.page.get_by_label("0", exact=True).click()
    hands.press("1", "0", "0", "Enter")


def tokens(hands, shown):
    hands.press(*["0"] * 4, "9", "Enter")


def typicality(hands, shown):
    hands.press("9", "Enter")


def similarity(hands, shown):
    hands.press("1")


def triplet(hands, shown):
    hands.press("ArrowRight" if shown[2] == "digit666" else "ArrowLeft")


ANSWERS = {
    "choose": choose,
    "top-two": top_two,
    "sliders": sliders,
    "allocate": allocate,
    "tokens": tokens,
    "typicality": typicality,
    "similarity": similarity,
    "triplet": triplet,
}


@pytest.mark.parametrize("kind", QUESTIONS)
def test_practice_and_attention_are_shown_and_answered_as_any_other_trial(kind, tmp_path, person):
    entry, folder = QUESTIONS[kind], tmp_path / "survey"
    options = {"tokens": 5} if kind == "tokens" else {}
    make_survey(folder, title="t", kind=kind, classes=[], per_person=1, options=options)
    uncommented(folder, attention_every=1)
    every = [path.stem for path in (folder / "items").iterdir()]
    seen = []
    with served(folder) as address:
        me = person()
        me.start(address)
        hands = Hands(me)
        me.moves_on(lambda: hands.click("I agree and want to take part"))
        me.moves_on(lambda: hands.click("Continue"))
        for practice in (True, False, False):
            assert (me.page.locator(".note").all_inner_texts() == ["Practice"]) == practice
            shown = names_shown(me, folder, every)
            seen.append(shown)
            assert len(shown) == entry.shows and me.heading() == entry.prompt
            me.moves_on(lambda shown=shown: ANSWERS[kind](hands, shown))
            if practice:
                assert me.page.locator("#feedback").inner_text() == entry.example_practice.reply
                me.moves_on(lambda: hands.click("Continue"))
        assert me.stage() == "debrief"
    rows = kept(folder)
    assert [row["kind"] for row in rows] == ["practice", "main", "attention"]
    assert [row["shown"] for row in rows] == seen and [row["passed"] for row in rows] == [None, None, True]
    assert sorted(seen[0]) == sorted(entry.example_practice.items)
    assert sorted(seen[2]) == sorted(entry.example_attention.items)


BROKEN = [
    ("export function ask() { throw new Error('no such field'); }", "no such field"),
    ("export function ask(", "SyntaxError"),
]


@pytest.mark.parametrize(("script", "said"), BROKEN, ids=["fails when asked", "cannot be read"])
def test_a_failing_question_script_is_reported_and_can_be_reloaded(tmp_path, person, script, said):
    folder = write_survey(tmp_path / "survey", contact="Ada, ada@example.org")
    with served(folder) as address:
        me = person()
        me.page.route(
            "**/questions/choose.js", lambda route: route.fulfill(body=script, content_type="text/javascript")
        )
        me.page.goto(f"{address}/start")
        me.ready()
        assert me.stage() == "broken"
        assert me.page.get_by_text("Ada, ada@").is_visible()
        assert me.page.get_by_text("Loading").count() == 0
        assert any(said in problem for problem in me.problems), me.problems
        me.problems.clear()
        me.page.unroute("**/questions/choose.js")
        me.page.get_by_role("button", name="Reload the page").click()
        me.page.get_by_role("button", name="cat").wait_for()
        me.page.wait_for_timeout(450)
        me.moves_on(lambda: me.keys("c"))
        me.problems.clear()
    assert [row["answer"] for row in kept(folder)] == [{"choice": "cat"}]


def test_a_question_that_fails_between_trials_says_so_too(tmp_path, person):
    """The first trial works; the script fails at the next, where the page would stay as it is, and busy."""
    folder = write_survey(tmp_path / "survey")
    script = """let asked = 0;
    export function ask({ submit }) {
      if (asked++) throw new Error("only once");
      const button = document.createElement("button");
      button.type = "button";
      button.append("cat");
      button.addEventListener("click", () => submit({ choice: "cat" }));
      return { elements: [button] };
    }"""
    with served(folder) as address:
        me = person()
        me.page.route(
            "**/questions/choose.js", lambda route: route.fulfill(body=script, content_type="text/javascript")
        )
        me.start(address)
        me.page.wait_for_timeout(450)
        me.moves_on(lambda: me.page.get_by_role("button", name="cat").click())
        assert me.stage() == "broken"
        me.problems.clear()
        me.page.unroute("**/questions/choose.js")
    assert [row["answer"] for row in kept(folder)] == [{"choice": "cat"}]


def test_a_failed_click_is_reported_above_the_question(tmp_path, person):
    folder = write_survey(tmp_path / "survey")
    script = """export function ask() {
      const button = document.createElement("button");
      button.type = "button";
      button.append("cat");
      button.addEventListener("click", () => { throw new Error("nothing to send"); });
      return { elements: [button] };
    }"""
    with served(folder) as address:
        me = person()
        me.page.route(
            "**/questions/choose.js", lambda route: route.fulfill(body=script, content_type="text/javascript")
        )
        me.start(address)
        me.page.wait_for_timeout(450)
        me.may_move(lambda: me.page.get_by_role("button", name="cat").click())
        me.page.get_by_text("does not work").wait_for()
        assert me.problems == ["nothing to send"]
        me.problems.clear()
        me.page.unroute("**/questions/choose.js")
    assert kept(folder) == []
