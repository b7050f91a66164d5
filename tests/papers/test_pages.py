"""Pages are made from records alone: every claim is on them, and figures are drawn from the numbers of the record."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from dissensus.papers.figures import Figure, Series, describe_figure, figure_of
from dissensus.papers.headlines import format_measured, format_printed
from dissensus.papers.index import describe_papers, write_index
from dissensus.papers.pages import describe_claims, describe_reproduction, write_page
from dissensus.papers.paper import Part
from dissensus.papers.record import RECORD, read_record
from dissensus.papers.running import reproduce
from dissensus.report.colours import PEOPLE
from dissensus.report.document import Document, Section
from dissensus.report.document import Figure as Drawn
from dissensus.report.svg import as_file
from tests.facts import states
from tests.papers.tiny_paper import CLAIMS, FIGURES, counted, tiny_paper

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    part = Part(name="labels", work=counted(tmp_path / "calls"))
    reproduce(tiny_paper(part), "quick", tmp_path)
    made = read_record(tmp_path / RECORD)
    closer = made["claims"][0] | {"ours": "-0.1 | -0.2", "verdict": "differs", "reason": "few seeds\nand | few items"}
    return made | {"claims": [closer, *made["claims"][1:]]}


def tables(text: str) -> list[list[list[str]]]:
    """The Markdown tables of a page, as cells."""
    blocks = re.findall(r"(?:^\|.*\|\n?)+", text, flags=re.MULTILINE)
    return [[re.split(r"(?<!\\)\|", line)[1:-1] for line in block.strip().splitlines()] for block in blocks]


def drawn(figure: Figure) -> dict[str, ElementTree.Element]:
    """The charts of a figure by file name."""
    return {entry.file: ElementTree.fromstring(as_file(entry.drawing)) for entry in describe_figure(figure, "tiny")}


def sections(document: Document) -> dict[str, Section]:
    return {section.title: section for section in document.blocks() if isinstance(section, Section)}


def test_the_page_counts_the_conditions_that_each_model_fails_by_part(record):
    """One claim by a strong model; a second one of that part by the same model without control, and by another."""
    closer = record["claims"][0]

    def claim(others: list[dict[str, Any]], **weak: list[str]) -> dict[str, Any]:
        outcomes = [{"model": model, "epoch": "last", "weak": failed} for model, failed in weak.items()]
        return closer | {"judgement": {"outcomes": outcomes, "others": others}}

    second = claim([], heads=[], networks=["level", "power"])["judgement"]
    known = sections(describe_claims(record | {"claims": [claim([], heads=[]), claim([second], heads=["control"])]}))
    table = known["Which models are strong enough"].blocks[2]
    part = closer["source"].split(",")[0]
    assert [tuple(row.values()) for row in table.as_json()["rows"]] == [
        (part, "heads, last", 2, 0, 1, 0, 0),
        (part, "networks, last", 1, 1, 0, 1, 0),
    ]


def test_the_page_answers_first_and_has_the_main_claims_and_the_main_figure(record):
    document = describe_reproduction(record)
    assert document.answer == record["conclusion"]["short"]
    known = sections(document)
    table, figure = known["Main claims"].blocks
    (claim,) = table.as_json()["rows"]
    row = record["claims"][0]
    assert claim["claim"] == CLAIMS[0].claim and claim["verdict"] == "differs"
    assert claim["evidence (accuracy)"] == (row["evidence"] or "no model")
    assert isinstance(figure, Drawn) and figure.caption == FIGURES[0].title and states(figure.note, "Figure 1")
    assert known["What to do with it"].blocks[0].text == record["conclusion"]["practice"]
    assert known["Caution"].blocks[0].text == record["conclusion"]["caution"]
    left = sections(describe_reproduction(record | {"unfinished": ["heads", "labels"]}))
    assert states(left["Caution"].blocks[0].text, 2)


@pytest.mark.parametrize(
    ("judgement", "value", "expected"),
    [
        ({"effect": -0.2, "means": True}, (-0.18607, -0.1977, -0.1744), ("-0.2", "-0.186 ± 0.012")),
        ({"effect": -0.3243, "means": True, "relative": True}, (-0.4035, -0.546, -0.261), ("-32%", "-40% ± 14%")),
        ({"effect": 32.0}, (17.64, 15.39, 19.9), ("32", "17.6 ± 2.3")),
        ({"effect": 1797.0}, (1797.0, None, None), ("a 0.5, b 0.51", "ours")),
        (
            {"effect": 0.02, "margin": 0.01, "means": True},
            (0.001, -0.002, 0.004),
            ("a 0.5, b 0.51", "+0.0010 ± 0.0030"),
        ),
        ({"effect": -0.04, "margin": 0.01, "means": True}, (0.0, -0.1, 0.1), ("-0.04", "+0.00 ± 0.10")),
        ({"cells": {"one": True, "two": False}}, (0.1, 0.0, 0.2), ("a 0.5, b 0.51", "1 of 2")),
    ],
)
def test_a_main_claim_has_the_effect_in_the_paper_and_here(judgement, value, expected):
    """Differences are signed; a claim of no difference and a count have the printed numbers instead of an effect."""
    means = {"a": 0.5, "b": 0.51} if judgement.pop("means", False) else {}
    outcome = {"value": dict(zip(("value", "low", "high"), value, strict=True)), "means": means}
    outcome["cells"] = judgement.pop("cells", {})
    judgement = {"effect": None, "margin": None, "relative": False, "decided": 0, "outcomes": [outcome]} | judgement
    row = {"published": "a 0.5 ± 0.02, b 0.51 ± 0.1", "ours": "ours", "judgement": judgement}
    assert (format_printed(row), format_measured(row)) == expected
    assert format_measured(row | {"judgement": judgement | {"decided": None}}) == "not tested"
    assert (
        format_printed(row | {"published": "the curves of figure 4", "judgement": judgement | {"effect": None}})
        == "no number"
    )


def test_the_second_page_has_every_claim_the_sizes_and_the_origin(record):
    document = describe_claims(record, source="studies/papers/tiny.json")
    known = sections(document)
    rows = known["All claims"].blocks[0].as_json()["rows"]
    assert len(rows) == len(CLAIMS)
    for row, line in zip(record["claims"], rows, strict=True):
        assert line["paper"] == f"{row['published']} ({row['source']})"
        assert (line["claim"], line["here"], line["verdict"]) == (row["claim"], row["ours"], row["verdict"])
        assert (line["evidence"], line["reason"], line["other models"]) == (
            row["evidence"],
            row["reason"],
            row["others"],
        )
    assert dict(document.facts)["command"] == "dissensus reproduce tiny2026 --scale quick"
    assert states(document.answer, 3, 1)
    assert [row.cells for row in known["How this run differs from the paper"].blocks[0].lines] == [
        ("seeds", "1,000", "2")
    ]
    assert FIGURES[0].note in known["Figures"].blocks[0].text and FIGURES[1].title in known
    left = sections(describe_claims(record | {"unfinished": ["heads"]}))["How this run differs from the paper"]
    assert states(left.blocks[1].text, "heads")
    assert known["And sheep?"].blocks[0].text == "No."
    text, parts = known["Where these numbers come from"].blocks
    assert "studies/papers/tiny.json" in text.text
    assert parts.as_json()["rows"][0]["commit"] == record["parts"]["labels"]["commit"]


def test_bars_and_line_breaks_in_texts_do_not_break_tables(record, tmp_path):
    write_page(record, tmp_path / "tiny.md")
    text = (tmp_path / "tiny.md").read_text(encoding="utf-8")
    assert len(tables(text)) >= 2
    for table in tables(text):
        assert len({len(row) for row in table}) == 1, table
        assert set("".join(table[1])) <= set("-:")


def test_claims_may_have_a_page_of_their_own(record, tmp_path):
    write_page(record, tmp_path / "tiny.md", claims="tiny-claims.md")
    top, claims = ((tmp_path / name).read_text(encoding="utf-8") for name in ("tiny.md", "tiny-claims.md"))
    assert "](tiny-claims.md)" in top and "There are 1,797 digits" not in top and "There are 1,797 digits" in claims


def test_the_page_can_be_html_with_all_claims_and_figures(record, tmp_path):
    write_page(record, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and text.count("<svg") >= 3
    assert all(claim.key == "closer" or claim.published in text for claim in CLAIMS)
    assert not (tmp_path / "figures").exists()


def test_the_index_counts_the_claims_of_all_papers_and_links_their_pages(record, tmp_path):
    other = record | {"paper": "other2027", "claims": record["claims"][:1]}
    assert states(describe_papers([record, other]).answer, 4, 1)
    write_index([record, other], tmp_path / "index.md")
    text = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "](tiny2026.md)" in text and "](other2027.md)" in text and record["conclusion"]["short"] in text
    assert (tmp_path / "figures" / "other2027-verdicts.svg").exists()


def test_figures_are_written_beside_the_page_and_every_image_of_it_is_there(record, tmp_path):
    write_page(record, tmp_path / "docs" / "tiny.md")
    text = (tmp_path / "docs" / "tiny.md").read_text(encoding="utf-8")
    images = re.findall(r"\]\(([^)]+\.svg)\)", text)
    assert sorted(images) == [
        "figures/tiny2026-dots.svg",
        "figures/tiny2026-lines.svg",
        "figures/tiny2026-verdicts.svg",
    ]
    for image in images:
        chart = ElementTree.parse(tmp_path / "docs" / image).getroot()
        assert chart.tag == f"{SVG}svg" and chart.attrib["aria-label"]
        assert "nan" not in (tmp_path / "docs" / image).read_text(encoding="utf-8")


def test_lines_of_the_paper_are_in_the_same_plot_in_grey():
    chart = drawn(FIGURES[0])["tiny-lines"]
    curves = {line.attrib["data-of"]: line.attrib["stroke"] for line in chart.iter(f"{SVG}polyline")}
    assert set(curves) == {"soft", "hard", "soft, the paper"}
    assert curves["soft, the paper"] == PEOPLE and len(set(curves.values())) == 3


def test_dots_of_one_set_stand_together_and_the_papers_number_is_in_the_same_row_in_grey():
    chart = drawn(FIGURES[1])["tiny-dots"]
    texts = [text.text for text in chart.iter(f"{SVG}text")]
    names = [text for text in texts if text in ("one", "two", "soft", "hard")]
    assert names == ["one", "soft", "hard", "two", "soft"]
    marks = {line.attrib["stroke"] for line in chart.iter(f"{SVG}line") if line.get("data-of") == "soft, the paper"}
    assert marks == {PEOPLE}
    assert texts.count("0.300 (the paper 0.31)") == 1 and "0.200" in texts  # the paper has no number for two
    assert "soft: 0.300, from 0.200 to 0.400, the paper 0.31;" in chart.attrib["aria-label"]


def test_numbers_that_only_the_paper_has_are_rows_of_their_own_unless_they_face_a_single_one_of_ours():
    other = replace(FIGURES[1].published[0], name="networks", y=(0.31, 0.1))
    chart = drawn(replace(FIGURES[1], published=(other,)))["tiny-dots"]
    texts = [text.text for text in chart.iter(f"{SVG}text")]
    assert texts.count("networks, the paper") == 1, "of set one, for which we have two numbers"
    assert "0.200 (networks, the paper 0.1)" in texts


def test_large_numbers_are_not_written_to_the_thousandth():
    figure = replace(FIGURES[1], series=(Series("soft", ("one",), (78.51,)),), published=())
    (chart,) = describe_figure(figure, "tiny")
    assert "78.5" in chart.drawing and "78.510" not in chart.drawing


@pytest.mark.parametrize("kind", ["lines", "dots"])
def test_a_figure_without_a_number_is_not_drawn(record, kind):
    x: tuple[float | str, ...] = (1.0,) if kind == "lines" else ("one",)
    empty = Figure(
        key="x", title="X", source="figure 1", kind=kind, x_title="x", y_title="y", series=(Series("soft", x, (None,)),)
    )
    assert describe_figure(empty, "tiny") == []
    document = describe_reproduction(record | {"figures": [empty]})
    assert [block.file for block in document.blocks() if isinstance(block, Drawn)] == ["tiny2026-verdicts"]


def test_a_figure_has_its_numbers_in_a_table():
    (chart,) = describe_figure(FIGURES[1], "tiny")
    rows = [tuple(row.values()) for row in chart.table.as_json()["rows"]]
    assert rows[0] == ("soft", "one", 0.3, 0.2, 0.4) and ("hard", "one", 0.5, None, None) in rows
    assert ("soft (paper)", "one", 0.31, None, None) in rows


def test_figures_read_back_as_they_were():
    assert all(figure_of(figure.as_json()) == figure for figure in FIGURES)
