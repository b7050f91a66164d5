"""A head as a torch module says what the head says."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.train.heads.config import HeadConfig, initial_layers
from dissensus.train.heads.head import Head

torch = pytest.importorskip("torch")
from dissensus.train.heads.torch_module import head_module  # noqa: E402


@pytest.mark.parametrize("kind", ["mlp", "linear"])
def test_a_module_has_the_logits_of_its_head_and_gradients_besides(kind):
    head = Head(initial_layers(HeadConfig(kind=kind, hidden=7, seed=3), 5, 4), ("a", "b", "c", "d"))
    x = np.random.default_rng(0).normal(size=(6, 5))
    module = head_module(head)
    logits = module(torch.tensor(x, dtype=torch.float32))
    assert np.allclose(logits.detach().numpy(), head.logits(x), atol=1e-5)
    logits.sum().backward()
    assert not module.training and all(weight.grad is not None for weight in module.parameters())
