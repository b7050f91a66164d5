"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from dissensus.papers.claims import Finding
from dissensus.papers.gheibi2026.evidence import Evidence
from dissensus.papers.gheibi2026.findings_inside import (
    curvature_findings,
    elsewhere_findings,
    proposition_findings,
    representation_findings,
    target_findings,
)
from dissensus.papers.gheibi2026.findings_main import dynamics_findings, family_findings, main_findings
from dissensus.papers.gheibi2026.findings_sweep import stale_findings, sweep_findings
from dissensus.papers.paper import Results, Scale


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each claim, by its key."""
    evidence = Evidence(results, scale)
    by_key = proposition_findings(results.numbers["proposition"])
    for of in (
        sweep_findings,
        target_findings,
        stale_findings,
        main_findings,
        dynamics_findings,
        family_findings,
        curvature_findings,
        representation_findings,
        elsewhere_findings,
    ):
        by_key |= of(evidence)
    return by_key
