"""One column per annotator: people are people, and every other column is named, kept beside or left out as told."""

from __future__ import annotations

import pandas as pd
import pytest

from dissensus import Votes, read, write
from tests.facts import states
from tests.files.notices import read_roles
from tests.files.refusals import file, quiet, refused

COMMENT = "what a cat this is"
WIDE = (
    f"photo,ann,bo,gold,comment\np1,cat,dog,cat,{COMMENT}\np2,cat,,dog,or is it one\n"
    "p3,dog,dog,dog,no it is a dog\np4,dog,cat,,nobody knows for sure\n"
)


def test_identifiers_are_refused_by_name_and_gold_is_not_an_annotator(tmp_path):
    path = file(tmp_path, "w.csv", WIDE)
    refused(
        path,
        "column 'photo'",
        "identifiers",
        "4 different values",
        "4 rows",
        ways=[{"item": "photo"}, {"annotators": ["ann", "bo"]}, {"gold": "photo"}, {"drop": ["photo"]}],
        layout="annotators",
    )
    said = []
    votes = read(path, layout="annotators", item="photo", say=said.append)
    assert votes.annotators.tolist() == ["ann", "bo"] and votes.classes == ("cat", "dog") and votes.n_answers == 7
    assert len(said) == 1
    assert read_roles(said[0], path) == {
        "item": "photo",
        "annotators": "ann, bo",
        "labels": "cat, dog",
        "beside": "gold, comment",
    }
    assert votes.column("gold").tolist()[:4] == ["cat", "dog", "dog", None]
    assert votes.column("comment").tolist()[4] == COMMENT


def test_texts_and_columns_with_values_of_their_own_are_refused_by_name(tmp_path):
    rows = [f"{row},{row % 3},{row % 2},{'north' if row % 4 else 'south'},text {row} that I saw" for row in range(9)]
    path = file(tmp_path, "w.csv", "item,ann,bo,region,said\n" + "\n".join(rows))
    refused(
        path,
        "column 'region'",
        "'south'",
        "no other column",
        "column 'said'",
        "texts",
        "'text 0 that I saw'",
        ways=[{"annotators": ["ann", "bo"]}, {"gold": "region"}, {"drop": ["region"]}],
        layout="annotators",
    )
    votes = read(path, layout="annotators", drop=["region", "said"], say=quiet)
    assert votes.annotators.tolist() == ["ann", "bo"] and votes.extra is None


def test_the_caller_says_who_is_a_person_and_what_is_gold(tmp_path):
    path = file(tmp_path, "w.csv", "item,label,gold_std,age\n1,5,5,5\n2,4,5,4\n3,4,4,5\n")
    ways = [{"annotators": ["gold_std"]}, {"gold": "label"}, {"drop": ["label"]}]
    refused(path, "name", "column 'label'", "the label", ways=ways, layout="annotators")
    said = []
    votes = read(path, layout="annotators", annotators=["age", "label"], gold="gold_std", say=said.append)
    assert votes.annotators.tolist() == ["age", "label"] and votes.n_answers == 6
    assert votes.column("gold").tolist() == [5, 5, 4, 5, 5, 4]
    roles = read_roles(said[0])
    assert roles["labels"] == "4, 5" and states(roles["gold"], "gold_std", "extra column gold")
    refused(path, "annotator column 'bo'", "label, gold_std, age", layout="annotators", annotators=["bo"])
    refused(path, "unknown column 'x'", "item, label, gold_std, age", drop=["x"])
    refused(path, "gold column 'x'", "item, label, gold_std, age", gold="x")


def test_gold_is_kept_as_an_extra_column_whatever_its_name(tmp_path):
    path = file(tmp_path, "v.csv", "item,annotator,rating,label\na,1,5,4\na,2,4,4\n")
    said = []
    votes = read(path, gold="label", say=said.append)
    assert votes.classes == ("4", "5") and votes.choice.tolist() == [1, 0] and votes.column("gold").tolist() == [4, 4]
    roles = read_roles(said[0])
    assert roles["label"] == "rating (4, 5)" and states(roles["gold"], "label", "extra column gold")
    both = file(tmp_path, "b.csv", "item,annotator,label,gold,truth\na,1,5,4,3\n")
    refused(both, "'truth'", "a column 'gold'", ways=[{"drop": ["gold"]}], gold="truth")
    assert read(both, gold="truth", drop=["gold"], say=quiet).column("gold").tolist() == [3]


def test_people_of_a_file_of_our_own_can_be_left_out_or_be_gold(tmp_path):
    votes = Votes.of(["a", "a", "a", "b"], ["x", "y", "x", "y"], ["ann", "bo", "cy", "ann"])
    write(votes, tmp_path / "w.parquet", layout="annotators", say=quiet)
    assert (read(tmp_path / "w.parquet", say=pytest.fail).counts() == votes.counts()).all()
    assert read(tmp_path / "w.parquet", drop=["bo"], say=quiet).annotators.tolist() == ["ann", "cy"]
    assert read(tmp_path / "w.parquet", gold="bo", say=quiet).column("gold").tolist() == ["y", None, "y"]


def test_integers_that_pandas_wrote_with_a_gap_are_the_same_classes(tmp_path):
    frame = pd.DataFrame({"item": ["a", "b", "c"], "ann": [1, 2, 1], "bo": [1, None, 2]})
    frame.to_csv(tmp_path / "w.csv", index=False)
    assert "1.0" in (tmp_path / "w.csv").read_text()
    said = []
    votes = read(tmp_path / "w.csv", layout="annotators", say=said.append)
    assert votes == read(frame, layout="annotators", say=quiet) and votes.classes == ("1", "2")
    labels = read_roles(said[0])["labels"]
    assert labels.startswith("1, 2, ") and states(labels, "floats", "integers")
    other = read(tmp_path / "w.csv", layout="annotators", classes=["1", "2", "1.0", "2.0"], say=quiet)
    assert other.counts().tolist() == [[1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 1]]


@pytest.mark.parametrize("named", [False, True])
def test_bluebird_as_a_sheet_with_one_column_per_reader(loaded, tmp_path, named):
    """Welinder et al. (2010): 39 people, 108 pictures, the truth in a last column; 599 annotators are a mistake."""
    bluebird = loaded("crowd-bluebird")
    sheet = tmp_path / "sheet.csv"
    write(bluebird.labels, sheet, layout="annotators", say=quiet)
    frame = pd.read_csv(sheet, dtype=str)
    gold = dict(zip(bluebird.items["item"].to_pylist(), bluebird.items["gold"].to_pylist(), strict=True))
    frame["truth"] = [gold[int(name)] for name in frame["item"]]
    frame = frame.rename(columns={"item": "image_id" if named else "picture"})
    frame["image_url"] = [f"http://example.org/{name}.jpg" for name in frame.iloc[:, 0]]
    frame.to_csv(sheet, index=False)
    options = {"drop": ["image_url"]} if named else {"item": "picture", "drop": ["image_url"]}
    message = refused(sheet, "column 'image_url'", "identifiers", "108 different values", layout="annotators")
    assert ("'picture'" in message) != named
    votes = read(sheet, layout="annotators", say=quiet, **options)
    assert votes.n_annotators == 39 and votes.n_answers == 4212 and votes.extra.column_names == ["truth"]
    assert (votes.counts() == bluebird.labels.counts()).all()
