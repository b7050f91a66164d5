"""Reading: the usual names are recognised, every guess is said and can be overruled."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import Distributions, Votes, read, write
from tests.facts import refuses, states
from tests.files.notices import one_states, read_roles
from tests.files.refusals import quiet


def test_crowd_kit_frames_are_read_as_they_are():
    frame = pd.DataFrame({"task": ["t1", "t1"], "worker": ["w1", "w2"], "label": ["x", "y"]})
    said = []
    found = read(frame, say=said.append)
    assert found == Votes.of(["t1", "t1"], ["x", "y"], ["w1", "w2"])
    assert len(said) == 1
    assert read_roles(said[0], "DataFrame") == {"item": "task", "annotator": "worker", "label": "label (x, y)"}


def test_cleanlab_frames_have_one_column_per_annotator_and_gaps():
    frame = pd.DataFrame({0: [1, 0, None], 1: [1, None, 2]})
    found = read(frame, layout="annotators", say=quiet)
    assert found == read(pl.from_pandas(frame.rename(columns=str)), layout="annotators", say=quiet)
    assert found.classes == ("0", "1", "2") and found.counts().tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 1]]
    named = frame.set_axis(["x", "y", "z"])
    assert read(named, layout="annotators", say=quiet).items.tolist() == ["x", "y", "z"]


def test_an_index_left_over_from_choosing_rows_is_not_a_column():
    frame = pd.DataFrame({"item": list("aabb"), "annotator": [1, 2, 1, 2], "label": list("xyxx")})
    chosen = frame[[True, False, True, True]]
    found = read(chosen, say=quiet)
    assert found == Votes.of(["a", "b", "b"], ["x", "x", "x"], [1, 1, 2])


def test_parquet_of_pandas_keeps_its_index_as_items_or_drops_it(tmp_path):
    counts = pd.DataFrame({"cat": [2, 0], "dog": [1, 3]}, index=["a", "b"])
    counts.to_parquet(tmp_path / "c.parquet")
    assert read(tmp_path / "c.parquet", say=quiet).items.tolist() == ["a", "b"]
    rows = counts.assign(item=["x", "y"])
    rows.to_parquet(tmp_path / "r.parquet")
    assert read(tmp_path / "r.parquet", say=quiet).classes == ("cat", "dog")


def test_names_that_pandas_uses_are_kept_in_files_of_our_own(tmp_path):
    index = "__index_level_0__"
    votes = Votes.of(["a", "b"], ["x", "y"], extra=pa.table({index: [1, 2]}))
    shares = Distributions(np.full((1, 2), 0.5), ["a"], ("x", index))
    for number, value in enumerate((votes, shares)):
        write(value, tmp_path / f"{number}.parquet")
        assert read(tmp_path / f"{number}.parquet", say=quiet) == value


def test_frames_that_fit_no_arrow_type_are_refused_with_the_way_out():
    pandas = pytest.importorskip("pandas")
    sparse = pandas.DataFrame({"item": pandas.arrays.SparseArray([1, 0]), "label": ["x", "y"]})
    large = pandas.DataFrame({"item": pandas.Series([2**70, 1], dtype=object), "label": ["x", "y"]})
    for frame in (sparse, large):
        with refuses("Arrow type", "sparse.to_dense", "astype(str)", place="DataFrame"):
            read(frame)
    with refuses("one column", "a frame", "reset_index", place="Series"):
        read(pandas.Series(["x"], name="label"))


USUAL = [
    (i, a, c)
    for i, a, c in zip(
        ("item", "task", "image", "uid", "id", "Item_ID"),
        ("annotator", "worker", "rater", "user", "WorkerId", "coder"),
        ("label", "choice", "class", "vote", "answer", "category"),
        strict=True,
    )
]


@pytest.mark.parametrize(("item", "annotator", "label"), USUAL)
def test_usual_column_names_are_recognised_and_every_guess_is_reported(tmp_path, item, annotator, label):
    path = tmp_path / "votes.csv"
    path.write_text(f"{label},{annotator},{item}\nx,1,a\ny,2,a\n")
    said = []
    found = read(path, say=said.append)
    assert found == Votes.of(["a", "a"], ["x", "y"], [1, 2])
    roles = {"item": item, "annotator": annotator, "label": f"{label} (x, y)"}
    guessed = (item, annotator, label) != ("item", "annotator", "label")
    assert [read_roles(notice, path) for notice in said] == ([roles] if guessed else [])


def test_every_guess_of_a_column_can_be_overruled(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("item,worker,label,gold,who,page,time\n1,7,a,b,ann,p1,2.5\n1,8,a,a,bo,p2,1\n")
    said = []
    found = read(path, item="page", annotator="who", label="gold", seconds="time", say=said.append)
    assert found.items.tolist() == ["p1", "p2"] and found.annotators.tolist() == ["ann", "bo"]
    assert found.choice.tolist() == [1, 0] and found.seconds.tolist() == [2.5, 1] and not said
    assert found.extra.column_names == ["item", "worker", "label"]
    nobody = read(path, annotator="", say=quiet)
    assert nobody.annotators is None and "worker" in nobody.extra.column_names


def test_times_are_read_by_their_usual_names(tmp_path):
    path = tmp_path / "v.csv"
    path.write_text("item,annotator,label,lead_time\na,1,x,3.5\nb,1,y,\n")
    said = []
    found = read(path, say=said.append)
    assert found.seconds.tolist()[0] == 3.5 and np.isnan(found.seconds[1])
    assert [read_roles(notice, path) for notice in said] == [
        {"item": "item", "annotator": "annotator", "label": "label (x, y)", "seconds": "lead_time"}
    ]


def test_labels_written_as_numbers_keep_their_spelling(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\n1,1,0\n1,2,1\n2,1,10\n2,2,2\n")
    assert read(tmp_path / "v.csv", say=quiet).classes == ("0", "1", "2", "10")
    pq.write_table(pa.table({"item": [1, 2], "label": [1.0, 0.0]}), tmp_path / "v.parquet")
    said = []
    assert read(tmp_path / "v.parquet", say=said.append).classes == ("0", "1")
    label = read_roles(said[0])["label"]
    assert label.startswith("label (0, 1, ") and states(label, "floats", "integers")
    (tmp_path / "z.csv").write_text("item,label\n1,01\n2,1\n")
    assert read(tmp_path / "z.csv", say=quiet).classes == ("01", "1")


def test_wide_tables_are_counts_or_probabilities_as_their_numbers_tell(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("uid,cat,dog\na,3,1\nb,0,4\n")
    said = []
    found = read(path, say=said.append)
    assert (
        found.classes == ("cat", "dog") and found.votes.tolist() == [4, 4] and found.probs[0].tolist() == [0.75, 0.25]
    )
    assert [read_roles(notice, path) for notice in said] == [{"item": "uid", "classes": "cat, dog (counts)"}]
    path.write_text("cat,dog\n0.25,0.75\n1,0\n")
    said.clear()
    assert read(path, say=said.append).items.tolist() == [0, 1]
    assert [read_roles(notice, path) for notice in said] == [
        {"item": "row number", "classes": "cat, dog (probabilities)"}
    ]
    assert read(path, items=["x", "y"], say=quiet).items.tolist() == ["x", "y"]
    path.write_text("item,cat,dog\na,1,0\nb,0,1\n")
    assert (
        read(path, say=quiet).votes.tolist() == [1, 1] and read(path, layout="probabilities", say=quiet).votes is None
    )


def test_classes_name_the_columns_of_a_wide_table_and_the_others_are_reported(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("item,n_cat,n_dog,label,text\na,3,1,cat,hm\nb,1,3,dog,ah\n")
    said = []
    found = read(path, classes=["n_dog", "n_cat"], say=said.append)
    assert found.classes == ("n_dog", "n_cat") and found.probs[0].tolist() == [0.25, 0.75]
    assert read_roles(said[0]) == {"item": "item", "classes": "n_dog, n_cat (counts)", "left out": "label, text"}
    assert read(path, classes=["n_cat", "n_dog"], items=["b", "a"], say=quiet).items.tolist() == ["b", "a"]


def test_classes_and_items_set_order_and_name_what_nobody_chose(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\nb,1,dog\na,1,cat\n")
    found = read(tmp_path / "v.csv", classes=["dog", "cat", "eel"], items=["a", "b", "c"], annotators=[2, 1], say=quiet)
    assert found.counts().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 0]] and found.annotators.tolist() == [2, 1]


def test_where_chooses_rows_by_the_text_of_a_column(tmp_path):
    pq.write_table(
        pa.table({"item": [1, 1, 2], "label": list("xyx"), "kept": [True, False, True]}), tmp_path / "v.parquet"
    )
    assert read(tmp_path / "v.parquet", where={"kept": "True"}, say=quiet).n_answers == 2
    assert read(tmp_path / "v.parquet", where={"kept": "True", "item": "2"}, say=quiet).n_answers == 1


REPEATED = "item,annotator,label,is_repeat\na,1,x,false\na,1,y,false\na,2,x,false\na,2,y,true\n"


@pytest.mark.parametrize(("rule", "left"), [("first", "xxy"), ("last", "yxy"), ("keep", "xyxy")])
def test_repeated_answers_follow_the_rule_and_planned_repeats_stay(tmp_path, rule, left):
    path = tmp_path / "v.csv"
    path.write_text(REPEATED)
    said = []
    found = read(path, repeats=rule, say=said.append)
    assert "".join(found.classes[code] for code in found.choice) == left
    assert bool(said) == (rule != "keep")
    assert found.column("is_repeat").tolist()[-1] is True


def test_rows_without_a_label_can_be_left_out_and_are_counted(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\na,1,\na,2,x\n")
    said = []
    assert read(tmp_path / "v.csv", missing="drop", say=said.append).n_answers == 1
    assert states(said[-1], "1 rows", "label", "left out")


TOP_TWO = [
    {"item": "a", "annotator": 1, "top1": "cat", "top1_prob": 70, "top2": "dog", "top2_prob": 20, "ruled_out": ["eel"]},
    {"item": "a", "annotator": 2, "top1": "dog", "top1_prob": 100, "top2": None, "top2_prob": None, "ruled_out": []},
]


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv"])
def test_top_two_answers_read_alike_from_every_format(tmp_path, ending):
    path = tmp_path / f"beliefs.{ending}"
    if ending == "jsonl":
        path.write_text("\n".join(json.dumps(row) for row in TOP_TWO))
    elif ending == "parquet":
        pq.write_table(pa.Table.from_pylist(TOP_TWO), path)
    else:
        path.write_text(
            "item,annotator,top1,top1_prob,top2,top2_prob,ruled_out\na,1,cat,70,dog,20,eel\na,2,dog,100,,,\n"
        )
    said = []
    found = read(path, say=said.append)
    assert found.classes == ("cat", "dog", "eel") and found.named.tolist() == [[0, 1], [1, -1]]
    assert np.array_equal(found.stated, [[0.7, 0.2, np.nan], [np.nan, 1, np.nan]], equal_nan=True)
    assert found.ruled_out.tolist() == [[False, False, True], [False] * 3]
    took, unnamed = said
    columns = ["top1", "top1_prob", "top2", "top2_prob", "ruled_out"]
    assert read_roles(took) == {
        "item": "item",
        "annotator": "annotator",
        "top-two": f"{', '.join(columns)} (cat, dog, eel)",
        "scale": "100 (percents)",
    }
    assert states(unnamed, "ruled out", "never named", "eel")
    assert read(path, scale=200, say=quiet).stated[0, 0] == 0.35


def test_lists_of_annotators_and_annotations_are_one_row_per_answer():
    table = pa.table(
        {"item": ["a", "b", "c"], "annotators": [[1, 2], [1], None], "annotations": [["x", "y"], ["x"], None]}
    )
    said = []
    found = read(table, say=said.append)
    assert found == Votes.of(["a", "a", "b"], ["x", "y", "x"], [1, 2, 1])
    assert one_states(said, "Table", "1 items", "left out")
    assert read(pl.from_arrow(table), say=quiet) == found


def test_bom_and_quoted_newlines_are_read_as_meant(tmp_path):
    path = tmp_path / "v.csv"
    path.write_bytes('\ufeffitem,annotator,label\r\n"a\r\nb, ""c""",1,"x\ny"\r\n'.encode())
    found = read(path, say=pytest.fail)
    assert found.items.tolist() == ['a\r\nb, "c"'] and found.classes == ("x\ny",)
    path.with_suffix(".jsonl").write_bytes('\ufeff{"item": "a", "annotator": 1, "label": "x"}\n'.encode())
    assert read(path.with_suffix(".jsonl"), say=pytest.fail).classes == ("x",)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_other_encodings_are_read_when_named(tmp_path, encoding):
    (tmp_path / "v.csv").write_bytes("item,annotator,label\né,1,ü\n".encode(encoding))
    found = read(tmp_path / "v.csv", encoding=encoding, say=pytest.fail)
    assert found.items.tolist() == ["é"] and found.classes == ("ü",)


def test_items_of_a_wide_table_keep_the_spelling_they_have(tmp_path):
    (tmp_path / "p.csv").write_text("item,a,b\n0.,0.5,0.5\n1e3,1,0\n")
    assert read(tmp_path / "p.csv", say=quiet).items.tolist() == ["0.", "1e3"]
