"""The network for training in minutes: its first layer whitens patches, its convolutions start as the identity."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from torch.nn import functional

from dissensus.train import NETWORKS, TrainConfig, load_network, save_network, train_module
from dissensus.train.networks.catalogue import make_network
from tests.facts import refuses
from tests.train.networks.tiny import images, tiny

CONFIG = TrainConfig(epochs=1, batch=16, crop=0, device="cpu")


def correlated(n=200, side=12):
    """Images whose channels and neighbours are alike, as those of photographs are."""
    smooth = functional.avg_pool2d(images(n, 3, side + 2, side + 2), 3, stride=1)
    return smooth + smooth[:, :1]


def patches_of(x):
    """Every patch of 2 x 2 pixels, cut out in a loop.  (n, c, h, w) -> (patches, 4c)"""
    n, _, h, w = x.shape
    return np.array(
        [x[i, :, r : r + 2, s : s + 2].ravel() for i in range(n) for r in range(h - 1) for s in range(w - 1)]
    )


def test_the_first_layer_whitens_patches_of_the_images_it_was_prepared_with():
    network, x = tiny("swift"), correlated()
    network.prepare(x)
    filters = network.whitening.reshape(24, 12).double().numpy()
    white = patches_of(x.double().numpy()) @ filters[:12].T
    np.testing.assert_allclose(np.cov(white.T), np.eye(12), atol=0.1)  # the added variance shrinks the smallest
    assert np.array_equal(filters[12:], -filters[:12])


def test_filters_are_those_of_numpy():
    network, x = tiny("swift"), correlated()
    network.prepare(x)
    patches = patches_of(x.double().numpy())
    variances, directions = np.linalg.eigh(np.cov(patches.T, bias=True))
    expected = directions.T / np.sqrt(variances + 5e-4)[:, None]
    ours = network.whitening[:12].reshape(12, 12).double().numpy()
    signs = np.sign((expected * ours).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(ours, signs * expected, rtol=1e-4, atol=1e-4)
    assert (ours[np.arange(12), np.abs(ours).argmax(axis=1)] > 0).all()


def test_convolutions_start_as_the_identity_for_the_channels_they_have():
    network, x = tiny("swift", width=24, depth=1), images(2, 24, 6, 6)
    assert torch.equal(network.blocks[0].first(x), x)
    wider = tiny("swift", width=32, depth=1).blocks[0].first(x)
    assert torch.equal(wider[:, :24], x) and not torch.equal(wider[:, 24:32], x[:, :8])


def test_training_prepares_by_training_images_and_the_file_keeps_it(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (40, 16, 16, 3), dtype=np.uint8)
    labels = np.arange(40) % 3
    held = (np.zeros((6, 16, 16, 3), dtype=np.uint8), np.arange(6) % 3)
    make = partial(make_network, "swift", 3, width=4, depth=2)
    trained = train_module(make, pixels, labels, CONFIG, validation=held, quiet=True).last
    alone = train_module(make, pixels, labels, CONFIG, quiet=True).last
    assert torch.equal(trained.module.whitening, alone.module.whitening)  # held-out images have no part in it
    x = (torch.from_numpy(pixels).permute(0, 3, 1, 2) / 255 - torch.tensor(trained.mean)[:, None, None]) / torch.tensor(
        trained.std
    )[:, None, None]
    again = tiny("swift", depth=2)
    again.prepare(x.float())
    assert torch.allclose(trained.module.whitening, again.whitening, atol=1e-4)
    save_network(trained, tmp_path / "net.safetensors")
    loaded = load_network(tmp_path / "net.safetensors")
    assert np.array_equal(loaded.probs(pixels), trained.probs(pixels))


def test_a_network_to_start_from_keeps_its_first_layer():
    rng = np.random.default_rng(0)
    pixels, others = (rng.integers(0, high, (40, 16, 16, 3), dtype=np.uint8) for high in (256, 30))
    start = train_module(partial(make_network, "swift", 3, width=4, depth=2), pixels, np.arange(40) % 3, CONFIG).last
    tuned = train_module(start, others, np.arange(40) % 3, CONFIG, quiet=True).last
    assert torch.equal(tuned.module.whitening, start.module.whitening)


@pytest.mark.parametrize("side", [2, 3, 8, 9])
def test_small_images_are_halved_down_to_one_pixel(side):
    assert NETWORKS["swift"](3, width=4)(images(2, 3, side, side + 1)).shape == (2, 3)


def test_images_of_one_pixel_are_refused_before_training():
    with refuses("1 x 1"):
        train_module(partial(make_network, "swift", 2), np.zeros((4, 1, 1, 3), np.uint8), [0, 1, 0, 1], CONFIG)
