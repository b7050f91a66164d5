"""Pages are made from records alone: every claim is on them, and figures are drawn from the numbers of the record."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dissensus.papers.claims import VERDICTS, Finding
from dissensus.papers.figures import Figure, Series, drawings, figure_of
from dissensus.papers.pages import index, page, write_page
from dissensus.papers.paper import Part
from dissensus.papers.record import RECORD, read_record
from dissensus.papers.running import reproduce
from dissensus.papers.verdicts import untested
from dissensus.report.colours import PEOPLE
from tests.papers.tiny_paper import CLAIMS, FIGURES, counted, tiny_paper

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    judged = {
        "closer": Finding(
            ours="-0.1 | -0.2", verdict="differs", reason="few seeds\nand | few items", parts=("labels",)
        ),
        "items": Finding(ours="1,797", verdict="equal", parts=("labels",)),
        "brains": untested("there is no scanner"),
    }
    paper = tiny_paper(Part(name="labels", work=counted(tmp_path / "calls")), findings=lambda results, scale: judged)
    reproduce(paper, "quick", tmp_path)
    return read_record(tmp_path / RECORD)


def tables(text: str) -> list[list[list[str]]]:
    """The Markdown tables of a page, as cells."""
    blocks = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line)[1:-1] for line in block.strip().splitlines()] for block in blocks]


def test_every_claim_is_on_the_page_with_all_that_was_said_about_it(record):
    text = page(record)
    rows = next(table for table in tables(text) if table[0][0].strip() == "claim")[2:]
    assert len(rows) == len(CLAIMS)
    for row, cells in zip(record["claims"], rows, strict=True):
        shown = " ".join(" | ".join(cells).replace("\\|", "|").split())
        for key in ("claim", "source", "published", "ours", "reason"):
            assert " ".join(row[key].split()) in shown
        assert f"**{row['verdict']}**" in shown


def test_bars_and_line_breaks_in_texts_do_not_break_tables(record):
    for text in (page(record), index([record, record])):
        for table in tables(text):
            assert len({len(row) for row in table}) == 1, table
            assert set(map(str.strip, table[1])) == {"---"}


def test_the_page_says_command_sizes_answers_and_where_numbers_come_from(record):
    text = page(record, source="studies/papers/tiny.json")
    assert "$ dissensus reproduce tiny2026 --scale quick" in text
    assert "| seeds | 1,000 | 2 |" in text
    assert "of 3 claims: 1 equal, 1 differs, 1 cannot be tested here" in text
    assert "### And sheep?\n\nNo." in text
    assert "studies/papers/tiny.json" in text and record["parts"]["labels"]["commit"] in text


def test_the_index_has_all_claims_of_all_papers_and_counts_them(record):
    other = record | {"paper": "other2027", "claims": record["claims"][:1]}
    counts, claims = tables(index([record, other]))
    assert [cell.strip() for cell in counts[0]][3:] == list(VERDICTS)
    assert [cell.strip() for cell in counts[2]][1:] == ["quick", "3", "1", "0", "1", "1"]
    assert [cell.strip() for cell in counts[3]][1:] == ["quick", "1", "0", "0", "1", "0"]
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
        drawn = ElementTree.parse(tmp_path / "docs" / image).getroot()
        assert drawn.tag == f"{SVG}svg" and drawn.attrib["aria-label"]
        assert "nan" not in (tmp_path / "docs" / image).read_text(encoding="utf-8")


def test_lines_of_the_paper_stand_beside_ours_on_the_same_axes_in_the_same_colours():
    here, theirs = (ElementTree.fromstring(drawings(FIGURES[0])[side]) for side in ("here", "published"))

    def curves(drawn: ElementTree.Element) -> dict[str, str]:
        return {line.attrib["data-of"]: line.attrib["stroke"] for line in drawn.iter(f"{SVG}polyline")}

    def ticks(drawn: ElementTree.Element) -> list[str]:
        return [text.text or "" for text in drawn.iter(f"{SVG}text") if re.fullmatch(r"[\d.]+", text.text or "")]

    assert set(curves(here)) == {"soft", "hard"} and set(curves(theirs)) == {"soft"}
    assert curves(here)["soft"] == curves(theirs)["soft"] != curves(here)["hard"]
    assert ticks(here) == ticks(theirs) != []
    only_hard = replace(FIGURES[0], published=(Series("hard", (1.0, 2.0), (0.7, 0.6)),))
    assert curves(ElementTree.fromstring(drawings(only_hard)["published"]))["hard"] == curves(here)["hard"]


def test_dots_of_one_set_stand_together_ours_first_and_the_paper_in_grey():
    drawn = ElementTree.fromstring(drawings(FIGURES[1])["here"])
    texts = [text.text for text in drawn.iter(f"{SVG}text")]
    names = [text for text in texts if text in ("one", "two", "soft", "hard", "soft, the paper")]
    assert names == ["one", "soft", "hard", "soft, the paper", "two", "soft"]  # the paper has no number for two
    marks = {line.attrib["stroke"] for line in drawn.iter(f"{SVG}line") if line.get("data-of") == "soft, the paper"}
    assert marks == {PEOPLE}
    assert "0.310" in texts


def test_large_numbers_are_not_written_to_the_thousandth():
    figure = replace(FIGURES[1], series=(Series("soft", ("one",), (78.51,)),), published=())
    assert "78.5" in drawings(figure)["here"] and "78.510" not in drawings(figure)["here"]


@pytest.mark.parametrize("kind", ["lines", "dots"])
def test_a_figure_without_a_number_is_said_to_have_none(record, tmp_path, kind):
    x: tuple[float | str, ...] = (1.0,) if kind == "lines" else ("one",)
    empty = Figure(
        key="x", title="X", source="figure 1", kind=kind, x_title="x", y_title="y", series=(Series("soft", x, (None,)),)
    )
    assert drawings(empty) == {}
    write_page(record | {"figures": [empty]}, tmp_path / "empty.md")
    assert "Nothing to draw" in (tmp_path / "empty.md").read_text(encoding="utf-8")


def test_figures_read_back_as_they_were():
    assert all(figure_of(figure.as_json()) == figure for figure in FIGURES)
