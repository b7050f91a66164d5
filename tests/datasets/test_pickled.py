"""The pickle reader builds arrays and text from the official format and refuses everything else."""

from __future__ import annotations

import os
import pickle

import numpy as np
import pytest

from dissensus.datasets.pickled import read_pickle
from tests.facts import refuses

DATA = np.arange(24, dtype=np.uint8).reshape(4, 6) + 200
CONTENT = {"batch_label": "testing batch 1 of 1", "labels": [3, 8, 8, 300], "data": DATA, "filenames": ["a.png", "b"]}


def test_python_2_pickles_are_read_as_pickle_itself_reads_them(tmp_path, python_2_pickle):
    """The dialect of the official files: protocol 2, byte strings, numpy.core.multiarray."""
    data = python_2_pickle(CONTENT)
    path = tmp_path / "test_batch"
    path.write_bytes(data)
    ours, theirs = read_pickle(path), pickle.loads(data, encoding="latin1")
    assert ours.keys() == theirs.keys() == CONTENT.keys()
    assert all(ours[key] == theirs[key] == CONTENT[key] for key in ("batch_label", "labels", "filenames"))
    assert np.array_equal(ours["data"], DATA) and np.array_equal(theirs["data"], DATA)
    assert ours["data"].dtype == np.uint8


@pytest.mark.parametrize("protocol", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["u1", "<i8", ">f4"])
def test_pickles_of_python_3_are_read_too(tmp_path, protocol, dtype):
    array = np.arange(12).reshape(3, 4).astype(dtype)
    content = CONTENT | {"data": array, "columns": np.asfortranarray(array), "deep": ({"x": [None, True, 2.5]},)}
    path = tmp_path / "batch"
    path.write_bytes(pickle.dumps(content, protocol=protocol))
    unpickled = read_pickle(path)
    assert np.array_equal(unpickled.pop("data"), array)
    assert np.array_equal(unpickled.pop("columns"), array)
    assert unpickled == {key: value for key, value in content.items() if key not in ("data", "columns")}


class Malicious:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4, 5])
def test_a_pickle_that_runs_a_command_is_refused_and_not_run(tmp_path, protocol):
    trace = tmp_path / "trace"
    path = tmp_path / "batch"
    path.write_bytes(pickle.dumps({"data": Malicious(os.system, (f"touch {trace}",))}, protocol=protocol))
    with refuses(path, "not an official", "Nothing", "executed"):
        read_pickle(path)
    assert not trace.exists()


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (b"cos\nsystem\n(S'true'\ntR.", ["os.system", "byte 0"]),
        (b"cbuiltins\neval\n(S'1'\ntR.", ["builtins.eval", "byte 0"]),
        (b"c_codecs\ndecode\n(S'1'\ntR.", ["_codecs.decode", "byte 0"]),
        (b"c_codecs\nencode\n(S'1'\nS'rot13'\ntR.", ["'rot13'", "expected 'latin1'"]),
        (b"c_codecs\nencode\n.", ["a function"]),
        (b"cnumpy\nndarray\n(K\x01tR.", ["a call", "byte 19", "NumPy array"]),
        (b"(ios\nsystem\n.", ["opcode INST", "byte 1"]),
        (b"}(S'a'\nu.", []),
        (b"}K\x01b.", ["byte 3", "NumPy array"]),
        (b"]q\x00h\x00a.", ["recursion"]),
        (b"h\x07.", []),
        (b"}", []),
        (b"PNG", []),
        (b"", []),
    ],
)
def test_what_is_refused_is_named(tmp_path, data, facts):
    path = tmp_path / "batch"
    path.write_bytes(data)
    with refuses(path, "not an official", *facts):
        read_pickle(path)


def test_arrays_of_objects_and_unfilled_arrays_are_refused(tmp_path):
    path = tmp_path / "batch"
    path.write_bytes(pickle.dumps(np.array([None, "x"], dtype=object), protocol=2))
    with refuses(path, "not an official", "Python objects"):
        read_pickle(path)
    path.write_bytes(b"cnumpy.core.multiarray\n_reconstruct\n(tR.")
    with refuses(path, "not an official", "no content"):
        read_pickle(path)
