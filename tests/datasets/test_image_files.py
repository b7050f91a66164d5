"""CIFAR images from their official pickles and from lossless WebP: the same pixels."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from PIL import Image

from dissensus.datasets import cifar10, cifar10_again, images, ood
from dissensus.datasets.image_files import Images, read_batch
from tests.facts import refuses, states

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 32, 32, 3), dtype=np.uint8)
LABELS = [3, 8, 8, 0, 6, 1]


def flat(pixels: np.ndarray) -> np.ndarray:
    """Rows of the official layout, written plane by plane."""
    return np.stack([np.concatenate([picture[:, :, colour].ravel() for colour in range(3)]) for picture in pixels])


def webp(picture: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(picture).save(out, "WEBP", lossless=True)
    return out.getvalue()


def test_pickles_and_webp_give_the_same_pixels(tmp_path, python_2_pickle):
    names = [f"{number}.png" for number in range(6)]
    content = {"batch_label": "testing", "labels": LABELS, "data": flat(PIXELS), "filenames": names}
    (tmp_path / "test_batch").write_bytes(python_2_pickle(content))
    table = pa.table({"index": range(6), "label": LABELS, "webp": [webp(picture) for picture in PIXELS]})
    pq.write_table(table, tmp_path / "images_test.parquet")
    official = cifar10.read_images(tmp_path / "test_batch")
    compact = cifar10.read_images(tmp_path / "images_test.parquet", quiet=True)
    for decoded in (official, compact):
        assert np.array_equal(decoded.pixels, PIXELS) and decoded.labels.tolist() == LABELS
        assert decoded.items["index"].to_pylist() == list(range(6)) and decoded.classes[3] == "cat"
    assert official.items["filename"].to_pylist() == names
    for path in (tmp_path / "test_batch", tmp_path / "images_test.parquet"):
        assert cifar10.official_labels(path).tolist() == LABELS


def test_train_batches_are_joined_in_order(tmp_path, python_2_pickle):
    paths = []
    for number in range(3):
        part = slice(2 * number, 2 * number + 2)
        content = {"labels": LABELS[part], "data": flat(PIXELS[part]), "filenames": ["a", "b"]}
        paths.append(tmp_path / f"data_batch_{number + 1}")
        paths[-1].write_bytes(python_2_pickle(content))
    decoded = cifar10.read_images(*paths)
    assert np.array_equal(decoded.pixels, PIXELS) and decoded.labels.tolist() == LABELS


@pytest.mark.parametrize("version", ["v4", "v6"])
def test_cifar101_as_released(tmp_path, version, monkeypatch):
    """GitHub modestyachts/CIFAR-10.1: arrays of images and of class codes."""
    np.save(tmp_path / f"cifar10.1_{version}_data.npy", PIXELS)
    np.save(tmp_path / f"cifar10.1_{version}_labels.npy", np.array(LABELS, dtype=np.int64))
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    decoded = images("cifar10.1", version)
    assert np.array_equal(decoded.pixels, PIXELS) and decoded.labels.tolist() == LABELS and decoded.classes[8] == "ship"
    np.save(tmp_path / f"cifar10.1_{version}_labels.npy", np.array([*LABELS[:-1], 10]))
    file = tmp_path / f"cifar10.1_{version}_labels.npy"
    with refuses(f"({file}:", "shape (6,)", "class code", "0 to 9", place=f"data set 'cifar10.1-{version}'"):
        images("cifar10.1", version)


def cinic10(path, names, mode="RGB"):
    with tarfile.open(path, "w:gz") as archive:
        for name, picture in zip(names, PIXELS, strict=False):
            out = io.BytesIO()
            Image.fromarray(picture).convert(mode).save(out, "PNG")
            member = tarfile.TarInfo(name)
            member.size = len(out.getvalue())
            archive.addfile(member, io.BytesIO(out.getvalue()))


def test_of_cinic10_the_images_of_imagenet_are_read_from_its_archive(tmp_path):
    path = tmp_path / "CINIC-10.tar.gz"
    cinic10(path, ["./train/ship/n02687172_1.png", "./train/ship/cifar10-train-7.png", "./test/dog/n02085620_2.png"])
    decoded = cifar10_again.read_cinic10(path, expected=2)
    assert np.array_equal(decoded.pixels, PIXELS[[0, 2]])
    assert [decoded.classes[code] for code in decoded.labels] == ["ship", "dog"]
    assert decoded.items.to_pylist() == [
        {"filename": "n02687172_1.png", "split": "train"},
        {"filename": "n02085620_2.png", "split": "test"},
    ]
    second = "./test/dog/n02085620_2.png"
    for expected, facts in ((3, ["2 images", "expected 3"]), (1, ["more than 1", second])):
        with refuses(path, *facts):
            cifar10_again.read_cinic10(path, expected=expected)
    cinic10(path, ["train/ship/n1_1.png"], mode="L")
    assert cifar10_again.read_cinic10(path, expected=1).pixels.shape == (1, 32, 32, 3)
    cinic10(path, ["train/submarine/n1_1.png"])
    with refuses(path, "class 'submarine'", "train/submarine/n1_1.png"):
        cifar10_again.read_cinic10(path, expected=1)


def test_official_cifar100(tmp_path, python_2_pickle):
    content = {
        "filenames": ["a"] * 6,
        "fine_labels": [1, 0, 1, 2, 2, 0],
        "coarse_labels": [0] * 6,
        "data": flat(PIXELS),
    }
    (tmp_path / "test").write_bytes(python_2_pickle(content))
    (tmp_path / "meta").write_bytes(python_2_pickle({"fine_label_names": ["apple", "baby", "bear"]}))
    decoded = ood.read_cifar100(tmp_path / "test", tmp_path / "meta")
    assert decoded.classes == ("apple", "baby", "bear") and decoded.labels.tolist() == [1, 0, 1, 2, 2, 0]
    assert np.array_equal(decoded.pixels, PIXELS)


def test_a_batch_of_another_shape_is_refused(tmp_path, python_2_pickle):
    (tmp_path / "batch").write_bytes(python_2_pickle({"data": np.zeros((2, 7), dtype=np.uint8)}))
    with refuses(tmp_path / "batch", "'data' of shape", "(2, 7)", "(n, 3072)"):
        read_batch(tmp_path / "batch")
    (tmp_path / "batch").write_bytes(python_2_pickle({"labels": [1]}))
    with refuses(tmp_path / "batch", ["labels"], "entry 'data'", "(n, 3072)"):
        read_batch(tmp_path / "batch")


def test_a_picture_of_another_size_is_refused(tmp_path):
    path = tmp_path / "images.parquet"
    pq.write_table(pa.table({"index": [0], "label": [1], "webp": [webp(PIXELS[0, :16])]}), path)
    with refuses(path, "image 0", "shape (16, 32, 3)", "expected (32, 32, 3)"):
        cifar10.read_images(path)
    with refuses("(6, 32, 32, 3)", "5 labels", "6 rows", "expected uint8 (5, 32, 32, 3)"):
        Images(PIXELS, np.zeros(5), ("a",), pa.table({"index": range(6)}))


def test_without_pillow_the_error_names_the_extra(tmp_path):
    path = tmp_path / "images.parquet"
    pq.write_table(pa.table({"index": [0], "label": [1], "webp": [webp(PIXELS[0])]}), path)
    code = (
        "import sys; sys.modules['PIL'] = None  # what Python does for a module that is not there\n"
        "from pathlib import Path; from dissensus.datasets import cifar10; cifar10.read_images(Path(sys.argv[1]))"
    )
    done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert states(done.stderr.splitlines()[-1], "PIL", "not installed", "pip install", "constraints.txt '.[images]'")


def test_the_compact_test_set_is_the_official_one_written_as_a_pickle(data_folder, tmp_path, python_2_pickle):
    """Channel means 0.4942, 0.4851, 0.4504 and deviations 0.2467, 0.2429, 0.2616 are widely published."""
    decoded = images("cifar10", "test", quiet=True)
    level = np.arange(256) / 255
    channels = decoded.pixels.reshape(-1, 3).T  # by their histograms: as numbers they would take 240 MB
    share = np.stack([np.bincount(channel, minlength=256) for channel in channels]) / channels.shape[1]
    mean = share @ level  # (3,)
    assert np.allclose(mean, (0.4942, 0.4851, 0.4504), atol=5e-5)
    assert np.allclose(np.sqrt(share @ level**2 - mean**2), (0.2467, 0.2429, 0.2616), atol=5e-5)
    assert decoded.labels[:10].tolist() == [3, 8, 8, 0, 6, 6, 1, 6, 3, 1]  # the first ten of the official test batch
    rows = decoded.pixels.transpose(0, 3, 1, 2).reshape(10_000, 3_072)
    content = {"labels": decoded.labels.tolist(), "data": rows, "filenames": [""] * 10_000}
    (tmp_path / "test_batch").write_bytes(python_2_pickle(content))
    assert np.array_equal(cifar10.read_images(tmp_path / "test_batch").pixels, decoded.pixels)
