"""Figures of the page: the sets of figure 2, confidence, table 1 and attacks, next to the paper's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.evidence import Candidate, Evidence, Number
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Points, interval_series, next_to_paper, read_figures
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019.claims import READER_NAMES
from dissensus.papers.peterson2019.observe import NETWORKS, SETS
from dissensus.papers.peterson2019.observe_tuned import REPORTED
from dissensus.papers.peterson2019.shift import HELD
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.published import read_published
from dissensus.papers.strength import reaches_level

figure = read_figures("peterson2019")
KINDS = {kind: READER_NAMES[kind] for kind in ("soft", "hard")}


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """The main figure first: cross-entropy on sets further and further away."""
    drawn: list[Figure] = []
    first = _decider(evidence, "figure 2", Number("accuracy_home", "hard"))
    if first is not None:
        drawn += [_shift(evidence, first, "cross_entropy"), _shift(evidence, first, "accuracy")]
        drawn.append(_held_out(evidence, first))
    tuned = _decider(evidence, "table 1", Number("soft_nll", "pretrained"))
    if tuned is not None:
        drawn.append(_mean("table-1", "soft_nll", ("pretrained", *ROWS), evidence, tuned))
    if "attacked" in results.numbers:
        drawn += [_mean("table-2", "fgsm_cross_entropy", ATTACKED, evidence, NETWORKS), _pgd(results)]
    return drawn


def _decider(evidence: Evidence, source: str, number: Number) -> Candidate | None:
    """The nearest model that is as good as the paper's; the nearest one if none is."""
    published = read_published("peterson2019")
    table, candidates = published.table(source), evidence.with_numbers(number)
    assert table is not None
    strong = [each for each in candidates if reaches_level(table, each, evidence, published)]
    return next(iter(strong or candidates), None)


def _shift(evidence: Evidence, candidate: Candidate, score: str) -> Figure:
    """Figure 2, left and centre."""
    sets = [where for where in SETS if evidence.runs(candidate, Number(score, "soft", where))]
    series = {shown: {where: value_of(score, kind, where) for where in sets} for kind, shown in KINDS.items()}
    return _dots(f"figure-2-{score}", series, evidence, candidate)


def _held_out(evidence: Evidence, candidate: Candidate) -> Figure:
    """Figure 2, right, and figure 3A."""
    scores = {"second_best": "second choice is people's", "confidence_right": "confidence when right"}
    scores |= {"confidence_wrong": "confidence when wrong"}
    series = {
        shown: {text: value_of(score, kind, HELD) for score, text in scores.items()} for kind, shown in KINDS.items()
    }
    return _dots("figure-3", series, evidence, candidate)


def _mean(key: str, metric: str, rows: Sequence[str], evidence: Evidence, candidate: Candidate) -> Figure:
    """Table 1 or 2, as the mean over models."""
    return _dots(key, {"mean": {READER_NAMES[row]: value_of(metric, row) for row in rows}}, evidence, candidate)


def _pgd(results: Results) -> Figure:
    """Figure 4, as the mean over networks."""
    networks = results.numbers["attacked"]["networks"].values()
    series = []
    for row in ATTACKED:
        paths = [[fold["pgd"][REPORTED]["cross_entropy"] for fold in rows[row]] for rows in networks]
        by_fold = np.mean(paths, axis=0)  # (folds, steps + 1)
        means = [mean_interval(values) for values in by_fold.T]
        series.append(interval_series(READER_NAMES[row], [float(step) for step in range(len(means))], means))
    return figure("figure-4", series)


def _dots(key: str, series: Mapping[str, Points], evidence: Evidence, candidate: Candidate) -> Figure:
    ours, theirs = next_to_paper(series, evidence, candidate, read_published("peterson2019"))
    models = READER_NAMES.get(candidate.model, candidate.model)
    return figure(key, ours, (entry for entry in theirs if entry.y), models=models)
