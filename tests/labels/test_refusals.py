"""A refusal is a value: its problem, its place and its ways out, in the words of Python or of a TOML table."""

from __future__ import annotations

import pickle

import pytest

from dissensus.labels.refusals import PYTHON, PythonWay, Refusal, Toml, Way, add_place, find_nearest, one_of
from dissensus.labels.row_errors import RowError

NOTE = Refusal(
    "column 'note' is text",
    place="votes.csv",
    ways=[Way("leave it out with {drop}", drop=["note"]), Way("name all classes with {classes}", classes=...)],
)


def test_python_writes_keywords():
    assert str(NOTE) == (
        "votes.csv: column 'note' is text. Leave it out with drop=['note'], or name all classes with classes="
    )


def test_toml_writes_keys():
    assert NOTE.word(Toml()) == (
        "votes.csv: column 'note' is text. Leave it out with drop = [\"note\"], or name all classes with classes"
    )


def test_a_way_that_a_table_has_no_key_for_is_left_out():
    assert NOTE.word(Toml(["classes"])) == "votes.csv: column 'note' is text. Name all classes with classes"
    assert NOTE.word(Toml([])) == "votes.csv: column 'note' is text"


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
    refusal = Refusal("rows sum to 2", ways=[PythonWay("call from_mass"), Way("pass {rescale}", rescale=True)])
    assert refusal.word(PYTHON) == "rows sum to 2. Call from_mass, or pass rescale=True"
    assert refusal.word(Toml()) == "rows sum to 2. Pass rescale = true"


def test_a_problem_may_name_the_setting_that_was_given():
    refusal = Refusal("{several} is for labels", several="votes")
    assert str(refusal) == "several='votes' is for labels"
    assert refusal.word(Toml()) == 'several = "votes" is for labels'


def test_braces_of_a_user_stay():
    refusal = Refusal("class '{drop}' and '{}'", ways=[Way("rename '{x}' or pass {drop}", drop=["{x}"])])
    assert str(refusal) == "class '{drop}' and '{}'. Rename '{x}' or pass drop=['{x}']"


def test_the_words_of_one_front_can_be_settled():
    settled = NOTE.settle(Toml(["drop"]))
    assert [way.text for way in settled.ways] == ['leave it out with drop = ["note"]']
    assert str(settled) == NOTE.word(Toml(["drop"]))


def test_a_place_is_added_once():
    assert NOTE.at("votes.csv") is NOTE
    assert NOTE.at("study.toml").place == "study.toml: votes.csv"
    assert str(add_place(OSError("gone"), "a.csv")) == "a.csv: gone"
    assert add_place(ValueError("a.csv: gone"), "a.csv").place == ""


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
    assert refusal.place == "study.toml" and refusal.problem.startswith(f"unknown metric {name!r}")
    assert (f"did you mean {near!r}?" in refusal.problem) == (near is not None)
    assert refusal.ways == (Way("choose from: kl, accuracy"),)


def test_a_long_list_of_names_is_cut():
    with pytest.raises(Refusal) as caught:
        one_of("item", "x", range(1000))
    assert len(str(caught.value)) < 400 and "(1000 in total)" in str(caught.value)


def test_nearest_names():
    assert find_nearest("smoth", ["smooth", "temper"]) == "smooth"
    assert find_nearest("q", ["smooth"]) is None
