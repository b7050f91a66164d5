"""What a run measured: label statistics, scores by seed, epochs, entropies, gains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, Row, collect, name_runs
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025.encoders import HERE, OF_THE_PAPER, part_of
from dissensus.papers.singh2025.work import SETTINGS, grid_of

Numbers = Mapping[str, Any]
NAMES = {"chaosnli": "ChaosNLI", "popquorn": "POPQUORN", "cifar10h-hard": "CIFAR-10H-Hard"}
MEAN = "mean of the sets"
# Table 2: learning rate, batch, epochs, weight decay, scheduler. The weight decay of POPQUORN is printed once for both.
CHOSEN: dict[str, dict[str, tuple[Any, ...]]] = {
    "chaosnli": {"soft": (1e-3, 32, 20, 1e-4, "plateau"), "hard": (1e-4, 16, 15, 1e-4, "plateau")},
    "popquorn": {"soft": (1e-5, 8, 20, 0.0, None), "hard": (1e-4, 32, 10, 0.0, "plateau")},
    "cifar10h-hard": {"soft": (1e-4, 16, 15, 1e-4, "plateau"), "hard": (1e-3, 16, 10, 1e-4, None)},
}
LABELS = Candidate()
READINGS = {"drawn": "a split per seed", "fixed": "one split"}  # the paper does not say which; the wider one decides


def observe(results: Results, scale: Scale) -> Evidence:
    """Collect the numbers of all sets; the paper's own encoder decides if a user has its features."""
    runs = main_numbers(results)
    return collect([*_labels(runs), *_scores(results, runs), *_once(runs, scale)])


def main_numbers(results: Results) -> dict[str, Numbers]:
    """Numbers of each set that was run, with the encoder that decides."""
    parts = {name: (part_of(name, OF_THE_PAPER[name]), part_of(name, HERE[name])) for name in NAMES}
    known = {name: [results.numbers[part] for part in own if part in results.numbers] for name, own in parts.items()}
    return {name: numbers[0] for name, numbers in known.items() if numbers}


def _labels(runs: Mapping[str, Numbers]) -> Iterator[Row]:
    """Table 1, figures 1 and 3, of all items at every scale."""
    for name, own in runs.items():
        values = {"items": own["items"], "classes": len(own["classes"])}
        values |= {metric: own[metric] for metric in ("votes", "entropy", "entropy_sd")}
        for metric, value in values.items():
            yield LABELS, Number(metric, "people", NAMES[name]), {"all": float(value)}
        for arm, by_class in own.get("noise", {}).items():
            yield LABELS, Number("entropy_sd_within", arm, "CIFAR-10H"), by_class


def _scores(results: Results, runs: Mapping[str, Numbers]) -> Iterator[Row]:
    """Tables 3 and 4 by seed, for both readings of a seed; then the other encoders."""
    for reading, epoch in READINGS.items():
        candidate = Candidate("heads", epoch)
        gains: dict[str, list[np.ndarray]] = {"kl_gain": [], "correlation_gain": []}
        for name, own in runs.items():
            yield from _set_scores(candidate, name, own[reading]["scores"])
            for metric, gain in _gains(own[reading]["scores"]).items():
                gains[metric].append(gain)
                yield candidate, Number(metric, "soft", NAMES[name]), name_runs("seed", gain)
        if len(runs) < len(NAMES):
            continue  # a mean of all sets needs all of them
        for metric, of_sets in gains.items():
            yield candidate, Number(metric, "soft", MEAN), name_runs("seed", np.mean(of_sets, axis=0))
        for targets in ("soft", "hard"):
            losses = [own[reading]["scores"][targets]["kl"] for own in runs.values()]
            yield candidate, Number("kl", targets, MEAN), name_runs("seed", np.mean(losses, axis=0))
    main = [id(own) for own in runs.values()]
    for part, own in results.numbers.items():
        name = next(name for name in NAMES if part == name or part.startswith(f"{name}-"))
        if id(own) not in main:
            for reading, epoch in READINGS.items():
                yield from _set_scores(Candidate(f"heads on {own['encoder']}", epoch), name, own[reading]["scores"])


def _set_scores(candidate: Candidate, name: str, scores: Numbers) -> Iterator[Row]:
    for targets, metrics in scores.items():
        for metric, values in metrics.items():
            factor = 100 if metric == "accuracy" else 1
            yield candidate, Number(metric, targets, NAMES[name]), name_runs("seed", factor * np.array(values))


def _gains(scores: Numbers) -> dict[str, np.ndarray]:
    """Improvement by soft labels in percent of the mean of hard labels, by seed."""
    kl, correlation = (
        [np.array(scores[targets][metric]) for targets in ("hard", "soft")] for metric in ("kl", "entropy_correlation")
    )
    return {
        "kl_gain": 100 * (kl[0] - kl[1]) / kl[0].mean(),
        "correlation_gain": 100 * (correlation[1] - correlation[0]) / correlation[0].mean(),
    }


def _once(runs: Mapping[str, Numbers], scale: Scale) -> Iterator[Row]:
    """Numbers that were measured on one split: chosen settings, epochs, entropies, and fewer answers."""
    candidate = Candidate("heads", READINGS["fixed"])
    for name, own in runs.items():
        fixed, where = own["fixed"], NAMES[name]
        for targets in ("soft", "hard"):
            rank = _rank(CHOSEN[name][targets], fixed["grid_losses"][targets], scale)
            if rank is not None:
                yield candidate, Number("rank", targets, where), {"all": rank}
            spread = np.array(fixed["top_entropy"][targets])
            by_seed = {
                "best_epoch": fixed["best_epochs"][targets],
                "kl_agreeing": fixed["agreeing"][targets],
                "top_entropy": spread,
                "top_entropy_gap": np.abs(spread - fixed["top_entropy"]["people"]),
            }
            for metric, values in by_seed.items():
                yield candidate, Number(metric, targets, where), name_runs("seed", values)
            epochs = _stopped_early(fixed["grid_epochs"], targets, scale)
            if epochs:
                yield candidate, Number("stopped_epoch", targets, where), epochs
            for count, scores in own["answers"].items():
                number = Number("kl", targets, f"{where}, {count} answers")
                yield candidate, number, name_runs("seed", scores[targets]["kl"])
        people = np.full(len(fixed["top_entropy"]["soft"]), fixed["top_entropy"]["people"])
        yield candidate, Number("top_entropy", "people", where), name_runs("seed", people)


def _rank(setting: tuple[Any, ...], losses: Sequence[float], scale: Scale) -> float | None:
    """Rank of the printed settings by validation loss; None if they are not tried at this scale."""
    grid = [tuple(getattr(config, name) for name in SETTINGS) for config in grid_of(scale)]
    return 1.0 + sum(loss < losses[grid.index(setting)] for loss in losses) if setting in grid else None


def _stopped_early(epochs: Numbers, targets: str, scale: Scale) -> dict[str, float]:
    """Best epoch by setting, of the longest settings in which the loss stopped one of the two."""
    grid = grid_of(scale)
    longest = max(config.epochs for config in grid)
    return {
        f"setting {place + 1}": float(epochs[targets][place])
        for place, config in enumerate(grid)
        if config.epochs == longest and min(epochs["soft"][place], epochs["hard"][place]) < longest
    }
