"""Training in folds: every item is predicted by a network that was not trained on it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from dissensus.files.notices import to_stderr
from dissensus.labels.answers import hold
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import add_place
from dissensus.labels.shares import Labels, as_distributions
from dissensus.train.cards import Source, describe_labels
from dissensus.train.child_processes import cores
from dissensus.train.fold_processes import Tell, in_processes, torch_threads
from dissensus.train.held_out import scores_of
from dissensus.train.images import ImageTable
from dissensus.train.loop import Training
from dissensus.train.network import Network
from dissensus.train.network_config import NetworkConfig
from dissensus.train.network_files import load_network, save_network
from dissensus.train.network_fitting import MatchedItems, check_start, match_images, read_start, train_part
from dissensus.train.preparing import checkpoint_folder, choose_device
from dissensus.train.splits import split_folds
from dissensus.train.train_config import SAVE_EVERY

WHICH = ("best", "last")
IMAGES, START = "images.npy", "start.safetensors"
AfterFoldEpoch = Callable[[int, dict[str, float]], None]


@dataclass(frozen=True, eq=False)
class Folds:
    """The result of training in folds.

    trainings  one for each fold
    fold       (n,) which fold held out each item, from 0
    best       what the best network of that fold predicts for each item; it was chosen by the items of the fold, so
               its scores are optimistic, the more so for small folds
    last       what the last network of that fold predicts, which does not depend on the items of the fold, unless
               patience or the schedule "plateau" used them
    scores     of "best" and "last" over all items: soft NLL, KL, accuracy, entropy correlation (Pearson's)
    """

    trainings: tuple[Training, ...]
    fold: np.ndarray
    best: Distributions
    last: Distributions
    scores: dict[str, dict[str, float]]

    __repr__ = shapes

    def __post_init__(self) -> None:
        hold(self, "fold", self.fold)


@takes(labels=ANY_LABELS)
def train_folds(
    images: Any,
    labels: Labels,
    config: NetworkConfig,
    say: Callable[[str], None] = to_stderr,
    *,
    folds: int,
    jobs: int | None = None,
    by_position: bool = False,
    start: Network | str | Path | None = None,
    labels_from: Source = None,
    checkpoint: str | Path | None = None,
    save_every: float = SAVE_EVERY,
    after_epoch: AfterFoldEpoch | None = None,
) -> Folds:
    """Train a network per fold, each on all items but those of its fold, which it then predicts.

    Peterson et al. (2019), sec. 6, fine-tune a trained network in 10 folds of CIFAR-10H: that is `start`.

    Parameters
    ----------
    images, labels, config, say, by_position, start, labels_from : as in `train_network`
    folds : number of folds
    jobs : processes at once, of one thread each; the result does not depend on it. None: one per core on CPU, else 1
    checkpoint : folder for the state of each fold (fold-1, fold-2, …); rerun the call after a crash to resume
    save_every : seconds between two saves of a fold
    after_epoch : called with the number of the fold, from 1, and the record of the epoch

    Returns
    -------
    Folds, with the predictions of every item by the network that was not trained on it

    Examples
    --------
    >>> pixels = np.zeros((4, 8, 8, 1), dtype=np.uint8)
    >>> votes = Votes.of(["a", "b", "c", "d"], ["cat", "dog", "cat", "dog"])
    >>> config = NetworkConfig(width=2, depth=1, training=TrainConfig(epochs=1, batch=2, device="cpu"))
    >>> folds = train_folds(ImageTable(pixels, ["a", "b", "c", "d"]), votes, config, folds=2, jobs=1)
    >>> folds.last.probs.shape
    (4, 2)
    """
    items = match_images(images, labels, say, by_position)
    origin = read_start(start)
    check_start(origin, config, items.images, say)
    on_processor = choose_device(config.training.device).type == "cpu"
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs}; expected the number of processes, 1 or more")
    at_once = jobs or (cores() if on_processor else 1)
    parts = split_folds(len(items.images), folds, config.training.seed)
    tasks = [
        _Fold(
            number,
            train,
            held,
            config,
            {"labels from": describe_labels(labels_from), "fold": f"{number} of {folds}"},
            None if checkpoint is None else Path(checkpoint) / f"fold-{number}",
            save_every,
        )
        for number, (train, held) in enumerate(parts, start=1)
    ]
    hear = after_epoch or (lambda fold, record: None)
    with nullcontext() if checkpoint is None else checkpoint_folder(checkpoint):
        if min(at_once, folds) > 1:
            trained = _in_parallel(items, tasks, origin, at_once, hear)
        else:
            with torch_threads(1) if on_processor else nullcontext():
                trained = [_train_fold(items, task, origin, partial(hear, task.number)) for task in tasks]
    return _folds(items, tasks, trained)


@dataclass(frozen=True, eq=False, repr=False)
class _Fold:
    number: int
    train: np.ndarray
    held: np.ndarray
    config: NetworkConfig
    source: dict[str, Any]
    checkpoint: Path | None
    save_every: float


@dataclass(frozen=True, eq=False, repr=False)
class _Shared:
    """The values that the folds share, as processes get them: images and start are files in the folder.

    module  the architecture of the start, without weights
    """

    folder: Path
    names: np.ndarray
    source: dict[str, Any] | None
    labels: Labels
    matched: str
    module: nn.Module | None


Trained = tuple[Training, dict[str, np.ndarray]]


def _train_fold(items: MatchedItems, fold: _Fold, start: Network | None, tell: Tell) -> Trained:
    """Train a fold, and predict its held-out items with both networks."""
    try:
        training = train_part(
            items,
            fold.train,
            fold.held,
            fold.config,
            start,
            fold.source,
            fold.checkpoint,
            fold.save_every,
            after_epoch=lambda record, _: tell(record),
            quiet=True,
        )
    except ValueError as problem:
        raise add_place(problem, f"fold {fold.number}") from None
    unseen = items.images.select(fold.held)
    return training, {which: getattr(training, which).probs(unseen) for which in WHICH}


def _in_parallel(
    items: MatchedItems, folds: list[_Fold], start: Network | None, jobs: int, hear: AfterFoldEpoch
) -> list[Trained]:
    with tempfile.TemporaryDirectory(prefix="dissensus-folds-") as name:
        folder = Path(name)
        np.save(folder / IMAGES, items.images.pixels)
        architecture = None
        if start is not None:
            save_network(start, folder / START)
            architecture = _without_weights(start.module)
        shared = _Shared(folder, items.images.items, items.images.source, items.labels, items.matched, architecture)
        results = in_processes(
            _in_process, [(shared, fold) for fold in folds], jobs, lambda place, record: hear(place + 1, record), folder
        )
        template = None if start is None else start.module
        return [_collect_fold(folder, fold, said, template) for fold, said in zip(folds, results, strict=True)]


def _without_weights(module: nn.Module) -> nn.Module:
    """Copy a module without memory for its state; frozen weights stay frozen, shared weights stay shared.

    A recipe does not contain this, and `.to("meta")` separates shared weights.
    """
    bare: dict[int, Any] = {}
    for value in module.state_dict(keep_vars=True).values():
        empty = value.detach().to("meta")
        bare[id(value)] = nn.Parameter(empty, value.requires_grad) if isinstance(value, nn.Parameter) else empty
    return deepcopy(module, bare)


def _in_process(task: tuple[_Shared, _Fold], tell: Tell) -> tuple[Any, ...]:
    """Train one fold in a process of its own: networks are returned as files, the other values as they are."""
    shared, fold = task
    pixels = np.load(shared.folder / IMAGES, mmap_mode="r")
    items = MatchedItems(ImageTable(pixels, shared.names, shared.source), shared.labels, shared.matched)
    start = None if shared.module is None else load_network(shared.folder / START, shared.module)
    training, probs = _train_fold(items, fold, start, tell)
    for which in WHICH:
        save_network(getattr(training, which), shared.folder / f"{fold.number}-{which}.safetensors")
    return training.history, training.scores, probs


def _collect_fold(folder: Path, fold: _Fold, results: tuple[Any, ...], template: nn.Module | None) -> Trained:
    history, scores, probs = results
    best, last = (load_network(folder / f"{fold.number}-{which}.safetensors", template) for which in WHICH)
    return Training(best, last, history, scores, fold.config.training), probs


def _folds(items: MatchedItems, folds: list[_Fold], trained: list[Trained]) -> Folds:
    truth = as_distributions(items.labels).probs
    place = np.empty(len(truth), dtype=np.int64)
    probs = {which: np.empty_like(truth) for which in WHICH}
    for fold, (_, guesses) in zip(folds, trained, strict=True):
        place[fold.held] = fold.number - 1
        for which in WHICH:
            probs[which][fold.held] = guesses[which]
    best, last = (Distributions(probs[which], items.images.items, items.labels.classes) for which in WHICH)
    scores = {which: scores_of(truth, probs[which]) for which in WHICH}
    return Folds(tuple(training for training, _ in trained), place, best, last, scores)
