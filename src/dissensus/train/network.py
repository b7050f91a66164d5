"""Network: a torch module as a model of images."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.labels.answers import hold
from dissensus.labels.distributions import Distributions
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.train.augment import Pictures
from dissensus.train.images import ImageTable, as_images
from dissensus.train.model import predict_with, softmax

BATCH = 256  # images at once when a network predicts; nothing but memory and speed depends on it


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """Wrap a torch module that returns logits, with everything needed to call it on images.

    `Network(module, classes, mean, std)` makes a model of one of ours or of your own; `train_module` continues its
    training. It predicts in eval mode, and leaves the module as it is.

    Parameters
    ----------
    module : takes (b, c, h, w) float32, returns (b, k) logits
    classes : k names
    mean, std : of each channel, for pixels from 0 to 1; the module is given (pixel / 255 - mean) / std
    card : facts for a reader: the training data, the settings, the scores

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> network.probs(np.zeros((3, 2, 2, 1), dtype=np.uint8)).shape
    (3, 2)
    """

    module: nn.Module
    classes: tuple[str, ...]
    mean: tuple[float, ...]
    std: tuple[float, ...]
    card: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        hold(self, "classes", tuple(str(name) for name in self.classes))
        for name in ("mean", "std"):
            hold(self, name, tuple(float(number) for number in np.atleast_1d(getattr(self, name))))
        if not isinstance(self.module, nn.Module):
            raise ValueError(f"a {type(self.module).__name__} is not a torch module; expected nn.Module")
        wrong = len(self.mean) != len(self.std) or not np.isfinite(self.mean + self.std).all() or min(self.std) <= 0
        if wrong or max(self.mean) > 1:
            raise ValueError(
                f"mean is {self.mean} and std is {self.std}; expected one number for each channel, of pixels from 0 to "
                "1, and deviations above 0"
            )

    @property
    def channels(self) -> int:
        return len(self.mean)

    @property
    def device(self) -> torch.device:
        """Where the weights are; a module without any is called on the processor."""
        first = next(iter(self.module.parameters()), None)
        return torch.device("cpu") if first is None else first.device

    def logits(self, inputs: Any) -> np.ndarray:
        """The logits.  images, (n, h, w, c) uint8 -> (n, k) float64"""
        with torch.inference_mode(), eval_mode(self.module):
            parts = [check_logits(self.module(x), len(self.classes)) for x in self._batches(inputs)]
        logits = np.concatenate([part.double().cpu().numpy() for part in parts])
        wrong = np.flatnonzero(~(logits.max(axis=1) < np.inf))  # NaN is refused; -inf is an impossible class
        if wrong.size:
            raise ValueError(
                f"the network gives {logits[wrong[0]].max()} as a logit of image {wrong[0]}; {wrong.size} of "
                f"{len(logits)} images have such: its weights or its normalisation do not fit them"
            )
        return logits

    def probs(self, inputs: Any) -> np.ndarray:
        """The probability of each class.  images, (n, h, w, c) uint8 -> (n, k) float64, rows sum to 1"""
        return softmax(self.logits(inputs))

    def features(self, inputs: Any) -> np.ndarray:
        """Return the inputs of the last linear layer.  images, (n, h, w, c) uint8 -> (n, d) float64"""
        given: list[torch.Tensor] = []
        watch = last_linear(self.module).register_forward_pre_hook(lambda _, inputs: given.append(inputs[0]))
        parts = []
        try:
            with torch.inference_mode(), eval_mode(self.module):
                for x in self._batches(inputs):
                    given.clear()
                    self.module(x)
                    if len(given) != 1 or given[0].shape[0] != x.shape[0] or given[0].ndim != 2:
                        raise ValueError(
                            "the last linear layer of this module is not called once for each image, so there are no "
                            "features: give the module a last nn.Linear that makes the logits"
                        )
                    parts.append(given[0].double().cpu().numpy())
        finally:
            watch.remove()
        return np.concatenate(parts)

    def predict(self, inputs: Any, items: Any = None) -> Distributions:
        """One distribution per image; an ImageTable names its items itself."""
        if items is None and isinstance(inputs, ImageTable):
            items = inputs.items
        return predict_with(self, inputs, items)

    def __repr__(self) -> str:
        name = getattr(self.module, "recipe", {}).get("network", type(self.module).__name__)
        weights = sum(weight.numel() for weight in self.module.parameters())
        return f"<Network {name}: {weights:,} weights, {self.channels} channels, {len(self.classes)} classes>"

    def _batches(self, inputs: Any) -> Iterator[torch.Tensor]:
        table = as_images(inputs)
        check_channels(table, self.channels)
        for start in range(0, len(table.pixels), BATCH):
            pixels = table.pixels[start : start + BATCH]
            pictures = Pictures(pixels, self.mean, self.std, self.device)
            yield pictures.batch(torch.arange(len(pixels), device=self.device))


def check_logits(logits: Any, k: int) -> torch.Tensor:
    """Return the output of a module if it has one row of k numbers per image."""
    if not isinstance(logits, torch.Tensor):
        raise ValueError(
            f"the module gives a {type(logits).__name__}; expected logits alone, a tensor (b, {k}): wrap it in a "
            "module that picks them out"
        )
    if logits.ndim != 2 or logits.shape[1] != k:
        raise ValueError(
            f"the module gives logits of shape {tuple(logits.shape)}; expected one for each of the {k} classes"
        )
    return logits


def find_training_size(network: Network) -> list[int] | None:
    """Return height and width of the training images, if the card has them."""
    size = network.card.get("image size")
    known = isinstance(size, list) and len(size) == 2 and all(isinstance(side, int) for side in size)
    return size if known else None


@contextmanager
def single_precision() -> Iterator[None]:
    """Make weights as float32, whatever default the caller has set."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def eval_mode(module: nn.Module) -> Iterator[None]:
    """Put the module in eval mode, and restore the mode of every part afterwards."""
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode


def last_linear(module: nn.Module) -> nn.Linear:
    """The layer that gives the logits: the last nn.Linear."""
    layers = [part for part in module.modules() if isinstance(part, nn.Linear)]
    if not layers:
        raise ValueError(
            f"this {type(module).__name__} has no nn.Linear, so what its logits are a function of is unclear"
        )
    return layers[-1]


def check_channels(table: ImageTable, channels: int) -> None:
    if table.pixels.shape[3] == channels:
        return
    if channels == 3:
        raise Refusal(
            "these images are grey, and the network takes colour",
            ways=[Way("save them as colour images"), PythonWay("repeat the channel with np.repeat(pixels, 3, axis=3)")],
        )
    raise ValueError(
        f"these images are in colour, {table.pixels.shape[3]} channels, and the network takes grey ones, {channels}; "
        "expected images like those of its training; if they only look grey, save them as grey images"
    )
