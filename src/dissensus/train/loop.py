"""The training loop: a network, images and a delivery in, the best and the last network out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from dissensus.labels.refusals import Refusal, Way
from dissensus.train.augment import Draw, draw_epoch
from dissensus.train.batches import target_tensor
from dissensus.train.checkpoints import Checkpoint, TrainingProgress
from dissensus.train.heads.config import epoch_order
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.memory import keep_freed_memory
from dissensus.train.network import Network, check_logits
from dissensus.train.preparing import Run, name_not_finite, prepare
from dissensus.train.progress_bar import TrainingBar
from dissensus.train.schedules import is_over, rate_of
from dissensus.train.train_config import SAVE_EVERY, TrainConfig, step_seed

_LOOK = {"cpu": 1}  # steps between looks at the loss, for which an accelerator must be waited for
_LOOK_ELSEWHERE = 50


@dataclass(frozen=True)
class Training:
    """The result of training: the best and the last network, since a conclusion can depend on which is scored.

    best     the network after the epoch with the lowest validation loss; the last one where nothing was held out
    last     the network after the last epoch
    history  for each epoch: epoch (the first is 1), learning_rate, loss (mean over items, as delivered), and with
             validation soft_nll (mean over the items held out)
    scores   of "best" and "last" on the items held out: soft NLL, KL, accuracy, entropy correlation (Pearson's). The
             best network was chosen by these very items, so its scores flatter it; so do those of the last one, less,
             where patience or the schedule "plateau" went by them. Neither is a test: keep other items for that
    """

    best: Network
    last: Network
    history: tuple[dict[str, float], ...]
    scores: dict[str, dict[str, float]]
    config: TrainConfig

    @property
    def best_epoch(self) -> int:
        """Return the epoch of the best network; the first is 1."""
        losses = [record.get("soft_nll", 0.0) for record in self.history]
        return losses.index(min(losses)) + 1 if "soft_nll" in self.history[0] else len(losses)

    def __repr__(self) -> str:
        return f"<Training: {len(self.history)} epochs, best after {self.best_epoch}, {self.best!r}>"


@torch.inference_mode(False)
@torch.enable_grad()
def train_module(
    network: nn.Module | Network | Callable[[], nn.Module],
    images: Any,
    delivery: Any,
    config: TrainConfig,
    *,
    validation: tuple[Any, Any] | None = None,
    checkpoint: str | Path | None = None,
    save_every: float = SAVE_EVERY,
    after_epoch: Callable[[dict[str, float], Network], None] | None = None,
    quiet: bool = False,
) -> Training:
    """Train a module of your own, or a network, on images by a delivery of their labels.

        loss of a step = mean over its items of -sum_c target_ic ln softmax(logits_i)_c

    Order and augmentation depend on seed, epoch and item, dropout on seed and step, so the same seed gives the same
    bits on one machine. The random state of the caller is neither used nor changed, nor is the given network.

    Parameters
    ----------
    network : a function that makes a module, such as partial(NETWORKS["small"], classes=10), called under the seed; a
        module, trained from the weights it has; or a Network, which also keeps its normalisation (fine-tuning).
        Otherwise images are normalised by mean and standard deviation of the training images
    images : n images of one size: an ImageTable, or anything `as_images` takes
    delivery : targets of the same n items in the same order: a Delivery, or anything `as_delivery` takes
    config : settings of training
    validation : images and labels to choose the best network, to stop early and to score by
    checkpoint : folder for the state of training; rerun the call after a crash to resume, to the same bytes
    save_every : seconds between two saves
    after_epoch : called with the record of each epoch, and the network as it is then
    quiet : show no progress bar, which otherwise appears on terminals

    Returns
    -------
    Training, with the networks `best` and `last`, their scores and the history

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> pixels, counts = np.zeros((3, 2, 2, 1), dtype=np.uint8), [[2, 1], [0, 3], [1, 1]]
    >>> training = train_module(module, pixels, counts, TrainConfig(epochs=2, batch=2, crop=0, device="cpu"))
    >>> len(training.history)
    2
    """
    if not save_every >= 0:
        raise ValueError(f"save_every is {save_every!r}; expected the seconds between two saves, 0 or more")
    run = prepare(network, images, delivery, config, validation)
    if run.device.type == "cpu":
        keep_freed_memory()
    with run.alone(checkpoint) as folder, _reproducible(run.device), TrainingBar(run, quiet) as bar:
        saved = None if folder is None else Checkpoint(folder, run.work)
        progress = (saved and saved.restore(run.module, run.optimizer)) or TrainingProgress()
        save = _save_state(saved, run, progress, save_every)
        while not is_over(config, len(progress.history), run.losses(progress)):
            record = _epoch(run, progress, save, bar)
            progress.epoch, progress.step = progress.epoch + 1, 0
            progress.history.append(record)
            if after_epoch is not None:
                after_epoch(dict(record), run.network)
            save(False)
        save(True)
        return _result(run, progress)


def _epoch(run: Run, progress: TrainingProgress, save: Callable[[bool], None], bar: TrainingBar) -> dict[str, float]:
    """Train the remainder of one epoch, and score the held-out items."""
    config, epoch = run.config, progress.epoch
    rate = rate_of(config, epoch, run.losses(progress))
    order = torch.from_numpy(epoch_order(config.seed, epoch, run.pictures.n)).to(run.device)
    batches = _batches(order, config.batch)
    targets = target_tensor(run.delivery, epoch).to(run.device)
    draw, mix = draw_epoch(config, epoch, run.pictures), _mix_batch(run, epoch)
    if not progress.step:
        progress.losses = torch.zeros(len(batches), dtype=torch.float32, device=run.device)
    run.module.train()
    for step in range(progress.step, len(batches)):
        _seed(run.device, step_seed(config.seed, epoch, step))
        for group in run.optimizer.param_groups:
            group["lr"] = rate_of(config, epoch, run.losses(progress), step / len(batches))
        with _scarce_memory(run, len(batches[step])):
            progress.losses[step] = _step(run, batches[step], targets, draw, mix, check=epoch == 0)
        progress.step = step + 1
        if progress.step % _LOOK.get(run.device.type, _LOOK_ELSEWHERE) == 0 or progress.step == len(batches):
            _check_losses(progress, rate)
            bar.show(progress, len(batches))
            if progress.step < len(batches):
                save(False)
    sizes = torch.tensor([len(batch) for batch in batches], dtype=torch.float64)
    loss = float((progress.losses.double().cpu() * sizes).sum() / sizes.sum())
    record = {"epoch": epoch + 1, "learning_rate": rate, "loss": loss}
    if name := name_not_finite(run.module):  # also where they meet nothing but padding, which no loss shows
        raise ValueError(_describe_divergence(f"the weights {name} contain numbers that are not finite", epoch, rate))
    if run.held_out is None:
        # A loss is that before its step; what the last step did shows in no other one.
        if epoch + 1 == config.epochs and not run.gives_numbers():
            raise ValueError(_describe_divergence("the network predicts nan", epoch, rate))
        return record
    try:
        record["soft_nll"] = run.soft_nll()
    except ValueError as problem:
        raise ValueError(_describe_divergence(f"on the items held out, {problem}", epoch, rate)) from None
    if progress.best_epoch is None or record["soft_nll"] < min(run.losses(progress)):
        progress.best_epoch, progress.best = epoch + 1, _copy_network(run.module)
    return record


def _batches(order: torch.Tensor, size: int) -> list[torch.Tensor]:
    """Return the items of each step; a single item at the end joins the batch before it, as batch norm needs two."""
    batches = list(order.split(size))
    if len(batches) > 1 and len(batches[-1]) == 1:
        batches[-2:] = [torch.cat(batches[-2:])]
    return batches


def _step(
    run: Run,
    items: torch.Tensor,
    targets: torch.Tensor,
    draw: Draw | None,
    mix: tuple[torch.Tensor, torch.Tensor] | None,
    check: bool,
) -> torch.Tensor:
    """Take one step of the optimizer, and return the loss before it."""
    run.optimizer.zero_grad(set_to_none=True)
    total = torch.zeros((), dtype=torch.float32, device=run.device)
    # Two items at least, also where the last batch is small: batch norm on one pixel has no variance of one image.
    for part in items.tensor_split(max(1, min(run.config.accumulate, len(items) // 2))):
        x = run.pictures.batch(part, draw, run.config.cutout)
        if mix is not None:
            weight = mix[1][part][:, None, None, None]
            x = weight * x + (1 - weight) * run.pictures.batch(mix[0][part], draw, run.config.cutout)
        if not run.config.channels_last:
            x = x.contiguous()
        with torch.autocast(run.device.type, torch.bfloat16, enabled=run.mixed_precision):
            logits = check_logits(run.forward(x), len(run.network.classes))
        loss = soft_cross_entropy(logits.float(), targets[part], check=check) * (len(part) / len(items))
        loss.backward()
        total += loss.detach()
    run.optimizer.step()
    return total


@contextmanager
def _scarce_memory(run: Run, items: int) -> Iterator[None]:
    """Explain errors of torch that mean too little memory."""
    try:
        yield
    except (RuntimeError, MemoryError) as problem:
        if not isinstance(problem, MemoryError | torch.OutOfMemoryError) and "allocate memory" not in str(problem):
            raise
        parts = 2 * run.config.accumulate
        fits = parts <= run.config.batch // 2
        raise Refusal(
            f"a step of {items} images needs more memory than there is ({str(problem).splitlines()[0]:.120})",
            ways=[
                *([Way("split each batch into more parts with {accumulate}", accumulate=parts)] if fits else ()),
                Way("choose a smaller batch or width"),
            ],
        ) from None


def _mix_batch(run: Run, epoch: int) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Return the partner of each item in this epoch, and the item's own weight.  -> (n,), (n,)"""
    if not run.delivery.mixes:
        return None
    mixing = run.delivery.mixing(epoch)
    weight = torch.tensor(mixing.weight, dtype=torch.float32, device=run.device)
    return torch.tensor(mixing.partner, device=run.device), weight


def _check_losses(progress: TrainingProgress, rate: float) -> None:
    losses = progress.losses[: progress.step]
    wrong = torch.nonzero(~torch.isfinite(losses))
    if wrong.numel():
        step = int(wrong[0])
        raise ValueError(
            _describe_divergence(f"the loss is {float(losses[step])} at step {step + 1}", progress.epoch, rate, "of")
        )


def _describe_divergence(what: str, epoch: int, rate: float, when: str = "after") -> str:
    return (
        f"{what} {when} epoch {epoch + 1}, at a learning rate of {rate:g}: training diverged; lower the learning rate"
    )


def _save_state(saved: Checkpoint | None, run: Run, progress: TrainingProgress, every: float) -> Callable[[bool], None]:
    """Return a function that saves the state if it is time to, or if it must."""
    last = time.monotonic()

    def save(must: bool) -> None:
        nonlocal last
        if saved is not None and (must or time.monotonic() - last >= every):
            saved.save(progress, run.module, run.optimizer)
            last = time.monotonic()

    return save


def _result(run: Run, progress: TrainingProgress) -> Training:
    last = run.finished(run.module)
    if progress.best_epoch is None:
        return Training(last, last, tuple(progress.history), {}, run.config)
    module = deepcopy(run.module)
    module.load_state_dict(progress.best)
    best = run.finished(module)
    scores = {"best": run.scores(best), "last": run.scores(last)}
    return Training(best, last, tuple(progress.history), scores, run.config)


def _copy_network(module: nn.Module) -> dict[str, torch.Tensor]:
    return {name: value.detach().cpu().clone() for name, value in module.state_dict().items()}


def _seed(device: torch.device, seed: int) -> None:
    """What torch.manual_seed does, for the processor and this device alone: it takes a millisecond for all of them."""
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.default_generators[device.index or 0].manual_seed(seed)
    elif device.type == "mps":
        torch.mps.manual_seed(seed)


@contextmanager
def _reproducible(device: torch.device) -> Iterator[None]:
    """Use random numbers of our own, and only deterministic algorithms of cuDNN."""
    devices = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(devices), torch.backends.cudnn.flags(deterministic=True, benchmark=False):
        yield
