"""The pages on papers are made from their records, and from nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dissensus.papers.catalogue import PAPERS
from dissensus.report.markdown import escape_markdown
from studies.pages import ROOT, records, write_pages


def test_every_paper_has_a_record_with_all_its_claims() -> None:
    kept = records()
    assert list(kept) == list(PAPERS)
    for name, paper in PAPERS.items():
        assert [row["key"] for row in kept[name]["claims"]] == [claim.key for claim in paper.claims], name
        assert kept[name]["command"] == f"dissensus reproduce {name} --scale {kept[name]['scale']}"


def test_pages_are_what_the_records_give(tmp_path: Path) -> None:
    write_pages(tmp_path / "docs" / "papers")
    for kind in ("papers/*.md", "figures/papers/*.svg"):
        fresh = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "docs").glob(kind)}
        kept = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob(kind)}
        assert fresh == kept, f"run `python studies/pages.py`: {kind}"


@pytest.mark.parametrize("name", PAPERS)
def test_whoever_reads_a_page_gets_to_its_record_and_command(name: str) -> None:
    text = (ROOT / "docs" / "papers" / f"{name}.md").read_text(encoding="utf-8")
    record = records()[name]
    assert f"studies/papers/{name}-{record['scale']}.json" in text and record["command"] in text
    assert all(escape_markdown(row["ours"]) in text for row in record["claims"])
