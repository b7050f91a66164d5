"""survey.toml: what is wrong is said with its key, its value and what was expected; what is made can be read."""

from __future__ import annotations

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS, check_answer
from dissensus.elicit.survey.items import read_units
from dissensus.elicit.survey.settings import SOURCES, read_survey
from dissensus.elicit.survey.template import make_survey
from dissensus.labels.refusals import Refusal
from tests.elicit.surveys import write_survey


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_new_survey_of_every_kind_can_be_read_at_once(kind, tmp_path):
    make_survey(tmp_path / "survey", title='Say "what" it is', kind=kind, classes=[])
    survey = read_survey(tmp_path / "survey")
    units = read_units(survey)
    assert survey.title == 'Say "what" it is' and survey.question.kind == kind
    assert dict(survey.question.options) == QUESTIONS[kind].defaults
    assert check_answer(survey.question, QUESTIONS[kind].example) == QUESTIONS[kind].example
    assert len(units.items) == 24 and len(units.main) == {1: 24, 2: 276, 3: 24 * 253}[survey.shows]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_of_people_can_be_chosen(source, tmp_path):
    make_survey(tmp_path / "survey", title="t", kind="choose", classes=[], source=source)
    assert read_survey(tmp_path / "survey").people.source == source


def test_a_survey_that_is_there_is_not_overwritten(tmp_path):
    make_survey(tmp_path, title="t", kind="choose", classes=[])
    with pytest.raises(ValueError, match="exists"):
        make_survey(tmp_path, title="t", kind="choose", classes=[])


WRONG = [
    ({"title": ""}, "title is missing"),
    ({"question": {"kind": "guess", "classes": ["a", "b"]}}, "unknown kind of question 'guess'. Choose from: choose"),
    ({"question": {"kind": "choose", "classes": ["a"]}}, "has 1 name; a choose question needs 2 or more"),
    ({"question": {"kind": "choose", "classes": ["a", "a"]}}, "question.classes has 'a' twice"),
    ({"question": {"kind": "choose", "classes": ["a", "b"], "colour": "red"}}, "unknown key 'colour'"),
    (
        {"question": {"kind": "choose", "classes": ["a", "b"], "layout": "circle"}},
        "unknown layout 'circle'",
    ),
    (
        {"question": {"kind": "tokens", "classes": ["a", "b"], "tokens": "many"}},
        "question.tokens is 'many'; expected a whole number",
    ),
    ({"question": {"kind": "top-two", "classes": ["a", "b"], "wording": "x"}}, "question.wording: unknown wording 'x'"),
    ({"question": {"kind": "choose", "classes": ["a", "b"], "texts": {"none": "-"}}}, "unknown key 'none'"),
    (
        {"question": {"kind": "choose", "classes": ["a", "b"], "texts": {"intro": 1}}},
        "texts.intro is 1; expected a text",
    ),
    ({"question": {"kind": "choose", "classes": ["a", "b"], "texts": "x"}}, "question.texts is 'x'; expected a table"),
    ({"protocol": {"per_person": 0}}, "protocol.per_person is 0; expected a whole number of 1 or more"),
    ({"protocol": {"per_person": "ten"}}, "per_person is 'ten'; expected a whole number"),
    ({"protocol": {"repeats": -1}}, "protocol.repeats is -1; expected a whole number of 0"),
    ({"protocol": {"draw": "random"}}, "protocol.draw: unknown draw 'random'. Choose from: least-answered"),
    ({"protocol": {"draw": "batches"}}, "protocol.batches is empty"),
    ({"protocol": {"attention_every": 5}}, r"attention_every is 5, but there is no \[\[attention\]\]"),
    ({"people": {"source": "friends"}}, "people.source: unknown source 'friends'"),
    ({"people": {"redirect": "javascript:alert(1)"}}, "redirect .*https://"),
    (
        {"comprehension": [{"question": "q", "options": ["a"], "correct": "b"}]},
        "correct: unknown option 'b'",
    ),
    ({"comprehension": [{"question": "q", "options": ["a"]}]}, r"comprehension.1 has no correct"),
    ({"attention": {"p0": "horse"}}, "attention.p0 is 'horse'; expected one of cat, dog, ship"),
    ({"question": {"kind": "choose", "classes": ["a", "b"], "layout": "form"}}, "Choose from: around, list, search"),
    ({"people": {"pay_per_person": -2}}, "people.pay_per_person is -2; expected a number of 0 or more"),
    ({"debrief": [{"name": "age", "question": "q"}] * 2}, "debrief.2 has the name 'age'"),
    ({"question": {"kind": "choose", "classes": ["1", "2"]}, "attention": {"p0": 1}}, 'in quotes: "1"'),
    ({"wording": "x"}, "line 6: unknown key 'wording'"),
]


@pytest.mark.parametrize(("sections", "message"), WRONG, ids=[message[:30] for _, message in WRONG])
def test_what_is_wrong_is_said(sections, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        read_survey(write_survey(tmp_path / "survey", **sections))


def test_a_question_without_a_kind_is_refused_at_its_table(tmp_path):
    make_survey(tmp_path / "s", title="T", kind="choose", classes=["a", "b"])
    file = tmp_path / "s" / "survey.toml"
    text = file.read_text()
    file.write_text(text.replace("\nkind = ", "\nkin = ", 1))
    line = text.split("\n").index("[question]") + 1
    with pytest.raises(Refusal) as caught:
        read_survey(tmp_path / "s")
    assert caught.value.place.endswith(f"line {line}") and "no kind" in caught.value.problem
    assert all(kind in caught.value.problem for kind in QUESTIONS)


def test_a_folder_without_a_survey_and_a_file_that_is_no_toml(tmp_path):
    with pytest.raises(ValueError, match="dissensus elicit init"):
        read_survey(tmp_path)
    (tmp_path / "study.toml").write_text('title = "t"')
    with pytest.raises(ValueError, match=r"study\.toml.* to survey\.toml"):
        read_survey(tmp_path)
    (tmp_path / "survey.toml").write_text("title = ")
    with pytest.raises(ValueError, match="not valid TOML"):
        read_survey(tmp_path)


ITEMS = [
    ("item,colour\na,red\n", "expected item, and one or more of image"),
    ("item,text\n,hello\n", "row 2: item '' is empty"),
    ("item,text\na,one\na,two\n", "row 3: item 'a'"),
    ("item,text\na,\n", "row 2: item 'a' shows nothing"),
    ("item,image\na,missing.png\n", "missing.png does not exist"),
    ("item,image\na,survey.toml\n", "is not an image file"),
    ("item,image\na,../other.png\n", "outside the survey's"),
    ("item,text\n", "no rows"),
]


@pytest.mark.parametrize(("text", "message"), ITEMS, ids=[message[:30] for _, message in ITEMS])
def test_items_that_cannot_be_shown_are_named_with_their_row(text, message, tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv")
    (tmp_path / "other.png").write_bytes(b"x")
    (folder / "items.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_units(read_survey(folder))


def test_text_pairs_sounds_and_pictures_can_be_mixed(tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv")
    (folder / "a.mp3").write_bytes(b"x")
    (folder / "items.csv").write_text(
        "item,premise,hypothesis,image,audio\none,It rains.,It is wet.,,\ntwo,,,items/p0.png,a.mp3\n"
    )
    items = read_units(read_survey(folder)).items
    assert [(part.medium, part.heading) for part in items["one"].parts] == [("text", "Premise"), ("text", "Hypothesis")]
    assert [part.medium for part in items["two"].parts] == ["image", "audio"]


def test_pairs_and_triplets_come_from_all_items_or_from_a_list(tmp_path):
    folder = write_survey(tmp_path / "survey", question={"kind": "similarity"})
    assert len(read_units(read_survey(folder)).main) == 28
    folder = write_survey(tmp_path / "survey", question={"kind": "triplet"}, units="units.csv")
    (folder / "units.csv").write_text("p0,p1,p2\np1,p2,p0\n")
    assert read_units(read_survey(folder)).main == (("p0", "p1", "p2"), ("p1", "p2", "p0"))
    (folder / "units.csv").write_text("p0,p1\n")
    with pytest.raises(ValueError, match=r"row 1.*expected 3"):
        read_units(read_survey(folder))


def test_practice_and_attention_items_are_not_asked_about(tmp_path):
    folder = write_survey(tmp_path / "survey", practice=[{"item": "p0", "feedback": "x"}], attention={"p1": "cat"})
    assert len(read_units(read_survey(folder)).main) == 6
    folder = write_survey(tmp_path / "survey", practice=[{"item": "nobody", "feedback": "x"}])
    with pytest.raises(ValueError, match="item 'nobody'"):
        read_units(read_survey(folder))
