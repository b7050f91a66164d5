"""No text of a survey is run by the spreadsheet that opens its CSV."""

from __future__ import annotations

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.export_files import EXPORTS, FORMATS, write_table
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.spreadsheet_cells import escape_formulas
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, write_survey

NASTY = '=HYPERLINK("http://evil.example","x")'


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("-1", "-1"),
        ("-1.5e3", "-1.5e3"),
        ("+4", "+4"),
        ("a=b", "a=b"),
        ("", ""),
        ("'=1", "'=1"),
        (None, None),
        ("-", "'-"),
    ],
)
def test_formulas_get_an_apostrophe_and_numbers_stay(text, cell):
    table, changed = escape_formulas(pa.table({"text": pa.array([text], pa.string())}))
    assert table.column("text").to_pylist() == [cell] and changed == (text != cell)


def test_columns_of_numbers_stay_as_they_are():
    table = pa.table({"x": [-1.5, 2.0], "n": [-3, 4]})
    assert escape_formulas(table) == (table, 0)


@given(st.lists(st.text(max_size=6) | st.none()))
def test_no_cell_begins_with_what_is_run_unless_it_is_a_number(texts):
    for cell in escape_formulas(pa.table({"text": pa.array(texts, pa.string())}))[0].column("text").to_pylist():
        if cell and cell[0] in "=+-@\t\r":
            float(cell)


def test_every_csv_of_a_survey_is_harmless_and_other_formats_keep_the_text(tmp_path):
    folder = tmp_path / "survey"
    folder.mkdir()
    quoted = NASTY.replace('"', '""')
    (folder / "items.csv").write_text(f'item,text\n"{quoted}",Hello\n')
    write_survey(folder, items="items.csv", question={"kind": "choose", "classes": ["@a", "-1"]})
    said: list[str] = []
    with open_survey(folder) as run:
        me = arrive(run, {})
        submit(run, me, {"page": current_page(run, me)["page"], "answer": {"choice": "@a"}, "times": TIMES})
        for what in EXPORTS:
            cells = [
                cell
                for row in csv.reader(io.StringIO(FORMATS["csv"].as_bytes(EXPORTS[what].table(run)).decode()))
                for cell in row
            ]
            assert not [cell for cell in cells if cell[:1] in ("=", "+", "@", "\t", "\r")]
            write_table(run, what, tmp_path / f"{what}.csv", say=said.append)
            write_table(run, what, tmp_path / f"{what}.jsonl", say=said.append)
        assert NASTY in EXPORTS["answers"].table(run).column("item").to_pylist()
        decisions.exclude(run, me, "=1+1")
        assert b',"\'=1+1",' in FORMATS["csv"].as_bytes(EXPORTS["people"].table(run))
    assert len(said) == 2 and "answers.csv: " in said[0] and " 1 cell " in said[0]
