"""Figures of the page: the sets of figure 2, confidence, table 1 and attacks, next to the paper's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.evidence import Candidate, Evidence, Number
from dissensus.papers.expressions import value_of
from dissensus.papers.figures import Figure, Points, interval_series, series_here, series_in_paper
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019.claims import READER_NAMES
from dissensus.papers.peterson2019.observe import NETWORKS, SETS
from dissensus.papers.peterson2019.observe_tuned import REPORTED
from dissensus.papers.peterson2019.shift import HELD
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.published import read_published
from dissensus.papers.strength import reaches_level

KINDS = {kind: READER_NAMES[kind] for kind in ("soft", "hard")}
NOTE = "Means with 95% intervals over folds."


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """The main figure first: cross-entropy on sets further and further away."""
    drawn: list[Figure] = []
    first = _decider(evidence, "figure 2", Number("accuracy_home", "hard"))
    if first is not None:
        drawn += [_shift(evidence, first, "cross_entropy"), _shift(evidence, first, "accuracy")]
        drawn.append(_held_out(evidence, first))
    tuned = _decider(evidence, "table 1", Number("soft_nll", "pretrained"))
    if tuned is not None:
        drawn.append(_tuning(evidence, tuned))
    if "attacked" in results.numbers:
        drawn += [_fgsm(evidence), _pgd(results)]
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
    unit = "accuracy in %" if score == "accuracy" else "cross-entropy to the class, nats"
    return _dots(
        evidence,
        candidate,
        key=f"figure-2-{score}",
        title=f"{unit.partition(',')[0].capitalize()} on images further and further away",
        source="Peterson 2019, figure 2, numbers of section 5.2",
        y_title=unit,
        series={shown: {where: value_of(score, kind, where) for where in sets} for kind, shown in KINDS.items()},
        note="CINIC-10 and ImageNet-Far are validation images of ImageNet here.",
    )


def _held_out(evidence: Evidence, candidate: Candidate) -> Figure:
    """Figure 2, right, and figure 3A."""
    scores = {"second_best": "second choice is people's", "confidence_right": "confidence when right"}
    scores |= {"confidence_wrong": "confidence when wrong"}
    return _dots(
        evidence,
        candidate,
        key="figure-3",
        title="Confidence and second choices on held-out images",
        source="Peterson 2019, figure 2, right, and figure 3A, which have no numbers",
        y_title="%",
        series={
            shown: {text: value_of(score, kind, HELD) for score, text in scores.items()}
            for kind, shown in KINDS.items()
        },
    )


def _tuning(evidence: Evidence, candidate: Candidate) -> Figure:
    """Table 1, as the mean over models."""
    return _dots(
        evidence,
        candidate,
        key="table-1",
        title="Cross-entropy to people after fine-tuning by each method",
        source="Peterson 2019, table 1, mean of the networks",
        y_title="cross-entropy to people, nats",
        series={"mean": {READER_NAMES[row]: value_of("soft_nll", row) for row in ("pretrained", *ROWS)}},
    )


def _fgsm(evidence: Evidence) -> Figure:
    """Table 2, as the mean over networks."""
    return _dots(
        evidence,
        NETWORKS,
        key="table-2",
        title="Cross-entropy after FGSM of 4 of 255",
        source="Peterson 2019, table 2, mean of the networks",
        y_title="cross-entropy to the class, nats",
        series={"mean": {READER_NAMES[row]: value_of("fgsm_cross_entropy", row) for row in ATTACKED}},
    )


def _pgd(results: Results) -> Figure:
    """Figure 4, as the mean over networks."""
    networks = results.numbers["attacked"]["networks"].values()
    series = []
    for row in ATTACKED:
        paths = [[fold["pgd"][REPORTED]["cross_entropy"] for fold in rows[row]] for rows in networks]
        by_fold = np.mean(paths, axis=0)  # (folds, steps + 1)
        means = [mean_interval(values) for values in by_fold.T]
        series.append(interval_series(READER_NAMES[row], [float(step) for step in range(len(means))], means))
    return Figure(
        key="figure-4",
        title="Cross-entropy along the steps of PGD",
        source="Peterson 2019, figure 4, which has no numbers",
        kind="lines",
        x_title="step",
        y_title="cross-entropy to the class, nats",
        series=tuple(series),
        note=f"{NOTE} Steps of 1 of 255 within 4 of 255.",
    )


def _dots(
    evidence: Evidence,
    candidate: Candidate,
    *,
    key: str,
    title: str,
    source: str,
    y_title: str,
    series: Mapping[str, Points],
    note: str = "",
) -> Figure:
    """Ours and the paper's numbers in one plot."""
    theirs = [series_in_paper(name, points, read_published("peterson2019")) for name, points in series.items()]
    return Figure(
        key=key,
        title=title,
        source=source,
        kind="dots",
        x_title="",
        y_title=y_title,
        series=tuple(series_here(name, points, evidence, candidate) for name, points in series.items()),
        published=tuple(entry for entry in theirs if entry.y),
        note=" ".join(filter(None, (f"{NOTE} Models: {READER_NAMES.get(candidate.model, candidate.model)}.", note))),
    )
