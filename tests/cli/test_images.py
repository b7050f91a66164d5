"""The argument IMAGES: a path, or a data set whose images meet its labels by name."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch

from dissensus import datasets
from dissensus.cli.images import load_images
from dissensus.datasets import ambiguous_digits
from dissensus.train import as_images
from dissensus.train.images import fingerprint
from dissensus.train.matching import match_table
from dissensus.train.network import Network
from tests.facts import refuses, states

Image = pytest.importorskip("PIL.Image")


def matched(images, labels):
    said = []
    return (*match_table(images, labels, said.append), said)


def test_a_folder_and_a_parquet_file_are_read_and_what_was_taken_is_said(tmp_path, capsys):
    pixels = np.random.default_rng(0).integers(0, 256, (3, 5, 4, 3), dtype=np.uint8)
    (tmp_path / "birds").mkdir()
    for row in range(3):
        Image.fromarray(pixels[row]).save(tmp_path / "birds" / f"{row}.png")
    blobs = [(tmp_path / "birds" / f"{row}.png").read_bytes() for row in range(3)]
    pq.write_table(pa.table({"nr": list("cab"), "scan": blobs, "mask": blobs}), tmp_path / "birds.parquet")
    folder = load_images(str(tmp_path / "birds"))
    assert folder.items.tolist() == ["0.png", "1.png", "2.png"] and np.array_equal(folder.pixels, pixels)
    assert not capsys.readouterr().err.strip()
    table = load_images(str(tmp_path / "birds.parquet"), item="nr", image="scan", size=4)
    said = capsys.readouterr().err
    assert table.items.tolist() == list("cab") and table.pixels.shape == (3, 4, 4, 3)
    assert states(said, "item = nr", "image = scan", "3 of 3 images", "4 x 4")


def test_digits_meet_their_votes_by_name(capsys):
    images, labels = load_images("digits"), datasets.load("digits").labels
    assert images.pixels.shape == (1797, 8, 8, 3) and images.source == {"data set": "digits"}
    pictures, votes, said = matched(images, labels)
    assert len(pictures) == votes.n_items == 1797 and not said
    assert fingerprint(as_images(ambiguous_digits())) == fingerprint(images)
    small = load_images("digits", size=4)
    assert small.pixels.shape == (1797, 4, 4, 3) and small.named
    assert states(capsys.readouterr().err, "1,797 of 1,797 images", "4 x 4")


def test_cifar10_images_meet_what_people_said_about_them_by_name(loaded, data_folder):
    """The images of the test set, of CIFAR-10H and of CIFAR-10S are the same pictures under the same names."""
    test = load_images("cifar10-test")
    assert test.named and test.items.tolist() == list(range(10_000))
    for name, n in (("cifar10h", 10_000), ("cifar10s", 1_000)):
        labels = loaded(name).labels
        images, people, said = matched(test, labels)
        assert len(images) == people.n_items == n and images.items.tolist() == people.items.tolist()
        assert all("but no labels" in line for line in said)
    own = load_images("cifar10s")
    where = np.argsort(own.items)
    assert np.array_equal(own.pixels[where], test.pixels[np.sort(own.items)]) and own.source == {"data set": "cifar10s"}


def test_images_that_are_not_square_are_fitted_as_the_network_was_trained_unless_said_otherwise(tmp_path):
    """A black picture, three times as wide as high: on a white square two thirds are white."""
    pixels = np.zeros((4, 12, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    card = {"images from": {"path": "elsewhere", "fit": "pad"}}
    network = Network(torch.nn.Flatten(), tuple("abc"), (0.5,) * 3, (0.5,) * 3, card)

    def white(**options):
        return float((load_images(str(tmp_path), size=12, **options).pixels == 255).mean())

    assert white() == 0 and white(fit="pad") == pytest.approx(2 / 3)
    assert white(network=network) == pytest.approx(2 / 3) and white(network=network, fit="crop") == 0
    assert white(network=replace(network, card={"images from": {"path": "elsewhere"}})) == 0


@pytest.mark.parametrize(
    ("name", "options", "facts"),
    [
        ("popquorn", {}, ["'popquorn'", "texts", "images"]),
        ("anesthesia", {}, ["anesthesia:", "neither texts nor images"]),
        ("cifar10-tset", {}, ["cifar10-tset", "'cifar10-test'"]),
        ("birds.parquet", {}, ["birds.parquet:", "no such file", "no data set"]),
        ("digits", {"item": "id", "image": "png"}, ["digits:", "data set", "--item, --image"]),
        ("digits", {"fit": "pad"}, ["--fit pad:", "no size", "--size 32"]),
        ("digits", {"size": 4, "fit": "squash"}, ["fit", "'squash'", "crop, pad, stretch"]),
        ("digits", {"size": -1}, ["size -1:", "4096"]),
        ("-", {}, ["IMAGES -"]),
    ],
)
def test_a_source_without_images_and_wrong_settings_are_refused(name, options, facts, data_folder):
    with refuses(*facts):
        load_images(name, **options)
