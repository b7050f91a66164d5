"""A figure with the numbers behind it, which a reader can save as SVG, PNG and CSV where scripts may run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from dissensus.report.tables import Column, html_table, scrolling

STYLE = """
.dissensus figure{margin:0 0 1rem;min-width:0}.dissensus figure>svg{width:100%}
.dissensus figcaption{font-weight:600;margin:.8rem 0 .3rem}
.dissensus figcaption small{display:block;font-weight:400;color:var(--quiet);font-size:1em}
.dissensus .save{color:var(--quiet);font-size:.92em}
.dissensus .save{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:.2rem 0}
.dissensus .save button{font:inherit;font-size:.85em;color:var(--accent);background:var(--paper);cursor:pointer;
border:1px solid var(--rule);border-radius:6px;padding:.15rem .6rem;min-height:1.7rem}
.dissensus .save button:hover{background:var(--tint)}
.dissensus .save button:focus-visible{outline:3px solid var(--second);outline-offset:2px}
.dissensus figure details{font-size:.92em;color:var(--quiet)}.dissensus figure details table{color:var(--ink)}
@media print{.dissensus .save,.dissensus figure details{display:none}.dissensus figure{break-inside:avoid}}
"""


def figure(
    caption: str, drawing: str, columns: Sequence[Column], rows: Iterable[Sequence[str]], *, name: str, note: str = ""
) -> str:
    """A drawing with its caption and, folded away, the table of what it shows.

    name  of the files that it is saved as, without an ending; letters and digits of it are used
    """
    file = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    table = scrolling(html_table(columns, rows), f"numbers of the figure {caption}")
    small = f"<small>{escape(note)}</small>" if note else ""
    return (
        f'<figure data-file="{file}"><figcaption>{escape(caption)}{small}</figcaption>{drawing}'
        f"<details><summary>The numbers of this figure</summary>{table}</details></figure>"
    )
