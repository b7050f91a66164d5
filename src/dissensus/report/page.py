"""The page that all reports share: one look, nothing fetched from elsewhere."""

from __future__ import annotations

from html import escape

from dissensus.report.colours import REPORT, REPORT_NIGHT, custom_properties, night_rules
from dissensus.report.style import FIGURES as FIGURE_STYLE
from dissensus.report.style import ITEMS

STYLE = f"""
.dissensus{{{custom_properties(REPORT)}font:14px/1.5 system-ui,sans-serif;color:var(--ink);max-width:116rem}}
.dissensus h1{{font-size:1.6rem;margin:0 0 .2rem}}.dissensus h2{{font-size:1.1rem;margin:1.8rem 0 .4rem}}
.dissensus p{{margin:.2rem 0 .6rem;color:var(--quiet);max-width:46rem}}
.dissensus dl{{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:.6rem 0}}
.dissensus dt{{color:var(--quiet);font-size:.85em}}
.dissensus dd{{margin:0;font-size:1.25em;font-variant-numeric:tabular-nums}}
.dissensus table{{border-collapse:collapse;font-variant-numeric:tabular-nums}}
.dissensus th,.dissensus td{{padding:.2rem 1rem .2rem 0;text-align:left;border-bottom:1px solid var(--edge)}}
.dissensus td.n,.dissensus th.n{{text-align:right}}.dissensus td.n{{white-space:nowrap}}
.dissensus .two{{display:flex;flex-wrap:wrap;gap:0 3rem}}.dissensus .two>*{{min-width:0;max-width:100%}}
.dissensus .two p{{max-width:32rem}}
.dissensus .grid{{display:grid;gap:1rem 2.4rem;align-items:start;
grid-template-columns:repeat(auto-fit,minmax(min(100%,26rem),1fr))}}
.dissensus .swatch{{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px}}
.dissensus .grid>*{{min-width:0}}.dissensus .grid section>svg{{width:100%}}
.dissensus .tables{{grid-template-columns:repeat(auto-fit,minmax(min(100%,36rem),1fr))}}
.dissensus .scroll{{overflow-x:auto}}
@media(max-width:40rem){{.dissensus th,.dissensus td{{padding-right:.5rem}}
.dissensus .stack tr{{display:block;padding:.4rem 0;border-bottom:1px solid var(--edge)}}
.dissensus .stack td{{display:inline-block;border:0;vertical-align:middle;max-width:100%}}
.dissensus .stack td:last-child{{display:block}}.dissensus .stack tr:first-child{{display:none}}
.dissensus .stack td[data-title]::before{{content:attr(data-title) " ";color:var(--quiet);font-size:.85em}}
.dissensus .stack td:last-child::before{{display:block}}}}
{FIGURE_STYLE}{ITEMS}"""

CARDS = """
.dissensus .cards{display:grid;gap:.8rem;margin:1rem 0;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}
.dissensus .card{border:1px solid var(--edge);border-radius:8px;padding:.7rem .9rem;background:var(--sheet)}
.dissensus .card b{display:block;font-size:1.5rem;font-weight:600;font-variant-numeric:tabular-nums}
.dissensus .card>span{color:var(--quiet);font-size:.85em;display:block}
.dissensus h3{font-size:1rem;margin:.8rem 0 .2rem}
.dissensus .remark{border-left:3px solid var(--second);padding:.2rem .8rem;color:var(--ink)}
"""  # for pages that begin with their numbers, one on each card, and with remarks

SHEET = (
    f"html{{color-scheme:light}}body{{margin:2rem;background:{REPORT['paper']}}}"
    "@media(max-width:40rem){body{margin:1rem}}"
    "@media print{body{margin:0}.dissensus h2,.dissensus h3{break-after:avoid}.dissensus .scroll{overflow:visible}"
    ".dissensus tr,.dissensus svg,.dissensus .card{break-inside:avoid}}"
)
# After the rest of the style. On screens only, so that what is printed is dark on white.
NIGHT = (
    "@media screen and (prefers-color-scheme:dark){html{color-scheme:dark}"
    f"body{{background:{REPORT_NIGHT['paper']}}}.dissensus{{{custom_properties(REPORT_NIGHT)}}}{night_rules()}}}"
)


def page(body: str, title: str) -> str:
    """A page in the look that all reports share."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width"/>'
        f"<title>{escape(title)} – dissensus</title><style>{SHEET}{STYLE}{NIGHT}</style></head>"
        f'<body><main class="dissensus">{body}</main></body></html>\n'
    )
