"""Delimited text: what happens to the process that reads it, and delimiters other than commas and tabs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from dissensus import read
from tests.facts import refuses

THREADS = """
import os, sys
from pathlib import Path
from dissensus.files.delimited import read_delimited
before = len(os.listdir("/proc/self/task"))
try:
    read_delimited(Path(sys.argv[1]), ",")
except ValueError:
    print(len(os.listdir("/proc/self/task")) - before)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux lists them")
def test_a_refused_header_leaves_no_thread_behind_that_could_abort_the_process_at_its_exit(tmp_path):
    path = tmp_path / "semi.csv"
    path.write_text("id;text\n5;hello\n3;bye\n")
    done = subprocess.run([sys.executable, "-c", THREADS, path], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path):
    path = tmp_path / "bom.csv"
    path.write_text("item,annotator,label\n1,a,x\n", encoding="utf-8-sig")
    assert read(path).n_items == 1
    with refuses(
        "UTF-8", b"\xef\xbb\xbf", "expected latin-1", "Leave encoding=", place=str(path), ways={"encoding": ...}
    ):
        read(path, encoding="latin-1")


def test_columns_may_be_separated_by_semicolons_if_the_caller_says_so(tmp_path):
    path = tmp_path / "semi.csv"
    path.write_text("item;annotator;label\n1;a;x, or y\n1;b;z\n")
    with refuses("'item;annotator;label'", "','", "';'", place=str(path), ways={"delimiter": ";"}):
        read(path)
    assert read(path, delimiter=";", classes=["x, or y", "z"]).n_answers == 2
    with refuses("delimiter=';;'", "one character", place=str(path)):
        read(path, delimiter=";;")
