"""The order of pages and trials, without a server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.protocol import (
    Trial,
    attention_order,
    break_due,
    class_order,
    first_stage,
    item_order,
    next_trial_kind,
    repeat_of,
    stage_after,
)
from dissensus.elicit.survey.settings import Protocol, read_survey
from tests.elicit.surveys import write_survey


def walk(protocol, attention_items):
    """The kinds of a whole session, units numbered as they come."""
    given = []
    while (kind := next_trial_kind(protocol, given, attention_items)) is not None:
        unit = repeat_of(given, 7) if kind == "repeat" else len(given)
        given.append(Trial(kind, unit, True))
    return given


def test_attention_checks_come_every_so_often_and_repeats_last():
    kinds = [trial.kind for trial in walk(Protocol(per_person=6, attention_every=2, repeats=2), attention_items=2)]
    assert kinds == ["main", "main", "attention", "main", "main", "attention", "main", "main", "repeat", "repeat"]


@given(st.integers(1, 30), st.integers(0, 10), st.integers(0, 40), st.integers(0, 5))
def test_a_session_has_the_trials_it_promises(per_person, every, repeats, attention_items):
    trials = walk(Protocol(per_person=per_person, attention_every=every, repeats=repeats), attention_items)
    kinds = [trial.kind for trial in trials]
    assert kinds.count("main") == per_person and kinds.count("repeat") == min(repeats, per_person)
    assert kinds.count("attention") == (min(per_person // every, attention_items) if every else 0)
    repeated = [trial.unit for trial in trials if trial.kind == "repeat"]
    assert len(set(repeated)) == len(repeated)
    assert set(repeated) <= {trial.unit for trial in trials if trial.kind == "main"}


def test_repeats_are_of_the_first_half_so_that_time_lies_between():
    trials = walk(Protocol(per_person=20, repeats=4), 0)
    main = [trial.unit for trial in trials if trial.kind == "main"]
    assert all(main.index(trial.unit) < 10 for trial in trials if trial.kind == "repeat")


def test_breaks_come_after_every_so_many_answers_but_not_at_the_end():
    protocol = Protocol(per_person=4, break_every=2)
    given = [Trial("main", i, True) for i in range(2)]
    assert break_due(protocol, given) == 1
    assert break_due(protocol, [*given, Trial("main", 2, True)]) == 0
    assert break_due(protocol, [*given, Trial("main", 2, True), Trial("main", 3, True)]) == 0
    assert break_due(Protocol(per_person=4), given) == 0


def test_orders_differ_between_people_and_are_steady_within_one(tmp_path):
    survey = read_survey(write_survey(tmp_path / "survey", attention={"p0": "cat", "p1": "dog", "p2": "ship"}))
    assert class_order(survey, 5) == class_order(survey, 5)
    assert len({class_order(survey, seed) for seed in range(40)}) == 6  # all orders of three classes
    assert len({tuple(attention_order(survey, seed)) for seed in range(40)}) == 6
    fixed = read_survey(
        write_survey(tmp_path / "survey", question={"kind": "choose", "classes": ["a", "b", "c"], "shuffle": False})
    )
    assert {class_order(fixed, seed) for seed in range(20)} == {("a", "b", "c")}


def test_a_triplet_keeps_its_first_item_in_place_and_a_pair_none():
    def orders(kind, *items):
        return {item_order(items, QUESTIONS[kind].in_place, seed, 0) for seed in range(20)}

    assert orders("triplet", "x", "y", "z") == {("x", "y", "z"), ("x", "z", "y")}
    assert orders("similarity", "x", "y") == {("x", "y"), ("y", "x")}
    assert orders("choose", "x") == {("x",)}
    assert {item_order(("x", "y"), 2, seed, 0) for seed in range(20)} == {("x", "y")}


@pytest.mark.parametrize(
    ("sections", "stages"),
    [
        ({}, ["trials", "done"]),
        ({"protocol": {"consent": "c", "debrief_text": "d"}}, ["consent", "trials", "debrief", "done"]),
    ],
)
def test_stages_that_a_survey_does_not_have_are_left_out(sections, stages, tmp_path):
    survey = read_survey(write_survey(tmp_path / "survey", **sections))
    passed = [first_stage(survey)]
    while passed[-1] != "done":
        passed.append(stage_after(survey, passed[-1]))
    assert passed == stages
