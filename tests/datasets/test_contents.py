"""What encoders read of a data set: its texts, its pairs of texts, its images."""

from __future__ import annotations

import io

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from dissensus.datasets.contents import NoContentsError, item_contents
from tests.facts import refuses


def test_texts_and_pairs_are_those_of_the_items(loaded):
    comments, pairs = item_contents("popquorn"), item_contents("chaosnli-snli")
    assert comments.names == loaded("popquorn").labels.items.tolist() and len(comments.texts) == 1500
    assert comments.second is None and comments.pixels is None
    assert len(pairs.names) == len(pairs.texts) == len(pairs.second) == 1514


def test_images_are_those_that_people_saw(loaded, data_folder):
    """CIFAR-10S has 1,000 of the CIFAR-10 test images, named by their position; some are decoded by a second road."""
    people, found = loaded("cifar10s").labels, item_contents("cifar10s")
    assert found.names == people.items.tolist() and found.pixels.shape == (1000, 32, 32, 3) and found.texts is None
    stored = pq.read_table(data_folder / "cifar10" / "images_test.parquet", columns=["webp"])["webp"]
    for row in (0, 1, 500, 999):
        picture = Image.open(io.BytesIO(stored[int(people.items[row])].as_py()))
        assert np.array_equal(found.pixels[row], np.asarray(picture))


def test_data_sets_without_contents_are_refused():
    with refuses("texts", "images", "columns are item", place="anesthesia", error=NoContentsError):
        item_contents("anesthesia")
    with refuses("contains features", "texts or images", place="cifar10-resnet50"):
        item_contents("cifar10-resnet50")
