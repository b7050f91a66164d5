"""Grad-CAM: which parts of an image are evidence for a class, in the maps of a convolution."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn.modules.conv import _ConvNd

from dissensus.labels.refusals import one_of
from dissensus.probe.inputs import place_on_device, still
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.network import Network


def grad_cam(
    model: nn.Module | Network,
    inputs: torch.Tensor,
    targets: torch.Tensor | None = None,
    *,
    layer: str | nn.Module | None = None,
    relu: bool = True,
) -> np.ndarray:
    """Compute Grad-CAM maps: where in each image the evidence for a class is.

        map = relu( sum_c a_c A_c ),   a_c = mean over pixels of dS / dA_c,   S = sum_k p_k logit_k

    A_c are the maps that the layer returns. A soft target weights the logits, so its map is the mean, before ReLU, of
    the maps of all classes; a class is the one-hot target. Higher is evidence for the target; without ReLU, below 0 is
    evidence against it. Selvaraju et al. (2017), Grad-CAM, eq. 1 and 2.

    The model keeps its modes, gradients and hooks. It may be called under no_grad.

    Parameters
    ----------
    model : a network or a module
    inputs : (b, ...) as the module takes them, such as `image_batches` yields
    targets : (b,) classes or (b, k) probabilities; None: the most probable class of the model
    layer : its name in the module, or the layer; None: the last of all modules that are a convolution or contain one,
        and whose maps have more than one pixel
    relu : keep only evidence for the target, as in the paper. A map may then be 0 everywhere, which has no correlation
        with any other: compare maps without it

    Returns
    -------
    (b, h, w) float64, of the size of the layer's maps

    Examples
    --------
    >>> import torch
    >>> layers = torch.nn.Conv2d(1, 2, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(2, 2)
    >>> grad_cam(torch.nn.Sequential(*layers), torch.zeros(1, 1, 6, 6)).shape
    (1, 4, 4)
    """
    for name, value in (("inputs", inputs), ("targets", targets)):
        if not isinstance(value, torch.Tensor) and not (name == "targets" and value is None):
            raise ValueError(f"{name} are a {type(value).__name__}; expected a tensor, such as `image_batches` gives")
    with still(model) as module, torch.inference_mode(False):
        x = place_on_device(module, inputs)
        if x.ndim < 2 or not len(x):
            raise ValueError(f"inputs have shape {tuple(x.shape)}; expected one or more images, (b, c, h, w)")
        _check_finite(x, "input", "inputs")
        chosen = None if layer is None else _find_layer(module, layer)
        module = module.module if isinstance(module, nn.DataParallel) else module
        chosen = chosen or _last_maps(module, x[:1].clone())
        maps, logits = _forward(module, chosen, x)
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(_score(logits, targets), maps)
    summed = (gradient.mean(dim=(2, 3), keepdim=True) * maps.detach()).sum(dim=1)  # (b, h, w)
    _check_finite(summed, "the map of image", "maps: are the weights of the model finite?")
    return (summed.clamp(min=0) if relu else summed).double().cpu().numpy()


def _forward(module: nn.Module, chosen: nn.Module, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The maps of a layer, and the logits as a function of them."""
    kept: list[torch.Tensor] = []

    def cut(_: nn.Module, __: Any, output: Any) -> torch.Tensor:
        if not isinstance(output, torch.Tensor) or output.ndim != 4:
            shape = f"shape {tuple(output.shape)}" if isinstance(output, torch.Tensor) else type(output).__name__
            raise ValueError(
                f"layer {_name_of(module, chosen)} gives {shape}; expected maps, (b, channels, h, w): name a "
                "convolution or a block of them"
            )
        kept.append(output.detach().requires_grad_())
        return kept[-1].clone()  # a ReLU that works in place may change the copy

    frozen = {name: weight.detach() for name, weight in module.named_parameters()}  # no graph before the layer
    with torch.enable_grad(), _watch(cut, chosen):
        logits = torch.func.functional_call(module, frozen, (x,))
    if len(kept) != 1:
        raise ValueError(
            f"layer {_name_of(module, chosen)} is called {len(kept)} times in one pass; expected once: name another"
        )
    if not isinstance(logits, torch.Tensor) or logits.ndim != 2 or len(logits) != len(x):
        shape = f"shape {tuple(logits.shape)}" if isinstance(logits, torch.Tensor) else type(logits).__name__
        raise ValueError(f"the module gives {shape}; expected logits alone, one row for each of the {len(x)} images")
    if not logits.requires_grad:
        raise ValueError(f"the logits do not depend on layer {_name_of(module, chosen)}: name another")
    return kept[0], logits


def _score(logits: torch.Tensor, targets: torch.Tensor | None) -> torch.Tensor:
    """The logits of the targets, summed over items, each of which has a map of its own."""
    if targets is None:
        return logits.max(dim=1).values.sum()
    targets = targets.detach().clone().to(logits.device)
    soft_cross_entropy(logits.detach(), targets)  # refuses what is neither classes nor probabilities
    if targets.ndim == 1:
        return logits.gather(1, targets.long()[:, None]).sum()
    return (logits * targets.to(logits.dtype)).sum()


def _last_maps(module: nn.Module, x: torch.Tensor) -> nn.Module:
    """The last module, in the order of a forward pass, that has convolutions and gives maps of more than one pixel.

    Not simply the last convolution: where a block adds a projection of its input, that projection may come last.
    """
    parts = [part for part in module.modules() if part is not module]
    candidates = [part for part in parts if any(isinstance(inner, _ConvNd) for inner in part.modules())]
    if not candidates:
        raise ValueError(
            f"this {type(module).__name__} has no convolution, so there are no maps of the image; Grad-CAM needs some: "
            "name a layer that gives (b, channels, h, w)"
        )
    last: list[nn.Module] = []

    def note(part: nn.Module, _: Any, output: Any) -> None:
        if isinstance(output, torch.Tensor) and output.ndim == 4 and output.shape[2] * output.shape[3] > 1:
            last[:] = [part]

    with torch.no_grad(), _watch(note, *candidates):
        module(x)
    if not last:
        raise ValueError(
            f"none of the {len(candidates)} convolutions and blocks gives maps of more than one pixel for inputs of "
            f"shape {tuple(x.shape[1:])}: give larger images, or name a layer"
        )
    return last[0]


def _find_layer(module: nn.Module, layer: str | nn.Module) -> nn.Module:
    parts = dict(module.named_modules())
    if isinstance(layer, nn.Module):
        if not any(part is layer for part in parts.values()):
            raise ValueError(f"this {type(layer).__name__} is not a part of the model: name one of its layers")
        return layer
    return parts[one_of("layer", layer, [name for name in parts if name])]


def _name_of(module: nn.Module, chosen: nn.Module) -> str:
    return next((name for name, part in module.named_modules() if part is chosen and name), "the model itself")


def _check_finite(rows: torch.Tensor, name: str, noun: str) -> None:
    wrong = (~torch.isfinite(rows)).flatten(1).any(dim=1).nonzero()
    if len(wrong):
        raise ValueError(
            f"{name} {int(wrong[0, 0])} has numbers that are not finite; so have {len(wrong)} of {len(rows)} {noun}"
        )


@contextmanager
def _watch(hook: Callable[..., Any], *parts: nn.Module) -> Iterator[None]:
    """The hook is called after each of these parts, and is gone afterwards, whatever happens."""
    handles = [part.register_forward_hook(hook) for part in parts]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
