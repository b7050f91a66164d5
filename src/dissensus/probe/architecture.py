"""Checks that two networks have one architecture, so that their weights can be interpolated."""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import nn

from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.probe.inputs import still
from dissensus.train.network import Network

_COUNTER = "num_batches_tracked"  # number of batches that batch norm has seen, which is not used in eval mode


def same_architecture(model: nn.Module | Network, other: nn.Module | Network) -> None:
    """Refuse two models of different architectures, and name the first difference."""
    if isinstance(model, Network) and isinstance(other, Network) and model.classes != other.classes:
        raise ValueError(
            f"the two networks differ in classes: {list(model.classes)} and {list(other.classes)}; expected the same"
        )
    with still(model) as start, still(other) as end:
        _same_layers(start, end)
        first, last = state_of(start), state_of(end)
    for name, values in first.items():
        for which, held in (("first", values), ("second", last[name])):
            bad = int((~torch.isfinite(held)).sum()) if held.is_floating_point() else 0
            if bad:
                raise ValueError(
                    f"{name} of the {which} network holds {bad} of {held.numel()} numbers that are NaN or infinite"
                )
        whole = not values.is_floating_point() and not name.endswith(_COUNTER)
        if whole and not torch.equal(values, last[name].to(values.device)):
            raise ValueError(
                f"{name} holds whole numbers that differ between the two networks, so there is nothing in between; "
                "expected the same in both"
            )


def _same_layers(start: nn.Module, end: nn.Module) -> None:
    first = [(name, type(part).__name__) for name, part in start.named_modules()]
    last = [(name, type(part).__name__) for name, part in end.named_modules()]
    for (name, kind), (other_name, other_kind) in zip(first, last, strict=False):
        if (name, kind) != (other_name, other_kind):
            raise ValueError(
                f"the two networks are of different architectures: {kind} ({name or 'the whole'}) in the first, "
                f"{other_kind} ({other_name or 'the whole'}) in the second"
            )
    if len(first) != len(last):
        raise ValueError(
            f"the two networks are of different architectures: {len(first)} and {len(last)} layers and blocks"
        )
    ours = {name: (tuple(values.shape), values.dtype) for name, values in state_of(start).items()}
    theirs = {name: (tuple(values.shape), values.dtype) for name, values in state_of(end).items()}
    for name in ours | theirs:
        if ours.get(name) != theirs.get(name):
            raise ValueError(
                f"the two networks are of different architectures: {name} is {_describe(ours.get(name))} in the "
                f"first and {_describe(theirs.get(name))} in the second"
            )


def _describe(held: tuple[tuple[int, ...], torch.dtype] | None) -> str:
    return "missing" if held is None else f"{str(held[1]).removeprefix('torch.')} of shape {held[0]}"


def same_normalisation(model: nn.Module | Network, other: nn.Module | Network) -> None:
    """Refuse two networks that normalise images differently but are given the same inputs."""
    if isinstance(model, Network) and isinstance(other, Network):
        for name in ("mean", "std"):
            if getattr(model, name) != getattr(other, name):
                raise Refusal(
                    f"the two networks differ in {name}: {getattr(model, name)} and {getattr(other, name)}; expected "
                    "the same, as both are given the same inputs",
                    ways=[PythonWay("pass image_batches(...) to barrier")],
                )


def own_copy(module: nn.Module) -> nn.Module:
    """A copy whose weights may be written to; the module stays as it is."""
    # Weights that older torch.nn.utils.weight_norm computes from others; torch copies no result of a computation.
    computed = (held for part in module.modules() for held in vars(part).values() if isinstance(held, torch.Tensor))
    copy = deepcopy(module, {id(held): held.detach().clone() for held in computed if held.grad_fn is not None})
    for weight in copy.parameters():
        weight.grad = None
    return copy.requires_grad_(False)


def state_of(module: nn.Module) -> dict[str, torch.Tensor]:
    """The weights and buffers of a module, by name."""
    return dict(module.named_parameters()) | dict(module.named_buffers())
