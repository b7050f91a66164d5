"""Section 6: networks pretrained on CIFAR-10, and fine-tuned on CIFAR-10H by every method of table 1."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import Any

import numpy as np

from dissensus.datasets.cifar10 import CLASSES
from dissensus.deliver.delivery import Delivery
from dissensus.deliver.fixed import class_means, majority, soft
from dissensus.deliver.one_answer import sls
from dissensus.deliver.wrappers import mixup
from dissensus.evaluate.closeness import soft_nll
from dissensus.files.stored_results import compute_once, find_result, inputs_key
from dissensus.files.whole_files import whole_or_not
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Scale, Tell
from dissensus.papers.peterson2019.material import SEED, VERSIONS, Material, classes_of, material, material_from
from dissensus.papers.peterson2019.sets import available_versions
from dissensus.papers.peterson2019.shift import against_classes
from dissensus.papers.peterson2019.sizes import SIZES, Sized
from dissensus.papers.peterson2019.studies import CUTOUT
from dissensus.report.document import slug
from dissensus.train.child_processes import cores

VERSION = 2  # of the code that makes the numbers
ROWS = ("control", "mixup", "category", "soft", "sampled")  # of table 1, below the pretrained network
ATTACKED = ("control", "soft")  # whose networks are kept for section 7
Deliver = Callable[[Distributions, np.ndarray], Delivery]  # (people's answers, classes of the data set)


def rows_of(alphas: Sequence[float]) -> dict[str, Deliver]:
    """Methods of fine-tuning by name; mixup once for each alpha."""
    methods: dict[str, Deliver] = {"control": lambda shares, gold: soft(classes_of(gold))}
    for alpha in alphas:
        methods[f"mixup {alpha:g}"] = partial(_mix_classes, alpha)
    return methods | {
        "category": lambda shares, gold: class_means(shares, gold=gold),
        "soft": lambda shares, gold: soft(shares),
        "sampled": lambda shares, gold: sls(shares, SEED),
    }


def _mix_classes(alpha: float, shares: Distributions, gold: np.ndarray) -> Delivery:
    return mixup(majority(classes_of(gold)), SEED, alpha=alpha)


def numbers_of(scale: Scale, folder: Path, needs: Mapping[str, Path], tell: Tell) -> dict[str, Any]:
    """Table 1: scores of every network before and after fine-tuning, and of the ensemble of all before."""
    from dissensus.train.fold_processes import in_processes

    kept, place = material(scale), home(scale, folder)
    with_arrays = place / "images.npz"
    whole_or_not(with_arrays, lambda file: np.savez(file, **kept.arrays()))
    size = SIZES[scale]
    rows = [(name, row, rate) for name in size.networks for row in rows_of(size.alphas) for rate in size.tuning_rates]
    done, whole = 0, len(size.networks) + len(rows) * count_tuned_folds(scale)

    def hear(place: int, remark: Any) -> None:
        nonlocal done
        done += 1
        tell(done / whole)

    before = in_processes(_pretrain_network, [(scale, name, place) for name in size.networks], processes(scale), hear)
    in_processes(_tune_folds, [(scale, *row, place) for row in rows], processes(scale), hear)
    together = np.mean([probs for _, probs in before], axis=0)  # (n, k)
    with_arrays.unlink()
    networks: dict[str, Any] = {
        name: {"pretrained": numbers, "tuned": {}} for name, (numbers, _) in zip(size.networks, before, strict=True)
    }
    for name, row, rate in rows:
        networks[name]["tuned"].setdefault(row, {})[f"{rate:g}"] = read_scores(scale, name, row, rate, place)
    epochs = size.tuning["epochs"]
    return {"networks": networks, "ensemble": _by_fold(scale, together, kept), "labels_shown": epochs}


def settings_of(scale: Scale) -> dict[str, Any]:
    """Everything that determines the numbers."""
    size = asdict(SIZES[scale])
    left_out = ("training", "rates", "shifted", "attacked", "steps", "epsilons", "compared")
    settings = {name: value for name, value in size.items() if name not in left_out}
    versions = [name for name in VERSIONS if name in available_versions()]
    return settings | {"version": VERSION, "seed": SEED} | ({"CIFAR-10.1": versions} if versions else {})


def home(scale: Scale, folder: Path) -> Path:
    """Folder with the networks and scores of these settings, so that an interrupted run resumes."""
    place = folder / inputs_key(settings_of(scale))
    for inside in ("models", "states"):
        (place / inside).mkdir(parents=True, exist_ok=True)
    return place


def processes(scale: Scale) -> int:
    """One process per core, or a single one if there is a faster device."""
    from dissensus.train.preparing import choose_device

    return cores() if choose_device(SIZES[scale].tuning["device"]).type == "cpu" else 1


def folds_of(scale: Scale, n: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
    """Number of the fold, positions to train on, positions held out."""
    from dissensus.train.splits import split_folds

    every = split_folds(n, SIZES[scale].folds, SEED)
    for fold, (train, held) in enumerate(every[: SIZES[scale].tuned_folds]):
        yield fold, train, held


def count_tuned_folds(scale: Scale) -> int:
    """Number of folds that are run in fine-tuning."""
    return SIZES[scale].tuned_folds or SIZES[scale].folds


def model_path(folder: Path, name: str, row: str, rate: float, fold: int) -> Path:
    """Path of the network of a fold."""
    return folder / "models" / f"{slug(name)}-{row}-{rate:g}-{fold}.safetensors"


def _pretrain_network(
    task: tuple[Scale, str, Path], remark: Callable[[Any], None]
) -> tuple[dict[str, Any], np.ndarray]:
    """Pretrain and score one network, in a process of its own."""
    scale, name, folder = task
    given = _read_material(folder)
    start = _pretrain(scale, name, folder, given)
    guess = start.probs(given.pixels)
    remark(None)
    return _by_fold(scale, guess, given) | _elsewhere(start, given), guess


def _tune_folds(task: tuple[Scale, str, str, float, Path], remark: Callable[[Any], None]) -> None:
    """Fine-tune one network by one method, fold by fold, in a process of its own; the scores are stored."""
    scale, name, row, rate, folder = task
    given = _read_material(folder)
    start = _pretrain(scale, name, folder, given)
    for fold, train, held in folds_of(scale, len(given.gold)):
        tune = partial(_tune, scale, name, folder, start, given, row, rate, fold, train, held)
        compute_once(*_scores_of(folder, name, row, rate, fold), tune, files=_models(folder, name, row, rate, fold))
        rmtree(_state_of(folder, name, row, rate, fold), ignore_errors=True)
        remark(None)


def _read_material(folder: Path) -> Material:
    with np.load(folder / "images.npz") as arrays:
        return material_from(arrays)


def read_scores(scale: Scale, name: str, row: str, rate: float, folder: Path) -> dict[str, list[float]]:
    """Read the stored scores of a method of fine-tuning, by fold."""
    folds = []
    for fold in range(count_tuned_folds(scale)):
        models = _models(folder, name, row, rate, fold)
        stored = find_result(*_scores_of(folder, name, row, rate, fold), files=models)
        if stored is None:
            raise ValueError(f"{folder}: no scores of {name} tuned with {row}, fold {fold}; rerun to compute them")
        folds.append(stored[0])
    return {score: [fold[score] for fold in folds] for score in folds[0]}


def _scores_of(folder: Path, name: str, row: str, rate: float, fold: int) -> tuple[Path, str, dict[str, Any]]:
    """Folder, name and inputs of stored scores; the name of `folder` is the key of the settings of all networks."""
    inputs = {"settings": folder.name, "network": name, "row": row, "rate": rate, "fold": fold}
    return folder / "scores", f"{slug(name)}-{slug(row)}-{rate:g}-{fold}", inputs


def _state_of(folder: Path, name: str, row: str, rate: float, fold: int) -> Path:
    """Folder of an interrupted fine-tuning, which resumes there."""
    return folder / "states" / f"{slug(name)}-{slug(row)}-{rate:g}-{fold}"


def _models(folder: Path, name: str, row: str, rate: float, fold: int) -> list[Path]:
    """The network of a fold, if it is attacked later."""
    return [model_path(folder, name, row, rate, fold)] if row in ATTACKED else []


def _pretrain(scale: Scale, name: str, folder: Path, given: Material) -> Any:
    from dissensus.train.network_files import load_network, save_network

    path = folder / "models" / f"{slug(name)}-pretrained.safetensors"

    def train() -> None:
        from dissensus.train.pretraining import find_pretrained, load_weights

        work = pretraining_of(scale, name, given.train, given.classes)
        stored = find_pretrained(work)
        state = folder / "states" / slug(name)
        save_network(load_weights(stored) if stored else work.train(state, quiet=True).last, path)

    inputs = {"settings": folder.name, "network": name}
    compute_once(folder / "models", f"{slug(name)}-pretrained", inputs, train, files=[path])
    return load_network(path)


def pretraining_of(scale: Scale, name: str, pixels: np.ndarray, classes: np.ndarray) -> Any:
    """The training of a network on classes, which the data folder may have the result of.

    pixels, classes  training images of CIFAR-10
    """
    from dissensus.train.networks.catalogue import make_network
    from dissensus.train.pretraining import Pretraining, class_targets
    from dissensus.train.train_config import TrainConfig

    sized = SIZES[scale].networks[name]
    return Pretraining(
        name=f"cifar10-{''.join(map(str, sized.key))}",
        make=partial(make_network, sized.network, len(CLASSES), width=sized.width, depth=sized.depth),
        pixels=pixels,
        targets=class_targets(classes, CLASSES),
        config=TrainConfig(**{**SIZES[scale].pretraining, **_cutout(scale, sized), "seed": SEED}),
    )


def _tune(
    scale: Scale,
    name: str,
    folder: Path,
    start: Any,
    given: Material,
    row: str,
    rate: float,
    fold: int,
    train: np.ndarray,
    held: np.ndarray,
) -> dict[str, Any]:
    """Score one fine-tuning on held-out images; its network is stored if it is attacked later."""
    from dissensus.train.loop import train_module
    from dissensus.train.network_files import save_network
    from dissensus.train.train_config import TrainConfig

    size = SIZES[scale]
    config = TrainConfig(**{**size.tuning, **_cutout(scale, size.networks[name]), "learning_rate": rate, "seed": SEED})
    delivery = rows_of(size.alphas)[row](given.shares(train), given.gold[train])
    state = _state_of(folder, name, row, rate, fold)
    network = train_module(start, given.pixels[train], delivery, config, checkpoint=state, quiet=True).last
    if row in ATTACKED:
        save_network(network, model_path(folder, name, row, rate, fold))
    guess = network.probs(given.pixels[held])
    return scores_of(guess, given.people[held], given.gold[held]) | _elsewhere(network, given)


def _by_fold(scale: Scale, guess: np.ndarray, given: Material) -> dict[str, Any]:
    """Score the same predictions on the held-out images of each fold."""
    folds = [
        scores_of(guess[held], given.people[held], given.gold[held]) for _, _, held in folds_of(scale, len(given.gold))
    ]
    return {score: [fold[score] for fold in folds] for score in folds[0]}


def scores_of(guess: np.ndarray, people: np.ndarray, gold: np.ndarray) -> dict[str, Any]:
    """Cross-entropy to people and to classes, and accuracy.  guess, people: (n, k); gold: (n,) codes"""
    return {"soft_nll": float(soft_nll(guess, people).mean())} | against_classes(guess, gold)


def _elsewhere(network: Any, given: Material) -> dict[str, Any]:
    return {
        f"{name}_{score}": value
        for name, inputs in given.elsewhere.items()
        for score, value in against_classes(network.probs(inputs.x), inputs.classes).items()
    }


def _cutout(scale: Scale, sized: Sized) -> dict[str, int]:
    return {"cutout": CUTOUT[sized.network]} if scale == "full" and sized.network in CUTOUT else {}
