"""Inside networks trained on CIFAR-10H by different deliveries: the comparisons of Gheibi 2026 (5.3, A.4, A.5) and
Peterson 2019 (section 7), at small scale.

The networks are those of `studies/deliveries.py`, 3 seeds each, trained there or here: after the epoch with the lowest
soft NLL on the images held out, as in the papers, and after the last. Each is probed on these 2,001 images:

    curvature   largest eigenvalue and trace of the Hessian of the soft cross-entropy; all images, most disputed tenth
    FGSM, PGD   cross-entropy and accuracy after an attack of 4 of 255; also with one temperature for each network,
                fitted on half of the images held out and attacked on the other half
    OOD         AUROC of six detectors against CIFAR-100 and the ImageNet images without a class of CIFAR-10
    gradients   rank correlation of the last layer's gradient variance with the entropy of people's answers

and pairs of networks: the barrier between soft labels and SLS of a seed; CKA and Grad-CAM across seeds, on training
images of CIFAR-10, which none of them was trained on, with the disagreement of CIFAR-10N.

    DISSENSUS_DATA=... python -m studies.probes [--jobs 2] [--work FOLDER] [-o FILE]

Rerun to resume. One process per job, one thread each.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.optimize import minimize_scalar
from torch import nn

from dissensus.aggregate import share
from dissensus.datasets import images, load
from dissensus.evaluate import high_disagreement, soft_nll
from dissensus.files.whole_files import write_text
from dissensus.labels.distributions import Distributions
from dissensus.labels.streams import Stream, stream
from dissensus.labels.votes import Votes
from dissensus.probe import (
    attack,
    barrier,
    cka_table,
    detect_ood,
    grad_cam,
    gradient_variance,
    image_batches,
    stability_by_disagreement,
    top_eigenvalues,
    trace,
)
from dissensus.train.network import Network
from studies.deliveries import Cell, commit, train_cell

METHODS = {"flip": ("majority", "soft", "sls", "multipass", "deterministic control"), "crop": ("soft", "sls")}
SEEDS = range(3)
WHICH = ("best", "last")
LAYER = "stages.1"  # maps of 8 x 8 pixels; those of the last stage are 2 x 2
NOTES = (
    "networks have 310,122 weights and are 50 to 74% accurate; the papers' have millions and 87 to 97%",
    "seeds are few: equal methods differ in one direction in all of 3 seeds once in 4 times",
    "rows and columns are of the same networks, and most detectors see the same logits: they are no independent votes",
    "best: the epoch with the lowest soft NLL on the images that are probed, so they are not new to the choice; it "
    "comes sooner for the majority (5 to 10 of 24 epochs with mirrored images) than for soft labels (10 or 11), and "
    "curvature and what attacks do grow with the epochs: last compares networks trained as long",
    "most disputed: the tenth of the images held out with the largest entropy among people",
    "attacks raise the cross-entropy to the majority, and that is scored; PGD has 10 steps of 1 of 255 from the image",
    "temperature: fitted on every other image held out by soft NLL; before and after the attack on the rest, so its "
    "row is of half as many images as the one above it; `as trained, half` is of the same",
    "OOD: the images held out inside, 8,000 images of CIFAR-100 and 3,935 of ImageNet outside; ODIN is its temperature "
    "alone; nearest neighbours among the images trained on",
    "barrier: 11 points, soft labels to SLS of the same seed, which began with the same weights; batch norm renewed on "
    "2,000 images trained on",
    "CKA and Grad-CAM: 2,000 and 1,000 training images of CIFAR-10; Grad-CAM for the class of the data set, without "
    "ReLU, maps of 8 x 8; each seed also has training images of its own, so seeds differ by more than their draws",
    "Grad-CAM, not all agree: CIFAR-10N has 3 answers for an image, so the most disputed tenth ties with all images on "
    "which not all agree, 408 of 1,000; the papers' slice is smaller",
)


def cells() -> list[Cell]:
    return [
        Cell(setting, None, seed, method)
        for setting, methods in METHODS.items()
        for seed in SEEDS
        for method in methods
    ]


def run(cell: Cell, work: Path) -> dict[str, Any]:
    """Probe the two networks of a cell, or read what was found; what pairs need is left beside it."""
    torch.set_num_threads(1)
    place = work / f"probed-{cell.name}.json"
    if place.is_file():
        return dict(json.loads(place.read_text()))
    training, pixels, people, train, held = train_cell(cell, work)
    record: dict[str, Any] = {"setting": cell.setting, "seed": cell.seed, "method": cell.method}
    started = time.perf_counter()
    unseen, classes, _ = load_unseen_images()
    for which in WHICH:
        network = getattr(training, which)
        record[which] = probe(network, pixels, people, train, held, cell.seed)
        batches = image_batches(network, unseen[:1000], classes[:1000])
        maps = np.concatenate([grad_cam(network, x, y, layer=LAYER, relu=False) for x, y in batches])
        np.savez(work / f"probed-{cell.name}-{which}.npz", features=network.features(unseen), maps=maps)
    record |= {"seconds": round(time.perf_counter() - started), "commit": commit()}
    write_text(json.dumps(record), place)
    return record


def probe(
    network: Network, pixels: np.ndarray, people: Distributions, train: np.ndarray, held: np.ndarray, seed: int
) -> dict[str, Any]:
    rng = stream(seed, Stream.CURVATURE)
    shares = people.select(held)
    disputed = np.flatnonzero(high_disagreement(shares.probs).code == 1)
    results: dict[str, Any] = {}
    for name, rows in (("all", np.arange(held.size)), ("disputed", disputed)):
        batches = image_batches(network, pixels[held[rows]], shares.select(rows))
        top = top_eigenvalues(network, batches, 1, rng, quiet=True)
        total = trace(network, batches, rng, quiet=True)
        assert top.converged and total.converged
        results |= {
            f"lambda max, {name}": float(top.value[0]),
            f"lambda max error, {name}": float(top.error[0]),
            f"trace, {name}": total.value,
            f"trace error, {name}": total.error,
            f"loss, {name}": top.loss,
        }
    results |= attack_networks(network, pixels[held], shares)
    others = images("imagenet32", "validation", quiet=True)
    far = others.pixels[others.items["cifar10"].to_numpy() < 0]
    outside = {"CIFAR-100": images("cifar100", "test-8k", quiet=True).pixels, "ImageNet": far}
    detection = detect_ood(network, pixels[held], outside, reference=pixels[train])
    for name, by_detector in detection.separations.items():
        results |= {f"AUROC {name}, {detector}": result.auroc for detector, result in by_detector.items()}
    results["gradient variance and entropy"] = gradient_variance(
        network, image_batches(network, pixels[held], shares)
    ).spearman
    return results


def attack_networks(network: Network, pixels: np.ndarray, people: Distributions) -> dict[str, float]:
    """Cross-entropy and accuracy to the majority before and after; then with a temperature."""
    results: dict[str, float] = {}
    for method, epsilons in (("fgsm", (4, 5, 6, 7, 8)), ("pgd", (4,))):
        result = attack(network, pixels, people, method, epsilons=epsilons)
        for epsilon in epsilons:
            means = result.after[epsilon].means()
            results[f"cross-entropy after {method} {epsilon}"] = means["cross_entropy_hard"]
            results[f"accuracy after {method} {epsilon}"] = means["accuracy"]
        if method == "pgd":
            along = result.steps[4].means()["cross_entropy_hard"]
            results |= {f"cross-entropy after {step} pgd steps": value for step, value in enumerate(along)}
    before = result.before.means()
    results |= {"cross-entropy": before["cross_entropy_hard"], "accuracy": before["accuracy"]}
    fitted, rest = np.arange(0, len(pixels), 2), np.arange(1, len(pixels), 2)
    logits, truth = network.logits(pixels[fitted]), people.probs[fitted]

    def loss(log_temperature: float) -> float:
        scaled = logits / np.exp(log_temperature)
        scaled = np.exp(scaled - scaled.max(axis=1, keepdims=True))
        return float(soft_nll(scaled / scaled.sum(axis=1, keepdims=True), truth).mean())

    temperature = float(np.exp(minimize_scalar(loss, bounds=(-2, 3), method="bounded").x))
    cooled = Network(Tempered(network.module, temperature), network.classes, network.mean, network.std)
    for name, model in (("as trained, half", network), ("temperature, half", cooled)):
        result = attack(model, pixels[rest], people.select(rest), "fgsm")
        results[f"cross-entropy, {name}"] = result.before.means()["cross_entropy_hard"]
        results[f"cross-entropy after fgsm 4, {name}"] = result.after[4].means()["cross_entropy_hard"]
    return results | {"temperature": temperature}


class Tempered(nn.Module):
    """A module whose logits are divided by a temperature."""

    def __init__(self, module: nn.Module, temperature: float) -> None:
        super().__init__()
        self.module, self.temperature = module, temperature

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        return self.module(inputs) / self.temperature


def load_unseen_images() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Training images of CIFAR-10, their classes, and what people said of them."""
    table, people = images("cifar10", "train", quiet=True), load("cifar10n").labels
    assert isinstance(people, Votes)
    rows = np.random.default_rng(15).choice(len(table.pixels), 2000, replace=False)
    return table.pixels[rows], np.asarray(table.labels[rows], dtype=np.int64), share(people).probs[rows]


def run_barrier(setting: str, seed: int, work: Path) -> dict[str, Any]:
    """The way from soft labels to SLS of a seed, or what was found of it."""
    torch.set_num_threads(1)
    place = work / f"probed-barrier-{setting}-{seed}.json"
    if place.is_file():
        return dict(json.loads(place.read_text()))
    one, pixels, people, train, held = train_cell(Cell(setting, None, seed, "soft"), work)
    other = train_cell(Cell(setting, None, seed, "sls"), work)[0]
    record: dict[str, Any] = {"setting": setting, "seed": seed}
    for which in WHICH:
        start, end = getattr(one, which), getattr(other, which)
        batches = image_batches(start, pixels[held], people.select(held))
        renew = image_batches(start, pixels[train[:2000]], people.select(train[:2000]))
        way = barrier(start, end, batches, renew_statistics_on=renew)
        for name, curve in (("interpolated", way.interpolated), ("renewed", way.renewed)):
            record |= {f"barrier, {name}, {which}": curve.barrier, f"losses, {name}, {which}": curve.loss.tolist()}
    write_text(json.dumps(record), place)
    return record


def alike(work: Path) -> list[dict[str, Any]]:
    """CKA and Grad-CAM across the seeds of each method, and CKA between methods."""
    people, rows = load_unseen_images()[2], []
    for setting, methods in METHODS.items():
        for which in WHICH:
            kept = {
                method: [
                    np.load(work / f"probed-{Cell(setting, None, seed, method).name}-{which}.npz") for seed in SEEDS
                ]
                for method in methods
            }
            table = cka_table({method: [run["features"] for run in runs] for method, runs in kept.items()})
            for method, runs in kept.items():
                maps = stability_by_disagreement(np.stack([run["maps"] for run in runs]), people[:1000])
                rows.append(
                    {
                        "setting": setting,
                        "network": which,
                        "method": method,
                        "CKA within": table.within[method],
                        "CKA with soft": None
                        if method == "soft"
                        else next(mean for pair, mean in table.across.items() if set(pair) == {method, "soft"}),
                        "Grad-CAM stability": maps.overall,
                        "Grad-CAM stability, disputed": maps.on_disputed,
                        "disputed images": int(maps.disputed.sum()),
                    }
                )
    return rows


def summary(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Mean and deviation over seeds of every number, and its difference from soft labels seed by seed."""
    rows = []
    for setting, methods in METHODS.items():
        for which in WHICH:
            by = {
                (record["method"], record["seed"]): record[which] for record in records if record["setting"] == setting
            }
            for method in methods:
                row: dict[str, Any] = {"setting": setting, "network": which, "method": method}
                for name in by[method, 0]:
                    values = [by[method, seed][name] for seed in SEEDS]
                    less = [by[method, seed][name] - by["soft", seed][name] for seed in SEEDS]
                    row[name] = {
                        "mean": round(float(np.mean(values)), 4),
                        "deviation": round(float(np.std(values, ddof=1)), 4),
                        "less soft": [round(gap, 4) for gap in less],
                    }
                rows.append(row)
    return rows


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--work", type=Path, default=Path(".studies/deliveries"), help="folder of finished cells")
    options.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results" / "probes.json")
    given = options.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    records, barriers = [], []
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        wanted = {pool.submit(run, cell, given.work): cell.name for cell in cells()}
        for count, done in enumerate(as_completed(wanted), 1):
            records.append(done.result())
            best = records[-1]["best"]
            print(
                f"{count}/{len(wanted)} {wanted[done]}: lambda max {best['lambda max, all']:.1f}, trace "
                f"{best['trace, all']:.0f}, {records[-1]['seconds']} s",
                flush=True,
            )
        ways = [pool.submit(run_barrier, setting, seed, given.work) for setting in METHODS for seed in SEEDS]
        barriers = [way.result() for way in ways]
    records.sort(key=lambda record: (record["setting"], record["method"], record["seed"]))
    about = {
        "command": "python -m studies.probes",
        "network": "small, width 16, depth 4",
        "commit": commit(),
        "commits that cells were probed at": sorted({record["commit"] for record in records}),
        "hardware": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "hours by the clock, summed over cells": round(sum(record["seconds"] for record in records) / 3600, 2),
        "notes": NOTES,
        "table": summary(records),
        "alike": alike(given.work),
        "barriers": barriers,
        "cells": records,
    }
    write_text(json.dumps(about, indent=1) + "\n", given.output)


if __name__ == "__main__":
    main()
