"""Features of encoders that are not here are taken from files in the data folder, row by row of the right items."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dissensus.datasets import features
from dissensus.labels.shares import as_distributions
from dissensus.papers.singh2025.encoders import encoders_of, features_of, files_of, part_of
from dissensus.papers.singh2025.paper import parts
from dissensus.papers.singh2025.work import cifar10h_hard
from dissensus.papers.text_sets import people_of


@pytest.fixture
def folder(data_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of a user: the public sets, and room for features."""
    for of in ("popquorn", "chaosnli", "cifar10h", "cifar10"):
        (tmp_path / of).symlink_to(data_folder / of)
    (tmp_path / "features").mkdir()
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    return tmp_path


def quiet(done: int, total: int) -> None:
    pass


def test_only_encoders_whose_features_are_there_are_run(folder):
    assert encoders_of("popquorn") == ["minilm"] and encoders_of("cifar10h-hard") == ["resnet50"]
    np.save(folder / "features" / "popquorn_mine.npy", np.zeros((1500, 2), np.float32))
    np.save(folder / "features" / "chaosnli-snli_mine.npy", np.zeros((1514, 2), np.float32))
    np.save(folder / "features" / "cifar10-test_dinov2-small.npy", np.zeros((10_000, 2), np.float32))
    assert encoders_of("popquorn") == ["minilm", "mine"]
    assert encoders_of("chaosnli") == ["minilm"]  # its other half has none
    assert encoders_of("cifar10h-hard") == ["resnet50", "dinov2-small"]
    part = next(part for part in parts("quick") if part.name == "cifar10h-hard-dinov2-small")
    assert list(part.files) == ["features/cifar10-test_dinov2-small.npy"] and part.data == ("cifar10h",)
    assert part_of("popquorn", "minilm") == "popquorn" and files_of("popquorn", "minilm") == {}


def test_rows_without_names_are_in_the_order_of_the_data_set(folder):
    people = people_of("popquorn")
    np.save(folder / "features" / "popquorn_mine.npy", np.arange(1500, dtype=np.float32)[:, None])
    rows = np.array([3, 700, 1499])
    assert features_of("popquorn", "mine", people, rows, folder, quiet)[:, 0].tolist() == [3, 700, 1499]


def test_rows_with_names_are_matched_by_name(folder):
    people = people_of("popquorn")
    order = np.random.default_rng(0).permutation(1500)
    np.save(folder / "features" / "popquorn_mine.npy", order[:, None].astype(np.float32))
    card = folder / "features" / "popquorn_mine.npy.json"
    card.write_text(json.dumps({"items": people.items[order].tolist()}), encoding="utf-8")
    assert features_of("popquorn", "mine", people, np.arange(1500), folder, quiet)[:, 0].tolist() == list(range(1500))
    card.write_text(json.dumps({"items": [f"text {i}" for i in range(1500)]}), encoding="utf-8")
    with pytest.raises(ValueError, match=r"popquorn_mine.npy: .* 1,500 items"):
        features_of("popquorn", "mine", people, np.arange(1500), folder, quiet)


def test_too_few_rows_are_refused_with_the_file_and_both_numbers(folder):
    np.save(folder / "features" / "popquorn_mine.npy", np.zeros((7, 2), np.float32))
    with pytest.raises(ValueError, match=r"popquorn_mine.npy: 7 rows.* 1,500 items"):
        features_of("popquorn", "mine", people_of("popquorn"), np.arange(3), folder, quiet)


def test_halves_of_chaosnli_and_chosen_images_of_cifar_get_their_own_rows(folder):
    for half, size, start in (("snli", 1514, 0), ("mnli", 1599, 1514)):
        at = folder / "features" / f"chaosnli-{half}_mine.npy"
        np.save(at, np.arange(start, start + size, dtype=np.float32)[:, None])
    people = people_of("chaosnli")
    assert features_of("chaosnli", "mine", people, np.arange(3113), folder, quiet)[:, 0].tolist() == list(range(3113))
    np.save(folder / "features" / "cifar10-test_mine.npy", np.arange(10_000, dtype=np.float32)[:, None])
    images = cifar10h_hard()
    assert images.probs.shape == (1104, 10)
    ours = features_of("cifar10h-hard", "mine", images, np.arange(1104), folder, quiet)
    assert ours[:, 0].tolist() == images.items.tolist()


def test_ready_features_are_those_of_the_chosen_images(loaded, tmp_path):
    people = as_distributions(loaded("cifar10h").labels)
    images = cifar10h_hard()
    ours = features_of("cifar10h-hard", "resnet50", images, np.array([5, 8]), tmp_path, quiet)
    at = images.items[[5, 8]]
    assert np.array_equal(ours, features("cifar10-resnet50").values[at].astype(np.float32))
    assert np.array_equal(images.probs[[5, 8]], people.probs[at])
