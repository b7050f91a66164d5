"""The figure of docs/probe.md, from the record of studies/probes.py.

python -m studies.probes_figure        writes docs/figures/probes_pgd.svg
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from dissensus.report.charts import Line, line_chart
from dissensus.report.svg import as_file
from studies.deliveries_figure import ROOT, SHOWN
from studies.probes_tables import RECORD

FIGURE = ROOT / "docs" / "figures" / "probes_pgd.svg"


def figure(record: dict[str, Any]) -> str:
    """Cross-entropy to the majority along the steps of PGD, networks after the last epoch: mean and range of seeds."""
    lines = []
    for method in SHOWN:
        curves = np.array(
            [
                [cell["last"][f"cross-entropy after {step} pgd steps"] for step in range(11)]
                for cell in record["cells"]
                if (cell["setting"], cell["method"]) == ("flip", method)
            ]
        )  # (seeds, steps + 1)
        steps = np.arange(curves.shape[1])
        lines.append(Line(method, steps, curves.mean(axis=0), curves.min(axis=0), curves.max(axis=0)))
    return as_file(line_chart(lines, "steps of PGD, 1 of 255 each, at most 4", "cross-entropy to the majority, nats"))


if __name__ == "__main__":
    FIGURE.write_text(figure(json.loads(RECORD.read_text(encoding="utf-8"))), encoding="utf-8")
