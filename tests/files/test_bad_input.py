"""Bad input: each kind is refused with the file, the row, the value, what was expected and the way out."""

from __future__ import annotations

import io
import os
import pickle
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import Distributions
from dissensus.files.door import ENDINGS, read, write
from dissensus.files.stream import count_votes

GOOD = "item,annotator,label\na,1,cat\na,2,dog\nb,1,cat\n"


def quiet(_):
    pass


def refused(path, *parts, **options):
    """Reading fails with a message that begins with the file and says each of these things."""
    with pytest.raises(ValueError) as caught:
        read(path, say=quiet, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    for part in parts:
        assert re.search(part, message), (part, message)
    return message


def file(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def parquet(folder, columns, metadata=None):
    path = folder / "labels.parquet"
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    return path


# Each case: the file, what its message says in order of row and value, expectation, way out, and the options.
TEXTS = {
    "a class out of range": (
        "v.csv",
        GOOD,
        [r"row 2 \(item 'a', annotator '2'\)", "'dog'", r"classes are \['cat', 'eel'\]", "1 of 3 rows"],
        {"classes": ["cat", "eel"]},
    ),
    "a second answer": (
        "v.csv",
        GOOD + "a,1,dog\n",
        ["row 4", "item 'a', annotator '1'", "first is row 1", "repeats='first'", "--repeats"],
        {},
    ),
    "no label": ("v.csv", GOOD + "b,2,\n", ["row 4 has no label", "'label'", "missing='drop'", "--missing drop"], {}),
    "no item": ("v.csv", GOOD + ",2,cat\n", ["row 4 has no value in column 'item'", "every row needs one"], {}),
    "an unknown item": (
        "v.csv",
        GOOD,
        ["row 3 has 'b' in column 'item'", "not among the 1 names given", "1 of 3"],
        {"items": ["a"]},
    ),
    "unknown columns": (
        "v.csv",
        "who,what\na,b\n",
        [r"columns \['who', 'what'\]", "neither a label column", r"who: 'a'", "label=.*classes="],
        {},
    ),
    "an unknown column asked for": (
        "v.csv",
        GOOD,
        ["no column 'gold' for label", r"columns are \['item'"],
        {"label": "gold"},
    ),
    "no item column": (
        "v.csv",
        "thing,label\na,x\n",
        ["no column looks like the item", r"\['thing', 'label'\]", "item=", "--item"],
        {},
    ),
    "an unknown column to choose by": (
        "v.csv",
        GOOD,
        ["no column 'split' to choose rows by", "columns are"],
        {"where": {"split": "dev"}},
    ),
    "no row chosen": (
        "v.csv",
        GOOD,
        ["no row has 'z' in column 'item'", r"it holds \['a', 'b'\]"],
        {"where": {"item": "z"}},
    ),
    "a negative time": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,-2\n",
        ["row 2 took -2.0 seconds", "expected a time of 0 or more"],
        {},
    ),
    "a time in words": (
        "v.csv",
        "item,label,seconds\na,x,1\nb,x,long\n",
        ["row 2 has 'long' in column 'seconds'", "expected a number"],
        {},
    ),
    "negative mass": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,-0.5,1.5\n",
        [r"row 2 \(item y\) gives class 'a' probability -0.5", "expected a number from 0 to 1", "2 entries"],
        {},
    ),
    "mass that is no number": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,\n",
        [r"row 2 \(item y\) gives class 'b' no probability", "from 0 to 1"],
        {},
    ),
    "rows that do not sum to one": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\ny,0.5,0.4\n",
        [r"row 2 \(item y\) sums to 0.9, expected 1", "1 of 2 rows", "from_mass"],
        {},
    ),
    "a negative count": (
        "p.csv",
        "item,a,b\nx,5,0\ny,-1,2\n",
        [r"row 2 \(item y\) gives class 'a' count -1", "a whole number of 0 or more"],
        {},
    ),
    "an item without votes": (
        "p.csv",
        "item,a,b\nx,0,0\ny,1,2\n",
        [r"row 1 \(item x\) has no votes", "1 of 2", "leave these"],
        {},
    ),
    "half a vote behind a row": (
        "p.csv",
        "item,a,b,votes\nx,0.5,0.5,2.5\n",
        ["item x has 2.5 votes", "whole number"],
        {},
    ),
    "endless votes": ("p.csv", "item,a,b,votes\nx,0.5,0.5,inf\n", ["row 1 has inf votes", "whole number"], {}),
    "a number in words": (
        "p.csv",
        "item,a,b\nx,0.5,half\n",
        ["row 1 has 'half' in column 'b'", "expected a number"],
        {"layout": "probabilities"},
    ),
    "a class without its column": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\n",
        ["no column for class 'c'", "columns are"],
        {"classes": ["a", "c"], "layout": "probabilities"},
    ),
    "items asked for that are not there": (
        "p.csv",
        "item,a,b\nx,0.5,0.5\n",
        ["2 items are asked for", "1 rows", "leave items= out"],
        {"items": ["x", "y"]},
    ),
    "a belief below 0": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,-0.5,1\n",
        [r"row 1 \(item 'x', annotator '1'\) states -0.5 for class 'a'", "0 or more"],
        {},
    ),
    "a belief that says nothing": (
        "b.csv",
        "item,annotator,stated.a,stated.b\nx,1,,\n",
        ["row 1", "states no", "1 of 1 rows say nothing", "leave them out"],
        {},
    ),
    "a class named that there is not": (
        "b.csv",
        "item,stated.a,named.1\nx,1,q\n",
        ["row 1 names 'q' in column 'named.1'", r"classes are \['a'\]"],
        {},
    ),
    "places that are not numbered": (
        "b.csv",
        "item,stated.a,named.first\nx,1,a\n",
        [r"expected the columns \['named.1'\]", "got"],
        {},
    ),
    "a flag in words": (
        "b.csv",
        "item,stated.a,ruled_out.a\nx,1,maybe\n",
        ["'ruled_out.a' holds 'maybe'", "expected true or false"],
        {},
    ),
    "ruled out what there is not": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,q\n",
        ["row 1 rules out 'q'", "classes are"],
        {"classes": ["a", "b"]},
    ),
    "beliefs without stated columns": (
        "v.csv",
        GOOD,
        ["no column is named stated.CLASS", "columns are"],
        {"layout": "beliefs"},
    ),
    "top two without its columns": ("v.csv", GOOD, ["no top1, top1_prob", "among"], {"layout": "top-two"}),
    "an empty file": ("v.csv", "", ["the file is empty", "expected csv"], {}),
    "an empty line": ("v.csv", "\n\n", ["the file is empty", "expected a header line"], {}),
    "a header alone": (
        "v.csv",
        "item,label\n",
        [r"\['item', 'label'\] is followed by no rows", "expected one row"],
        {},
    ),
    "a ragged row": (
        "v.csv",
        GOOD + "b,2\n",
        ["row 4 has 2 columns, the header has 3", "'b,2'", "quote values that contain"],
        {},
    ),
    "a row too long": ("v.tsv", "item\tlabel\na\tx\tz\n", ["row 1 has 3 columns", "the header has 2", "quote"], {}),
    "one header name twice": ("v.csv", "item,label,label\na,x,y\n", ["two columns are named 'label'", "rename"], {}),
    "NUL bytes": ("v.csv", GOOD + "b,2,c\0t\n", ["line 5 holds a NUL byte", "expected text", "utf-16"], {}),
    "mixed encodings": (
        "v.csv",
        "item,label\né,x\n".encode() + "ü,y\n".encode("latin-1"),
        [r"line 3 is not utf-8 text \(bytes b'\\xfc,y", "save the file as UTF-8", "--encoding latin-1"],
        {},
    ),
    "UTF-16 unannounced": ("v.csv", GOOD.encode("utf-16"), ["UTF-16", "expected utf-8", "--encoding utf-16"], {}),
    "UTF-8 announced as UTF-16": (
        "v.csv",
        b"\xff\xfe\x00\xd8" + GOOD.encode(),
        ["not utf-16", "UTF-8"],
        {"encoding": "utf-16"},
    ),
    "an encoding that there is not": ("v.csv", GOOD, ["no encoding 'klingon'", "utf-8"], {"encoding": "klingon"}),
    "an open quote": (
        "v.csv",
        'item,label\na,"x\nb,y\n',
        ["line 2 opens a quote that is never closed", "expected a second quote", "close it"],
        {},
    ),
    "a quote that swallowed rows": (
        "v.csv",
        'item,annotator,label\n1,a,"x\n1,b,y\n2,c,"z"',
        ["line 2 opens a quote that is closed in line 4 before 'z\"'", "close it, or double quotes"],
        {},
    ),
    "another delimiter": ("v.csv", "item;label\na;x\n", ["one column 'item;label'", "by ','", "by ';'", "save"], {}),
    "tabs in a CSV": ("v.csv", "item\tlabel\na\tx\n", ["one column", "pass format='tsv'"], {}),
    "a numbered item taken for a class": (
        "p.csv",
        "photo,cat,dog\n1,3,4\n2,5,6\n",
        ["the first column 'photo' looks like a number for each item", "pass item='photo'", "classes="],
        {},
    ),
    "a count left out": (
        "p.csv",
        "item,a,b\nx,5,0\ny,,2\n",
        [r"row 2 \(item y\) gives class 'a' no count", "whole number"],
        {},
    ),
    "votes that are not those counted": (
        "p.csv",
        "item,a,b,votes\nx,5,0,5\ny,1,2,4\n",
        ["row 2 has 3 counts, but 4 in column 'votes'", "1 of 2"],
        {},
    ),
    "no label at all": (
        "v.csv",
        "item,label,annotator\na,,1\nb,,2\n",
        ["no row has a label", "column 'label' is empty", "label="],
        {"missing": "drop"},
    ),
    "a list as NumPy prints it": (
        "b.csv",
        "item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,['ship' 'fox']\n",
        [r"row 1 has \"\['ship' 'fox'\]\"", "separate them with |"],
        {},
    ),
    "ruled out several in one name": (
        "b.csv",
        'item,top1,top1_prob,top2,top2_prob,ruled_out\nx,a,50,b,20,\ny,a,50,b,20,"ship, fox"\n',
        ["row 2 rules out 'ship, fox', a class that nobody named", r"separated with \|", "classes="],
        {},
    ),
    "one JSON key twice": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": "x", "label": "y"}\n',
        ["line 2", "the key 'label' 2 times", r"\['x', 'y'\]"],
        {},
    ),
    "one JSON key twice in a document": ("v.json", '[{"item": 1, "item": 2}]', ["the key 'item' 2 times"], {}),
    "a wrong ending": (
        "v.xlsx",
        GOOD,
        [r"the ending '.xlsx' says no format", r"expected one of .csv", "pass format="],
        {},
    ),
    "an unknown format": ("v.csv", GOOD, ["no format 'excel'", "there are csv, tsv"], {"format": "excel"}),
    "an unknown layout": ("v.csv", GOOD, ["layout='long'", "expected one of votes, beliefs"], {"layout": "long"}),
    "an unknown rule": ("v.csv", GOOD, ["repeats='some'", "expected one of error, keep"], {"repeats": "some"}),
    "a scale of 0": ("v.csv", GOOD, ["scale=0", "expected a number above 0"], {"scale": 0}),
    "classes in one string": ("v.csv", GOOD, ["classes='cat,dog'", "expected a list of names"], {"classes": "cat,dog"}),
    "a question to a table": (
        "v.csv",
        GOOD,
        ["question='tone' picks one out of an export", "leave it out"],
        {"question": "tone"},
    ),
    "JSON that is none": ("v.json", '[{"item": 1,]', ["not valid JSON: line 1, column 13", "name it .jsonl"], {}),
    "a JSON line that is none": (
        "v.jsonl",
        '{"item": 1, "label": 2}\n{nope}\n',
        ["line 2 is not valid JSON", "'{nope}'"],
        {},
    ),
    "a JSON line that is no record": (
        "v.jsonl",
        "[1, 2]\n",
        ["line 1 is", r"expected a JSON object", "name it .json"],
        {},
    ),
    "JSON that is no list": ("v.json", '{"a": 1}', ["expected a list of records", "got dict"], {}),
    "JSON with NaN": ("v.jsonl", '{"item": 1, "label": NaN}', ["line 1", "NaN is not a JSON number", "use null"], {}),
    "JSON that mixes kinds": (
        "v.jsonl",
        '{"item": 1, "label": "x"}\n{"item": 2, "label": 3}\n',
        ["column 'label' mixes kinds", "record 1 has 'x'", "record 2 has 3", "expected one kind"],
        {},
    ),
    "JSON with half a surrogate": (
        "v.jsonl",
        '{"item": 1, "label": "\\ud800"}',
        ["column 'label'", "correct its values"],
        {},
    ),
    "JSON nested without end": ("v.json", "[" * 100_000, ["not valid JSON", "recursion"], {}),
    "JSON with a list as label": (
        "v.json",
        '[{"item": 1, "label": ["x"]}]',
        ["column 'label' holds lists", "unnest"],
        {},
    ),
    "JSON in another encoding": (
        "v.jsonl",
        '{"item": "é"}'.encode("latin-1"),
        ["line 1 is not UTF-8", "save the file"],
        {},
    ),
    "empty JSON": ("v.json", " \n", ["the file is empty", "expected a JSON document"], {}),
    "empty JSONL": ("v.jsonl", "\n \n", ["the file is empty", "expected one JSON object a line"], {}),
    "text named Parquet": (
        "v.parquet",
        GOOD,
        ["not a readable parquet file, or cut short", "get or write it again"],
        {},
    ),
    "text named Arrow": ("v.arrow", GOOD, ["not a readable arrow file, or cut short", "get or write it again"], {}),
    "text named NPZ": ("v.npz", GOOD, ["not a readable .npz file, or cut short", "write it again with numpy.save"], {}),
    "text named NPY": ("v.npy", GOOD, ["never loaded|not a readable .npy", "numpy.save|np.save"], {}),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text_is_refused_with_row_value_expectation_and_way_out(tmp_path, case):
    name, content, parts, options = TEXTS[case]
    refused(file(tmp_path, name, content), *parts, **options)


def test_folders_and_missing_files_are_named(tmp_path):
    refused(tmp_path, "there is a folder, not a file")
    refused(tmp_path / "gone.csv", "there is no such file")
    refused(tmp_path / ("x" * 300 + ".csv"), "no such file|too long")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "npy", "npz"])
def test_a_file_cut_anywhere_is_refused_or_read_whole(tmp_path, kind):
    value = Distributions.from_counts(np.arange(1, 61).reshape(20, 3))
    write(value, tmp_path / f"whole.{kind}", say=quiet)
    whole = (tmp_path / f"whole.{kind}").read_bytes()
    for length in [*range(1, min(len(whole), 120)), *range(120, len(whole), max(1, len(whole) // 60))]:
        refused(file(tmp_path, f"cut.{kind}", whole[:length]), "cut short|holds pickled objects", "again|np.save")


class Bomb:
    """Unpickling this creates a file."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_nothing_is_ever_unpickled(tmp_path):
    boom = tmp_path / "boom"
    bomb = np.array([[Bomb(boom), 1.0]], dtype=object)
    file(tmp_path, "plain.npy", pickle.dumps(Bomb(boom)))
    np.save(tmp_path / "objects.npy", bomb, allow_pickle=True)
    np.savez(tmp_path / "objects.npz", counts=bomb)
    np.savez(tmp_path / "beside.npz", counts=np.ones((1, 2)), items=bomb)
    for name in ("plain.npy", "objects.npy", "objects.npz", "beside.npz"):
        refused(tmp_path / name, "holds pickled objects", "never loaded", r"np\.save\(path, np\.asarray")
    for ending in ENDINGS:
        refused(file(tmp_path, f"bomb{ending}", pickle.dumps(Bomb(boom))))
    assert not boom.exists()
    pickle.loads((tmp_path / "plain.npy").read_bytes())
    assert boom.exists()  # so the payload was live


def npy_header(text):
    header = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 10), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999999, 10), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 2), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }",
        "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1, 2), }",
        "{'descr': 'nonsense', 'fortran_order': False, 'shape': (1, 2), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.5, 2), }",
        "{" * 5000,
        "__import__('os').abort()",
        "'''",
    ],
)
def test_npy_headers_that_lie_are_refused(tmp_path, header):
    path = file(tmp_path, "m.npy", npy_header(header) + b"\0" * 64)
    refused(path, "cut short|pickled|holds", "numpy.save|np.save|expected numbers")
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.write(path, "counts.npy")
    refused(tmp_path / "m.npz", "cut short|pickled|holds", "numpy.save|np.save|expected numbers")


@pytest.mark.parametrize(
    ("arrays", "parts", "options"),
    [
        ({"counts": np.ones(3)}, ["holds float64 of shape", "items by classes"], {}),
        ({"counts": np.array([["a"]])}, ["holds <U1", "expected numbers"], {}),
        ({"counts": np.ones((0, 3))}, [r"shape \(0, 3\) is empty"], {}),
        ({"counts": np.array([[1e300, 1]])}, ["row 1 has 1e[+]300 votes", "whole number"], {}),
        ({"counts": np.array([[np.inf, 1]])}, ["row 1 has inf votes", "whole number"], {}),
        ({"probs": np.ones((2, 2)) / 2, "votes": np.array(["a", "b"])}, ["row 1 has a votes", "whole number"], {}),
        ({"probs": np.ones((2, 2)) / 2, "votes": np.array([1.0, np.nan])}, ["row 2 has nan votes"], {}),
        (
            {"probs": np.ones((2, 2)) / 2, "items": np.zeros((2, 2))},
            [r"'items' has shape \(2, 2\)", "list of names"],
            {},
        ),
        ({"probs": np.ones((2, 2)) / 2, "classes": np.array("a")}, [r"'classes' has shape \(\)", "list of names"], {}),
        ({"probs": np.ones((2, 2)) / 2, "classes": np.array([b"a", b"\xff"])}, ["'classes' holds bytes.*UTF-8"], {}),
        ({"probs": np.ones((2, 2)) / 2, "items": np.array(["a", "a"])}, ["two items are both named 'a'"], {}),
        ({"a": np.ones((2, 2)), "b": np.ones((2, 2))}, ["expected an array named counts, probs or votes"], {}),
        ({"votes": np.array([[2**62, 0]])}, ["row 1, column 1 holds 4611686018427387904", "class codes"], {}),
        ({"votes": np.array([[0.5, 0]])}, ["row 1, column 1 holds 0.5", "another layout"], {}),
        ({"votes": np.array([[-1, -1]])}, ["no cell holds a class code", "expected codes"], {}),
        ({"votes": np.array([[0, 7]])}, ["vote 1", "choice code 7", "2 classes, 0..1"], {"classes": ["a", "b"]}),
        ({"probs": np.ones((2, 2)) / 2}, ["not 'votes'"], {"layout": "votes"}),
    ],
)
def test_matrices_with_impossible_content_are_refused(tmp_path, arrays, parts, options):
    np.savez(tmp_path / "m.npz", **arrays)
    refused(tmp_path / "m.npz", *parts, **options)


def test_archives_with_other_files_in_them_are_read_without_these(tmp_path):
    np.savez(tmp_path / "m.npz", counts=np.ones((1, 2)))
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as archive:
        archive.writestr("README", "hello")
    said = []
    assert read(tmp_path / "m.npz", say=said.append).n_items == 1
    assert "no arrays left out: ['README']" in said[0]


COLUMNS = {"item": ["a", "b"], "annotator": [1, 1], "label": ["x", "y"]}


@pytest.mark.parametrize(
    "entry",
    [
        b"{", b"[]", b"7", b"null", b"\xff\xfe", b"[" * 100_000, b'{"layout": "tower"}', b'{"layout": 3}',
        b'{"layout": ["votes"]}', b'{"classes": 5}', b'{"classes": "xy"}', b'{"classes": [["x"], ["y"]]}',
        b'{"classes": ["x"]}', b'{"classes": ["x", "x", "y"]}', b'{"item": 3}', b'{"item": "gone"}', b'{"label": {}}',
        b'{"items": [[1], [2, 3]]}', b'{"items": {"a": 1}}', b'{"items": []}', b'{"annotators": ["q"]}',
        b'{"layout": "beliefs"}', b'{"layout": "counts"}', b'{"layout": "annotators", "item": "label", "items": [1]}',
        b'{"layout": "probabilities", "classes": ["label"]}', b'{"scale": 0}', b'{"scale": "x"}', b'{"scale": -1}',
    ],
)  # fmt: skip
def test_a_schema_entry_that_is_not_ours_is_refused(tmp_path, entry):
    refused(parquet(tmp_path, COLUMNS, {b"dissensus": entry}))


def test_tables_that_no_file_should_hold_are_refused(tmp_path):
    twice = pa.table([pa.array(["a"]), pa.array(["x"]), pa.array(["y"])], names=["item", "label", "label"])
    cases = [
        (twice, "two columns are named 'label'"),
        (pa.table({"item": [["a"]], "label": ["x"]}), "column 'item' holds list"),
        (pa.table({"item": [None, "a"], "label": ["x", "y"]}), "row 1 has no value in column 'item'"),
        (pa.table({"item": ["a"], "label": [float("nan")]}), "row 1 has no label"),
        (pa.table({"item": [1.5, float("nan")], "label": ["x", "y"]}), "row 2 has no value in column 'item'"),
        (pa.table({"item": ["a"], "annotators": [[1, 2]], "annotations": [["x"]]}), "row 1.*different lengths"),
        (pa.table({"item": ["a"], "annotators": pa.array([None], pa.list_(pa.int64())), "annotations": [["x"]]}),
         "row 1 has annotations but no annotators"),
        (pa.table({"item": pa.array([], pa.string()), "label": pa.array([], pa.string())}), "the table has no rows"),
        (pa.table({"item": pa.DictionaryArray.from_arrays([0, 1], ["a", None]), "label": ["x", "y"]}),
         "row 2 has no value in column 'item'"),
        (pd.DataFrame({"item": ["a", 1], "label": ["x", "y"]}), "item"),
        (pd.DataFrame([["a", "x"]], columns=["label", "label"]), "label"),
        (object(), "expected a path, or a pandas, polars or Arrow table"),
    ]  # fmt: skip
    for table, message in cases:
        refused_frame(table, message)
    refused_frame(pa.table({"item": ["a"], "p": [["x"]]}), "column 'p' holds list", layout="annotators")
    refused_frame(pa.table({"item": ["a"]}), "empty; expected labels", layout="annotators")


def refused_frame(frame, message, **options):
    with pytest.raises(ValueError, match=message) as caught:
        read(frame, say=quiet, **options)
    assert str(caught.value).startswith(type(frame).__name__)


def test_whole_numbers_beyond_64_bits_stay_the_names_they_are(tmp_path):
    big = pa.array([2**64 - 1, 5], pa.uint64())
    found = read(parquet(tmp_path, {"item": big, "label": ["x", "y"]}), say=quiet)
    assert found.items.tolist() == [str(2**64 - 1), "5"] or found.items.tolist() == ["5", str(2**64 - 1)]


MEASURED = """
import resource, sys
from dissensus.files.door import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    read(sys.argv[1], say=print)
except ValueError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize(
    ("name", "start", "says"),
    [
        ("v.csv", b"item,label\na,", "NUL byte|longer than 16,777,216 bytes"),
        ("v.csv", b"", "longer than 16,777,216 bytes"),
        ("v.jsonl", b'{"item": "', "line 1 is longer than 16,777,216 bytes"),
        ("v.json", b'{"item": "', "3,221,225,472 bytes; at most 1,073,741,824 can be held"),
        ("v.parquet", b"PAR1", "cut short"),
        ("v.arrow", b"ARROW1", "cut short"),
        ("v.npy", b"\x93NUMPY", "cut short|holds pickled"),
    ],
)
def test_a_line_of_3_gb_is_refused_in_little_memory(tmp_path, name, start, says):
    path = file(tmp_path, name, start)
    os.truncate(path, 3 << 30)  # sparse: it takes no room on disk
    if path.stat().st_blocks * 512 > 1 << 20:
        pytest.skip("this file system has no sparse files")
    message, used = outcome(path)
    assert re.search(says, message) and used < 200_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("v.csv", b"item,label\na," + b"x" * (40 << 20)),
        ("v.csv", b'item,label\na,"' + b"x\n" * (20 << 20)),
        ("v.csv", b"x" * (40 << 20)),
        ("v.csv", b"," * (10 << 20)),
        ("v.csv", b"item,label\n" + b"," * (10 << 20)),
        ("v.jsonl", b'{"item": 1, "label": "' + b"x" * (40 << 20)),
    ],
    ids=["row", "open quote", "header", "columns", "ragged", "record"],
)
def test_a_line_of_40_mb_is_refused_in_little_memory(tmp_path, name, content):
    message, used = outcome(file(tmp_path, name, content))
    assert re.search("longer than|columns|never closed", message) and len(message) < 1000 and used < 300_000


def outcome(path):
    """What reading says, and how much the peak memory of a fresh process grew, in KiB."""
    done = subprocess.run([sys.executable, "-c", MEASURED, str(path)], capture_output=True, text=True)
    assert not done.returncode and not done.stderr, done.stderr
    *lines, used = done.stdout.strip().splitlines()
    assert lines[0].startswith(str(path))
    return lines[0], int(used)


def test_streamed_counts_survive_narrow_types_and_lying_statistics(tmp_path):
    path = tmp_path / "v.parquet"
    table = pa.table({"x": [{"p": 1, "q": 9}] * 3, "item": [1, 1, 2], "label": pa.array([-128, 127, 100], pa.int8())})
    pq.write_table(table, path)
    counted = count_votes(path)
    assert counted.classes == ("-128", "100", "127") and counted.counts.tolist() == [[1, 0, 1], [0, 1, 0]]
    truth = io.BytesIO()
    pq.write_table(pa.table({"item": [1000, 2000], "label": [5, 5]}), truth, use_dictionary=False, compression=None)
    data, most = truth.getvalue(), (2000).to_bytes(8, "little")
    values = data.index((1000).to_bytes(8, "little") + most) + 16
    lying = data[:values] + data[values:].replace(most, (1500).to_bytes(8, "little"))
    with pytest.raises(ValueError, match="statistics of a column lie"):
        count_votes(file(tmp_path, "lying.parquet", lying))
