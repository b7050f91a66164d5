"""The figure of docs/networks.md, from the record of studies/deliveries.py.

python studies/deliveries_figure.py        writes docs/figures/deliveries_5_votes.svg
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.report.charts import Line, line_chart
from dissensus.report.svg import as_file

ROOT = Path(__file__).parent.parent
FIGURE = ROOT / "docs" / "figures" / "deliveries_5_votes.svg"
SHOWN = ("majority", "soft", "sls", "multipass")


def figure(record: dict[str, Any]) -> str:
    """Soft NLL on the images held out after each epoch, with 5 votes for each training image: mean and range."""
    lines = []
    for method in SHOWN:
        curves = np.array(
            [
                cell["soft NLL by epoch"]
                for cell in record["cells"]
                if (cell["setting"], cell["votes"], cell["method"]) == ("flip", 5, method)
            ]
        )  # (seeds, epochs)
        epochs = np.arange(1, curves.shape[1] + 1)
        lines.append(Line(method, epochs, curves.mean(axis=0), curves.min(axis=0), curves.max(axis=0)))
    return as_file(line_chart(lines, "epoch", "soft NLL on images held out, nats", marks=False))


if __name__ == "__main__":
    FIGURE.write_text(figure(json.loads((ROOT / "studies" / "results" / "deliveries.json").read_text())))
