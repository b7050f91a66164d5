"""A study's report: one page that works offline, by day and night, on paper and on a phone."""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from typing import Any

from dissensus.evaluate.metrics import METRICS
from dissensus.report.figures import STYLE as FIGURE_STYLE
from dissensus.report.page import CARDS, page
from dissensus.report.saving import saving_script
from dissensus.report.tables import Column, Html, Row, facts_list, html_table, scrolling
from dissensus.study.reporting.answers import answer
from dissensus.study.reporting.figures import (
    curve_figures,
    difference_figure,
    score_figure,
    slice_figure,
    sliced_metrics,
)
from dissensus.study.reporting.tables import Cell, ReportTable, by_metric, overview, probe_table
from dissensus.study.reporting.values import data_words, value_words
from dissensus.study.reporting.words import (
    ARROWS,
    comparison_words,
    design_words,
    glossary,
    metric_words,
    shown_setting,
    varied,
)
from dissensus.study.summary.summary import Summary

STYLE = (
    CARDS
    + FIGURE_STYLE
    + """
.dissensus :is(h1,h2,p,li,dt,dd,summary,figcaption){overflow-wrap:anywhere}
.dissensus .question{font-size:1.15em;color:var(--ink);font-style:italic;margin:.6rem 0}
.dissensus .answer{border-left:4px solid var(--accent);background:var(--tint);border-radius:0 8px 8px 0;
padding:.8rem 1rem;margin:.8rem 0 1rem;max-width:52rem}
.dissensus .answer p{color:var(--ink);font-size:1.08em;margin:0;max-width:none}
.dissensus nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;padding:0;margin:.4rem 0}
.dissensus nav a{display:inline-block;padding:.15rem 0}.dissensus a{color:var(--accent)}
.dissensus a:focus-visible{outline:3px solid var(--second);outline-offset:2px}
.dissensus td small{color:var(--quiet);white-space:nowrap;display:block}
.dissensus td.best{font-weight:600}.dissensus td.best small{font-weight:400}
.dissensus td.best::after{content:" best";position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.dissensus td{vertical-align:top}.dissensus td.best{background:var(--tint);position:relative}
.dissensus td.n,.dissensus th.n{padding-left:.6rem}
.dissensus .meaning{display:block;margin:0}.dissensus .meaning div{margin:.5rem 0;max-width:52rem}
.dissensus .meaning dt{color:var(--ink);font-weight:600;font-size:1em}
.dissensus .meaning dd{font-size:1em;color:var(--quiet)}
.dissensus pre{white-space:pre-wrap;overflow-wrap:anywhere;background:var(--sheet);border:1px solid var(--edge);
border-radius:8px;padding:.8rem 1rem;margin:.4rem 0;font:13px/1.5 ui-monospace,monospace;max-width:60rem}
.dissensus details{margin:.4rem 0}.dissensus summary{padding:.2rem 0}
.dissensus .remarks li{margin:.3rem 0;max-width:52rem}.dissensus .remarks{padding-left:1.2rem}
@media print{.dissensus nav{display:none}.dissensus .answer{background:none}}
"""
)


def report_page(summary: Summary, *, folder: str = "DIR") -> str:
    """A page of its own, without anything fetched from elsewhere.

    folder  where the study lies, for the commands at the end
    """
    sections = {title: body for title, body in _sections(summary, folder) if body}
    links = "".join(f'<li><a href="#{_place(title)}">{escape(title)}</a></li>' for title in sections)
    name, question = summary.description["name"], summary.description["question"]
    parts = [
        f"<style>{STYLE}</style><h1>{escape(name)}</h1>",
        f'<p class="question">{escape(question)}</p>' if question else "",
        f'<div class="answer"><p>{escape(" ".join(answer(summary)))}</p></div>',
        facts_list(_facts(summary)),
        f'<nav aria-label="On this page"><ul>{links}</ul></nav>',
        *(
            f'<section><h2 id="{_place(title)}">{escape(title)}</h2>{body}</section>'
            for title, body in sections.items()
        ),
        saving_script(),
    ]
    return page("".join(parts), name)


def _sections(summary: Summary, folder: str) -> list[tuple[str, str]]:
    scores = [(_heading(metric), _metric(summary, metric)) for metric in summary.metrics] if summary.arms else []
    return [
        ("What was compared", _compared(summary)),
        ("Results", _table(overview(summary)) if summary.arms else ""),
        *scores,
        ("Where it does well", _slices(summary)),
        ("How training went", f'<div class="grid">{"".join(curve_figures(summary))}</div>' if summary.curves else ""),
        ("Inside the models", _table(probe_table(summary)) if summary.probes else ""),
        ("What the numbers mean", _meanings(summary)),
        ("Remarks", _remarks(summary)),
        ("Failures", _failures(summary)),
        ("Cells", _cells(summary)),
        ("How it was made", _made(summary, folder)),
    ]


def _facts(summary: Summary) -> list[tuple[str, str]]:
    total = len(summary.cells) + summary.missing
    done, failed = (sum(row["status"] == status for row in summary.cells) for status in ("done", "failed"))
    facts = [
        ("arms", str(len(summary.arms))),
        ("seeds", str(len(summary.description["seeds"]))),
        ("cells done", f"{done:,} of {total:,}"),
    ]
    facts += [("failed", f"{failed:,}")] if failed else []
    seconds = sum(row["seconds"] for row in summary.cells)
    return [*facts, ("computing", _duration(seconds)), ("remarks", str(len(summary.remarks)))]


def _compared(summary: Summary) -> str:
    sentences = (*data_words(summary), design_words(summary), comparison_words(summary))
    text = "".join(f"<p>{escape(said)}</p>" for said in sentences if said)
    rows = [(name, values) for name, values in varied(summary)]
    if rows:
        table = html_table((Column("what differs between arms"), Column("values", wraps=True)), rows)
        text += scrolling(table, "what differs between arms")
    if meanings := value_words(summary):
        text += f"<h3>What the names mean</h3>{_definitions(meanings)}"
    shared = [(key.replace("_", " "), shown_setting(value)) for key, value in summary.shared.items()]
    if shared:
        table = scrolling(html_table((Column("setting"), Column("value", wraps=True)), shared), "what all arms share")
        text += f"<details><summary>What all arms have in common ({len(shared)} settings)</summary>{table}</details>"
    return text


def _metric(summary: Summary, metric: str) -> str:
    figures = f"{score_figure(summary, metric)}{difference_figure(summary, metric)}"
    return f'<p>{escape(metric_words(metric))}</p><div class="grid">{figures}</div>{_table(by_metric(summary, metric))}'


def _heading(metric: str) -> str:
    meaning = METRICS[metric].meaning
    return f"{meaning[0].upper()}{meaning[1:]} {ARROWS[METRICS[metric].better]}".strip()


def _slices(summary: Summary) -> str:
    drawn = []
    for by in dict.fromkeys(part.by for part in summary.slices):
        figures = [slice_figure(summary, by, metric) for metric in sliced_metrics(summary, by)]
        more = f'<div class="grid">{"".join(figures[1:])}</div>'
        rest = f"<details><summary>By {escape(by)}, other metrics</summary>{more}</details>"
        drawn.append(f"<div>{''.join(figures[:1])}{rest if len(figures) > 1 else ''}</div>")
    return f'<div class="grid">{"".join(drawn)}</div>' if drawn else ""


def _meanings(summary: Summary) -> str:
    return _definitions(glossary(summary))


def _definitions(meanings: list[tuple[str, str]]) -> str:
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(text)}</dd></div>" for name, text in meanings)
    return f'<dl class="meaning">{rows}</dl>'


def _remarks(summary: Summary) -> str:
    if not summary.remarks:
        return ""
    return f'<ul class="remarks">{"".join(f"<li>{escape(remark)}</li>" for remark in summary.remarks)}</ul>'


def _failures(summary: Summary) -> str:
    drawn = []
    names = {row["cell"]: row["arm"] for row in summary.cells}
    for record in summary.failures:
        fold = "" if record["fold"] is None else f", fold {record['fold']}"
        head = f"{names[record['cell']]}, seed {record['seed']}{fold} (cell {record['cell']}): {record['error']}"
        text = escape(record.get("traceback") or "no traceback")
        drawn.append(f"<details><summary>{escape(head)}</summary><pre>{text}</pre></details>")
    return "".join(drawn)


def _cells(summary: Summary) -> str:
    """Every cell with its settings that vary and the study's metrics."""
    if not summary.cells:
        return ""
    numbers = [*summary.metrics, "seconds"]
    columns = [
        Column("cell"),
        Column("arm", wraps=True),
        Column("seed", number=True),
        Column("fold", number=True),
        Column("status"),
        *(Column(name, number=True) for name in numbers),
        Column("commit"),
    ]
    folds = any(row["fold"] is not None for row in summary.cells)
    rows = []
    for row in summary.cells:
        marked = f"{row['commit']} (older)" if row["older_commit"] else str(row["commit"])
        cells = [
            row["cell"],
            row["arm"],
            str(row["seed"]),
            "" if row["fold"] is None else str(row["fold"]),
            row["status"],
            *(_shown(row.get(name)) for name in numbers),
            marked,
        ]
        rows.append(cells if folds else cells[:3] + cells[4:])
    table = html_table(columns if folds else columns[:3] + columns[4:], rows)
    shown = scrolling(table, "all cells")
    return f"<details><summary>All {len(rows):,} cells, each with its scores</summary>{shown}</details>"


def _made(summary: Summary, folder: str) -> str:
    text = summary.description["text"]
    kept = {key: value for key, value in summary.description.items() if key not in ("cells", "text")}
    spec = text or json.dumps(kept, indent=1)
    run = f"dissensus study run study.toml -o {folder}" if text else f'run_study(study, "{folder}")'
    command = f"{run}\ndissensus study report {folder}"
    about = "" if text else "<p>The study was described in Python; this is what its folder keeps of that.</p>"
    versions: dict[str, Counter[str]] = {}
    for arm in summary.arms:
        for record in arm.records:
            made_by = {**record["packages"], "hardware": record["hardware"], "commit": str(record.get("commit"))}
            for name, version in made_by.items():
                versions.setdefault(name, Counter())[version] += 1
    made = sorted(row["made"] for row in summary.cells)
    facts = [("made", made[0] if made[0] == made[-1] else f"{made[0]} to {made[-1]}")] if made else []
    for name, counts in versions.items():
        each = (f"{version} ({count:,} cells)" if len(counts) > 1 else version for version, count in counts.items())
        facts.append((name, ", ".join(each)))
    table = (
        scrolling(html_table((Column("made with"), Column("version", wraps=True)), facts), "versions") if facts else ""
    )
    return f"<h3>Command</h3><pre>{escape(command)}</pre><h3>Study</h3>{about}<pre>{escape(spec)}</pre>{table}"


def _table(table: ReportTable) -> str:
    rows = [
        Row([_marked(cell) for cell in row], best=[place for place, cell in enumerate(row) if cell.best])
        for row in table.rows
    ]
    return scrolling(html_table(table.columns, rows), table.title)


def _marked(cell: Cell) -> Html:
    return Html(f"{escape(cell.text)}{f'<small>{escape(cell.small)}</small>' if cell.small else ''}")


def _shown(value: Any) -> str:
    return "–" if value is None else f"{value:.4g}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _place(title: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in title.lower()).strip("-")
