"""Items on a page: pictures that another library reads back, texts that are cut and escaped."""

from __future__ import annotations

import base64
import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from dissensus.report.html_tables import LONG_TEXT, html_text
from dissensus.report.items import SIDE, ItemViews, picture, png, shrink

rng = np.random.default_rng(0)


def pixels_of(markup: str) -> np.ndarray:
    data = re.search(r'src="data:image/png;base64,([^"]+)"', markup)[1]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data))))


@pytest.mark.parametrize("shape", [(8, 8), (32, 32), (1, 1), (5, 9), (120, 160)])
def test_a_picture_is_a_png_that_others_read_back(shape):
    pixels = rng.integers(0, 256, (*shape, 3), dtype=np.uint8)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png(pixels)))), pixels)
    assert np.array_equal(pixels_of(picture(pixels, "a digit")), pixels)


def test_small_pictures_are_shown_in_whole_multiples_of_their_pixels():
    for side, shown in ((8, 72), (32, 96), (64, 128), (100, 100)):
        node = ElementTree.fromstring(picture(np.zeros((side, side, 3), dtype=np.uint8), 'item "7" <b>'))
        assert node.get("width") == node.get("height") == str(shown) and shown >= SIDE
        assert node.get("alt") == 'item "7" <b>' and node.get("class") == "item"


def test_large_pictures_become_means_of_blocks():
    pixels = rng.integers(0, 256, (450, 301, 3), dtype=np.uint8)
    small = shrink(pixels)
    assert small.shape == (150, 101, 3)
    assert np.array_equal(small[3, 4], pixels[9:12, 12:15].mean(axis=(0, 1)).round().astype(np.uint8))
    assert np.array_equal(small[-1, -1], pixels[447:450, 300:301].mean(axis=(0, 1)).round().astype(np.uint8))


def test_a_long_text_is_cut_and_opens_to_the_whole():
    text = "word & <b>" * 60
    cut = ElementTree.fromstring(html_text(text))
    assert cut.tag == "details" and len(cut[0].text) <= LONG_TEXT + 2 and cut[0].text.endswith("…")
    assert cut[0].tail == text
    short = ElementTree.fromstring(html_text("<script>alert(1)</script>"))
    assert short.tag == "span" and short.text == "<script>alert(1)</script>" and short.get("dir") == "auto"


def test_items_are_found_by_name_and_unknown_ones_stay_empty():
    views = ItemViews(np.array(["7", "b"], dtype=object), lambda place: [("one", "two"), "only"][place])
    assert views.view(7) == ("one", "two") and views.view("b") == "only" and views.view("c") is None
    assert views.knows(np.array([7, 8])) == 1
