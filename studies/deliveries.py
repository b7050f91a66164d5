"""How labels reach the loss of a network, on CIFAR-10H: the comparison of Gheibi 2026, tables 1 to 3, at small scale.

The 10,000 images with their votes are split 80 / 20 for each seed, stratified by the majority. A small network is
trained from scratch by each delivery, and scored on the other 2,001 images against all votes: after the epoch with the
lowest soft NLL, as in the paper, and after the last epoch. Chosen and scored on the same images, the best epoch is
optimistic, as in the paper.

    flip    24 epochs, mirrored images: the network almost memorises its items
    crop    60 epochs, mirrored and shifted images: it does not

`flip` is run with all votes, and with 5 drawn for each training image. The paper trains a ResNet-18 for 200 epochs.

    DISSENSUS_DATA=... python studies/deliveries.py [--jobs 2] [--work FOLDER] [-o FILE]

Rerun to resume. One process per job, one thread each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dissensus.datasets import images, load
from dissensus.deliver import deterministic_control, majority, mixup, multipass, shuffled, sls, smoothed, soft
from dissensus.deliver.delivery import Delivery
from dissensus.evaluate import (
    accuracy_to_majority,
    entropy_spearman,
    equal_mass_ece,
    kl_to_people,
    soft_brier,
    soft_nll,
)
from dissensus.evaluate.calibration import confidence_and_outcome
from dissensus.files.whole_files import write_text
from dissensus.labels.distributions import Distributions
from dissensus.train import NETWORKS, TrainConfig, train_module
from dissensus.train.loop import Training
from dissensus.train.network import Network

METHODS: dict[str, Callable[[Distributions, int], Delivery]] = {
    "majority": lambda shares, seed: majority(shares),
    "smoothing 0.1": lambda shares, seed: smoothed(majority(shares), 0.1),
    "mixup 0.2": lambda shares, seed: mixup(majority(shares), seed, alpha=0.2),
    "soft": lambda shares, seed: soft(shares),
    "sls": lambda shares, seed: sls(shares, seed),
    "multipass": lambda shares, seed: multipass(shares, seed),
    "deterministic control": lambda shares, seed: deterministic_control(shares, seed),
    "shuffled sls": lambda shares, seed: shuffled(sls(shares, seed), seed),
}
NOTES = (
    "best: the epoch with the lowest soft NLL on the images it is scored on, so it flatters every method",
    "deviation: over seeds, each with a split, weights and draws of its own, which the methods share: compare methods "
    "by their differences seed by seed",
    "seeds are few: equal methods differ in one direction in all of 3 seeds once in 4 times, in all of 5 once in 16",
    "multipass and deterministic control differ by the order of votes alone: their distance is what chance does",
    "24 epochs are fewer than the 47 to 63 votes of an image, so with all votes multipass never comes round",
    "entropy correlation is Spearman's; ECE has 15 bins of equally many images, against the share of people who made "
    "the model's choice; accuracy is to the majority",
    "mixup draws partner and weight for each image and epoch, not one weight for each batch",
    "seconds are by the clock, with other work on the same cores, and since the last restart of a cell",
)
FEW = ("soft", "sls", "majority", "multipass", "deterministic control")
SETTINGS = {"flip": TrainConfig(epochs=24, crop=0, device="cpu"), "crop": TrainConfig(epochs=60, device="cpu")}
SCORES: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "soft NLL": soft_nll,
    "KL": kl_to_people,
    "Brier": soft_brier,
    "accuracy": accuracy_to_majority,
    "ECE": lambda guess, truth: equal_mass_ece(*confidence_and_outcome(guess, truth)),
    "entropy correlation": entropy_spearman,
}


@dataclass(frozen=True)
class Cell:
    """One training: which images are looked at how, how many votes each has (None: all), by which delivery."""

    setting: str
    votes: int | None
    seed: int
    method: str

    @property
    def name(self) -> str:
        return f"{self.setting}-{self.votes or 'all'}-{self.method.replace(' ', '_')}-{self.seed}"


def cells() -> list[Cell]:
    """All deliveries where that is quick; those of the paper's table 1 where votes are few; two where it takes long."""
    wanted = (("flip", None, tuple(METHODS), 3), ("flip", 5, FEW, 5), ("crop", None, FEW[:2], 3))
    return [
        Cell(setting, votes, seed, method)
        for setting, votes, methods, seeds in wanted
        for seed in range(seeds)
        for method in methods
    ]


def run(cell: Cell, work: Path) -> dict[str, Any]:
    """Train one cell, or read what it gave."""
    torch.set_num_threads(1)
    place = work / f"{cell.name}.json"
    config = TrainConfig(**(vars(SETTINGS[cell.setting]) | {"seed": cell.seed}))
    settings = json.loads(json.dumps(vars(config)))
    if place.is_file():
        known = dict(json.loads(place.read_text()))
        if known.get("settings", settings) != settings:
            raise ValueError(f"{place}: was trained with other settings; remove it, or choose another folder (--work)")
        return known
    started = time.perf_counter()
    training, pixels, everybody, train, held = train_cell(cell, work)
    people = everybody.select(held)
    record = {
        "setting": cell.setting,
        "votes": cell.votes,
        "seed": cell.seed,
        "method": cell.method,
        "best": scores(training.best, pixels[held], people),
        "last": scores(training.last, pixels[held], people),
        "best epoch": training.best_epoch,
        "training loss": training.history[-1]["loss"],
        "soft NLL by epoch": [round(epoch["soft_nll"], 5) for epoch in training.history],
        "training accuracy": accuracy(training.last, pixels[train], everybody.select(train)),
        "seconds": round(time.perf_counter() - started),
        "settings": settings,
        "commit": commit(),
    }
    write_text(json.dumps(record), place)
    return record


def train_cell(cell: Cell, work: Path) -> tuple[Training, np.ndarray, Distributions, np.ndarray, np.ndarray]:
    """The networks of a cell, trained or read from its checkpoint; all images and what people said; the split."""
    config = TrainConfig(**(vars(SETTINGS[cell.setting]) | {"seed": cell.seed}))
    pixels, everybody = images("cifar10", "test", quiet=True).pixels, load("cifar10h").labels
    assert isinstance(everybody, Distributions)
    train, held = split(everybody, cell.seed)
    shares = everybody.select(train)
    if cell.votes is not None:
        drawn = np.random.default_rng([cell.seed, cell.votes]).multinomial(cell.votes, shares.probs)
        shares = Distributions.from_counts(drawn, items=shares.items, classes=shares.classes)
    training = train_module(
        partial(NETWORKS["small"], classes=10),
        pixels[train],
        METHODS[cell.method](shares, cell.seed),
        config,
        validation=(pixels[held], everybody.select(held)),
        checkpoint=work / cell.name,
        quiet=True,
    )
    return training, pixels, everybody, train, held


def split(people: Distributions, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """80% of each class to train on, 20% held out; the class is the majority's."""
    rng, chosen = np.random.default_rng(seed), people.probs.argmax(axis=1)
    held = np.zeros(people.n_items, dtype=bool)
    for code in range(people.n_classes):
        members = rng.permutation(np.flatnonzero(chosen == code))
        held[members[: round(0.2 * members.size)]] = True
    return np.flatnonzero(~held), np.flatnonzero(held)


def scores(network: Network, pixels: np.ndarray, people: Distributions) -> dict[str, float]:
    guess = network.probs(pixels)
    return {name: float(np.mean(score(guess, people.probs))) for name, score in SCORES.items()}


def accuracy(network: Network, pixels: np.ndarray, people: Distributions) -> float:
    return float(accuracy_to_majority(network.probs(pixels), people.probs).mean())


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean and deviation over seeds of each method, and how it stands to soft labels seed by seed."""
    rows = []
    groups = dict.fromkeys((record["setting"], record["votes"], record["method"]) for record in records)
    for setting, votes, method in groups:
        same = [record for record in records if (record["setting"], record["votes"]) == (setting, votes)]
        mine = sorted((record for record in same if record["method"] == method), key=lambda record: record["seed"])
        base = {record["seed"]: record for record in same if record["method"] == "soft"}
        for which in ("best", "last"):
            row: dict[str, Any] = {"setting": setting, "votes": votes, "method": method, "network": which}
            for score in SCORES:
                values = np.array([record[which][score] for record in mine])
                row[score] = [round(float(values.mean()), 4), round(float(values.std(ddof=1)), 4)]
            gaps = [
                record[which]["soft NLL"] - base[record["seed"]][which]["soft NLL"]
                for record in mine
                if record["seed"] in base
            ]
            row["soft NLL less that of soft labels"] = [round(gap, 4) for gap in gaps]
            rows.append(row)
    return rows


TITLES = {"flip": "Mirrored images, 24 epochs", "crop": "Mirrored and shifted images, 60 epochs"}
HEADER = (
    "delivery",
    "soft NLL, best",
    "below soft labels",
    "soft NLL, last",
    "below soft labels",
    "accuracy, last",
    "ECE, last",
    "entropy correlation, last",
)


def tables(rows: list[dict[str, Any]]) -> str:
    """One Markdown table for each setting: mean ± deviation over seeds, and in how many seeds soft NLL is lower."""
    parts = []
    for setting, votes in (("flip", None), ("flip", 5), ("crop", None)):
        mine = [row for row in rows if (row["setting"], row["votes"]) == (setting, votes)]
        both = {row["method"]: {} for row in mine}  # type: dict[str, dict[str, dict[str, Any]]]
        for row in mine:
            both[row["method"]][row["network"]] = row
        lines = [
            f"**{TITLES[setting]}; {votes or 'all'} votes per image**",
            "",
            _line(HEADER),
            _line("---" for _ in HEADER),
        ]
        for method in sorted(both, key=lambda name: both[name]["last"]["soft NLL"][0]):
            best, last = both[method]["best"], both[method]["last"]
            lines.append(
                _line(
                    [
                        method,
                        _number(best["soft NLL"]),
                        _wins(best),
                        _number(last["soft NLL"]),
                        _wins(last),
                        *(_number(last[score]) for score in ("accuracy", "ECE", "entropy correlation")),
                    ]
                )
            )
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _number(mean_and_deviation: list[float]) -> str:
    return f"{mean_and_deviation[0]:.3f} ± {mean_and_deviation[1]:.3f}"


def _wins(row: dict[str, Any]) -> str:
    gaps = row["soft NLL less that of soft labels"]
    return "" if row["method"] == "soft" else f"{sum(gap < 0 for gap in gaps)} of {len(gaps)}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--work", type=Path, default=Path(".studies/deliveries"), help="folder of finished cells")
    options.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results" / "deliveries.json")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    records = []
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        wanted = [pool.submit(run, cell, given.work) for cell in cells()]
        for count, done in enumerate(as_completed(wanted), 1):
            record = done.result()
            records.append(record)
            print(
                f"{count}/{len(wanted)} {record['setting']} {record['votes'] or 'all'} {record['method']} "
                f"{record['seed']}: soft NLL best {record['best']['soft NLL']:.4f}, last "
                f"{record['last']['soft NLL']:.4f}, {record['seconds']} s",
                flush=True,
            )
    records.sort(key=lambda record: (record["setting"], record["votes"] or 0, record["method"], record["seed"]))
    rows = summary(records)
    about = {
        "command": "python studies/deliveries.py",
        "network": "small, width 16, depth 4",
        "settings": {name: vars(config) for name, config in SETTINGS.items()},
        "hardware": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "commit": commit(),
        "commits that cells were trained at": commits_of(records),
        "hours by the clock, summed over cells": round(sum(record["seconds"] for record in records) / 3600, 2),
        "notes": NOTES,
    }
    write_text(json.dumps(about | {"table": rows, "cells": records}, indent=1) + "\n", given.output)
    print(tables(rows))


def commits_of(records: list[dict[str, Any]]) -> list[str]:
    """Cells may be older than the table: they are kept in a folder, and the table is made when the last is there."""
    return sorted({record.get("commit", "not recorded") for record in records})


def commit() -> str:
    """Of this file's repository, with "-dirty" where something was not committed."""
    asked = subprocess.run(
        ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"],
        capture_output=True,
        text=True,
        check=False,
    )
    return asked.stdout.strip()


if __name__ == "__main__":
    main()
