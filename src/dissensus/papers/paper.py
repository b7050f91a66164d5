"""A paper as data: its claims, and what is run at which scale to test them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from dissensus.papers.claims import Answer, Claim, Conclusion
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import Expression
from dissensus.papers.figures import Figure
from dissensus.papers.outcomes import Judgement
from dissensus.papers.published import Published
from dissensus.papers.strength import Weakness, weaknesses
from dissensus.study.description import StudyFolder, read_folder
from dissensus.study.spec import Study
from dissensus.study.summary.summary import Summary, summarise_study

T = TypeVar("T")
Scale = Literal["quick", "laptop", "overnight", "full"]
SCALES: tuple[Scale, ...] = ("quick", "laptop", "overnight", "full")
Tell = Callable[[float], None]  # receives the share of a part that is done
Work = Callable[[Path, Mapping[str, Path], Tell], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What a part must show before a night is spent on others: the level of the paper, and a positive control.

    source      published table that has both
    candidate   model and epoch that must show them
    expression  the difference in question, which is not its own control
    stops       names of later parts that are not run if the gate stays closed
    """

    source: str
    candidate: Candidate
    expression: Expression
    stops: tuple[str, ...]

    def failures(self, evidence: Evidence, published: Published) -> list[Weakness]:
        """Conditions that the model fails: level or control."""
        failed = weaknesses(self.expression, self.candidate, evidence, published, self.source)
        return [name for name in failed if name in ("level", "control")]


@dataclass(frozen=True)
class Part:
    """A part of a reproduction with its own results, stored in a folder of its name.

    A part has either a study or work.

    Attributes
    ----------
    name : str
    work : (own folder, folders of the needed parts, progress callback) -> JSON value
    study : Study
        Cells that are run, resumed and scored like those of any study.
    settings : JSON values by name
        Everything that determines the result of `work`; if it changes, `work` runs again.
    data : names of data sets
        Their checksums are recorded; if one changes, `work` runs again.
    files : paths by name
        Other files that it reads, treated like data.
    needs : names of earlier parts
    weight : float
        Relative duration, for the progress bar.
    gate : Gate
        Decides after this part whether later ones are run.

    Examples
    --------
    >>> Part("counts", lambda folder, needs, tell: {"items": 3}, settings={"version": 1}).needs
    ()
    """

    name: str
    work: Work | None = None
    _: KW_ONLY
    study: Study | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    weight: float = 1.0
    gate: Gate | None = None

    def __post_init__(self) -> None:
        if (self.study is None) == (self.work is None):
            raise ValueError(f"part {self.name} needs either a study or work, not both")


@dataclass(frozen=True)
class Results:
    """Results of the parts of a reproduction, by name.

    folders  of all parts
    numbers  of the parts that are work
    """

    folders: Mapping[str, Path]
    numbers: Mapping[str, dict[str, Any]]

    def make_from(self, parts: Sequence[str], make: Callable[..., Iterable[T]]) -> list[T]:
        """Return what is made of the numbers of these parts; nothing if one of them was not run."""
        known = [self.numbers[part] for part in parts if part in self.numbers]
        return list(make(*known)) if len(known) == len(parts) else []

    def study(self, part: str) -> StudyFolder:
        return read_folder(self.folders[part])

    def summary(self, part: str) -> Summary:
        return summarise_study(self.study(part))


def no_figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    return ()


def no_answers(results: Results, scale: Scale) -> Sequence[Answer]:
    return ()


NOTHING_PUBLISHED = Published(())


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper that can be reproduced.

    Attributes
    ----------
    name : str
        Such as "singh2025".
    title : str
        Title of its page: the question of the paper.
    citation : str
        Authors, year, title.
    claims : claims
        Every statement that a reproduction can contradict.
    parts : (scale) -> parts
    published : Published
        Numbers as the paper prints them.
    observe : (results, scale) -> Evidence
        Everything measured that a claim needs.
    differences : (scale) -> rows (aspect, in the paper, here)
        How a run at this scale differs from the paper.
    figures : (results, scale, evidence) -> figures of the page
    beyond : (results, scale) -> answers to questions beyond the paper
    names : {name: text}
        Arms, metrics, models and epochs as a reader knows them.
    headlines : keys of claims
        Five to eight claims that the paper is about.
    conclude : (judgements by key) -> Conclusion
        Top of the page.
    scales : scales at which it can be run

    Examples
    --------
    >>> PAPERS["singh2025"].citation
    'Singh, Tiwari, Hasanbeig, Gupta (2025), Soft-Label Training Preserves Epistemic Uncertainty'
    """

    name: str
    title: str
    citation: str
    claims: Sequence[Claim]
    parts: Callable[[Scale], Iterable[Part]]
    observe: Callable[[Results, Scale], Evidence]
    differences: Callable[[Scale], Sequence[tuple[str, str, str]]]
    published: Published = NOTHING_PUBLISHED
    figures: Callable[[Results, Scale, Evidence], Sequence[Figure]] = no_figures
    beyond: Callable[[Results, Scale], Sequence[Answer]] = no_answers
    names: Mapping[str, str] = field(default_factory=dict)
    headlines: tuple[str, ...] = ()
    conclude: Callable[[Mapping[str, Judgement]], Conclusion] | None = None
    scales: tuple[Scale, ...] = ("quick", "laptop", "full")

    def __post_init__(self) -> None:
        keys = [claim.key for claim in self.claims]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{self.name} has two claims with the key {twice!r}; keys must be unique")
        unknown = [key for key in self.headlines if key not in keys]
        if unknown:
            raise ValueError(f"{self.name} has no claim {unknown[0]!r}, which is among its headlines")
