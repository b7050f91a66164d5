"""Pictures to squares: what is kept, what is never distorted, and that squares stay as they are."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.train.squares import FITS, check_fit, make_square, make_square_pixels
from tests.facts import refuses

Image = pytest.importorskip("PIL.Image")

SQUARE = np.random.default_rng(0).integers(0, 256, (20, 20, 3), dtype=np.uint8)


def disc(width, height, radius=18):
    """A black disc in the middle of a grey picture."""
    rows, columns = np.indices((height, width))
    inside = (rows - (height - 1) / 2) ** 2 + (columns - (width - 1) / 2) ** 2 <= radius**2
    return np.where(inside, 0, 128).astype(np.uint8)


def extent(pixels):
    """How high and how wide the black part is."""
    dark = pixels < 64
    return int(dark.any(axis=1).sum()), int(dark.any(axis=0).sum())


@pytest.mark.parametrize("shape", [(80, 40), (40, 80)], ids=["wide", "high"])
def test_a_disc_stays_round_unless_it_is_stretched(shape):
    picture = Image.fromarray(disc(*shape))
    scaled = {fit: np.asarray(make_square(picture, 40, fit)) for fit in FITS}
    assert all(pixels.shape == (40, 40) for pixels in scaled.values())
    assert extent(scaled["crop"]) == (36, 36) and extent(scaled["pad"]) == (18, 18)
    assert sorted(extent(scaled["stretch"])) == [18, 36]
    assert (scaled["pad"] == 255).mean() == pytest.approx(0.5, abs=0.05) and not (scaled["crop"] == 255).any()


@pytest.mark.parametrize("fit", FITS)
def test_squares_come_out_as_pillow_scales_them_whichever_way_is_taken(fit):
    picture = Image.fromarray(SQUARE)
    for size in (7, 20, 33):
        plain = np.asarray(picture.resize((size, size), Image.Resampling.BICUBIC))
        assert np.array_equal(np.asarray(make_square(picture, size, fit)), plain)
    assert (
        np.array_equal(np.asarray(make_square(picture, 20, fit)), SQUARE) and make_square_pixels(SQUARE, fit) is SQUARE
    )


@pytest.mark.parametrize(("height", "width"), [(8, 20), (20, 8), (7, 20), (20, 19)])
def test_pixels_are_cut_or_padded_evenly_and_not_scaled(height, width):
    part = SQUARE[:height, :width]
    cut, whole = make_square_pixels(part), make_square_pixels(part, "pad")
    short, long = min(height, width), max(height, width)
    assert (
        cut.shape == (short, short, 3)
        and whole.shape == (long, long, 3)
        and make_square_pixels(part, "stretch") is part
    )
    over, beside = (long - short) // 2, (long - short) - (long - short) // 2
    rows = slice(over, over + short) if height > width else slice(None)
    columns = slice(over, over + short) if width > height else slice(None)
    assert np.array_equal(cut, part[rows, columns])
    sides = ((over, beside), (0, 0)) if width > height else ((0, 0), (over, beside))
    assert np.array_equal(whole, np.pad(part, (*sides, (0, 0)), constant_values=255))


def test_an_unknown_fit_is_refused_with_the_known_ones():
    with refuses("fit 'squash'", "crop, pad, stretch"):
        check_fit("squash")


def test_shrinking_is_antialiased():
    """A fine chequerboard becomes an even grey; by the nearest pixel it would become black or white."""
    board = (np.indices((64, 64)).sum(axis=0) % 2 * 255).astype(np.uint8)
    small = np.asarray(make_square(Image.fromarray(board), 8)).astype(int)
    assert small.shape == (8, 8) and np.abs(small - 127.5).max() < 3
