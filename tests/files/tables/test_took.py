"""One line says what was taken, where anything was guessed; released files under the names they have elsewhere."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dissensus import Votes, count_votes, read, write
from dissensus.files.tables.took import classes_in_words
from tests.facts import refuses, states
from tests.files.notices import read_roles
from tests.files.refusals import file, list_ways, quiet, refused


@pytest.mark.parametrize(
    ("classes", "words"),
    [
        (["1", "2", "3", "4", "5"], "1..5, ordered"),
        (["-1", "0", "1"], "-1..1, ordered"),
        (["1", "2", "5"], "1, 2, 5, ordered"),
        (["0", "1"], "0, 1"),
        (["b", "a"], "b, a"),
        (["a, b", " c", ""], "'a, b', ' c', ''"),
        ([f"c{i}" for i in range(12)], "c0, c1, c2, c3, c4, c5, c6, c7, … 12 classes"),
    ],
)
def test_classes_are_described_in_few_words(classes, words):
    assert classes_in_words(classes) == words


def test_nothing_is_reported_if_nothing_was_guessed(tmp_path):
    votes = Votes.of(["a", "a", "b"], ["3", "4", "3"], [1, 2, 1], seconds=[1, 2, 3])
    for name in ("v.csv", "v.parquet", "v.jsonl", "v.arrow"):
        write(votes, tmp_path / name, say=quiet)
        assert read(tmp_path / name, say=pytest.fail) == votes
    write(votes, tmp_path / "k.parquet", layout="crowd-kit", say=quiet)
    assert read(tmp_path / "k.parquet", say=pytest.fail) == votes
    write(votes, tmp_path / "k.csv", layout="crowd-kit", say=quiet)
    assert read(tmp_path / "k.csv", item="task", annotator="worker", say=pytest.fail) == votes


def test_one_line_has_everything_that_was_guessed(tmp_path):
    frame = pd.DataFrame({"cat": [2, 0], "dog": [1, 3]}, index=["a", "b"])
    cases = [
        (frame, {}, {"item": "index of the frame", "classes": "cat, dog (counts)"}),
        (
            file(tmp_path, "a.csv", "id,label\n1,x\n2,y\n"),
            {},
            {"item": "id", "annotator": "none", "label": "label (x, y)"},
        ),
        (
            file(tmp_path, "b.csv", "item,stated.cat,stated.dog,user\n1,1,0,u\n"),
            {},
            {"item": "item", "annotator": "user"},
        ),
        (
            file(tmp_path, "c.csv", "cat,dog\n0.5,0.5\n1,0\n"),
            {"layout": "probabilities"},
            {"item": "row number", "classes": "cat, dog (probabilities)"},
        ),
    ]
    for source, options, roles in cases:
        said = []
        read(source, say=said.append, **options)
        assert len(said) == 1
        took = read_roles(said[0])
        if roles.get("annotator") == "none":  # a remark in brackets follows
            took["annotator"] = took["annotator"].partition(" (")[0]
        assert took == roles


def test_matrices_are_reported_in_the_same_form(tmp_path):
    np.save(tmp_path / "c.npy", [[3, 1, 0], [0, 2, 2]])
    np.savez(tmp_path / "m.npz", people=[[0.5, 0.5]])
    said = []
    read(tmp_path / "c.npy", say=said.append)
    read(tmp_path / "c.npy", layout="annotators", say=said.append)
    read(tmp_path / "m.npz", say=said.append)
    assert [read_roles(notice) for notice in said] == [
        {"item": "row number", "classes": "0..2 (counts)"},
        {"item": "row number", "annotators": "3 columns", "labels": "0..3, ordered"},
        {"matrix": "people", "item": "row number", "classes": "0, 1 (probabilities)"},
    ]
    refused(tmp_path / "c.npy", "drop=", "an array", "no names", drop=["x"])


def test_streamed_counts_report_which_columns_they_took(tmp_path):
    table = pd.DataFrame({"comment_id": [1, 1, 2], "rating": [5, 4, 3], "user": list("abc")})
    table.to_parquet(tmp_path / "v.parquet")
    said = []
    counted = count_votes(tmp_path / "v.parquet", say=said.append)
    assert len(said) == 1
    assert read_roles(said[0], tmp_path / "v.parquet") == {"item": "comment_id", "label": "rating (3..5, ordered)"}
    assert counted.counts.tolist() == read(tmp_path / "v.parquet", say=quiet).counts().tolist()
    count_votes(tmp_path / "v.parquet", item="comment_id", label="rating", say=pytest.fail)
    table.assign(id=range(3)).to_parquet(tmp_path / "two.parquet")
    with refuses(["id", "comment_id"], place=str(tmp_path / "two.parquet")) as caught:
        count_votes(tmp_path / "two.parquet")
    assert list_ways(caught) == [{"item": "id"}, {"item": "comment_id"}]


def test_popquorn_under_the_names_of_its_release(data_folder, tmp_path):
    """POPQUORN, offensiveness: instance_id, user_id, offensiveness, then who the annotators are, and the text."""
    table = pq.read_table(data_folder / "popquorn" / "offensiveness.parquet").to_pandas()
    meant = read(data_folder / "popquorn" / "offensiveness.parquet", say=pytest.fail)
    released = table.rename(columns={"item": "instance_id", "annotator": "user_id", "label": "offensiveness"})
    released.to_csv(tmp_path / "popquorn.csv", index=False)
    ways = [{"label": ...}, {"classes": ...}]
    refused(tmp_path / "popquorn.csv", "column 'user_id'", "no column", "the label", ["offensiveness"], ways=ways)
    said = []
    votes = read(tmp_path / "popquorn.csv", label="offensiveness", say=said.append)
    assert read_roles(said[0]) == {
        "item": "instance_id",
        "annotator": "user_id",
        "label": "offensiveness (1..5, ordered)",
    }
    assert (votes.counts() == meant.counts()).all() and votes.n_annotators == 262


def test_released_crowd_votes_as_numeric_ratings(data_folder, tmp_path):
    """Eleven sets; the numbers of items, people and votes are those of the sets under their own names."""
    crowd = pq.read_table(data_folder / "crowd" / "crowd.parquet").to_pandas()
    for name, votes in crowd.groupby("dataset"):
        votes = votes.drop(columns="dataset").reset_index(drop=True)
        meant = read(votes, repeats="keep", say=pytest.fail)
        for names in (["item", "annotator", "rating", "gold"], ["id", "reviewer", "score", "truth"]):
            votes.columns = names
            votes.to_csv(tmp_path / "v.csv", index=False)
            for source in (votes, tmp_path / "v.csv"):
                found = read(source, repeats="keep", say=quiet)
                assert isinstance(found, Votes) and (found.counts() == meant.counts()).all(), name
                assert found.n_annotators == meant.n_annotators and found.extra.column_names == names[3:]


def test_cifar10s_first_choices_alone_are_beliefs(data_folder, tmp_path):
    """Collins et al. (2022): 6,723 answers; the two-class reading of the same file names the same first classes."""
    table = pq.read_table(data_folder / "cifar10s" / "elicitations.parquet").to_pandas()
    table[["image", "annotator", "top1", "top1_prob"]].to_csv(tmp_path / "t1.csv", index=False)
    first = read(tmp_path / "t1.csv", repeats="keep", say=quiet)
    both = read(data_folder / "cifar10s" / "elicitations.parquet", repeats="keep", say=quiet)
    assert first.named.shape == (6723, 1) and (first.named[:, 0] == both.named[:, 0]).all()
    assert np.allclose(first.stated[np.arange(6723), first.named[:, 0]], table["top1_prob"] / 100)


def test_chaosnli_counts_beside_their_texts_and_older_labels(data_folder):
    """Nie et al. (2020): 100 votes per pair; the sums say which numbers are classes."""
    table = pq.read_table(data_folder / "chaosnli" / "nli.parquet").drop_columns(["old_labels"])
    said = []
    counts = read(table, say=said.append)
    assert counts.classes == ("n_entailment", "n_neutral", "n_contradiction") and set(counts.votes) == {100}
    roles = read_roles(said[0])
    assert roles["classes"].endswith(" (counts)")
    assert roles["left out"].split(", ") == ["subset", "premise", "hypothesis", "source", "majority", "old_label"]


def test_lewidi_lists_are_read_by_their_own_names(data_folder):
    """ConvAbuse has a column `user`, what the user of the chat bot wrote, beside the lists of annotators."""
    said = []
    votes = read(data_folder / "lewidi" / "convabuse.parquet", say=said.append)
    assert votes.n_annotators == 8 and votes.n_answers == 12168
    roles = read_roles(said[0])
    assert states(roles.pop("answers"), "annotators and annotations")
    assert roles == {"item": "item", "annotator": "annotator (not user)", "label": "label (-3..1, ordered)"}
