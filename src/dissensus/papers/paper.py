"""A paper as data: what is run to test it, in which size, and what it claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from dissensus.papers.claims import Answer, Claim, Finding
from dissensus.papers.figures import Figure
from dissensus.study.description import StudyFolder, read_folder
from dissensus.study.spec import Study
from dissensus.study.summary.summary import Summary, summarise

Scale = Literal["quick", "laptop", "full"]
SCALES: tuple[Scale, ...] = ("quick", "laptop", "full")
Tell = Callable[[float], None]  # the share of a part that is done
Work = Callable[[Path, Mapping[str, Path], Tell], dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A piece of a reproduction with results of its own, kept in a folder of its name.

    study     cells that are run, resumed and scored like those of any study
    work      or a function: (folder of its own, folders of the parts it needs, how to tell progress) -> what JSON has
    settings  of `work`: whatever decides its results; other settings make it run again
    data      names of the data sets that it reads; their checksums stand in the record, and other files make `work`
              run again
    files     other files that it reads, by the name that the record gives them; treated like data
    needs     names of the parts that have to be there before
    weight    how long it takes beside the others, for the progress bar
    """

    name: str
    study: Study | None = None
    work: Work | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    data: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    weight: float = 1.0

    def __post_init__(self) -> None:
        if (self.study is None) == (self.work is None):
            raise ValueError(f"part {self.name} has both a study and work, or neither; expected one of them")


@dataclass(frozen=True)
class Results:
    """What the parts of a reproduction gave, by their names.

    folders  of the parts
    numbers  of those that are work
    """

    folders: Mapping[str, Path]
    numbers: Mapping[str, dict[str, Any]]

    def study(self, part: str) -> StudyFolder:
        """The cells of a part that is a study."""
        return read_folder(self.folders[part])

    def summary(self, part: str) -> Summary:
        """What its cells say together."""
        return summarise(self.study(part))


def no_figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Of a paper that has none to draw."""
    return ()


def no_answers(results: Results, scale: Scale) -> Sequence[Answer]:
    """Of a paper that nothing more is asked of."""
    return ()


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper that can be reproduced.

    name      such as "singh2025"
    title     of its page: the question that it asks
    citation  authors, year, title
    claims    everything that it says and that can come out otherwise
    parts     (scale) -> what is run
    findings  (results, scale) -> a finding for each claim, by its key
    shrunk    (scale) -> rows of (what, in the paper, here), for all that is smaller or other here
    figures   (results, scale) -> what its page draws
    beyond    (results, scale) -> answers to questions of ours
    """

    name: str
    title: str
    citation: str
    claims: Sequence[Claim]
    parts: Callable[[Scale], Sequence[Part]]
    findings: Callable[[Results, Scale], Mapping[str, Finding]]
    shrunk: Callable[[Scale], Sequence[tuple[str, str, str]]]
    figures: Callable[[Results, Scale], Sequence[Figure]] = no_figures
    beyond: Callable[[Results, Scale], Sequence[Answer]] = no_answers

    def __post_init__(self) -> None:
        keys = [claim.key for claim in self.claims]
        if len(set(keys)) < len(keys):
            twice = next(key for key in keys if keys.count(key) > 1)
            raise ValueError(f"{self.name} has two claims with the key {twice!r}; expected each key once")
