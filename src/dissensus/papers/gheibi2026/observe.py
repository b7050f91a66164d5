"""What a run measured: scores by delivery, votes and seed, gains of the sweep, and what was probed inside models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, Row, Runs, collect
from dissensus.papers.gheibi2026.studies import HARD, KS, MIXUP, SHUFFLED, SIZES, SMOOTHING, comparisons_of
from dissensus.papers.paper import Results, Scale
from dissensus.papers.strength import SHOWN

Known = dict[Number, Runs]
THEORY = Candidate()
READINGS = {"held out": "", "learned": "images learned from"}  # the paper does not say which; other scores are held out
EPOCHS = {"best": "best epoch", "last": "last epoch"}  # the paper does not say which of them its scores are of
SCORES = ("soft_nll", "accuracy", "ece_equal_mass", "entropy_spearman", "kl", "brier", "smooth_ece")
BRIER = ("brier_reliability", "brier_resolution")  # its decomposition
NAMES = {SMOOTHING: "smoothing", MIXUP: "mixup", SHUFFLED: "shuffled"}
NEAR = 0.95  # of the best soft NLL that counts as near, figure 8
PAPER_EPOCHS = 200


def observe(results: Results, scale: Scale) -> Evidence:
    """Collect the proposition, then scores and probes of each model after its best and its last epoch."""
    theory = _theory(results.numbers["proposition"]) if "proposition" in results.numbers else ()
    return collect([*theory, *_models(results, scale)])


def _theory(numbers: Mapping[str, Any]) -> Iterator[Row]:
    """Both sides of the equations."""
    for name in ("loss", "gradient", "covariance", "parameters", "square", "unanimous"):
        yield THEORY, Number(f"{name}_gap", "sls"), {"all": numbers[name]}
    yield THEORY, Number("squared_error", "sls"), numbers["squared_error"]
    yield THEORY, Number("growth_spearman", "people"), numbers["growth"]


def _models(results: Results, scale: Scale) -> Iterator[Row]:
    for model in SIZES[scale]:
        records = [
            record
            for part in results.folders
            if part in {f"{model}-{name}" for name in comparisons_of(model, scale)}
            for record in results.study(part).records
        ]
        for keep, epoch in EPOCHS.items():
            known = _scores([record for record in records if record["arm"]["keep"] == keep])
            known |= _sweep(known) | _dynamics(records if keep == "last" else [])
            known |= _curves(results.numbers.get(f"{model}-curves", {}).get(keep, {}))
            probed = [results.numbers.get(f"{model}-probes-{name}", {}) for name in comparisons_of(model, scale)]
            known |= observe_probes([numbers[keep] for numbers in probed if keep in numbers], keep)
            for number, runs in known.items():
                if runs:
                    yield Candidate(model, epoch), number, runs


def _scores(records: Sequence[Mapping[str, Any]]) -> Known:
    """Scores by arm and votes, and the labels that each arm has shown: one per epoch."""
    known: Known = {}
    for record in records:
        run = f"seed {record['seed']}"
        for arm, where in _places(record["arm"]):
            scores = {name: record["scores"][name] for name in (*SCORES, *BRIER)}
            if arm not in ("soft", "majority", "smoothing", "mixup"):
                scores[SHOWN] = record["training"]["epoch"]
            for metric, value in scores.items():
                known.setdefault(Number(metric, arm, where), {})[run] = float(value)
    classes = 10
    for run in known.get(Number("soft_nll", "shuffled"), {}):
        known.setdefault(Number("soft_nll", "chance"), {})[run] = float(np.log(classes))
        known.setdefault(Number("accuracy", "chance"), {})[run] = 1 / classes
    return known


def _places(arm: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Arm and condition of a cell; SLS with all votes is also the base of labels that are held."""
    delivery, drawn = arm["delivery"], arm["transforms"].removeprefix("resampled=")
    if drawn != "none":
        yield delivery, f"K = {drawn}"
    elif delivery.startswith("sls | stale="):
        yield "held", f"every {delivery.removeprefix('sls | stale=')} epochs"
    else:
        yield NAMES.get(delivery, delivery), ""
        if delivery == "sls":
            for every in (5, 10, 50):
                yield "sls", f"every {every} epochs"


def _sweep(known: Known) -> Known:
    """Cells of table 1 in which all seeds agree, and the fewest labels that a cell has shown."""
    cells = [(method, f"K = {k}") for method in HARD for k in KS]
    if not all(Number("soft_nll", method, where) in known for method, where in cells):
        return {}
    agreeing = 0
    for method, where in cells:
        soft, hard = (known[Number("soft_nll", arm, where)] for arm in ("soft", method))
        agreeing += all(hard[run] < soft[run] for run in hard)
    fewest = min(float(np.mean(list(known[Number(SHOWN, *cell)].values()))) for cell in cells)
    return {Number("agreeing_cells", "hard"): {"all": float(agreeing)}, Number(SHOWN, "hard"): {"all": fewest}}


def _curves(distances: Mapping[str, Mapping[str, float]]) -> Known:
    """Distance of reliability curves from those of soft labels."""
    return {
        Number("curve_distance", arm): {f"seed {seed}": value for seed, value in by_seed.items()}
        for arm, by_seed in distances.items()
    }


def _dynamics(records: Sequence[Mapping[str, Any]]) -> Known:
    """Epochs by which SLS is ahead of soft labels, as if training had the 200 epochs of the paper."""
    curves: dict[str, dict[str, np.ndarray]] = {"soft": {}, "sls": {}}
    for record in records:
        arm = record["arm"]
        if arm["keep"] == "last" and arm["transforms"] == "none" and arm["delivery"] in curves:
            curve = np.array(record["training"]["validation soft NLL"])
            curves[arm["delivery"]][f"seed {record['seed']}"] = curve
    known: Known = {}
    for name, epoch_of in (("near_sooner", near_epoch), ("best_sooner", best_epoch)):
        ahead = {
            run: (epoch_of(soft) - epoch_of(curves["sls"][run])) * PAPER_EPOCHS / len(soft)
            for run, soft in curves["soft"].items()
            if run in curves["sls"]
        }
        if ahead:
            known[Number(name, "sls")] = ahead
    return known


def near_epoch(curve: np.ndarray) -> int:
    """The first epoch with a soft NLL of at most best / 0.95."""
    return int(np.argmax(curve <= curve.min() / NEAR)) + 1


def best_epoch(curve: np.ndarray) -> int:
    return int(np.argmin(curve)) + 1


def observe_probes(studies: Sequence[Mapping[str, Any]], keep: str) -> Known:
    """Numbers of the models of all studies after one epoch. The paper's curvature is of the best epoch."""
    known: Known = {}
    for name, by_seed in _together(studies, "curvature").items() if keep == "best" else ():
        arm, _, k = name.partition(" at ")
        for metric in next(iter(by_seed.values())):
            place = Number(metric, "shuffled" if arm == SHUFFLED else arm, f"K = {k}" if k else "")
            known[place] = {f"seed {seed}": values[metric] for seed, values in by_seed.items()}
    known |= _outside(_together(studies, "ood")) | _targets(_together(studies, "targets"))
    known |= _pairs(_together(studies, "cka"), _together(studies, "grad_cam"))
    drawn = _together(studies, "gradients").get("sls", {})
    known[Number("gradient_spearman", "sls")] = {f"seed {seed}": value for seed, value in drawn.items()}
    for metric, key in (("barrier", "interpolated"), ("barrier_renewed", "renewed")):
        ways = _together(studies, "way")
        known[Number(metric, "sls")] = {f"seed {seed}": way[key] for seed, way in ways.items()}
    return known


def _together(studies: Sequence[Mapping[str, Any]], what: str) -> dict[str, Any]:
    """One measurement of all studies; no two of them have the same arm, or the same K."""
    return {name: value for numbers in studies for name, value in numbers.get(what, {}).items()}


def _outside(numbers: Mapping[str, Any]) -> Known:
    """AUROC by detector: of CIFAR-100 without a condition, of other sets under their name."""
    known: Known = {}
    for arm, by_seed in numbers.items():
        for seed, sets in by_seed.items():
            for name, detectors in sets.items():
                for detector, auroc in detectors.items():
                    place = Number(f"auroc_{detector}", arm, "" if name == "CIFAR-100" else name)
                    known.setdefault(place, {})[f"seed {seed}"] = auroc
    return known


def _targets(numbers: Mapping[str, Any]) -> Known:
    """Where hard delivery gains, by seed: means over methods and K."""
    together: dict[Number, dict[str, list[float]]] = {}
    for by_method in numbers.values():
        for by_seed in by_method.values():
            for seed, readings in by_seed.items():
                for reading, where in READINGS.items():
                    for place, value in _diagnosis(readings[reading], where):
                        if value is not None:
                            together.setdefault(place, {}).setdefault(f"seed {seed}", []).append(value)
    return {place: {run: float(np.mean(values)) for run, values in runs.items()} for place, runs in together.items()}


def _diagnosis(measured: Mapping[str, Any], where: str) -> list[tuple[Number, float | None]]:
    correlations = [(Number(f"{name}_spearman", "hard", where), measured[name]["spearman"]) for name in measured]
    bins = measured["js"]["bins"]
    ends = {"least error": bins[0], "largest error": bins[-1]}
    gains = [(Number("js_gain", "hard", ", ".join(filter(None, (end, where)))), gain) for end, gain in ends.items()]
    return [*correlations, *gains]


def _pairs(features: Mapping[str, Any], maps: Mapping[str, Any]) -> Known:
    """Likeness of two seeds: of features by CKA, of maps by Grad-CAM."""
    known: Known = {Number("cka", arm): dict(pairs) for arm, pairs in features.items()}
    for arm, pairs in maps.items():
        for metric, key in (("grad_cam", "overall"), ("grad_cam_high", "high")):
            known[Number(metric, arm)] = {pair: values[key] for pair, values in pairs.items()}
    return known
