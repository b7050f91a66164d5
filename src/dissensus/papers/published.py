"""Numbers as a paper prints them, read from its `published.toml`.

[defaults]                      # entries of every table that does not have its own; may be left out
runs = 5                        # behind each mean

[[table]]
source = "table 1"              # as the paper numbers it
where = "K = 5"                 # the condition of all its numbers; may be left out
reference = "soft"              # arm that says how good the paper's model is
level = ["soft_nll"]            # metrics by which
must_show = { sls = 5 }         # labels per item that these arms must have shown
control = "table 2"             # a table whose contrasts are positive controls as well; may be left out
interval = true                 # ± is the half-width of a 95% interval; without it, the standard deviation over runs
[table.soft_nll]
soft = "0.5860"
sls = "0.5599 ± 0.0233"
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from dissensus.files.toml import read_toml
from dissensus.papers.evidence import Number


@dataclass(frozen=True)
class Printed:
    """A number as a paper prints it.

    text    such as "0.319 ± 0.012"
    value   the number itself
    digits  number of decimals
    sd      standard deviation over `n` runs; None if the paper gives no spread
    """

    text: str
    value: float
    digits: int
    sd: float | None = None
    n: int = 1

    @property
    def error(self) -> float:
        """Standard error of the mean over runs and of rounding."""
        spread = 0.0 if self.sd is None else self.sd / math.sqrt(self.n)
        return math.hypot(spread, 10.0**-self.digits / math.sqrt(12))


def parse_printed(text: str, n: int = 1, *, interval: bool = False) -> Printed:
    """Parse a number from its text, such as "0.319 ± 0.012".

    The number after ± is a standard deviation over `n` runs, or with `interval` the half-width of a 95% interval of
    their mean, from which the standard deviation is computed by Student's t.
    """
    from scipy.special import stdtrit

    mean, _, spread = (part.strip() for part in text.partition("±"))
    digits = len(mean.partition(".")[2])
    sd = float(spread) if spread else None
    if sd is not None and interval:
        sd *= math.sqrt(n) / float(stdtrit(n - 1, 0.975))
    return Printed(text, float(mean), digits, sd, n)


@dataclass(frozen=True, kw_only=True)
class PublishedTable:
    """A table or figure of a paper, under one condition.

    reference      arm that says how good the paper's model is
    level          metrics by which: accuracy has to be high, any other metric low; one of them is enough
    must_show      labels per item that an arm has to have shown by the scored epoch, of arms that show one at a time
    control        source of a table whose contrasts are positive controls as well; those of its first level metric
                   are controls for metrics that are not printed
    interval       whether ± is the half-width of a 95% interval, not a standard deviation
    """

    source: str
    where: str = ""
    runs: int = 1
    reference: str = ""
    level: tuple[str, ...] = ()
    must_show: Mapping[str, float] = field(default_factory=dict)
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
    return Published([_table({**values.get("defaults", {}), **entry}) for entry in values["table"]])


def _table(entry: Mapping[str, Any]) -> PublishedTable:
    names = {setting.name for setting in fields(PublishedTable)}
    settings = {name: value for name, value in entry.items() if name in names}
    printed = {
        metric: {
            arm: parse_printed(str(text), entry.get("runs", 1), interval=entry.get("interval", False))
            for arm, text in arms.items()
        }
        for metric, arms in entry.items()
        if metric not in names
    }
    return PublishedTable(**settings | {"level": tuple(settings.get("level", ()))}, numbers=printed)
