"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results, Scale


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    return {}
