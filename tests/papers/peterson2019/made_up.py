"""Numbers of a run in which everything comes out as the paper says, or the other way round, or by models that fail."""

from __future__ import annotations

from typing import Any

from dissensus.papers.evidence import Number
from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.shift import HELD
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ATTACKED, ROWS
from dissensus.papers.published import read_published

FOLDS = 5
LABELS = {
    "images": 10_000,
    "votes": 511_400,
    "fewest": 47,
    "most": 63,
    "by_class": [1_000] * 10,
    "top_30": {"cat": 0.8, "dog": 0.75, "ship": 0.85},
    "images_each": [200, 200],
    "of_a_class_each": [20, 20],
    "as_said": 1.0,
    "annotators": 2_571,
    "counted": 2_557,
}
# hard, soft
SCORES = {
    "cifar10": {"accuracy": (0.835, 0.845), "cross_entropy": (0.7, 0.5)},
    "imagenet": {"accuracy": (0.65, 0.665), "cross_entropy": (1.6, 1.1)},
    "far": {"accuracy": (0.494, 0.514), "cross_entropy": (2.9, 1.8)},
    HELD: {
        "accuracy": (0.84, 0.85),
        "cross_entropy": (0.7, 0.5),
        "second_best": (0.5, 0.55),
        "confidence_right": (0.95, 0.93),
        "confidence_wrong": (0.8, 0.6),
        "kl": (0.4, 0.3),
        "kl_agreeing": (0.3, 0.2),
        "distance_agreeing": (0.05, 0.03),
    },
}
# Sets that a user may have: between CIFAR-10's training images and the far set.
COLLECTED = {name: {"accuracy": (0.75, 0.765), "cross_entropy": (1.2, 0.9)} for name in ("v4", "v6", "cinic10")}
RATES = {"0.2": 0.8, "0.1": 0.6, "0.01": 0.9, "0.001": 1.1}


def results(*, turned: bool = False, collected: bool = False, crippled: bool = False) -> Results:
    """Results of scale full.

    turned     human labels and classes change places
    collected  networks were scored on CIFAR-10.1 and CINIC-10, too
    crippled   networks are at the level of chance, with the signs that they otherwise have, and there are no heads
    """
    models = {name: shifted(turned, crippled, SCORES | (COLLECTED if collected else {})) for name in ARCHITECTURES}
    tuned = {name: tuned_numbers(name, turned, crippled, collected) for name in ARCHITECTURES}
    ensemble = 2.2 if crippled else 0.30 if turned else 0.41
    numbers = {
        "labels": LABELS,
        "scratch-shift": {"models": models},
        "tuned": {"networks": tuned, "ensemble": {"soft_nll": folds(ensemble)}, "labels_shown": 150},
        "attacked": {"networks": {name: attacked_numbers(name, turned) for name in ARCHITECTURES}},
    }
    if not crippled:
        heads = {name: shifted(turned, False, SCORES) for name in ("linear head", "head with a hidden layer")}
        numbers["heads-shift"] = {"models": heads}
        tuned = {head: tuned_numbers("ResNet", turned, False, False) for head in ("linear", "mlp")}
        numbers["tuned-heads"] = {"networks": tuned, "labels_shown": 51}
    return Results({}, numbers)


def shifted(turned: bool, crippled: bool, sets: dict[str, Any]) -> dict[str, Any]:
    """A model of section 5."""
    kinds = ("soft", "hard") if turned else ("hard", "soft")
    entry: dict[str, Any] = {
        kind: {
            on: {score: folds(_level(score, pair[place], crippled)) for score, pair in scores.items()}
            for on, scores in sets.items()
        }
        for place, kind in enumerate(kinds)
    }
    entry["people again"] = folds(0.07 if turned else 0.01)
    entry["rates"] = {
        rate: {kind: folds(1.5 - loss if turned else loss) for kind in kinds} for rate, loss in RATES.items()
    }
    return entry


def _level(score: str, value: float, crippled: bool) -> float:
    """A score near chance if the model is crippled, in the same order as before."""
    if not crippled:
        return value
    return 0.1 + value / 100 if score == "accuracy" else 10 * value


def tuned_numbers(name: str, turned: bool, crippled: bool, collected: bool) -> dict[str, Any]:
    """A network of section 6; turned, the rows with human labels and those without change places."""
    places = {"soft": "control", "sampled": "pretrained", "control": "soft", "pretrained": "sampled"} if turned else {}

    def scores(row: str) -> dict[str, list[float]]:
        def printed(metric: str) -> float:
            number = read_published("peterson2019").find(Number(metric, places.get(row, row), name))
            assert number is not None
            return number.value * (10 if crippled else 1)

        further = {f"{v}_cross_entropy": folds(printed(f"cross_entropy_{v}")) for v in ("v4", "v6")}
        return {
            "soft_nll": folds(printed("soft_nll")),
            "cross_entropy": folds(printed("cross_entropy")),
            "accuracy": folds(0.1 if crippled else 0.95),
            **(further if collected else {}),
        }

    tuned = {"mixup 0.1" if row == "mixup" else row: {"0.1": scores(row)} for row in ROWS}
    tuned["mixup 1"] = {"0.1": {score: [2 * value for value in values] for score, values in scores("mixup").items()}}
    return {"pretrained": scores("pretrained"), "tuned": tuned}


def attacked_numbers(name: str, turned: bool) -> dict[str, Any]:
    """A network of section 7."""
    made = {}
    for row, place in zip(ATTACKED, reversed(ATTACKED) if turned else ATTACKED, strict=True):
        printed = [
            read_published("peterson2019").find(Number(f"fgsm_{score}", place, name), "table 2")
            for score in ("accuracy", "cross_entropy")
        ]
        accuracy, loss = (number.value for number in printed if number is not None)
        made[row] = [
            attack(accuracy / 100, loss * (1 + 0.001 * fold), late=place == "control") for fold in range(FOLDS)
        ]
    return made


def attack(accuracy: float, loss: float, *, late: bool) -> dict[str, Any]:
    """An attack on a fold; `late`: the loss rises to the last step, otherwise it levels off."""
    path = [0.5, loss / 3, 2 * loss / 3, loss] if late else [0.5, loss - 0.1, loss - 0.05, loss]
    after = {"accuracy": accuracy, "cross_entropy": loss}
    along = {"accuracy": [0.95, 0.1, 0.02, 0.0], "cross_entropy": path}
    return {
        "before": {"accuracy": 0.95, "cross_entropy": 0.2},
        "fgsm": {str(epsilon): after for epsilon in range(4, 9)},
        "pgd": {str(epsilon): along for epsilon in range(4, 9)},
    }


def folds(value: float) -> list[float]:
    return [value * (1 + 0.0005 * (fold - (FOLDS - 1) / 2)) for fold in range(FOLDS)]
