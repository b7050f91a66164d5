"""What a screen reader has to say of a page, in order, from the accessibility tree of a real Chromium."""

from __future__ import annotations

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS
from tests.elicit.browser import CHANGE_ANSWER, served
from tests.elicit.surveys import write_survey
from tests.facts import states

# What has a role but nothing to say of its own, and what is said as a whole, whatever it is made of.
SILENT = {"none", "generic", "paragraph", "LabelText", "Legend", "list", "listitem", "figure", "strong", "main"}
WHOLE = {"StaticText", "button", "checkbox", "combobox", "heading", "option", "slider", "textbox", "Legend"}
STATES = ("pressed", "checked", "disabled", "keyshortcuts", "focused")
LIVE = """() => {
  window.announced = [];
  new MutationObserver((all) => all.forEach(({ target }) => {
    const live = (target.closest ? target : target.parentElement).closest("output, [role=status], [aria-live]");
    if (live && !live.closest("[aria-hidden=true]") && live.textContent) window.announced.push(live.textContent);
  })).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def listen(tmp_path, person):
    """Function that serves a survey with this question and gives somebody who listens to it."""
    servers = []

    def come(question, **sections):
        servers.append(served(write_survey(tmp_path / "survey", question=question, **sections)))
        me = person()
        me.start(servers[-1].__enter__())
        me.page.evaluate(LIVE)
        return me

    yield come
    for server in servers:
        server.__exit__(None, None, None)


def spoken(me):
    """Role, name, value, description and states of everything in main that a screen reader stops at."""
    nodes = me.context.new_cdp_session(me.page).send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}
    lines = []

    def walk(node):
        role, name = node["role"]["value"], node.get("name", {}).get("value", "")
        if not node["ignored"] and role not in SILENT and (name or role != "status"):
            states = {state["name"]: state["value"].get("value") for state in node.get("properties", [])}
            line = [name if role == "StaticText" else f"{role} {name}".strip()]
            line += [str(node[key]["value"]) for key in ("value", "description") if node.get(key, {}).get("value")]
            line += [
                state if states[state] in (True, "true") else f"{state} {states[state]}"
                for state in STATES
                if states.get(state) not in (None, False, "false", "")
            ]
            lines.append("; ".join(line))
        for child in node.get("childIds", []) if role not in WHOLE else []:
            if child in by_id:
                walk(by_id[child])

    walk(next(node for node in nodes if node["role"]["value"] == "main"))
    return lines


def heard(me):
    """What live regions said since it was asked last."""
    return me.page.evaluate("window.announced.splice(0)")


def test_choose_is_heard_with_its_keys_and_the_next_item_is_announced(listen):
    me = listen({"kind": "choose", "classes": ("cat", "dog", "ship"), "shuffle": False})
    question = [
        f"heading {QUESTIONS['choose'].prompt}; focused",
        "form Your answer",
        "group Classes",
        "image The picture",
        "button cat; keyshortcuts c",
        "button dog; keyshortcuts d",
        "button ship; keyshortcuts s",
        "checkbox Keys: a letter chooses its class.; checked",
    ]
    assert spoken(me) == question
    me.moves_on(lambda: me.keys("d"))
    assert heard(me) == ["2 of 4"]
    assert spoken(me) == [*question, f"button {CHANGE_ANSWER}; keyshortcuts Control+Z"]
    me.page.get_by_role("checkbox").click()  # keys that are switched off are not announced
    assert {"button cat", f"button {CHANGE_ANSWER}"} <= set(spoken(me))


def test_top_two_announces_the_role_of_each_class(listen):
    me = listen({"kind": "top-two", "classes": ("cat", "dog", "ship"), "shuffle": False})
    assert spoken(me) == [
        f"heading {QUESTIONS['top-two'].prompt}; focused",
        "image The picture",
        "form Your answer",
        "group Classes",
        "button cat; keyshortcuts c",
        "button dog; keyshortcuts d",
        "button ship; keyshortcuts s",
        "Most probable",
        "–",
        "Most probable: percent",
        "textbox Most probable: percent; disabled",
        "Second, if any",
        "–",
        "Second, if any: percent",
        "textbox Second, if any: percent; disabled",
        "button Definitely no others; disabled; keyshortcuts -",
        "button Rule out one by one",
        "button Next",
        "checkbox Keys: a letter names a class, digits enter the percentage, Shift and a letter rules one out, "
        "- rules out all others.; checked",
    ]
    me.keys("Enter")
    (said,) = heard(me)
    assert states(said, "most probable")
    me.keys("c", "7", "0", "Shift+S")
    (said,) = heard(me)
    assert states(said, "ship", "ruled out")
    me.keys("d", "Enter")
    (said,) = heard(me)
    assert states(said, "dog", "30 percent", "Enter")
    assert spoken(me)[4:14] == [
        "button cat , most probable; pressed; keyshortcuts c",
        "button dog , second most probable; pressed; keyshortcuts d",
        "button ship , definitely not; keyshortcuts s",
        "Most probable",
        "cat",
        "How probable is cat, in percent?",
        "textbox How probable is cat, in percent?; 70",
        "Second, if any",
        "dog",
        "How probable is dog, in percent?",
    ]
    assert "textbox How probable is dog, in percent?; 30; focused" in spoken(me)
    me.ready()
    me.moves_on(lambda: me.keys("Enter"))
    assert heard(me) == ["2 of 4"] and spoken(me)[0] == f"heading {QUESTIONS['top-two'].prompt}; focused"


def test_a_slider_tells_its_value_itself_and_that_it_has_none(listen):
    me = listen({"kind": "sliders", "classes": ("cat", "dog"), "shuffle": False})
    # The tree of this browser has the number of a slider, not the text in its place, which readers get beside it.
    texts = "(all) => all.map((slider) => slider.getAttribute('aria-valuetext'))"
    assert me.page.eval_on_selector_all("input[type=range]", texts) == ["not set", "not set"]
    assert spoken(me) == [
        f"heading {QUESTIONS['sliders'].prompt}; focused",
        "image The picture",
        "form Your answer",
        "group From not at all to completely",
        "cat",
        "slider cat; 0.5; keyshortcuts c",
        "dog",
        "slider dog; 0.5; keyshortcuts d",
        "button Next",
        "checkbox Keys: a letter selects its slider, 0 to 9 set tenths, arrows change the value.; checked",
    ]
    me.keys("c", "7", "ArrowRight")
    assert heard(me) == []  # the slider that has the focus speaks, nothing else does
    me.keys("Enter")
    (said,) = heard(me)
    assert states(said, "dog", "not set")
    assert me.page.eval_on_selector_all("input[type=range]", texts) == ["0.71", "not set"]
    assert "slider dog; 0.5; keyshortcuts d; focused" in spoken(me)


def test_each_token_is_announced_with_its_class(listen):
    me = listen({"kind": "tokens", "classes": ("cat", "dog"), "tokens": 2})
    me.keys("c", "d", "d", "Shift+C")
    facts = [("1 on cat", "1 of 2"), *[("1 on dog", "All 2")] * 2, ("0 on cat", "1 of 2")]
    assert all(states(said, *expected) for said, expected in zip(heard(me), facts, strict=True))


def test_a_field_that_has_the_focus_is_described_by_the_question_and_feedback_by_its_text(listen):
    many = [f"bird {number}" for number in range(40)]
    practice = [{"item": "p0", "feedback": "Most say **bird 3**."}]
    me = listen({"kind": "choose", "classes": many}, practice=practice)
    label = "combobox Type to find the class, then choose it"
    assert f"{label}; {QUESTIONS['choose'].prompt}; focused" in spoken(me)
    me.page.keyboard.type("bird 3")
    me.moves_on(lambda: me.keys("Enter"))
    assert "button Continue; Most say bird 3.; focused" in spoken(me)
