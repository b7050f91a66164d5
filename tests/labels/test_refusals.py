"""A refusal is a value: its problem, its place and its ways out, in the words of Python or of a TOML table."""

from __future__ import annotations

import pickle

import pytest

from dissensus.labels.refusals import PYTHON, PythonWay, Refusal, Toml, Way, add_place, find_nearest, one_of
from dissensus.labels.row_errors import RowError
from tests.facts import states

NOTE = Refusal(
    "'note' is text", place="votes.csv", ways=[Way("omit {drop}", drop=["note"]), Way("set {classes}", classes=...)]
)


@pytest.mark.parametrize(
    ("front", "worded"),
    [
        (PYTHON, "votes.csv: 'note' is text. Omit drop=['note'], or set classes="),
        (Toml(), "votes.csv: 'note' is text. Omit drop = [\"note\"], or set classes"),
        (Toml(["classes"]), "votes.csv: 'note' is text. Set classes"),
        (Toml([]), "votes.csv: 'note' is text"),
    ],
    ids=["Python", "TOML", "a TOML table without the key drop", "a TOML table without keys"],
)
def test_each_front_writes_its_own_settings_and_leaves_out_those_that_it_does_not_have(front, worded):
    assert NOTE.word(front) == worded


def test_a_refusal_is_printed_in_the_words_of_python():
    assert str(NOTE) == NOTE.word(PYTHON)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (True, "x = true"),
        (0.5, "x = 0.5"),
        ('a "b"', 'x = "a \\"b\\""'),
        (("é", 1), 'x = ["é", 1]'),
        ({"split": "test"}, 'x = {split = "test"}'),
        (..., "x"),
    ],
)
def test_toml_values(value, written):
    assert Toml().write("x", value) == written


def test_a_way_for_python_code_is_in_no_other_front():
    refusal = Refusal("2", ways=[PythonWay("call from_mass"), Way("{rescale}", rescale=True)])
    assert refusal.word(PYTHON) == "2. Call from_mass, or rescale=True"
    assert refusal.word(Toml()) == "2. Rescale = true"


def test_a_problem_may_name_the_setting_that_was_given():
    refusal = Refusal("{several} fails", several="votes")
    assert str(refusal) == "several='votes' fails"
    assert refusal.word(Toml()) == 'several = "votes" fails'


def test_braces_of_a_user_stay():
    refusal = Refusal("'{drop}' and '{}'", ways=[Way("'{x}': {drop}", drop=["{x}"])])
    assert str(refusal) == "'{drop}' and '{}'. '{x}': drop=['{x}']"


def test_the_words_of_one_front_can_be_settled():
    settled = NOTE.settle(Toml(["drop"]))
    assert [way.text for way in settled.ways] == ['omit drop = ["note"]']
    assert str(settled) == NOTE.word(Toml(["drop"]))


def test_a_place_is_added_once():
    assert NOTE.at("votes.csv") is NOTE
    assert NOTE.at("s.toml").place == "s.toml: votes.csv"
    assert str(add_place(OSError("gone"), "a.csv")) == "a.csv: gone"
    named = add_place(ValueError("a.csv: gone"), "a.csv")
    assert (named.place, named.problem) == ("a.csv", "gone")


@pytest.mark.parametrize("error", [NOTE, RowError("vote", 3, "is late", [Way("pass {x}", x=...)])], ids=type)
def test_refusals_cross_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and vars(copy) == vars(error) and str(copy) == str(error)


def test_a_refused_row_gets_the_number_it_has_in_a_file():
    refusal = RowError("vote", 3, "is late", [Way("pass {x}", x=1)]).with_number(7, "votes.csv")
    assert (refusal.place, refusal.problem) == ("votes.csv", "row 7 is late") and refusal.ways[0].settings == {"x": 1}


def test_a_valid_name_is_returned():
    assert one_of("metric", "kl", {"kl": 1}) == "kl"


@pytest.mark.parametrize(
    ("name", "near"), [("kll", "kl"), ("Accuracy", "accuracy"), ("zzz", None), (["kl"], None), (None, None)]
)
def test_an_unknown_name_is_refused_with_the_nearest(name, near):
    with pytest.raises(Refusal) as caught:
        one_of("metric", name, ("kl", "accuracy"), place="study.toml")
    refusal = caught.value
    problem = f"unknown metric {name!r}"
    assert refusal.place == "study.toml" and refusal.problem.startswith(problem)
    hint = refusal.problem.removeprefix(problem)
    assert hint == "" if near is None else states(hint, repr(near))
    (way,) = refusal.ways
    assert not way.settings and states(way.text, "kl, accuracy")


def test_a_long_list_of_names_is_cut():
    with pytest.raises(Refusal) as caught:
        one_of("item", "x", range(1000))
    assert len(str(caught.value)) < 400 and "(1000 in total)" in str(caught.value)


def test_nearest_names():
    assert find_nearest("smoth", ["smooth", "temper"]) == "smooth"
    assert find_nearest("q", ["smooth"]) is None
