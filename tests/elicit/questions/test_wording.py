"""What people read: short sentences, those of a paper word for word, or a survey's own."""

from __future__ import annotations

import re

import pytest

from dissensus.elicit.survey.settings import read_survey
from tests.elicit.browser import kept, served
from tests.elicit.surveys import write_survey

# Collins et al. 2022, figure 7, from above to below.
FIGURE_7 = [
    "Imagine 100 crowdsourced workers are asked to identify what category the image below belongs to.",
    "What category do you think they would select as most probably being the true category of the image?",
    "What percent probability (between 0 and 100) do you think they would assign to the category you selected being "
    "the true category of the image?",
    "What alternate category, if any, do you think they would select as being the second most probable of being the "
    "true category of the image?",
    "If you selected an alternate category for the image, what percent probability (between 0 and 100) do you think "
    "they would assign to the category you selected being the true category represented in the image?",
    "Are there one or more categories you think the crowdsourced annotators would say are definitely not the true "
    "category of the image?",
    "Please click ALL categories you think the annotators would say have zero probability of being the true category.",
]
QUESTION = {"kind": "top-two", "classes": ("cat", "dog", "ship"), "shuffle": False, "wording": "collins"}


def test_the_form_asks_what_collins_asked_word_for_word(tmp_path, person):
    folder = write_survey(tmp_path / "survey", question={**QUESTION, "frame": "crowd", "layout": "form"})
    with served(folder) as address:
        me = person()
        page = me.start(address)
        shown = page.eval_on_selector_all("main h1, main legend, main fieldset > p, main p > label", SENTENCES)
        assert shown == FIGURE_7
        assert page.get_by_text("No Alternative", exact=True).count() == 1
        assert page.eval_on_selector_all("main strong", "(all) => all[0].textContent") == (
            "identify what category the image below belongs to"
        )
        first, second, out = (page.locator("fieldset").nth(i) for i in range(3))
        first.get_by_label("dog", exact=True).check()
        page.get_by_label(FIGURE_7[2]).fill("80")
        second.get_by_label("No Alternative").check()
        out.get_by_label("ship").check()
        me.moves_on(lambda: page.get_by_role("button", name="Next").click())
    assert kept(folder)[0]["answer"] == {
        "first": "dog", "first_percent": 80, "second": None, "second_percent": None, "ruled_out": ["ship"],
    }  # fmt: skip


def test_the_compact_layout_leads_with_the_same_question(tmp_path, person):
    folder = write_survey(tmp_path / "survey", question={**QUESTION, "frame": "crowd"})
    with served(folder) as address:
        page = person().start(address)
        assert page.locator("main h1").inner_text() == FIGURE_7[0]
        assert page.locator(".asked p").inner_text() == FIGURE_7[1]


def test_the_same_sentences_can_be_about_oneself(tmp_path):
    question = read_survey(write_survey(tmp_path / "survey", question=QUESTION)).question
    text = " ".join([question.prompt, *question.texts.values()])
    assert "they" not in re.findall(r"\w+", text) and "most probably" in text


@pytest.mark.parametrize("frame", ["own", "crowd"])
def test_a_survey_has_the_last_word(tmp_path, frame):
    texts = {"intro": "Take your time.", "none": "keine"}
    question = {**QUESTION, "frame": frame, "prompt": "Was ist das?", "texts": texts}
    asked = read_survey(write_survey(tmp_path / "survey", question=question)).question
    assert asked.prompt == "Was ist das?" and texts.items() <= asked.texts.items()


SENTENCES = "(all) => all.map((element) => element.textContent.trim())"
