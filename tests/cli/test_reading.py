"""The settings of reading are declared once: parameters, options and pages are made from `Reading`."""

from __future__ import annotations

import inspect
from pathlib import Path

from dissensus.cli.reading import DEFAULTS, FORMS, OPTIONS, SETTINGS
from dissensus.files.read_labels import read
from dissensus.files.tables.columns import Reading
from dissensus.labels.settings import describe_setting, parameter_rows, settings_of

PAGE = Path(__file__).parent.parent.parent / "docs" / "cli.md"


def test_read_has_every_setting_with_its_default_and_its_help():
    own = [each for name, each in inspect.signature(read).parameters.items() if name not in ("source", "say")]
    assert {each.name: each.default for each in own} == {each.name: each.default for each in settings_of(Reading)}
    assert parameter_rows(Reading) in read.__doc__


def test_the_command_line_has_every_setting_but_the_names_of_items():
    assert set(OPTIONS) == set(DEFAULTS) == {each.name for each in settings_of(Reading)} - {"items"}


def test_the_page_of_the_command_line_has_a_row_for_every_option():
    rows = [
        f"| `--{name}` | {'; '.join(filter(None, (describe_setting(each), FORMS.get(name))))} |"
        for name, each in SETTINGS.items()
    ]
    assert "\n".join(rows) + "\n\n" in PAGE.read_text(encoding="utf-8")
