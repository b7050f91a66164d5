"""Frames in and frames out: pandas, polars and Arrow, nothing guessed, nothing changed on the way."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dissensus import Beliefs, Distributions, Votes, as_table, read, share
from tests.facts import refuses

ROWS = {"item": ["a", "a", "b"], "annotator": ["ann", "bo", "ann"], "label": ["cat", "dog", "cat"]}
VOTES = Votes.of(ROWS["item"], ROWS["label"], ROWS["annotator"])
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("library", FRAMES)
def test_votes_come_from_every_kind_of_frame(library):
    assert Votes.of_frame(FRAMES[library](ROWS)) == VOTES


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_votes_to_distributions_are_a_frame_in_and_a_frame_out(library):
    frame = FRAMES[library](ROWS)
    shares = share(Votes.of_frame(frame))
    out = shares.to_pandas() if library == "pandas" else shares.to_polars()
    assert type(out) is type(frame) and list(out.columns) == ["item", "cat", "dog", "votes"]
    assert (
        out["item"].to_list() == ["a", "b"] and out["cat"].to_list() == [0.5, 1.0] and out["votes"].to_list() == [2, 1]
    )
    assert Distributions.of_frame(out) == shares


def full_votes():
    return Votes.of(
        [7, 3, 7],
        ["x", "y", "y"],
        ["bo", "ann", "ann"],
        seconds=[1.5, np.nan, 2.0],
        extra=pa.table({"device": ["phone", "desk", None], "tags": [["p"], [], ["q", "r"]]}),
    )


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_votes_come_back_from_a_frame_with_times_and_further_columns(library):
    votes = full_votes()
    frame = {"pandas": votes.to_pandas, "polars": votes.to_polars, "arrow": votes.to_arrow}[library]()
    again = Votes.of_frame(frame)
    assert again == votes or (library == "pandas" and again.extra.to_pylist() == votes.extra.to_pylist())
    assert np.array_equal(again.seconds, votes.seconds, equal_nan=True)
    assert again.items.tolist() == [3, 7] and again.annotators.tolist() == ["bo", "ann"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_beliefs_as_a_frame_are_read_back(library):
    beliefs = Beliefs.of_votes(VOTES)
    frame = beliefs.to_pandas() if library == "pandas" else beliefs.to_polars()
    assert list(frame.columns)[:4] == ["item", "annotator", "stated.cat", "stated.dog"]
    assert read(frame, say=lambda _: None) == beliefs


def test_columns_of_other_names_are_named_and_the_others_become_extra_columns():
    frame = pd.DataFrame(
        {"task": [1, 1], "who": ["ann", "bo"], "gold": ["x", "x"], "label": ["x", "y"], "took": [1, 2]}
    )
    votes = Votes.of_frame(frame, item="task", annotator="who", seconds="took")
    assert votes.extra.column_names == ["gold"] and votes.seconds.tolist() == [1, 2]
    unknown = Votes.of_frame(frame, item="task", annotator=None)
    assert unknown.annotators is None and unknown.seconds is None
    assert unknown.extra.column_names == ["who", "gold", "took"]


def test_classes_are_those_given_or_the_levels_of_an_ordered_categorical():
    levels = ["low", "mid", "high"]
    label = pd.Categorical(["high", "low"], levels, ordered=True)
    frame = pd.DataFrame({"item": ["a", "b"], "annotator": [1, 1], "label": label})
    assert Votes.of_frame(frame).classes == tuple(levels)
    assert Votes.of_frame(frame, classes=levels[::-1]).classes == tuple(levels[::-1])
    numbers = pd.DataFrame({"item": [1.0, 2.0], "annotator": [1, 1], "label": [1.0, 10.0]})
    assert Votes.of_frame(numbers).classes == ("1", "10") and Votes.of_frame(numbers).items.tolist() == [1, 2]


def test_an_index_with_a_name_is_a_column_and_one_left_over_is_not():
    frame = pd.DataFrame(ROWS)
    assert Votes.of_frame(frame.set_index("item")) == VOTES
    assert Votes.of_frame(frame[[False, True, True]]).extra is None


@pytest.mark.parametrize(
    ("rows", "options", "facts"),
    [
        (
            {"item": None, "task": ["a"] * 3},
            {},
            ["no column 'item'", "the item", ["annotator", "label", "task"], "item="],
        ),
        (
            {"annotator": None},
            {},
            ["no column 'annotator'", ["item", "label"], "annotator=", "annotator=None"],
        ),
        ({}, {"seconds": "took"}, ["no column 'took'", "the seconds", ["item", "annotator", "label"], "seconds="]),
        ({"item": ["a", None, "b"]}, {}, ["row 1", "no value", "column 'item'"]),
        ({"label": ["cat", "dog", None]}, {}, ["row 2", "no value", "column 'label'"]),
        ({"annotator": [1.5, 2.0, float("nan")]}, {}, ["row 2", "no value", "column 'annotator'"]),
        ({"seconds": ["1", "2", "soon"]}, {}, ["row 2", "'soon'", "column 'seconds'", "a number"]),
        ({"seconds": [1, -2, 3]}, {}, ["vote 1", "-2.0 seconds", "0 or more", "1 of 3"]),
        ({}, {"classes": ["cat"]}, ["row 1", "'dog'", "column 'label'", "classes", ["cat"], "1 of 3"]),
        ({"item": [["a"], ["b"], ["c"]]}, {}, ["column 'item'", "list<item: string>", "names or numbers"]),
    ],
)
def test_what_is_wrong_with_a_frame_is_named_by_row_and_column(rows, options, facts):
    columns = ROWS | rows
    columns = {name: values for name, values in columns.items() if values is not None}
    with refuses(*facts):
        Votes.of_frame(pa.table(columns), **options)


def test_distributions_take_the_classes_named_and_refuse_columns_without_numbers():
    frame = pl.DataFrame({"uid": ["a", "b"], "cat": [0.25, 1], "dog": [0.75, 0], "note": ["x", "y"]})
    shares = Distributions.of_frame(frame, item="uid", classes=["dog", "cat"])
    assert shares.probs.tolist() == [[0.75, 0.25], [0, 1]] and shares.votes is None
    for options, facts in (
        ({}, ["row 0", "'x'", "column 'note'", "a number"]),
        ({"classes": ["eel"]}, ["no column", "class 'eel'", ["uid", "cat", "dog", "note"]]),
        ({"classes": ["cat"]}, ["row 0", "item a", "sums to 0.25", "expected 1", "1 of 2"]),
    ):
        with refuses(*facts):
            Distributions.of_frame(frame, item="uid", **options)
    with refuses("no column", "any class", ["item"]):
        Distributions.of_frame(pa.table({"item": ["a"]}))


def test_an_extra_column_named_like_a_role_moves_the_role():
    votes = Votes.of(["a"], ["x"], extra=pa.table({"label": ["gold"]}))
    assert votes.to_arrow().to_pylist() == [{"item": "a", "label_code": "x", "label": "gold"}]
    assert as_table(votes).column_names == votes.to_arrow().column_names
    beliefs = Beliefs.of_votes(Votes.of(["a"], ["x"], extra=pa.table({"stated.y": [1]})))
    with refuses("extra column", "'stated.y'", "own columns"):
        beliefs.to_arrow()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_library_that_is_not_there_is_named_with_how_to_get_it(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with refuses(library, "not installed", f"pip install -c constraints.txt {library}", error=ImportError):
        getattr(VOTES, f"to_{library}")()


def test_a_second_answer_is_refused_or_kept_as_the_caller_says():
    twice = pd.DataFrame({"item": ["a", "b", "a"], "annotator": [1, 1, 1], "label": ["x", "y", "x"]})
    with refuses("row 2", "second answer", "annotator 1", "item a", "1 of 3", "repeats='keep'"):
        Votes.of_frame(twice)
    assert Votes.of_frame(twice, repeats="keep").n_answers == 3
    assert Votes.of_frame(twice, annotator=None).n_answers == 3


def test_roles_and_classes_that_cannot_be_meant_are_refused():
    frame = pd.DataFrame({"item": ["a"], "annotator": [1], "label": ["x"]})
    with refuses("column 'item'", "item and annotator"):
        Votes.of_frame(frame, annotator="item")
    with refuses("classes", "the text 'xy'", ["cat", "dog"]):
        Votes.of_frame(frame, classes="xy")
    with refuses("str", "pandas, polars or Arrow", "read(path)"):
        Votes.of_frame("votes.csv")


def test_truth_values_have_the_names_that_a_file_gives_them(tmp_path):
    frame = pd.DataFrame({"item": ["a", "b"], "annotator": [1, 2], "label": [True, False]})
    frame.to_csv(tmp_path / "votes.csv", index=False)
    assert Votes.of_frame(frame).classes == read(tmp_path / "votes.csv").classes == ("False", "True")
