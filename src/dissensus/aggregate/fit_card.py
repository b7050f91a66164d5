"""How fits show themselves in a notebook: sizes, whether they converged, and the distributions they found."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dissensus.labels.distributions import Distributions


def fit_card(title: str, facts: Sequence[tuple[str, str]], distributions: Distributions) -> str:
    """A card for a notebook."""
    from dissensus.report.labels_page import labels_card
    from dissensus.report.page import STYLE
    from dissensus.report.tables import facts_list

    head = f'<div class="dissensus"><style>{STYLE}</style><strong>{escape(title)}</strong>{facts_list(facts)}</div>'
    return head + labels_card(distributions)
