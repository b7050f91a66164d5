"""The papers by name."""

from __future__ import annotations

from dissensus.labels.refusals import one_of
from dissensus.papers.collins2022.paper import PAPER as COLLINS2022
from dissensus.papers.gheibi2026.paper import PAPER as GHEIBI2026
from dissensus.papers.paper import Paper
from dissensus.papers.peterson2019.paper import PAPER as PETERSON2019
from dissensus.papers.singh2025.paper import PAPER as SINGH2025
from dissensus.papers.sucholutsky2023.paper import PAPER as SUCHOLUTSKY2023

PAPERS: dict[str, Paper] = {
    "peterson2019": PETERSON2019,
    "collins2022": COLLINS2022,
    "sucholutsky2023": SUCHOLUTSKY2023,
    "singh2025": SINGH2025,
    "gheibi2026": GHEIBI2026,
}
"""Every paper by its name; a new one is a line here."""


def find_paper(name: str) -> Paper:
    """Return the paper of that name."""
    return PAPERS[one_of("paper", name, PAPERS)]
