"""What was read becomes what a scorecard takes; every reading is said, and what cannot be read is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dissensus.evaluate.inputs import as_models, gold_names, item_columns, named_by_predictions, smoothed_models
from dissensus.evaluate.json_numbers import json_text
from dissensus.labels.distributions import Distributions
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.votes import Votes

TARGETS = Distributions([[0.5, 0.5], [1.0, 0.0]], ["x", "y"], ("cat", "dog"))
VOTES = Votes.of(["x", "x", "y"], ["cat", "dog", "cat"])


def test_arrays_take_the_names_of_the_labels_and_votes_become_shares():
    said: list[str] = []
    read = {"array": ("a.npy", TARGETS.probs), "crowd": ("v.csv", VOTES), "model": ("m.npz", TARGETS)}
    models = as_models(read, TARGETS, said.append)
    assert all(np.array_equal(model.probs, TARGETS.probs) for model in models.values())
    assert models["array"].items.tolist() == ["x", "y"] and models["array"].classes == ("cat", "dog")
    assert len(said) == 2
    assert said == [
        "took: rows of a.npy = items of the labels, columns = cat, dog, by position",
        "took: v.csv = votes of an ensemble, one prediction per item: the share of each class",
    ]
    with pytest.raises(ValueError, match=r"c\.npy: holds whole numbers \(int64\); expected probabilities"):
        as_models({"counts": ("c.npy", np.array([[3, 1], [0, 4]]))}, TARGETS, said.append)


def test_labels_without_names_take_those_of_the_predictions_unless_these_count_from_0_in_another_order():
    said: list[str] = []
    bare = Distributions(TARGETS.probs, row_numbers(2), ("0", "1"))
    named = named_by_predictions(bare, TARGETS, "labels.npy", "m.npz", said.append)
    assert named.items.tolist() == ["x", "y"] and named.classes == ("cat", "dog")
    assert said == ["took: rows of labels.npy = items of m.npz, columns of labels.npy = cat, dog, by position"]
    assert named_by_predictions(bare, TARGETS.probs, "labels.npy", "m.npy", said.append) is bare
    assert named_by_predictions(bare, bare, "labels.npy", "m.npz", said.append) is bare and len(said) == 1
    turned = Distributions(TARGETS.probs, [1, 0], ("1", "0"))
    with pytest.raises(ValueError, match=r"row 0 could be item 0 or item 1; sort m\.npz by item"):
        named_by_predictions(bare, turned, "labels.npy", "m.npz", said.append)
    names = Distributions(TARGETS.probs, [0, 1], ("0", "1"))
    assert named_by_predictions(names, turned, "labels.csv", "m.npz", said.append) is names and len(said) == 1


def test_smoothing_is_said_and_none_is_none():
    said: list[str] = []
    assert smoothed_models({"m": TARGETS}, 0.0, said.append) == {"m": TARGETS} and not said
    assert smoothed_models({"m": TARGETS}, 0.2, said.append)["m"].probs.min() == pytest.approx(0.1)
    assert said == ["predictions are smoothed: 0.2 of each is spread evenly over all classes"]


def test_gold_comes_as_codes_or_as_one_vote_per_item_in_any_order():
    said: list[str] = []
    assert gold_names(np.array([1, -1]), TARGETS, "g.npy", said.append) == ["dog", None]
    assert said == ["took: gold = class codes in g.npy (0 is cat, 1 is dog), in the order of the labels' items"]
    assert gold_names(Votes.of(["y", "z"], ["dog", "cat"]), TARGETS, "g.csv", said.append) == [None, "dog"]
    assert len(said) == 1  # names need no word
    with pytest.raises(ValueError, match=r"g\.npy: float64 of shape \(2,\); expected 2 class codes"):
        gold_names(np.array([0.0, 1.0]), TARGETS, "g.npy", said.append)
    for wrong, holds in ((VOTES, "several labels per item"), (TARGETS, "beliefs or distributions")):
        with pytest.raises(ValueError, match=f"holds {holds}; expected one row per item"):
            gold_names(wrong, TARGETS, "g.csv", said.append)


def test_columns_are_those_that_are_there():
    assert item_columns({"source": ["a", "b"], "gold": [0, 1]}, ["source"]) == {"source": ["a", "b"]}
    assert item_columns(None, []) == {}
    with pytest.raises(ValueError, match="no column 'font' to divide the items by; there are source"):
        item_columns({"source": ["a", "b"]}, ["font"])
    with pytest.raises(ValueError, match="a file of labels has none"):
        item_columns(None, ["font"])


def test_infinite_numbers_are_numbers_in_json():
    record = {"a": [-math.inf, math.inf, "Infinity"], "b": {"c": 1.5}}
    text = json_text(record)
    assert "1e999" in text and json.loads(text, parse_constant=lambda name: pytest.fail(name)) == record
