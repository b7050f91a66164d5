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
from dissensus.labels.refusals import Refusal
from tests.files.refusals import quiet

TICKED = [("a", "ann", ["sad", "wry"]), ("a", "bo", ["sad"]), ("b", "ann", ["wry", "odd", "sad"]), ("b", "bo", ["odd"])]
BOTH_WAYS = r"several='beliefs'.*several='votes'"


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


def test_without_a_word_both_ways_are_named(tmp_path):
    for source in sources(tmp_path, TICKED):
        with pytest.raises(Refusal, match=r"row 1 \(item 'a', annotator 'ann'\) ticks 2 classes.*2 of 4") as caught:
            read(source, say=quiet)
        assert [way.settings for way in caught.value.ways][:2] == [{"several": "beliefs"}, {"several": "votes"}]


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


def test_what_was_done_is_said(tmp_path):
    said = []
    path = sources(tmp_path, TICKED)[0]
    read(path, several="votes", say=said.append)
    read(path, several="beliefs", say=said.append)
    assert [notice.partition(": ")[2] for notice in said if "tick" in notice] == [
        "2 of 4 answers tick several classes: one vote for each",
        "2 of 4 answers tick several classes: beliefs with equal mass on them",
    ]


def test_an_answer_is_repeated_by_its_annotator_not_by_its_ticks(tmp_path):
    twice = [*TICKED, ("a", "ann", ["odd"])]
    for source in sources(tmp_path, twice):
        for several in ("votes", "beliefs"):
            with pytest.raises(ValueError, match=r"row 5 .*second answer of item 'a', annotator 'ann'.*repeats="):
                read(source, several=several, say=quiet)
        assert read(source, several="votes", repeats="last", say=quiet).counts().tolist() == [[1, 1, 0], [2, 1, 1]]
        assert read(source, several="beliefs", repeats="first", say=quiet).n_answers == 4


def test_nothing_ticked_is_a_row_without_a_label():
    frame = pd.DataFrame({"item": ["a", "b", "c"], "label": [["x", "y"], [], None]})
    for several in ("votes", "beliefs"):
        with pytest.raises(ValueError, match=r"row 2 has no label.*2 of 3 rows have none"):
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
        with pytest.raises(
            ValueError, match=r"row 2 \(item 'b', annotator 'bo'\).*'z', but the classes are \['x', 'y'\]"
        ):
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
    assert any("that 'a|b' is one class: read it back with classes=['a', 'a|b', 'b']" in notice for notice in said)
    assert read(tmp_path / "v.csv", classes=classes, say=quiet) == votes
    with pytest.raises(ValueError, match=rf"row 2.*{BOTH_WAYS}.*list all classes with classes="):
        read(tmp_path / "v.csv", say=quiet)
    write(votes, tmp_path / "v.parquet")
    assert read(tmp_path / "v.parquet") == votes
    for tool in ("label-studio", "prodigy"):  # a tool says itself what was ticked
        write(votes, tmp_path / "v.json", format=tool, say=quiet)
        assert read(tmp_path / "v.json", format=tool, say=quiet).counts().tolist() == votes.counts().tolist()


def test_counting_a_file_asks_the_same_question(tmp_path):
    path = tmp_path / "v.parquet"
    parquet.write_table(pa.table({"item": [1, 2, 3], "label": ["a", "b", "a|b"]}), path)
    with pytest.raises(ValueError, match=r"some answers are 'a\|b'.*several="):
        count_votes(path)
    assert count_votes(path, classes=["a", "b", "a|b"]).counts.sum() == 3


def test_several_is_refused_where_there_is_nothing_to_tick(tmp_path):
    counts = pd.DataFrame({"item": [1], "x": [3], "y": [2]})
    with pytest.raises(ValueError, match=r"several='votes' is for labels, and this is counts. Leave it out"):
        read(counts, several="votes", say=quiet)
    np.save(tmp_path / "c.npy", np.array([[3, 2]]))
    with pytest.raises(ValueError, match="is for labels, and this is a matrix"):
        read(tmp_path / "c.npy", several="beliefs", say=quiet)
    with pytest.raises(ValueError, match=r"unknown rule for several ticks 'one'.*beliefs, votes"):
        read(counts, several="one")


def test_lists_of_anything_but_classes_are_refused():
    frame = pd.DataFrame({"item": [1], "label": [[["x"], ["y"]]]})
    with pytest.raises(ValueError, match=r"column 'label' has lists of list<.*>; expected lists of classes"):
        read(frame, several="votes")


def test_the_command_line_says_it_too(tmp_path):
    path = str(sources(tmp_path, TICKED)[0])
    asked = CliRunner().invoke(app, ["describe", path, "--json"])
    assert asked.exit_code == 2 and "--several" in asked.stderr
    for several, kind, answers in (("beliefs", "beliefs", 4), ("votes", "votes", 7)):
        done = CliRunner().invoke(app, ["describe", path, "--several", several, "--json"])
        facts = json.loads(done.stdout)
        assert (facts["kind"], facts["answers"]) == (kind, answers), done.stderr
    wrong = CliRunner().invoke(app, ["describe", path, "--several", "both"])
    assert wrong.exit_code == 2 and "unknown rule for several ticks 'both'" in wrong.stderr


def test_one_column_per_annotator_may_hold_several_too():
    frame = pd.DataFrame({"item": [1, 2], "ann": ["x|y", "x"], "bo": ["y", None]})
    assert read(frame, layout="annotators", several="votes", say=quiet).counts().tolist() == [[1, 2], [1, 0]]
    assert read(frame, layout="annotators", several="beliefs", say=quiet).stated.tolist() == [
        [0.5, 0.5],
        [1, 0],
        [0, 1],
    ]


GOEMOTIONS = "id,rater_id,admiration,anger,neutral\n1,1,0,1,0\n1,2,1,1,0\n2,1,0,0,1\n2,3,0,1,0\n"
EMOTIONS = ["admiration", "anger", "neutral"]


def test_ticks_in_a_column_for_each_class_are_asked_about_and_read_as_told(tmp_path):
    """As GoEmotions was released: one row per answer, 1 under each emotion that somebody saw."""
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS)
    with pytest.raises(ValueError, match=r"classes=\['admiration', 'anger', 'neutral'\] and several='votes'"):
        read(path, say=quiet)
    for source in (path, pd.read_csv(path), pd.read_csv(path).astype(dict.fromkeys(EMOTIONS, bool))):
        votes = read(source, classes=EMOTIONS, several="votes", say=quiet)
        assert votes.classes == tuple(EMOTIONS) and votes.counts().tolist() == [[1, 2, 0], [0, 1, 1]]
        beliefs = read(source, classes=EMOTIONS, several="beliefs", say=quiet)
        assert beliefs.stated.tolist() == [[0, 1, 0], [0.5, 0.5, 0], [0, 0, 1], [0, 1, 0]]
        assert beliefs.annotators.tolist() == [1, 2, 3] and beliefs.extra is None


def test_ticks_of_answers_are_no_counts_of_items(tmp_path):
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS)
    with pytest.raises(ValueError, match=r"row 2 .*second about item '1' .* 2 of 4 rows .*several='votes'"):
        read(path, classes=EMOTIONS, say=quiet)


def test_an_answer_that_ticks_nothing_is_missing_and_a_column_with_more_than_ticks_is_refused(tmp_path):
    path = tmp_path / "goemotions.csv"
    path.write_text(GOEMOTIONS + "3,1,0,0,0\n")
    with pytest.raises(ValueError, match=r"row 5 has no label"):
        read(path, classes=EMOTIONS, several="votes", say=quiet)
    assert read(path, classes=EMOTIONS, several="votes", missing="drop", say=quiet).n_answers == 5
    path.write_text(GOEMOTIONS.replace("1,2,1,1,0", "1,2,1,2,0"))
    with pytest.raises(ValueError, match=r"column 'anger' .*more than 0 and 1"):
        read(path, classes=EMOTIONS, several="votes", say=quiet)
