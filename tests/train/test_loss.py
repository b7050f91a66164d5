"""Cross-entropy for hard and soft targets: torch's own on classes, the formula on probabilities, errors on the rest."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dissensus.train.loss import soft_cross_entropy
from tests.facts import refuses


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 9))
def test_the_loss_is_the_formula(seed, r, k):
    rng = np.random.default_rng(seed)
    logits, targets = rng.normal(size=(r, k)) * 3, rng.dirichlet(np.ones(k), size=r)
    log_q = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    expected = -(targets * log_q).sum(axis=1)
    found = soft_cross_entropy(torch.tensor(logits), torch.tensor(targets), reduction="none")
    assert np.allclose(found.numpy(), expected)
    assert np.allclose(float(soft_cross_entropy(torch.tensor(logits), torch.tensor(targets))), expected.mean())


def test_a_class_is_a_distribution_that_is_certain():
    logits, classes = torch.randn(20, 5, generator=torch.Generator().manual_seed(0)), torch.arange(20) % 5
    certain = torch.eye(5)[classes]
    for reduction in ("mean", "sum", "none"):
        hard = soft_cross_entropy(logits, classes, reduction=reduction)
        assert torch.allclose(hard, soft_cross_entropy(logits, certain, reduction=reduction))
        assert torch.allclose(hard, torch.nn.functional.cross_entropy(logits, classes, reduction=reduction))
    assert torch.equal(soft_cross_entropy(logits, classes.int()), soft_cross_entropy(logits, classes))


def test_the_gradient_is_prediction_minus_target():
    logits = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[0.2, 0.3, 0.5]] * 4, dtype=torch.float64)
    soft_cross_entropy(logits, targets, reduction="sum").backward()
    assert torch.allclose(logits.grad, logits.detach().softmax(dim=1) - targets)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_targets_of_any_precision_are_taken(dtype):
    rng = np.random.default_rng(0)
    targets = torch.tensor(rng.dirichlet(np.full(1000, 0.1), size=8)).to(dtype)
    logits = torch.tensor(rng.normal(size=(8, 1000)), dtype=torch.float32)
    assert soft_cross_entropy(logits, targets).dtype == torch.float32


EXPECTED = ("logits of shape (2, 2)", "(2,) whole numbers", "(2, 2) floating")


@pytest.mark.parametrize(
    ("targets", "facts"),
    [
        ([[0.5, 0.5], [1.5, -0.5]], ("target row 1", "[1.5, -0.5]", "0 or more", "1 of 2 rows", "softmax")),
        ([[3.0, 1.0], [0.5, 0.5]], ("target row 0", "sums to 4", "expected 1", "1 of 2 rows", "from_counts")),
        ([[0.0, 0.0], [0.0, 0.0]], ("target row 0", "sums to 0", "expected 1", "2 of 2 rows", "from_mass")),
        ([[0.5, 0.5], [float("nan"), 1.0]], ("target row 1", "[nan, 1]", "0 or more", "1 of 2 rows")),
        ([0, 2], ("target 1", "class 2", "2 classes", "0..1", "1 of 2 targets")),
        ([-100, 0], ("target 0", "class -100", "2 classes", "0..1", "1 of 2 targets")),
        ([0.0, 1.0], ("float32 of shape (2,)", *EXPECTED)),
        ([[0, 1], [1, 0]], ("int64 of shape (2, 2)", *EXPECTED)),
        ([[0.2, 0.3, 0.5]] * 2, ("float32 of shape (2, 3)", *EXPECTED)),
        ([True, False], ("bool of shape (2,)", *EXPECTED)),
    ],
)
def test_invalid_targets_are_refused(targets, facts):
    with refuses(*facts):
        soft_cross_entropy(torch.zeros(2, 2), torch.tensor(targets))


def test_the_check_can_be_left_out_and_logits_need_rows():
    assert torch.isfinite(soft_cross_entropy(torch.zeros(1, 2), torch.tensor([[3.0, 1.0]]), check=False))
    with refuses("logits", "(2,)", "(r, k)"):
        soft_cross_entropy(torch.zeros(2), torch.tensor(1))
