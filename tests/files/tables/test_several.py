"""Several classes ticked in one answer: beliefs with equal mass, or one vote each, as told; never a guess."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from dissensus import Beliefs, Votes, count_votes, read, write
from dissensus.aggregate import aggregate_labels
from dissensus.cli.main import app
from dissensus.files.tables.several import find_joined_name
from tests.facts import refuses, states
from tests.files.notices import one_states, state_each
from tests.files.refusals import list_ways, quiet

TICKED = [("a", "ann", ["sad", "wry"]), ("a", "bo", ["sad"]), ("b", "ann", ["wry", "odd", "sad"]), ("b", "bo", ["odd"])]
BOTH_WAYS = [{"several": "beliefs"}, {"several": "votes"}]


def sources(tmp_path, ticked):
    """The same answers as files and frames hold them: as lists, as lists in text, and separated by |."""
    rows = [{"item": item, "annotator": who, "label": classes} for item, who, classes in ticked]
    (tmp_path / "ticked.json").write_text(json.dumps(rows))
    (tmp_path / "ticked.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "ticked.parquet")
    frame = pd.DataFrame(rows)
    frame.to_csv(tmp_path / "lists.csv", index=False)
    frame.assign(label=frame["label"].map(json.dumps)).to_csv(tmp_path / "json.csv", index=False)
    frame.assign(label=frame["label"].map("|".join)).to_csv(tmp_path / "bars.csv", index=False)
    frame.assign(label=frame["label"].map(" | ".join)).to_csv(tmp_path / "bars.tsv", index=False, sep="\t")
    names = ("ticked.json", "ticked.jsonl", "ticked.parquet", "lists.csv", "json.csv", "bars.csv", "bars.tsv")
    return [*(tmp_path / name for name in names), frame, pl.DataFrame(rows)]


def test_ticked_classes_share_a_belief_equally_in_every_file_and_frame(tmp_path):
    for source in sources(tmp_path, TICKED):
        beliefs = read(source, several="beliefs", say=quiet)
        assert isinstance(beliefs, Beliefs) and beliefs.classes == ("odd", "sad", "wry")
        assert np.allclose(beliefs.stated, [[0, 1 / 2, 1 / 2], [0, 1, 0], [1 / 3, 1 / 3, 1 / 3], [1, 0, 0]])
        assert beliefs.items.tolist() == ["a", "b"] and beliefs.annotators.tolist() == ["ann", "bo"]


def test_one_vote_each_counts_every_tick(tmp_path):
    for source in sources(tmp_path, TICKED):
        votes = read(source, several="votes", say=quiet)
        assert isinstance(votes, Votes) and votes.classes == ("odd", "sad", "wry")
        assert votes.counts().tolist() == [[0, 2, 1], [2, 1, 1]]


def test_without_a_rule_for_several_ticks_both_are_named(tmp_path):
    for source in sources(tmp_path, TICKED):
        with refuses("row 1", "item 'a', annotator 'ann'", "2 classes", ["sad", "wry"], "2 of 4") as caught:
            read(source, say=quiet)
        assert list_ways(caught)[:2] == BOTH_WAYS


def test_lists_of_one_class_each_are_votes(tmp_path):
    single = [(item, who, classes[:1]) for item, who, classes in TICKED]
    for source in sources(tmp_path, single)[:3]:
        assert read(source, say=quiet).counts().tolist() == [[0, 2, 0], [1, 0, 1]]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from("pqrs"), min_size=1, max_size=4, unique=True), min_size=1, max_size=12))
def test_beliefs_are_the_votes_of_each_answer_divided_by_their_number(ticks):
    frame = pd.DataFrame({"item": range(len(ticks)), "annotator": "ann", "label": ticks})
    beliefs = read(frame, several="beliefs", classes=list("pqrs"), say=quiet)
    votes = read(frame, several="votes", classes=list("pqrs"), say=quiet)
    by_hand = [[Fraction(name in answer, len(answer)) for name in "pqrs"] for answer in ticks]
    assert np.allclose(beliefs.stated, np.array(by_hand, dtype=float))
    assert np.allclose(aggregate_labels(beliefs).distributions.probs, aggregate_labels(votes).distributions.probs)


def test_the_rule_for_several_ticks_is_reported(tmp_path):
    said = []
    path = sources(tmp_path, TICKED)[0]
    read(path, several="votes", say=said.append)
    read(path, several="beliefs", say=said.append)
    assert state_each(
        [notice for notice in said if "tick" in notice], (path, "2 of 4", "one vote"), (path, "2 of 4", "equal mass")
    )


def test_an_answer_is_repeated_by_its_annotator_not_by_its_ticks(tmp_path):
    twice = [*TICKED, ("a", "ann", ["odd"])]
    for source in sources(tmp_path, twice):
        for several in ("votes", "beliefs"):
            with refuses("row 5", "second answer", "item 'a', annotator 'ann'", "row 1") as caught:
                read(source, several=several, say=quiet)
            assert list_ways(caught) == [{"repeats": "first"}, {"repeats": "last"}, {"repeats": "keep"}]
        assert read(source, several="votes", repeats="last", say=quiet).counts().tolist() == [[1, 1, 0], [2, 1, 1]]
        assert read(source, several="beliefs", repeats="first", say=quiet).n_answers == 4


def test_nothing_ticked_is_a_row_without_a_label():
    frame = pd.DataFrame({"item": ["a", "b", "c"], "label": [["x", "y"], [], None]})
    for several in ("votes", "beliefs"):
        with refuses("row 2", "no label", "column 'label'", "2 of 3", place="DataFrame", ways={"missing": "drop"}):
            read(frame, several=several, say=quiet)
        assert read(frame, several=several, missing="drop", say=quiet).n_items == 1


def test_further_columns_and_times_stay_with_each_tick():
    frame = pd.DataFrame(
        {"item": ["a", "b"], "seconds": [1.5, 2.5], "label": [["x", "y"], ["y"]], "device": ["p", "d"]}
    )
    votes = read(frame, several="votes", say=quiet)
    assert votes.seconds.tolist() == [1.5, 1.5, 2.5] and votes.column("device").tolist() == ["p", "p", "d"]


def test_a_tick_outside_the_classes_given_is_named():
    frame = pd.DataFrame({"item": ["a", "b"], "annotator": ["ann", "bo"], "label": [["x", "y"], ["x", "z"]]})
    for several in ("votes", "beliefs"):
        with refuses("row 2", "item 'b', annotator 'bo'", "'z'", ["x", "y"], "1 of 4"):
            read(frame, several=several, classes=["x", "y"], say=quiet)


@pytest.mark.parametrize(
    ("names", "joined"),
    [
        (["a", "b", "a|b"], "a|b"),
        (["a|b", "b|c", "c|a"], "a|b"),
        (["cat | dog", "cat", "dog"], "cat | dog"),
        (['["cat"]', "cat"], '["cat"]'),
        (["either|or", "neither|nor"], None),
        (["a|b", "a"], None),
        (["a|", "a"], None),
        (["|", "a", "[x"], None),
        ([], None),
    ],
)
def test_text_is_in_question_where_its_parts_are_classes_elsewhere(names, joined):
    assert find_joined_name(names) == joined


def test_a_class_with_a_bar_in_its_name_is_one_class_where_classes_are_given(tmp_path):
    classes = ["a", "a|b", "b"]
    votes = Votes.of([1, 2, 3], classes, ["ann"] * 3, classes=classes)
    said = []
    write(votes, tmp_path / "v.csv", say=said.append)
    assert one_states(said, "'a|b'", "one class", f"classes={classes}")
    assert read(tmp_path / "v.csv", classes=classes, say=quiet) == votes
    with refuses("row 2", "item '2', annotator 'ann'", "2 classes", ["a", "b"], "1 of 3") as caught:
        read(tmp_path / "v.csv", say=quiet)
    assert list_ways(caught) == [*BOTH_WAYS, {"classes": ...}]
    write(votes, tmp_path / "v.parquet")
    assert read(tmp_path / "v.parquet") == votes
    for tool in ("label-studio", "prodigy"):  # a tool says itself what was ticked
        write(votes, tmp_path / "v.json", format=tool, say=quiet)
        assert read(tmp_path / "v.json", format=tool, say=quiet).counts().tolist() == votes.counts().tolist()


def test_counting_a_file_asks_the_same_question(tmp_path):
    path = tmp_path / "v.parquet"
    parquet.write_table(pa.table({"item": [1, 2, 3], "label": ["a", "b", "a|b"]}), path)
    with refuses("'a|b'", place=str(path), ways={"several": "votes", "classes": ...}):
        count_votes(path)
    assert count_votes(path, classes=["a", "b", "a|b"]).counts.sum() == 3


def test_several_is_refused_where_there_is_nothing_to_tick(tmp_path):
    counts = pd.DataFrame({"item": [1], "x": [3], "y": [2]})
    with refuses("several='votes'", "labels", "counts", "Leave it out", place="DataFrame"):
        read(counts, several="votes", say=quiet)
    np.save(tmp_path / "c.npy", np.array([[3, 2]]))
    with refuses("several='beliefs'", "labels", "matrix", place=str(tmp_path / "c.npy")):
        read(tmp_path / "c.npy", several="beliefs", say=quiet)
    with refuses("unknown", "several", "'one'", "beliefs, votes", place="DataFrame"):
        read(counts, several="one")


def test_lists_of_anything_but_classes_are_refused():
    frame = pd.DataFrame({"item": [1], "label": [[["x"], ["y"]]]})
    with refuses("column 'label'", "lists of list<item: string>", "lists of classes"):
        read(frame, several="votes")


def test_the_command_line_asks_and_takes_the_same_rules(tmp_path):
    path = str(sources(tmp_path, TICKED)[0])
    asked = CliRunner().invoke(app, ["describe", path, "--json"])
    assert asked.exit_code == 2
    assert states(asked.stderr, "row 1", "2 of 4", "--several beliefs", "--several votes")
    for several, kind, answers in (("beliefs", "beliefs", 4), ("votes", "votes", 7)):
        done = CliRunner().invoke(app, ["describe", path, "--several", several, "--json"])
        facts = json.loads(done.stdout)
        assert (facts["kind"], facts["answers"]) == (kind, answers), done.stderr
    wrong = CliRunner().invoke(app, ["describe", path, "--several", "both"])
    assert wrong.exit_code == 2 and states(wrong.stderr, "unknown", "several", "'both'", "beliefs, votes")


def test_one_column_per_annotator_may_have_several_ticks_too():
    frame = pd.DataFrame({"item": [1, 2], "ann": ["x|y", "x"], "bo": ["y", None]})
    assert read(frame, layout="annotators", several="votes", say=quiet).counts().tolist() == [[1, 2], [1, 0]]
    assert read(frame, layout="annotators", several="beliefs", say=quiet).stated.tolist() == [
        [0.5, 0.5],
        [1, 0],
        [0, 1],
    ]


GOEMOTIONS = "id,rater_id,admiration,anger,neutral\n1,1,0,1,0\n1,2,1,1,0\n2,1,0,0,1\n2,3,0,1,0\n"
EMOTIONS = ["admiration", "anger", "neutral"]


def test_ticks_in_a_column_per_class_are_asked_about_and_read_as_the_caller_says(tmp_path):
    """As GoEmotions was released: one row per answer, 1 under each emotion that somebody saw."""
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS)
    with refuses("column 'rater_id'", "annotator", EMOTIONS, place=str(path)) as caught:
        read(path, say=quiet)
    ticks = [{"classes": EMOTIONS, "several": "votes"}, {"classes": EMOTIONS, "several": "beliefs"}]
    assert list_ways(caught) == [{"label": ...}, *ticks]
    for source in (path, pd.read_csv(path), pd.read_csv(path).astype(dict.fromkeys(EMOTIONS, bool))):
        votes = read(source, classes=EMOTIONS, several="votes", say=quiet)
        assert votes.classes == tuple(EMOTIONS) and votes.counts().tolist() == [[1, 2, 0], [0, 1, 1]]
        beliefs = read(source, classes=EMOTIONS, several="beliefs", say=quiet)
        assert beliefs.stated.tolist() == [[0, 1, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 1, 0]]
        assert beliefs.annotators.tolist() == [1, 2, 3] and beliefs.extra is None


def test_ticks_of_answers_are_not_counts_of_items(tmp_path):
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS)
    with refuses("row 2", "second", "item '1'", "column 'id'", "2 of 4", place=str(path)) as caught:
        read(path, classes=EMOTIONS, say=quiet)
    ticks = [{"several": "votes", "classes": ...}, {"several": "beliefs", "classes": ...}]
    assert list_ways(caught) == [*ticks, {"item": ...}]


def test_an_answer_that_ticks_nothing_is_missing_and_a_column_with_more_than_ticks_is_refused(tmp_path):
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS + "3,1,0,0,0\n")
    with refuses("row 5", "no label", "1 of 5", place=str(path), ways={"missing": "drop"}):
        read(path, classes=EMOTIONS, several="votes", say=quiet)
    assert read(path, classes=EMOTIONS, several="votes", missing="drop", say=quiet).n_answers == 5
    path.write_text(GOEMOTIONS.replace("1,2,1,1,0", "1,2,1,2,0"))
    with refuses("column 'anger'", "tick", "0 and 1", place=str(path), ways={"several": ...}):
        read(path, classes=EMOTIONS, several="votes", say=quiet)
