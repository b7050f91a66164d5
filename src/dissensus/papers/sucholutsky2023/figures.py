"""What the page draws."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.papers.figures import Figure
from dissensus.papers.paper import Results, Scale


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Figures of the paper that can be answered."""
    return ()
