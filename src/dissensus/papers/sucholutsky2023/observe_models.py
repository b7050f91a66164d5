"""Numbers of sections 7.2 to 7.4 and appendices C and E: models trained on each kind of label."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from dissensus.labels.distances import entropy
from dissensus.papers.evidence import Candidate, Number, Row, mean_of
from dissensus.papers.paper import Results
from dissensus.papers.study_runs import pseudo_values, spearman
from dissensus.papers.sucholutsky2023.sets import NAMES, label_kinds
from dissensus.papers.sucholutsky2023.studies import KEPT, NETWORKS, PER_CLASS
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR
from dissensus.study.cells import read_predictions
from dissensus.study.summary.cell_table import cell_rows

Runs = dict[str, float]
ByKind = dict[str, Runs]
ModelRow = Mapping[str, Any]
Value = Callable[[ModelRow], float]
OF_NETWORKS, OF_HEADS = Candidate("networks"), Candidate("heads")
HUMAN = ("H", "S+hard")
ALL = "all kinds of label"
SETS = {NEAR: "CIFAR-10 training images", FAR: "ImageNet-Far"}  # names of the paper
METRICS = {"cross_entropy": ("cross-entropy", 1.0), "accuracy": ("accuracy", 100.0)}
CHANCE = float(np.log(10))  # cross-entropy of ten equal probabilities
UNCERTAIN = 100  # images of figures 11 and 12
SMALLEST = 1e-12  # probability, so that a divergence is finite
BETWEEN_SEEDS = "between seeds"


def by_run(rows: Sequence[ModelRow], value: Value) -> ByKind:
    """A value by kind of label that was learned from, then by network and seed; folds are averaged by their items.

    Of several learning rates, that with the lowest cross-entropy to CIFAR-10H counts, as the paper keeps its best.
    """
    together: dict[tuple[str, str], dict[Any, list[ModelRow]]] = {}
    for row in rows:
        run = f"{row['network']} · seed {row['seed']}"
        together.setdefault((row["kind"], run), {}).setdefault(row["learning_rate"], []).append(row)
    values: ByKind = {}
    for (kind, run), rates in together.items():
        best = min(rates.values(), key=lambda folds: _fold_mean(folds, on_labels("H")))
        values.setdefault(kind, {})[run] = _fold_mean(best, value)
    return values


def on_labels(kind: str, metric: str = "cross-entropy") -> Value:
    """Against labels of a kind, of the images that a model was judged on."""
    return lambda row: float(row["labels"][kind][metric])


def on_shift(name: str, metric: str = "cross-entropy") -> Value:
    """On a set of shifted images."""
    return lambda row: float(row["shift"][name][metric])


def on_all_labels(row: ModelRow, metric: str = "cross-entropy") -> float:
    """Mean over the kinds of label that models are judged by."""
    return float(np.mean([scores[metric] for scores in row["labels"].values()]))


def labels_of(kind: str) -> str:
    """Condition of a score against labels of a kind."""
    return f"{NAMES[kind]} labels"


def choose_by_others(values: ByKind, kinds: Sequence[str], sign: int) -> Runs:
    """By run: the value of the kind that is best in the other runs; chosen by the same run, chance would favour it.

    sign  1 if higher is better, -1 if lower is better
    """
    runs = list(values[kinds[0]])
    chosen: Runs = {}
    for run in runs:
        others = [other for other in runs if other != run] or [run]
        best = max(kinds, key=lambda kind: sign * float(np.mean([values[kind][other] for other in others])))
        chosen[run] = values[best][run]
    return chosen


def observe_models(candidate: Candidate, transfer: Mapping[str, Any], informed: Mapping[str, Any]) -> Iterator[Row]:
    """Scores on every kind of label and on shifted images, how sure models are, and what labels recover."""
    rows = transfer["rows"]
    kinds = sorted({row["kind"] for row in rows}, key=transfer["label entropy"].__getitem__)
    for metric, (stored, factor) in METRICS.items():
        sign = 1 if metric == "accuracy" else -1
        places: dict[str, tuple[Value, str]] = {
            labels_of(judge): (on_labels(judge, stored), judge) for judge in rows[0]["labels"]
        }
        places |= {SETS[name]: (on_shift(name, stored), "") for name in rows[0]["shift"]}
        places[ALL] = (partial(on_all_labels, metric=stored), "")
        for where, (value, judge) in places.items():
            values = _scale(by_run(rows, value), factor)
            yield from ((candidate, Number(metric, kind, where), runs) for kind, runs in values.items())
            yield from _shape(candidate, metric, where, values, [kind for kind in kinds if kind != judge], kinds, sign)
            if metric == "cross_entropy" and not judge:
                yield from _information(candidate, where, values, informed)
        people = [kind for kind in (*HUMAN, "S+dense") if kind in kinds]
        best = choose_by_others(_scale(by_run(rows, places[ALL][0]), factor), people, sign)
        yield candidate, Number(metric, "labels of people", ALL), best
    on_hard = by_run(rows, on_labels("hard"))
    lowest = min(on_hard.values(), key=lambda runs: mean_of(runs))
    yield candidate, Number("cross_entropy", "best kind"), lowest
    for kind, runs in by_run(rows, lambda row: float(row["distance of entropies"])).items():
        yield candidate, Number("entropy_distance", kind), runs


def observe_architectures(rows: Sequence[ModelRow], kinds: Sequence[str]) -> Iterator[Row]:
    """Cross-entropy by architecture.  kinds: by rising softness"""
    everywhere = by_run(rows, on_all_labels)
    for name, shown in NETWORKS.items():
        own = {
            kind: {run: v for run, v in runs.items() if run.startswith(f"{name} ")} for kind, runs in everywhere.items()
        }
        where = f"{ALL}, {shown}"
        yield from ((OF_NETWORKS, Number("cross_entropy", kind, where), runs) for kind, runs in own.items())
        yield from _shape(OF_NETWORKS, "cross_entropy", where, own, kinds, kinds, -1)
    for judge in rows[0]["labels"]:
        values = by_run(rows, on_labels(judge))
        for name, shown in NETWORKS.items():
            runs = {
                f"{kind}, {run.removeprefix(f'{name} · ')}": value
                for kind, of in values.items()
                for run, value in of.items()
                if run.startswith(f"{name} ")
            }
            yield OF_NETWORKS, Number("cross_entropy", shown, labels_of(judge)), runs


def observe_kept(transfer: Mapping[str, Any]) -> Iterator[Row]:
    """Table 3: labels with numbers for 2, 3 and 4 classes; all ten only of dense labels, as votes are sparse anyway."""
    rows = transfer["rows"]
    source = rows[0]["kind"]
    for name, where in SETS.items():
        for kept in KEPT if source == "DS" else KEPT[:-1]:
            own = [row for row in rows if row["transforms"] == f"sparsest={kept}"]
            yield OF_HEADS, Number("cross_entropy_kept", kept, where), by_run(own, on_shift(name))[source]


def observe_few(results: Results, model: str) -> Iterator[Row]:
    """Table 1: models that learn from few images of each class."""
    for count in PER_CLASS:
        if f"{model}-{count}" in results.folders:
            where = f"{count} images per class"
            losses = losses_by_kind(results, f"{model}-{count}")
            yield from ((Candidate(model), Number("cross_entropy", kind, where), runs) for kind, runs in losses.items())
            gained = {run: CHANCE - value for run, value in losses["H"].items()}
            yield Candidate(model), Number("accuracy_nats", "H", where), gained


def losses_by_kind(results: Results, part: str) -> ByKind:
    """Cross-entropy to CIFAR-10H by kind of label and run; of several learning rates, the best one of each run."""
    losses: ByKind = {}
    for row in (row for row in cell_rows(results.study(part)) if row["status"] == "done"):
        run = f"{row['model']} · seed {row['seed']}"
        own = losses.setdefault(row["data"], {})
        own[run] = min(own.get(run, np.inf), row["soft_nll"])
    return losses


def observe_uncertain(results: Results) -> Iterator[Row]:
    """Figures 11 and 12: how much people disagree about held-out images that models find hard.

    Hard are images of which models are least certain, by the mean entropy of their predictions, for each seed over
    kinds of label; and images on which models diverge, by the mean symmetric KL, for each kind of label over pairs of
    seeds: between kinds of label, divergence is a matter of their softness.
    """
    votes = entropy(label_kinds()["H"].probs)  # (10000,)
    predictions = _held_out_predictions(results, votes.size)
    seeds, kinds = (list(dict.fromkeys(key[place] for key in predictions)) for place in (0, 1))
    least = {seed: _uncertainty(np.stack([predictions[seed, kind] for kind in kinds])) for seed in seeds}
    compared = kinds if len(seeds) > 1 else []
    apart = {kind: mean_divergence(np.stack([predictions[seed, kind] for seed in seeds])) for kind in compared}
    for arm, where, hardness in (
        (f"{UNCERTAIN} least certain images", "", least),
        (f"{UNCERTAIN} most divergent images", BETWEEN_SEEDS, apart),
    ):
        if hardness:
            hardest = {
                run: _mean_votes(votes, np.argsort(-of, kind="stable")[:UNCERTAIN]) for run, of in hardness.items()
            }
            everywhere = {run: _mean_votes(votes, np.isfinite(of)) for run, of in hardness.items()}
            yield OF_HEADS, Number("vote_entropy", arm, where), hardest
            yield OF_HEADS, Number("vote_entropy", "all images", where), everywhere


def _held_out_predictions(results: Results, n: int) -> dict[tuple[str, str], np.ndarray]:
    """Predictions by seed and kind of label; NaN for images that were not used.  (n, k) each"""
    models: dict[tuple[str, str], np.ndarray] = {}
    for record in results.study("heads").records:
        predicted = read_predictions(results.folders["heads"] / "cells" / record["cell"])
        key = f"seed {record['seed']}", record["arm"]["data"]
        probs = models.setdefault(key, np.full((n, predicted.n_classes), np.nan))
        probs[predicted.items.astype(np.int64)] = predicted.probs
    return models


def _uncertainty(models: np.ndarray) -> np.ndarray:
    """Mean entropy of the predictions.  (m, n, k) -> (n,)"""
    return -np.where(models > 0, models * np.log(np.clip(models, SMALLEST, None)), models).sum(axis=2).mean(axis=0)


def mean_divergence(models: np.ndarray) -> np.ndarray:
    """Mean symmetric KL of two models, (p - q) (log p - log q).  (m, n, k) -> (n,)"""
    pairs = combinations(np.clip(models, SMALLEST, None), 2)
    return np.mean([((p - q) * np.log(p / q)).sum(axis=1) for p, q in pairs], axis=0)


def _mean_votes(votes: np.ndarray, at: np.ndarray) -> float:
    return float(votes[at].mean())


def _shape(
    candidate: Candidate, metric: str, where: str, values: ByKind, kinds: Sequence[str], every: Sequence[str], sign: int
) -> Iterator[Row]:
    """Best kind of medium softness and softest kind, for claims about a U; `kinds` leaves out the kind that judges."""
    middling = [kind for kind in every[1:-1] if kind in kinds]
    if middling:
        yield candidate, Number(metric, "middling", where), choose_by_others(values, middling, sign)
    if every[-1] in kinds and len(every) > 2:
        yield candidate, Number(metric, "softest", where), values[every[-1]]


def _information(candidate: Candidate, where: str, losses: ByKind, informed: Mapping[str, Any]) -> Iterator[Row]:
    """Rank correlation over kinds of label between recovery and cross-entropy, by the jackknife over kinds."""
    kinds = [kind for kind in losses if kind in informed["kinds"]]
    if len(kinds) > 3:
        rho = np.array([np.mean([run["rho"] for run in informed["kinds"][kind].values()]) for kind in kinds])
        loss = np.array([np.mean(list(losses[kind].values())) for kind in kinds])
        runs = pseudo_values(partial(spearman, rho, loss), kinds)
        yield candidate, Number("information_correlation", "recovery", where), runs


def _scale(values: ByKind, factor: float) -> ByKind:
    return {kind: {run: factor * value for run, value in runs.items()} for kind, runs in values.items()}


def _fold_mean(folds: Sequence[ModelRow], value: Value) -> float:
    return float(np.average([value(row) for row in folds], weights=[row["items"] for row in folds]))
