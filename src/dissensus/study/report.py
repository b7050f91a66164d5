"""A study's report as a document: the answer, figures and tables, and everything a reader must know."""

from __future__ import annotations

import json
from collections import Counter

from dissensus.evaluate.metrics import METRICS
from dissensus.report.document import Block, Column, Document, Section, Table, Text, Value
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
    sections += [_describe_metric(summary, first, figures)] if summary.arms else []
    sections += _describe_means(summary)
    sections += [_describe_metric(summary, metric, figures) for metric in others] if summary.arms else []
    if figures:
        sections += [Section("Scores by part of the items", _draw_slices(summary), columns=2, detail=True)]
        sections += [Section("Learning curves", curve_figures(summary), columns=2, detail=True)]
    sections += [Section("Probes", [probe_table(summary)] if summary.probes else [])]
    sections += [_describe_methods(summary)]
    sections += _describe_remarks(summary)
    sections += [_describe_failures(summary)]
    sections += [Section("Cells", [cell_table(summary)] if summary.cells else [], detail=True)]
    sections += [_describe_making(summary, folder)]
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
    """What limits the claim of the answer."""
    return Section("", [Text(sentence) for sentence in answer_study(summary)[HEADLINE:]])


def _describe_means(summary: Summary) -> list[Section]:
    if not any(arm.done for arm in summary.arms):
        return []
    differences = difference_overview(summary)
    return [Section("All metrics", [overview(summary), *([] if differences is None else [differences])])]


def _describe_metric(summary: Summary, metric: str, figures: bool) -> Section:
    meaning = METRICS[metric].meaning
    drawn = [score_figure(summary, metric), difference_figure(summary, metric)] if figures else []
    blocks: list[Block] = [Text(describe_metric(metric))]
    blocks += [Section("", [figure for figure in drawn if figure is not None], columns=2)] if drawn else []
    heading = f"{meaning[0].upper()}{meaning[1:]} {ARROWS[METRICS[metric].better]}".strip()
    return Section(heading, [*blocks, by_metric(summary, metric)])


def _draw_slices(summary: Summary) -> list[Block]:
    """A figure of the first metric for each slicing; the other metrics on request."""
    blocks: list[Block] = []
    for by in dict.fromkeys(part.by for part in summary.slices):
        first, *others = [slice_figure(summary, by, metric) for metric in list_sliced_metrics(summary, by)]
        more = [Section(f"By {by}, other metrics", others, columns=2, folded=True)] if others else []
        blocks.append(Section("", [first, *more]))
    return blocks


def _describe_methods(summary: Summary) -> Section:
    sentences = (*describe_data(summary), describe_design(summary), describe_comparison(summary))
    blocks: list[Block] = [Text(sentence) for sentence in sentences if sentence]
    if varied := list_varied(summary):
        blocks.append(Table(["setting", Column("values", wraps=True)], varied, "What differs between arms"))
    if shared := [(key.replace("_", " "), format_setting(value)) for key, value in summary.shared.items()]:
        title = f"The {len(shared)} settings that all arms share"
        blocks.append(Table(["setting", Column("value", wraps=True)], shared, title, shown=0))
    if names := define_values(summary):
        blocks.append(Table(["name", Column("meaning", wraps=True)], names, "Names of arms", shown=len(names)))
    numbers = define_numbers(summary)
    blocks.append(Table(["number", Column("meaning", wraps=True)], numbers, "Numbers", shown=len(numbers)))
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
    blocks += [] if text else [Text("The study was described in Python; its folder has these settings.")]
    blocks += [Text(text or json.dumps(kept, indent=1), "code")]
    if versions := _list_versions(summary):
        blocks.append(Table(["made with", Column("version", wraps=True)], versions))
    return Section("Reproduction", blocks, detail=True)


def _list_versions(summary: Summary) -> list[tuple[str, str]]:
    versions: dict[str, Counter[str]] = {}
    for arm in summary.arms:
        for record in arm.records:
            made_by = {**record["packages"], "hardware": record["hardware"], "commit": str(record.get("commit"))}
            for name, version in made_by.items():
                versions.setdefault(name, Counter())[version] += 1
    made = sorted(row["made"] for row in summary.cells)
    rows = [("date", made[0] if made[0] == made[-1] else f"{made[0]} to {made[-1]}")] if made else []
    rows += [("computing time", _format_duration(sum(row["seconds"] for row in summary.cells)))] if made else []
    for name, counts in versions.items():
        each = (f"{version} ({count:,} cells)" if len(counts) > 1 else version for version, count in counts.items())
        rows.append((name, ", ".join(each)))
    return rows


def _format_duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
