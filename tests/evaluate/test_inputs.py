"""What was read becomes what a scorecard takes; every reading is said, and what cannot be read is refused."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.evaluate.inputs import as_models, gold_names, item_columns, name_labels, smooth_models
from dissensus.evaluate.people import as_people
from dissensus.evaluate.scorecards import scorecard
from dissensus.labels.distributions import Distributions
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.votes import Votes
from tests.facts import refuses, states

TARGETS = Distributions([[0.5, 0.5], [1.0, 0.0]], ["x", "y"], ("cat", "dog"))
PEOPLE = as_people(TARGETS)
VOTES = Votes.of(["x", "x", "y"], ["cat", "dog", "cat"])


def test_arrays_take_the_names_of_the_labels_and_votes_become_shares():
    said: list[str] = []
    read = {"array": ("a.npy", TARGETS.probs), "crowd": ("v.csv", VOTES), "model": ("m.npz", TARGETS)}
    models = as_models(read, PEOPLE, said.append)
    assert all(np.array_equal(model.probs, TARGETS.probs) for model in models.values())
    assert models["array"].items.tolist() == ["x", "y"] and models["array"].classes == ("cat", "dog")
    array, crowd = said
    assert states(array, "took", "a.npy", "labels", "cat, dog", "by position")
    assert states(crowd, "took", "v.csv", "votes", "ensemble", "share")
    with refuses("whole numbers", "int64", place="c.npy"):
        as_models({"counts": ("c.npy", np.array([[3, 1], [0, 4]]))}, PEOPLE, said.append)


def test_labels_without_names_take_those_of_the_predictions_unless_these_count_from_0_in_another_order():
    said: list[str] = []
    bare = Distributions(TARGETS.probs, row_numbers(2), ("0", "1"))
    named = name_labels(bare, TARGETS, "labels.npy", "m.npz", said.append)
    assert named.items.tolist() == ["x", "y"] and named.classes == ("cat", "dog")
    assert len(said) == 1
    assert states(said[0], "took", "labels.npy", "items of m.npz", "cat, dog", "by position")
    assert name_labels(bare, TARGETS.probs, "labels.npy", "m.npy", said.append) is bare
    assert name_labels(bare, bare, "labels.npy", "m.npz", said.append) is bare and len(said) == 1
    turned = Distributions(TARGETS.probs, [1, 0], ("1", "0"))
    with refuses("item 0 or item 1", "Sort m.npz"):
        name_labels(bare, turned, "labels.npy", "m.npz", said.append)
    names = Distributions(TARGETS.probs, [0, 1], ("0", "1"))
    assert name_labels(names, turned, "labels.csv", "m.npz", said.append) is names and len(said) == 1


def test_smoothing_is_said_and_none_is_none():
    said: list[str] = []
    assert smooth_models({"m": TARGETS}, 0.0, said.append) == {"m": TARGETS} and not said
    assert smooth_models({"m": TARGETS}, 0.2, said.append)["m"].probs.min() == pytest.approx(0.1)
    assert len(said) == 1 and states(said[0], "smoothed", "0.2")


def test_gold_comes_as_codes_or_as_one_vote_per_item_in_any_order():
    said: list[str] = []
    assert gold_names(np.array([1, -1]), PEOPLE, "g.npy", said.append) == ["dog", None]
    assert len(said) == 1 and states(said[0], "took", "gold", "g.npy", "0 is cat", "1 is dog", "order")
    assert gold_names(Votes.of(["y", "z"], ["dog", "cat"]), PEOPLE, "g.csv", said.append) == [None, "dog"]
    assert len(said) == 2 and states(said[1], "took", "gold", "g.csv", "1 of 2 items")  # only missing names need a word
    with refuses("g.npy", "float64", "(2,)", "2 class codes"):
        gold_names(np.array([0.0, 1.0]), PEOPLE, "g.npy", said.append)
    for wrong, holds in ((VOTES, "several labels"), (TARGETS, "distributions")):
        with refuses(holds, place="g.csv"):
            gold_names(wrong, PEOPLE, "g.csv", said.append)


def test_columns_are_those_that_are_there():
    assert item_columns({"source": ["a", "b"], "gold": [0, 1]}, ["source"]) == {"source": ["a", "b"]}
    assert item_columns(None, []) == {}
    with refuses("'font'", "source"):
        item_columns({"source": ["a", "b"]}, ["font"])
    with refuses("no column", "'font'"):
        item_columns(None, ["font"])


def test_rows_are_matched_by_position_only_to_answers_whose_order_is_clear():
    """Reading sorts items that are whole numbers: 10, 2, 33 in the file are 2, 10, 33, and row 0 could be 10 or 2."""
    rng, rows = np.random.default_rng(0), np.eye(3)
    unsorted = Votes.of([10, 2, 33], ["a", "b", "c"])
    with refuses("item 10 when item 2"):
        scorecard(rows, unsorted, rng=rng)
    with refuses("item 10 when item 2", place="p.npy"):
        as_models({"p": ("p.npy", rows)}, as_people(unsorted), lambda notice: None)
    with refuses("item 10 when item 2", place="g.npy"):
        gold_names(np.array([0, 1, 2]), as_people(unsorted), "g.npy", lambda notice: None)
    named = Votes.of(["z", "x", "y"], ["a", "b", "c"])
    assert scorecard(rows, named, rng=rng).scores["accuracy"].value == 1.0


def test_numbers_that_count_on_are_the_order_where_answers_to_an_item_stand_apart():
    """A file sorted by annotator has no order of items but that of their numbers; one sorted by item has."""
    by_person = Votes.of([2, 0, 1, 0, 1, 2], ["a", "b", "c", "b", "c", "a"], ["p"] * 3 + ["q"] * 3)
    rows = np.eye(3)[[1, 2, 0]]
    assert scorecard(rows, by_person, rng=np.random.default_rng(0)).scores["accuracy"].value == 1.0
    by_item = by_person.select(answers=np.argsort([2, 0, 1, 0, 1, 2], kind="stable")[[4, 5, 0, 1, 2, 3]])
    with refuses("item 2 when item 0"):
        scorecard(rows, by_item, rng=np.random.default_rng(0))


def test_gold_codes_are_refused_where_they_could_be_names_or_are_no_class():
    ratings = Distributions(np.eye(3), ["x", "y", "z"], ("1", "2", "3"))
    with refuses("g.npy", "1, 2, 3"):
        gold_names(np.array([1, 2, 3]), as_people(ratings), "g.npy", lambda notice: None)
    with refuses("number 1 is 2", "0..1", "1 of 2"):
        gold_names(np.array([1, 2]), PEOPLE, "g.npy", lambda notice: None)
