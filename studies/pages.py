"""The pages of docs/papers, from the records in studies/papers.

python studies/pages.py        writes docs/papers/*.md and their figures

A record is DIR/record.json of `dissensus reproduce NAME --scale laptop -o DIR`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.pages import index_page, write_page
from dissensus.papers.record import read_record

ROOT = Path(__file__).parent.parent
RECORDS = ROOT / "studies" / "papers"


def records(folder: Path = RECORDS) -> dict[str, dict[str, Any]]:
    """Read the record of each paper at the largest recorded scale."""
    chosen = {}
    for name in PAPERS:
        places = [folder / f"{name}-{scale}.json" for scale in ("full", "laptop", "quick")]
        place = next((place for place in places if place.exists()), None)
        if place is not None:
            chosen[name] = read_record(place)
    return chosen


def write_pages(folder: Path) -> None:
    """Write one page per paper, and one for all."""
    chosen = records()
    for name, record in chosen.items():
        source = f"studies/papers/{name}-{record['scale']}.json"
        write_page(record, folder / f"{name}.md", figures="../figures/papers", source=source)
    (folder / "index.md").write_text(index_page(list(chosen.values())), encoding="utf-8")


if __name__ == "__main__":
    write_pages(ROOT / "docs" / "papers")
