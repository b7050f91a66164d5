"""Attacks: images changed by no more than a few of 255 pixel values, so that the loss of a model rises.

Everything here is in the l-infinity ball: no pixel moves further than epsilon, and none leaves the range of colours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
import torch
from torch import nn

from dissensus.labels.doors import describe_type
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.inputs import still
from dissensus.probe.pixels import check_pixels, pixel_logits, weights_of
from dissensus.train.loss import soft_cross_entropy
from dissensus.train.network import Network

Watch = Callable[[int, torch.Tensor], None]
SMALLEST = 0.5  # of 255: a smaller change is lost when the image is stored as bytes
SHORT_STEP = 0.1  # of 255: shorter steps that do not even reach epsilon are taken for shares of 1


def fgsm(model: Network | nn.Module, inputs: torch.Tensor, targets: Any, epsilon: float = 4) -> torch.Tensor:
    """Move each pixel by epsilon in the direction in which the loss of its image rises.

        x' = clamp(x + e sign(d H / d x), 0, 1),   H = - sum_c y_c ln softmax(f(x))_c,   e = epsilon / 255

    The fast gradient sign method. A pixel on which the loss does not depend stays: sign(0) = 0. Goodfellow, Shlens,
    Szegedy (2015), Explaining and harnessing adversarial examples, sec. 4; Peterson 2019, sec. 7, and Collins 2022,
    sec. 5.1, with epsilon 4. `torchattacks.FGSM(model, eps=4/255)` computes the same.

    Parameters
    ----------
    model : a Network, whose normalisation is applied inside, or a module in eval mode that takes pixels from 0 to 1 and
        returns logits; neither is changed
    inputs : pixels from 0 to 1, for a Network (b, c, h, w); `attack` takes images as bytes
    targets : what the loss is taken to: (b,) classes or (b, k) probabilities
    epsilon : change of a pixel, of 255: 4, not 4/255

    Returns
    -------
    the shape of inputs, pixels from 0 to 1, on the device of the model

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> inputs = torch.full((1, 1, 2, 2), 0.5)
    >>> (fgsm(module, inputs, torch.tensor([0]), epsilon=51) - inputs).abs().max().round(decimals=3)
    tensor(0.2000)
    """
    reach = _as_share(epsilon)
    with _loss_gradient(model, inputs, targets) as (pixels, gradient):
        return (pixels + reach * gradient(pixels)[0].sign()).clamp(0, 1)


def pgd(
    model: Network | nn.Module,
    inputs: torch.Tensor,
    targets: Any,
    epsilon: float = 4,
    *,
    step_size: float = 1,
    steps: int = 10,
    rng: np.random.Generator | torch.Generator | None = None,
    watch: Watch | None = None,
) -> torch.Tensor:
    """Take many small steps of `fgsm`, each projected back to within epsilon of the image.

        x_{t+1} = clamp(x + clamp(x_t + a sign(d H / d x_t) - x, -e, e), 0, 1),   a = step_size / 255

    Projected gradient descent: Madry, Makelov, Schmidt, Tsipras, Vladu (2018), Towards deep learning models resistant
    to adversarial attacks, sec. 2.1; Peterson 2019, sec. 7. One step of size epsilon is `fgsm`.
    `torchattacks.PGD(model, eps=4/255, alpha=1/255, steps=10, random_start=False)` computes the same.

    Parameters
    ----------
    model, inputs, targets, epsilon : as for `fgsm`
    step_size : change of a pixel in one step, of 255
    steps : number of steps
    rng : x_0 is drawn uniformly from the ball and clamped to colours; None: it is the image itself. A torch generator
        with the seed of `torch.manual_seed` draws what torchattacks draws with random_start=True
    watch : called before each step with its number, from 0, and the logits (b, k) of x_t

    Returns
    -------
    the shape of inputs, pixels from 0 to 1, on the device of the model

    Examples
    --------
    >>> import torch
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> inputs = torch.full((1, 1, 2, 2), 0.5)
    >>> (pgd(module, inputs, torch.tensor([0]), epsilon=51, step_size=10) - inputs).abs().max().round(decimals=3)
    tensor(0.2000)
    """
    reach, stride = _as_share(epsilon), _check_stride(step_size, steps, epsilon)
    check_rng(rng, (np.random.Generator, torch.Generator))
    with _loss_gradient(model, inputs, targets) as (pixels, gradient):
        moved = pixels if rng is None else (pixels + _draw_start(pixels, reach, rng)).clamp(0, 1)
        for step in range(steps):
            uphill, logits = gradient(moved)
            if watch is not None:
                watch(step, logits)
            moved = moved + stride * uphill.sign()
            moved = (pixels + (moved - pixels).clamp(-reach, reach)).clamp(0, 1)
        return moved


ATTACKS: dict[str, Callable[..., torch.Tensor]] = {
    "fgsm": fgsm,
    "pgd": pgd,
}
"""Every attack by its name; a new one is a line here."""


def check_epsilon(epsilon: Any) -> None:
    """Refuse what is not a distance in pixels of 255."""
    _check_number(epsilon, "epsilon")
    if not 0 <= epsilon <= 255:
        raise ValueError(f"epsilon is {epsilon}; expected how far a pixel may move, of 255: from 0 to 255")
    if 0 < epsilon < SMALLEST:
        raise ValueError(
            f"epsilon is {float(epsilon):g} of 255, which is lost when an image is stored as bytes; epsilon counts "
            f"pixel values from 0 to 255: if this is a share of 1, say {float(255 * epsilon):g}"
        )


def check_rng(rng: Any, kinds: tuple[type, ...]) -> None:
    """Refuse seeds and generators of other kinds."""
    if rng is not None and not isinstance(rng, kinds):
        raise Refusal(
            f"rng is {rng!r:.80}; expected a generator of random numbers",
            ways=[
                PythonWay("pass np.random.default_rng(0) for a random start"),
                PythonWay("pass None for a start at the image itself"),
            ],
        )


@contextmanager
def _loss_gradient(
    model: Network | nn.Module, inputs: Any, targets: Any
) -> Iterator[tuple[torch.Tensor, Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]]]:
    """The pixels of a batch, and the function of pixels that gives the gradient of the loss there, and the logits.

    The loss is the mean over the batch. Only signs are used of its gradient, so the sum would do as well; but where a
    sum of single precision is nearly 0, another factor rounds it to another sign, and this is torchattacks' factor.
    """
    with torch.inference_mode(False), torch.enable_grad(), still(model):
        pixels = check_pixels(model, inputs)
        weight = weights_of(model, pixels)
        if weight.is_inference():
            raise ValueError(
                "the weights of the model were made in torch.inference_mode, so torch gives no gradient through them: "
                "make or load the model outside of it"
            )
        pixels, aims = pixels.to(weight.device).clamp(0, 1), _as_targets(targets)
        if aims.dtype == torch.float64 and weight.dtype != torch.float64:
            aims = aims.float()  # some devices have no doubles
        aims = aims.to(weight.device)

        def gradient(at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            at = at.detach().requires_grad_()
            logits = pixel_logits(model, at)
            loss = soft_cross_entropy(logits, aims)
            uphill = torch.autograd.grad(loss, at, allow_unused=True)[0] if loss.requires_grad else None
            if uphill is None:
                raise ValueError(
                    "torch knows no gradient of the loss by the pixels: somewhere the model leaves torch, or calls "
                    "detach or no_grad; expected logits that torch can differentiate"
                )
            _check_gradient(uphill)
            return uphill, logits.detach()

        yield pixels, gradient


def _as_targets(targets: Any) -> torch.Tensor:
    if not isinstance(targets, torch.Tensor | np.ndarray | list | tuple):
        raise Refusal(
            f"targets are {describe_type(targets)}; expected (b,) classes or (b, k) probabilities, as tensor or array",
            ways=[PythonWay("use attack(network, images, labels), which takes labels of every kind")],
        )
    if isinstance(targets, torch.Tensor):
        return targets.detach().clone()  # a copy that may stand in a graph, even if it was made in inference mode
    array = np.asarray(targets)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"targets are an array of {array.dtype}; expected (b,) whole numbers or (b, k) probabilities")
    return torch.tensor(array.astype(np.int64) if array.dtype.kind in "iu" else array)


def _check_gradient(uphill: torch.Tensor) -> None:
    wrong = uphill.isnan().reshape(len(uphill), -1).any(dim=1).nonzero()[:, 0]
    if len(wrong):
        raise ValueError(
            f"the gradient of the loss by the pixels of image {int(wrong[0])} of the batch is not a number; "
            f"{len(wrong)} of {len(uphill)} images have such: the model has a point there that cannot be differentiated"
        )


def _check_number(value: Any, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}; expected a number of pixel values, of 255")


def _as_share(epsilon: float) -> float:
    check_epsilon(epsilon)
    return float(epsilon) / 255


def _check_stride(step_size: float, steps: int, epsilon: float) -> float:
    _check_number(step_size, "step_size")
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 1:
        raise ValueError(f"steps is {steps!r}; expected how many steps are taken, a whole number of 1 or more")
    if not 0 < step_size <= 255:
        raise ValueError(
            f"step_size is {step_size}; expected how far a pixel moves in one step, of 255: above 0 to 255"
        )
    if step_size < SHORT_STEP and step_size * steps < epsilon:
        raise ValueError(
            f"step_size is {step_size:g} of 255, so {steps} steps reach {steps * step_size:g} of the {epsilon:g} that "
            f"epsilon allows; it counts pixel values from 0 to 255: if this is a share of 1, say {255 * step_size:g}, "
            "else take more steps"
        )
    return float(step_size) / 255


def _draw_start(pixels: torch.Tensor, reach: float, rng: np.random.Generator | torch.Generator) -> torch.Tensor:
    """The start within the ball, as a difference from the image."""
    if isinstance(rng, torch.Generator):
        return torch.empty_like(pixels).uniform_(-reach, reach, generator=rng)
    return torch.from_numpy(rng.uniform(-reach, reach, size=tuple(pixels.shape))).to(pixels)
