"""Pages are made from records alone: every claim is on them, and figures are drawn from the numbers of the record."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dissensus.papers.claims import VERDICTS, Finding
from dissensus.papers.figures import Figure, Series, describe_figure, figure_of
from dissensus.papers.pages import describe_reproduction, index_page, write_page
from dissensus.papers.paper import Part
from dissensus.papers.record import RECORD, read_record
from dissensus.papers.running import reproduce
from dissensus.papers.verdicts import cannot_test
from dissensus.report.colours import PEOPLE
from dissensus.report.document import Figure as Drawn
from dissensus.report.document import Section
from dissensus.report.svg import as_file
from tests.papers.tiny_paper import CLAIMS, FIGURES, counted, tiny_paper

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    judged = {
        "closer": Finding(
            ours="-0.1 | -0.2", verdict="differs", reason="few seeds\nand | few items", parts=("labels",)
        ),
        "items": Finding(ours="1,797", verdict="equal", parts=("labels",)),
        "brains": cannot_test("there is no scanner"),
    }
    paper = tiny_paper(Part(name="labels", work=counted(tmp_path / "calls")), findings=lambda results, scale: judged)
    reproduce(paper, "quick", tmp_path)
    return read_record(tmp_path / RECORD)


def tables(text: str) -> list[list[list[str]]]:
    """The Markdown tables of a page, as cells."""
    blocks = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line)[1:-1] for line in block.strip().splitlines()] for block in blocks]


def drawn(figure: Figure) -> dict[str, ElementTree.Element]:
    """The charts of a figure by file name."""
    return {entry.file: ElementTree.fromstring(as_file(entry.drawing)) for entry in describe_figure(figure, "tiny")}


def test_every_claim_is_on_the_page_with_its_finding(record):
    (section,) = [section for section in describe_reproduction(record).sections if section.title == "Claims"]
    rows = section.blocks[0].as_json()["rows"]
    assert len(rows) == len(CLAIMS)
    for row, line, cells in zip(record["claims"], rows, section.blocks[0].lines, strict=True):
        assert line["claim"] == f"{row['claim']} ({row['source']})"
        assert (line["published"], line["here"], line["verdict"]) == (row["published"], row["ours"], row["verdict"])
        assert cells.cells[2].note == row["reason"]


def test_bars_and_line_breaks_in_texts_do_not_break_tables(record, tmp_path):
    write_page(record, tmp_path / "tiny.md")
    for text in ((tmp_path / "tiny.md").read_text(encoding="utf-8"), index_page([record, record])):
        assert len(tables(text)) >= 2
        for table in tables(text):
            assert len({len(row) for row in table}) == 1, table
            assert set("".join(table[1])) <= set("-:")


def test_the_page_says_command_sizes_answers_and_where_numbers_come_from(record):
    document = describe_reproduction(record, source="studies/papers/tiny.json")
    facts = dict(document.facts)
    assert facts["command"] == "dissensus reproduce tiny2026 --scale quick"
    assert [facts[verdict] for verdict in VERDICTS] == [1, 0, 1, 1]
    assert {"3", "1"} <= set(re.findall(r"\d+", document.answer))
    sections = {section.title: section for section in document.blocks() if isinstance(section, Section)}
    assert [row.cells for row in sections["How this run differs from the paper"].blocks[0].lines] == [
        ("seeds", "1,000", "2")
    ]
    assert sections["And sheep?"].blocks[0].text.startswith("No.")
    text, parts = sections["Where these numbers come from"].blocks
    assert "studies/papers/tiny.json" in text.text
    assert parts.as_json()["rows"][0]["commit"] == record["parts"]["labels"]["commit"]


def test_the_page_can_be_html_with_all_claims_and_figures(record, tmp_path):
    write_page(record, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and text.count("<svg") >= 3
    assert all(claim.key == "closer" or claim.published in text for claim in CLAIMS)
    assert not (tmp_path / "figures").exists()


def test_the_index_has_all_claims_of_all_papers_and_counts_them(record):
    other = record | {"paper": "other2027", "claims": record["claims"][:1]}
    counts, claims = tables(index_page([record, other]))
    assert [cell.strip() for cell in counts[0]][4:] == list(VERDICTS)
    assert [cell.strip() for cell in counts[2]][2:] == ["quick", "3", "1", "0", "1", "1"]
    assert [cell.strip() for cell in counts[3]][2:] == ["quick", "1", "0", "0", "1", "0"]
    assert len(claims) - 2 == 4
    assert sum("other2027.md" in row[0] for row in claims[2:]) == 1


def test_figures_are_written_beside_the_page_and_every_image_of_it_is_there(record, tmp_path):
    write_page(record, tmp_path / "docs" / "tiny.md")
    text = (tmp_path / "docs" / "tiny.md").read_text(encoding="utf-8")
    images = re.findall(r"\]\(([^)]+\.svg)\)", text)
    assert sorted(images) == [
        "figures/tiny2026-dots.svg",
        "figures/tiny2026-lines-published.svg",
        "figures/tiny2026-lines.svg",
    ]
    for image in images:
        chart = ElementTree.parse(tmp_path / "docs" / image).getroot()
        assert chart.tag == f"{SVG}svg" and chart.attrib["aria-label"]
        assert "nan" not in (tmp_path / "docs" / image).read_text(encoding="utf-8")


def test_lines_of_the_paper_stand_beside_ours_on_the_same_axes_in_the_same_colours():
    here, theirs = (drawn(FIGURES[0])[file] for file in ("tiny-lines", "tiny-lines-published"))

    def curves(chart: ElementTree.Element) -> dict[str, str]:
        return {line.attrib["data-of"]: line.attrib["stroke"] for line in chart.iter(f"{SVG}polyline")}

    def ticks(chart: ElementTree.Element) -> list[str]:
        return [text.text or "" for text in chart.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+", text.text or "")]

    assert set(curves(here)) == {"soft", "hard"} and set(curves(theirs)) == {"soft"}
    assert curves(here)["soft"] == curves(theirs)["soft"] != curves(here)["hard"]
    assert ticks(here) == ticks(theirs) != []
    only_hard = replace(FIGURES[0], published=(Series("hard", (1.0, 2.0), (0.7, 0.6)),))
    assert curves(drawn(only_hard)["tiny-lines-published"])["hard"] == curves(here)["hard"]


def test_dots_of_one_set_stand_together_ours_first_and_the_paper_in_grey():
    chart = drawn(FIGURES[1])["tiny-dots"]
    texts = [text.text for text in chart.iter(f"{SVG}text")]
    names = [text for text in texts if text in ("one", "two", "soft", "hard", "soft, the paper")]
    assert names == ["one", "soft", "hard", "soft, the paper", "two", "soft"]  # the paper has no number for two
    marks = {line.attrib["stroke"] for line in chart.iter(f"{SVG}line") if line.get("data-of") == "soft, the paper"}
    assert marks == {PEOPLE}
    assert "0.310" in texts


def test_large_numbers_are_not_written_to_the_thousandth():
    figure = replace(FIGURES[1], series=(Series("soft", ("one",), (78.51,)),), published=())
    (chart,) = describe_figure(figure, "tiny")
    assert "78.5" in chart.drawing and "78.510" not in chart.drawing


@pytest.mark.parametrize("kind", ["lines", "dots"])
def test_a_figure_without_a_number_is_not_drawn(record, tmp_path, kind):
    x: tuple[float | str, ...] = (1.0,) if kind == "lines" else ("one",)
    empty = Figure(
        key="x", title="X", source="figure 1", kind=kind, x_title="x", y_title="y", series=(Series("soft", x, (None,)),)
    )
    assert describe_figure(empty, "tiny") == []
    document = describe_reproduction(record | {"figures": [empty]})
    assert not any(isinstance(block, Drawn) for block in document.blocks())
    write_page(record | {"figures": [empty]}, tmp_path / "empty.md")
    assert not (tmp_path / "figures").exists()


def test_a_figure_has_its_numbers_in_a_table():
    (chart,) = describe_figure(FIGURES[1], "tiny")
    rows = [tuple(row.values()) for row in chart.table.as_json()["rows"]]
    assert rows[0] == ("soft", "one", 0.3, 0.2, 0.4) and ("hard", "one", 0.5, None, None) in rows
    assert ("soft (paper)", "one", 0.31, None, None) in rows


def test_figures_read_back_as_they_were():
    assert all(figure_of(figure.as_json()) == figure for figure in FIGURES)
