"""Each compiled part of a head against NumPy, PyTorch or SciPy."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import torch
from scipy.special import ndtr

from dissensus.train.heads.config import HeadConfig, Layer, draw_kept_units, dropout_key, dropout_threshold
from dissensus.train.heads.kernels import (
    CELL,
    PANEL,
    activate,
    exponential,
    gather,
    multiply,
    normal_below,
    score,
    softmax,
    sweep,
)
from dissensus.train.heads.numba_engine import align, pack, pad, unpack
from dissensus.train.heads.vectors import load, spread, store, total

F = np.float32


@numba.njit
def _exponentials(x, out):
    for at in range(0, x.size, 8):
        store(out, at, exponential(load(x, at)))


@numba.njit
def _normals(z, out):
    half = spread(F(-0.5))
    for at in range(0, z.size, 8):
        eight = load(z, at)
        store(out, at, normal_below(eight, exponential(half * eight * eight)))


@numba.njit
def _totals(x, out):
    for at in range(0, x.size, 8):
        out[at // 8] = total(load(x, at))


def test_eight_at_a_time_add_up():
    x = np.random.default_rng(0).normal(size=80).astype(F)
    out = np.empty(10, F)
    _totals(x, out)
    assert np.allclose(out, x.reshape(10, 8).sum(axis=1), atol=1e-6)


def test_exponential_of_what_is_0_or_less():
    x = -np.concatenate([np.linspace(0, 20, 4000), np.linspace(20, 87, 792), [0, 88, 200, 1e4, 1e30, 1e-30, 1e-8, 0.5]])
    x = x.astype(F)
    out = np.empty_like(x)
    _exponentials(x, out)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(out - exact).max() < 2e-7 and out[4792] == 1.0
    near = x > -20
    assert (np.abs(out - exact)[near] / exact[near]).max() < 3e-6


def test_the_normal_distribution_function_is_within_float_tolerance():
    z = np.concatenate([np.linspace(-9, 9, 8000), [0, -0.0, 50, -50, 1e4, -1e4, 1e-20, -1e-20]]).astype(F)
    out = np.empty_like(z)
    _normals(z, out)
    assert np.abs(out - ndtr(z.astype(np.float64))).max() < 2e-7


@pytest.mark.parametrize("dropout", [0.0, 0.25, 0.9])
def test_activation_is_gelu_and_dropout_with_its_slope(dropout):
    rng = np.random.default_rng(1)
    config = HeadConfig(hidden=21, dropout=dropout, seed=4)
    count, width, out_width = 6, 32, 32
    items = rng.permutation(50)
    inner = np.zeros((count, width), F)
    inner[:, :21] = rng.normal(size=(count, 21)) * 3
    out, slope = np.zeros(count * out_width, F), np.zeros(count * width, F)
    key, threshold = np.uint32(dropout_key(4, 2)), np.uint32(dropout_threshold(dropout))
    keep = F(1 / (1 - dropout))
    activate(inner.reshape(-1), 21, width, out, out_width, slope, count, key, items, 10, threshold, keep)
    z = torch.tensor(inner[:, :21], requires_grad=True)
    mask = torch.tensor(draw_kept_units(config, 2, items[10:16]).astype(F))
    wanted = torch.nn.functional.gelu(z) * mask / (1 - dropout)
    wanted.sum().backward()
    assert np.allclose(out.reshape(count, -1)[:, :21], wanted.detach().numpy(), rtol=1e-5, atol=2e-6)
    assert np.allclose(slope.reshape(count, -1)[:, :21], z.grad.numpy(), rtol=1e-5, atol=5e-6)
    assert (out.reshape(count, -1)[:, 21] == 1).all() and (slope.reshape(count, -1)[:, 21:] == 0).all()


def test_dropout_leaves_out_its_share_independently_of_epoch_item_and_unit():
    config = HeadConfig(hidden=256, dropout=0.3)
    kept = np.stack([draw_kept_units(config, epoch, np.arange(500)) for epoch in range(4)]).astype(
        float
    )  # (4, 500, 256)
    assert abs(kept.mean() - 0.7) < 4 * np.sqrt(0.21 / kept.size)
    for axes in ((0, 1), (0, 2), (1, 2)):
        means = kept.mean(axis=axes)
        spread_expected = np.sqrt(0.21 / (kept.size / means.size))
        assert means.std() < 1.5 * spread_expected
    for other in (np.roll(kept, 1, axis=0), np.roll(kept, 1, axis=1), np.roll(kept, 1, axis=2)):
        assert abs(np.corrcoef(kept.reshape(-1), other.reshape(-1))[0, 1]) < 4 / np.sqrt(kept.size)


@pytest.mark.parametrize(("outputs", "inputs"), [(3, 5), (16, 16), (20, 31), (1, 1)])
@pytest.mark.parametrize("transposed", [True, False])
def test_layers_come_back_from_panels_as_they_were(outputs, inputs, transposed):
    rng = np.random.default_rng(2)
    layer = Layer(rng.normal(size=(outputs, inputs)).astype(F), rng.normal(size=outputs).astype(F))
    width = -(-(inputs + 1) // 4) * 4 if transposed else -(-(inputs + 1) // PANEL) * PANEL
    flat = pack(layer, transposed=transposed, width=width)
    assert flat.ctypes.data % 64 == 0
    back = unpack(flat, outputs, inputs, transposed=transposed)
    flat[:] = 0  # what was taken out is a copy: training goes on in the panels
    assert np.array_equal(back.weight, layer.weight) and np.array_equal(back.bias, layer.bias)


def test_a_sweep_is_the_gradient_and_a_step_of_adam():
    """Three steps against torch.optim.Adam, with weight decay."""
    rng = np.random.default_rng(3)
    rows, count = 12, 5
    flat = align(rows * CELL)
    panel = flat.reshape(rows, 3, PANEL)
    panel[:, 0] = rng.normal(size=(rows, PANEL))
    parameter = torch.nn.Parameter(torch.tensor(panel[:, 0].copy()))
    adam = torch.optim.Adam([parameter], lr=1e-2, weight_decay=0.1)
    for step in range(1, 4):
        left = rng.normal(size=(count, rows)).astype(F)
        right = rng.normal(size=(count, 2 * PANEL)).astype(F)
        rate, scale = F(1e-2 / (1 - 0.9**step)), F(1 / np.sqrt(1 - 0.999**step))
        sweep(flat, 0, rows, left.reshape(-1), rows, right.reshape(-1), 2 * PANEL, PANEL, count, F(0.1), rate, scale)
        parameter.grad = torch.tensor(left.T @ right[:, PANEL:])
        adam.step()
        assert np.allclose(panel[:, 0], parameter.detach().numpy(), atol=2e-6)


def test_products_with_a_layer_are_those_of_numpy():
    rng = np.random.default_rng(4)
    layer = Layer(rng.normal(size=(20, 10)).astype(F), rng.normal(size=20).astype(F))
    count = 7
    x = np.zeros((8, 10), F)
    x[:count] = rng.normal(size=(count, 10))
    left = pad(x, 12)
    flat = pack(layer, transposed=True, width=12)
    out = np.zeros(8 * 32, F)
    for panel in range(2):
        multiply(flat, panel * 12 * CELL, 12, left, 12, out, 32, panel * PANEL, 8)
    assert np.allclose(out.reshape(8, 32)[:, :20], x @ layer.weight.T + layer.bias, atol=1e-5)
    last = Layer(rng.normal(size=(5, 10)).astype(F), rng.normal(size=5).astype(F))
    logits = np.zeros(8 * 8, F)
    score(pack(last, transposed=False, width=16), 8, pad(x, 16), 16, logits, 8, count)
    wanted = x[:count] @ last.weight.T + last.bias
    assert np.allclose(logits.reshape(8, 8)[:count, :5], wanted, atol=1e-5)
    softmax(logits, 5, 8, count)
    assert np.allclose(logits.reshape(8, 8)[:count, :5], torch.softmax(torch.tensor(wanted), 1).numpy(), atol=1e-6)
    assert (logits.reshape(8, 8)[:count, 5:] == 0).all()


@pytest.mark.parametrize("width", [4, 8, 12, 20])
def test_a_batch_is_gathered_with_zeros_up_to_a_multiple_of_four(width):
    rows = np.random.default_rng(5).normal(size=(9, width)).astype(F)
    order = np.random.default_rng(6).permutation(9)
    out = np.full(8 * width, 7, F)
    gather(rows.reshape(-1), width, order, 3, 5, out)
    assert np.array_equal(out.reshape(8, width)[:5], rows[order[3:8]]) and (out.reshape(8, width)[5:] == 0).all()
