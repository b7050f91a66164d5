"""train_heads: many heads on the same frozen features, trained together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dissensus.fronts import not_installed
from dissensus.labels.answers import hold
from dissensus.labels.progress import Progress
from dissensus.labels.refusals import PythonWay, Refusal, Way, one_of
from dissensus.train.child_processes import cores
from dissensus.train.heads.branches import Branch, Finished, Start, first_branches
from dissensus.train.heads.config import HeadConfig, Layer, initial_layers
from dissensus.train.heads.examples import Examples, training_examples, validation_examples
from dissensus.train.heads.head import Head

ENGINES = ("numba", "torch")


@dataclass(frozen=True, eq=False, repr=False)
class TrainedHead:
    """A head with the record of its training.

    head               the model
    config             how it was trained
    validation_losses  (epochs run,) mean cross-entropy in nats after each epoch; empty without validation
    epoch              the epoch the weights are from, the first is 1
    """

    head: Head
    config: HeadConfig
    validation_losses: np.ndarray
    epoch: int

    def __post_init__(self) -> None:
        hold(self, "validation_losses", np.asarray(self.validation_losses, dtype=np.float64))

    @property
    def validation_loss(self) -> float:
        """The lowest validation loss, in nats; NaN without validation."""
        return float(self.validation_losses.min()) if self.validation_losses.size else float("nan")

    def __repr__(self) -> str:
        return (
            f"<TrainedHead {self.config.kind}, {self.config.targets} targets: weights of epoch {self.epoch}, "
            f"{self.validation_losses.size} validation losses>"
        )


class Engine(Protocol):
    """Train branches to their ends, in any order, and yield the heads as they finish."""

    def __call__(
        self, branches: list[Branch], start: Start, training: Examples, validation: Examples | None
    ) -> Iterable[Finished]: ...


def train_heads(
    features: Any,
    targets: Any,
    configs: Sequence[HeadConfig],
    *,
    validation: tuple[Any, Any] | None = None,
    weights: Any = None,
    n_classes: int | None = None,
    start: Sequence[Sequence[Layer]] | None = None,
    engine: str = "numba",
    threads: int | None = None,
    device: str = "cpu",
    progress: Progress | None = None,
) -> tuple[TrainedHead, ...]:
    """Train one head for each config; the result does not depend on which others are trained with it.

        loss of a batch = mean over its items of weight_i * -sum_c target_ic ln softmax(logits_i)_c

    Each head agrees to float tolerance with a plain PyTorch loop from the same weights, batches and dropout masks
    (`initial_layers`, `epoch_order`, `draw_kept_units`). Heads that differ only in epochs, stopping or a scheduler that
    has not fired share their work (heads/branches.py).

    Parameters
    ----------
    features : (n, d), or a FeatureTable
    targets : a Delivery, or anything `as_delivery` takes: labels, classes, counts, probabilities; or several of these
        by the names in `HeadConfig.targets`
    configs : settings of each head
    validation : features and targets for early stopping and model selection; the targets may not change with the epoch.
        Without it every head trains all its epochs and keeps its last weights
    weights : (n,), weight of each item's loss
    n_classes : number of classes, if integer targets do not include all of them
    start : initial layers of each head instead of random ones, to continue training; Adam's moments start from zero
    engine : "numba": one head per thread, on the CPU; "torch": stacked, on any device
    threads : for the numba engine, by default one per core; the result is the same for any number
    device : for the torch engine
    progress : called with the number of heads done and of all

    Returns
    -------
    tuple of TrainedHead, one per config, each with `head`, `config`, `validation_losses` and `epoch`

    Examples
    --------
    >>> features = np.tile(np.eye(2), (10, 1))
    >>> configs = [HeadConfig(kind="linear", learning_rate=rate, epochs=2) for rate in (0.1, 0.01)]
    >>> trained = train_heads(features, [0, 1] * 10, configs)
    >>> trained[0].head.probs(features).shape, trained[0].epoch
    ((20, 2), 2)
    """
    if not configs:
        raise ValueError("configs is empty; expected at least one HeadConfig")
    one_of("engine", engine, ENGINES)
    names = {config.targets for config in configs}
    training = training_examples(features, targets, weights, names, n_classes)
    held_out = None
    if validation is None:
        waiting = [place for place, config in enumerate(configs) if config.scheduler is not None]
        if waiting:
            raise Refusal(
                f"head {waiting[0]} has a plateau scheduler, which needs a validation loss; {len(waiting)} of "
                f"{len(configs)} heads have one",
                ways=[PythonWay("pass validation=(features, targets)")],
            )
    else:
        held_out = validation_examples(*validation, names, training)
    begin = _begin(configs, start, training)
    branches = first_branches(configs)
    if start is not None:
        branches = [Branch((run,)) for branch in branches for run in branch.runs]
    done: list[TrainedHead | None] = [None] * len(configs)
    ended = _engine(engine, threads, device)(branches, begin, training, held_out)
    for count, finished in enumerate(ended, 1):
        head = Head(finished.layers, training.classes)
        done[finished.run.place] = TrainedHead(head, finished.run.config, np.array(finished.losses), finished.epoch)
        if progress is not None:
            progress(count, len(configs))
    return tuple(trained for trained in done if trained is not None)


def _engine(name: str, threads: int | None, device: str) -> Engine:
    if name == "numba":
        if device != "cpu":
            raise Refusal(
                f"the numba engine works on the cpu, not on {device!r}", ways=[Way("choose {engine}", engine="torch")]
            )
        from dissensus.train.heads.numba_engine import NumbaEngine

        return NumbaEngine(cores() if threads is None else threads)
    try:
        from dissensus.train.heads.torch_engine import TorchEngine
    except ModuleNotFoundError:
        raise not_installed("the torch engine", "torch") from None
    return TorchEngine(device)


def _begin(configs: Sequence[HeadConfig], start: Sequence[Sequence[Layer]] | None, training: Examples) -> Start:
    d, k = training.features.shape[1], training.k
    if start is None:
        return lambda branch: initial_layers(branch.config, d, k)
    if len(start) != len(configs):
        raise ValueError(f"{len(start)} heads are given to start from, but {len(configs)} configs")
    for place, (layers, config) in enumerate(zip(start, configs, strict=True)):
        sizes = config.sizes(d, k)
        shapes = [tuple(np.shape(layer[0])) for layer in layers]
        expected = list(zip(sizes[1:], sizes[:-1], strict=True))
        if shapes != expected:
            raise ValueError(f"head {place} starts from weights of shapes {shapes}; expected {expected}")
    given = [
        tuple(Layer(np.asarray(weight, np.float32), np.asarray(bias, np.float32)) for weight, bias in layers)
        for layers in start
    ]
    return lambda branch: given[branch.runs[0].place]
