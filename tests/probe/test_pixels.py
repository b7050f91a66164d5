"""Pixels from 0 to 1: those that are not are refused with the way out, and models see them as networks do."""

import numpy as np
import pytest
import torch

from dissensus.probe import ATTACKS
from dissensus.probe.pixels import pixel_logits
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)
TARGETS = torch.tensor([0, 1, 2, 0])


def network():
    torch.manual_seed(0)
    return Network(tiny().eval(), CLASSES, MEAN, STD)


def with_pixel(value):
    pixels = torch.full((4, 3, 8, 8), 0.5)
    pixels[2, 1, 3, 3] = value
    return pixels


def test_logits_of_pixels_are_those_of_the_network():
    images, _ = blobs(20)
    model = network()
    pixels = torch.tensor(images.pixels).permute(0, 3, 1, 2) / 255
    with torch.no_grad():
        assert np.allclose(pixel_logits(model, pixels), model.logits(images), atol=1e-5)
        half = pixel_logits(Network(tiny().eval().bfloat16(), CLASSES, MEAN, STD), pixels)
    assert half.dtype == torch.float32


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize(
    ("inputs", "facts"),
    [
        (with_pixel(torch.nan), ("image 2", "pixel of nan", "0 to 1", "1 of 4 images")),
        (with_pixel(torch.inf), ("image 2", "pixel of inf", "0 to 1", "1 of 4 images")),
        (with_pixel(0.5) * 255, ("image 0", "pixel of 127.5", "4 of 4 images", "127.5 to 127.5", "inputs / 255")),
        (
            with_pixel(-2.1),
            ("pixel of -2.1", "-2.1 to 0.5", "normalised", "x * std + mean", "Network(module, classes, mean, std)"),
        ),
        (with_pixel(1.01), ("pixel of 1.01", "0.5 to 1.01", "inputs.clamp(0, 1)")),
        (
            with_pixel(0.5).to(torch.uint8),
            ("uint8 of shape (4, 3, 8, 8)", "0 to 1", "inputs / 255", "attack(network, images, labels)"),
        ),
        (with_pixel(0.5).permute(0, 2, 3, 1), ("(4, 8, 8, 3)", "(b, 3, h, w)", "inputs.permute(0, 3, 1, 2)")),
        (
            with_pixel(0.5)[:, :1],
            ("(4, 1, 8, 8)", "(b, 3, h, w)", "3 channels"),
        ),
        (with_pixel(0.5)[0], ("(3, 8, 8)", "(b, 3, h, w)", "3 channels")),
        (with_pixel(0.5)[:0], ("(0, 3, 8, 8)", "one image")),
        (with_pixel(0.5).numpy(), ("array of shape (4, 3, 8, 8)", "a tensor", "(b, c, h, w)")),
        ("photos", ("'photos'", "a tensor", "(b, c, h, w)")),
    ],
)
def test_what_is_not_pixels_from_0_to_1_is_refused(name, inputs, facts):
    with refuses(*facts):
        ATTACKS[name](network(), inputs, TARGETS)


@pytest.mark.parametrize("name", ATTACKS)
def test_what_undoing_a_normalisation_leaves_is_rounded_away(name):
    inputs = with_pixel(1 + 5e-7)
    moved = ATTACKS[name](network(), inputs, TARGETS, 0)
    assert moved.max() == 1 and (moved - inputs).abs().max() < 1e-6
