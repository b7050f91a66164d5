"""Section 7: fine-tuned networks attacked by FGSM and PGD, on images that they were not tuned on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.files.stored_results import compute_once
from dissensus.files.whole_files import whole_or_not
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.peterson2019.material import classes_of
from dissensus.papers.peterson2019.sets import images_of, people_of
from dissensus.papers.peterson2019.sizes import SIZES
from dissensus.papers.peterson2019.tuned import (
    ATTACKED,
    count_tuned_folds,
    folds_of,
    home,
    model_path,
    processes,
    read_scores,
)
from dissensus.report.document import slug

VERSION = 2  # of the code that makes the numbers


def numbers_of(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """For every network, its two tunings and each fold: accuracy and cross-entropy to the class of the data set."""
    from dissensus.train.fold_processes import in_processes

    size, tuned = SIZES[scale], home(scale, needs["tuned"])
    people = people_of(size.images)
    with_arrays = folder / "images.npz"
    pixels = images_of("cifar10", "test").pixels[people.labels.items.astype(int)]
    whole_or_not(with_arrays, lambda file: np.savez(file, pixels=pixels, gold=people.gold))
    tasks = [(scale, name, row, tuned, folder) for name in size.networks for row in ATTACKED]
    done = 0

    def hear(place: int, remark: Any) -> None:
        nonlocal done
        done += 1
        tell(done / len(tasks) / count_tuned_folds(scale))

    given = in_processes(_attack_network, tasks, processes(scale), hear)
    with_arrays.unlink()
    networks: dict[str, Any] = {name: {} for name in size.networks}
    for (_, name, row, _, _), folds in zip(tasks, given, strict=True):
        networks[name][row] = folds
    return {"networks": networks}


def _attack_network(task: tuple[Scale, str, str, Path, Path], remark: Callable[[Any], None]) -> list[dict[str, Any]]:
    """Attack each fold's network, at the learning rate that was best on held-out images."""
    scale, name, row, tuned, folder = task
    with np.load(folder / "images.npz") as arrays:
        pixels, gold = arrays["pixels"], arrays["gold"]
    rate, folds, size = best_rate(scale, name, row, tuned), [], SIZES[scale]
    decisive = {"tuned": tuned.name, "attacked": size.attacked, "steps": size.steps, "epsilons": size.epsilons}
    for fold, _, held in folds_of(scale, len(pixels)):
        compute = partial(_fold, scale, model_path(tuned, name, row, rate, fold), pixels[held], gold[held])
        inputs = {"network": name, "row": row, "fold": fold, "version": VERSION, **decisive}
        folds.append(compute_once(folder / "attacks", f"{slug(name)}-{row}-{fold}", inputs, compute))
        remark(None)
    return folds


def best_rate(scale: Scale, name: str, row: str, tuned: Path) -> float:
    """The learning rate with the lowest soft NLL to people on held-out images, over all folds."""
    losses = {
        rate: np.mean(read_scores(scale, name, row, rate, tuned)["soft_nll"]) for rate in SIZES[scale].tuning_rates
    }
    return min(losses, key=lambda rate: float(losses[rate]))


def _fold(scale: Scale, path: Path, pixels: np.ndarray, gold: np.ndarray) -> dict[str, Any]:
    from dissensus.probe.robustness import attack
    from dissensus.train.network_files import load_network
    from dissensus.train.preparing import choose_device

    network, size = load_network(path), SIZES[scale]
    network.module.to(choose_device(size.tuning["device"]))
    once, often = size.attacked
    fast = attack(network, pixels[:once], classes_of(gold[:once]), "fgsm", epsilons=size.epsilons)
    slow = attack(network, pixels[:often], classes_of(gold[:often]), "pgd", epsilons=size.epsilons, steps=size.steps)
    return {
        "before": _read(fast.before.means()),
        "fgsm": {f"{epsilon:g}": _read(scores.means()) for epsilon, scores in fast.after.items()},
        "pgd": {f"{epsilon:g}": _read(scores.means()) for epsilon, scores in slow.steps.items()},
    }


def _read(means: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers after an attack, or lists of them along its steps."""
    return {"accuracy": means["accuracy"], "cross_entropy": means["cross_entropy_hard"]}
