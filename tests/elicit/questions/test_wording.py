"""What people read: short words, five whole questions, or a survey's own; one choice holds in every layout."""

from __future__ import annotations

import re

import pytest

from dissensus.elicit.questions.wording import COLLINS, COLLINS_OWN, PLAIN
from dissensus.elicit.survey.preview import check_survey
from dissensus.elicit.survey.settings import read_survey
from dissensus.elicit.survey.template import make_survey
from tests.elicit.browser import kept, served
from tests.elicit.surveys import words, write_survey
from tests.facts import states

QUESTION = {"kind": "top-two", "classes": ("cat", "dog", "ship"), "shuffle": False, "wording": "collins"}
MANY = tuple(f"class {number:02d}" for number in range(40))
ASKED = ("prompt", "first", "first_percent", "second", "second_percent", "ruled_out")
SENTENCES = "(all) => all.map((element) => element.textContent.trim())"


def plain(text):
    return text.replace("**", "")


@pytest.mark.parametrize(("frame", "wording"), [("crowd", COLLINS), ("own", COLLINS_OWN)])
@pytest.mark.parametrize(
    ("layout", "classes"),
    [
        ("compact", QUESTION["classes"]),
        ("compact", tuple("0123456789")),
        ("search", MANY),
        ("form", QUESTION["classes"]),
    ],
)
def test_all_five_questions_are_asked_in_their_order_in_every_layout(tmp_path, person, frame, wording, layout, classes):
    question = {**QUESTION, "frame": frame, "layout": layout, "classes": classes}
    folder = write_survey(tmp_path / "survey", question=question)
    with served(folder) as address:
        page = person().start(address)
        shown = page.eval_on_selector_all("main h1, main legend, main p:not(:has(p)), main p > label", SENTENCES)
        asked = [plain(wording[name]) for name in ASKED]
        assert [text for text in shown if text in asked] == asked
        seen = page.locator("main").inner_text()
        assert all(text in seen for text in asked), "each of them is visible"


def test_the_compact_layout_says_a_percentages_question_to_a_screen_reader_and_is_answered_as_before(tmp_path, person):
    folder = write_survey(tmp_path / "survey", question={**QUESTION, "frame": "crowd"}, protocol={"per_person": 1})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        for key in ("d", "8", "0", "c", "1", "5", "-"):
            page.wait_for_timeout(120)
            me.keys(key)
        for name, asked in (("dog", ["first_percent"]), ("cat", ["second", "second_percent"])):
            field = page.get_by_label(f"How probable is {name}, in percent?")
            said = page.locator(f"#{field.get_attribute('aria-describedby')}").inner_text()
            assert [line for line in said.splitlines() if line] == [plain(COLLINS[part]) for part in asked]
        page.wait_for_timeout(120)
        me.moves_on(lambda: me.keys("Enter"))
    assert kept(folder)[0]["answer"] == {
        "first": "dog",
        "first_percent": 80,
        "second": "cat",
        "second_percent": 15,
        "ruled_out": ["ship"],
    }


def test_what_is_not_asked_is_not_said(tmp_path, person):
    question = {**QUESTION, "frame": "crowd", "second": False, "ruling_out": False}
    folder = write_survey(tmp_path / "survey", question=question)
    with served(folder) as address:
        seen = person().start(address).locator("main").inner_text()
    assert [name for name in ASKED if plain(COLLINS[name]) in seen] == ["prompt", "first", "first_percent"]


def test_the_form_is_answered_by_its_questions(tmp_path, person):
    folder = write_survey(tmp_path / "survey", question={**QUESTION, "frame": "crowd", "layout": "form"})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        first, second, out = (page.locator("fieldset").nth(i) for i in range(3))
        first.get_by_label("dog", exact=True).check()
        page.get_by_label(plain(COLLINS["first_percent"])).fill("80")
        second.get_by_label(COLLINS["none"]).check()
        out.get_by_label("ship").check()
        me.moves_on(lambda: page.get_by_role("button", name="Next").click())
    assert kept(folder)[0]["answer"] == {
        "first": "dog",
        "first_percent": 80,
        "second": None,
        "second_percent": None,
        "ruled_out": ["ship"],
    }


def test_five_things_are_asked_about_100_other_people_or_about_oneself():
    for wording, expected in ((COLLINS, {"would", "they", "100"}), (COLLINS_OWN, {"you"})):
        assert wording.keys() == PLAIN.keys() | {"prompt"}
        assert all(plain(text) == text or name != "none" for name, text in wording.items())
        assert expected <= set(re.findall(r"\w+", " ".join(wording.values()).lower()))
        asked = [wording[name] for name in ASKED[1:]]
        meant = ["most probable", "percent", "second**, if any", "percent", "definitely not"]
        assert all(phrase in text for phrase, text in zip(meant, asked, strict=True))
    assert "they" not in re.findall(r"\w+", " ".join(COLLINS_OWN.values()))


@pytest.mark.parametrize("frame", ["own", "crowd"])
@pytest.mark.parametrize("layout", ["compact", "form"])
def test_a_new_survey_asks_in_the_wording_that_it_names(tmp_path, frame, layout):
    make_survey(
        tmp_path,
        title="t",
        kind="top-two",
        classes=[],
        options={"wording": "collins", "frame": frame, "layout": layout},
    )
    question = read_survey(tmp_path).question
    wording = COLLINS if frame == "crowd" else COLLINS_OWN
    assert {**question.texts, "prompt": question.prompt} == {**wording, "intro": ""}
    assert check_survey(tmp_path)["notes"] == []


@pytest.mark.parametrize("frame", ["own", "crowd"])
def test_texts_of_a_survey_win_and_check_lists_those_they_replace(tmp_path, frame):
    texts = {"intro": "Take your time.", "none": "keine"}
    question = {**QUESTION, "frame": frame, "prompt": "Was ist das?", "texts": texts}
    folder = write_survey(tmp_path / "survey", question=question)
    asked = read_survey(folder).question
    assert asked.prompt == "Was ist das?" and texts.items() <= asked.texts.items()
    (note,) = check_survey(folder)["notes"]
    of = 'frame = "crowd" and wording = "collins"' if frame == "crowd" else 'wording = "collins"'
    assert states(note, "question.prompt", "question.texts.none", of) and "question.texts.intro" not in note


def test_check_reports_an_intro_that_drops_the_crowd_frame(tmp_path):
    question = {"kind": "choose", "classes": ("a", "b"), "frame": "crowd", "texts": {"intro": "Hurry."}}
    (note,) = check_survey(write_survey(tmp_path / "survey", question=question))["notes"]
    assert words(note) >= {"question.texts.intro", "frame", "crowd"}
    own = {"kind": "choose", "classes": ("a", "b"), "prompt": "Which?", "texts": {"intro": "Hurry."}}
    assert check_survey(write_survey(tmp_path / "survey", question=own))["notes"] == []


def test_single_texts_of_a_survey_replace_the_usual_ones(tmp_path, person):
    texts = {"ruled_out": "What can it **not** be?"}
    question = {**QUESTION, "wording": "plain", "texts": texts}
    folder = write_survey(tmp_path / "survey", question=question)
    assert check_survey(folder)["notes"] == []
    with served(folder) as address:
        seen = person().start(address).locator("main").inner_text()
    assert texts["ruled_out"].replace("*", "") in seen and PLAIN["first"] not in seen
