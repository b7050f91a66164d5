"""The page of the networks behind the records: how good each is next to the paper's, and how long it took.

Networks are the models that a record of scale overnight has and that are no heads. The accuracy and the loss are of the
labels that no method under test changes, as in "Which models are strong enough".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.evidence import Candidate, Evidence, Number, read_evidence
from dissensus.papers.pages import write_markdown
from dissensus.report.document import Column, Document, Section, Table, Text

Record = Mapping[str, Any]
LOSSES = ("soft_nll", "ce")  # cross-entropy to people's answers, as papers name it
WALL_TIME = (
    "Wall time of parts of ten minutes or more. Most used one core of two, next to other work, "
    "so a free machine is faster."
)
ACCURACIES = ("accuracy", "accuracy_home")


def describe_networks(records: Sequence[Record], evidence: Mapping[str, Evidence]) -> Document:
    """Return a page with every network of the records, and the hours of the parts that trained it."""
    networks = [row for record in records for row in _networks(record, evidence[record["paper"]])]
    parts = [
        (record["paper"], name, part["seconds"] / 3600, part["commit"])
        for record in records
        for name, part in record["parts"].items()
        if part["seconds"] >= 600 and record["paper"] in {row[0] for row in networks}
    ]
    columns = [*map(Column, ("paper", "network, epoch", "learned from", "runs"))]
    columns += [Column("accuracy, %", ".1f"), Column("soft NLL", ".3f"), Column("soft NLL in the paper", ".3f")]
    hours = [*map(Column, ("paper", "part")), Column("hours", ".1f"), Column("commit")]
    return Document(
        title="Networks behind the verdicts",
        answer="Networks that two cores train overnight, next to those of the papers.",
        sections=[
            Section("How good they are", [Table(columns, networks)]),
            Section("How long they took", [Text(WALL_TIME), Table(hours, parts)]),
        ],
    )


def _networks(record: Record, evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    levels, names = record["levels"], PAPERS[record["paper"]].names
    printed = {(level["arm"], level["where"]): level["printed"] for level in levels if level["metric"] in LOSSES}
    for candidate in evidence.values:
        if not candidate.model or candidate.model.startswith("heads"):
            continue
        for arm, where in dict.fromkeys((level["arm"], level["where"]) for level in levels):
            accuracy, loss = (_runs(evidence, candidate, metrics, arm, where) for metrics in (ACCURACIES, LOSSES))
            if accuracy and loss:
                share = float(np.mean(accuracy))
                yield (
                    record["paper"],
                    ", ".join(names.get(name, name) for name in candidate if name),
                    ", ".join(names.get(name, name) for name in (arm, where) if name),
                    len(loss),
                    share if share > 1 else 100 * share,  # some papers print shares
                    float(np.mean(loss)),
                    printed.get((arm, where)),
                )


def _runs(evidence: Evidence, candidate: Candidate, metrics: Sequence[str], arm: str, where: str) -> list[float]:
    """Values of the first of the metrics that was measured."""
    each = (evidence.runs(candidate, Number(metric, arm, where)) for metric in metrics)
    return list(next(filter(None, each), {}).values())


def write_networks(records: Mapping[str, Record], folder: Path, path: Path) -> None:
    """Write the page as Markdown, from the records of scale overnight."""
    nights = {name: record for name, record in records.items() if record["scale"] == "overnight"}
    evidence = {name: read_evidence(folder / f"{name}-overnight.csv") for name in nights}
    write_markdown(describe_networks(list(nights.values()), evidence), path, "figures")
