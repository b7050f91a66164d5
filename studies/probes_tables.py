"""The tables of the study of probes: the papers' results and ours.

python -m studies.probes_tables [FILE]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

RECORD = Path(__file__).parent / "results" / "probes.json"
COLUMNS = (("flip", "best"), ("flip", "last"), ("crop", "best"), ("crop", "last"))
DETECTORS = {
    "energy": "energy",
    "odin": "ODIN",
    "entropy": "entropy",
    "msp": "MSP",
    "knn": "nearest neighbours",
    "margin": "logit margin",
}


@dataclass(frozen=True)
class Claim:
    """What a paper says of two methods: that the first has less (-1) or more (1) of something than the second."""

    what: str
    score: str
    first: str
    second: str
    direction: int
    paper: str
    digits: int = 1


CLAIMS = (
    Claim("largest eigenvalue", "lambda max, all", "sls", "soft", -1, "104.9 < 242.2"),
    Claim("largest eigenvalue", "lambda max, all", "multipass", "soft", -1, "103.8 < 242.2"),
    Claim("largest eigenvalue, most disputed", "lambda max, disputed", "sls", "soft", -1, "314.0 < 780.6"),
    Claim("trace", "trace, all", "sls", "soft", -1, "1,634 < 4,946", 0),
    Claim("trace", "trace, all", "multipass", "soft", -1, "1,571 < 4,946", 0),
    Claim("trace, most disputed", "trace, disputed", "sls", "soft", -1, "3,497 < 10,780", 0),
    *(
        Claim(f"AUROC on CIFAR-100, {title}", f"AUROC CIFAR-100, {name}", "sls", "soft", 1, paper, 3)
        for (name, title), paper in zip(
            DETECTORS.items(),
            ("0.819 > 0.810", "0.819 > 0.811", "0.813 > 0.808", "0.803 > 0.797", "0.803 > 0.801", "0.783 > 0.778"),
            strict=True,
        )
    ),
    Claim(
        "cross-entropy after FGSM",
        "cross-entropy after fgsm 4",
        "soft",
        "majority",
        -1,
        "lower by about half for 8 of 8 networks",
        2,
    ),
    Claim(
        "the same, with a temperature for each network, on half of the images",
        "cross-entropy after fgsm 4, temperature, half",
        "soft",
        "majority",
        -1,
        "not asked",
        2,
    ),
    Claim("accuracy after FGSM", "accuracy after fgsm 4", "soft", "majority", 1, "higher for 5 of 8 networks", 3),
)


def claims_table(record: dict[str, Any]) -> str:
    """Each claim with the means of both methods, and in how many seeds it goes the paper's way."""
    cells = {
        (cell["setting"], which, cell["method"], cell["seed"]): cell[which]
        for cell in record["cells"]
        for which in ("best", "last")
    }
    seeds = sorted({cell["seed"] for cell in record["cells"]})
    methods = {(cell["setting"], cell["method"]) for cell in record["cells"]}
    lines = [_line(("", "papers", *(f"{setting}, {which}" for setting, which in COLUMNS))), _line(["---"] * 6)]
    for claim in CLAIMS:
        row = [f"{claim.what}: {claim.first} and {claim.second}", claim.paper]
        for setting, which in COLUMNS:
            if not {(setting, claim.first), (setting, claim.second)} <= methods:
                row.append("–")
                continue
            pairs = np.array(
                [
                    [cells[setting, which, method, seed][claim.score] for seed in seeds]
                    for method in (claim.first, claim.second)
                ]
            )
            same = int((np.sign(pairs[0] - pairs[1]) == claim.direction).sum())
            first, second = (f"{mean:,.{claim.digits}f}" for mean in pairs.mean(axis=1))
            row.append(f"{first} and {second}; {same} of {len(seeds)}")
        lines.append(_line(row))
    return "\n".join(lines)


def alike_table(record: dict[str, Any]) -> str:
    """What is found of pairs and of every network: barrier, likeness across seeds, gradient variance."""
    lines = [_line(("", "papers", *(f"{setting}, {which}" for setting, which in COLUMNS))), _line(["---"] * 6)]
    ways = record["barriers"]
    for name, paper in (("interpolated", "2.05 by one of the two"), ("renewed", "which is not said")):
        row = [f"barrier from soft to sls, batch norm {name}", paper]
        for setting, which in COLUMNS:
            heights = [way[f"barrier, {name}, {which}"] for way in ways if way["setting"] == setting]
            row.append(f"{np.mean(heights):.2f} ({min(heights):.2f} to {max(heights):.2f})")
        lines.append(_line(row))
    for score, paper in (
        ("CKA within", "0.920 and 0.887"),
        ("Grad-CAM stability", "0.901 and 0.804"),
        ("Grad-CAM stability, disputed", "0.861 and 0.756"),
    ):
        title = score.replace("disputed", "not all agree")  # of 3 answers: far more than a tenth of the images
        row = [f"{title}: sls and soft", paper]
        for setting, which in COLUMNS:
            values = {
                part["method"]: part[score]
                for part in record["alike"]
                if (part["setting"], part["network"]) == (setting, which)
            }
            row.append(f"{values['sls']:.3f} and {values['soft']:.3f}")
        lines.append(_line(row))
    row = ["gradient variance and entropy, Spearman", "0.939 (0.919 to 0.953)"]
    for setting, which in COLUMNS:
        values = [
            cell[which]["gradient variance and entropy"] for cell in record["cells"] if cell["setting"] == setting
        ]
        row.append(f"{np.mean(values):.3f} ({min(values):.3f} to {max(values):.3f})")
    return "\n".join([*lines, _line(row)])


def curvature_table(record: dict[str, Any]) -> str:
    """Curvature of every method, mean ± deviation over seeds, mirrored images."""
    scores = {"lambda max, all": 1, "lambda max, disputed": 1, "trace, all": 0, "trace, disputed": 0}
    titles = ("largest eigenvalue", "most disputed", "trace", "most disputed")
    lines = [_line(("delivery", "network", *titles)), _line(["---"] * 6)]
    for row in record["table"]:
        if row["setting"] == "flip":
            numbers = [
                f"{row[score]['mean']:,.{digits}f} ± {row[score]['deviation']:,.{digits}f}"
                for score, digits in scores.items()
            ]
            lines.append(_line((row["method"], row["network"], *numbers)))
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    record = json.loads(Path(sys.argv[1] if len(sys.argv) > 1 else RECORD).read_text(encoding="utf-8"))
    print(claims_table(record), alike_table(record), curvature_table(record), sep="\n\n")


if __name__ == "__main__":
    main()
