"""What probes gave as a page: the numbers in a sentence first, then tables, figures and maps."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

from dissensus.probe.ood import DETECTORS
from dissensus.probe.parts import Maps
from dissensus.probe.probe_figures import FIGURES, map_cards
from dissensus.probe.probe_tables import TABLES
from dissensus.probe.probes import PROBES
from dissensus.probe.probing import Findings
from dissensus.report.page import CARDS, page
from dissensus.report.tables import html_table, scrolling, shown_number

BESIDE = 6  # columns of a table that has room beside a figure
STYLE = (
    CARDS
    + """
.dissensus .four{grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr))}
.dissensus .maps{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:.5rem}.dissensus figure{margin:0}
.dissensus figcaption{color:var(--quiet);font-size:.85em;max-width:6rem;overflow-wrap:anywhere}
"""
)


def probe_page(findings: Findings, title: str) -> str:
    """A page of its own, without anything fetched from elsewhere.

    title  what was probed, such as the names of the files; it stands below the heading
    """
    probed = findings.probed
    heading = f"Inside {probed.names[0]}"
    beside = f", beside {probed.names[1]}" if probed.other is not None else ""
    about = f"{title}: {len(probed.images):,} items, {len(probed.network.classes)} classes{beside}; seed {probed.seed}"
    parts = [
        f"<style>{STYLE}</style><h1>{escape(heading)}</h1><p>{escape(about)}</p>",
        "".join(f'<p class="remark">{escape(remark)}</p>' for remark in findings.remarks),
        _number_cards(findings),
        *(_section(name, findings) for name in findings.parts),
    ]
    return page("".join(parts), f"{heading}: {title}")


def _section(name: str, findings: Findings) -> str:
    part, probed = findings.parts[name], findings.probed
    table = TABLES[name](part, probed)
    figures = "".join(
        f"<section><h3>{escape(heading)}</h3>{figure}</section>"
        for heading, figure in (FIGURES[name](part, probed) if name in FIGURES else ())
    )
    numbers = scrolling(html_table(table.columns, table.rows), f"{table.title}: numbers")
    maps = ""
    if isinstance(part, Maps):
        maps = (
            "<h3>Images people disagree about most, then least</h3><p>Orange parts speak for what people said, blue "
            f"parts against it; each map is scaled to its own largest value.</p>{map_cards(part, probed)}"
        )
    beside = len(table.columns) <= BESIDE
    return (
        f"<h2>{escape(PROBES[name])}</h2><p>{escape(table.note)}</p>{'' if beside else numbers}"
        f'<div class="grid">{f"<section>{numbers}</section>" if beside else ""}{figures}</div>{maps}'
    )


def _number_cards(findings: Findings) -> str:
    """One number of each part, to be seen first."""
    drawn = []
    for name, part in findings.parts.items():
        if name in FIRST:
            meaning, value, beside = FIRST[name](part)
            drawn.append(
                f'<div class="card"><span>{escape(meaning)}</span><b>{escape(value)}</b><span>{escape(beside)}</span>'
                "</div>"
            )
    return f'<div class="cards">{"".join(drawn)}</div>'


def _attacked(part: Any) -> tuple[str, str, str]:
    result = part.by_method["pgd"]
    epsilon = min(result.after)
    after = result.after[epsilon].means()["accuracy"]
    return f"accuracy after PGD at {epsilon:g}", f"{after:.1%}", f"before {result.before.means()['accuracy']:.1%}"


def _detected(part: Any) -> tuple[str, str, str]:
    name, by_detector = next(iter(part.detection.separations.items()))
    detector, value = next(iter(by_detector.items()))
    return f"AUROC on {name}", shown_number(value.auroc), DETECTORS[detector].title


def _bent(part: Any) -> tuple[str, str, str]:
    values, of_trace = part.eigenvalues["all"], part.traces["all"]
    return "largest eigenvalue", f"{values.value[0]:.4g}", f"trace {of_trace.value:.4g} ± {of_trace.error:.2g}"


def _risen(part: Any) -> tuple[str, str, str]:
    curves = list(part.curves.items())
    beside = ", ".join(f"{name} {shown_number(curve.barrier)}" for name, curve in curves[1:])
    return f"barrier, {curves[0][0]}", shown_number(curves[0][1].barrier), beside


def _alike(part: Any) -> tuple[str, str, str]:
    return "linear CKA", shown_number(part.cka), "1 is the same likeness"


def _spread(part: Any) -> tuple[str, str, str]:
    return "gradient variance and entropy", shown_number(part.gradients.spearman), "rank correlation"


FIRST: dict[str, Callable[[Any], tuple[str, str, str]]] = {
    "attacks": _attacked,
    "ood": _detected,
    "curvature": _bent,
    "barrier": _risen,
    "cka": _alike,
    "gradients": _spread,
}
