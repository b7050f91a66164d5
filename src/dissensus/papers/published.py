"""Numbers as a paper prints them, read from its `published.toml`.

[[table]]
source = "table 1"              # as the paper numbers it
where = "K = 5"                 # the condition of all its numbers; may be left out
runs = 5                        # behind each mean
reference = ["soft_nll", "soft"]    # metric and arm whose level a model has to reach
votes = 5                       # labels that one-at-a-time arms must have shown
one_at_a_time = ["sls"]
control = "table 2"             # a table whose contrasts are positive controls as well; may be left out
interval = true                 # ± is the half-width of a 95% interval; without it, the standard deviation over runs
[table.soft_nll]
soft = "0.5860"
sls = "0.5599 ± 0.0233"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dissensus.files.toml import read_toml
from dissensus.papers.evidence import Number
from dissensus.papers.printed import Printed, parse_printed


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """A table or figure of a paper, under one condition.

    reference      arm that says how good the paper's model is
    level          metrics by which: accuracy has to be high, any other metric low; one of them is enough
    votes          labels per item that an arm of `one_at_a_time` has to have shown by the scored epoch
    control        source of a table whose contrasts are positive controls as well; those of its first level metric
                   are controls for metrics that are not printed
    interval       whether ± is the half-width of a 95% interval, not a standard deviation
    """

    source: str
    where: str = ""
    runs: int = 1
    reference: str = ""
    level: tuple[str, ...] = ()
    votes: float = 0.0
    one_at_a_time: tuple[str, ...] = ()
    control: str = ""
    interval: bool = False
    numbers: Mapping[str, Mapping[str, Printed]] = field(default_factory=dict)

    def contrasts(self, metric: str) -> Iterator[tuple[str, str, float]]:
        """Pairs of arms with their relative difference, (arm - base) / |base|; the base is the larger of the two."""
        printed = self.numbers.get(metric, {})
        for arm, value in printed.items():
            for base, other in printed.items():
                if abs(value.value) < abs(other.value):
                    yield arm, base, (value.value - other.value) / abs(other.value)


@dataclass(frozen=True)
class Published:
    """All tables of a paper."""

    tables: Sequence[PublishedTable]

    def table(self, source: str, where: str = "") -> PublishedTable | None:
        """Return the table of a claim."""
        return next((table for table in self.tables if (table.source, table.where) == (source, where)), None)

    def conditions(self, source: str, where: str = "") -> PublishedTable | None:
        """Return the table that says how strong a model must be: the claim's own, or the first under its condition."""
        own = self.table(source, where) or self.table(source)
        return own or next((table for table in self.tables if table.where == where and table.level), None)

    def find(self, number: Number, source: str = "") -> Printed | None:
        """Return a printed number: from the table named, otherwise from the first one that has it."""
        fitting = [table for table in self.tables if table.where == number.where]
        for table in sorted(fitting, key=lambda table: table.source != source):
            printed = table.numbers.get(number.metric, {}).get(number.arm)
            if printed is not None:
                return printed
        return None


@cache
def read_published(paper: str) -> Published:
    """Read the published numbers of a paper, such as "singh2025"."""
    values, _ = read_toml(Path(str(files("dissensus.papers") / paper / "published.toml")))
    return Published([_table(dict(entry)) for entry in values["table"]])


def _table(entry: dict[str, Any]) -> PublishedTable:
    numbers = {metric: entry.pop(metric) for metric, value in list(entry.items()) if isinstance(value, dict)}
    runs, interval = entry.get("runs", 1), entry.get("interval", False)
    lists = {name: tuple(entry.get(name, ())) for name in ("level", "one_at_a_time")}
    printed = {
        metric: {arm: parse_printed(str(text), runs, interval=interval) for arm, text in arms.items()}
        for metric, arms in numbers.items()
    }
    return PublishedTable(**entry | lists, numbers=printed)
