"""Networks that are pretrained once: stored under all that determines them, and found by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.folder import store_folders
from dissensus.datasets.image_files import Images
from dissensus.labels.content_hash import hash_file
from dissensus.papers.peterson2019.material import Material
from dissensus.papers.peterson2019.tuned import _pretrain, pretraining_of
from dissensus.train import load_network, pretraining
from dissensus.train.heads.encoders import ENCODERS
from dissensus.train.network_fitting import read_start
from dissensus.train.pretraining import load_weights, pretrain, store_pretrained
from dissensus.train.train_config import TrainConfig
from tests.cli import commands
from tests.facts import refuses, states
from tests.train.pictures import have_same_weights

TINY = {"width": 4, "epochs": 2, "quiet": True}


def some_images(n: int, seed: int = 0) -> Images:
    """Noise with classes."""
    rng = np.random.default_rng(seed)
    pixels = rng.integers(0, 256, (n, 32, 32, 3), dtype=np.uint8)
    return Images(pixels, rng.integers(0, 10, n), CLASSES, pa.table({"row": range(n)}))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder and a cache, and a few images in place of CIFAR-10."""
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(pretraining, "load_images", lambda family, split, quiet: some_images(40, len(split)))
    monkeypatch.setattr(pretraining, "is_present", lambda dataset: True)
    return tmp_path


def test_a_network_is_trained_once_and_found_by_its_name(folders, monkeypatch):
    said: list[str] = []
    path = pretrain("cifar10-train", **TINY, say=said.append)
    assert path.parent == folders / "data" / "networks" and path.stem.startswith("cifar10-swift4-")
    monkeypatch.setattr(pretraining, "train_module", lambda *given, **settings: pytest.fail("trained again"))
    assert pretrain("cifar10-train", **TINY, say=said.append) == path and said == []
    for name in ("cifar10-swift4", path.stem, str(path)):
        assert have_same_weights(load_network(name), load_network(path))
        assert ENCODERS["network"].load(name).weights == hash_file(path)
        assert read_start(name).card["file"] == name
    with refuses("no such file", "no stored network", "dissensus data pretrain", place="cifar10-swift8"):
        load_network("cifar10-swift8")


def test_its_card_has_images_recipe_versions_and_accuracy(folders):
    network = load_network(pretrain("cifar10-train", **TINY))
    card = network.card
    assert card["images from"] == {"data set": "cifar10-train"} == card["labels from"]
    assert card["training"]["epochs"] == 2 == len(card["history"]) and len(card["hash of images"]) == 64
    assert card["torch"] and card["made by"].startswith("dissensus") and card["threads"] == 1
    unseen = some_images(40, len("test"))
    assert card["accuracy on cifar10-test"] == np.mean(network.probs(unseen.pixels).argmax(axis=1) == unseen.labels)


def test_other_settings_are_trained_anew_and_a_name_that_fits_both_is_refused(folders):
    said: list[str] = []
    first = pretrain("cifar10-train", **TINY, say=said.append)
    second = pretrain("cifar10-train", **TINY | {"epochs": 1}, say=said.append)
    (notice,) = said
    assert second != first and states(notice, first.stem, "epochs 2, not 1")
    with refuses(first.stem, second.stem, 2, place="cifar10-swift4"):
        load_network("cifar10-swift4")
    assert load_network(second.stem).card["epoch"] == 1


def test_a_folder_that_cannot_be_written_leaves_the_network_in_the_cache(folders):
    (folders / "data").mkdir()
    (folders / "data" / "networks").touch()
    path = pretrain("cifar10-train", **TINY)
    assert path.parent in store_folders() and path.is_relative_to(folders / "cache")
    assert load_network("cifar10-swift4").card["epoch"] == 2
    path.parent.rename(path.parent.with_name("moved"))
    path.parent.touch()
    with refuses(folders / "data" / "networks", path.parent, "DISSENSUS_DATA"):
        pretrain("cifar10-train", **TINY)


def test_an_interrupted_pretraining_resumes_to_the_same_bytes(folders, monkeypatch):
    def interrupt(*given: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(pretraining, "add_card", interrupt)
        pretrain("cifar10-train", **TINY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dissensus.train.loop._step", lambda *given, **settings: pytest.fail("a step was done twice"))
        path = pretrain("cifar10-train", **TINY)
    assert sorted(file.name for file in path.parent.iterdir()) == sorted(
        [path.name, f"{path.name}.json", path.with_suffix(".json").name]
    )
    resumed = path.read_bytes()
    path.write_bytes(resumed[:-1])
    said: list[str] = []
    pretrain("cifar10-train", **TINY, say=said.append)
    assert path.read_bytes() == resumed and all(states(notice, path.name) for notice in said) and said


def test_the_paper_has_the_same_file_whether_it_trains_or_finds_the_network(folders, monkeypatch):
    table = some_images(70)
    given = Material(table.pixels, np.eye(10)[table.labels], table.labels, table.pixels, table.labels, {})
    for name in ("trained", "found"):
        (folders / name / "states").mkdir(parents=True)
        if name == "found":
            work = pretraining_of("quick", "small network", given.train, given.classes)
            stored = store_pretrained(work, {}, lambda network: {"accuracy": 0.1}, quiet=True)
            assert load_weights(stored).card == {} != load_network(stored).card
            monkeypatch.setattr(pretraining, "train_module", lambda *given, **settings: pytest.fail("trained again"))
        _pretrain("quick", "small network", folders / name, given)
    trained, found = (
        folders / name / "models" / "small-network-pretrained.safetensors" for name in ("trained", "found")
    )
    assert trained.read_bytes() == found.read_bytes()


def test_without_options_the_network_is_the_one_that_the_paper_takes_overnight(folders, monkeypatch):
    works = []
    monkeypatch.setattr(pretraining, "store_pretrained", lambda work, *given, **settings: works.append(work))
    pretrain("cifar10-train")
    table = some_images(40, len("train"))
    paper = pretraining_of("overnight", "small network", table.pixels, table.labels)
    assert works[0].name == paper.name and works[0].inputs == paper.inputs
    assert replace(works[0].config, device="cpu") == paper.config == TrainConfig(**vars(paper.config))


def test_the_command_prints_name_file_and_card(folders):
    words = ("data", "pretrain", "cifar10-train", "--width", 4, "--epochs", 1, "--quiet")
    facts = json.loads(commands.run(*words, "--json").stdout)
    assert facts["name"] == Path(facts["file"]).stem and facts["items trained on"] == 40
    assert states(commands.run(*words).stdout.replace("\n", ""), facts["name"], "accuracy on cifar10-test")
    assert states(commands.refused("data", "pretrain", "cifar10h"), "cifar10h", "expected images")
    assert states(commands.refused(*words, "--threads", 0), "--threads 0")
