"""What the page draws: figures 3, 4 and 5, and the scores of tables 3 and 4 beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.claims import parse_printed
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025 import published
from dissensus.papers.singh2025.dynamics import answer_gains
from dissensus.papers.singh2025.protocol import TARGETS
from dissensus.papers.singh2025.runs import SetRun, set_runs

Runs = Mapping[str, SetRun]


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Entropies; scores with soft and hard labels; validation loss by epoch; the most disputed items; answers."""
    runs = set_runs(results, scale)
    return [
        _entropies(runs),
        *(_scores(runs, metric) for metric in ("kl", "entropy_correlation", "accuracy")),
        *(_curves(run) for run in runs.values()),
        *(_example(run) for run in runs.values()),
        _answers(runs),
    ]


def _parts(runs: Runs) -> tuple[str, ...]:
    return tuple(run.part for run in runs.values())


def _entropies(runs: Runs) -> Figure:
    series = [
        Series(run.title, tuple(map(float, shares)), tuple(100 * share for share in shares.values()))
        for run in runs.values()
        for shares in [run.numbers["entropy_shares"]]
    ]
    return Figure(
        key="figure-3",
        title="How much people disagree about the items of each set",
        source="Singh 2025, figure 3",
        kind="lines",
        x_title="normalised entropy",
        y_title="% of the items",
        series=tuple(series),
        parts=_parts(runs),
        note="All items, in ten bins of equal width. POPQUORN is its offensiveness ratings here.",
    )


def _scores(runs: Runs, metric: str) -> Figure:
    factor = 100 if metric == "accuracy" else 1
    ours, theirs = [], []
    names = tuple(run.title for run in runs.values())
    for place, targets in ((1, "soft"), (0, "hard")):
        for reading, split in (("fixed", "one split"), ("drawn", "a split for each seed")):
            rows = [(run.title, run.numbers) for run in runs.values()]
            rows += [(f"{run.title}, {own['encoder']}", own) for run in runs.values() for own in run.others.values()]
            means = [
                mean_interval([factor * value for value in own[reading]["scores"][targets][metric]]) for _, own in rows
            ]
            ours.append(interval_series(f"{targets}, {split}", [name for name, _ in rows], means))
        values = tuple(parse_printed(published.SCORES[name][metric][place]).value for name in runs)
        theirs.append(Series(targets, names, values))
    table = "table 4" if metric == "entropy_correlation" else "table 3"
    shown = published.METRIC_NAMES[metric]
    return Figure(
        key=metric,
        title=f"{shown[0].upper()}{shown[1:]} with soft and hard labels",
        source=f"Singh 2025, {table}",
        kind="dots",
        x_title="data set",
        y_title=shown,
        series=tuple(ours),
        published=tuple(theirs),
        parts=tuple(part for run in runs.values() for part in (run.part, *run.others)),
        note="Means with 95% intervals over seeds.",
    )


def _curves(run: SetRun) -> Figure:
    curves = run.numbers["fixed"]["curves"]
    series = tuple(
        Series(t, tuple(float(epoch) for epoch in range(1, len(curves[t]) + 1)), tuple(curves[t])) for t in TARGETS
    )
    return Figure(
        key=f"figure-4-{run.name}",
        title=f"Validation loss by epoch, {run.title}",
        source="Singh 2025, figure 4",
        kind="lines",
        x_title="epoch",
        y_title="validation loss, nats",
        series=series,
        parts=(run.part,),
        note="Mean over seeds up to the epoch that all reached; each with the settings chosen for it.",
    )


def _example(run: SetRun) -> Figure:
    shown = {"people": "people", "soft": "from soft labels", "hard": "from hard labels"}
    classes = tuple(run.numbers["classes"])
    return Figure(
        key=f"figure-5-{run.name}",
        title=f"The most disputed test item of {run.title}",
        source="Singh 2025, figure 5",
        kind="dots",
        x_title="class",
        y_title="probability",
        series=tuple(Series(said, classes, tuple(run.numbers["fixed"]["example"][who])) for who, said in shown.items()),
        parts=(run.part,),
        note="Predictions of the first seed; the paper does not say which items it shows.",
    )


def _answers(runs: Runs) -> Figure:
    series = []
    for run in runs.values():
        gains = answer_gains(run.numbers)
        if len(gains) > 1:
            counts = [run.numbers["votes"] if count == "all" else float(count) for count in gains]
            means = [mean_interval(gain.tolist()) for gain in gains.values()]
            series.append(interval_series(run.title, counts, means))
    return Figure(
        key="answers",
        title="How much soft labels help, by answers per item",
        source="Singh 2025, section 5",
        kind="lines",
        x_title="answers per item to train on",
        y_title="KL with hard less KL with soft labels, nats",
        series=tuple(series),
        parts=_parts(runs),
        note="Means with 95% intervals over seeds; all answers judge.",
    )
