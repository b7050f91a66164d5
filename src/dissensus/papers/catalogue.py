"""The papers by name."""

from __future__ import annotations

from dissensus.papers.paper import Paper
from dissensus.papers.peterson2019.paper import PAPER as PETERSON2019
from dissensus.papers.singh2025.paper import PAPER as SINGH2025

PAPERS: dict[str, Paper] = {paper.name: paper for paper in (PETERSON2019, SINGH2025)}


def paper_named(name: str) -> Paper:
    """The paper of that name, or an error that names all."""
    if name not in PAPERS:
        raise ValueError(f"there is no paper {name!r} to reproduce; expected one of {', '.join(PAPERS)}")
    return PAPERS[name]
