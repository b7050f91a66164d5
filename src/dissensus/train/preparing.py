"""Preparation of a training: everything is checked before the first step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.parameter import is_lazy

from dissensus.deliver.delivery import Delivery
from dissensus.files.folder_lock import lock_folder
from dissensus.files.whole_files import check_writable
from dissensus.labels.content_hash import hash_arrays, hash_text
from dissensus.labels.matching import check_same_order
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.sampling import evenly_spaced
from dissensus.train.augment import Pictures, channel_statistics
from dissensus.train.checkpoints import STATE, TrainingProgress
from dissensus.train.held_out import scores_of
from dissensus.train.images import ImageTable, as_images, fingerprint
from dissensus.train.model import log_softmax
from dissensus.train.network import BATCH, Network, check_channels, eval_mode, single_precision
from dissensus.train.targets import as_delivery, target_rows
from dissensus.train.train_config import TrainConfig, weight_seed

PREPARED_BY = 5_000  # images that a fresh module may look at before training, spread over all
_SIDE_OF_MIXED = 32  # pixels, from which on a CPU may compute in bfloat16


@dataclass(frozen=True, eq=False)
class Run:
    """A training that is ready to start.

    module    trained in place
    forward   the module, or what torch.compile made of it
    network   the module as a model
    held_out  images and what people said about them, or None
    mixed_precision  whether the forward pass is in bfloat16; weights and loss are in float32
    work      what tells this training from others, as JSON
    """

    config: TrainConfig
    device: torch.device
    module: nn.Module
    forward: Callable[[torch.Tensor], torch.Tensor]
    optimizer: torch.optim.Optimizer
    network: Network
    pictures: Pictures
    delivery: Delivery
    held_out: tuple[ImageTable, np.ndarray] | None
    mixed_precision: bool
    work: dict[str, Any]

    def soft_nll(self) -> float:
        """Mean soft NLL of the network as it is, on the items held out.

        From the logits, so that it is finite where a probability is too small for a float: a deep network says such
        things before its first epochs are over.
        """
        assert self.held_out is not None
        images, truth = self.held_out
        with np.errstate(invalid="ignore"):  # inf - inf, which the loss then shows
            logs = log_softmax(self.network.logits(images))
        return float(-np.sum(truth * logs, axis=1, where=truth > 0).mean())

    def gives_numbers(self) -> bool:
        """Whether the network still returns finite probabilities for its training images."""
        x = self.pictures.batch(torch.arange(min(self.pictures.n, BATCH), device=self.device))
        with torch.inference_mode(), eval_mode(self.module):
            return not bool(torch.softmax(self.module(x).float(), dim=1).isnan().any())

    def losses(self, progress: TrainingProgress) -> list[float]:
        """The validation losses so far."""
        return [record["soft_nll"] for record in progress.history if "soft_nll" in record]

    def scores(self, network: Network) -> dict[str, float]:
        assert self.held_out is not None
        return scores_of(self.held_out[1], network.probs(self.held_out[0]))

    def finished(self, module: nn.Module) -> Network:
        return Network(module.eval(), self.network.classes, self.network.mean, self.network.std)

    @contextmanager
    def alone(self, folder: str | Path | None) -> Iterator[Path | None]:
        """Lock the folder of checkpoints against other processes."""
        if folder is None:
            yield None
            return
        with checkpoint_folder(folder):
            check_writable(Path(folder) / STATE)
            yield Path(folder)


@contextmanager
def checkpoint_folder(folder: str | Path) -> Iterator[None]:
    """Make the folder if needed, and lock it against other processes."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        taken = isinstance(problem, FileExistsError | NotADirectoryError)
        reason = "a file of that name is there" if taken else problem.strerror
        raise ValueError(f"{folder}: cannot be the folder of checkpoints: {reason}; choose another") from None
    with lock_folder(Path(folder), "another process is training into it; wait, or choose another folder"):
        yield


def prepare(
    network: nn.Module | Network | Callable[[], nn.Module],
    images: Any,
    delivery: Any,
    config: TrainConfig,
    validation: tuple[Any, Any] | None,
) -> Run:
    """Check everything and move it to the device."""
    table, targets = as_images(images), as_delivery(delivery)
    check_same_order(table.items, targets.items, ("images", "targets"))
    _check_crop(config.crop, table)
    device = choose_device(config.device)
    ours = _network(network, table, targets, config)
    _check_weights(ours.module)
    held_out = None if validation is None else _check_validation(validation, table, targets)
    if held_out is None and (config.schedule == "plateau" or config.patience is not None):
        which = "the schedule 'plateau'" if config.schedule == "plateau" else "patience"
        raise ValueError(f"{which} goes by a validation loss, and nothing is held out: give validation")
    precision = choose_precision(config.precision, device, min(table.pixels.shape[1:3]))
    work = {
        "config": asdict(config) | {"device": str(device), "precision": precision},
        "images": fingerprint(table),
        "targets": _hash_targets(targets),
        "validation": "" if held_out is None else fingerprint(held_out[0]) + hash_arrays([held_out[1]]),
        "weights": hash_arrays(value.cpu().numpy() for value in ours.module.state_dict().values()),
        "module": hash_text(repr(ours.module)),
    }
    memory = torch.channels_last if config.channels_last else torch.contiguous_format
    module = ours.module.to(device).to(memory_format=memory)
    _check_logits(module, ours, table, device)
    return Run(
        config=config,
        device=device,
        module=module,
        forward=torch.compile(module) if config.compile else module,
        optimizer=_optimizer(module, config),
        network=Network(module, ours.classes, ours.mean, ours.std),
        pictures=Pictures(table.pixels, ours.mean, ours.std, device, config.crop, config.border),
        delivery=targets,
        held_out=held_out,
        mixed_precision=precision == "bfloat16",
        work=work,
    )


def _check_crop(crop: int, table: ImageTable) -> None:
    """Images that may be shifted by their own side or more would be black all over now and then."""
    height, width = table.pixels.shape[1:3]
    if crop >= min(height, width):
        raise Refusal(
            f"{{crop}} shifts images by up to {crop} pixels, and these are {width} x {height} (width x height), so "
            f"that nothing of some would be left; expected less than {min(height, width)}, or 0",
            crop=crop,
        )


def choose_device(name: str) -> torch.device:
    """Return the device of that name; "auto" is the best available one."""
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, NotImplementedError) as problem:
        raise ValueError(
            f"the device {name!r} cannot be used ({str(problem).splitlines()[0]}); 'cpu' always can"
        ) from None
    return device


def choose_precision(name: str, device: torch.device, side: int) -> str:
    """Return the number format of that name; "auto" is bfloat16 on devices that compute in it.

    Other CPUs emulate bfloat16, at a tenth of the speed. The choice is a rule and not a timed step: a busy machine
    would choose now one format, now the other, and the same seed would no longer give the same bits.

    side  pixels of the images; small ones stay in float32 on CPUs, where oneDNN leaves the gradients of filters
          undefined that lie outside a map of few pixels (torch 2.13, a convolution with stride 2 on one pixel)
    """
    if name != "auto":
        return name
    if device.type == "cuda":
        return "bfloat16" if torch.cuda.is_bf16_supported() else "float32"
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()  # torch 2.4 cannot tell
    native = device.type == "cpu" and capabilities.get("avx512_bf16", False)
    return "bfloat16" if native and side >= _SIDE_OF_MIXED else "float32"


def _network(network: Any, table: ImageTable, targets: Delivery, config: TrainConfig) -> Network:
    """Copy the network to train, with its own normalisation or that of the images."""
    if isinstance(network, Network):
        if network.classes != targets.classes:
            raise Refusal(
                f"the network has the classes {list(network.classes)} and the targets {list(targets.classes)}; "
                "expected the same in the same order",
                ways=way_to_classes(network.classes, targets.classes),
            )
        check_channels(table, network.channels)
        return Network(deepcopy(network.module), network.classes, network.mean, network.std)
    if isinstance(network, nn.Module):
        module = deepcopy(network)
    elif callable(network):
        with torch.random.fork_rng([]):
            torch.manual_seed(weight_seed(config.seed))
            with single_precision():
                module = network()
    else:
        raise Refusal(
            f"the network is a {type(network).__name__}; expected an nn.Module, a Network, or a function that makes a "
            "module",
            ways=[PythonWay('pass partial(NETWORKS["small"], classes=10)')],
        )
    mean, std = channel_statistics(table.pixels)
    if callable(prepare_module := getattr(module, "prepare", None)) and not isinstance(network, nn.Module):
        some = evenly_spaced(len(table.pixels), min(len(table.pixels), PREPARED_BY))
        pictures = Pictures(table.pixels[some], mean, std, torch.device("cpu"))
        prepare_module(pictures.batch(torch.arange(len(some))))
    return Network(module, targets.classes, mean, std)


def way_to_classes(classes: tuple[str, ...], others: tuple[str, ...]) -> list[Way]:
    """Return how labels with other classes come to have these."""
    if unknown := [name for name in others if name not in classes]:
        return [Way(f"train a network of your own, which knows {unknown[0]!r}"), Way("rename the classes")]
    return [Way("read the labels with {classes}", classes=list(classes))]


def _check_validation(
    validation: tuple[Any, Any], table: ImageTable, targets: Delivery
) -> tuple[ImageTable, np.ndarray]:
    images = as_images(validation[0])
    labels = as_delivery(validation[1], targets.classes, "validation labels")
    if not labels.fixed or labels.mixes:
        raise ValueError(
            f"validation labels ({labels.name}) change with the epoch; expected what people said, as it is"
        )
    check_same_order(images.items, labels.items, ("validation images", "labels"))
    check_channels(images, table.pixels.shape[3])
    return images, target_rows(labels)


def _check_weights(module: nn.Module) -> None:
    """Refuse a module without weights that can be trained."""
    if next(iter(module.parameters()), None) is None:
        raise ValueError(f"this {type(module).__name__} has no weights to train")
    if not any(weight.requires_grad for weight in module.parameters()):
        raise ValueError(f"all weights of this {type(module).__name__} are frozen; set requires_grad of some to True")
    for name, weight in (*module.named_parameters(), *module.named_buffers()):
        if is_lazy(weight):
            raise ValueError(f"{name} has no shape yet, as a lazy layer made it: call the module once on images first")
    if name := name_not_finite(module):
        raise ValueError(
            f"the weights {name} contain numbers that are not finite before training; initialise them again"
        )


def name_not_finite(module: nn.Module) -> str | None:
    """Name the first weights with a number that is not finite."""
    return next((name for name, weight in module.named_parameters() if not torch.isfinite(weight).all()), None)


def _check_logits(module: nn.Module, ours: Network, table: ImageTable, device: torch.device) -> None:
    """Put one image through the network, so that images that do not fit are refused before training."""
    shape = table.pixels.shape[1:]
    try:
        Network(module, ours.classes, ours.mean, ours.std).logits(table.pixels[:1])
    except RuntimeError as problem:
        raise ValueError(
            f"the network cannot take images of {shape[0]} x {shape[1]} pixels with {shape[2]} channels "
            f"({str(problem).splitlines()[0]})"
        ) from None


def _optimizer(module: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    weights = [weight for weight in module.parameters() if weight.requires_grad]
    rate, decay = config.learning_rate, config.weight_decay
    if config.optimizer == "sgd":
        return torch.optim.SGD(weights, lr=rate, momentum=config.momentum, weight_decay=decay, nesterov=config.nesterov)
    kind = torch.optim.Adam if config.optimizer == "adam" else torch.optim.AdamW
    return kind(weights, lr=rate, weight_decay=decay)


def _hash_targets(targets: Delivery) -> str:
    """Hash the targets of the first two epochs, and their items."""
    about = "\n".join([targets.name, *targets.classes, *map(str, targets.items.tolist())])
    arrays = [targets.targets(epoch) for epoch in ((0,) if targets.fixed else (0, 1))]
    return hash_arrays([np.frombuffer(about.encode(), np.uint8), *arrays])
