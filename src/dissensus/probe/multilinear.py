"""Whether logits are linear in each single tensor of weights, as those of ReLU networks are, piece by piece."""

from __future__ import annotations

from typing import Any

import torch

# What torch calls the steps of its graphs. Linear in all inputs together, or in pieces that do not depend on weights
# anywhere but at their borders: such steps keep what is linear in a tensor linear.
_LINEAR = {
    "AccumulateGrad",
    "AdaptiveAvgPool2DBackward0",
    "AdaptiveMaxPool2DBackward0",
    "AddBackward0",
    "AliasBackward0",
    "AvgPool2DBackward0",
    "CatBackward0",
    "CloneBackward0",
    "ConstantPadNdBackward0",
    "CopyBackwards",
    "ExpandBackward0",
    "HardtanhBackward0",
    "LeakyReluBackward0",
    "MaxPool2DWithIndicesBackward0",
    "MaximumBackward0",
    "MeanBackward0",
    "MeanBackward1",
    "MinimumBackward0",
    "NegBackward0",
    "PermuteBackward0",
    "PixelShuffleBackward0",
    "PixelUnshuffleBackward0",
    "ReflectionPad2DBackward0",
    "ReluBackward0",
    "ReshapeAliasBackward0",
    "RsubBackward0",
    "SelectBackward0",
    "SliceBackward0",
    "SplitBackward0",
    "SqueezeBackward0",
    "SqueezeBackward1",
    "StackBackward0",
    "SubBackward0",
    "SumBackward0",
    "SumBackward1",
    "TBackward0",
    "ToCopyBackward0",
    "TransposeBackward0",
    "UnsafeViewBackward0",
    "UnsqueezeBackward0",
    "ViewBackward0",
}
# Sums of products of their inputs: linear in a tensor that only one factor depends on.
_PRODUCTS = {
    "AddmmBackward0",
    "BmmBackward0",
    "ConvolutionBackward0",
    "DotBackward0",
    "LinearBackward0",
    "MmBackward0",
    "MulBackward0",
    "MvBackward0",
    "PreluKernelBackward0",
}
# Batch norm of fixed statistics, which is a product with the scale. One that takes them from its inputs, as instance
# norm does too, divides by what depends on the weights before it.
_NORMS = {"NativeBatchNormBackward0", "CudnnBatchNormBackward0", "MiopenBatchNormBackward0"}


def not_linear_in_each(outputs: torch.Tensor) -> str | None:
    """Why outputs are not linear, in pieces, in each tensor of weights they depend on; None if they are.

    Such outputs have no second derivative by two weights of one tensor: so the trace of the Hessian of a loss of them
    is that of its Gauss-Newton part alone. The graph is read without computing anything; unknown steps count as not
    linear.
    """
    if outputs.grad_fn is None:
        return None
    weights: dict[Any, frozenset[int]] = {}  # on which tensors each step depends
    for step in _in_order(outputs.grad_fn):
        name = step.name().rpartition(".")[2].rpartition("::")[2]
        if name == "AccumulateGrad":
            weights[step] = frozenset({id(step.variable)})
            continue
        before = [weights[other] for other, _ in step.next_functions if other is not None]
        weights[step] = frozenset().union(*before)
        if name in _LINEAR or (name == "DivBackward0" and step.next_functions[1][0] is None):  # by what is constant
            continue
        if name in _NORMS and step._saved_training:
            return "a norm takes mean and variance from what it is given"
        if name not in _PRODUCTS and name not in _NORMS:
            return f"{name.removesuffix('0').removesuffix('Backward')} is not known to be linear"
        if len(weights[step]) < sum(map(len, before)):
            return f"{name.removesuffix('0').removesuffix('Backward')} multiplies what depends on the same weights"
    return None


def _in_order(last: Any) -> list[Any]:
    """All steps of a graph, each after those that it takes its inputs from."""
    done: dict[Any, None] = {}
    waiting = [(last, False)]
    while waiting:
        step, entered = waiting.pop()
        if step in done:
            continue
        if entered:
            done[step] = None
            continue
        waiting.append((step, True))
        waiting += [(other, False) for other, _ in step.next_functions if other is not None and other not in done]
    return list(done)
