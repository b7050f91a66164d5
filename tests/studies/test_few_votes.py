"""The recorded study of few votes: the page says what its report says."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def difference(report: str, arm: str) -> tuple[float, str]:
    """How far an arm's soft NLL is from its baseline's, and in how many seeds in that direction."""
    part = report.split("### soft NLL, nats")[1].split("###")[0]
    row = next(line for line in part.splitlines() if line.startswith(f"| {arm} |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    return float(cells[4].split()[0]), cells[7]


def test_the_page_says_what_the_report_says():
    report = (ROOT / "studies" / "results" / "few_votes.md").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")
    few, all_ = (difference(report, f"{votes} · no aggregation · majority") for votes in ("3 votes", "all votes"))
    assert few[1] == all_[1] == "10 of 10"
    assert f"{few[0]:.3f} with three votes" in page and f"{all_[0]:.3f} with all, in 10 of 10" in page
    sampled = [
        difference(report, f"{votes} · no aggregation · sls")[0] for votes in ("3 votes", "10 votes", "all votes")
    ]
    assert f"costs {min(sampled):.3f} to {max(sampled):.3f}" in page
    assert difference(report, "1 vote · no aggregation · majority")[0] == 0
    assert "| 1 vote · aggregation shrinkage · soft | 1.000" in report and "1.000 in" in page
