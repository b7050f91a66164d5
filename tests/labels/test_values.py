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
    ("columns", "message"),
    [
        ((["a", "b"], [None, "y"]), "vote 0 has choice None; expected a name"),
        ((["a", "b"], ["x", float("nan")]), "vote 1 has choice nan; expected a name"),
        ((["a", None], ["x", "y"]), "vote 1 has item None; expected a name"),
        ((["a", "b"], ["x", "y"], [None, "ann"]), "vote 0 has annotator None; expected a name"),
    ],
)
def test_missing_names_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        Votes.of(*columns)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"choice": np.array([0, 2, 1, 1])}, r"vote 1 has choice code 2, but there are 2 classes, 0..1; 1 of 4 votes"),
        ({"item": np.array([0, 0, 1, 3])}, r"vote 3 has item code 3, but there are 3 items, 0..2"),
        ({"annotator": np.array([0, 1, -1, 1])}, r"vote 2 has annotator code -1"),
        ({"choice": np.array([0, 1, 1])}, "choice has 3 codes, but item has 4"),
        ({"choice": np.array([0.5, 1, 1, 1])}, "one-dimensional array of integer codes, not float64"),
        ({"items": ["a", "a", "c"]}, "two items are both named 'a'"),
        ({"items": [7, 7, 9]}, "two items are both named 7;"),
        ({"classes": ("cat", "cat")}, "two classes are both named 'cat'"),
        ({"seconds": np.array([1.0, -2, 3, 4])}, "vote 1 took -2.0 seconds; expected a time of 0 or more"),
        ({"seconds": np.array([1.0])}, "seconds has shape"),
        ({"annotators": None}, "come together"),
        ({"extra": pa.table({"trial": [1]})}, "the extra columns have 1 rows, but there are 4 votes"),
    ],
)
def test_bad_votes_are_refused_with_row_value_and_expectation(changes, message):
    with pytest.raises(ValueError, match=message):
        votes(**changes)


def test_an_unknown_class_name_is_refused():
    with pytest.raises(ValueError, match=r"vote 1 chose 'cow', .*not among.*\['cat', 'dog'\]; 1 of 2"):
        Votes.of([1, 1], ["cat", "cow"], classes=["cat", "dog"])


def test_without_annotators_what_needs_them_says_so():
    nameless = Votes.of(["a", "a"], ["x", "y"])
    assert nameless.n_annotators is None
    with pytest.raises(ValueError, match="answers per annotator needs to know who gave each vote"):
        _ = nameless.per_annotator


@pytest.mark.parametrize(
    ("selection", "message"),
    [
        ([5], "asks for 5"),
        (np.array([True]), "needs 3 entries"),
        (["a"], "integer codes"),
        ([0, 0], "names item 0 twice"),
    ],
)
def test_a_selection_that_does_not_fit_is_refused(selection, message):
    with pytest.raises(ValueError, match=message):
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
    ("changes", "message"),
    [
        (
            {"stated": np.array([[-0.1, 0, 0], [0, 1, 0]])},
            r"belief 0 \(item a\) puts -0.1 on class 'cat'; expected a prob",
        ),
        ({"stated": np.array([[np.inf, 0, 0], [0, 1, 0]])}, "puts inf on class 'cat'"),
        ({"named": np.array([[0, 3], [1, -1]])}, "names class code 3, but there are 3 classes"),
        ({"named": np.full((2, 2), -1), "stated": np.full((2, 3), np.nan)}, "2 of 2 beliefs say nothing"),
        ({"stated": np.zeros((2, 2))}, r"both must be \(2, 3\)"),
        ({"ruled_out": np.zeros((2, 3))}, "must have booleans"),
        ({"named": np.zeros((2, 1))}, "integer class codes"),
    ],
)
def test_bad_beliefs_are_refused_with_row_value_and_expectation(changes, message):
    with pytest.raises(ValueError, match=message):
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
    ("probs", "message"),
    [
        (
            [[0.5, 0.5], [0.7, 0.7]],
            r"row 1 \(item 1\) sums to 1.4, expected 1; 1 of 2 rows do not sum to 1.*Distributions.from_mass",
        ),
        (
            [[0.5, 0.5], [-0.5, 1.5]],
            r"row 1 \(item 1\) gives class 'x' probability -0.5; expected a number from 0 to 1",
        ),
        ([[0.5, np.nan]], "gives class 'y' no probability"),
        ([[1.0]], r"probs has shape \(1, 1\), but 1 items and 2 classes are named"),
    ],
)
def test_rows_that_are_no_distribution_are_refused(probs, message):
    with pytest.raises(ValueError, match=message):
        Distributions(np.array(probs), np.arange(len(probs)), ("x", "y"))


def test_counts_that_are_no_counts_are_refused():
    with pytest.raises(ValueError, match=r"row 0 \(item 0\) gives class '1' count -1; expected .*from 0 to 2\*\*53"):
        Distributions.from_counts([[1, -1]])
    with pytest.raises(ValueError, match=r"row 1 \(item 1\) has no votes"):
        Distributions.from_counts([[1, 0], [0, 0]])
    with pytest.raises(ValueError, match="carry no number of votes"):
        Distributions(np.eye(2), np.arange(2), ("x", "y")).counts()
    with pytest.raises(ValueError, match="is not a share of its 3 votes"):
        Distributions(np.array([[0.5, 0.5]]), np.array([7]), ("x", "y"), np.array([3])).counts()


def test_counts_can_be_taken_apart_into_nameless_votes():
    made = Distributions.from_counts([[1, 2], [0, 3]], items=["a", "b"], classes=("x", "y"))
    told = Votes.of_counts(made)
    assert told.n_answers == 6 and told.annotators is None and share(told) == made


def test_mass_is_scaled_or_refused():
    assert Distributions.from_mass([[1, 3]]).probs.tolist() == [[0.25, 0.75]]
    with pytest.raises(ValueError, match=r"row 1 \(item b\) has mass \[0.0, 0.0\]"):
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
    with pytest.raises(ValueError, match=r"item b has no votes.*2 of 3 items have none"):
        share(lonely)
    with pytest.raises(ValueError, match="says nothing about 'dog'; complete partial beliefs first"):
        mean_belief(Beliefs.of_votes(lonely))
