"""What the page draws: scores beside the paper's, gains over target error, curvature, ways, items from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dissensus.papers.claims import parse_printed
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.answers import text_gaps
from dissensus.papers.gheibi2026.beyond import ALL, TEXTS
from dissensus.papers.gheibi2026.evidence import TITLES, Evidence
from dissensus.papers.gheibi2026.findings_inside import auroc
from dissensus.papers.gheibi2026.studies import HELD_FOR
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, interval_of

KEPT = ("best", "last")
MEANS = "Means with 95% intervals over seeds."
FLATTERED = "The best epoch is chosen by the images it is scored on, as in the paper, which flatters every delivery."


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Those of the paper's figures and tables that this run can answer."""
    evidence = Evidence(results, scale)
    made: list[Figure] = []
    for model in evidence.models:
        made += [figure for figure in (_sweep(evidence, model, keep) for keep in KEPT) if figure is not None]
        made += [
            _main(evidence, model, metric) for metric in ("soft_nll", "entropy_spearman") if _full(evidence, model)
        ]
        made += _curves(evidence, model)
    for model in evidence.models_with_probes():
        made += [_targets(evidence, model, reading) for reading in ("held out", "learned")]
        made += [_curvature(evidence, model), _ways(evidence, model)]
        made += [_elsewhere(evidence, model, outside) for outside in ("CIFAR-100", "ImageNet")]
    return [*made, *_stale_figures(evidence), _texts(results)]


def _points(names: Sequence[str | float], runs: Sequence[Runs | None], name: str) -> Series:
    """One point for each that there are numbers of."""
    there = [(x, interval_of(of)) for x, of in zip(names, runs, strict=True) if of]
    return interval_series(name, [x for x, _ in there], [mean for _, mean in there])


def _full(evidence: Evidence, model: str) -> bool:
    return evidence.part(model, "soft", None) is not None


def _sweep(evidence: Evidence, model: str, keep: str) -> Figure | None:
    arms = ("soft", *p.HARD)
    ks = [k for k in p.KS if evidence.part(model, "soft", k)]
    if len(ks) < len(p.KS):
        return None
    series = tuple(
        _points([float(k) for k in ks], [evidence.scores(model, "soft_nll", arm, k, keep) for k in ks], p.NAMES[arm])
        for arm in arms
    )
    theirs = tuple(Series(p.NAMES[arm], tuple(map(float, p.KS)), p.SWEEP[arm]) for arm in arms)
    return Figure(
        key=f"figure-1-{model}-{keep}",
        title=f"Soft NLL by votes for each image, {keep} epoch: {TITLES[model]}",
        source="Gheibi 2026, figure 1 and table 1",
        kind="lines",
        x_title="votes",
        y_title="soft NLL",
        series=series,
        published=theirs if keep == "best" else (),
        parts=(f"{model}-sweep",),
        note=f"{MEANS} {FLATTERED}",
    )


def _main(evidence: Evidence, model: str, metric: str) -> Figure:
    arms = [arm for arm in p.NAMES if evidence.part(model, arm, None) and arm != p.SHUFFLED]  # which is far off
    names = [p.NAMES[arm] for arm in arms]
    series = tuple(
        _points(names, [evidence.scores(model, metric, arm, None, keep) for arm in arms], f"{keep} epoch")
        for keep in KEPT
    )
    place = p.METRICS.index(metric)
    known = {arm: parse_printed(row[place]).value for arm, row in (p.FAMILY | p.MAIN).items() if arm in arms}
    return Figure(
        key=f"table-2-{model}-{metric}",
        title=f"{p.METRIC_NAMES[metric]} with all votes: {TITLES[model]}",
        source="Gheibi 2026, tables 2 and 3",
        kind="dots",
        x_title="delivery",
        y_title=p.METRIC_NAMES[metric],
        series=series,
        published=(Series("ResNet-18", tuple(p.NAMES[arm] for arm in known), tuple(known.values())),),
        parts=tuple(dict.fromkeys(part for arm in arms if (part := evidence.part(model, arm, None)))),
        note=f"{MEANS} {FLATTERED}",
    )


def _curves(evidence: Evidence, model: str) -> list[Figure]:
    lines = {
        arm: list(curves.values()) for arm in ("soft", "sls", "majority") if (curves := evidence.curves(model, arm))
    }
    if not lines:
        return []
    series = tuple(
        Series(
            p.NAMES[arm],
            tuple(float(epoch) for epoch in range(1, len(of[0]) + 1)),
            tuple(float(loss) for loss in np.mean(of, axis=0)),
        )
        for arm, of in lines.items()
    )
    return [
        Figure(
            key=f"figure-8-{model}",
            title=f"Soft NLL on held-out images by epoch: {TITLES[model]}",
            source="Gheibi 2026, figure 8",
            kind="lines",
            x_title="epoch",
            y_title="soft NLL",
            series=series,
            parts=(f"{model}-main",),
            note="Means over seeds.",
        )
    ]


def _stale_figures(evidence: Evidence) -> list[Figure]:
    times = (1, *HELD_FOR)
    arms = ("sls", *(f"sls | stale={every}" for every in HELD_FOR))
    made = []
    for model in evidence.models:
        if all(evidence.part(model, arm, None) for arm in arms):
            series = tuple(
                _points(
                    [f"every {every}" for every in times],
                    [evidence.scores(model, "soft_nll", arm, None, keep) for arm in arms],
                    f"{keep} epoch",
                )
                for keep in KEPT
            )
            made.append(
                Figure(
                    key=f"figure-4-{model}",
                    title=f"Soft NLL where drawn labels are held: {TITLES[model]}",
                    source="Gheibi 2026, figure 4",
                    kind="dots",
                    x_title="epochs between draws",
                    y_title="soft NLL",
                    series=series,
                    published=(
                        Series("ResNet-18", tuple(f"every {every}" for every in p.HELD), tuple(p.HELD.values())),
                    ),
                    parts=(f"{model}-main", f"{model}-family"),
                    note=MEANS,
                )
            )
    return made


def _targets(evidence: Evidence, model: str, reading: str) -> Figure:
    series = []
    for k, by in evidence.probe_numbers(model)["targets"].items():
        bins = [of[reading]["js"]["bins"] for runs in by.values() for of in runs.values()]
        shared = min(map(len, bins))
        means = tuple(float(mean) for mean in np.mean([row[:shared] for row in bins], axis=0))
        series.append(Series(f"{k} votes", tuple(float(place) for place in range(1, shared + 1)), means))
    where = "held-out images, with votes drawn alike" if reading == "held out" else "images learned from"
    return Figure(
        key=f"figure-2-{model}-{reading.replace(' ', '-')}",
        kind="lines",
        source="Gheibi 2026, figure 2",
        title=f"Gain of hard delivery by the error of the target, {where}: {TITLES[model]}",
        x_title="bin of Jensen-Shannon error, least to largest",
        y_title="gain in soft NLL",
        series=tuple(series),
        parts=(f"{model}-probes",),
        note="Means over methods and seeds, best epoch. Bins are equally large; images of equal error stay together.",
    )


def _curvature(evidence: Evidence, model: str) -> Figure:
    bends = evidence.probe_numbers(model)["curvature"]
    arms = [arm for arm in bends if " at " not in arm]

    def runs(arm: str, what: str) -> Runs:
        return {seed: values[what] for seed, values in bends[arm].items()}

    names = [p.NAMES[arm] for arm in arms]
    series = tuple(
        _points(names, [runs(arm, what) for arm in arms], p.CURVATURE_NAMES[what])
        for what in ("lambda_full", "lambda_high")
    )
    return Figure(
        key=f"table-4-{model}",
        title=f"Largest eigenvalue of the Hessian, best epoch: {TITLES[model]}",
        source="Gheibi 2026, table 4",
        kind="dots",
        x_title="delivery",
        y_title="largest eigenvalue",
        series=series,
        parts=(f"{model}-probes",),
        note=f"{MEANS} Eigenvalues of other networks are of another size: compare deliveries.",
    )


def _ways(evidence: Evidence, model: str) -> Figure:
    series = []
    for keep in KEPT:
        ways = evidence.probe_numbers(model, keep).get("way", {})
        for key, name in (("loss", "as they are"), ("renewed loss", "batch norm renewed")):
            if ways and (key == "loss" or model != "heads"):
                loss = np.mean([way[key] for way in ways.values()], axis=0)
                at = tuple(float(t) for t in np.linspace(0, 1, loss.size))
                series.append(Series(f"{keep} epoch, {name}", at, tuple(float(value) for value in loss)))
    return Figure(
        key=f"figure-11-{model}",
        title=f"Loss on the way from soft labels to SLS: {TITLES[model]}",
        source="Gheibi 2026, figure 11",
        kind="lines",
        x_title="from soft labels (0) to SLS (1)",
        y_title="soft cross-entropy",
        series=tuple(series),
        parts=(f"{model}-probes",),
        note="Means over seeds; both ends began with the same weights.",
    )


def _elsewhere(evidence: Evidence, model: str, outside: str) -> Figure:
    arms = [arm for arm in ("soft", *p.HARD) if evidence.probe_numbers(model)["ood"].get(arm)]
    names = list(p.DETECTORS.values())
    series = tuple(
        _points(
            names, [auroc(evidence, model, "best", arm, outside, detector) for detector in p.DETECTORS], p.NAMES[arm]
        )
        for arm in arms
    )
    order = list(p.DETECTORS)
    theirs = (
        [
            Series(name, tuple(p.DETECTORS[of] for of in order), tuple(float(p.NEAR[of][place]) for of in order))
            for place, name in ((1, "soft labels"), (0, "SLS"))
        ]
        if outside == "CIFAR-100"
        else []
    )
    return Figure(
        key=f"table-8-{model}-{'near' if outside == 'CIFAR-100' else 'other'}",
        title=f"How well {outside} is told from CIFAR-10, best epoch: {TITLES[model]}",
        source="Gheibi 2026, tables 8 and 9" if theirs else "Gheibi 2026, table 7, which has SVHN in place of ImageNet",
        kind="dots",
        x_title="detector",
        y_title="AUROC",
        series=series,
        published=tuple(theirs),
        parts=(f"{model}-probes",),
        note=MEANS,
    )


def _texts(results: Results) -> Figure:
    numbers = results.numbers["texts"]
    arms = [(name, str(numbers[name]["few"]) if few else ALL) for name in TEXTS for few in (True, False)]
    names = [f"{TEXTS[name].title}, {votes} votes" for name, votes in arms]
    said: Mapping[str, str] = {"sls": "SLS", "multipass": "multipass"}
    series = tuple(
        _points(
            names,
            [text_gaps(numbers, name, votes, method, keep) for name, votes in arms],
            f"{said[method]}, {keep} epoch",
        )
        for method in said
        for keep in KEPT
    )
    return Figure(
        key="beyond-texts",
        title="Soft NLL of hard delivery less that of soft labels, on texts",
        source="beyond the paper",
        kind="dots",
        x_title="texts",
        y_title="soft NLL, hard less soft",
        series=series,
        parts=("texts",),
        note=f"{MEANS} Below 0, hard delivery is better.",
    )
