"""The papers by name."""

from __future__ import annotations

from dissensus.papers.collins2022.paper import PAPER as COLLINS2022
from dissensus.papers.gheibi2026.paper import PAPER as GHEIBI2026
from dissensus.papers.paper import Paper
from dissensus.papers.peterson2019.paper import PAPER as PETERSON2019
from dissensus.papers.singh2025.paper import PAPER as SINGH2025
from dissensus.papers.sucholutsky2023.paper import PAPER as SUCHOLUTSKY2023

PAPERS: dict[str, Paper] = {
    paper.name: paper for paper in (PETERSON2019, COLLINS2022, SUCHOLUTSKY2023, SINGH2025, GHEIBI2026)
}


def paper_named(name: str) -> Paper:
    """The paper of that name, or an error that names all."""
    if name not in PAPERS:
        raise ValueError(f"there is no paper {name!r} to reproduce; expected one of {', '.join(PAPERS)}")
    return PAPERS[name]
