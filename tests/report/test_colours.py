"""Colours stand in one place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dissensus
from dissensus.report import colours
from dissensus.report.colours import (
    DASHBOARD,
    NIGHT,
    REPORT,
    REPORT_NIGHT,
    SURVEY,
    blend,
    class_colours,
    contrast,
    custom_properties,
    model_colours,
)

PACKAGE = Path(dissensus.__file__).parent
STATIC = PACKAGE / "elicit" / "pages" / "static"
HEX = re.compile(r"(?<!&)#[0-9a-fA-F]{3,8}\b")


@pytest.mark.parametrize(("sheet", "expected"), [("elicit.css", SURVEY), ("dashboard.css", DASHBOARD)])
def test_style_sheets_of_the_web_app_repeat_the_colours_of_day_and_night(sheet, expected):
    text = (STATIC / sheet).read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", text, flags=re.DOTALL)
    assert len(blocks) == 2, "the colours of the day, then those of the night"
    for when, block in enumerate(blocks):
        stated = dict(re.findall(r"--([\w-]+): (#[0-9a-f]+)", block))
        assert stated == {name: pair[when] for name, pair in expected.items()}
    assert not HEX.search(re.sub(r":root \{.*?\}", "", text, flags=re.DOTALL)), "elsewhere it says var(--…)"


def test_no_colour_is_written_anywhere_else():
    sheets = {STATIC / "elicit.css", STATIC / "dashboard.css", STATIC / "icon.svg", Path(colours.__file__)}
    for path in PACKAGE.rglob("*"):
        if path.suffix in {".py", ".js", ".css", ".html", ".svg"} and path not in sheets:
            written = HEX.findall(path.read_text(encoding="utf-8"))
            assert not written, f"{path.relative_to(PACKAGE)} writes {written}; take them from report/colours.py"


def test_the_icon_has_colours_of_the_pages():
    used = set(HEX.findall((STATIC / "icon.svg").read_text(encoding="utf-8")))
    assert used <= {colours.BLUE, colours.PAPER, colours.SHADES[3], SURVEY["second"][1]}


def test_every_property_that_a_report_uses_is_defined():
    for path in PACKAGE.rglob("*.py"):
        used = set(re.findall(r"var\(--([\w-]+)\)", path.read_text(encoding="utf-8")))
        assert used <= set(REPORT), path
    assert custom_properties({"ink": "#123456", "paper": "#fff"}) == "--ink:#123456;--paper:#fff;"


def test_blending_goes_from_one_colour_to_the_other():
    assert blend("#fff", "#1f5fa8", 0) == "#ffffff" and blend("#fff", "#1f5fa8", 1) == "#1f5fa8"
    assert blend("#000000", "#ff8000", 0.5) == "#804000"


def test_colours_of_classes_carry_white_text_and_those_of_models_stand_out():
    """WCAG 2.2, 1.4.3 and 1.4.11: 4.5:1 for text, 3:1 for graphics. Black on white is 21:1."""
    assert contrast("#000", "#fff") == pytest.approx(21) and contrast("#777", "#fff") == pytest.approx(4.48, abs=0.01)
    assert min(contrast(colour, colours.PAPER) for colour in colours.CLASSES) >= 4.5
    assert min(contrast(colour, colours.PAPER) for colour in (*colours.MODELS, colours.PEOPLE)) >= 3
    assert len(set(colours.CLASSES)) == len(colours.CLASSES) and colours.PEOPLE not in colours.MODELS


@pytest.mark.parametrize("palette", [REPORT, REPORT_NIGHT], ids=["day", "night"])
def test_text_and_lines_of_reports_stand_out_by_day_and_by_night(palette):
    """WCAG 2.2: 4.5:1 for text on all that lies behind it, 3:1 for a line that carries meaning."""
    for ink in ("ink", "quiet", "accent"):
        assert min(contrast(palette[ink], palette[behind]) for behind in ("paper", "sheet", "tint")) >= 4.5, ink
    assert contrast(palette["second"], palette["paper"]) >= 3 and contrast(palette["on-map"], palette["map"]) >= 4.5
    assert contrast(palette["axis"], palette["paper"]) >= 2.9 and set(palette) == set(REPORT)


def test_colours_of_data_have_one_for_the_night_that_stands_out_and_stays_apart():
    drawn = {*colours.LINES, *colours.MODELS, colours.PEOPLE, *colours.CLASSES, *colours.SHADES, colours.REST}
    assert drawn == NIGHT.keys() and len(set(NIGHT.values())) == len(NIGHT)
    paper, ink = REPORT_NIGHT["paper"], REPORT_NIGHT["ink"]
    assert min(contrast(NIGHT[colour], paper) for colour in (*colours.CLASSES, *colours.LINES)) >= 4.5, "text and marks"
    for day, night in NIGHT.items():  # text on a bar is of the paper's colour by night where it is so by day
        on_paper = contrast(day, colours.PAPER) > contrast(day, colours.INK)
        assert contrast(night, paper if on_paper else ink) >= 4.5, day
    by_rank = [NIGHT[shade] for shade in colours.SHADES]
    apart = [contrast(shade, paper) for shade in by_rank]
    assert apart == sorted(apart, reverse=True), "the first is furthest from the paper, as by day"


def test_one_colour_for_each_model_and_class():
    models = model_colours("abcde")
    assert len(set(models.values())) == 6 and models["people"] == colours.PEOPLE
    named_so = model_colours(["people", "soft"])
    assert named_so["people"] == colours.MODELS[0] and named_so["real people"] == colours.PEOPLE
    assert list(class_colours(["x", "y"]).values()) == list(colours.CLASSES[:2])
