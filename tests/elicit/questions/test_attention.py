"""Practice and attention: every kind says what they need, judges them alike, and what it cannot show is refused."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dissensus.elicit.questions.question import Question
from dissensus.elicit.questions.question_kinds import QUESTIONS, check_answer
from dissensus.elicit.survey.extra_trials import passes_check, unit_key
from dissensus.elicit.survey.items import read_units
from dissensus.elicit.survey.preview import check_survey
from dissensus.elicit.survey.settings import read_survey
from dissensus.elicit.survey.template import make_survey
from tests.elicit.surveys import CLASSES, question_of, write_survey, write_survey_of
from tests.facts import missing_facts, refuses, states


def uncommented(folder, attention_every=2):
    """The survey of a folder that `init` made, with its examples of practice and attention taken as they are."""
    path = folder / "survey.toml"
    text = path.read_text()
    begin = text.index("# [[practice]]")
    text = text[:begin] + re.sub("(?m)^# ", "", text[begin:])
    path.write_text(text.replace("attention_every = 0", f"attention_every = {attention_every}"))
    return folder


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_examples_of_a_new_survey_are_valid(kind, tmp_path):
    make_survey(tmp_path, title="t", kind=kind, classes=[])
    survey, entry = read_survey(uncommented(tmp_path)), QUESTIONS[kind]
    (practice,), (check,) = survey.practice, survey.attention
    assert (
        practice.items,
        practice.feedback,
    ) == entry.example_practice and check.items == entry.example_attention.items
    units = read_units(survey)
    assert not {*practice.items, *check.items} & {name for names in units.main for name in names}
    notes = check_survey(tmp_path)["notes"]
    assert all("attention_every" not in note for note in notes)
    apart = len({*practice.items, *check.items})
    told = any(not missing_facts(note, f"{apart} items", "practice", "attention") for note in notes)
    assert told == (entry.shows > 1)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_examples_for_your_own_items_name_the_fields_to_fill_in(kind, tmp_path):
    folder = write_survey_of(kind, tmp_path / "other")
    (folder / "survey.toml").unlink()
    classes = ["cat", "dog"] if QUESTIONS[kind].needs_classes else []
    items = "items.csv" if QUESTIONS[kind].about else "items"
    make_survey(folder, title="t", kind=kind, classes=classes, items=items)
    text = (uncommented(folder) / "survey.toml").read_text()
    with refuses("survey.toml", "unknown item 'name of item 1'", "practice or attention", "Choose from"):
        check_survey(folder)
    for number in range(6):
        text = text.replace(f"name of item {number + 1}", f"{'i' if QUESTIONS[kind].about else 'p'}{number % 5}")
    (folder / "survey.toml").write_text(text)
    check_survey(folder)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_the_obvious_answer_passes_in_whichever_order_it_is_shown_and_others_fail(kind):
    entry = QUESTIONS[kind]
    question = Question(kind, "", tuple("0123456789") if entry.needs_classes else (), entry.defaults)
    items, given = entry.example_attention
    expected = entry.attention.check("here", question, items, given)
    rest = items[entry.in_place :]
    outcomes = set()
    rng = np.random.default_rng(0)
    for shown in {items, (*items[: entry.in_place], *reversed(rest))}:
        obvious = check_answer(question, entry.attention.obvious(question, expected, shown))
        assert entry.attention.passes(question, expected, obvious, shown)
        for _ in range(40):
            truth = rng.dirichlet(np.ones(max(len(question.classes), 2)))
            answer = check_answer(question, entry.simulate(question, truth, rng))
            outcomes.add(entry.attention.passes(question, expected, answer, shown))
    assert outcomes == {True, False}


def test_equal_values_for_all_classes_fail_a_check():
    for kind, answer in (
        ("sliders", {"values": dict.fromkeys(CLASSES, 0.5)}),
        ("tokens", {"tokens": {"cat": 10, "dog": 10}}),
        ("allocate", {"percents": {"cat": 50, "dog": 50}}),
    ):
        entry = QUESTIONS[kind]
        question = Question(kind, "", CLASSES, entry.defaults)
        assert not any(entry.attention.passes(question, name, answer, ("p0",)) for name in CLASSES)


def test_the_same_picture_twice_is_a_check_of_similarity(tmp_path):
    folder = write_survey(
        tmp_path / "survey",
        question={"kind": "similarity"},
        attention=[{"items": ["p0", "p0"], "answer": 6}],
        protocol={"attention_every": 2},
    )
    survey = read_survey(folder)
    judged = [passes_check(survey.attention, survey.question, ("p0", "p0"), {"value": value}) for value in (6, 5)]
    assert (
        judged == [True, False] and passes_check(survey.attention, survey.question, ("p0", "p1"), {"value": 6}) is None
    )
    check_survey(folder)


def test_the_table_of_the_docs_has_the_expected_answer_of_each_kind():
    page = (Path(__file__).parents[3] / "docs" / "elicit.md").read_text()
    table = page[page.index("| kind | `answer` of an attention check |") :].split("\n\n")[0]
    rows = [
        (re.findall("`([a-z-]+)`", kinds), meaning)
        for _, kinds, meaning, _ in ([cell.strip() for cell in line.split("|")] for line in table.splitlines()[2:])
    ]
    said = {kind: meaning.replace("`", "") for kinds, meaning in rows for kind in kinds}
    assert said == {kind: entry.attention.meaning for kind, entry in QUESTIONS.items()}


def test_units_that_differ_only_in_shuffled_order_are_the_same():
    assert unit_key(("b", "a"), 0) == unit_key(("a", "b"), 0)
    assert unit_key(("c", "b", "a"), 1) == unit_key(("c", "a", "b"), 1) != unit_key(("a", "b", "c"), 1)


PAIR, TRIO, ONE = ["p0", "p1"], ["p0", "p1", "p2"], "p0"
TWO_ITEMS = ('items = ["…", "…"]', "similarity", "shows 2")
ONE_ITEM = ('item = "…"', "choose", "shows 1")
REFUSED = [
    ("similarity", {"practice": [{"item": ONE, "feedback": "f"}]}, ("practice.1.item is 'p0'", *TWO_ITEMS)),
    ("similarity", {"practice": [{"items": TRIO, "feedback": "f"}]}, ("practice.1.items", f"{TRIO}", *TWO_ITEMS)),
    ("similarity", {"practice": [{"feedback": "f"}]}, ("practice.1", "no items", *TWO_ITEMS)),
    ("similarity", {"attention": {"p0": 6}}, ("attention", "single items", "[[attention]]", "answer", *TWO_ITEMS)),
    ("similarity", {"attention": [{"item": ONE, "answer": 6}]}, ("attention.1.item is 'p0'", *TWO_ITEMS)),
    (
        "similarity",
        {"attention": [{"items": PAIR, "answer": 7}]},
        ("attention.1.answer is 7", "whole number", "0 to 6"),
    ),
    (
        "similarity",
        {"attention": [{"items": PAIR, "answer": [4, 2]}]},
        ("attention.1.answer is [4, 2]", "whole number", "[lowest, highest]"),
    ),
    ("similarity", {"attention": [{"items": PAIR, "answer": 5.5}]}, ("attention.1.answer is 5.5", "whole number")),
    ("similarity", {"attention": [{"items": PAIR}]}, ("attention.1", "no answer", "[lowest, highest]")),
    (
        "triplet",
        {"attention": [{"items": TRIO, "answer": "p0"}]},
        ("attention.1.answer", "compared item 'p0'", "p1, p2"),
    ),
    (
        "triplet",
        {"attention": [{"items": PAIR, "answer": "p1"}]},
        ("attention.1.items", f"{PAIR}", "triplet", "shows 3"),
    ),
    ("triplet", {"practice": [{"items": ["p0", "p1", "p1"], "feedback": "f"}]}, ("practice.1.items", "'p1' twice")),
    (
        "typicality",
        {"attention": [{"item": "i0", "answer": 0.8}]},
        ("attention.1.answer is 0.8", "slider", "[lowest, highest]", "0 and 1"),
    ),
    (
        "typicality",
        {"attention": [{"item": "i0", "answer": "cat"}]},
        ("attention.1.answer is 'cat'", "[lowest, highest]", "0 and 1"),
    ),
    (
        "choose",
        {"attention": [{"item": ONE, "answer": "horse"}]},
        ("attention.1.answer", "class 'horse'", "cat, dog, ship"),
    ),
    ("sliders", {"attention": [{"item": ONE, "answer": 0.9}]}, ("attention.1.answer", "class 0.9", "cat, dog, ship")),
    ("choose", {"attention": [{"items": PAIR, "answer": "cat"}]}, ("attention.1.items", f"{PAIR}", *ONE_ITEM)),
    (
        "choose",
        {"attention": [{"item": ONE, "items": [ONE], "answer": "cat"}]},
        ("attention.1", "both item and items", *ONE_ITEM),
    ),
    (
        "choose",
        {"attention": [{"item": ONE, "expected": "cat"}]},
        ("attention.1", "unknown key 'expected'", "item, items, answer"),
    ),
    ("choose", {"attention": [{"item": ONE, "answer": "cat"}] * 2}, ("attention.2", "p0 of attention.1")),
    ("choose", {"practice": [{"item": ONE}]}, ("practice.1", "no feedback")),
    ("choose", {"practice": {"item": ONE}}, ("practice is {'item': 'p0'}", "tables [[practice]]")),
    (
        "similarity",
        {"practice": [{"items": PAIR, "feedback": "f"}, {"items": PAIR[::-1], "feedback": "g"}]},
        ("practice.2", "p1 and p0 of practice.1"),
    ),
    (
        "similarity",
        {"practice": [{"items": ["p0", "q"], "feedback": "f"}]},
        ("unknown item 'q'", "practice or attention", "Choose from"),
    ),
]


@pytest.mark.parametrize(
    ("kind", "sections", "facts"), REFUSED, ids=[f"{k}: {' '.join(f)[:40]}" for k, _, f in REFUSED]
)
def test_extra_trials_that_a_kind_cannot_show_or_judge_are_refused(kind, sections, facts, tmp_path):
    with refuses("survey.toml", *facts):
        check_survey(write_survey_of(kind, tmp_path / "survey", **sections))


def test_a_listed_unit_cannot_also_be_for_practice(tmp_path):
    folder = write_survey(
        tmp_path / "survey",
        question=question_of("similarity"),
        units="units.csv",
        practice=[{"items": ["p1", "p0"], "feedback": "f"}],
    )
    (folder / "units.csv").write_text("p2,p3\np0,p1\n")
    with refuses("units.csv row 2", "['p0', 'p1']", "practice or attention"):
        check_survey(folder)
    (folder / "units.csv").write_text("p2,p3\np0,p2\n")
    assert check_survey(folder)["units"] == 2


def test_checks_that_nobody_would_meet_are_noted(tmp_path):
    checks = [{"item": "p0", "answer": "cat"}]
    folder = write_survey(tmp_path / "survey", attention=checks)
    (note,) = check_survey(folder)["notes"]
    assert states(note, "[[attention]]", "attention_every is 0", 10)
    folder = write_survey(tmp_path / "survey", attention=checks, protocol={"attention_every": 9})
    (note,) = check_survey(folder)["notes"]
    assert states(note, "attention_every is 9", 4)
