"""Temperatures of beliefs: recovery of known ones, and prediction of held-out answers compared with raw beliefs.

    python benchmarks/temperatures.py            # the recorded table, as text
    python benchmarks/temperatures.py --record   # simulate again (about a minute)

People state beliefs in whole percents about items of 3 or 10 classes; the right class is drawn from each belief as it
should have been stated, b^(1/T), with T around the crowd's temperature (a deviation of 0.2 in ln T). Some answers of
everyone are known, 100 more are predicted. "crowd" is the median estimate and its range over 40 crowds; "gain" is how
many nats an unseen answer is less surprising than under the raw beliefs (both with a floor of 1e-4), with its standard
error. The settings of `fit_temperatures` were chosen on seeds below 60, before the seeds 1000 to 1039 were drawn; of
CIFAR-10S, which was held out too, even images are known and odd ones predicted. Needs DISSENSUS_DATA to record.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.aggregate.recalibration import fit_temperatures, recalibrate
from dissensus.datasets import load
from dissensus.labels import complete
from dissensus.labels.beliefs import Beliefs

RECORDED = Path(__file__).parent / "results" / "temperatures.json"
SEEDS = {"chosen on": range(40), "held out": range(1000, 1040)}
TEMPERATURES = (0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
SIZES = ((5, 2), (20, 2), (20, 10), (20, 200))
LATER = 100
FLOOR = 1e-4


def crowd_of(
    people: int, each: int, classes: int, temperature: float, rng: np.random.Generator
) -> tuple[Beliefs, np.ndarray]:
    """Beliefs in whole percents, and the right class of the item that each is about."""
    m, who = people * each, np.repeat(np.arange(people), each)
    held = np.maximum(rng.dirichlet(np.full(classes, 1.0 if classes == 3 else 0.1), size=m), 1e-300)
    own = temperature * np.exp(0.2 * rng.standard_normal(people))[who, None]
    honest = held ** (1 / own)
    gold = (rng.random((m, 1)) * honest.sum(axis=1, keepdims=True) > np.cumsum(honest, axis=1)[:, :-1]).sum(axis=1)
    percent = np.rint(100 * held)
    beliefs = Beliefs(
        item=np.arange(m),
        items=np.arange(m),
        annotator=who,
        annotators=np.arange(people),
        classes=tuple(map(str, range(classes))),
        stated=percent / percent.sum(axis=1, keepdims=True),
        ruled_out=np.zeros(held.shape, dtype=bool),
        named=np.empty((m, 0), dtype=np.int32),
    )
    return beliefs, gold


def log_loss(beliefs: Beliefs, gold: np.ndarray, answers: np.ndarray) -> np.ndarray:
    rows = np.maximum(beliefs.stated[answers], FLOOR)
    return -np.log(rows[np.arange(answers.size), gold[beliefs.item[answers]]] / rows.sum(axis=1))


def simulate_labels(seeds: range, classes: int, temperature: float, people: int, known: int) -> dict[str, Any]:
    crowds, gains = [], []
    for seed in seeds:
        each = known + LATER
        beliefs, gold = crowd_of(people, each, classes, temperature, np.random.default_rng(seed))
        seen = np.arange(beliefs.n_answers) % each < known
        fitted = fit_temperatures(beliefs, np.where(seen, gold, -1))
        later = np.flatnonzero(~seen)
        better = recalibrate(beliefs, fitted)
        crowds.append(fitted.crowd)
        gains.append((log_loss(beliefs, gold, later) - log_loss(better, gold, later)).mean())
    return {
        "classes": classes,
        "temperature": temperature,
        "people": people,
        "known": known,
        "crowd": [round(float(value), 2) for value in (np.median(crowds), min(crowds), max(crowds))],
        "gain": round(float(np.mean(gains)), 4),
        "error": round(float(np.std(gains) / np.sqrt(len(gains))), 4),
    }


def of_cifar10s() -> dict[str, Any]:
    data = load("cifar10s")
    beliefs, gold = complete(data.labels), np.asarray(data.gold)
    even = np.arange(gold.size) % 2 == 0
    fitted = fit_temperatures(beliefs, np.where(even, gold, -1))
    later = np.flatnonzero(~even[beliefs.item])
    before, after = (log_loss(some, gold, later) for some in (beliefs, recalibrate(beliefs, fitted)))
    return {
        "known": int(fitted.answers.sum()),
        "people": int(fitted.annotators.size),
        "crowd": round(fitted.crowd, 2),
        "raw": round(float(before.mean()), 4),
        "recalibrated": round(float(after.mean()), 4),
        "error": round(float((before - after).std() / np.sqrt(later.size)), 4),
    }


def record(parts: list[str]) -> None:
    results = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    for part in parts:
        results[part] = [
            simulate_labels(SEEDS[part], classes, temperature, people, known)
            for classes in (3, 10)
            for temperature in TEMPERATURES
            for people, known in SIZES
        ]
        if part == "held out":
            results["cifar10s, held out"] = of_cifar10s()
        RECORDED.write_text(json.dumps(results, indent=1) + "\n")


def table(rows: list[dict[str, Any]], classes: int) -> str:
    """A line for each temperature, a cell for each size: the median estimate and the gain, as in docs/aggregate.md."""
    lines = ["| true temperature | " + " | ".join(f"{people} x {known}" for people, known in SIZES) + " |"]
    lines.append("|---" * (len(SIZES) + 1) + "|")
    for temperature in TEMPERATURES:
        chosen = [row for row in rows if row["classes"] == classes and row["temperature"] == temperature]
        cells = [f"{row['crowd'][0]:.2f}, {row['gain']:+.3f}" for row in chosen]
        lines.append(f"| {temperature} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def show() -> None:
    results = json.loads(RECORDED.read_text())
    for part in SEEDS:
        if part not in results:
            continue
        print(f"{part}: seeds {SEEDS[part][0]} to {SEEDS[part][-1]}")
        for classes in (3, 10):
            print(f"{classes} classes\n{table(results[part], classes)}")
        print("| classes | T | people x known | crowd (range) | gain in nats |\n|---|---|---|---|---|")
        for row in results[part]:
            middle, low, high = row["crowd"]
            print(
                f"| {row['classes']} | {row['temperature']} | {row['people']} x {row['known']} | "
                f"{middle} ({low} to {high}) | {row['gain']:+.4f} ± {row['error']:.4f} |"
            )
    print("cifar10s, held out:", results.get("cifar10s, held out"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", nargs="*", choices=list(SEEDS), help="simulate these seeds again; all by default")
    asked = parser.parse_args()
    if asked.record is not None:
        record(asked.record or list(SEEDS))
    show()


if __name__ == "__main__":
    main()
