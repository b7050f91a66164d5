"""Figures of the page: the sweep next to the paper's, scores, curvature, training, images from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number
from dissensus.papers.expressions import difference, value_of
from dissensus.papers.figures import Figure, Series, interval_series, series_here, series_in_paper
from dissensus.papers.gheibi2026.answers import text_gaps
from dissensus.papers.gheibi2026.beyond import ALL, TEXTS
from dissensus.papers.gheibi2026.reader_names import DELIVERIES, DETECTORS, MODELS
from dissensus.papers.gheibi2026.studies import HARD, HELD_FOR, KS
from dissensus.papers.paper import Results, Scale
from dissensus.papers.published import read_published
from dissensus.papers.strength import SHOWN
from dissensus.papers.study_runs import interval_of

PUBLISHED = read_published("gheibi2026")
MEANS = "Means with 95% intervals over seeds."
CHOSEN = "The best epoch is chosen by the images that are scored, as in the paper."


def figures(results: Results, scale: Scale, evidence: Evidence) -> Sequence[Figure]:
    """The sweep first; figures that this run has no numbers for are left out."""
    models = [candidate for candidate in evidence.values if candidate.model]
    # Whole sweeps first; an epoch that has shown five labels says something about five votes.
    models.sort(key=lambda candidate: (-_swept(evidence, candidate), not _shows(evidence, candidate, 5)))
    made = [_sweep(evidence, candidate) for candidate in models]
    made += [figure(evidence, candidate) for candidate in models for figure in (_main, _stale, _curvature, _outside)]
    trained = dict.fromkeys(candidate.model for candidate in models if f"{candidate.model}-main" in results.folders)
    made += [_curves(results, model) for model in trained]
    texts = [_texts(results)] if "texts" in results.numbers else []
    return [*(figure for figure in made if any(series.y for series in figure.series)), *texts]


def _swept(evidence: Evidence, candidate: Candidate) -> int:
    """How many K a model was trained with."""
    return sum(evidence.runs(candidate, Number("soft_nll", "soft", f"K = {k}")) is not None for k in KS)


def _shows(evidence: Evidence, candidate: Candidate, votes: int) -> bool:
    shown = evidence.runs(candidate, Number(SHOWN, "sls", f"K = {votes}"))
    return shown is not None and float(np.mean(list(shown.values()))) >= votes


def _title(candidate: Candidate) -> str:
    return f"{MODELS[candidate.model]}, {candidate.epoch}"


def _key(candidate: Candidate) -> str:
    return f"{candidate.model}-{candidate.epoch.split()[0]}"


def _sweep(evidence: Evidence, candidate: Candidate) -> Figure:
    places = {DELIVERIES[arm]: {float(k): value_of("soft_nll", arm, f"K = {k}") for k in KS} for arm in ("soft", *HARD)}
    return Figure(
        key=f"figure-1-{_key(candidate)}",
        title=f"Soft NLL by votes per image: {_title(candidate)}",
        source="Gheibi 2026, figure 1 and table 1",
        kind="lines",
        x_title="votes per image",
        y_title="soft NLL",
        series=tuple(series_here(name, at, evidence, candidate) for name, at in places.items()),
        published=tuple(series_in_paper(name, at, PUBLISHED, "table 1") for name, at in places.items()),
        note=f"{MEANS} {CHOSEN}",
    )


def _main(evidence: Evidence, candidate: Candidate) -> Figure:
    arms = ("soft", "sls", "majority", "smoothing", "mixup")
    places = {DELIVERIES[arm]: value_of("soft_nll", arm) for arm in arms}
    return Figure(
        key=f"table-2-{_key(candidate)}",
        title=f"Soft NLL with all votes: {_title(candidate)}",
        source="Gheibi 2026, table 2",
        kind="dots",
        x_title="delivery",
        y_title="soft NLL",
        series=(series_here("here", places, evidence, candidate),),
        published=(series_in_paper("ResNet-18", places, PUBLISHED, "table 2"),),
        note=f"{MEANS} {CHOSEN}",
    )


def _stale(evidence: Evidence, candidate: Candidate) -> Figure:
    places = {"each epoch": value_of("soft_nll", "sls", f"every {HELD_FOR[0]} epochs")}
    places |= {f"every {every} epochs": value_of("soft_nll", "held", f"every {every} epochs") for every in HELD_FOR}
    return Figure(
        key=f"figure-4-{_key(candidate)}",
        title=f"Soft NLL if drawn labels are held: {_title(candidate)}",
        source="Gheibi 2026, figure 4",
        kind="dots",
        x_title="labels are drawn in",
        y_title="soft NLL",
        series=(series_here("here", places, evidence, candidate),),
        published=(series_in_paper("ResNet-18", places, PUBLISHED, "figure 4"),),
        note=MEANS,
    )


def _curvature(evidence: Evidence, candidate: Candidate) -> Figure:
    """Largest eigenvalues relative to those of soft labels, since their size depends on the network."""
    gaps = {DELIVERIES[arm]: difference("lambda_full", arm, "soft", relative=True) for arm in (*HARD, "shuffled")}
    return Figure(
        key=f"table-4-{_key(candidate)}",
        title=f"Largest eigenvalue of the Hessian relative to soft labels: {_title(candidate)}",
        source="Gheibi 2026, table 4",
        kind="dots",
        x_title="delivery",
        y_title="% above soft labels",
        series=(series_here("here", gaps, evidence, candidate, 100),),
        published=(series_in_paper("ResNet-18", gaps, PUBLISHED, "table 4 (5 seeds)", 100),),
        note=f"{MEANS} Below 0, the loss is flatter than with soft labels.",
    )


def _outside(evidence: Evidence, candidate: Candidate) -> Figure:
    gains = {name: difference(f"auroc_{detector}", "sls", "soft") for detector, name in DETECTORS.items()}
    return Figure(
        key=f"table-8-{_key(candidate)}",
        title=f"AUROC of CIFAR-100 against CIFAR-10, SLS less soft labels: {_title(candidate)}",
        source="Gheibi 2026, table 8",
        kind="dots",
        x_title="detector",
        y_title="AUROC, SLS less soft labels",
        series=(series_here("here", gains, evidence, candidate),),
        published=(series_in_paper("ResNet-18", gains, PUBLISHED, "table 8"),),
        note=MEANS,
    )


def _curves(results: Results, model: str) -> Figure:
    curves: dict[str, list[list[float]]] = {}
    for record in results.study(f"{model}-main").records:
        if record["arm"]["keep"] == "last" and record["arm"]["delivery"] in ("soft", "sls", "majority"):
            curves.setdefault(record["arm"]["delivery"], []).append(record["training"]["validation soft NLL"])
    series = [
        Series(DELIVERIES[arm], tuple(np.arange(1.0, len(of[0]) + 1).tolist()), tuple(np.mean(of, axis=0).tolist()))
        for arm, of in curves.items()
    ]
    return Figure(
        key=f"figure-8-{model}",
        title=f"Soft NLL on held-out images by epoch: {MODELS[model]}",
        source="Gheibi 2026, figure 8",
        kind="lines",
        x_title="epoch",
        y_title="soft NLL",
        series=tuple(series),
        note="Means over seeds.",
    )


def _texts(results: Results) -> Figure:
    numbers = results.numbers["texts"]
    rows = [(name, str(numbers[name]["few"]) if few else ALL) for name in TEXTS for few in (True, False)]
    series = [
        interval_series(
            f"{keep} epoch",
            [f"{TEXTS[name].title}, {votes} votes" for name, votes in rows],
            [interval_of(text_gaps(numbers, name, votes, "multipass", keep)) for name, votes in rows],
        )
        for keep in ("best", "last")
    ]
    return Figure(
        key="beyond-texts",
        title="Soft NLL of multipass less that of soft labels, on texts",
        source="Beyond the paper",
        kind="dots",
        x_title="texts",
        y_title="soft NLL, multipass less soft labels",
        series=tuple(series),
        note=f"{MEANS} Below 0, multipass is better.",
    )
