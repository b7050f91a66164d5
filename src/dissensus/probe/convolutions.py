"""Convolutions whose second derivatives are as fast as their first, for any module, without changing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.nn import functional
from torch.overrides import TorchFunctionMode

_backward = torch.ops.aten.convolution_backward


class FastSecondDerivatives(TorchFunctionMode):
    """While it is active, convolutions and batch norm of fixed statistics are computed by the functions below.

        with FastSecondDerivatives():
            logits = module(inputs)

    The values are the same. torch writes the second derivative of a convolution as one with the batch for channels and
    an image for the kernel, for which processors have no fast code; and it goes through batch norm in several steps,
    though with fixed statistics it is x * scale + shift. A Hessian-vector product takes 0.6 to 0.8 of the time.

    fold  put batch norm into the weights of a convolution right before it, as a function of both. The convolution is
          then computed twice, which pays where the graph is used for several products
    """

    def __init__(self, fold: bool = False) -> None:
        super().__init__()
        self.fold = fold
        self.last: tuple[Any, ...] = ()  # what the last convolution gave, in which version, and what it was given

    def __torch_function__(
        self, function: Callable[..., Any], types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        if torch.compiler.is_compiling():  # torch.compile drops part of the second derivatives of functions of our own
            return function(*args, **given)
        if function is torch.conv2d or function is functional.conv2d:
            return self._convolution(function, *args, **given)
        if function is functional.batch_norm:
            return self._batch_norm(*args, **given)
        return function(*args, **given)

    def _convolution(
        self,
        function: Callable[..., Any],
        input: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        if isinstance(padding, str) or input.ndim != 4 or torch.is_autocast_enabled(input.device.type):
            return function(input, weight, bias, stride, padding, dilation, groups)
        how = (_pair(stride), _pair(padding), _pair(dilation), groups)
        out = _Convolution.apply(input, weight, how)
        out = out if bias is None else out + bias.view(1, -1, 1, 1)
        if self.fold:
            self.last = (out, out._version, input, input._version, weight, bias, how)
        return out

    def _batch_norm(
        self,
        input: Any,
        running_mean: Any,
        running_var: Any,
        weight: Any = None,
        bias: Any = None,
        training: bool = False,
        momentum: float = 0.1,
        eps: float = 1e-5,
    ) -> Any:
        if training:
            return functional.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
        scale = torch.rsqrt(running_var + eps)
        scale = scale if weight is None else scale * weight
        shift = -running_mean * scale
        shift = shift if bias is None else shift + bias
        last, self.last = self.last, ()
        if last and input is last[0] and input._version == last[1] and last[2]._version == last[3]:
            _, _, x, _, w, before, how = last
            shift = shift if before is None else shift + before * scale
            return _Convolution.apply(x, w * scale.view(-1, 1, 1, 1), how) + shift.view(1, -1, 1, 1)
        channels = [1, -1] + [1] * (input.ndim - 2)
        return input * scale.view(channels) + shift.view(channels)


def _pair(sides: Any) -> list[int]:
    return [sides, sides] if isinstance(sides, int) else list(sides) * (2 // len(sides))


class _Convolution(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, w: torch.Tensor, how: Any) -> torch.Tensor:
        ctx.save_for_backward(x, w)
        ctx.how = how
        return functional.conv2d(x, w, None, *how)

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> Any:
        x, w = ctx.saved_tensors
        return *_Gradients.apply(g, x, w, ctx.how, ctx.needs_input_grad[:2]), None


class _Gradients(torch.autograd.Function):
    """The gradients of a convolution by its input and its weights, which are bilinear in (g, w) and in (g, x)."""

    @staticmethod
    def forward(ctx: Any, g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, how: Any, wanted: Any) -> Any:
        ctx.save_for_backward(g, x, w)
        ctx.how, ctx.wanted = how, wanted
        return _by_input(g, x, w, how) if wanted[0] else None, _by_weight(g, x, w, how) if wanted[1] else None

    @staticmethod
    def backward(ctx: Any, to_x: torch.Tensor | None, to_w: torch.Tensor | None) -> Any:
        """to_x, to_w: what comes back to each of the two gradients; None if nothing does."""
        g, x, w = ctx.saved_tensors
        by_g = by_x = by_w = None
        if to_w is not None and ctx.wanted[1]:
            by_g = functional.conv2d(x, to_w, None, *ctx.how)
            by_x = _by_input(g, x, to_w, ctx.how) if ctx.needs_input_grad[1] else None
        if to_x is not None and ctx.wanted[0]:
            other = functional.conv2d(to_x, w, None, *ctx.how)
            by_g = other if by_g is None else by_g.add_(other)
            by_w = _by_weight(g, to_x, w, ctx.how) if ctx.needs_input_grad[2] else None
        return by_g, by_x, by_w, None, None


def _by_input(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, how: Any) -> torch.Tensor:
    return _parts(g, x, w, how, [True, False, False])[0]


def _by_weight(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, how: Any) -> torch.Tensor:
    return _parts(g, x, w, how, [False, True, False])[1]


def _parts(g: torch.Tensor, x: torch.Tensor, w: torch.Tensor, how: Any, which: list[bool]) -> Any:
    stride, padding, dilation, groups = how
    return _backward(g, x, w, None, stride, padding, dilation, False, [0, 0], groups, which)
