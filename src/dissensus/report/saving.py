"""Buttons below figures that save them as SVG, PNG and CSV where scripts may run."""

from __future__ import annotations

import json

from dissensus.report.colours import PAPER, REPORT
from dissensus.report.style import FIGURES


def saving_script() -> str:
    """The script of a page: what is saved has the colours of the day on white, also by night.

    It has no `<` and no `&`, so that a page with it is still well-formed XML.
    """
    style = FIGURES.replace(".dissensus svg{display:block;height:auto}", "").replace(".dissensus svg ", "")
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
    if (kind === "CSV") if (!figure.querySelector("table")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = kind;
    const caption = figure.querySelector("figcaption");
    const title = caption ? caption.firstChild.textContent : figure.dataset.file;
    button.setAttribute("aria-label", "Save as " + kind + ": " + title);
    button.onclick = () => act(figure, figure.dataset.file);
    row.append(button);
  }
  figure.insertBefore(row, figure.querySelector(":scope > details"));
}
"""
