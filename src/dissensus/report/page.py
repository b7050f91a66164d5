"""The page that all reports share: one look, nothing fetched from elsewhere."""

from __future__ import annotations

from html import escape

from dissensus.report.colours import REPORT, custom_properties
from dissensus.report.svg import STYLE as FIGURE_STYLE

STYLE = f"""
.dissensus{{{custom_properties(REPORT)}font:14px/1.5 system-ui,sans-serif;color:var(--ink);max-width:62rem}}
.dissensus h1{{font-size:1.6rem;margin:0 0 .2rem}}.dissensus h2{{font-size:1.1rem;margin:1.8rem 0 .4rem}}
.dissensus p{{margin:.2rem 0 .6rem;color:var(--quiet);max-width:46rem}}
.dissensus dl{{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:.6rem 0}}
.dissensus dt{{color:var(--quiet);font-size:.85em}}
.dissensus dd{{margin:0;font-size:1.25em;font-variant-numeric:tabular-nums}}
.dissensus table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}
.dissensus th,.dissensus td{{padding:.2rem 1rem .2rem 0;text-align:left;border-bottom:1px solid var(--edge)}}
.dissensus td.n,.dissensus th.n{{text-align:right}}.dissensus .two{{display:flex;flex-wrap:wrap;gap:0 3rem}}
{FIGURE_STYLE}"""


def page(body: str, title: str) -> str:
    """A page in the look that all reports share."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width"/>'
        f"<title>{escape(title)} – dissensus</title><style>body{{margin:2rem}}{STYLE}</style></head>"
        f'<body><main class="dissensus">{body}</main></body></html>\n'
    )
