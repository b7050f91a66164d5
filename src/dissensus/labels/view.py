"""How labels look: a line for the terminal, a card for the notebook, a page for the browser."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np

from dissensus.labels.summary import Summary, summarise
from dissensus.labels.table_read import Labels

# One accent that keeps 4.5:1 contrast on white and reads in greyscale; text and rules stay grey.
STYLE = """
.dissensus{font:14px/1.5 system-ui,sans-serif;color:#1d2433;max-width:60rem}
.dissensus h1{font-size:1.6rem;margin:0 0 .2rem}.dissensus h2{font-size:1.1rem;margin:1.8rem 0 .5rem}
.dissensus p{margin:.2rem 0 .6rem;color:#4a5468}
.dissensus dl{display:flex;flex-wrap:wrap;gap:.6rem 2rem;margin:.6rem 0}
.dissensus dt{color:#4a5468;font-size:.85em}.dissensus dd{margin:0;font-size:1.25em;font-variant-numeric:tabular-nums}
.dissensus table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.dissensus th,.dissensus td{padding:.15rem .9rem .15rem 0;text-align:left;border-bottom:1px solid #e3e7ee}
.dissensus td.n,.dissensus th.n{text-align:right}
.dissensus svg{display:block;max-width:100%;height:auto}
.dissensus svg text{font:12px system-ui,sans-serif;fill:#1d2433}.dissensus svg .bar{fill:#1f5fa8}
.dissensus svg .axis{stroke:#8b95a7;stroke-width:1}.dissensus .two{display:flex;flex-wrap:wrap;gap:0 2.5rem}
"""
SHOWN_CLASSES = 12


def text_view(labels: Labels) -> str:
    """Two lines: what it is and how much, and how far people disagree."""
    summary = summarise(labels)
    facts = [f"{value} {name}" for name, value in _headline(summary)]
    return f"{type(labels).__name__}: {' · '.join(facts)}\n  classes: {_classes(summary)}\n  {_disagreement(summary)}"


def html_view(labels: Labels) -> str:
    """A card for a notebook: counts, classes and a small picture of the disagreement."""
    summary = summarise(labels)
    return (
        f'<div class="dissensus"><style>{STYLE}</style><strong>{type(labels).__name__}</strong>{_facts(summary)}'
        f'<div class="two">{_entropy_figure(summary)}{_class_figure(summary)}</div></div>'
    )


def html_page(summary: Summary, title: str) -> str:
    """A whole page of its own, without anything fetched from elsewhere."""
    parts = [
        f"<h1>{escape(title)}</h1><p>{escape(_disagreement(summary))}</p>",
        _facts(summary),
        f"<h2>How far people disagree</h2><p>Each item's entropy, from 0 (all agree) to 1 (an even split over all "
        f"{summary.distributions.n_classes} classes).</p>{_entropy_figure(summary)}",
        f"<h2>Share of each class</h2>{_class_figure(summary)}",
        f"<h2>Most disputed items</h2>{_disputed_table(summary)}",
    ]
    if summary.annotator_answers is not None:
        parts.append(f"<h2>Annotators</h2>{_annotator_table(summary)}")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)} – dissensus</title><style>body{{margin:2rem}}{STYLE}</style></head>"
        f'<body><main class="dissensus">{"".join(parts)}</main></body></html>\n'
    )


def _headline(summary: Summary) -> list[tuple[str, str]]:
    facts = [("items", f"{summary.distributions.n_items:,}")]
    if summary.answers is not None:
        facts.insert(0, ("answers", f"{summary.answers:,}"))
    if summary.annotators is not None:
        facts.append(("annotators", f"{summary.annotators.size:,}"))
    facts.append(("classes", f"{summary.distributions.n_classes:,}"))
    if summary.per_item is not None and summary.per_item.size:
        low, mean, high = summary.per_item.min(), summary.per_item.mean(), summary.per_item.max()
        facts.append(("per item (min / mean / max)", f"{low} / {mean:.2f} / {high}"))
    return facts


def _disagreement(summary: Summary) -> str:
    if not summary.entropy.size:
        return "no item has an answer"
    text = f"mean entropy {summary.entropy.mean():.3f} ± {summary.entropy.std():.3f} of 1"
    text += f", {summary.top_two.mean():.1%} of the mass on each item's two largest classes"
    if summary.unanswered:
        text += f", {summary.unanswered:,} items without answers"
    return text


def _classes(summary: Summary) -> str:
    names = summary.distributions.classes
    return ", ".join(names if len(names) <= SHOWN_CLASSES else (*names[: SHOWN_CLASSES - 1], "…", names[-1]))


def _facts(summary: Summary) -> str:
    return "<dl>" + "".join(f"<div><dt>{escape(n)}</dt><dd>{v}</dd></div>" for n, v in _headline(summary)) + "</dl>"


def _entropy_figure(summary: Summary) -> str:
    counts = entropy_histogram(summary.entropy)
    width, height, step = 340, 130, 32
    top = max(int(counts.max(initial=0)), 1)
    bars = "".join(
        f'<rect class="bar" x="{12 + i * step}" y="{height - 24 - 92 * c / top:.1f}" width="{step - 3}" '
        f'height="{92 * c / top:.1f}"><title>{i / 10:.1f} to {(i + 1) / 10:.1f}: {c:,} items</title></rect>'
        for i, c in enumerate(counts)
    )
    ticks = "".join(
        f'<text x="{12 + 32 * x}" y="{height - 8}" text-anchor="middle">{x / 10:g}</text>' for x in (0, 5, 10)
    )
    label = f"Histogram of item entropy: {', '.join(f'{c:,}' for c in counts)} items in ten equal bins from 0 to 1"
    return (
        f'<svg role="img" aria-label="{label}" width="{width}" height="{height}" viewBox="0 0 {width} {height}">{bars}'
        f'<line class="axis" x1="12" x2="332" y1="{height - 23}" y2="{height - 23}"/>{ticks}'
        f'<text x="{width - 8}" y="10" text-anchor="end">items by entropy (tallest bar {top:,})</text></svg>'
    )


def _class_figure(summary: Summary) -> str:
    order = np.argsort(-summary.shares, kind="stable")[:SHOWN_CLASSES]
    rows = [(summary.distributions.classes[i], float(summary.shares[i])) for i in order]
    left = summary.shares.size - len(rows)
    note = f"<p>and {left} more classes</p>" if left else ""
    return bars(rows, "Mean share of each class") + note


def bars(rows: Iterable[tuple[str, float]], label: str, width: int = 420) -> str:
    """Horizontal bars of shares from 0 to 1, each with its name and number."""
    rows = list(rows)
    top = max([share for _, share in rows] + [1e-9])
    height = 20 * len(rows) + 4
    drawn = "".join(
        f'<text x="118" y="{20 * i + 15}" text-anchor="end">{escape(_short(name))}</text>'
        f'<rect class="bar" x="126" y="{20 * i + 4}" width="{(width - 190) * share / top:.1f}" height="14">'
        f"<title>{escape(name)}: {share:.1%}</title></rect>"
        f'<text x="{132 + (width - 190) * share / top:.1f}" y="{20 * i + 15}">{share:.1%}</text>'
        for i, (name, share) in enumerate(rows)
    )
    told = ", ".join(f"{name} {share:.1%}" for name, share in rows)
    return (
        f'<svg role="img" aria-label="{escape(label, quote=True)}: {escape(told, quote=True)}" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}">{drawn}</svg>'
    )


def entropy_histogram(entropy: np.ndarray) -> np.ndarray:
    """Items in ten equal bins of normalised entropy.  (n,) -> (10,)"""
    return np.histogram(np.clip(entropy, 0, 1), bins=10, range=(0, 1))[0]


def _disputed_table(summary: Summary, count: int = 10) -> str:
    found = summary.distributions
    rows = []
    for i in summary.disputed(count):
        largest = np.argsort(-found.probs[i], kind="stable")[:4]
        said = ", ".join(f"{found.classes[j]} {found.probs[i, j]:.0%}" for j in largest if found.probs[i, j] > 0)
        rows.append(f'<tr><td>{escape(str(found.items[i]))}</td><td class="n">{summary.entropy[i]:.3f}</td>'
                    f"<td>{escape(said)}</td></tr>")  # fmt: skip
    head = '<tr><th>item</th><th class="n">entropy</th><th>what people said</th></tr>'
    return f"<table>{head}{''.join(rows)}</table>"


def _annotator_table(summary: Summary, count: int = 10) -> str:
    answers, agreement = summary.annotator_answers, summary.annotator_agreement
    assert answers is not None and agreement is not None and summary.annotators is not None
    order = np.argsort(np.where(np.isnan(agreement), 2, agreement), kind="stable")[:count]
    seconds = summary.annotator_seconds
    rows = "".join(
        f'<tr><td>{escape(str(summary.annotators[a]))}</td><td class="n">{answers[a]:,}</td>'
        f'<td class="n">{agreement[a]:.3f}</td><td class="n">{"" if seconds is None else f"{seconds[a]:.1f}"}</td></tr>'
        for a in order
    )
    head = '<tr><th>annotator</th><th class="n">answers</th><th class="n">agreement</th><th class="n">seconds</th></tr>'
    return (
        f"<p>{answers.size:,} annotators gave {answers.min():,} to {answers.max():,} answers each (median "
        f"{np.median(answers):g}). The {min(count, answers.size)} who agree least with the others, which may mean "
        f"carelessness or another view:</p><table>{head}{rows}</table>"
    )


def _short(name: str, most: int = 17) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"
