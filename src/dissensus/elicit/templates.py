"""The Jinja templates of the server."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, PackageLoader

PAGES = Path(__file__).parent / "pages"
templates = Environment(loader=PackageLoader("dissensus.elicit", "pages"), autoescape=True)
