"""Files that would fill the memory are refused without filling it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.facts import states
from tests.files.refusals import file, states_either

# One process reads all files in turn; its peak only rises, so its growth bounds what each of them took.
MEASURED = """
import resource, sys
from dissensus.files.read_labels import read
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for path in sys.argv[1:]:
    try:
        read(path, say=print)
    except ValueError as error:
        print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""
LINES_OF_3_GB = {
    "row.csv": (b"item,label\na,", [["NUL byte"], ["16,777,216 bytes"]]),
    "header.csv": (b"", [["16,777,216 bytes"]]),
    "v.jsonl": (b'{"item": "', [["line 1", "16,777,216 bytes"]]),
    "v.json": (b'{"item": "', [["3,221,225,472 bytes", "1,073,741,824"]]),
    "v.parquet": (b"PAR1", [["cut short"]]),
    "v.arrow": (b"ARROW1", [["cut short"]]),
    "v.npy": (b"\x93NUMPY", [["cut short"], ["pickled objects"]]),
}
LINES_OF_40_MB = {
    "row.csv": (b"item,label\na,", b"x" * (40 << 20), ["row", "longer than"]),
    "open_quote.csv": (b'item,label\na,"', b"x\n" * (20 << 20), ["a quote", "never closed"]),
    "header.csv": (b"", b"x" * (40 << 20), ["first line", "longer than"]),
    "columns.csv": (b"", b"," * (10 << 20), ["100,000 columns"]),
    "ragged.csv": (b"item,label\n", b"," * (10 << 20), ["columns", "header has 2"]),
    "record.jsonl": (b'{"item": 1, "label": "', b"x" * (40 << 20), ["line 1", "longer than"]),
}


def test_a_line_of_3_gb_is_refused_in_little_memory(tmp_path):
    paths = [file(tmp_path, name, start) for name, (start, _) in LINES_OF_3_GB.items()]
    for path in paths:
        os.truncate(path, 3 << 30)  # sparse: it takes no room on disk
        if path.stat().st_blocks * 512 > 1 << 20:
            pytest.skip("this file system has no sparse files")
    messages, used = outcomes(paths)
    for message, (_, alternatives) in zip(messages, LINES_OF_3_GB.values(), strict=True):
        assert states_either(message, *alternatives)
    assert used < 200_000


def test_a_line_of_40_mb_is_refused_in_little_memory(tmp_path):
    paths = [file(tmp_path, name, start + rest) for name, (start, rest, _) in LINES_OF_40_MB.items()]
    messages, used = outcomes(paths)
    for message, (_, _, facts) in zip(messages, LINES_OF_40_MB.values(), strict=True):
        assert states(message, *facts) and len(message) < 1000
    assert used < 300_000


def outcomes(paths):
    """What reading says about each file, and how much the peak memory of a fresh process grew, in KiB."""
    done = subprocess.run([sys.executable, "-c", MEASURED, *map(str, paths)], capture_output=True, text=True)
    assert not done.returncode and not done.stderr, done.stderr
    *lines, used = done.stdout.strip().splitlines()
    assert all(line.startswith(str(path)) for line, path in zip(lines, paths, strict=True))
    return lines, int(used)
