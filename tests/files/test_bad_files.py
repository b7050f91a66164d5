"""Bad files that are not text: cut short, lying, hostile, or of impossible content."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import Distributions, read, write
from dissensus.files.formats import ENDINGS
from dissensus.files.stream import count_votes
from tests.facts import refuses, states
from tests.files.refusals import file, quiet, refused, states_either

PICKLED = ["pickled objects", "np.save"]
UNREADABLE = ["cut short", "numpy.save"]


def parquet(folder, columns, metadata=None):
    path = folder / "labels.parquet"
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    return path


def test_folders_and_missing_files_are_named(tmp_path):
    refused(tmp_path, "a folder")
    refused(tmp_path / "gone.csv", "no such file")
    message = refused(tmp_path / ("x" * 300 + ".csv"))
    assert states_either(message, ["no such file"], ["too long"])  # as the system words it


@pytest.mark.parametrize("kind", ["parquet", "arrow", "npy", "npz"])
def test_a_file_cut_anywhere_is_refused_or_read_whole(tmp_path, kind):
    value = Distributions.from_counts(np.arange(1, 61).reshape(20, 3))
    write(value, tmp_path / f"whole.{kind}", say=quiet)
    whole = (tmp_path / f"whole.{kind}").read_bytes()
    for length in [*range(1, min(len(whole), 120)), *range(120, len(whole), max(1, len(whole) // 60))]:
        message = refused(file(tmp_path, f"cut.{kind}", whole[:length]))
        assert states_either(message, ["cut short", "again"], PICKLED)


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
        refused(tmp_path / name, *PICKLED, "never loaded", "np.save(path, np.asarray(values, dtype=float))")
    for ending in ENDINGS:
        refused(file(tmp_path, f"bomb{ending}", pickle.dumps(Bomb(boom))))
    assert not boom.exists()
    pickle.loads((tmp_path / "plain.npy").read_bytes())
    assert boom.exists()  # so the payload was live


def npy_header(text):
    header = text.encode() + b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header


@pytest.mark.parametrize(
    ("header", "facts"),
    [
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000, 10), }", UNREADABLE),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999999, 10), }", UNREADABLE),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 2), }", UNREADABLE),
        ("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }", PICKLED),
        (
            "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (1, 2), }",
            ["[('x', '<f8')]", "shape (1, 2)", "expected numbers"],
        ),
        ("{'descr': 'nonsense', 'fortran_order': False, 'shape': (1, 2), }", [*UNREADABLE, "'nonsense'"]),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (1.5, 2), }", [*UNREADABLE, "(1.5, 2)"]),
        ("{" * 5000, UNREADABLE),
        ("__import__('os').abort()", UNREADABLE),
        ("'''", UNREADABLE),
    ],
)
def test_npy_headers_that_lie_are_refused(tmp_path, header, facts):
    path = file(tmp_path, "m.npy", npy_header(header) + b"\0" * 64)
    refused(path, *facts)
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.write(path, "counts.npy")
    refused(tmp_path / "m.npz", *facts)


@pytest.mark.parametrize(
    ("arrays", "facts", "options"),
    [
        ({"counts": np.ones(3)}, ["float64", "shape (3,)", "items by classes"], {}),
        ({"counts": np.array([["a"]])}, ["<U1", "expected numbers"], {}),
        ({"counts": np.ones((0, 3))}, ["shape (0, 3)", "empty"], {}),
        ({"counts": np.array([[1e300, 1]])}, ["row 1", "item 0", "class '0'", "count 1e+300", "whole number"], {}),
        ({"counts": np.array([[np.inf, 1]])}, ["row 1", "item 0", "class '0'", "count inf", "whole number"], {}),
        (
            {"probs": np.ones((2, 2)) / 2, "votes": np.array(["a", "b"])},
            ["row 1", "item 0", "a votes", "whole number", "2 of 2"],
            {},
        ),
        (
            {"probs": np.ones((2, 2)) / 2, "votes": np.array([1.0, np.nan])},
            ["row 2", "item 1", "nan votes", "1 of 2"],
            {},
        ),
        ({"probs": np.ones((2, 2)) / 2, "items": np.zeros((2, 2))}, ["'items'", "(2, 2)", "list of names"], {}),
        ({"probs": np.ones((2, 2)) / 2, "classes": np.array("a")}, ["'classes'", "()", "list of names"], {}),
        (
            {"probs": np.ones((2, 2)) / 2, "classes": np.array([b"a", b"\xff"])},
            ["'classes'", "bytes", "UTF-8", b"\xff"],
            {},
        ),
        ({"probs": np.ones((2, 2)) / 2, "items": np.array(["a", "a"])}, ["two items", "'a'"], {}),
        (
            {"a": np.ones((2, 2)), "b": np.ones((2, 2))},
            ["counts, probs or votes", {"a": (2, 2), "b": (2, 2)}],
            {},
        ),
        (
            {"votes": np.array([[2**62, 0]])},
            ["row 1, column 1", 4611686018427387904, "class codes", "1,000,000", "layout="],
            {},
        ),
        ({"votes": np.array([[0.5, 0]])}, ["row 1, column 1", 0.5, "class codes", "layout="], {}),
        ({"votes": np.array([[-1, -1]])}, ["class code", "negative or NaN", "expected codes"], {}),
        ({"votes": np.array([[0, 7]])}, ["vote 1", "choice code 7", "2 classes, 0..1"], {"classes": ["a", "b"]}),
        ({"probs": np.ones((2, 2)) / 2}, ["a matrix", "not 'votes'"], {"layout": "votes"}),
    ],
)
def test_matrices_with_impossible_content_are_refused(tmp_path, arrays, facts, options):
    np.savez(tmp_path / "m.npz", **arrays)
    refused(tmp_path / "m.npz", *facts, **options)


def test_archives_with_other_files_in_them_are_read_without_these(tmp_path):
    np.savez(tmp_path / "m.npz", counts=np.ones((1, 2)))
    with zipfile.ZipFile(tmp_path / "m.npz", "a") as archive:
        archive.writestr("README", "hello")
    said = []
    assert read(tmp_path / "m.npz", say=said.append).n_items == 1
    assert states(said[0], tmp_path / "m.npz", "left out", ["README"])


COLUMNS = {"item": ["a", "b"], "annotator": [1, 1], "label": ["x", "y"]}


@pytest.mark.parametrize(
    "entry",
    [
        b"{",
        b"[]",
        b"7",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"layout": "tower"}',
        b'{"layout": 3}',
        b'{"layout": ["votes"]}',
        b'{"classes": 5}',
        b'{"classes": "xy"}',
        b'{"classes": [["x"], ["y"]]}',
        b'{"classes": ["x"]}',
        b'{"classes": ["x", "x", "y"]}',
        b'{"item": 3}',
        b'{"item": "gone"}',
        b'{"label": {}}',
        b'{"items": [[1], [2, 3]]}',
        b'{"items": {"a": 1}}',
        b'{"items": []}',
        b'{"annotators": ["q"]}',
        b'{"layout": "beliefs"}',
        b'{"layout": "counts"}',
        b'{"layout": "annotators", "item": "label", "items": [1]}',
        b'{"layout": "probabilities", "classes": ["label"]}',
        b'{"scale": 0}',
        b'{"scale": "x"}',
        b'{"scale": -1}',
    ],
)
def test_a_schema_entry_that_is_not_ours_is_refused(tmp_path, entry):
    refused(parquet(tmp_path, COLUMNS, {b"dissensus": entry}))


def test_impossible_tables_are_refused(tmp_path):
    twice = pa.table([pa.array(["a"]), pa.array(["x"]), pa.array(["y"])], names=["item", "label", "label"])
    cases = [
        (twice, ["two columns", "'label'"]),
        (pa.table({"item": [["a"]], "label": ["x"]}), ["column 'item'", "list<item: string>"]),
        (pa.table({"item": [None, "a"], "label": ["x", "y"]}), ["row 1", "no value", "column 'item'"]),
        (pa.table({"item": ["a"], "label": [float("nan")]}), ["row 1", "no label", "1 of 1"]),
        (pa.table({"item": [1.5, float("nan")], "label": ["x", "y"]}), ["row 2", "no value", "column 'item'"]),
        (pa.table({"item": ["a"], "annotators": [[1, 2]], "annotations": [["x"]]}), ["row 1", "different lengths"]),
        (
            pa.table({"item": ["a"], "annotators": pa.array([None], pa.list_(pa.int64())), "annotations": [["x"]]}),
            ["row 1", "no annotators"],
        ),
        (pa.table({"item": pa.array([], pa.string()), "label": pa.array([], pa.string())}), ["no rows"]),
        (
            pa.table({"item": pa.DictionaryArray.from_arrays([0, 1], ["a", None]), "label": ["x", "y"]}),
            ["row 2", "no value", "column 'item'"],
        ),
        (pd.DataFrame({"item": ["a", 1], "label": ["x", "y"]}), ["column item", "Arrow type"]),
        (pd.DataFrame([["a", "x"]], columns=["label", "label"]), [["label", "label"]]),
        (object(), ["pandas, polars or Arrow", "read(path)"]),
    ]
    for table, facts in cases:
        refused_frame(table, *facts)
    refused_frame(pa.table({"item": ["a"], "p": [["x"]]}), "column 'p'", "list<item: string>", layout="annotators")
    refused_frame(pa.table({"item": ["a"]}), "none", ["item"], "annotators=", layout="annotators")


def refused_frame(frame, *facts, **options):
    with refuses(*facts) as caught:
        read(frame, say=quiet, **options)
    assert str(caught.value).startswith(type(frame).__name__)


def test_whole_numbers_beyond_64_bits_stay_the_names_they_are(tmp_path):
    big = pa.array([2**64 - 1, 5], pa.uint64())
    found = read(parquet(tmp_path, {"item": big, "label": ["x", "y"]}), say=quiet)
    assert found.items.tolist() == [str(2**64 - 1), "5"] or found.items.tolist() == ["5", str(2**64 - 1)]


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
    with refuses("statistics of a column", place=str(tmp_path / "lying.parquet")):
        count_votes(file(tmp_path, "lying.parquet", lying))
