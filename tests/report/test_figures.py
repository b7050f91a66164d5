"""Figures with their numbers; how they are saved is tried in a browser, in tests/study/test_report.py."""

from __future__ import annotations

from xml.etree import ElementTree

from dissensus.report.figures import figure
from dissensus.report.saving import saving_script
from dissensus.report.tables import Column


def test_a_figure_has_its_caption_its_table_and_a_plain_name_for_files():
    made = figure("a < b", "<svg/>", [Column("x"), Column("y")], [("1", "<2>")], name="Études: a < b!", note="n & m")
    root = ElementTree.fromstring(made)
    assert root.get("data-file") == "tudes-a-b" and root.find("figcaption").text == "a < b"
    assert root.find("figcaption/small").text == "n & m" and root.find("details//td[2]").text == "<2>"


def test_what_is_saved_needs_no_style_from_the_page():
    script = saving_script()
    assert "var(--" not in script and ".dissensus" not in script and ElementTree.fromstring(script).tag == "script"
