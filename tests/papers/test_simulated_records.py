"""The claims of all papers on runs as they were recorded, with their effects replaced by none or by the published ones.

Everything else is real: models, epochs, number of runs, labels shown, spreads and correlations of the arms over runs.
`test_simulated_papers` has the papers' own sizes.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.claims import Claim
from dissensus.papers.evidence import Evidence, Number, Runs, read_evidence
from dissensus.papers.paper import Paper
from dissensus.papers.strength import SHOWN
from studies.pages import RECORDS, records
from tests.papers.test_simulated_papers import (
    HOLDS,
    claims_about_printed_differences,
    expressions,
    is_about_arms,
    printed_numbers,
)

ROUNDS = 10
RECORDED = {name: read_evidence(RECORDS / f"{name}-{record['scale']}.csv") for name, record in records().items()}


def draw_again(runs: Runs, mean: float, noise: np.ndarray) -> Runs:
    """New runs around a mean, with the spread of these; the same noise keeps the correlation of two arms.

    noise: (runs, runs) standard normal
    """
    values = np.array(list(runs.values()))
    return dict(zip(runs, mean + noise @ (values - values.mean()) / np.sqrt(values.size - 1), strict=True))


def simulate(paper: Paper, rng: np.random.Generator, effect: bool) -> Evidence:
    """Recorded runs around the printed means where there are some; without an effect, around one mean for all arms."""
    printed = printed_numbers(paper)
    simulated = {}
    for candidate, known in RECORDED[paper.name].values.items():
        means = {number: float(np.mean(list(runs.values()))) for number, runs in known.items()}
        common: dict[tuple[str, str], list[float]] = {}
        for number, mean in means.items():
            common.setdefault((number.metric, number.where), []).append(mean)
        noise: dict[tuple[str, ...], np.ndarray] = {}
        drawn: dict[Number, Runs] = {}
        for number, runs in known.items():
            if len(runs) < 2 or number.metric == SHOWN:
                drawn[number] = runs
                continue
            own = noise.setdefault(tuple(runs), rng.normal(size=(len(runs), len(runs))))
            theirs = printed[number][0].value if number in printed else means[number]
            mean = theirs if effect else float(np.mean(common[number.metric, number.where]))
            drawn[number] = draw_again(runs, mean, own)
        simulated[candidate] = drawn
    return Evidence(simulated)


def verdict_shares(paper: Paper, claims: list[Claim], effect: bool) -> dict[str, float]:
    rng = np.random.default_rng(30)
    counts: Counter[str] = Counter()
    for _ in range(ROUNDS):
        evidence = simulate(paper, rng, effect)
        counts.update(claim.judge.judge(evidence, paper.published, claim.table).verdict for claim in claims)
    return {verdict: count / counts.total() for verdict, count in counts.items()}


def judged(paper: Paper, claims: list[Claim]) -> list[Claim]:
    """Claims of which the record has all numbers."""
    known = RECORDED[paper.name]
    return [claim for claim in claims if claim.judge.judge(known, paper.published, claim.table).outcomes]


@pytest.mark.parametrize("name", PAPERS)
def test_recorded_runs_without_an_effect_confirm_at_most_5_percent_of_the_claims(name: str) -> None:
    paper = PAPERS[name]
    claims = judged(paper, [claim for claim in paper.claims if expressions(claim.judge) and is_about_arms(claim)])
    shares = verdict_shares(paper, claims, effect=False)
    assert len(claims) >= 20 and sum(shares.get(verdict, 0.0) for verdict in HOLDS) <= 0.05


@pytest.mark.parametrize("name", PAPERS)
def test_recorded_runs_with_the_published_effects_contradict_at_most_5_percent_of_the_claims(name: str) -> None:
    paper = PAPERS[name]
    claims = judged(paper, list(claims_about_printed_differences(paper)))
    assert len(claims) > 10 and verdict_shares(paper, claims, effect=True).get("differs", 0.0) <= 0.05
