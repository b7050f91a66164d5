"""Columns are read as spelled, rows keep the number they have in the file, and the caller has the last word."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dissensus import Votes
from dissensus.files.read_labels import read
from dissensus.files.tables.columns import Reading
from dissensus.files.tables.from_labels import as_table
from dissensus.files.tables.rows import choose_rows
from dissensus.files.tables.source import SourceTable
from dissensus.files.tables.to_labels import labels_from_table
from dissensus.files.write_labels import write
from dissensus.labels.beliefs import Beliefs
from tests.facts import refuses, states
from tests.files.notices import read_roles
from tests.files.refusals import list_ways, quiet


def csv(folder, text):
    path = folder / "labels.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("names", [("1.10", "1.20"), ("12e4", "7"), ("18446744073709551615", "5"), ("nan", "inf")])
def test_items_of_a_wide_table_are_the_text_in_the_file(tmp_path, names):
    found = read(csv(tmp_path, f"item,cat,dog\n{names[0]},3,4\n{names[1]},1,1\n"), say=quiet)
    assert [str(name) for name in found.items] == list(names)


@pytest.mark.parametrize(
    ("texts", "read_as"),
    [
        (["0.5", "1", "2.25"], [0.5, 1.0, 2.25]),
        (["0.5", "1.0", "1e-07"], [0.5, 1.0, 1e-7]),
        (["1", "2", "-3"], [1, 2, -3]),
        (["1.10", "1.1", "2"], None),
        (["1", "1.0", "2.5"], None),
        (["12345678901234567890", "12345678901234567891", "1"], None),
        (["nan", "inf", "1"], None),
        (["0x10", "1", "2"], None),
        (["07", "8", "9"], None),
    ],
)
def test_extra_columns_are_numbers_only_where_every_value_is_spelled_as_one(tmp_path, texts, read_as):
    rows = "".join(f"a,{who},x,{text}\n" for who, text in enumerate(texts))
    found = read(csv(tmp_path, "item,annotator,label,code\n" + rows), say=quiet)
    assert found.extra["code"].to_pylist() == (texts if read_as is None else read_as)


def test_probabilities_are_numbers_in_any_spelling(tmp_path):
    found = read(csv(tmp_path, "item,cat,dog\na,0.50,.5\nb,1e0,0\n"), say=quiet)
    assert found.probs.tolist() == [[0.5, 0.5], [1, 0]]


def test_whole_floats_are_counts_in_a_table_as_in_a_matrix(tmp_path):
    """A class nobody chose more than once says nothing about the kind of the numbers."""
    counts = np.array([[3.0, 1.0], [2.0, 0.0]])
    np.save(tmp_path / "c.npy", counts)
    frame = pd.DataFrame(counts, columns=["cat", "dog"]).assign(item=["a", "b"])
    assert read(frame, say=quiet).votes.tolist() == read(tmp_path / "c.npy", say=quiet).votes.tolist() == [4, 2]


def test_numbered_rows_are_classes_if_the_caller_or_the_sums_say_so(tmp_path):
    path = csv(tmp_path, "photo,cat,dog\n1,3,4\n2,5,6\n")
    assert read(path, item="photo", say=quiet).items.tolist() == [1, 2]
    assert read(path, classes=["photo", "cat", "dog"], say=quiet).n_classes == 3
    assert read(csv(tmp_path, "cat,dog\n0,5\n1,4\n2,3\n"), say=quiet).votes.tolist() == [5, 5, 5]


def test_blanks_around_header_names_do_not_hide_a_column(tmp_path):
    said = []
    found = read(csv(tmp_path, "item, label ,annotator\na,x,1\n"), say=said.append)
    assert found.classes == ("x",)
    assert read_roles(said[0]) == {"item": "item", "annotator": "annotator", "label": "' label ' (x)"}


def test_rows_keep_the_number_they_have_in_the_file_when_some_are_left_out(tmp_path):
    text = "item,annotator,label,split\na,1,,dev\na,2,x,test\nb,1,x,dev\nb,1,y,dev\n"
    path = csv(tmp_path, text)
    with refuses("row 4", "item 'b', annotator '1'", "first is row 3", "1 of 3", place=str(path)):
        read(path, missing="drop", say=quiet)
    table = pa.table({"item": list("aabb"), "label": ["x", "y", "x", "q"], "split": ["t", "d", "t", "d"]})
    chosen = choose_rows(SourceTable(table, "table"), {"split": "d"})
    with refuses("row 4", "item 'b'", "label 'q'", ["x", "y"], "1 of 2"):
        labels_from_table(chosen, Reading(classes=["x", "y"]))


def test_rows_of_nested_and_wide_tables_are_those_of_the_file():
    nested = pa.table({"item": ["a", "b"], "annotators": [[1, 2], [1]], "annotations": [["x", "y"], ["q"]]})
    with refuses("row 2", "item 'b', annotator 1", "label 'q'", ["x", "y"], "1 of 3"):
        read(nested, classes=["x", "y"], say=quiet)
    wide = pa.table({"item": ["a", "b"], "ann": ["x", "y"], "bo": [None, "q"]})
    with refuses("row 2", "item 'b', annotator 'bo'", "label 'q'", ["x", "y"], "1 of 3"):
        read(wide, layout="annotators", classes=["x", "y"], say=quiet)


def test_the_caller_orders_the_classes_of_a_file_we_wrote(tmp_path):
    votes = Votes.of(["a", "b"], ["x", "z"], [1, 2], classes=["z", "y", "x"])
    beliefs = Beliefs.of_votes(votes)
    write(beliefs, tmp_path / "b.parquet", say=quiet)
    found = read(tmp_path / "b.parquet", classes=["x", "y", "z"], say=quiet)
    assert found.classes == ("x", "y", "z") and found.named.tolist() == [[0], [2]]
    assert np.array_equal(found.stated, beliefs.stated[:, ::-1], equal_nan=True)


def test_second_answers_of_a_file_we_wrote_are_refused_only_when_asked(tmp_path):
    write(Votes.of(["a", "a"], ["x", "y"], [1, 1]), tmp_path / "v.parquet", say=quiet)
    assert read(tmp_path / "v.parquet", say=quiet).n_answers == 2
    with refuses("row 2", "second answer", "item 'a', annotator 1", "row 1", "1 of 2") as caught:
        read(tmp_path / "v.parquet", repeats="error", say=quiet)
    assert list_ways(caught) == [{"repeats": "first"}, {"repeats": "last"}, {"repeats": "keep"}]


def test_items_left_out_by_a_choice_of_rows_do_not_come_back_from_the_schema():
    votes = Votes.of(["b", "a"], ["x", "y"], [1, 2])
    table = as_table(Votes(**{**vars(votes), "items": np.array(["b", "a"])}).select(items=[1, 0]))
    assert "items" in json.loads(table.schema.metadata[b"dissensus"])
    found = labels_from_table(choose_rows(SourceTable(table, "table"), {"item": "a"}), Reading())
    assert found.items.tolist() == ["a"] and found.annotators.tolist() == [2]


def test_wide_tables_name_classes_alike_in_every_column():
    halves = read(pa.table({"ann": [1.0, 2.0], "bo": [1.0, 1.5]}), layout="annotators", say=quiet)
    assert halves.classes == ("1.0", "1.5", "2.0")
    whole = read(pa.table({"ann": [1.0, None], "bo": [1, 2]}), layout="annotators", say=quiet)
    assert whole.classes == ("1", "2")


def test_wide_tables_keep_the_order_of_rows_and_the_items_nobody_answered():
    said = []
    table = pa.table({"item": ["c", "a", "b"], "ann": [None, None, "x"], "bo": ["y", None, None]})
    found = read(table, layout="annotators", say=said.append)
    assert found.items.tolist() == ["c", "a", "b"] and found.per_item.tolist() == [1, 0, 1]
    took, without = said
    assert read_roles(took, "Table") == {"item": "item", "annotators": "ann, bo", "labels": "x, y"}
    assert states(without, "Table", "1 rows", "no answer")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_ordered_categorical_gives_the_classes_and_their_order(tmp_path, library):
    levels = ["low", "mid", "high"]
    if library == "pandas":
        frame = pd.DataFrame({"item": ["a", "b"], "label": pd.Categorical(["high", "low"], levels, ordered=True)})
        frame.to_parquet(tmp_path / "v.parquet")
    else:
        frame = pl.DataFrame({"item": ["a", "b"], "label": pl.Series(["high", "low"], dtype=pl.Enum(levels))})
        frame.write_parquet(tmp_path / "v.parquet")
    for source in (frame, tmp_path / "v.parquet"):
        said = []
        assert read(source, say=said.append).classes == ("low", "mid", "high")
        assert read_roles(said[0])["label"] == f"label ({', '.join(levels)}, ordered)"


@pytest.mark.parametrize("kind", [pa.list_, pa.large_list, lambda inner: pa.list_(inner, 2)])
def test_every_kind_of_list_is_unnested(kind):
    who, what = pa.array([[1, 2], [1, 3]], kind(pa.int64())), pa.array([["x", "y"], ["x", "x"]], kind(pa.string()))
    found = read(pa.table({"item": ["a", "b"], "annotators": who, "annotations": what}), say=quiet)
    assert found == Votes.of(["a", "a", "b", "b"], ["x", "y", "x", "x"], [1, 2, 1, 3])


def test_whole_numbers_of_json_beyond_64_bits_are_names(tmp_path):
    path = tmp_path / "v.jsonl"
    path.write_text(f'{{"item": {2**64 - 1}, "label": {2**70}}}\n{{"item": 5, "label": 3}}\n')
    found = read(path, say=quiet)
    assert set(found.items) == {str(2**64 - 1), "5"} and set(found.classes) == {str(2**70), "3"}


def test_names_in_bytes_are_utf8_text(tmp_path):
    np.savez(tmp_path / "m.npz", counts=[[1, 2]], classes=np.array(["cät".encode(), b"dog"]), items=np.array([b"a"]))
    found = read(tmp_path / "m.npz", say=quiet)
    assert found.classes == ("cät", "dog") and found.items.tolist() == ["a"]


@pytest.mark.parametrize("flags", [("TRUE", "False"), ("True", "FALSE"), ("1", "0"), ("true", "")])
def test_planned_repeats_are_flagged_in_any_case_or_by_one(tmp_path, flags):
    text = f"item,annotator,label,is_repeat\na,1,x,{flags[1]}\na,1,y,{flags[0]}\n"
    assert read(csv(tmp_path, text), say=quiet).n_answers == 2


def test_quoted_newlines_and_quotes_inside_plain_values_are_not_loose_quotes(tmp_path):
    path = csv(tmp_path, 'item,label,note\n"a\nb",x,5" disk\n"c, ""d""",y,"6"" disk"\n')
    found = read(path, say=quiet)
    assert found.items.tolist() == ["a\nb", 'c, "d"'] and found.column("note").tolist() == ['5" disk', '6" disk']


def test_what_the_caller_asked_for_stays_as_it_was():
    items, classes = np.array(["b", "a"], dtype=object), ["y", "x"]
    reading = Reading(items=items, classes=classes)
    items[0], classes[0] = "c", "z"
    assert reading.items.tolist() == ["b", "a"] and reading.classes == ("y", "x")
    with pytest.raises(ValueError, match="read-only"):
        reading.items[0] = "c"


def test_a_column_without_a_name_in_the_header_gets_one_that_options_accept(tmp_path):
    """As pandas writes an index: an empty header, then 0, 1, 2."""
    said = []
    path = csv(tmp_path, ",cat,dog\n0,3,2\n1,4,2\n2,1,1\n")
    with refuses("'column 1'", [0, 1, 2]) as caught:
        read(path, say=quiet)
    assert list_ways(caught) == [{"item": "column 1"}, {"classes": ["column 1", "cat", "dog"]}]
    assert read(path, item="column 1", say=said.append).items.tolist() == [0, 1, 2]
    assert states(said[0], path, "no name", "'column 1'")
    path = csv(tmp_path, ",item,label\n0,a,x\n1,b,y\n")
    assert read(path, drop=["column 1"], say=quiet) == Votes.of(["a", "b"], ["x", "y"])


def test_answers_about_no_item_are_refused_with_the_columns_to_choose_from(tmp_path):
    path = csv(tmp_path, ",class,tweet\n0,2,hello there\n1,1,foo\n")
    with refuses("item=''", ["column 1", "class", "tweet"], place=str(path), ways={"item": ...}):
        read(path, label="class", item="", say=quiet)
