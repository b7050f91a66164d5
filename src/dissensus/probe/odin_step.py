"""ODIN with its step on the input: a small change that makes a network more certain, most of all of familiar inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.labels.doors import describe_type
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.inputs import BATCH, place_on_device, still
from dissensus.probe.ood import ODIN_TEMPERATURE, check_temperature, msp
from dissensus.train.augment import Pictures
from dissensus.train.images import as_images
from dissensus.train.network import Network, check_channels, check_logits


def odin(
    model: nn.Module | Network,
    inputs: Any,
    *,
    temperature: float = ODIN_TEMPERATURE,
    epsilon: float = 0.0014,
    batch: int = BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """Score inputs by ODIN: the negated maximum softmax probability after a step towards the predicted class.

        x' = x - epsilon sign( grad_x -ln softmax(z(x) / T)_y ),   y = argmax_c z_c(x)
        - max_c softmax(z(x') / T)_c

    Between -1 and -1/k, higher is further from the training data. For a Network epsilon is a share of the range of
    pixels, whatever its normalisation: 0.0014, as in Liang et al. for CIFAR-10, is 0.36 of 255. As there, pixels may
    leave their range, and nothing is rounded. For a module of your own, epsilon is in the units of its inputs. Liang,
    Li and Srikant (2018), Enhancing the reliability of out-of-distribution image detection in neural networks.

    Parameters
    ----------
    model : a network or a module
    inputs : images for a Network; a tensor (n, ...) for a module
    temperature : T
    epsilon : size of the step
    batch : inputs at once
    progress : called with the number of inputs done and of all

    Returns
    -------
    (n,)

    Examples
    --------
    >>> import torch
    >>> odin(torch.nn.Linear(2, 2), torch.zeros(3, 2)).shape
    (3,)
    """
    check_temperature(temperature)
    if not 0 <= epsilon < (1 if isinstance(model, Network) else np.inf):
        raise ValueError(
            f"epsilon is {epsilon}; expected a share of the range of pixels, 0 up to 1: a step of 4 in 255 is 4 / 255"
        )
    if batch < 1:
        raise ValueError(f"batch is {batch}; expected the number of inputs to take at once, 1 or more")
    logits: list[np.ndarray] = []
    with still(model) as module, torch.inference_mode(False):
        total, pieces = _pieces(model, inputs, batch)
        for x, unit in pieces:
            with torch.enable_grad():
                moved = x - epsilon * unit * _slope(model, module, x, temperature).sign()
            with torch.no_grad():
                logits.append(_logits(model, module, moved).double().cpu().numpy())
            if progress is not None:
                progress(len(logits), total)
    return msp(np.concatenate(logits), temperature)


def _slope(model: nn.Module | Network, module: nn.Module, x: torch.Tensor, temperature: float) -> torch.Tensor:
    """How the loss of the predicted class changes with the input; weights collect no gradient.  (b, ...)"""
    x = x.detach().requires_grad_()
    logits = _logits(model, module, x) / temperature
    loss = nn.functional.cross_entropy(logits, logits.detach().argmax(dim=1), reduction="sum")
    return torch.autograd.grad(loss, x)[0]


def _logits(model: nn.Module | Network, module: nn.Module, x: torch.Tensor) -> torch.Tensor:
    logits = module(x.clone())  # which the module may change
    if isinstance(model, Network):
        return check_logits(logits, len(model.classes))
    if not isinstance(logits, torch.Tensor) or logits.ndim != 2:
        shape = getattr(logits, "shape", None)
        raise ValueError(f"the module gives a {type(logits).__name__} of shape {shape}; expected logits (b, k) alone")
    return logits


def _pieces(model: nn.Module | Network, inputs: Any, batch: int) -> tuple[int, Iterator[tuple[torch.Tensor, Any]]]:
    """The number of batches, an iterator over them, and the size of one unit of epsilon for the module."""
    if not isinstance(model, Network):
        if not isinstance(inputs, torch.Tensor) or not inputs.is_floating_point() or not len(inputs):
            raise Refusal(
                f"inputs are {describe_type(inputs)}; expected a tensor of floats, (n, ...), as the module takes",
                ways=[PythonWay("for images make a network with Network(module, classes, mean, std)")],
            )
        parts = inputs.split(batch)
        return len(parts), ((place_on_device(model, part), 1.0) for part in parts)
    table = as_images(inputs)
    check_channels(table, model.channels)
    unit = 1 / torch.tensor(model.std, dtype=torch.float32, device=model.device)[:, None, None]
    starts = range(0, len(table), batch)

    def pictures() -> Iterator[tuple[torch.Tensor, Any]]:
        for start in starts:
            pixels = table.pixels[start : start + batch]
            seen = Pictures(pixels, model.mean, model.std, model.device)
            yield seen.batch(torch.arange(len(pixels), device=model.device)), unit

    return len(starts), pictures()
