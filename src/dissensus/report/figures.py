"""A figure with the numbers behind it, which a reader can save as SVG, PNG and CSV where scripts may run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from html import escape

from dissensus.report.colours import PAPER, REPORT
from dissensus.report.svg import STYLE as FIGURE_STYLE
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


def saving_script() -> str:
    """Buttons below each figure. What is saved has the colours of the day and white behind it, also by night.

    Without `<` and `&`, so that a page with it is still well-formed XML.
    """
    style = FIGURE_STYLE.replace(".dissensus svg{display:block;height:auto}", "").replace(".dissensus svg ", "")
    for name, colour in REPORT.items():
        style = style.replace(f"var(--{name})", colour)
    values = f"const STYLE = {json.dumps(style)}, PAPER = {json.dumps(PAPER)};"
    return f"<script>(() => {{{values}{_SCRIPT}}})();</script>"


_SCRIPT = """
const SVG = "http://www.w3.org/2000/svg";
const make = (name, values, text) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(values)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
};
const save = (name, blob) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};
const drawn = (figure) => {
  const copy = figure.querySelector("svg").cloneNode(true);
  const {width, height} = copy.viewBox.baseVal;
  copy.removeAttribute("style");
  copy.prepend(make("style", {}, STYLE), make("rect", {width, height, fill: PAPER}, ""));
  return [new XMLSerializer().serializeToString(copy), width, height];
};
const ways = {
  SVG: (figure, name) => save(name + ".svg", new Blob([drawn(figure)[0]], {type: "image/svg+xml"})),
  PNG: (figure, name) => {
    const [text, width, height] = drawn(figure);
    const picture = new Image();
    picture.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [3 * width, 3 * height];
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(name + ".png", blob), "image/png");
    };
    picture.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(text);
  },
  CSV: (figure, name) => {
    const quoted = (cell) => '"' + cell.textContent.replaceAll('"', '""') + '"';
    const lines = [...figure.querySelector("table").rows].map((row) => [...row.cells].map(quoted).join(","));
    save(name + ".csv", new Blob([lines.join("\\r\\n") + "\\r\\n"], {type: "text/csv"}));
  },
};
for (const figure of document.querySelectorAll("figure[data-file]")) {
  if (!figure.querySelector("svg")) continue;
  const row = document.createElement("div");
  row.className = "save";
  row.append("Save as");
  for (const [kind, act] of Object.entries(ways)) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    const title = figure.querySelector("figcaption").firstChild.textContent;
    button.setAttribute("aria-label", "Save as " + kind + ": " + title);
    button.onclick = () => act(figure, figure.dataset.file);
    row.append(button);
  }
  figure.insertBefore(row, figure.querySelector("details"));
}
"""
