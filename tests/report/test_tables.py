"""Tables on a page and in the terminal."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest

from dissensus.labels.intervals import Interval
from dissensus.report.tables import (
    Column,
    Html,
    Row,
    facts_list,
    html_table,
    print_facts,
    print_table,
    shown_interval,
    shown_number,
)

COLUMNS = [Column("labels"), Column("items & more", number=True)]


def test_a_table_of_a_page_aligns_numbers_and_stresses_the_best():
    rows = [("hard", "1"), Row(("soft", "2"), style="best"), Row(("<sparse>", "3"), best=(1,)), Row(("all of them",))]
    root = ElementTree.fromstring(html_table(COLUMNS, rows))
    head, plain, best, stressed, spanning = root
    assert [cell.text for cell in head] == ["labels", "items & more"] and head[1].get("class") == "n"
    assert [(cell.text, cell.get("class")) for cell in plain] == [("hard", None), ("1", "n")]
    assert best.get("class") == "best" and stressed[1].get("class") == "n best" and stressed[0].text == "<sparse>"
    assert len(spanning) == 1 and spanning[0].get("colspan") == "2"


def test_cells_of_a_table_that_stacks_carry_their_titles():
    root = ElementTree.fromstring(html_table(COLUMNS, [("hard", "1"), Row(("all of them",))], stacks=True))
    _, row, spanning = root
    assert [cell.get("data-title") for cell in row] == ["labels", "items & more"]
    assert spanning[0].get("data-title") is None and root.get("role") == "table" and row[0].get("role") == "cell"


def test_text_is_escaped_unless_it_is_markup():
    table = html_table([Column("item")], [("<b>",), (Html("<b>bold</b>"),)])
    assert "&lt;b&gt;" in table and "<td><b>bold</b></td>" in table
    assert facts_list([("items", "1 < 2")]) == "<dl><div><dt>items</dt><dd>1 &lt; 2</dd></div></dl>"


def test_a_row_needs_a_cell_for_every_column():
    with pytest.raises(ValueError, match="zip"):
        html_table([*COLUMNS, Column("loss")], [("hard", "1")])


def test_the_terminal_shows_the_same_rows(capsys):
    print_table(COLUMNS, [("hard [x]", "1"), Row(("soft", "1,000"), style="best")], title="kinds [y]")
    title, head, first, second = capsys.readouterr().out.splitlines()
    assert title.strip() == "kinds [y]" and head.split() == ["labels", "items", "&", "more"]
    assert first.rstrip().endswith(" 1") and first.startswith("hard [x] ") and len(first) == len(second)
    print_table(COLUMNS, [("hard", "1")], ruled=True)
    assert "───" in capsys.readouterr().out


def test_numbers_keep_their_digits_in_a_narrow_terminal():
    """A loss of 0.1218 that is shown as 0.121 is wrong."""
    code = (
        "from dissensus.report.tables import *\n"
        "print_table([Column('labels'), Column('why', wraps=True), Column('loss', number=True)], "
        "[('sparse (3 classes)', 'words that may be broken', '0.1218')])"
    )
    env = {**os.environ, "COLUMNS": "20"}
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env).stdout
    assert "0.1218" in shown and "sparse (3 classes)" in shown and "broken" in shown


def test_facts_stand_one_per_line(capsys):
    print_facts([("items", "5"), ("annotators", "[none]")])
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [["items", "5"], ["annotators", "[none]"]]


def test_numbers_that_are_not_known_are_a_dash():
    assert (shown_number(math.nan), shown_number(math.inf), shown_number(0.12345)) == ("–", "∞", "0.123")
    assert shown_interval(Interval(0.5, 0.25, 0.75, 0.1, 0.95), ".0%") == "50% [25%, 75%]"
    assert shown_interval(Interval(0.5, math.nan, math.nan, math.nan, 0.95)) == "0.500"


def test_reports_are_imported_without_the_library_of_the_terminal():
    code = "import sys, dissensus.report.tables, dissensus.report.labels_card; print('rich' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
