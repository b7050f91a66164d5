"""survey.toml: what is wrong is said with its key, its value and what was expected; what is made can be read."""

from __future__ import annotations

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS, check_answer
from dissensus.elicit.survey.items import read_units
from dissensus.elicit.survey.settings import SOURCES, read_survey
from dissensus.elicit.survey.template import make_survey
from dissensus.labels.refusals import Refusal
from tests.elicit.surveys import write_survey
from tests.facts import refuses


@pytest.mark.parametrize("kind", QUESTIONS)
def test_a_new_survey_of_every_kind_can_be_read_at_once(kind, tmp_path):
    make_survey(tmp_path / "survey", title='"What" is it?', kind=kind, classes=[])
    survey = read_survey(tmp_path / "survey")
    units = read_units(survey)
    assert survey.title == '"What" is it?' and survey.question.kind == kind
    assert dict(survey.question.options) == QUESTIONS[kind].defaults
    assert check_answer(survey.question, QUESTIONS[kind].example) == QUESTIONS[kind].example
    assert len(units.items) == 24 and len(units.main) == {1: 24, 2: 276, 3: 24 * 253}[survey.shows]


@pytest.mark.parametrize("source", SOURCES)
def test_every_source_of_people_can_be_chosen(source, tmp_path):
    make_survey(tmp_path / "survey", title="t", kind="choose", classes=[], source=source)
    assert read_survey(tmp_path / "survey").people.source == source


def test_an_existing_survey_is_not_overwritten(tmp_path):
    make_survey(tmp_path, title="t", kind="choose", classes=[])
    with refuses("survey.toml", "exists"):
        make_survey(tmp_path, title="t", kind="choose", classes=[])


CHOOSE = {"kind": "choose", "classes": ["a", "b"]}
WRONG = [
    ({"title": ""}, ("line 1", "title is missing")),
    (
        {"question": {"kind": "guess", "classes": ["a", "b"]}},
        ("line 3: question.kind", "'guess'", ", ".join(QUESTIONS)),
    ),
    (
        {"question": {"kind": "choose", "classes": ["a"]}},
        ("line 3", "question.classes", "1 name", "choose", "2 or more"),
    ),
    ({"question": {"kind": "choose", "classes": ["a", "a"]}}, ("line 3", "question.classes", "'a' twice")),
    ({"question": CHOOSE | {"colour": "red"}}, ("line 3: question", "unknown key 'colour'", "layout, shuffle, frame")),
    ({"question": CHOOSE | {"layout": "circle"}}, ("line 3: question.layout", "'circle'", "around, list, search")),
    (
        {"question": CHOOSE | {"kind": "tokens", "tokens": "many"}},
        ("line 3", "question.tokens is 'many'", "whole number"),
    ),
    ({"question": CHOOSE | {"kind": "top-two", "wording": "x"}}, ("line 3: question.wording", "'x'", "plain, collins")),
    ({"question": CHOOSE | {"texts": {"none": "-"}}}, ("line 3: [question.texts]", "unknown key 'none'", "intro")),
    ({"question": CHOOSE | {"texts": {"intro": 1}}}, ("line 3", "question.texts.intro is 1", "a text")),
    ({"question": CHOOSE | {"texts": "x"}}, ("line 3", "question.texts is 'x'", "a table")),
    ({"protocol": {"per_person": 0}}, ("line 4", "protocol.per_person is 0", "whole number", "1 or more")),
    ({"protocol": {"per_person": "ten"}}, ("line 4", "protocol.per_person is 'ten'", "whole number")),
    ({"protocol": {"repeats": -1}}, ("line 4", "protocol.repeats is -1", "whole number", "0 or more")),
    (
        {"protocol": {"draw": "random"}},
        ("line 4: protocol.draw", "'random'", "least-answered, expected-error, batches"),
    ),
    ({"protocol": {"draw": "batches"}}, ("line 4", "protocol.batches is empty", '"batches"', "a file")),
    ({"protocol": {"attention_every": 5}}, ("line 4", "attention_every is 5", "no [[attention]]")),
    ({"people": {"source": "friends"}}, ("line 5: people.source", "'friends'", ", ".join(SOURCES))),
    ({"people": {"redirect": "javascript:alert(1)"}}, ("people.redirect", "'javascript:alert(1)'", "https://")),
    (
        {"comprehension": [{"question": "q", "options": ["a"], "correct": "b"}]},
        ("line 6: comprehension.1.correct", "'b'", "from: a"),
    ),
    ({"comprehension": [{"question": "q", "options": ["a"]}]}, ("line 6", "comprehension.1", "no correct")),
    ({"attention": {"p0": "horse"}}, ("line 6", "attention.p0", "class 'horse'", "cat, dog, ship")),
    ({"question": CHOOSE | {"layout": "form"}}, ("line 3: question.layout", "'form'", "around, list, search")),
    ({"people": {"pay_per_person": -2}}, ("line 5", "people.pay_per_person is -2", "0 or more")),
    ({"debrief": [{"name": "age", "question": "q"}] * 2}, ("line 6", "debrief.2", "name 'age'", "another [[debrief]]")),
    ({"question": CHOOSE | {"classes": ["1", "2"]}, "attention": {"p0": 1}}, ("attention.p0 is 1", 'in quotes: "1"')),
    ({"wording": "x"}, ("line 6", "unknown key 'wording'", "title", "ends")),
]


@pytest.mark.parametrize(("sections", "facts"), WRONG, ids=[" ".join(facts)[:40] for _, facts in WRONG])
def test_a_wrong_setting_is_refused_with_its_line_key_and_value(sections, facts, tmp_path):
    with refuses("survey.toml", *facts):
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


def test_a_folder_without_a_survey_and_invalid_toml_are_refused(tmp_path):
    with refuses("survey.toml", "dissensus elicit init"):
        read_survey(tmp_path)
    (tmp_path / "study.toml").write_text('title = "t"')
    with refuses("study.toml", "former name", "to survey.toml"):
        read_survey(tmp_path)
    (tmp_path / "survey.toml").write_text("title = ")
    with refuses("survey.toml", "not valid TOML"):
        read_survey(tmp_path)


ITEMS = [
    ("item,colour\na,red\n", ("items.csv", "['item', 'colour']", "image, audio, text")),
    ("item,text\n,hello\n", ("items.csv row 2", "item ''", "empty")),
    ("item,text\na,one\na,two\n", ("items.csv row 3", "item 'a'", "repeated")),
    ("item,text\na,\n", ("items.csv row 2", "item 'a'", "shows nothing")),
    ("item,image\na,missing.png\n", ("items.csv row 2", "missing.png", "not exist")),
    ("item,image\na,survey.toml\n", ("items.csv row 2", "'survey.toml'", "not an image", ".png")),
    ("item,image\na,../other.png\n", ("../other.png", "outside")),
    ("item,text\n", ("items.csv", "no rows")),
]


@pytest.mark.parametrize(("text", "facts"), ITEMS, ids=[" ".join(facts)[:40] for _, facts in ITEMS])
def test_items_that_cannot_be_shown_are_named_with_their_row(text, facts, tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv")
    (tmp_path / "other.png").write_bytes(b"x")
    (folder / "items.csv").write_text(text)
    with refuses(*facts):
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
    with refuses("units.csv row 1", "['p0', 'p1']", "expected 3", "different"):
        read_units(read_survey(folder))


def test_practice_and_attention_items_are_not_asked_about(tmp_path):
    folder = write_survey(tmp_path / "survey", practice=[{"item": "p0", "feedback": "x"}], attention={"p1": "cat"})
    assert len(read_units(read_survey(folder)).main) == 6
    folder = write_survey(tmp_path / "survey", practice=[{"item": "nobody", "feedback": "x"}])
    with refuses("unknown item 'nobody'", "practice or attention", "Choose from"):
        read_units(read_survey(folder))
