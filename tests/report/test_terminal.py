"""Tables and facts in the terminal, and how numbers are written in them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from dissensus.labels.intervals import Interval
from dissensus.report.document import Column, Row, Table
from dissensus.report.numbers import (
    format_duration,
    format_interval,
    format_limits,
    format_number,
    format_p,
    format_size,
)
from dissensus.report.saving import saving_script
from dissensus.report.terminal import print_pairs, print_rows

COLUMNS = [Column("labels"), Column("items & more")]


def test_rows_are_aligned_below_their_titles(capsys):
    print_rows(Table(COLUMNS, [("hard [x]", 1), Row(("soft", 1000), "best")], "kinds [y]"))
    title, head, first, second = capsys.readouterr().out.splitlines()
    assert title == "kinds [y]" and head.split() == ["labels", "items", "&", "more"]
    assert first.endswith(" 1") and first.startswith("hard [x] ") and len(first) == len(second)
    assert second.endswith("1,000")


def test_a_heading_between_rows_does_not_widen_the_first_column(capsys):
    heading = "a heading that is much longer than all cells below it"
    print_rows(Table(COLUMNS, [Row((heading,), "group"), ("hard", 1), Row(("next",), "group"), ("soft", 2)]))
    head, first, one, second, two = capsys.readouterr().out.splitlines()
    assert (first.rstrip(), second.rstrip()) == (heading, "next") and len(head) == len(one) == len(two) < len(heading)


@pytest.mark.parametrize(("rows", "shown", "printed"), [(40, 10, 40), (41, 10, 10), (60, 60, 60)])
def test_of_a_table_longer_than_a_screen_the_first_rows_are_printed(capsys, rows, shown, printed):
    print_rows(Table(["n"], [(i,) for i in range(rows)], shown=shown))
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.strip() for line in lines[:printed]] == [str(i) for i in range(printed)]
    assert lines[printed:] == ([f"… and {rows - printed} more rows"] if printed < rows else [])


def test_numbers_keep_their_digits_in_a_narrow_terminal():
    """A loss of 0.1218 that is shown as 0.121 is wrong."""
    code = (
        "from dissensus.report.document import *\nfrom dissensus.report.terminal import *\n"
        "print_rows(Table([Column('labels'), Column('why', wraps=True), Column('loss', '.4f')], "
        "[('sparse (3 classes)', 'words that may be broken', 0.1218)]))"
    )
    env = {**os.environ, "COLUMNS": "20"}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert "0.1218" in shown and "sparse (3 classes)" in shown and "broken" in shown


def test_facts_are_printed_one_per_line(capsys):
    print_pairs([("items", "5"), ("annotators", "[none]")])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["items", "5"], ["annotators", "[none]"]]


def test_unknown_numbers_are_a_dash():
    assert (format_number(math.nan), format_number(None), format_number(0.12345)) == ("–", "–", "0.123")
    assert (format_number(math.inf), format_number(-math.inf)) == ("∞", "-∞")
    assert format_interval(Interval(0.5, 0.25, 0.75, 0.1, 0.95), ".0%") == "50% [25%, 75%]"
    alone = Interval(0.5, math.nan, math.nan, math.nan, 0.95)
    assert format_interval(alone) == "0.500" and format_limits(alone) == ""


@pytest.mark.parametrize(
    ("p", "text"),
    [(1.0, "p = 1"), (0.0496, "p = 0.0496"), (0.05, "p = 0.05"), (0.001, "p = 0.001"), (0.0, "p < 0.001")],
)
def test_small_p_values_are_only_called_small(p, text):
    assert format_p(p) == text and format_number(p, "p") == text.removeprefix("p ").removeprefix("= ")


def test_documents_are_made_without_the_library_of_the_terminal():
    code = "import sys, dissensus.report.html, dissensus.report.labels_card; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_a_saved_figure_needs_no_style_from_the_page():
    script = saving_script()
    assert "var(--" not in script and ".dissensus" not in script and ElementTree.fromstring(script).tag == "script"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.2, "1 s"), (42, "42 s"), (300, "5 min"), (9000, "2.5 h"), (86400 * 3, "3.0 days")],
)
def test_a_time_has_the_unit_that_people_would_choose(seconds, said):
    assert format_duration(seconds) == said


@pytest.mark.parametrize(
    ("size", "said"), [(200, "0.2 kB"), (45_600, "45.6 kB"), (2.5e6, "2.5 MB"), (3.1e10, "31 GB"), (2e12, "2.0 TB")]
)
def test_so_has_aformat_size(size, said):
    assert format_size(size) == said
