"""The toolkit for labels on which people disagree.

The names of everyday work are here; each stage has further names: `dissensus.aggregate`, `dissensus.evaluate`, ... A
name is loaded on first use, so importing this package loads neither torch nor a web server.
"""

from typing import Any

from dissensus.fronts import attach
from dissensus.labels.display import draw_cards_with

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = attach(__name__, __file__)


def _card(value: Any) -> str:
    from dissensus.report.labels_card import labels_card

    return labels_card(value)


draw_cards_with(_card)
