"""All claims of all papers on simulated runs: with no effect they do not hold, with the published effect they do.

Every printed mean is simulated at the paper's own number of runs with its printed spread. Without an effect, a mean
whose spread is not printed varies by 2%. With the published effect, claims are left out whose printed difference is not
clear by the paper's own spread.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import numpy as np
import pytest

from dissensus.papers.catalogue import PAPERS
from dissensus.papers.claims import Claim
from dissensus.papers.combined_judges import Each, Judge
from dissensus.papers.evidence import Candidate, Evidence, Number, collect
from dissensus.papers.expressions import Expression, difference
from dissensus.papers.judges import Direction, HoldsIn
from dissensus.papers.paper import Paper
from dissensus.papers.published import Printed, PublishedTable

MODEL = Candidate("simulated", "best")
SPREAD = 0.02  # of a mean whose spread is not printed
SUPPORT = 4.0  # standard errors of a printed difference
ROUNDS = 20
HOLDS = ("equal", "same direction")


def printed_numbers(paper: Paper) -> dict[Number, tuple[Printed, PublishedTable]]:
    known: dict[Number, tuple[Printed, PublishedTable]] = {}
    for table in paper.published.tables:
        for metric, arms in table.numbers.items():
            for arm, printed in arms.items():
                known.setdefault(Number(metric, arm, table.where), (printed, table))
    return known


def simulate(paper: Paper, seed: int, effect: bool) -> Evidence:
    """Runs around the printed means; without an effect, all arms of a metric and condition have one mean."""
    known = printed_numbers(paper)
    rng = np.random.default_rng([seed, zlib.crc32(paper.name.encode())])
    bases: dict[tuple[str, str], float] = {}
    rows = []
    for number, (printed, table) in known.items():
        base = bases.setdefault((number.metric, number.where), printed.value)
        mean = printed.value if effect else base
        sd = printed.sd if printed.sd is not None else SPREAD * abs(mean)
        values = mean + rng.normal(0, sd, max(table.runs, 3))
        rows.append((MODEL, number, {f"run {place}": value for place, value in enumerate(values)}))
    return collect(rows)


def expressions(judge: Judge | None) -> list[Expression]:
    if isinstance(judge, Direction):
        return [judge.expression]
    if isinstance(judge, HoldsIn):
        return list(judge.expressions)
    if isinstance(judge, Each):
        parts = [expressions(part) for part in judge.judges]
        return [expression for part in parts for expression in part] if all(parts) else []
    return []


def claims_about_printed_differences(paper: Paper) -> Iterator[Claim]:
    known = printed_numbers(paper)
    for claim in paper.claims:
        numbers = [number for expression in expressions(claim.judge) for number in expression.numbers]
        if numbers and all(number in known for number in numbers):
            yield claim


def is_about_arms(claim: Claim) -> bool:
    """Whether equal arms make all its differences zero; gains are numbers of one arm."""
    for expression in expressions(claim.judge):
        sums: dict[tuple[str, str], float] = {}
        for weight, number in expression.terms:
            sums[number.metric, number.where] = sums.get((number.metric, number.where), 0.0) + weight
        if any(sums.values()):
            return False
    return True


def share_that_holds(paper: Paper, claims: list[Claim], effect: bool) -> float:
    verdicts = []
    for seed in range(ROUNDS):
        evidence = simulate(paper, seed, effect)
        for claim in claims:
            assert claim.judge is not None
            verdicts.append(claim.judge.judge(evidence, paper.published, claim.table).verdict in HOLDS)
    return float(np.mean(verdicts))


def is_supported(paper: Paper, claim: Claim) -> bool:
    """Whether the printed means of a claim, and of its control, differ by more than 4 printed standard errors."""
    return all(
        _is_clear(paper, expression, claim.table) and _has_clear_control(paper, expression, claim.table)
        for expression in expressions(claim.judge)
    )


def _is_clear(paper: Paper, expression: Expression, source: str) -> bool:
    known = printed_numbers(paper)
    effect = expression.published_value(paper.published, source)
    if effect is None or any(known[number][0].sd is None for number in expression.numbers):
        return False
    return abs(effect) >= SUPPORT * expression.published_error(paper.published, source)


def _has_clear_control(paper: Paper, expression: Expression, source: str) -> bool:
    metric, _, where = expression.terms[0][1]
    table = paper.published.table(source, where)
    tables = [table, paper.published.table(table.control, where)] if table is not None else []
    contrasts = [contrast for table in tables if table is not None for contrast in table.contrasts(metric)]
    if not contrasts:
        return True
    arm, base, _ = max(contrasts, key=lambda contrast: abs(contrast[2]))
    return _is_clear(paper, difference(metric, arm, base, where), source)


JUDGED = {name: list(claims_about_printed_differences(paper)) for name, paper in PAPERS.items()}
SUPPORTED = [name for name, claims in JUDGED.items() if any(is_supported(PAPERS[name], claim) for claim in claims)]


@pytest.mark.parametrize("name", [name for name, claims in JUDGED.items() if claims])
def test_without_an_effect_at_most_5_percent_of_the_claims_hold(name: str) -> None:
    claims = [claim for claim in claims_about_printed_differences(PAPERS[name]) if is_about_arms(claim)]
    assert share_that_holds(PAPERS[name], claims, effect=False) <= 0.05


@pytest.mark.parametrize("name", SUPPORTED)
def test_the_published_effects_hold_at_the_papers_own_size(name: str) -> None:
    claims = [claim for claim in claims_about_printed_differences(PAPERS[name]) if is_supported(PAPERS[name], claim)]
    assert share_that_holds(PAPERS[name], claims, effect=True) >= 0.9
