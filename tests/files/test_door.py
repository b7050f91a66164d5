"""Files and frames: what goes out comes back, what cannot is said, and every guess can be overruled."""

from __future__ import annotations

import ast
import datetime
import json
import re
from collections import Counter
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes
from dissensus.files.door import read, write
from dissensus.files.exports import EXPORTS
from dissensus.files.tables.writing import as_table

WHOLE = ("parquet", "arrow")
TEXT = ("csv", "tsv", "json", "jsonl")
EXTRA_NAMES = (
    "item",
    "annotator",
    "label",
    "seconds",
    "worker",
    "task",
    "text",
    "class",
    "lead_time",
    "is_repeat",
    "ü,\n",
)

few = partial(settings, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
written = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)
tricky = st.sampled_from(
    ["", " ", "0", "1", "07", "-1", "1.0", "nan", "None", "true", 'q"uo,te', "a\nb", "c\r\nd", "٣"]
)
words = written | tricky


@st.composite
def names(draw, most=4):
    if draw(st.booleans()):
        return draw(st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=most, unique=True))
    return draw(st.lists(words, min_size=1, max_size=most, unique=True))


@st.composite
def extras(draw, m):
    """Extra columns of every kind a Parquet file may hold."""
    kinds = {
        pa.int8(): st.integers(-128, 127),
        pa.int64(): st.integers(-(2**62), 2**62),
        pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
        pa.bool_(): st.booleans(),
        pa.string(): words,
        pa.timestamp("us"): st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2100, 1, 1)),
        pa.list_(pa.int64()): st.lists(st.integers(-9, 9), max_size=3),
        pa.list_(pa.string()): st.lists(words, max_size=2),
        pa.struct([("x", pa.float64()), ("y", pa.string())]): st.fixed_dictionaries({"x": st.floats(0, 1), "y": words}),
    }  # fmt: skip
    columns = {}
    for name in draw(st.lists(st.sampled_from(EXTRA_NAMES), max_size=3, unique=True)):
        kind = draw(st.sampled_from(list(kinds)))
        columns[name] = pa.array(draw(st.lists(st.none() | kinds[kind], min_size=m, max_size=m)), kind)
    return pa.table(columns) if columns else None


@st.composite
def answers(draw, *, least=1, identified=None, plain=False):
    """The fields Votes and Beliefs share; unused classes, items and annotators without answers included."""
    m = draw(st.integers(least, 6))
    items, classes = draw(names()), [str(name) for name in draw(names(3))]
    codes = partial(st.lists, min_size=m, max_size=m)
    fields = {"item": np.array(draw(codes(st.integers(0, len(items) - 1))), int), "items": items, "classes": classes}
    if draw(st.booleans()) if identified is None else identified:
        who = draw(names(3))
        fields |= {"annotator": np.array(draw(codes(st.integers(0, len(who) - 1))), int), "annotators": who}
    if draw(st.booleans()):
        fields["seconds"] = draw(codes(st.floats(0, 1e6) | st.just(np.nan)))
    return m, fields | ({} if plain else {"extra": draw(extras(m))})


@st.composite
def votes(draw, **options):
    m, fields = draw(answers(**options))
    choice = draw(st.lists(st.integers(0, len(fields["classes"]) - 1), min_size=m, max_size=m))
    return Votes(**fields, choice=np.array(choice, int))


@st.composite
def beliefs(draw, **options):
    m, fields = draw(answers(**options))
    k = len(fields["classes"])
    stated = np.array(draw(st.lists(st.floats(0, 1) | st.just(np.nan), min_size=m * k, max_size=m * k))).reshape(m, k)
    ruled_out = np.array(draw(st.lists(st.booleans(), min_size=m * k, max_size=m * k)), bool).reshape(m, k)
    r = draw(st.integers(0, 2))
    named = np.array(draw(st.lists(st.integers(-1, k - 1), min_size=m * r, max_size=m * r)), int).reshape(m, r)
    silent = np.isnan(stated).all(axis=1) & ~ruled_out.any(axis=1) & ~(named >= 0).any(axis=1)
    return Beliefs(**fields, stated=np.where(silent[:, None], 0.5, stated), ruled_out=ruled_out, named=named)


@st.composite
def distributions(draw):
    items, classes = draw(names()), [str(name) for name in draw(names(3))]
    shape = (len(items), len(classes))
    rows = st.lists(st.integers(0, 9), min_size=shape[1], max_size=shape[1]).filter(any)
    counts = np.array(draw(st.lists(rows, min_size=shape[0], max_size=shape[0])))
    found = Distributions.from_counts(counts, items=items, classes=classes)
    return found if draw(st.booleans()) else Distributions(found.probs, found.items, found.classes)


anything = votes() | beliefs() | distributions()


def quiet(_):
    pass


def told(notices, value):
    """What the notices of a writer say to pass when reading."""
    pairs = [re.search(r"read it back with (\w+)=(.*)$", notice, re.S) for notice in notices]
    return {
        pair[1]: ast.literal_eval(pair[2]) if pair[2] else getattr(value, pair[1]).tolist() for pair in pairs if pair
    }


@few(max_examples=150)
@given(value=votes(least=0) | beliefs(least=0) | distributions(), kind=st.sampled_from(WHOLE))
def test_parquet_and_arrow_keep_everything(tmp_path, value, kind):
    said = []
    write(value, tmp_path / f"labels.{kind}", say=said.append)
    again = read(tmp_path / f"labels.{kind}", say=said.append)
    assert again == value and not [notice for notice in said if "annotator" not in notice]


@few(max_examples=200)
@given(value=anything, kind=st.sampled_from(TEXT))
def test_text_keeps_everything_when_read_as_the_writer_says(tmp_path, value, kind):
    extra = getattr(value, "extra", None)
    if kind in ("csv", "tsv") and extra is not None:
        flat = [field.name for field in extra.schema if not pa.types.is_nested(field.type)]
        value = type(value)(**{**vars(value), "extra": extra.select(flat)})
    said = []
    write(value, tmp_path / f"labels.{kind}", say=said.append)
    again = read(tmp_path / f"labels.{kind}", say=quiet, **told(said, value))
    retyped = any("the type of the extra columns" in notice for notice in said)
    if retyped:
        assert again.extra.column_names == value.extra.column_names
        value, again = (type(value)(**{**vars(v), "extra": None}) for v in (value, again))
    assert again == value


@few(max_examples=60)
@given(value=distributions())
def test_npz_keeps_distributions_whole_and_npy_their_numbers(tmp_path, value):
    write(value, tmp_path / "p.npz", say=pytest.fail)
    if not any(str(name).endswith("\0") for name in [*value.items, *value.classes]):
        assert read(tmp_path / "p.npz", say=pytest.fail) == value
    said = []
    write(value, tmp_path / "p.npy", say=said.append)
    layout = "probabilities" if value.votes is None else "counts"
    again = read(tmp_path / "p.npy", say=quiet, layout=layout, items=value.items.tolist(), classes=value.classes)
    assert again == value and "NPY keeps no names" in said[0]


@few(max_examples=60)
@given(value=anything, library=st.sampled_from(["pandas", "polars"]))
def test_frames_keep_everything_but_what_their_columns_do_not_hold(value, library):
    table = as_table(value)
    assume("" not in table.column_names)  # polars gives a column without a name one of its own
    meta = json.loads(table.schema.metadata[b"dissensus"])
    frame = table.to_pandas() if library == "pandas" else pl.from_arrow(table)
    again = read(frame, say=quiet, repeats="keep", **meta)
    if getattr(value, "extra", None) is not None:
        if library == "polars":
            assert again.extra.to_pylist() == value.extra.to_pylist()
        value, again = (type(value)(**{**vars(v), "extra": None}) for v in (value, again))
    assert again == value


@few(max_examples=120)
@given(value=votes(plain=True), tool=st.sampled_from(list(EXPORTS)))
def test_annotation_tools_exports_keep_every_vote(tmp_path, value, tool):
    path = tmp_path / f"export.{EXPORTS[tool].container}"
    try:
        write(value, path, format=tool, say=quiet)
    except ValueError as error:
        assert str(path) in str(error)
        return
    again = read(path, format=tool, say=quiet, classes=value.classes, items=value.items, repeats="keep")
    assert rows(again) == rows(value) and again.classes == value.classes


def rows(value):
    """Each vote in words, however they are ordered."""
    time = (
        [None] * value.n_answers if value.seconds is None else [None if s != s else round(s, 6) for s in value.seconds]
    )
    who = [None] * value.n_answers if value.annotator is None else value.annotators[value.annotator].tolist()
    what = [value.classes[code] for code in value.choice]
    return Counter(zip(map(str, value.items[value.item]), map(str, who), what, time, strict=True))


THREE = Votes.of(["a", "a", "b"], ["cat", "dog", "cat"], ["ann", "bo", "ann"])


@pytest.mark.parametrize("tool", EXPORTS)
def test_every_export_is_recognised_by_its_records(tmp_path, tool):
    codes = Votes.of([1, 1, 2], ["3", "5", "3"], [7, 8, 7], classes=list("0123456789"))
    value = codes if tool == "tfds-cifar10h" else THREE
    path = tmp_path / f"export.{EXPORTS[tool].container}"
    write(value, path, format=tool, say=quiet)
    said = []
    again = read(path, say=said.append)
    assert rows(again) == rows(value)
    assert f"{path}: format = {tool}" in said


@few(max_examples=60)
@given(value=votes(identified=True, plain=True), ending=st.sampled_from(["parquet", "csv"]))
def test_crowd_kit_and_cleanlab_layouts_come_back(tmp_path, value, ending):
    path = tmp_path / f"votes.{ending}"
    said = []
    write(value, path, layout="crowd-kit", say=said.append)
    assert {"task", "worker", "label"} <= set(as_table(value, "crowd-kit").column_names)
    assert read(path, say=quiet, **told(said, value)) == value
    once = Votes(**{**vars(value), "seconds": None})
    once = once.select(answers=np.unique(once.item * once.n_annotators + once.annotator, return_index=True)[1])
    if "item" in map(str, once.annotators):
        return
    write(once, path, layout="annotators", say=quiet)
    names = {"items": once.items.tolist(), "annotators": once.annotators.tolist(), "classes": once.classes}
    again = read(path, layout="annotators", item="item", say=quiet, **names)
    assert rows(again) == rows(once) and np.array_equal(again.items, once.items)


def test_crowd_kit_frames_are_read_as_they_are():
    frame = pd.DataFrame({"task": ["t1", "t1"], "worker": ["w1", "w2"], "label": ["x", "y"]})
    said = []
    found = read(frame, say=said.append)
    assert found == Votes.of(["t1", "t1"], ["x", "y"], ["w1", "w2"])
    assert said == ["DataFrame: item = column 'task'", "DataFrame: annotator = column 'worker'"]


def test_cleanlab_frames_have_one_column_per_annotator_and_gaps():
    frame = pd.DataFrame({0: [1, 0, None], 1: [1, None, 2]})
    found = read(frame, layout="annotators", say=quiet)
    assert found == read(pl.from_pandas(frame.rename(columns=str)), layout="annotators", say=quiet)
    assert found.classes == ("0", "1", "2") and found.counts().tolist() == [[0, 2, 0], [1, 0, 0], [0, 0, 1]]
    named = frame.set_axis(["x", "y", "z"])
    assert read(named, layout="annotators", say=quiet).items.tolist() == ["x", "y", "z"]


def test_an_index_left_over_from_choosing_rows_is_no_column():
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


USUAL = [(i, a, c) for i, a, c in zip(
    ("item", "task", "image", "uid", "id", "Item_ID"), ("annotator", "worker", "rater", "user", "WorkerId", "coder"),
    ("label", "choice", "class", "vote", "answer", "category"), strict=True)]  # fmt: skip


@pytest.mark.parametrize(("item", "annotator", "label"), USUAL)
def test_usual_column_names_are_recognised_and_every_guess_is_said(tmp_path, item, annotator, label):
    path = tmp_path / "votes.csv"
    path.write_text(f"{label},{annotator},{item}\nx,1,a\ny,2,a\n")
    said = []
    overruled = {"annotator": annotator} if annotator == "WorkerId" else {}
    found = read(path, say=said.append, **overruled)
    assert found == Votes.of(["a", "a"], ["x", "y"], [1, 2])
    guesses = {"item": item, "annotator": annotator, "label": label}
    for role, column in guesses.items():
        assert (f"{path}: {role} = column {column!r}" in said) == (column != role and role not in overruled)


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
    assert said == [f"{path}: seconds = column 'lead_time'"]


def test_labels_written_as_numbers_keep_their_spelling(tmp_path):
    (tmp_path / "v.csv").write_text("item,annotator,label\n1,1,0\n1,2,1\n2,1,10\n2,2,2\n")
    assert read(tmp_path / "v.csv", say=quiet).classes == ("0", "1", "2", "10")
    pq.write_table(pa.table({"item": [1, 2], "label": [1.0, 0.0]}), tmp_path / "v.parquet")
    said = []
    assert read(tmp_path / "v.parquet", say=said.append).classes == ("0", "1")
    assert any("whole floats: read as integers" in notice for notice in said)
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
    assert said == [f"{path}: layout = counts over 2 classes: cat, dog", f"{path}: item = column 'uid'"]
    path.write_text("cat,dog\n0.25,0.75\n1,0\n")
    said.clear()
    assert read(path, say=said.append).items.tolist() == [0, 1]
    assert said[0].endswith("layout = probabilities over 2 classes: cat, dog") and "no item column" in said[1]
    assert read(path, items=["x", "y"], say=quiet).items.tolist() == ["x", "y"]
    path.write_text("item,cat,dog\na,1,0\nb,0,1\n")
    assert (
        read(path, say=quiet).votes.tolist() == [1, 1] and read(path, layout="probabilities", say=quiet).votes is None
    )


def test_classes_name_the_columns_of_a_wide_table_and_the_rest_is_said(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("item,n_cat,n_dog,label,text\na,3,1,cat,hm\nb,1,3,dog,ah\n")
    said = []
    found = read(path, classes=["n_dog", "n_cat"], say=said.append)
    assert found.classes == ("n_dog", "n_cat") and found.probs[0].tolist() == [0.25, 0.75]
    assert any("columns left out, as they are no classes: ['label', 'text']" in notice for notice in said)
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
    assert said[-1].endswith("1 rows without a label left out")


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
    assert [notice.partition(": ")[2] for notice in said] == [
        "layout = top-two", "classes that are only ruled out, never named: eel",
        "probabilities are percents (scale = 100)",
    ]  # fmt: skip
    assert read(path, scale=200, say=quiet).stated[0, 0] == 0.35


def test_lists_of_annotators_and_annotations_are_one_row_an_answer():
    table = pa.table(
        {"item": ["a", "b", "c"], "annotators": [[1, 2], [1], None], "annotations": [["x", "y"], ["x"], None]}
    )
    said = []
    found = read(table, say=said.append)
    assert found == Votes.of(["a", "a", "b"], ["x", "y", "x"], [1, 2, 1])
    assert "Table: 1 items without annotations left out" in said
    assert read(pl.from_arrow(table), say=quiet) == found


def test_a_plain_table_that_looks_like_an_export_can_be_read_as_it_stands(tmp_path):
    path = tmp_path / "v.jsonl"
    votes = Votes.of(["a", "b"], ["x", "y"], extra=pa.table({"text": ["m", "n"], "id": [1, 2]}))
    said = []
    write(votes, path, say=said.append)
    assert read(path, say=quiet, **told(said, votes)) == votes


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


def test_what_a_format_cannot_hold_is_refused_with_a_way_out(tmp_path):
    nested = Votes.of(["a"], ["x"], extra=pa.table({"tags": [["p", "q"]]}))
    cases = [
        (nested, "v.csv", {}, r"column 'tags' holds lists, which csv cannot; write \.parquet or \.jsonl"),
        (Votes.of(["a\0"], ["x"]), "v.csv", {}, r"line 2 would hold a NUL byte, which csv cannot; write \.parquet"),
        (THREE, "v.npy", {}, r"npy holds one row per item, and this is one per answer: write \.parquet"),
        (Beliefs.of_votes(THREE), "v.json", {"format": "label-studio"}, "label-studio holds votes"),
        (Beliefs.of_votes(THREE), "v.csv", {"layout": "crowd-kit"}, r"these are beliefs; take beliefs\.first_choices"),
        (THREE, "v.csv", {"layout": "long"}, "no layout 'long' to write; there are 'crowd-kit' and 'annotators'"),
        (THREE, "v.txt", {}, r"the ending '\.txt' says no format; expected one of \.csv"),
        (THREE, "v.txt", {"format": "xls"}, "no format 'xls'; there are csv"),
        (THREE, "no/folder/v.csv", {}, "there is no folder .*; make it first"),
        (Distributions([[1.0]], ["a"], ("votes",)), "v.csv", {}, "a class is named 'votes'.*rename the class"),
        (Votes.of(["a", "a"], ["x", "y"], ["b", "b"]), "v.csv", {"layout": "annotators"}, "answered an item twice"),
        (Votes.of(["a"], ["x"], extra=pa.table({"b": [b"\xff"]})), "v.jsonl", {}, r"bytes.*write \.parquet"),
        (Votes.of(["a"], ["x"], extra=pa.table({"f": [float("inf")]})), "v.json", {}, r"JSON.*write \.parquet"),
    ]  # fmt: skip
    for value, name, options, message in cases:
        with pytest.raises(ValueError, match=message) as caught:
            write(value, tmp_path / name, say=quiet, **options)
        assert str(caught.value).startswith(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_never_replaced_by_a_file():
    with pytest.raises(ValueError, match="/dev/null: there is something that is no file"):
        write(THREE, "/dev/null", format="csv", say=quiet)


def test_a_written_file_replaces_the_old_one_whole(tmp_path):
    path = tmp_path / "v.parquet"
    path.write_bytes(b"old")
    write(THREE, path)
    assert read(path, say=quiet) == THREE and [p.name for p in tmp_path.iterdir()] == ["v.parquet"]
    bad = Votes.of(["a"], ["x"], extra=pa.table({"tags": [["p"]]}))
    with pytest.raises(ValueError, match="holds lists"):
        write(bad, path, format="csv", say=quiet)
    assert read(path, say=quiet) == THREE and [p.name for p in tmp_path.iterdir()] == ["v.parquet"]


def test_distributions_are_a_table_of_item_classes_and_votes(tmp_path):
    """The fixed layout of a distributions file: any Parquet reader sees these columns."""
    found = Distributions.from_counts([[1, 3], [2, 0]], items=["a", "b"], classes=["0", "1"])
    write(found, tmp_path / "p.parquet")
    assert pq.read_table(tmp_path / "p.parquet").to_pylist() == [
        {"item": "a", "0": 0.25, "1": 0.75, "votes": 4}, {"item": "b", "0": 1.0, "1": 0.0, "votes": 2},
    ]  # fmt: skip
    write(Distributions(found.probs, found.items, found.classes), tmp_path / "q.parquet")
    assert pq.read_table(tmp_path / "q.parquet").column_names == ["item", "0", "1"]


def test_items_of_a_wide_table_keep_the_spelling_they_have(tmp_path):
    (tmp_path / "p.csv").write_text("item,a,b\n0.,0.5,0.5\n1e3,1,0\n")
    assert read(tmp_path / "p.csv", say=quiet).items.tolist() == ["0.", "1e3"]
