"""Images as one array of bytes: what is taken, what is refused and how to put it right."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from dissensus.train import ImageTable, as_images
from dissensus.train.heads.encodable_items import pixel_items
from dissensus.train.images import fingerprint
from tests.facts import refuses, states

RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 256, (5, 4, 6, 3), dtype=np.uint8)


def test_arrays_tensors_lists_and_grey_images_become_one_table():
    torch = pytest.importorskip("torch")
    for images in (COLOUR, torch.tensor(COLOUR), list(COLOUR), [torch.tensor(image) for image in COLOUR]):
        table = as_images(images)
        assert np.array_equal(table.pixels, COLOUR) and table.pixels.dtype == np.uint8
        assert len(table) == 5 and not table.named and table.items.tolist() == [0, 1, 2, 3, 4]
    assert as_images(table) is table
    assert as_images(COLOUR[..., 0]).pixels.shape == (5, 4, 6, 1) == as_images(COLOUR[..., :1]).pixels.shape
    assert states(repr(table), "ImageTable", "pixels=5 x 4 x 6 x 3", "items=5", "source=None")


def test_a_table_does_not_change_when_the_array_it_was_made_of_does():
    mine = COLOUR.copy()
    table = as_images(mine)
    mine[:] = 0
    assert np.array_equal(table.pixels, COLOUR)
    turned = ImageTable(COLOUR.transpose(0, 2, 1, 3)).pixels
    assert turned.flags.c_contiguous and np.array_equal(turned, COLOUR.transpose(0, 2, 1, 3))
    with pytest.raises(ValueError, match="read-only"):
        table.pixels[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        table.select([0, 1]).pixels[0] = 0


def test_what_has_pixels_keeps_the_names_beside_them():
    """Names stand in an array, or in an Arrow table as data sets have it; without either the rows are numbered."""
    for items in (["a", "b", "c", "d", "e"], pa.table({"fold": [0] * 5, "item": list("abcde")})):
        table = as_images(SimpleNamespace(pixels=COLOUR, items=items))
        assert table.named and table.items.tolist() == list("abcde")
    assert as_images(SimpleNamespace(pixels=COLOUR, items=pa.table({"index": range(5, 10)}))).items.tolist()[0] == 5
    assert not as_images(SimpleNamespace(pixels=COLOUR)).named
    assert not as_images(SimpleNamespace(pixels=COLOUR, items=pa.table({"fold": [0] * 5}))).named


def test_selected_images_keep_their_names_and_rows():
    table = ImageTable(COLOUR, list("abcde"), {"data set": "letters"})
    part = table.select([3, 1])
    assert part.items.tolist() == ["d", "b"] and part.source == table.source
    assert np.array_equal(part.pixels, COLOUR[[3, 1]])
    rows = as_images(COLOUR).select(np.array([False, True, False, False, True]))
    assert rows.items.tolist() == [1, 4] and not rows.named


def test_a_fingerprint_tells_pixels_shapes_and_names_apart_and_nothing_else():
    table = ImageTable(COLOUR, list("abcde"))
    changed = COLOUR.copy()
    changed[4, 3, 5, 2] ^= 1
    others = [
        ImageTable(changed, list("abcde")),
        ImageTable(COLOUR, list("abcdf")),
        as_images(COLOUR),
        ImageTable(COLOUR, range(5)),
        ImageTable(COLOUR.reshape(5, 6, 4, 3), list("abcde")),
        table.select([1, 0]),
    ]
    assert len({fingerprint(other) for other in (table, *others)}) == 7
    assert fingerprint(table) == fingerprint(ImageTable(COLOUR.copy(), np.array(list("abcde")), {"path": "elsewhere"}))
    assert fingerprint(table) == fingerprint(ImageTable(np.asfortranarray(COLOUR), list("abcde")))
    assert fingerprint(table) == pixel_items(list("abcde"), COLOUR).fingerprint  # `embed` knows the same images again


CHANNELS_LAST = ("(n, h, w, c)", "pixels.transpose(0, 2, 3, 1)", "pixels.permute(0, 2, 3, 1)")


@pytest.mark.parametrize(
    ("images", "facts"),
    [
        (COLOUR / 255, ("float64", "uint8", "0 to 1", '(x * 255).round().astype("uint8")')),
        (COLOUR.astype("float32"), ("float32", "uint8", "0 to 255", "bytes", 'x.round().astype("uint8")')),
        (COLOUR.astype("int64"), ("int64", "uint8", "bytes", 'x.round().astype("uint8")')),
        (COLOUR.astype("uint16") * 257, ("uint16", "0 to 65535", '(x / x.max() * 255).round().astype("uint8")')),
        (COLOUR / 128 - 1, ("-1 to 0.992188", "normalised", "x * std + mean")),
        (np.full((2, 4, 4, 3), np.nan), ("float64", "uint8", "nan to nan")),
        (COLOUR > 128, ("bool", "uint8", 'x.astype("uint8") * 255')),
        (np.full((2, 4, 4, 3), "x"), ("<U1", "uint8", "numbers")),
        (COLOUR.transpose(0, 3, 1, 2), ("(5, 3, 4, 6)", "channels first", *CHANNELS_LAST)),
        (COLOUR.transpose(0, 3, 1, 2)[:, :1], ("(5, 1, 4, 6)", "channels first", *CHANNELS_LAST)),
        (COLOUR[..., [0, 1, 2, 2]], ("(5, 4, 6, 4)", "4 channels", "3 (colour)", "1 (grey)", "pixels[..., :3]")),
        (COLOUR[..., :2], ("(5, 4, 6, 2)", "2 channels", "3 (colour)", "1 (grey)", "pixels[..., :1]")),
        (COLOUR.reshape(5, 4, 2, 9), ("(5, 4, 2, 9)", "9 channels", "3 (colour)", "1 (grey)")),
        (COLOUR[0], ("(4, 6, 3)", "one image", "3 channels", "pixels[None]")),
        (
            COLOUR[0].transpose(2, 0, 1),
            ("(3, 4, 6)", "grey", "colour", "pixels[..., None]", "pixels.transpose(1, 2, 0)[None]"),
        ),
        (COLOUR[0, 0], ("as_images", "(n, h, w, c)", "array of shape (6, 3)")),
        (None, ("as_images", "(n, h, w, c)", "None")),
        ({"a": 1}, ("as_images", "(n, h, w, c)", "a dict")),
        (COLOUR[:0], ("(0, 4, 6, 3)", "no images")),
        ([], ("no images given", "one or more")),
        (
            [COLOUR[0], COLOUR[1], COLOUR[2, :2], COLOUR[3, :3]],
            ("0 and 2", "(4, 6, 3) and (2, 6, 3)", "2 of 4", "read_images(path, size=...)"),
        ),
        ("birds", ("'birds'", "read_images")),
    ],
)
def test_invalid_pixels_are_refused_with_the_way_out(images, facts):
    with refuses(*facts):
        as_images(images)


def test_pillow_images_in_a_list_are_refused_because_a_palette_would_become_its_indices():
    image = pytest.importorskip("PIL.Image")
    with refuses("number 1", "mode P", '[np.asarray(image.convert("RGB")) for image in images]', "read_images"):
        as_images([COLOUR[0], image.new("P", (6, 4))])


@pytest.mark.parametrize(
    ("items", "source", "facts"),
    [
        (list("abc"), None, ("5 images", "3 names")),
        (list("abcda"), None, ("two images", "'a'")),
        (None, {"path": SimpleNamespace()}, ("{'path': namespace()}", "card", "SimpleNamespace")),
    ],
)
def test_names_and_sources_are_checked_when_a_table_is_made(items, source, facts):
    with refuses(*facts):
        ImageTable(COLOUR, items, source)
    with refuses("the shape (6, 3)", "(n, h, w, c)"):
        ImageTable(COLOUR[0, 0])
    with refuses("a list", "as_images(...)"):
        ImageTable([1, 2])
    with refuses("none of the 5"):
        as_images(COLOUR).select([])


def test_images_need_no_torch():
    code = "import sys; from dissensus.train import as_images; print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"
