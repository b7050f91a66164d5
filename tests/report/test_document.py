"""A document in every renderer: values, not markup, so what holds for one document holds for all of them."""

from __future__ import annotations

import json
import math
import pickle
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.labels.intervals import Interval
from dissensus.report.cells import format_cell
from dissensus.report.document import Card, Cards, Cell, Column, Document, Drawing, Figure, Row, Section, Table, Text
from dissensus.report.html import html_card, html_page
from dissensus.report.latex import escape_latex, latex_tables
from dissensus.report.markdown import escape_markdown, markdown_page
from dissensus.report.svg import bars
from dissensus.report.terminal import print_document
from tests.facts import refuses

WORDS = st.text("abcXYZ <>&\"'{}|*_$%#\\~^[]é", min_size=1, max_size=12).map(lambda text: f"w{text}w")
NUMBERS = st.floats(-1e4, 1e4) | st.just(math.nan) | st.integers(-(10**6), 10**6)
INTERVALS = st.builds(
    lambda value, low, high: Interval(value, value - low, value + high, 0.1, 0.95),
    st.floats(-100, 100),
    st.floats(0, 9),
    st.floats(0, 9),
)
CELLS = WORDS | NUMBERS | INTERVALS | st.none()


@st.composite
def tables(draw) -> Table:
    columns = [Column(title) for title in draw(st.lists(WORDS, min_size=2, max_size=4, unique=True))]
    rows = draw(st.lists(st.tuples(*[CELLS] * len(columns)), min_size=1, max_size=15))
    return Table(columns, rows, caption=draw(WORDS), note=draw(WORDS), shown=draw(st.sampled_from([1, 3, 10])))


def document_of(table: Table, text: str) -> Document:
    blocks = [Text(text), Text(text, "remark"), Text(text, "list"), Text(text, "code"), table]
    return Document(text, text, [(text, 3), ("p", Interval(0.5, 0.4, 0.6, 0.1, 0.95))], [Section(text, blocks, 2)])


def parse(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.removeprefix("<!doctype html>"))


def text_of(node: ElementTree.Element) -> str:
    return " ".join("".join(node.itertext()).split())


def plain(text: str) -> str:
    return " ".join(text.split())


@given(tables(), WORDS)
def test_a_page_is_well_formed_and_shows_every_cell_as_text(table, text):
    root = parse(html_page(document_of(table, text)))
    rows = root.findall(".//tbody/tr")
    assert len(rows) == len(table.lines)
    for row, drawn in zip(table.lines, rows, strict=True):
        for column, cell, td in zip(table.heads, row.cells, drawn, strict=True):
            shown = format_cell(cell, column.format).replace(" [", " ").replace(", ", " to ").rstrip("]")
            assert text_of(td) == (plain(shown) if isinstance(cell, Interval) else plain(format_cell(cell)))
    assert text_of(root.find(".//h1")) == plain(text) == text_of(root.find(".//div[@class='answer']"))


@given(tables(), WORDS)
def test_the_terminal_shows_every_cell(table, text):
    import contextlib
    import io

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print_document(document_of(table, text))
    lines = printed.getvalue()
    for row in table.lines:
        for column, cell in zip(table.heads, row.cells, strict=True):
            assert format_cell(cell, column.format).rstrip() in lines


@given(tables(), WORDS)
def test_markdown_and_latex_show_every_cell_escaped(table, text):
    document = document_of(table, text)
    markdown, latex = markdown_page(document), latex_tables(document)
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}") == 1
    for row in table.lines:
        for column, cell in zip(table.heads, row.cells, strict=True):
            assert escape_markdown(format_cell(cell, column.format)) in markdown
            number = cell.value if isinstance(cell, Interval) else cell
            assert escape_latex(format_cell(number, column.format)) in latex.replace("$-", "-")
    rows = [line for line in markdown.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {len(table.heads) + 1}


@given(tables(), WORDS)
def test_json_keeps_the_numbers_themselves(table, text):
    section = json.loads(json.dumps(document_of(table, text).as_json()))["sections"][0]
    stored = section["blocks"][-1]["rows"]
    for row, record in zip(table.lines, stored, strict=True):
        for column, cell in zip(table.heads, row.cells, strict=True):
            kept = record[column.key]
            if isinstance(cell, Interval):
                assert kept == {"value": cell.value, "low": cell.low, "high": cell.high}
            elif isinstance(cell, float) and math.isnan(cell):
                assert kept is None
            else:
                assert kept == cell


def test_numbers_are_written_for_people():
    cells = (
        0.12345,
        math.nan,
        math.inf,
        None,
        12345,
        np.int64(12345),
        True,
        ("one", "two"),
        Drawing("<svg/>", "a dot"),
    )
    assert [format_cell(cell) for cell in cells] == (
        ["0.123", "–", "∞", "", "12,345", "12,345", "yes", "one / two", "a dot"]
    )
    assert format_cell(0.5, ".1%") == "50.0%" and format_cell(Cell(0.5, format=".0%"), ".3f") == "50%"
    assert (format_cell(9.7e-25, "p"), format_cell(0.0312, "p")) == ("< 0.001", "0.031")


def test_columns_of_numbers_are_known_by_their_cells():
    rows = [Row(("part one",), "group"), ("a", 1, np.float64(0.5), None, "7"), ("b", np.int64(2), math.nan, None, "8")]
    table = Table([Column(title) for title in "abcde"[:4]] + [Column("e", number=True)], rows)
    assert [table.is_number(place) for place in range(5)] == [False, True, True, False, True]


def test_a_row_needs_a_cell_for_every_column():
    with refuses("row 1", "2 cells", "expected 3"):
        Table(["a", "b", "c"], [(1, 2, 3), (1, 2)])


def test_a_document_needs_an_answer():
    with refuses("'Votes'", "no answer"):
        Document("Votes", " ")


@pytest.mark.parametrize(("rows", "hidden"), [(12, 0), (13, 3), (57, 47)])
def test_long_tables_show_ten_rows_and_the_others_on_request(rows, hidden):
    table = Table(["item", "n"], [(f"item {i}", i) for i in range(rows)])
    root = parse(html_page(Document("t", "a", sections=[Section("Items", [table])])))
    assert len(root.findall(".//tr[@class='rest']")) == hidden and len(root.findall(".//tbody/tr")) == rows
    spans = [span.text for span in root.findall(".//details/summary/span")]
    assert spans == ([f"Show all {rows} rows", "Show the first 10"] if hidden else [])


def test_tables_are_regions_that_the_keyboard_reaches_and_drawings_stack():
    table = Table(["item", "said"], [("x", Drawing("<svg/>", "cat 70%"))])
    plain_table = Table(["item", "n"], [("x", 1)], caption="Counts")
    root = parse(html_page(Document("t", "a", sections=[Section("Disputed", [table, plain_table])])))
    regions = root.findall(".//div[@role='region']")
    assert [region.get("aria-label") for region in regions] == ["Disputed", "Counts"]
    assert all(region.get("tabindex") == "0" for region in regions)
    first, second = (region.find("table") for region in regions)
    assert first.get("class") == "stack" and first.get("role") == "table" and second.get("class") is None
    assert [cell.get("data-title") for cell in first.findall(".//td")] == ["item", "said"]
    assert {cell.get("role") for cell in first.iter("td")} == {"cell"}


@pytest.mark.parametrize(
    ("columns", "wraps", "stacked"),
    [(4, False, False), (5, False, False), (4, True, False), (5, True, True), (7, False, True)],
)
def test_tables_too_wide_for_a_phone_stack_their_cells(columns, wraps, stacked):
    table = Table([Column(f"c{i}", wraps=wraps) for i in range(columns)], [[""] + ["text"] * (columns - 1)])
    root = parse(html_page(Document("t", "a", sections=[Section("Claims", [table])])))
    drawn = root.find(".//table")
    assert ("pairs" in (drawn.get("class") or "").split()) == stacked == (drawn.get("role") == "table")
    empty, *others = drawn.findall(".//td")
    assert not len(empty) and not empty.text, "an empty cell is empty, so that no title is shown before it"
    assert [cell.get("data-title") for cell in others] == [f"c{i}" if stacked else None for i in range(1, columns)]


def test_a_long_section_is_open_without_scripts_and_a_folded_one_is_not():
    sections = [Section("Maps", [Text("map")], long=True), Section("Settings", [Text("seed")], folded=True)]
    page = html_page(Document("t", "a", sections=sections))
    long, folded = parse(page).findall(".//section/details")
    assert long.get("open") is not None and folded.get("open") is None
    assert [part.find("summary/h2").get("id") for part in (long, folded)] == ["maps", "settings"]
    assert "<script>" in page and "<script>" not in html_page(Document("t", "a", sections=sections[1:]))


def test_a_caption_that_repeats_its_heading_is_left_out():
    drawing = bars([("cat", 0.7)], "share")
    figures = [Figure("Shares", drawing, note="of answers"), Figure("Counts", drawing), Figure("Shares", drawing)]
    root = parse(html_page(Document("t", "a", sections=[Section("Shares", figures)])))
    captions = [figure.find("figcaption") for figure in root.iter("figure")]
    assert [None if caption is None else text_of(caption) for caption in captions] == ["of answers", "Counts", None]


def test_a_fact_has_its_note_in_small_print_on_a_page_only():
    document = Document("t", "a", [("mean entropy", Cell("0.3 ± 0.2", note="± standard deviation"))])
    root = parse(html_page(document))
    assert text_of(root.find(".//dd/small")) == "± standard deviation"
    assert document.as_json()["facts"] == {"mean entropy": "0.3 ± 0.2"}


def test_names_have_their_colour_in_titles_and_cells_and_the_best_is_stressed():
    columns = [Column("model", coloured=True), Column("soft", coloured=True)]
    table = Table(columns, [("soft", Cell(0.5, best=True, note="of 3")), Row(("hard", 0.4), "aside")])
    root = parse(html_page(Document("t", "a", sections=[Section("", [table])], colours={"soft": "red"})))
    assert [mark.get("data-of") for mark in root.findall(".//span[@class='swatch']")] == ["soft", "soft"]
    best = root.find(".//td[@class='n best']")
    assert text_of(best) == "0.500of 3" and root.find(".//tr[@class='aside']") is not None


def test_an_item_that_is_called_like_a_class_does_not_get_the_colour_of_the_class():
    table = Table([Column("item"), Column("class", coloured=True)], [("1", "1"), ("2", "1")])
    document = Document("t", "a", [("classes", "1")], [Section("", [table])], colours={"1": "red"})
    rows = parse(html_page(document)).findall(".//tbody/tr")
    assert [[cell.find("span[@class='swatch']") is not None for cell in row] for row in rows] == [[False, True]] * 2
    assert html_page(document).count('class="swatch"') == 2


def test_a_figure_has_its_numbers_and_a_name_for_files_and_the_page_its_script():
    table = Table(["class", "share"], [(f"c{i}", i / 20) for i in range(20)])
    figure = Figure("Share & class", bars([("a<b", 0.5)], "share"), table, note="in percent")
    root = parse(html_page(Document("t", "a", sections=[Section("S", [figure], folded=True)])))
    drawn = root.find(".//section/details/figure")
    assert drawn.get("data-file") == "share-class" and drawn.find("figcaption").text == "Share & class"
    assert drawn.find("figcaption/small").text == "in percent" and len(drawn.findall("details//tbody/tr")) == 20
    assert root.find(".//script") is not None and drawn.find(".//tr[@class='rest']") is None
    text = markdown_page(Document("t", "a", sections=[Section("S", [figure])]), figures="figures")
    assert f"![{figure.caption}](figures/share-class.svg)\n\n{figure.caption}. {figure.note}" in text


def test_long_pages_link_to_their_sections_by_anchors_of_their_own():
    sections = [Section(title, [Text("x")]) for title in ("One", "Two", "Two", "", "Four!", "Five")]
    root = parse(html_page(Document("t", "a", sections=sections)))
    links = [link.get("href") for link in root.findall(".//nav//a")]
    assert links == ["#one", "#two", "#two-2", "#four", "#five"]
    assert [f"#{heading.get('id')}" for heading in root.findall(".//h2")] == links
    assert parse(html_page(Document("t", "a", sections=sections[:4]))).find(".//nav") is None


def test_details_are_left_to_pages_and_cards_and_figures_are_printed_as_their_numbers(capsys):
    counts = Table(["bin", Column("items", "bar")], [("0-0.5", 4), ("0.5-1", 2)])
    sections = [
        Section("Entropy", [Figure("by entropy", "<svg/>", counts)]),
        Section("Numbers", [Cards([Card("accuracy", 0.5, "at best 0.9", format=".0%")])]),
        Section("More", [Text("only on a page")], detail=True),
    ]
    document = Document("t", "a", sections=sections)
    print_document(document)
    printed = capsys.readouterr().out
    assert "only on a page" not in printed and "accuracy  50%  at best 0.9" in printed
    drawn = [line.split() for line in printed.splitlines() if "█" in line]
    assert [(line[0], len(line[1]), line[2]) for line in drawn] == [("0-0.5", 40, "4"), ("0.5-1", 20, "2")]
    print_document(document, details=True)
    assert "only on a page" in capsys.readouterr().out


def test_intervals_in_latex_are_half_widths_where_both_ends_are_equally_far():
    even, skew = Interval(0.5, 0.4, 0.6, 0.1, 0.95), Interval(0.5, 0.4, 0.8, 0.1, 0.95)
    table = Table(["a", "b"], [(even, Cell(skew, best=True))], "Scores")
    made = latex_tables(Document("t", "a", sections=[Section("S", [table]), Section("D", [table], detail=True)]))
    assert r"0.500 {\scriptsize $\pm$ 0.100} & \textbf{0.500} {\scriptsize (0.400 to 0.800)}" in made
    assert made.count(r"\begin{table}") == 1 and r"\label{tab:scores}" in made


def test_a_card_of_a_notebook_brings_its_style_and_no_page():
    made = html_card(Document("Votes", "70% agree.", [("items", 200)]))
    root = ElementTree.fromstring(made)
    assert (
        root.get("class") == "dissensus" and root.find("style") is not None and text_of(root.find("dl")) == "items200"
    )


def test_a_blank_line_in_a_name_does_not_end_a_caption_or_a_cell_in_latex():
    table = Table(["item", "share"], [("first\n\nsecond", 0.5)], "Items of\n\na")
    made = latex_tables(Document("T", "A.", sections=[Section("", [table])]))
    assert "\n\n" not in made and "first second & 0.500" in made and "Items of a." in made


def test_a_document_can_be_sent_to_another_process():
    document = Document("T", "A.", [("items", 3)], [Section("", [Table(["a"], [(0.5,)])])])
    assert pickle.loads(pickle.dumps(document)) == document


def test_cells_of_numpy_types_are_written_as_those_of_python():
    numbers = (np.float32(0.5), np.float64(0.5), np.int64(3000), np.bool_(True), np.float32("nan"), 10**400)
    assert [format_cell(number)[:5] for number in numbers] == ["0.500", "0.500", "3,000", "yes", "–", "10,00"]
