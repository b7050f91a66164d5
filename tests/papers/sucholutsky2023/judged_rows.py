"""Judge all claims by some measured rows; claims whose numbers are missing cannot be tested."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dissensus.papers.evidence import Candidate, Number, collect
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.outcomes import Judgement
from dissensus.papers.sucholutsky2023.paper import PAPER

HOLDS = ("equal", "same direction")
Row = tuple[Candidate, Number, Mapping[str, float]]


def judge_rows(rows: Iterable[Row]) -> dict[str, Judgement]:
    return judgements(judge_claims(PAPER, collect(rows)))


def verdicts(judged: Mapping[str, Judgement], keys: Iterable[str]) -> dict[str, str]:
    return {key: judged[key].verdict for key in keys}
