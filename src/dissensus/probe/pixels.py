"""A model as a function of pixels from 0 to 1, whatever its normalisation and precision."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import torch
from torch import nn

from dissensus.labels.doors import describe_type
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.train.network import Network, check_logits

ROUNDING = 1e-6  # how far pixels may be outside 0..1: what is left of undoing a normalisation


def pixel_logits(model: Network | nn.Module, pixels: torch.Tensor) -> torch.Tensor:
    """Return the logits of pixels from 0 to 1, in single precision at least.  (b, c, h, w) -> (b, k)"""
    module = model.module if isinstance(model, Network) else model
    if isinstance(model, Network):
        mean, std = (
            torch.tensor(part, dtype=pixels.dtype, device=pixels.device).view(-1, 1, 1)
            for part in (model.mean, model.std)
        )
        pixels = (pixels - mean) / std
    else:
        pixels = pixels.clone()  # a module may begin by changing what it is given
    logits = module(pixels.to(weights_of(model, pixels)))
    if isinstance(model, Network):
        logits = check_logits(logits, len(model.classes))
    elif not isinstance(logits, torch.Tensor) or logits.ndim != 2:
        given = f"logits of shape {tuple(logits.shape)}" if hasattr(logits, "shape") else f"a {type(logits).__name__}"
        raise ValueError(f"the module gives {given}; expected a tensor of logits, one row for each image, (b, k)")
    if logits.shape[1] < 2:
        raise Refusal(
            "the model gives one logit for each image, whose softmax is always 1, so no attack can change it; expected "
            "two classes or more",
            ways=[PythonWay("make two of the logit z of a sigmoid with torch.cat([-z, z], 1) / 2")],
        )
    wrong = ~logits.isfinite()
    if wrong.any():
        images = wrong.any(dim=1).nonzero()[:, 0]
        raise ValueError(
            f"the model gives {logits[wrong][0].item()} as a logit of image {int(images[0])} of the batch; "
            f"{len(images)} of {len(logits)} images have such: its weights or its normalisation do not fit them"
        )
    return logits if logits.dtype in (torch.float32, torch.float64) else logits.float()


def weights_of(model: Network | nn.Module, default: torch.Tensor) -> torch.Tensor:
    """Return a weight of the model, for its device and precision; `default` if it has none."""
    module = model.module if isinstance(model, Network) else model
    weights = chain(module.parameters(), module.buffers())
    return next((weight for weight in weights if weight.is_floating_point()), default)


def check_pixels(model: Network | nn.Module, inputs: Any) -> torch.Tensor:
    """Copy the inputs in single precision at least; refused unless they are pixels from 0 to 1."""
    if not isinstance(inputs, torch.Tensor):
        raise ValueError(f"inputs are {describe_type(inputs)}; expected a tensor of pixels from 0 to 1, (b, c, h, w)")
    shape = tuple(inputs.shape)
    if not inputs.is_floating_point():
        raise Refusal(
            f"inputs are {str(inputs.dtype).removeprefix('torch.')} of shape {shape}; expected floats from 0 to 1, "
            "(b, c, h, w)",
            ways=[
                PythonWay("make them of bytes with inputs / 255"),
                PythonWay("use attack(network, images, labels), which takes images as bytes"),
            ],
        )
    if isinstance(model, Network) and (len(shape) != 4 or shape[1] != model.channels):
        last = len(shape) == 4 and shape[3] == model.channels
        raise ValueError(
            f"inputs have the shape {shape}; expected (b, {model.channels}, h, w): the network takes images of "
            f"{model.channels} channels{': inputs.permute(0, 3, 1, 2) puts them in front' if last else ''}"
        )
    if len(shape) < 2:
        raise ValueError(f"inputs have the shape {shape}; expected several images, (b, c, h, w)")
    if not inputs.numel():
        raise ValueError(f"inputs have the shape {shape}, so there is nothing to attack; expected one image at least")
    pixels = inputs.detach().clone()
    pixels = pixels if pixels.dtype in (torch.float32, torch.float64) else pixels.float()
    wrong = ~((pixels >= -ROUNDING) & (pixels <= 1 + ROUNDING))  # so that NaN is wrong
    if wrong.any():
        images = wrong.reshape(len(wrong), -1).any(dim=1).nonzero()[:, 0]
        raise ValueError(
            f"image {int(images[0])} of the batch has a pixel of {float(pixels[wrong][0]):g}; expected numbers from 0 "
            f"to 1; {len(images)} of {len(pixels)} images have others{_way_out(pixels)}"
        )
    return pixels


def _way_out(pixels: torch.Tensor) -> str:
    """How pixels out of range come to be from 0 to 1, as far as their values tell."""
    low, high = float(pixels.min()), float(pixels.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        return ", and such are not valid colours"
    seen = f": they run from {low:g} to {high:g}, so "
    if low < 0:
        return (
            seen + "they seem to be normalised: pass x * std + mean, and to a module that expects them "
            "normalised, Network(module, classes, mean, std)"
        )
    return seen + (
        "they look like bytes: inputs / 255" if high > 2 else "inputs.clamp(0, 1) cuts off what is too bright"
    )
