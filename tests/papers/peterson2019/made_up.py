"""Numbers of a run in which everything comes out as the paper says, or the other way round."""

from __future__ import annotations

from typing import Any

from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.published import TABLE_1, TABLE_2
from dissensus.papers.peterson2019.sizes import ARCHITECTURES

FOLDS = 3
LABELS = {
    "images": 10_000, "votes": 511_400, "fewest": 47, "most": 63, "by_class": [1_000] * 10, "top_30": 0.8,
    "share_for_90": 0.4, "annotators": 2_571, "counted": 2_557, "images_each": [200, 200], "of_a_class_each": [20, 20],
    "as_said": 1.0,
}  # fmt: skip
# (hard, soft)
SCORES = {
    "cifar10": {"accuracy": (0.835, 0.845), "cross_entropy": (0.7, 0.5)},
    "imagenet": {"accuracy": (0.65, 0.665), "cross_entropy": (1.6, 1.1)},
    "far": {"accuracy": (0.494, 0.514), "cross_entropy": (2.9, 1.8)},
    "held out": {
        "accuracy": (0.84, 0.85), "cross_entropy": (0.7, 0.5), "second_best": (0.5, 0.55),
        "confidence_right": (0.95, 0.93), "confidence_wrong": (0.8, 0.6), "kl": (0.4, 0.3),
    },
}  # fmt: skip


# Sets that a user may have: between CIFAR-10's training images and the far set.
COLLECTED = {name: {"accuracy": (0.75, 0.765), "cross_entropy": (1.2, 0.9)} for name in ("v4", "v6", "cinic10")}


def results(turned: bool = False, collected: bool = False) -> Results:
    """What a run gives.

    turned     human labels and classes change places
    collected  networks were judged on CIFAR-10.1 and CINIC-10, too
    """
    kinds = ("soft", "hard") if turned else ("hard", "soft")
    heads = {name: _scored(kinds, SCORES) for name in ARCHITECTURES}
    models = {name: _scored(kinds, SCORES | COLLECTED) for name in ARCHITECTURES} if collected else heads
    tuned = {"soft": "control", "sampled": "pretrained", "control": "soft", "pretrained": "sampled"} if turned else {}
    networks = {name: _tuned(name, tuned, collected) for name in ARCHITECTURES}
    return Results(
        {},
        {
            "labels": LABELS,
            "scratch-shift": {"models": models},
            "heads-shift": {"models": heads},
            "tuned": {"networks": networks, "ensemble": {"soft_nll": 0.30 if turned else 0.41}},
            "attacked": {"networks": {name: _attacked(name, turned) for name in ARCHITECTURES}},
        },
    )


def _scored(kinds: tuple[str, str], sets: dict[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        kind: {on: {score: _folds(pair[place]) for score, pair in scores.items()} for on, scores in sets.items()}
        for place, kind in enumerate(kinds)
    }
    entry["same choice"] = {kinds[0]: _folds(0.3), kinds[1]: _folds(0.2)}
    entry["rates"] = {
        rate: {kind: _folds(loss) for kind in kinds} for rate, loss in (("0.2", 0.8), ("0.1", 0.6), ("0.01", 0.9))
    }
    return entry


def _tuned(name: str, exchanged: dict[str, str], collected: bool) -> dict[str, Any]:
    def scores(row: str) -> dict[str, list[float]]:
        people, classes, v4, v6 = TABLE_1[name][exchanged.get(row, row)]
        further = {"v4_cross_entropy": _folds(v4), "v6_cross_entropy": _folds(v6)} if collected else {}
        return {
            "soft_nll": _folds(people),
            "cross_entropy": _folds(classes),
            "accuracy": _folds(0.95),
            "far_cross_entropy": _folds(people),
            **further,
        }

    ways = {"control": "control", "mixup 0.1": "mixup", "category": "category", "soft": "soft", "sampled": "sampled"}
    tuned = {way: {"0.1": scores(row)} for way, row in ways.items()}
    tuned["mixup 1"] = {"0.1": {score: [2 * value for value in values] for score, values in scores("mixup").items()}}
    return {"pretrained": scores("pretrained"), "tuned": tuned}


def _attacked(name: str, turned: bool) -> dict[str, Any]:
    hard_accuracy, soft_accuracy, hard, soft = TABLE_2[name]
    pairs = {"control": (hard_accuracy, hard), "soft": (soft_accuracy, soft)}
    if turned:
        pairs = dict(zip(pairs, reversed(pairs.values()), strict=True))
    return {
        row: [_attack(accuracy / 100, loss, shift) for shift in (-0.01, 0.0, 0.01)]
        for row, (accuracy, loss) in pairs.items()
    }


def _attack(accuracy: float, loss: float, shift: float) -> dict[str, Any]:
    after = {"accuracy": accuracy, "cross_entropy": loss + shift}
    # A large loss goes on rising; a small one is there after the first steps.
    way = [0.5, loss / 3, 2 * loss / 3, loss] if loss > 4 else [0.5, loss - 0.1, loss - 0.05, loss]
    return {
        "before": {"accuracy": 0.95, "cross_entropy": 0.2},
        "fgsm": {str(epsilon): after for epsilon in range(4, 9)},
        "pgd": {"cross_entropy": way, "accuracy": [0.95, 0.1, 0.02, 0.0]},
    }


def _folds(value: float) -> list[float]:
    return [value * (1 + 0.001 * fold) for fold in range(FOLDS)]
