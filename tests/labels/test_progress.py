"""The progress bar: shown on a terminal only, and only for work that lasts."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from dissensus.labels.progress import ProgressBar


def shown(terminal: bool = True, **options) -> str:
    """What is written while three steps are done."""
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=terminal, width=90)
    with ProgressBar("[cells]", 3, console=console, **options) as bar:
        bar.show(1, now="loss 0.5")
        bar.advance()
        bar.advance()
        assert (bar.done, bar.total) == (3, 3)
    return screen.getvalue()


def test_a_terminal_shows_title_count_and_value():
    text = shown()
    assert "[cells]" in text and "3/3" in text


@pytest.mark.parametrize("options", [{"terminal": False}, {"quiet": True}, {"patience": 60.0}])
def test_nothing_is_written_without_a_terminal_or_if_quiet_or_for_short_work(options):
    assert shown(**options) == ""


def test_a_transfer_counts_bytes():
    assert "bytes" in shown(unit="bytes")


def test_the_total_and_the_title_may_be_known_later():
    with ProgressBar("training", quiet=True) as bar:
        bar.show(2, 8, title="epoch 1/4")
        assert (bar.done, bar.total, bar.title) == (2, 8, "epoch 1/4")
