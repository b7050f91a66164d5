"""Claims of a paper, and the findings about them.

What a paper states is in its `claims.toml`, with the fields of `Claim`; the judges are in its Python.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dissensus.labels.intervals import Interval
from dissensus.papers.combined_judges import Judge
from dissensus.papers.outcomes import Judgement, Verdict
from dissensus.papers.texts import read_texts


def table_of(source: str) -> str:
    """Return the table or figure that a source names first."""
    return re.split("[,;]", source)[0]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement of a paper that a reproduction can contradict.

    Attributes
    ----------
    key : str
        Unique within the paper, such as "table-3-chaosnli-kl".
    claim : str
        The statement in our words.
    source : str
        Table, figure or section, with the row.
    published : str
        The number as printed, with the meaning of its ±; for a claim without numbers, the statement itself. May be
        left out if the judge compares numbers that the paper prints.
    judge : Judge
        Turns evidence into a verdict.
    missing : str
        Why the claim cannot be tested if a run has none of its numbers; by default, that this scale does not run it.

    Examples
    --------
    >>> from dissensus.papers.judges import less
    >>> judge = less("kl", "soft", than="hard")
    >>> Claim(key="kl", claim="Soft labels lower KL", source="table 3, ChaosNLI", judge=judge).table
    'table 3'
    """

    key: str
    claim: str
    source: str
    judge: Judge
    published: str = ""
    missing: str = ""

    @property
    def table(self) -> str:
        """The table or figure of the claim, by the name it has among the published numbers."""
        return table_of(self.source)


def read_statements(paper: str) -> Callable[..., Claim]:
    """Read `claims.toml` of a paper, such as "singh2025", and return a function that makes a claim of a statement.

    It takes the key of the statement as in the file, a judge, and the words for its {names}.
    """
    fill = read_texts(paper, "claims.toml")

    def claim(key: str, judge: Judge, /, **words: Any) -> Claim:
        return Claim(judge=judge, **fill(key, words))

    return claim


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The result of a reproduction about one claim: a judgement and its texts for tables.

    Attributes
    ----------
    judgement : Judgement
        The verdict, and all numbers behind it by model and epoch.
    ours : str
        The number with its interval, and the number of runs behind it.
    published : str
        The number as printed.
    reason : str
        Why it is undecided or differs; may be empty.
    evidence : str
        Model and epoch that decided, with its accuracy; may be empty.
    others : str
        What other models give; may be empty.

    Examples
    --------
    >>> from dissensus.papers.outcomes import Judgement
    >>> Finding(judgement=Judgement(verdict="equal"), ours="1,797", published="1,797").verdict
    'equal'
    """

    judgement: Judgement
    ours: str
    published: str
    reason: str = ""
    evidence: str = ""
    others: str = ""

    @property
    def verdict(self) -> Verdict:
        return self.judgement.verdict

    @property
    def value(self) -> Interval | None:
        """The number that decided, with its interval."""
        outcome = self.judgement.deciding
        return None if outcome is None else outcome.value


def claim_entry(claim: Claim, finding: Finding) -> dict[str, Any]:
    return {
        "key": claim.key,
        "claim": claim.claim,
        "source": claim.source,
        "published": finding.published,
        "ours": finding.ours,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "evidence": finding.evidence,
        "others": finding.others,
        "judgement": finding.judgement.as_json(),
    }


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a question that goes beyond a paper, and the parts that it was computed from."""

    question: str
    answer: str
    parts: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Conclusion:
    """The top of a paper's page.

    short     what came out, in two sentences with numbers
    practice  what a practitioner should do with it
    caution   what this run cannot say
    """

    short: str
    practice: str
    caution: str
