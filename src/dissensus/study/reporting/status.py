"""The status of a study as a document."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dissensus.report.document import Document, Section
from dissensus.report.tables import Column, Table
from dissensus.study.status import Status


def describe_status(status: Status, folder: Path) -> Document:
    """Make the document of a study's status: cells done, failed and missing, the running process, and the errors."""
    sections = []
    if status.older:
        sections.append(Section("Cells made by other code", [Table(["commit", "cells"], [*status.older.items()])]))
    if status.failed:
        columns = (Column("cells"), Column("error", wraps=True), Column("traceback"))
        sections.append(Section("Failures", [Table(columns, list_failures(status.failed, folder))]))
    return Document(
        status.name,
        f"{_count_cells(status)} {_describe_process(status)}".strip(),
        facts=[("cells in the folder that are not part of the study", status.others)] if status.others else [],
        sections=sections,
    )


def list_failures(failures: Mapping[str, str], folder: Path) -> list[tuple[int, str, str]]:
    """List each error once: its number of cells, its message, and a record that has the traceback.

    failures : cell -> error
    """
    cells: dict[str, list[str]] = {}
    for cell, error in failures.items():
        cells.setdefault(" ".join(error.split()), []).append(cell)
    rows = [(len(same), error, str(folder / "cells" / same[0] / "record.json")) for error, same in cells.items()]
    return sorted(rows, key=lambda row: -row[0])


def _count_cells(status: Status) -> str:
    if status.done == status.cells:
        return f"All {status.cells:,} cells are done."
    counts = [f"{status.done:,} of {status.cells:,} cells are done"]
    counts += [f"{len(status.failed):,} failed"] if status.failed else []
    counts += [f"{status.missing:,} {'is' if status.missing == 1 else 'are'} missing"] if status.missing else []
    return f"{', '.join(counts)}."


def _describe_process(status: Status) -> str:
    if (who := status.running) is not None:
        return f"Process {who['pid']} on {who['host']} has been running since {who['since']}."
    if (who := status.cut_off) is not None:
        by = f"process {who['pid']} on {who['host']}"
        return f"The run of {who['since']} ({by}) was interrupted; `study run` resumes it."
    if status.missing:
        return "The study is not running; `study run` runs the missing cells."
    return ""
