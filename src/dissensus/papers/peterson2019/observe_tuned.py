"""Numbers of sections 6 and 7: models fine-tuned by the methods of table 1, and networks under attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Number, Row, Runs, name_runs
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.strength import SHOWN

REPORTED = "4"  # epsilon of 255 of table 2 and figure 4
SCORES = {  # of table 1, with the names that `tuned` has for them
    "soft_nll": "soft_nll",
    "cross_entropy": "cross_entropy",
    "accuracy": "accuracy",
    "v4_cross_entropy": "cross_entropy_v4",
    "v6_cross_entropy": "cross_entropy_v6",
}


def tuning_rows(candidate: Candidate, numbers: Mapping[str, Any]) -> Iterator[Row]:
    """Table 1 by model, and as the mean over models; the ensemble; the order before fine-tuning."""
    table = best_settings(numbers["networks"])
    first = next(iter(table.values()))["pretrained"]
    for row in ("pretrained", *ROWS):
        for score, metric in SCORES.items():
            if score in first:
                factor = 100 if score == "accuracy" else 1
                for name, rows in table.items():
                    yield candidate, Number(metric, row, name), mean_by_fold([rows[row][score]], factor)
                every = [rows[row][score] for rows in table.values()]
                yield candidate, Number(metric, row), mean_by_fold(every, factor)
    for where in (*table, ""):
        yield candidate, Number(SHOWN, "sampled", where), {"all": float(numbers["labels_shown"])}
    if "ensemble" in numbers and len(table) > 1:
        yield candidate, Number("soft_nll", "ensemble"), name_runs("fold", numbers["ensemble"]["soft_nll"])
        before, after = ([rows[row]["soft_nll"] for rows in table.values()] for row in ("pretrained", "soft"))
        yield candidate, Number("soft_nll", "closest before"), name_runs("fold", min(before, key=np.mean))
        yield candidate, Number("soft_nll", "furthest after"), name_runs("fold", max(after, key=np.mean))
    if set(ARCHITECTURES) <= set(table):
        losses = {name: table[name]["pretrained"]["soft_nll"] for name in ARCHITECTURES}
        own = losses.pop("Shake-Shake")
        yield candidate, Number("soft_nll", "Shake-Shake"), name_runs("fold", own)
        third = sorted(losses.values(), key=np.mean)[2]
        yield candidate, Number("soft_nll", "third closest"), name_runs("fold", third)


def best_settings(networks: Mapping[str, Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """model -> row -> score -> by fold; of the rates and alphas that were tried, the ones closest to people."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    for name, numbers in networks.items():
        table[name] = {"pretrained": numbers["pretrained"]}
        for row in ROWS:
            tried = [
                scores
                for method, rates in numbers["tuned"].items()
                if method.partition(" ")[0] == row
                for scores in rates.values()
            ]
            table[name][row] = min(tried, key=lambda scores: float(np.mean(scores["soft_nll"])))
    return table


def attack_rows(candidate: Candidate, networks: Mapping[str, Any]) -> Iterator[Row]:
    """Table 2 by network, as the mean over networks and by epsilon; the rise of the loss by PGD."""
    for row in ATTACKED:
        for score in ("accuracy", "cross_entropy"):
            each = {name: _fgsm(rows[row], score) for name, rows in networks.items()}
            for name, values in each.items():
                yield candidate, Number(f"fgsm_{score}", row, name), name_runs("fold", values)
            yield candidate, Number(f"fgsm_{score}", row), mean_by_fold(list(each.values()))
        last = [[100 * fold["pgd"][REPORTED]["accuracy"][-1] for fold in rows[row]] for rows in networks.values()]
        yield candidate, Number("pgd_accuracy", row), name_runs("fold", max(last, key=np.mean))
        late = [_late_share(_paths(rows[row])) for rows in networks.values()]
        yield candidate, Number("pgd_late", row), mean_by_fold(late)
        for epsilon in next(iter(networks.values()))[row][0]["fgsm"]:
            where = f"epsilon {epsilon}"
            after = [_fgsm(rows[row], "cross_entropy", epsilon) for rows in networks.values()]
            yield candidate, Number("fgsm_cross_entropy", row, where), mean_by_fold(after)
            paths = [_paths(rows[row], epsilon) for rows in networks.values()]
            yield candidate, Number("pgd_rise", row, where), mean_by_fold([each[:, -1] - each[:, 0] for each in paths])
    shares = [
        _fgsm(rows["soft"], "cross_entropy") / _fgsm(rows["control"], "cross_entropy") for rows in networks.values()
    ]
    yield candidate, Number("fgsm_left", "soft"), mean_by_fold(shares)
    if set(ARCHITECTURES) <= set(networks):
        gains = [_fgsm(rows["soft"], "accuracy") - _fgsm(rows["control"], "accuracy") for rows in networks.values()]
        two = sorted(gains, key=lambda gain: -abs(float(np.mean(gain))))[:2]
        yield candidate, Number("fgsm_largest_gain", "soft"), name_runs("fold", min(two, key=np.mean))


def _fgsm(folds: Sequence[Mapping[str, Any]], score: str, epsilon: str = REPORTED) -> np.ndarray:
    factor = 100 if score == "accuracy" else 1
    return factor * np.array([fold["fgsm"][epsilon][score] for fold in folds])  # (folds,)


def _paths(folds: Sequence[Mapping[str, Any]], epsilon: str = REPORTED) -> np.ndarray:
    """Cross-entropy along the steps of PGD.  (folds, steps + 1)"""
    return np.array([fold["pgd"][epsilon]["cross_entropy"] for fold in folds])


def _late_share(paths: np.ndarray) -> np.ndarray:
    """Percentage of the whole rise that the second half of the steps adds.  (folds, steps + 1) -> (folds,)"""
    middle = paths[:, paths.shape[1] // 2]
    return np.asarray(100 * (paths[:, -1] - middle) / (paths[:, -1] - paths[:, 0]))


def mean_by_fold(each: Sequence[Sequence[float | None] | np.ndarray], factor: float = 1.0) -> Runs:
    """Mean over models by fold; folds in which a model has no value are left out."""
    return name_runs("fold", factor * np.mean(np.array(each, dtype=np.float64), axis=0))
