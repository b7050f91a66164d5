"""The stack of PyTorch and the compiled kernels are two roads to the same heads."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dissensus.train.heads.branches import first_branches
from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.torch_engine import _gradients, _Stack
from dissensus.train.heads.training import train_heads


def problem(n, d, k):
    rng = np.random.default_rng(8)
    return rng.normal(size=(n, d)).astype(np.float32), rng.dirichlet(np.ones(k), n)


def test_a_mixed_lot_of_heads_comes_out_the_same_from_both_engines():
    features, probs = problem(150, 17, 5)
    configs = [
        HeadConfig(
            kind=kind,
            hidden=hidden,
            batch=batch,
            learning_rate=rate,
            targets=targets,
            epochs=6,
            patience=2,
            seed=seed,
            scheduler=scheduler,
            plateau_patience=0,
        )
        for kind, hidden in (("mlp", 8), ("mlp", 24), ("linear", 8))
        for batch, seed in ((16, 0), (16, 1), (32, 0))
        for rate in (1e-2, 5e-2)
        for targets in ("soft", "hard")
        for scheduler in (None, "plateau")
    ]
    validation = problem(40, 17, 5)
    one, other = (
        train_heads(features, probs, configs, validation=validation, engine=engine) for engine in ("numba", "torch")
    )
    for a, b in zip(one, other, strict=True):
        assert a.config == b.config and a.epoch == b.epoch
        assert np.allclose(a.validation_losses, b.validation_losses, atol=1e-5)
        assert np.allclose(a.head.probs(features), b.head.probs(features), atol=1e-4)


@pytest.mark.parametrize("shape", [(7, 5), (4, 7, 5)], ids=["the same rows for all", "rows of their own"])
@pytest.mark.parametrize("kind", ["mlp", "linear"])
def test_written_out_gradients_are_those_of_autograd(kind, shape):
    rng = np.random.default_rng(9)
    heads = [initial_layers(HeadConfig(kind=kind, hidden=6, seed=seed), 5, 3) for seed in range(4)]
    stack = _Stack.of(heads, torch.device("cpu"))
    rows = torch.tensor(rng.normal(size=shape).astype(np.float32))
    targets = torch.tensor(rng.dirichlet(np.ones(3), (4, 7)).astype(np.float32))
    weights = torch.tensor(rng.exponential(size=(4, 7)).astype(np.float32))
    kept = torch.tensor(rng.integers(0, 2, (4, 7, 6)).astype(np.float32)) * 2 if kind == "mlp" else None
    _gradients(stack, rows, targets, weights, kept)
    for place, layers in enumerate(heads):
        parameters = [torch.tensor(part, requires_grad=True) for layer in layers for part in layer]
        own = rows if rows.ndim == 2 else rows[place]
        logits = torch.nn.functional.linear(own, parameters[0], parameters[1])
        if kept is not None:
            inner = torch.nn.functional.gelu(logits) * kept[place]
            logits = torch.nn.functional.linear(inner, parameters[2], parameters[3])
        each = torch.nn.functional.cross_entropy(logits, targets[place], reduction="none")
        (each * weights[place]).sum().backward()
        for found, parameter in zip(stack.gradients, parameters, strict=True):
            assert torch.allclose(found[place].view_as(parameter), parameter.grad, atol=1e-5)


def test_rows_of_the_stack_leave_and_are_copied():
    heads = [initial_layers(HeadConfig(hidden=6, seed=seed), 5, 3) for seed in range(3)]
    stack = _Stack.of(heads, torch.device("cpu"))
    taken = stack.select_rows([2, 0, 0])
    assert np.array_equal(taken.layers(0)[0].weight, heads[2][0].weight)
    for part in taken.gradients:
        part.normal_(generator=torch.Generator().manual_seed(0))
    taken.group(first_branches([HeadConfig(seed=seed) for seed in range(3)]))
    taken.step()
    assert not np.array_equal(taken.layers(1)[0].weight, taken.layers(2)[0].weight)
    assert np.array_equal(stack.layers(0)[0].weight, heads[0][0].weight)
