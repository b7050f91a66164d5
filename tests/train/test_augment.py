"""Crop, mirror and cutout of whole batches do to each image what they would do to it alone."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import torch

from dissensus.train.augment import Draw, Pictures, channel_statistics, draw_epoch
from dissensus.train.train_config import TrainConfig
from tests.train.pictures import blobs

CPU = torch.device("cpu")
MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)


def pictures(n=12, crop=2):
    pixels = blobs(n)[0].pixels
    return pixels, Pictures(pixels, MEAN, STD, CPU, crop)


def normalised(pixels):
    return ((pixels / 255 - np.array(MEAN)) / np.array(STD)).transpose(0, 3, 1, 2)


def test_statistics_of_many_images_take_no_copy_of_them():
    """NumPy counts bytes as eight bytes each: of 150 MB, 400 MB were made for every channel."""
    pixels = np.random.default_rng(0).integers(0, 256, (4000, 16, 16, 3), dtype=np.uint8)
    tracemalloc.start()
    try:
        mean, std = channel_statistics(pixels)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.allclose(mean, pixels.mean(axis=(0, 1, 2)) / 255) and np.allclose(std, pixels.std(axis=(0, 1, 2)) / 255)
    assert peak < 1.2 * pixels.nbytes  # 2.7 times as much before


@pytest.mark.parametrize("crop", [0, 3])
def test_without_a_draw_images_are_normalised_and_nothing_else(crop):
    pixels, ours = pictures(crop=crop)
    items = torch.tensor([3, 3, 0, 11])
    np.testing.assert_allclose(ours.batch(items).numpy(), normalised(pixels[items.numpy()]), atol=1e-5)


def test_each_image_is_shifted_and_mirrored_as_it_would_be_alone():
    pixels, ours = pictures()
    corner, mirror = torch.tensor([[0, 4], [2, 2], [4, 1]]), torch.tensor([True, False, True])
    draw = Draw(corner.repeat(4, 1), mirror.repeat(4), torch.zeros(12, 2, dtype=torch.int64))
    batch = ours.batch(torch.arange(12), draw).numpy()
    for item in range(12):
        padded = np.pad(pixels[item], ((2, 2), (2, 2), (0, 0)))
        top, left = corner[item % 3].tolist()
        alone = padded[top : top + 8, left : left + 8]
        alone = alone[:, ::-1] if mirror[item % 3] else alone
        np.testing.assert_allclose(batch[item], normalised(alone[None])[0], atol=1e-5)


def test_a_reflecting_border_shows_the_image_again():
    pixels = blobs(12)[0].pixels
    ours = Pictures(pixels, MEAN, STD, CPU, 2, border="reflect")
    draw = Draw(torch.tensor([[0, 4]]).repeat(12, 1), torch.zeros(12).bool(), torch.zeros(12, 2, dtype=torch.int64))
    batch = ours.batch(torch.arange(12), draw).numpy()
    for item in range(12):
        padded = np.pad(pixels[item], ((2, 2), (2, 2), (0, 0)), mode="reflect")
        np.testing.assert_allclose(batch[item], normalised(padded[None, :8, 4:12])[0], atol=1e-5)


def test_alternate_flips_show_each_image_both_ways_in_any_two_epochs():
    config = TrainConfig(alternate_flip=True, crop=2)
    mirrored = np.array([draw_epoch(config, epoch, pictures(200)[1]).mirror.numpy() for epoch in range(6)])
    assert (mirrored[1:] != mirrored[:-1]).all()
    assert 60 < mirrored[0].sum() < 140  # which of the two comes first is drawn
    off = TrainConfig(alternate_flip=True, flip=False, crop=2)
    assert not draw_epoch(off, 1, pictures()[1]).mirror.any()


def test_cutout_lays_a_square_of_mean_colour_and_cuts_it_at_the_edges():
    """DeVries and Taylor (2017), Improved regularization of convolutional neural networks with cutout, sec. 3."""
    pixels, ours = pictures(3, crop=0)
    hole = torch.tensor([[4, 4], [0, 7], [7, 0]])
    batch = ours.batch(torch.arange(3), Draw(torch.zeros(3, 2).long(), torch.zeros(3).bool(), hole), cutout=4).numpy()
    expected = normalised(pixels)
    expected[0, :, 2:6, 2:6] = 0
    expected[1, :, 0:2, 5:8] = 0
    expected[2, :, 5:8, 0:2] = 0
    np.testing.assert_allclose(batch, expected, atol=1e-5)


def test_a_draw_depends_on_seed_and_epoch_and_covers_every_shift_and_half_the_mirrors():
    _, ours = pictures(600, crop=2)
    config = TrainConfig(crop=2, cutout=4)
    first, again, later = (draw_epoch(config, epoch, ours) for epoch in (0, 0, 1))
    assert all(torch.equal(one, two) for one, two in zip(vars(first).values(), vars(again).values(), strict=True))
    assert not torch.equal(first.corner, later.corner)
    assert np.bincount(first.corner.reshape(-1).numpy()).min() > 180  # of 240 for each of five shifts
    assert 240 < int(first.mirror.sum()) < 360
    assert first.hole.min() == 0 and first.hole.max() == 7


def test_what_is_switched_off_is_not_done():
    _, ours = pictures(crop=0)
    assert draw_epoch(TrainConfig(crop=0, flip=False), 0, ours) is None
    assert not draw_epoch(TrainConfig(crop=0, flip=False, cutout=2), 0, ours).mirror.any()


def test_grey_images_have_one_channel():
    pixels = blobs(4)[0].pixels[..., :1]
    batch = Pictures(pixels, (0.5,), (0.5,), CPU, 1).batch(torch.arange(4))
    np.testing.assert_allclose(batch[:, 0].numpy(), (pixels[..., 0] / 255 - 0.5) / 0.5, atol=1e-6)


def test_batches_lie_channels_last_in_memory_without_a_copy():
    _, ours = pictures()
    assert ours.batch(torch.arange(5)).is_contiguous(memory_format=torch.channels_last)


def test_statistics_of_channels_are_those_of_the_pixels():
    pixels = blobs(20)[0].pixels
    mean, std = channel_statistics(pixels)
    np.testing.assert_allclose(mean, (pixels / 255).mean(axis=(0, 1, 2)), rtol=1e-12)
    np.testing.assert_allclose(std, (pixels / 255).std(axis=(0, 1, 2)), rtol=1e-12)


def test_a_channel_without_any_variation_is_left_at_zero():
    pixels = np.full((2, 4, 4, 1), 51, dtype=np.uint8)
    mean, std = channel_statistics(pixels)
    assert mean == (0.2,) and std == (1.0,)
    assert torch.allclose(Pictures(pixels, mean, std, CPU).batch(torch.arange(2)), torch.zeros(1), atol=1e-6)
