"""Votes, Beliefs and Distributions: checked once when made, cheap to slice, nothing lost."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes
from dissensus.labels.shares import mean_belief, share
from tests.facts import refuses


def votes(**changes) -> Votes:
    fields = {
        "item": np.array([0, 0, 1, 2]),
        "items": ["a", "b", "c"],
        "annotator": np.array([0, 1, 0, 1]),
        "annotators": ["ann", "bo"],
        "choice": np.array([0, 1, 1, 1]),
        "classes": ("cat", "dog"),
        "seconds": np.array([1.0, 2.0, np.nan, 4.0]),
        "extra": pa.table({"trial": [1, 2, 3, 4], "tags": [["x"], [], None, ["y"]]}),
    }
    return Votes(**(fields | changes))


def test_names_become_codes_in_numeric_or_first_seen_order():
    made = Votes.of(["10", "9", "10"], [3, 1, 1], ["zoe", "abe", "abe"])
    assert made.items.tolist() == [9, 10] and made.item.tolist() == [1, 0, 1]
    assert made.annotators.tolist() == ["zoe", "abe"]
    assert made.classes == ("1", "3") and made.choice.tolist() == [1, 0, 0]


def test_names_that_only_look_like_numbers_stay_text():
    assert Votes.of(["007", "7"], ["x", "y"]).items.tolist() == ["007", "7"]


def test_counts_equal_a_slow_loop():
    rng = np.random.default_rng(0)
    made = Votes(
        item=rng.integers(0, 20, 500), items=np.arange(25), choice=rng.integers(0, 4, 500), classes=tuple("abcd")
    )
    slow = np.zeros((25, 4), dtype=int)
    for item, choice in zip(made.item, made.choice, strict=True):
        slow[item, choice] += 1
    assert np.array_equal(made.counts(), slow) and np.array_equal(made.per_item, slow.sum(axis=1))


def test_selecting_items_keeps_their_answers_with_everything_beside_them():
    chosen = votes().select(items=[2, 0])
    assert chosen.items.tolist() == ["c", "a"] and chosen.item.tolist() == [1, 1, 0]
    assert chosen.choice.tolist() == [0, 1, 1] and chosen.column("trial").tolist() == [1, 2, 4]
    assert chosen.extra["tags"].to_pylist() == [["x"], [], ["y"]]


def test_selecting_annotators_or_answers_keeps_every_item():
    by_ann = votes().select(annotators=np.array([True, False]))
    assert by_ann.annotators.tolist() == ["ann"] and by_ann.n_items == 3 and by_ann.per_item.tolist() == [1, 1, 0]
    quick = votes().select(answers=votes().seconds < 3)
    assert quick.n_answers == 2 and quick.n_items == 3 and quick.n_annotators == 2


def test_values_are_frozen_and_compare_by_content():
    assert votes() == votes() and votes() != votes(choice=np.array([1, 1, 1, 1])) and votes() != votes(seconds=None)
    with pytest.raises(ValueError, match="read-only"):
        votes().choice[0] = 1
    with pytest.raises(AttributeError):
        votes().choice = np.zeros(4)


def test_the_caller_keeps_a_writable_array():
    mine = np.array([0, 1, 1, 1], dtype=np.int32)
    made = votes(choice=mine)
    mine[0] = 1
    assert made.choice.tolist() == [0, 1, 1, 1]


def test_a_part_of_the_names_keeps_their_kind():
    """Annotators "1", "2" and "bo" are text, and stay so when bo is left out."""
    some = Votes.of(["x"] * 3, ["cat"] * 3, ["1", "2", "bo"]).select(annotators=[0, 1])
    assert some.annotators.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    ("columns", "facts"),
    [
        ((["a", "b"], [None, "y"]), ["vote 0", "choice None"]),
        ((["a", "b"], ["x", float("nan")]), ["vote 1", "choice nan"]),
        ((["a", None], ["x", "y"]), ["vote 1", "item None"]),
        ((["a", "b"], ["x", "y"], [None, "ann"]), ["vote 0", "annotator None"]),
    ],
)
def test_missing_names_are_refused(columns, facts):
    with refuses(*facts, "a name", "whole number"):
        Votes.of(*columns)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"choice": np.array([0, 2, 1, 1])}, ["vote 1", "choice code 2", "2 classes, 0..1", "1 of 4"]),
        ({"item": np.array([0, 0, 1, 3])}, ["vote 3", "item code 3", "3 items, 0..2", "1 of 4"]),
        ({"annotator": np.array([0, 1, -1, 1])}, ["vote 2", "annotator code -1", "2 annotators, 0..1"]),
        ({"choice": np.array([0, 1, 1])}, ["choice has 3", "item has 4"]),
        ({"choice": np.array([0.5, 1, 1, 1])}, ["choice", "one-dimensional", "integer codes", "float64", "(4,)"]),
        ({"items": ["a", "a", "c"]}, ["two items", "named 'a'"]),
        ({"items": [7, 7, 9]}, ["two items", "named 7"]),
        ({"classes": ("cat", "cat")}, ["two classes", "named 'cat'"]),
        ({"seconds": np.array([1.0, -2, 3, 4])}, ["vote 1", "-2.0 seconds", "0 or more", "1 of 4"]),
        ({"seconds": np.array([1.0])}, ["seconds has shape", "(1,)", "4 votes"]),
        ({"annotators": None}, ["annotator codes", "annotator names", "come together"]),
        ({"extra": pa.table({"trial": [1]})}, ["extra columns", "1 rows", "4 votes"]),
    ],
)
def test_bad_votes_are_refused_with_row_value_and_expectation(changes, facts):
    with refuses(*facts):
        votes(**changes)


def test_an_unknown_class_name_is_refused():
    with refuses("vote 1", "'cow'", "not among", ["cat", "dog"], "1 of 2"):
        Votes.of([1, 1], ["cat", "cow"], classes=["cat", "dog"])


def test_methods_that_need_annotators_refuse_votes_without_them():
    nameless = Votes.of(["a", "a"], ["x", "y"])
    assert nameless.n_annotators is None
    with refuses("answers per annotator", "2 votes", "no annotator", ways={"annotator": ...}):
        _ = nameless.per_annotator


@pytest.mark.parametrize(
    ("selection", "facts"),
    [
        ([5], ["3 items, 0..2", "asks for 5"]),
        (np.array([True]), ["a mask", "3 entries", "(1,)"]),
        (["a"], ["a mask", "integer codes", "<U1"]),
        ([0, 0], ["item 0", "twice"]),
    ],
)
def test_a_selection_that_does_not_fit_is_refused(selection, facts):
    with refuses(*facts):
        votes().select(items=selection)


def test_a_hard_vote_is_a_belief_and_comes_back():
    beliefs = Beliefs.of_votes(votes())
    assert np.nansum(beliefs.stated, axis=1).tolist() == [1, 1, 1, 1] and not beliefs.ruled_out.any()
    assert beliefs.first_choices() == votes()


def beliefs(**changes) -> Beliefs:
    fields = {
        "item": np.array([0, 0]),
        "items": ["a"],
        "classes": ("cat", "dog", "cow"),
        "named": np.array([[0, 1], [1, -1]]),
        "stated": np.array([[0.6, 0.3, np.nan], [np.nan, 1.2, np.nan]]),
        "ruled_out": np.zeros((2, 3), dtype=bool),
    }
    return Beliefs(**(fields | changes))


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"stated": np.array([[-0.1, 0, 0], [0, 1, 0]])},
            ["belief 0", "item a", "puts -0.1", "class 'cat'", "0 or more", "1 entries"],
        ),
        ({"stated": np.array([[np.inf, 0, 0], [0, 1, 0]])}, ["belief 0", "item a", "puts inf", "class 'cat'"]),
        ({"named": np.array([[0, 3], [1, -1]])}, ["belief 0", "class code 3", "3 classes, 0..2"]),
        ({"named": np.full((2, 2), -1), "stated": np.full((2, 3), np.nan)}, ["belief 0", "2 of 2", "say nothing"]),
        ({"stated": np.zeros((2, 2))}, ["stated", "(2, 2)", "both must be (2, 3)"]),
        ({"ruled_out": np.zeros((2, 3))}, ["ruled_out", "booleans", "float64"]),
        ({"named": np.zeros((2, 1))}, ["named", "integer class codes", "float64 (2, 1)"]),
    ],
)
def test_bad_beliefs_are_refused_with_row_value_and_expectation(changes, facts):
    with refuses(*facts):
        beliefs(**changes)


def test_the_first_choice_is_the_class_named_first_even_if_another_has_more_mass():
    told = beliefs(stated=np.array([[0.3, 0.6, np.nan], [np.nan, 1.0, np.nan]]))
    assert told.first.tolist() == [0, 1]
    sliders = beliefs(named=np.zeros((2, 0), dtype=int), stated=np.array([[0.3, 0.6, 0.6], [np.nan, 0.0, 0.1]]))
    assert sliders.first.tolist() == [1, 2]
    untouched = beliefs(named=np.zeros((2, 0), dtype=int), stated=np.zeros((2, 3)))
    assert untouched.first.tolist() == [-1, -1]


def test_an_answer_that_only_rules_out_has_no_first_choice():
    only = beliefs(
        named=np.array([[0, 1], [-1, -1]]),
        stated=np.array([[1, np.nan, np.nan], [np.nan] * 3]),
        ruled_out=np.array([[False] * 3, [True, False, False]]),
    )
    assert only.first.tolist() == [0, -1] and only.first_choices().n_answers == 1


@given(st.lists(st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=1, max_size=20))
def test_counts_and_shares_are_two_views_of_the_same_votes(counts):
    made = Distributions.from_counts(counts)
    assert np.array_equal(made.counts(), counts) and np.allclose(made.probs.sum(axis=1), 1)


@pytest.mark.parametrize(
    ("probs", "facts"),
    [
        (
            [[0.5, 0.5], [0.7, 0.7]],
            ["row 1", "item 1", "sums to 1.4", "expected 1", "1 of 2", "Distributions.from_mass"],
        ),
        (
            [[0.5, 0.5], [-0.5, 1.5]],
            ["row 1", "item 1", "class 'x'", "probability -0.5", "0 to 1", "2 entries"],
        ),
        ([[0.5, np.nan]], ["row 0", "item 0", "class 'y'", "no probability"]),
        ([[1.0]], ["probs has shape", "(1, 1)", "1 items", "2 classes"]),
    ],
)
def test_rows_that_are_not_distributions_are_refused(probs, facts):
    with refuses(*facts):
        Distributions(np.array(probs), np.arange(len(probs)), ("x", "y"))


def test_invalid_counts_are_refused():
    with refuses("row 0", "item 0", "class '1'", "count -1", "0 to 2**53"):
        Distributions.from_counts([[1, -1]])
    with refuses("row 1", "item 1", "no votes", "1 of 2"):
        Distributions.from_counts([[1, 0], [0, 0]])
    with refuses("no number of", "votes to count"):
        Distributions(np.eye(2), np.arange(2), ("x", "y")).counts()
    with refuses("row 0", "item 7", "not a share", "3 votes", [1.5, 1.5], "1 of 1"):
        Distributions(np.array([[0.5, 0.5]]), np.array([7]), ("x", "y"), np.array([3])).counts()


def test_counts_can_be_taken_apart_into_nameless_votes():
    made = Distributions.from_counts([[1, 2], [0, 3]], items=["a", "b"], classes=("x", "y"))
    told = Votes.of_counts(made)
    assert told.n_answers == 6 and told.annotators is None and share(told) == made


def test_mass_is_scaled_or_refused():
    assert Distributions.from_mass([[1, 3]]).probs.tolist() == [[0.25, 0.75]]
    with refuses("row 1", "item b", "mass [0.0, 0.0]", "1 of 2"):
        Distributions.from_mass([[1, 3], [0, 0]], items=["a", "b"])


def test_selecting_rows_of_distributions():
    made = Distributions.from_counts([[1, 1], [3, 1], [0, 2]], items=["a", "b", "c"], classes=("x", "y"))
    chosen = made.select([2, 1])
    assert chosen.items.tolist() == ["c", "b"] and chosen.votes.tolist() == [2, 4] and chosen != made


def test_share_and_mean_belief_agree_on_votes():
    """P_ours recovers P_multi when every annotator puts all mass on one class: Collins (2022), sec. 3."""
    from dissensus.labels.completion import dense

    told = votes()
    mean = mean_belief(dense(Beliefs.of_votes(told)))
    assert mean.votes is None  # a mean of beliefs is no share of votes, even where it is the same numbers
    assert share(told) == replace(mean, votes=told.per_item)
    assert share(told).probs.tolist() == [[0.5, 0.5], [0, 1], [0, 1]]


def test_items_without_answers_have_no_share():
    lonely = votes().select(answers=[0])
    with refuses("item b", "no votes", "2 of 3", "select(items=...)", "shrinkage"):
        share(lonely)
    with refuses("belief 0", "item a", "nothing about 'dog'", "complete(beliefs)"):
        mean_belief(Beliefs.of_votes(lonely))
