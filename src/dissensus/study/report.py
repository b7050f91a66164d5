"""A study's report as a document: the answer, figures, tables and remarks."""

from __future__ import annotations

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from dissensus.evaluate.metrics import METRICS
from dissensus.report.document import Block, Document, Section, Text
from dissensus.report.numbers import format_duration
from dissensus.report.tables import Column, Table, Value
from dissensus.study.reporting.answers import answer_study
from dissensus.study.reporting.figures import (
    arm_colours,
    curve_figures,
    difference_figure,
    list_sliced_metrics,
    score_figure,
    slice_figure,
)
from dissensus.study.reporting.tables import by_metric, cell_table, difference_overview, overview, probe_table
from dissensus.study.reporting.values import define_values, describe_data
from dissensus.study.reporting.words import (
    ARROWS,
    define_numbers,
    describe_comparison,
    describe_design,
    describe_metric,
    format_setting,
    list_varied,
)
from dissensus.study.summary.summary import Summary

HEADLINE = 2  # sentences of the answer; what limits the claim follows below it


def describe_results(summary: Summary) -> Document:
    """Make the short document of a study, for a terminal: the answer, means, differences and remarks.

    Parameters
    ----------
    summary : the study, by `summarise_study`

    Returns
    -------
    Document
    """
    sections = [_describe_limits(summary), *_describe_means(summary), *_describe_remarks(summary)]
    return _make_document(summary, sections)


def describe_study(summary: Summary, *, folder: str = "DIR", figures: bool = True) -> Document:
    """Make the report of a study; `html_page`, `markdown_page` and `latex_tables` render it.

    Parameters
    ----------
    summary : the study, by `summarise_study`
    folder  : where the study is, for the commands at the end
    figures : whether the report has figures

    Returns
    -------
    Document

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> ran = run_study(study, "runs", say=lambda notice: None)
    >>> describe_study(summarise_study(read_folder("runs"))).title
    'study'
    """
    first, *others = summary.metrics
    sections = [_describe_limits(summary)]
    if summary.arms:
        sections += [_describe_metric(summary, first, figures)]
        sections += _describe_means(summary, [_describe_metric(summary, m, figures, folded=figures) for m in others])
    if figures:
        sections += [Section("Slices and learning curves", _draw_slices_and_curves(summary), detail=True)]
    sections += [Section("Probes", [probe_table(summary)] if summary.probes else [])]
    sections += _describe_remarks(summary)
    sections += [_describe_methods(summary), _describe_failures(summary), _describe_making(summary, folder)]
    return _make_document(summary, sections)


def _make_document(summary: Summary, sections: list[Section]) -> Document:
    return Document(
        title=summary.description["name"],
        subtitle=summary.description["question"],
        answer=" ".join(answer_study(summary)[:HEADLINE]),
        facts=_list_facts(summary),
        sections=[section for section in sections if section.blocks],
        colours=arm_colours(summary),
    )


def _list_facts(summary: Summary) -> list[tuple[str, Value]]:
    total = len(summary.cells) + summary.missing
    done, failed = (sum(row["status"] == status for row in summary.cells) for status in ("done", "failed"))
    facts: list[tuple[str, Value]] = [
        ("arms", len(summary.arms)),
        ("seeds", len(summary.description["seeds"])),
        ("cells done", f"{done:,} of {total:,}"),
    ]
    return [*facts, ("failed", failed)] if failed else facts


def _describe_limits(summary: Summary) -> Section:
    """Limits of the answer."""
    return Section("", [Text(sentence) for sentence in answer_study(summary)[HEADLINE:]])


def _describe_means(summary: Summary, more: Sequence[Section] = ()) -> list[Section]:
    """All metrics in two tables; `more` has a section for each of them."""
    if not any(arm.done for arm in summary.arms):
        return []
    tables = [table for table in (overview(summary), difference_overview(summary)) if table is not None]
    return [Section("All metrics", [Section("", tables, columns=2), *more])]


def _describe_metric(summary: Summary, metric: str, figures: bool, *, folded: bool = False) -> Section:
    """A metric with its figures and its table; a folded one has no notes on how to read them."""
    meaning = METRICS[metric].meaning
    drawn = [score_figure(summary, metric), difference_figure(summary, metric)] if figures else []
    shown = [replace(figure, note="") if folded else figure for figure in drawn if figure is not None]
    blocks: list[Block] = [Text(describe_metric(metric))]
    blocks += [Section("", shown, columns=2)] if shown else []
    heading = f"{meaning[0].upper()}{meaning[1:]} {ARROWS[METRICS[metric].better]}".strip()
    return Section(heading, [*blocks, Section("", [by_metric(summary, metric)], columns=2)], folded=folded)


def _draw_slices_and_curves(summary: Summary) -> list[Block]:
    """A figure of the first metric for each slicing, and the curves; the other metrics on request."""
    first, others = [], []
    for by in dict.fromkeys(part.by for part in summary.slices):
        drawn = [slice_figure(summary, by, metric) for metric in list_sliced_metrics(summary, by)]
        first += drawn[:1]
        others += [Section(f"By {by}, other metrics", drawn[1:], columns=2, folded=True)] if drawn[1:] else []
    shown = [*first, *curve_figures(summary)]
    return [*([Section("", shown, columns=2)] if shown else []), *others]


def _describe_methods(summary: Summary) -> Section:
    sentences = (*describe_data(summary), describe_design(summary), describe_comparison(summary))
    left: list[Block] = [Text(sentence) for sentence in sentences if sentence]
    right: list[Block] = []
    if varied := list_varied(summary):
        right.append(Table(["setting", Column("values", wraps=True)], varied, "What differs between arms"))
    if names := define_values(summary):
        right.append(Table(["name", Column("meaning", wraps=True)], names, "Names of arms", shown=len(names)))
    numbers = define_numbers(summary)
    folded = [Table(["number", Column("meaning", wraps=True)], numbers, shown=len(numbers))]
    blocks: list[Block] = [Section("", [Section("", left), Section("", right)], columns=2)]
    blocks += [Section("Meaning of the numbers", folded, folded=True)]
    if shared := [(key.replace("_", " "), format_setting(value)) for key, value in summary.shared.items()]:
        table = Table(["setting", Column("value", wraps=True)], shared, shown=len(shared))
        blocks += [Section(f"The {len(shared)} settings that all arms share", [table], folded=True)]
    return Section("Methods", blocks, detail=True)


def _describe_remarks(summary: Summary) -> list[Section]:
    return [Section("Remarks", [Text("\n".join(summary.remarks), "list")])] if summary.remarks else []


def _describe_failures(summary: Summary) -> Section:
    names = {row["cell"]: row["arm"] for row in summary.cells}
    failures = []
    for record in summary.failures:
        fold = "" if record["fold"] is None else f", fold {record['fold']}"
        title = f"{names[record['cell']]}, seed {record['seed']}{fold} (cell {record['cell']}): {record['error']}"
        failures.append(Section(title, [Text(record.get("traceback") or "no traceback", "code")], folded=True))
    return Section("Failures", failures, detail=True)


def _describe_making(summary: Summary, folder: str) -> Section:
    text = summary.description["text"]
    kept = {key: value for key, value in summary.description.items() if key not in ("cells", "text")}
    run = f"dissensus study run study.toml -o {folder}" if text else f'run_study(study, "{folder}")'
    blocks: list[Block] = [Text(f"{run}\ndissensus study report {folder}", "code")]
    spec = Text(drop_comments(text) if text else json.dumps(kept, indent=1), "code")
    blocks += [Section("study.toml without its comments" if text else "Settings, given in Python", [spec], folded=True)]
    if versions := _list_versions(summary):
        table = Table(["made with", Column("version", wraps=True)], versions, shown=len(versions))
        blocks.append(Section("Versions and computing time", [table], folded=True))
    if summary.cells:
        blocks.append(
            Section(f"All {len(summary.cells):,} cells with their scores", [cell_table(summary)], folded=True)
        )
    return Section("Reproduction", blocks, detail=True)


def drop_comments(text: str) -> str:
    """TOML without lines that are empty or comments; the text as it is if that would change a value."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    short = "\n".join(lines)
    try:
        return short if tomllib.loads(short) == tomllib.loads(text) else text
    except tomllib.TOMLDecodeError:  # such as a text of several lines, one of which begins with #
        return text


def _list_versions(summary: Summary) -> list[tuple[str, str]]:
    versions: dict[str, Counter[str]] = {}
    for arm in summary.arms:
        for record in arm.records:
            made_by = {**record["packages"], "hardware": record["hardware"], "commit": str(record.get("commit"))}
            for name, version in made_by.items():
                versions.setdefault(name, Counter())[version] += 1
    made = sorted(row["made"] for row in summary.cells)
    rows = [("date", made[0] if made[0] == made[-1] else f"{made[0]} to {made[-1]}")] if made else []
    rows += [("computing time", format_duration(sum(row["seconds"] for row in summary.cells)))] if made else []
    for name, counts in versions.items():
        each = (f"{version} ({count:,} cells)" if len(counts) > 1 else version for version, count in counts.items())
        rows.append((name, ", ".join(each)))
    return rows
