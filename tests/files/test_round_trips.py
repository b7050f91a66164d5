"""What goes out comes back the same: any value, through every format and frame."""

from __future__ import annotations

import ast
import datetime
import json
import re
from collections import Counter
from functools import partial

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from dissensus import Beliefs, Distributions, Votes, as_table, read, write
from dissensus.files.exports import EXPORTS
from tests.facts import states
from tests.files.refusals import quiet

WHOLE = ("parquet", "arrow")
WRITTEN = [name for name, tool in EXPORTS.items() if tool.render is not None]
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


# Every kind of extra column that a Parquet file may hold.
KINDS = {
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(2**62), 2**62),
    pa.float64(): st.floats(allow_nan=False, allow_infinity=False),
    pa.bool_(): st.booleans(),
    pa.string(): words,
    pa.timestamp("us"): st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2100, 1, 1)),
    pa.list_(pa.int64()): st.lists(st.integers(-9, 9), max_size=3),
    pa.list_(pa.string()): st.lists(words, max_size=2),
    pa.struct([("x", pa.float64()), ("y", pa.string())]): st.fixed_dictionaries({"x": st.floats(0, 1), "y": words}),
}
CELLS = {kind: st.none() | values for kind, values in KINDS.items()}
EXTRAS = st.lists(
    st.tuples(st.sampled_from(EXTRA_NAMES), st.sampled_from(list(KINDS))), max_size=3, unique_by=lambda x: x[0]
)


@st.composite
def extras(draw, m):
    columns = {name: pa.array([draw(CELLS[kind]) for _ in range(m)], kind) for name, kind in draw(EXTRAS)}
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
    assert again == value and states(said[0], "NPY", "no names")


@few(max_examples=60)
@given(value=anything, library=st.sampled_from(["pandas", "polars"]))
def test_frames_keep_everything_but_what_their_columns_do_not_hold(value, library):
    table = as_table(value)
    assume("" not in table.column_names)  # polars gives a column without a name one of its own
    # Names of items that differ in blanks alone are refused, unless they are listed, which the metadata does not do.
    assume(len({str(name).strip() for name in value.items}) == len(value.items))
    meta = json.loads(table.schema.metadata[b"dissensus"])
    frame = table.to_pandas() if library == "pandas" else pl.from_arrow(table)
    again = read(frame, say=quiet, repeats="keep", **meta)
    if getattr(value, "extra", None) is not None:
        if library == "polars":
            assert again.extra.to_pylist() == value.extra.to_pylist()
        value, again = (type(value)(**{**vars(v), "extra": None}) for v in (value, again))
    assert again == value


@few(max_examples=120)
@given(value=votes(plain=True), tool=st.sampled_from(WRITTEN))
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


@pytest.mark.parametrize("tool", WRITTEN)
def test_every_export_is_recognised_by_its_records(tmp_path, tool):
    codes = Votes.of([1, 1, 2], ["3", "5", "3"], [7, 8, 7], classes=list("0123456789"))
    value = codes if tool == "tfds-cifar10h" else Votes.of(["a", "a", "b"], ["cat", "dog", "cat"], ["ann", "bo", "ann"])
    path = tmp_path / f"export.{EXPORTS[tool].container}"
    write(value, path, format=tool, say=quiet)
    said = []
    again = read(path, say=said.append)
    assert rows(again) == rows(value)
    assert f"{path}: took: format = {tool}" in said


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
