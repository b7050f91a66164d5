"""Figures of the page: the sweep next to the paper's, scores, curvature, training, images from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, mean_of
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.figures import (
    Figure,
    Points,
    Series,
    interval_series,
    next_to_paper,
    read_figures,
    series_here,
    series_in_paper,
)
from dissensus.papers.gheibi2026.answers import text_gaps
from dissensus.papers.gheibi2026.beyond import ALL, TEXTS
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, DETECTORS, MODELS
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.strength import SHOWN
from dissensus.papers.study_runs import interval_of

PUBLISHED = read_published("gheibi2026")
figure = read_figures("gheibi2026")


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """The sweep first; figures that this run has no numbers for are left out."""
    models = [candidate for candidate in evidence.values if candidate.model]
    # Whole sweeps first; an epoch that has shown five labels says something about five votes.
    models.sort(key=lambda candidate: (-_swept(evidence, candidate), not _shows(evidence, candidate, 5)))
    made = [_sweep(evidence, candidate) for candidate in models]
    made += [draw(evidence, candidate) for candidate in models for draw in (_main, _stale, _curvature, _outside)]
    trained = dict.fromkeys(candidate.model for candidate in models if f"{candidate.model}-main" in results.folders)
    made += [_curves(results, model) for model in trained]
    texts = [_texts(results)] if "texts" in results.numbers else []
    return [*(each for each in made if any(series.y for series in each.series)), *texts]


def _swept(evidence: Evidence, candidate: Candidate) -> int:
    """How many K a model was trained with."""
    return sum(evidence.runs(candidate, Number("soft_nll", "soft", f"K = {k}")) is not None for k in KS)


def _shows(evidence: Evidence, candidate: Candidate, votes: int) -> bool:
    shown = evidence.runs(candidate, Number(SHOWN, "sls", f"K = {votes}"))
    return shown is not None and mean_of(shown) >= votes


def _words(candidate: Candidate) -> dict[str, str]:
    epoch = candidate.epoch
    return {"name": f"{candidate.model}-{epoch.split()[0]}", "model": f"{MODELS[candidate.model]}, {epoch}"}


def _sweep(evidence: Evidence, candidate: Candidate) -> Figure:
    places = {DELIVERIES[arm]: {float(k): value_of("soft_nll", arm, f"K = {k}") for k in KS} for arm in ("soft", *HARD)}
    series = next_to_paper(places, evidence, candidate, PUBLISHED, "table 1")
    return figure("figure-1-{name}", *series, **_words(candidate))


def _of_model(
    key: str, points: Points, evidence: Evidence, candidate: Candidate, source: str, factor: float = 1.0
) -> Figure:
    """Ours next to ResNet-18 of the paper, of one model after one epoch."""
    here = series_here("here", points, evidence, candidate, factor)
    return figure(key, [here], [series_in_paper("ResNet-18", points, PUBLISHED, source, factor)], **_words(candidate))


def _main(evidence: Evidence, candidate: Candidate) -> Figure:
    arms = ("soft", "sls", "majority", "smoothing", "mixup")
    places = {DELIVERIES[arm]: value_of("soft_nll", arm) for arm in arms}
    return _of_model("table-2-{name}", places, evidence, candidate, "table 2")


def _stale(evidence: Evidence, candidate: Candidate) -> Figure:
    places = {"each epoch": value_of("soft_nll", "sls", f"every {HELD_FOR[0]} epochs")}
    places |= {f"every {every} epochs": value_of("soft_nll", "held", f"every {every} epochs") for every in HELD_FOR}
    return _of_model("figure-4-{name}", places, evidence, candidate, "figure 4")


def _curvature(evidence: Evidence, candidate: Candidate) -> Figure:
    """Largest eigenvalues relative to those of soft labels, since their size depends on the network."""
    gaps = {DELIVERIES[arm]: difference("lambda_full", arm, "soft", relative=True) for arm in (*HARD, "shuffled")}
    return _of_model("table-4-{name}", gaps, evidence, candidate, "table 4 (5 seeds)", 100)


def _outside(evidence: Evidence, candidate: Candidate) -> Figure:
    gains = {name: difference(f"auroc_{detector}", "sls", "soft") for detector, name in DETECTORS.items()}
    return _of_model("table-8-{name}", gains, evidence, candidate, "table 8")


def _curves(results: Results, model: str) -> Figure:
    curves: dict[str, list[list[float]]] = {}
    for record in results.study(f"{model}-main").records:
        if record["arm"]["keep"] == "last" and record["arm"]["delivery"] in ("soft", "sls", "majority"):
            curves.setdefault(record["arm"]["delivery"], []).append(record["training"]["validation soft NLL"])
    series = [
        Series(DELIVERIES[arm], tuple(np.arange(1.0, len(of[0]) + 1).tolist()), tuple(np.mean(of, axis=0).tolist()))
        for arm, of in curves.items()
    ]
    return figure("figure-8-{name}", series, name=model, model=MODELS[model])


def _texts(results: Results) -> Figure:
    numbers = results.numbers["texts"]
    rows = [(name, str(numbers[name]["few"]) if few else ALL) for name in TEXTS for few in (True, False)]
    names = [f"{TEXTS[name].title}, {votes} votes" for name, votes in rows]
    gaps = {
        keep: [interval_of(text_gaps(numbers, name, votes, "multipass", keep)) for name, votes in rows]
        for keep in ("best", "last")
    }
    return figure("beyond-texts", [interval_series(f"{keep} epoch", names, gap) for keep, gap in gaps.items()])
