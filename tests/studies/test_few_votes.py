"""The recorded study of few votes: the page has the numbers of its report."""

from __future__ import annotations

from pathlib import Path

from tests.facts import states

ROOT = Path(__file__).parents[2]
REPORT = (ROOT / "studies" / "results" / "few_votes.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs" / "study.md").read_text(encoding="utf-8")


def row_of(votes: str, aggregation: str, delivery: str) -> dict[str, str]:
    """The row of an arm in the table of soft NLL, by the titles of its columns."""
    table = REPORT.split("### soft NLL, nats")[1].split("###")[0]
    titles, _, *rows = (
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if "|" in line
    )
    arm = " · ".join((votes, aggregation, delivery))
    return next(dict(zip(titles, row, strict=True)) for row in rows if row[0].removesuffix(" (baseline)") == arm)


def difference(votes: str, delivery: str) -> float:
    """Soft NLL of an arm without aggregation less that of its baseline."""
    return float(row_of(votes, "no aggregation", delivery)["difference"].split()[0])


def test_the_page_has_the_numbers_of_the_report():
    paragraph = next(" ".join(part.split()) for part in PAGE.split("\n\n") if "studies/few_votes.toml" in part)
    for votes in ("3 votes", "all votes"):
        assert row_of(votes, "no aggregation", "majority")["same direction"] == "10 of 10"
    assert states(paragraph, f"{difference('3 votes', 'majority'):.3f} with three votes", "10 of 10")
    assert states(paragraph, f"{difference('all votes', 'majority'):.3f} with all")
    sampled = [difference(votes, "sls") for votes in ("3 votes", "10 votes", "all votes")]
    assert states(paragraph, f"{min(sampled):.3f} to {max(sampled):.3f}")
    assert difference("1 vote", "majority") == 0
    means = [row_of("1 vote", how, "soft")["mean"].split()[0] for how in ("aggregation shrinkage", "no aggregation")]
    assert means == ["1.000", "0.479"] and states(paragraph, *means)
