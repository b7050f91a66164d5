"""Judges that combine others or judge nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from dissensus.papers.evidence import Evidence
from dissensus.papers.outcomes import Judgement, Verdict
from dissensus.papers.published import Published


class Judge(Protocol):
    """Turns evidence into a judgement; `source` names the published table that decides how strong a model must be."""

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement: ...


@dataclass(frozen=True)
class Each:
    """Several judges, all of which must agree; the least favourable verdict counts."""

    judges: tuple[Judge, ...]

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        made = [judge.judge(evidence, published, source) for judge in self.judges]
        order: tuple[Verdict, ...] = ("differs", "cannot be tested here", "too weak to tell", "same direction", "equal")
        worst = min(made, key=lambda judgement: order.index(judgement.verdict))
        return replace(worst, others=tuple(judgement for judgement in made if judgement is not worst))


@dataclass(frozen=True)
class Untestable:
    """A claim that nothing here can test."""

    reason: str

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        return Judgement(verdict="cannot be tested here", reason=self.reason)


@dataclass(frozen=True)
class Needs:
    """A judge that can judge only if somebody has data that were not released."""

    inner: Judge
    reason: str

    def judge(self, evidence: Evidence, published: Published, source: str) -> Judgement:
        made = self.inner.judge(evidence, published, source)
        return replace(made, reason=self.reason) if made.verdict == "cannot be tested here" else made
