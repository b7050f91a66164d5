"""Figures of a paper's page: the record has their numbers, and the page draws them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval
from dissensus.papers.evidence import Candidate, Evidence
from dissensus.papers.expressions import Expression
from dissensus.papers.published import Published
from dissensus.papers.texts import read_texts
from dissensus.report.charts import Line, line_chart, span
from dissensus.report.colours import MODELS, PEOPLE
from dissensus.report.document import Column, Table
from dissensus.report.document import Figure as Drawn
from dissensus.report.dot_rows import DotRow, dot_chart

PAPER_INK = PEOPLE  # published numbers are grey
Points = Mapping[str, Expression] | Mapping[float, Expression]  # of a series, by x


@dataclass(frozen=True)
class Series:
    """Numbers with one name.

    x          of a line: one number for each y; of dots: one name for each y
    low, high  ends of the intervals; may be empty
    """

    name: str
    x: tuple[float | str, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of a page.

    key        such as "figure-4"; the file is named by it
    title      what it shows, in a sentence
    source     the corresponding figure or table of the paper
    kind       "lines" over a number, or "dots" in rows with names
    series     ours
    published  the same numbers as the paper prints them; may be empty
    note       how to read it
    parts      of the reproduction that it was computed from
    """

    key: str
    title: str
    source: str
    kind: Literal["lines", "dots"]
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    published: tuple[Series, ...] = ()
    note: str = ""
    parts: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read_figures(paper: str) -> Callable[..., Figure]:
    """Read `figures.toml` of a paper, and return a function that makes its figures.

    It takes the key as in the file, our series, those of the paper, the parts they come from, and words for {names}.
    """
    fill = read_texts(paper, "figures.toml")

    def figure(
        key: str, ours: Iterable[Series], theirs: Iterable[Series] = (), /, *, parts: Iterable[str] = (), **words: Any
    ) -> Figure:
        return Figure(series=tuple(ours), published=tuple(theirs), parts=tuple(parts), **fill(key, words))

    return figure


def figure_of(stored: Mapping[str, Any]) -> Figure:
    fields = dict(stored) | {name: tuple(map(_series_of, stored[name])) for name in ("series", "published")}
    return Figure(**fields | {"parts": tuple(stored["parts"])})


def _series_of(stored: Mapping[str, Any]) -> Series:
    return Series(stored["name"], *(tuple(stored[key]) for key in ("x", "y", "low", "high")))


def interval_series(name: str, x: Sequence[float | str], intervals: Sequence[Interval]) -> Series:
    """Make a series with one point per interval; NaN becomes None."""
    points = [as_json(interval) for interval in intervals]
    return Series(name, tuple(x), *(tuple(point[end] for point in points) for end in ("value", "low", "high")))


def series_here(name: str, points: Points, evidence: Evidence, candidate: Candidate, factor: float = 1.0) -> Series:
    """Our means with intervals; what this model lacks is left out."""
    known = {
        x: mean_interval([factor * value for value in expression.runs(evidence, candidate).values()])
        for x, expression in points.items()
        if candidate in evidence.with_numbers(*expression.numbers)
    }
    return interval_series(name, list(known), list(known.values()))


def series_in_paper(name: str, points: Points, published: Published, source: str = "", factor: float = 1.0) -> Series:
    """The same points by the numbers that the paper prints; what it does not print is left out."""
    values = {x: expression.published_value(published, source) for x, expression in points.items()}
    known = {x: factor * value for x, value in values.items() if value is not None}
    return Series(name, tuple(known), tuple(known.values()))


def next_to_paper(
    groups: Mapping[str, Points], evidence: Evidence, candidate: Candidate, published: Published, source: str = ""
) -> tuple[list[Series], list[Series]]:
    """Our series and those of the paper, of the same points by name."""
    ours = [series_here(name, points, evidence, candidate) for name, points in groups.items()]
    theirs = [series_in_paper(name, points, published, source) for name, points in groups.items()]
    return ours, theirs


def describe_figure(figure: Figure, paper: str) -> list[Drawn]:
    """Return the chart of a figure, ours and the paper's numbers in one plot; none if no number is known."""
    every = (*figure.series, *figure.published)
    known = [entry for entry in every if np.isfinite(_numbers(entry.y)).any()]
    if not known:
        return []
    colours = {name: MODELS[place % len(MODELS)] for place, name in enumerate(dict.fromkeys(s.name for s in every))}
    if figure.kind == "dots":
        y_range = span([_numbers(y) for series in known for y in (series.y, series.low, series.high) if y])
        style = ".1f" if max(map(abs, y_range)) >= 10 else ".3f"
        drawing = dot_chart(_rows(figure, colours), figure.y_title, of=figure.x_title, style=style)
    else:
        lines = [_line(entry, entry.name, colours[entry.name]) for entry in figure.series if entry in known]
        lines += [_line(entry, f"{entry.name}, the paper", PAPER_INK) for entry in figure.published if entry in known]
        drawing = line_chart(lines, figure.x_title, figure.y_title)
    return [Drawn(figure.title, drawing, _table(figure, every), name=f"{paper}-{figure.key}")]


def _table(figure: Figure, series: Sequence[Series]) -> Table:
    nothing = (None,)
    rows = [
        (entry.name + (" (paper)" if entry in figure.published else ""), x, y, low, high)
        for entry in series
        for x, y, low, high in zip(
            entry.x, entry.y, entry.low or nothing * len(entry.x), entry.high or nothing * len(entry.x), strict=True
        )
    ]
    columns = [
        Column(""),
        Column(figure.x_title, "g"),
        *(Column(name, ".4g") for name in (figure.y_title, "low", "high")),
    ]
    return Table(columns, rows)


def _line(series: Series, name: str, colour: str) -> Line:
    low, high = (_numbers(ends) if ends else None for ends in (series.low, series.high))
    return Line(name, _numbers(series.x), _numbers(series.y), low, high, colour)


def _rows(figure: Figure, colours: Mapping[str, str]) -> list[DotRow]:
    """Rows grouped by name: ours with the paper's number of the same name, then what only the paper has.

    If a group has one number of ours and one of the paper, they are in one row whatever their names.
    """
    rows = []
    for group in dict.fromkeys(str(x) for series in (*figure.series, *figure.published) for x in series.x):
        ours = [(series, point) for series in figure.series if np.isfinite((point := _point(series, group))[0])]
        printed = {series.name: y for series in figure.published if np.isfinite(y := _point(series, group)[0])}
        alone = len(ours) == len(printed) == 1
        for series, (y, low, high) in ours:
            known = {}
            if series.name in printed:
                known = {"the paper": printed.pop(series.name)}
            elif alone:
                known = {f"{name}, the paper": printed.pop(name) for name in list(printed)}
            rows.append(DotRow(series.name, y, low, high, colour=colours[series.name], group=group, known=known))
        rows += [DotRow(f"{name}, the paper", y, colour=PAPER_INK, group=group) for name, y in printed.items()]
    return rows


def _point(series: Series, name: str) -> tuple[float, float, float]:
    """A number of a series by its name, with the ends of its interval; NaN if unknown."""
    place = next((place for place, x in enumerate(series.x) if str(x) == name), None)
    if place is None:
        return np.nan, np.nan, np.nan
    low, high = (float(_numbers(ends)[place]) if ends else np.nan for ends in (series.low, series.high))
    return float(_numbers(series.y)[place]), low, high


def _numbers(values: Sequence[float | str | None]) -> np.ndarray:
    return np.array([np.nan if value is None else float(value) for value in values])
