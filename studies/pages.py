"""The pages of docs/papers, from the records in studies/papers.

python -m studies.pages        judges every record again, then writes docs/papers/*.md and their figures

A record is DIR/record.json of `dissensus reproduce NAME --scale laptop -o DIR`. DIR/evidence.csv is stored next to it,
as NAME-laptop.csv; claims are judged from that table by the present rules, without training.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dissensus.files.whole_files import write_text
from dissensus.labels.as_json import json_text
from dissensus.papers.catalogue import PAPERS
from dissensus.papers.index import write_index
from dissensus.papers.judging import judge_again
from dissensus.papers.pages import write_page
from dissensus.papers.paper import SCALES
from dissensus.papers.record import read_record
from studies.networks import write_networks

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "studies" / "papers"


def records(folder: Path = RECORDS) -> dict[str, dict[str, Any]]:
    """Read the record of each paper at the largest recorded scale."""
    chosen = {}
    for name in PAPERS:
        places = [folder / f"{name}-{scale}.json" for scale in reversed(SCALES)]
        place = next((place for place in places if place.exists()), None)
        if place is not None:
            chosen[name] = read_record(place)
    return chosen


def judge_record(path: Path) -> dict[str, Any]:
    """Judge the claims of a stored record by the present rules."""
    record = json.loads(path.read_text(encoding="utf-8"))
    return judge_again(PAPERS[record["paper"]], record, path.with_suffix(".csv"))


def write_records(folder: Path = RECORDS) -> None:
    """Store every record as judged by the present rules."""
    for path in sorted(folder.glob("*.json")):
        write_text(json_text(judge_record(path), indent=1, ascii_only=False) + "\n", path)


def write_pages(folder: Path) -> None:
    """Write one page per paper, and one for all."""
    chosen = records()
    for name, record in chosen.items():
        source = f"studies/papers/{name}-{record['scale']}.json"
        write_page(
            record, folder / f"{name}.md", figures="../figures/papers", source=source, claims=f"{name}-claims.md"
        )
    write_index(list(chosen.values()), folder / "index.md", figures="../figures/papers")
    write_networks(chosen, RECORDS, folder / "networks.md")


if __name__ == "__main__":
    write_records()
    write_pages(ROOT / "docs" / "papers")
