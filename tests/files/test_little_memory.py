"""Files that would fill the memory are refused without filling it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.files.refusals import file

MEASURED = """
import resource, sys
from dissensus.files.read_labels import read
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
