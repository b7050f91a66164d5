"""The stylesheet of all pages, in one place: for light and dark themes, print and phones."""

from __future__ import annotations

from dissensus.report.colours import REPORT, REPORT_NIGHT, custom_properties, night_rules

FIGURES = """
.dissensus svg{display:block;height:auto}
.dissensus svg text{font:12px system-ui,sans-serif;fill:var(--ink)}.dissensus svg text.light{fill:var(--paper)}
.dissensus svg text[font-weight]{font-weight:600}
.dissensus svg .map{fill:var(--map)}.dissensus svg text.on-map{fill:var(--on-map)}
.dissensus svg .bar{fill:var(--accent)}.dissensus svg .count{fill:var(--quiet)}
.dissensus svg .axis{stroke:var(--axis);stroke-width:1}.dissensus svg .faint{stroke:var(--edge);stroke-width:1}
"""

_TEXT = """
.dissensus h1{font-size:1.6rem;margin:0 0 .2rem;line-height:1.25}
.dissensus h2{font-size:1.2rem;margin:1.8rem 0 .4rem}.dissensus h3{font-size:1rem;margin:.8rem 0 .2rem}
.dissensus :is(h1,h2,h3,p,li,dt,dd,summary,figcaption,caption,.card b){overflow-wrap:anywhere}
.dissensus p{margin:.2rem 0 .6rem;color:var(--quiet);max-width:46rem}
.dissensus .subtitle{font-size:1.05em;max-width:64rem}
.dissensus .answer{border-left:5px solid var(--accent);background:var(--tint);border-radius:0 8px 8px 0;
padding:.9rem 1.2rem;margin:.8rem 0 1rem;max-width:64rem}
.dissensus .answer p{color:var(--ink);font-size:1.25em;line-height:1.45;margin:0;max-width:none}
.dissensus dl{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:.6rem 0}
.dissensus dt{color:var(--quiet);font-size:.85em}
.dissensus dd{margin:0;font-size:1.25em;font-variant-numeric:tabular-nums}
.dissensus dd small{font-size:.7em;color:var(--quiet)}.dissensus dd small.note{display:block}
.dissensus nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.4rem 0}
.dissensus nav a{display:inline-block;padding:.25rem 0}.dissensus a{color:var(--accent)}
.dissensus :is(a,summary,button,.scroll):focus-visible{outline:3px solid var(--second);outline-offset:2px}
.dissensus .remark{border-left:3px solid var(--second);padding:.2rem .8rem;color:var(--ink)}
.dissensus ul.list{margin:.2rem 0 .6rem;padding-left:1.2rem}.dissensus ul.list li{margin:.25rem 0;max-width:52rem}
.dissensus pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--sheet);border:1px solid var(--edge);
border-radius:8px;padding:.8rem 1rem;margin:.4rem 0;font:13px/1.5 ui-monospace,monospace;max-width:60rem}
.dissensus details{margin:.4rem 0}.dissensus summary{cursor:pointer;padding:.2rem 0}
.dissensus summary :is(h2,h3){display:inline-block;margin:.6rem 0 .2rem}
.dissensus .swatch{display:inline-block;width:.8em;height:.8em;margin-right:.4em;border-radius:2px;
print-color-adjust:exact}
"""

ITEMS = """
.dissensus img.item{display:block;image-rendering:pixelated;border:1px solid var(--edge);background:var(--paper)}
.dissensus .text{display:block;max-width:34rem;min-width:7rem;overflow-wrap:anywhere;color:var(--ink)}
.dissensus td>svg{min-width:14rem}
.dissensus .text+.text{margin-top:.3rem;padding-top:.3rem;border-top:1px dotted var(--rule)}
"""

_BLOCKS = """
.dissensus .grid{display:grid;gap:1rem 2.4rem;align-items:start}.dissensus .grid>*{min-width:0}
.dissensus .grid>:is(figure:has(>details[open] .crowded),section:has(>figure>details[open] .crowded)){grid-column:1/-1}
.dissensus .cards{display:grid;gap:.8rem;margin:1rem 0;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}
.dissensus .cards.wide{grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr))}
.dissensus .card{border:1px solid var(--edge);border-radius:8px;padding:.7rem .9rem;background:var(--sheet);min-width:0}
.dissensus .card b{display:block;font-size:1.5rem;line-height:1.3;font-weight:600;font-variant-numeric:tabular-nums}
.dissensus .card b small{font-size:.6em;font-weight:400;color:var(--quiet);display:block}
.dissensus .wide .card b{font-size:1.2rem}
.dissensus .card>span{color:var(--quiet);font-size:.85em;display:block}
.dissensus .card p{color:var(--ink);max-width:none;margin:.4rem 0}
.dissensus .card>*{margin-bottom:.3rem}
.dissensus figure{margin:0 0 1rem;min-width:0}.dissensus figure>svg{width:100%}
.dissensus figcaption{font-weight:600;margin:.8rem 0 .3rem}
.dissensus figcaption small{display:block;font-weight:400;color:var(--quiet);font-size:1em}
.dissensus figure details{font-size:.92em;color:var(--quiet)}.dissensus figure details table{color:var(--ink)}
.dissensus figure details :is(th,td){padding-right:.4rem}.dissensus figure details td.n{padding-left:0}
.dissensus .save{color:var(--quiet);font-size:.92em;
display:flex;flex-wrap:wrap;align-items:center;gap:.4rem;margin:.2rem 0}
.dissensus .save button{font:inherit;font-size:.85em;color:var(--accent);background:var(--paper);cursor:pointer;
border:1px solid var(--rule);border-radius:6px;padding:.15rem .6rem;min-height:1.7rem}
.dissensus .save button:hover{background:var(--tint)}
"""


def _grid(count: int, least: float) -> str:
    """As many columns as there is room for, at most `count`, each `least` rem wide or more."""
    share = f"calc((100% - {2.4 * (count - 1):g}rem) / {count})"
    return (
        f".dissensus .c{count}{{grid-template-columns:"
        f"repeat(auto-fit,minmax(max(min(100%,{least:g}rem),{share}),1fr))}}"
    )


_GRIDS = _grid(2, 29) + _grid(3, 20) + _grid(4, 15.5)
_TABLES = """
.dissensus .scroll{overflow-x:auto}
.dissensus table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.2rem 0 .4rem}
.dissensus .tables{display:flex;flex-wrap:wrap;gap:0 3rem}.dissensus .tables>div{flex:1 1 auto;max-width:100%}
.dissensus .tables table{width:100%}.dissensus .tables>div>p{width:0;min-width:100%;max-width:none}
.dissensus .noted{display:flex;flex-wrap:wrap;align-items:center;gap:0 3rem}.dissensus .noted>*{min-width:0}
.dissensus .noted>p{flex:1 1 22rem}
.dissensus caption{text-align:left;font-weight:600;padding:.4rem 0 .2rem}
.dissensus th,.dissensus td{padding:.25rem 1.1rem .25rem 0;text-align:left;vertical-align:top;
border-bottom:1px solid var(--edge)}
.dissensus th{vertical-align:bottom}.dissensus :is(th,td):last-child{padding-right:.2rem}
.dissensus td.n,.dissensus th.n{text-align:right;padding-left:.4rem}.dissensus td.n{white-space:nowrap}
.dissensus th.n{max-width:9rem}.dissensus :is(td.n+td,th.n+th):not(.n){padding-left:.6rem}
.dissensus .crowded :is(th,td){padding-right:.5rem}.dissensus .crowded :is(th,td).n{padding-left:.2rem}
.dissensus td small{color:var(--quiet);white-space:nowrap;display:inline-block;min-width:6.4rem;padding-left:.3rem;
text-align:left;font-weight:400}
.dissensus .crowded td small,.dissensus td small.note{display:block;min-width:0;padding:0}
.dissensus :is(.crowded td.n small,td.n small.note){text-align:right}.dissensus td:not(.n) small{white-space:normal}
.dissensus td.best,.dissensus tr.best td{font-weight:600;background:var(--tint)}
.dissensus td.best{position:relative}
.dissensus td.best::after{content:" best";position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.dissensus tr.aside td{font-style:italic;color:var(--quiet)}
.dissensus tr.group td{padding-top:1rem;border-bottom:2px solid var(--rule);font-weight:600}
.dissensus .rows:has(>.more:not([open])) tr.rest{display:none}
.dissensus .more>summary{color:var(--accent)}.dissensus .more summary span:last-child{display:none}
.dissensus .more[open] summary span:first-child{display:none}
.dissensus .more[open] summary span:last-child{display:inline}
"""

_NARROW = """
@media screen and (min-width:60rem){.dissensus td.name{white-space:nowrap}}
@media(max-width:40rem){.dissensus :is(table,th){font-size:.9em}.dissensus :is(th,td){padding-right:.3rem}
.dissensus :is(th,td).n,.dissensus :is(td.n+td,th.n+th):not(.n){padding-left:.1rem}
.dissensus td small{display:block;min-width:0;padding:0;text-align:inherit}.dissensus .noted>.scroll{flex:1 1 100%}
.dissensus summary:has(h2,h3){margin:.8rem 0}.dissensus summary :is(h2,h3){display:inline}
.dissensus .answer{padding:.7rem .8rem}.dissensus .answer p{font-size:1.12em}
.dissensus .stack thead{display:none}
.dissensus .stack tr{display:block;padding:.4rem 0;border-bottom:1px solid var(--edge)}
.dissensus .stack td{display:inline-block;border:0;vertical-align:middle;max-width:100%;text-align:left}
.dissensus .stack td:last-child{display:block}
.dissensus .stack td[data-title]::before{content:attr(data-title) " ";color:var(--quiet);font-size:.85em}
.dissensus .stack td:last-child::before{display:block}
.dissensus .pairs,.dissensus .pairs :is(caption,tbody){display:block}
.dissensus .pairs.stack tr{display:grid;grid-template-columns:1fr 1fr;gap:.2rem 1rem}
.dissensus table.pairs.stack td{display:block;text-align:left;padding:0;white-space:normal}
.dissensus .pairs.stack td:first-child{grid-column:1/-1;font-weight:600}
.dissensus .pairs.stack td:first-child::before{content:none}.dissensus .pairs.stack td:empty{display:none}
.dissensus .pairs.stack td:last-child::before{display:inline}
.dissensus .pairs.stack td small{text-align:left;white-space:normal}
.dissensus .rows:has(>.more:not([open])) .stack tr.rest{display:none}}
"""

STYLE = (
    f".dissensus{{{custom_properties(REPORT)}font:14px/1.5 system-ui,sans-serif;color:var(--ink);max-width:116rem}}"
    f"{_TEXT}{_BLOCKS}{ITEMS}{_GRIDS}{_TABLES}{FIGURES}{_NARROW}"
)

SHEET = (
    f"html{{color-scheme:light}}body{{margin:2rem;background:{REPORT['paper']}}}"
    "@media(max-width:40rem){body{margin:1rem}}"
)
PRINT = """
@media print{body{margin:0}.dissensus{font-size:11px}.dissensus :is(nav,.save,.more,figure details){display:none}
.dissensus .answer{background:none}
.dissensus :is(h2,h3,figcaption,caption,summary,:is(h2,h3,summary)+p){break-after:avoid}
.dissensus .figures{grid-template-columns:repeat(2,minmax(0,1fr))}
.dissensus section>details::details-content{content-visibility:visible;height:auto}
.dissensus :is(tr,svg,.card,figure,table:not(:has(svg,img,tr:nth-child(13)))){break-inside:avoid}
.dissensus .scroll{overflow:visible}
.dissensus tr.rest{display:table-row!important}.dissensus table{max-width:100%}
.dissensus :is(th,td){padding-right:.5rem;overflow-wrap:anywhere}.dissensus .crowded :is(td,th).n{padding-left:0}
.dissensus .crowded :is(td.n,td small){white-space:normal}.dissensus .crowded{font-size:9px}}
"""
# After all other rules. On screens only, so that what is printed is dark on white.
NIGHT = (
    "@media screen and (prefers-color-scheme:dark){html{color-scheme:dark}"
    f"body{{background:{REPORT_NIGHT['paper']}}}.dissensus{{{custom_properties(REPORT_NIGHT)}}}{night_rules()}}}"
)
PAGE_STYLE = f"{SHEET}{STYLE}{PRINT}{NIGHT}"
