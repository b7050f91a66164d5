"""Judge the claims of a paper by evidence, right after a run or later from the stored table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from dissensus.labels.as_json import as_json
from dissensus.papers.claims import Claim, Finding, claim_entry
from dissensus.papers.deciding import not_run
from dissensus.papers.evidence import Evidence, read_evidence
from dissensus.papers.outcomes import Judgement
from dissensus.papers.paper import Paper
from dissensus.papers.strength import levels
from dissensus.papers.wording import (
    describe_evidence,
    describe_judgement,
    describe_others,
    describe_printed,
    describe_reason,
)


def judge_claims(paper: Paper, evidence: Evidence) -> dict[str, Finding]:
    return {claim.key: _finding(claim, evidence, paper) for claim in paper.claims}


def judgements(findings: Mapping[str, Finding]) -> dict[str, Judgement]:
    return {key: finding.judgement for key, finding in findings.items()}


def judge_again(paper: Paper, record: Mapping[str, Any], evidence: str | Path) -> dict[str, Any]:
    """Apply the present claims and rules to an earlier record, by the evidence next to it, without any training.

    Origin and figures stay as they are in the record.
    """
    known = read_evidence(evidence)
    findings = judge_claims(paper, known)
    claims = [claim_entry(claim, findings[claim.key]) for claim in paper.claims]
    conclusion = asdict(paper.conclude(judgements(findings))) if paper.conclude else None
    strong = [asdict(level) for level in levels(known, paper.published)]
    return {
        **record,
        "claims": claims,
        "conclusion": conclusion,
        "headlines": list(paper.headlines),
        "levels": as_json(strong),
    }


def _finding(claim: Claim, evidence: Evidence, paper: Paper) -> Finding:
    judgement = claim.judge.judge(evidence, paper.published, claim.table)
    if claim.missing and judgement.reason == not_run().reason:
        judgement = replace(judgement, reason=claim.missing)
    return Finding(
        judgement=judgement,
        ours=describe_judgement(judgement, paper.names),
        published=claim.published or describe_printed(claim.judge, paper.published, claim.table, paper.names),
        reason=describe_reason(judgement, paper.names),
        evidence=describe_evidence(judgement, paper.names),
        others=describe_others(judgement, paper.names),
    )
