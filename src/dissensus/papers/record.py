"""The record of a reproduction: every claim, its finding, and where the numbers come from."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.labels.as_json import as_json, json_text
from dissensus.papers.claims import Answer, Claim, Conclusion, Finding, claim_entry
from dissensus.papers.figures import Figure, figure_of
from dissensus.papers.outcomes import VERDICTS
from dissensus.papers.paper import Scale
from dissensus.papers.strength import Level

RECORD = "record.json"


@dataclass(frozen=True, kw_only=True)
class PartRun:
    """The origin of the numbers of a part.

    seconds  total run time
    commit   of the code; several commits if it was run in several sessions
    data     checksums by data set
    """

    seconds: float
    commit: str
    data: Mapping[str, str]


@dataclass(frozen=True)
class Row:
    """A claim and its finding."""

    claim: Claim
    finding: Finding


@dataclass(frozen=True, kw_only=True)
class Reproduction:
    """Claims of a paper with their findings.

    rows         one per claim, in the order of the paper
    differences  rows (aspect, in the paper, here)
    parts        origin of the numbers, by part
    figures      figures of the page
    beyond       answers to questions beyond the paper
    headlines    keys of the claims that the paper is about
    conclusion   top of the page
    unfinished   parts of this scale that have not been run
    stopped      those of them that an earlier part has stopped, with the reason
    levels       how good each model is, next to the paper's
    """

    paper: str
    scale: Scale
    title: str
    citation: str
    rows: tuple[Row, ...]
    differences: tuple[tuple[str, str, str], ...]
    command: str
    hardware: str
    parts: Mapping[str, PartRun]
    figures: tuple[Figure, ...] = ()
    beyond: tuple[Answer, ...] = ()
    headlines: tuple[str, ...] = ()
    conclusion: Conclusion | None = None
    unfinished: tuple[str, ...] = ()
    stopped: Mapping[str, str] = field(default_factory=dict)
    levels: tuple[Level, ...] = ()

    @property
    def seconds(self) -> float:
        return sum(part.seconds for part in self.parts.values())

    def count(self, verdict: str) -> int:
        return sum(row.finding.verdict == verdict for row in self.rows)

    def __str__(self) -> str:
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in VERDICTS if self.count(verdict))
        return f"{self.paper} at scale {self.scale}: {len(self.rows)} claims, {counts}"

    def brief(self) -> dict[str, Any]:
        """Claims and findings for programs; the record has all details."""
        rows = [
            {
                "claim": row.claim.claim,
                "source": row.claim.source,
                "published": row.finding.published,
                "ours": row.finding.ours,
                "verdict": row.finding.verdict,
            }
            for row in self.rows
        ]
        return {"paper": self.paper, "scale": self.scale, "claims": rows}

    def as_json(self) -> dict[str, Any]:
        """One entry per claim, with everything needed to check it."""
        return {
            "paper": self.paper,
            "scale": self.scale,
            "claims": [claim_entry(row.claim, row.finding) for row in self.rows],
            "title": self.title,
            "citation": self.citation,
            "shrunk": [list(row) for row in self.differences],
            "command": self.command,
            "hardware": self.hardware,
            "seconds": round(self.seconds, 1),
            "parts": {name: asdict(part) for name, part in self.parts.items()},
            "figures": [figure.as_json() for figure in self.figures],
            "beyond": [asdict(answer) for answer in self.beyond],
            "headlines": list(self.headlines),
            "conclusion": asdict(self.conclusion) if self.conclusion else None,
            "unfinished": list(self.unfinished),
            "stopped": dict(self.stopped),
            "levels": as_json([asdict(level) for level in self.levels]),
        }

    def write(self, path: str | Path) -> None:
        write_text(json_text(self.as_json(), indent=1, ascii_only=False) + "\n", Path(path))


def read_record(path: str | Path) -> dict[str, Any]:
    """Read the record that a reproduction wrote, with its figures as values.

    Parameters
    ----------
    path : path of record.json

    Returns
    -------
    dict

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("record.json").write_text('{"paper": "tiny", "claims": [], "figures": []}')
    >>> read_record("record.json")["paper"]
    'tiny'
    """
    stored: dict[str, Any] = json.loads(Path(path).read_text(encoding="utf-8"))
    return stored | {"figures": [figure_of(entry) for entry in stored["figures"]]}


def add_known(made: Reproduction, known: Mapping[str, Any]) -> Reproduction:
    """Add parts, figures and answers of an earlier record that a run did not make."""
    parts = {name: PartRun(**part) for name, part in known["parts"].items() if name not in made.parts}
    drawn, asked = {figure.key for figure in made.figures}, {answer.question for answer in made.beyond}
    return replace(
        made,
        parts={**parts, **made.parts},
        figures=(*made.figures, *(figure for figure in known["figures"] if figure.key not in drawn)),
        beyond=(*made.beyond, *(Answer(**entry) for entry in known["beyond"] if entry["question"] not in asked)),
    )


def hardware() -> str:
    name = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"
