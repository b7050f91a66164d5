"""What `elicit check` says of a survey before anybody comes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey.preview import check_survey
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, words, write_survey
from tests.facts import refuses, states


@pytest.mark.parametrize(
    ("protocol", "people"),
    [
        ({"per_person": 4, "per_item": 3}, 6),
        ({"per_person": 20, "per_item": 5}, 5),
        ({"per_person": 3, "per_item": 1}, 3),
    ],
)
def test_the_stated_number_of_people_is_just_enough(tmp_path, protocol, people):
    folder = write_survey(tmp_path / "survey", protocol=protocol)
    assert check_survey(folder)["people_needed"] == people
    run = open_survey(folder)
    for number in range(people + 1):
        me = arrive(run, {})
        page = current_page(run, me)
        assert (page["stage"] == "full") == (number == people)
        while page["stage"] == "trial":
            page = submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"]
    run.store.close()


def test_fewer_items_than_one_person_may_judge(tmp_path):
    folder = write_survey(
        tmp_path / "survey", protocol={"per_person": 20, "consent": "You judge {per_person} pictures."}
    )
    (note,) = check_survey(folder)["notes"]
    assert words(note) >= {"per_person", "20", "8", "items"}
    run = open_survey(folder)
    me = arrive(run, {})
    page = current_page(run, me)
    assert page["text"] == "You judge 8 pictures."
    assert submit(run, me, {"page": page["page"], "answer": {"agreed": True}, "times": TIMES})["page"]["of"] == 8
    run.store.close()


def test_places_that_are_held_for_long_are_noted(tmp_path):
    """An hour was usual before browsers gave signs of life, and stands in surveys that were made then."""
    folder = write_survey(tmp_path / "survey", protocol={"hold_minutes": 60})
    (note,) = check_survey(folder)["notes"]
    assert states(note, "hold_minutes is 60", 3)
    for minutes in (0.05, 3):
        assert check_survey(write_survey(tmp_path / "survey", protocol={"hold_minutes": minutes}))["notes"] == []
    for minutes in (0.0, -1.0, float("nan")):
        with refuses(f"protocol.hold_minutes is {minutes}", "above 0"):
            check_survey(write_survey(tmp_path / "survey", protocol={"hold_minutes": minutes}))


def test_a_survey_of_a_single_item_is_described_in_the_singular(tmp_path):
    folder = write_survey(tmp_path / "survey", items="items.csv", protocol={"per_person": 2, "repeats": 2})
    (folder / "items.csv").write_text("item,text\nonly,Hello\n")
    per_person, repeats = check_survey(folder)["notes"]
    assert words(per_person) >= {"per_person", "2", "1", "item"} and words(repeats) >= {"repeats", "2", "1"}


def test_a_long_page_and_a_long_survey_are_noted(tmp_path):
    many = [f"class {i}" for i in range(30)]
    facts = check_survey(write_survey(tmp_path / "tokens", question={"kind": "tokens", "classes": many}))
    (note,) = facts["notes"]
    assert note.startswith("30 classes") and "top" in words(note)
    facts = check_survey(write_survey(tmp_path / "triplets", question={"kind": "triplet"}))
    assert facts["shows"] == "triplets" and facts["units"] == 8 * 21 and facts["notes"] == []


def test_searchable_kinds_are_proposed_for_many_classes(tmp_path, monkeypatch):
    monkeypatch.setitem(QUESTIONS, "confidence", replace(QUESTIONS["tokens"], row_per_class=False, searchable=True))
    many = [f"class {i}" for i in range(30)]
    (note,) = check_survey(write_survey(tmp_path / "tokens", question={"kind": "tokens", "classes": many}))["notes"]
    assert states(note, "30 classes", "top-two", "confidence")
    assert not check_survey(write_survey(tmp_path / "new", question={"kind": "confidence", "classes": many}))["notes"]


def test_people_needed_for_batches(tmp_path):
    folder = write_survey(
        tmp_path / "survey", protocol={"draw": "batches", "batches": "b.csv", "per_item": 3, "per_person": 4}
    )
    (folder / "b.csv").write_text("batch,item\na,p0\na,p1\nb,p1\nb,p2\n")
    facts = check_survey(folder)
    assert facts["people_needed"] == 6 and facts["answers_wanted"] == 12


def test_an_invalid_picture_is_named(tmp_path):
    folder = write_survey(tmp_path / "survey")
    (folder / "items" / "p3.png").write_text("hi")
    with refuses("item 'p3'", "p3.png", "not a valid"):
        check_survey(folder)
