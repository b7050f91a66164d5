"""Receivers of notices, for tests of functions that report what they do."""

from __future__ import annotations


def quiet(notice: str) -> None:
    """Ignore a notice."""
