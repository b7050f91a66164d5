"""What the page draws: the scores of tables 3 and 4 beside the paper's, and the loss curves of figure 4."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.papers.claims import printed
from dissensus.papers.figures import Figure, Series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025 import published
from dissensus.study.summary.units import mean_interval
from dissensus.train.singh import TARGETS


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """KL, correlation of entropies and accuracy with soft and hard labels; validation loss by epoch."""
    shown = [_scores(results, metric) for metric in ("kl", "entropy_correlation", "accuracy")]
    return [*shown, *(_curves(results, name) for name in published.NAMES)]


def _scores(results: Results, metric: str) -> Figure:
    factor = 100 if metric == "accuracy" else 1
    names = tuple(published.NAMES.values())
    ours, theirs = [], []
    for place, targets in ((1, "soft"), (0, "hard")):
        means = [
            mean_interval([factor * value for value in results.numbers[name]["fixed"]["scores"][targets][metric]])
            for name in published.NAMES
        ]
        ours.append(Series(targets, names, *(tuple(getattr(mean, end) for mean in means) for end in
                                             ("value", "low", "high"))))  # fmt: skip
        values = tuple(printed(published.SCORES[name][metric][place]).value for name in published.NAMES)
        theirs.append(Series(targets, names, values))
    table = "table 4" if metric == "entropy_correlation" else "table 3"
    return Figure(
        key=metric, title=f"{published.METRIC_NAMES[metric].capitalize()} with soft and hard labels",
        source=f"Singh 2025, {table}", kind="dots", x_title="data set", y_title=published.METRIC_NAMES[metric],
        series=tuple(ours), published=tuple(theirs), parts=tuple(published.NAMES),
        note="Means with 95 % intervals over seeds, one split.",
    )  # fmt: skip


def _curves(results: Results, name: str) -> Figure:
    curves = results.numbers[name]["fixed"]["curves"]
    series = tuple(Series(t, tuple(float(epoch) for epoch in range(1, len(curves[t]) + 1)), tuple(curves[t]))
                   for t in TARGETS)  # fmt: skip
    return Figure(
        key=f"figure-4-{name}", title=f"Validation loss by epoch, {published.NAMES[name]}",
        source="Singh 2025, figure 4", kind="lines", x_title="epoch", y_title="validation loss, nats", series=series,
        parts=(name,), note="Mean over seeds up to the epoch that all reached; each with the settings chosen for it.",
    )  # fmt: skip
