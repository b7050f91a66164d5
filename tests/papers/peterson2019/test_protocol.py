"""At full scale the protocol is the paper's: networks, folds, rates, alphas."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.datasets.cifar10 import CLASSES
from dissensus.labels.distributions import Distributions
from dissensus.papers.peterson2019.material import classes_of, material, material_from
from dissensus.papers.peterson2019.paper import differences, parts
from dissensus.papers.peterson2019.sets import FAR, available_versions, imagenet_images, load_shifted_images, one_hot
from dissensus.papers.peterson2019.sizes import ARCHITECTURES, HEAD_SIZES, SIZES
from dissensus.papers.peterson2019.tuned import ROWS, count_tuned_folds, folds_of, rows_of, settings_of
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.studies import EPOCHS, head_study, network_study
from dissensus.study.checks import tasks_of
from dissensus.study.grid import cells_of
from dissensus.study.read_data import load_data
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.train_config import TrainConfig


def test_full_scale_has_every_cell_of_the_paper(loaded):
    loaded("cifar10h")
    studies = {part.name: part.study for part in parts("full") if part.study is not None}
    cells = cells_of(studies["scratch"])
    assert len(cells) == 8 * 2 * 10 * 4  # networks, kinds of labels, folds, learning rates
    assert {cell.model.name for cell in cells} == set(ARCHITECTURES.values())
    assert {cell.model.settings["epochs"] for cell in cells} == {150}
    whole = {(cell.model.settings["width"], cell.model.settings["depth"]) for cell in cells}
    assert whole == {(NETWORKS[name].width, NETWORKS[name].depth) for name in ARCHITECTURES.values()}
    cut = {cell.model.name: cell.model.settings["cutout"] for cell in cells if cell.model.settings["cutout"]}
    assert cut == {"shake_shake26_2x64": 16}
    assert all(data.labels.labels.n_items == 10_000 for data in studies["scratch"].data.values())


@pytest.mark.parametrize("scale, optimizers", [("overnight", {"sgd", "adam"}), ("full", {"adam"})])
def test_adam_is_tried_at_every_rate_that_sgd_is(loaded, scale, optimizers):
    loaded("cifar10h")
    studies = {part.name: part.study for part in parts(scale) if part.study is not None}
    trained = [cell.model.settings for cell in cells_of(studies["rates"])]
    assert {settings["optimizer"] for settings in trained} == optimizers
    assert {settings["learning_rate"] for settings in trained} == {0.2, 0.1, 0.01, 0.001}
    assert {settings["nesterov"] for settings in trained if settings["optimizer"] == "adam"} == {False}
    others = ("optimizer", "learning_rate", "nesterov", "epochs")
    alike = [{name: value for name, value in settings.items() if name not in others} for settings in trained]
    usual = cells_of(studies["scratch"])[0].model.settings
    assert {name: usual[name] for name in alike[0]} in alike


def test_full_scale_searches_what_the_paper_searched():
    full = SIZES["full"]
    assert (full.folds, full.tuning["epochs"], full.tuning_rates) == (10, 150, (0.1, 0.01, 0.001))
    for rate in full.tuning_rates:
        assert TrainConfig(**full.tuning, learning_rate=rate).nesterov
    assert TrainConfig(**full.pretraining).learning_rate == 0.1
    assert full.alphas == pytest.approx(np.arange(1, 11) / 10)
    assert [name.partition(" ")[0] for name in rows_of(full.alphas)] == ["control", *["mixup"] * 10, *ROWS[2:]]


def test_scales_without_strong_networks_run_heads_and_say_what_they_shrink(loaded):
    loaded("cifar10h")
    heads = ["labels", "heads", "heads-shift", "tuned-heads"]
    assert [part.name for part in parts("laptop")] == heads
    assert [part.name for part in parts("full")] == [
        *heads,
        "scratch",
        "scratch-shift",
        "tuned",
        "attacked",
        "rates",
    ]
    assert list(SIZES["full"].networks) == list(ARCHITECTURES)
    said = {what for what, _, _ in differences("quick")}
    assert {"networks", "images of CIFAR-10H and folds", "training from scratch", "alpha of mixup"} <= said
    assert "networks" not in {what for what, _, _ in differences("full")}


def test_a_night_trains_on_all_images_by_the_papers_optimiser_and_tunes_some_folds(loaded):
    loaded("cifar10h")
    assert [part.name for part in parts("overnight")] == [part.name for part in parts("full")]
    size = SIZES["overnight"]
    assert (size.images, size.pretrained_on, size.folds, count_tuned_folds("overnight")) == (None, None, 10, 3)
    assert TrainConfig(**size.tuning) == TrainConfig(**SIZES["full"].tuning | {"epochs": 51, "device": "cpu"})
    assert (TrainConfig(**size.tuning).momentum, size.tuning["weight_decay"]) == (0.9, 1e-4)
    folds = [(train.size, held.size) for _, train, held in folds_of("overnight", 10_000)]
    assert folds == [(9_000, 1_000)] * 3
    assert count_tuned_folds("full") == 10


def test_heads_at_laptop_are_tuned_on_9000_images_and_show_as_many_labels_as_there_are_answers():
    size = HEAD_SIZES["laptop"]
    assert (size.images, size.folds) == (None, 10) and size.tuning_epochs >= 51
    assert set(size.tuning_rates) <= set(SIZES["full"].tuning_rates) and set(size.alphas) <= set(SIZES["full"].alphas)


def test_each_row_of_table_1_learns_what_it_is_named_after():
    rng = np.random.default_rng(0)
    gold = np.arange(30) % 3
    probs = rng.dirichlet(np.ones(10), 30)
    shares = Distributions(probs, np.arange(30), CLASSES)
    targets = {name: way(shares, gold) for name, way in rows_of(HEAD_SIZES["laptop"].alphas).items()}
    assert np.array_equal(targets["control"].targets(0), np.eye(10)[gold])
    assert np.allclose(targets["soft"].targets(0), probs)
    assert np.allclose(targets["category"].targets(0)[gold == 1], probs[gold == 1].mean(axis=0))
    drawn = np.stack([targets["sampled"].targets(epoch) for epoch in range(2_000)])  # (epochs, n)
    assert np.abs(np.mean(drawn[:, 0, None] == np.arange(10), axis=0) - probs[0]).max() < 0.05
    assert np.allclose(targets["mixup 1"].targets(0).sum(axis=1), 1) and targets["mixup 1"].mixes


def test_the_far_set_is_near_and_not_the_same(loaded):
    loaded("cifar10h")
    sets = imagenet_images()
    assert {name: len(inputs.classes) for name, inputs in sets.items()} == {"imagenet": 1_065, "far": 205}
    assert set(sets["far"].classes) == {CLASSES.index(name) for name in FAR}
    assert classes_of(sets["far"].classes).probs.sum() == 205


def test_cifar101_is_judged_on_where_a_user_has_it(loaded, data_folder, tmp_path, monkeypatch):
    loaded("cifar10h")
    before = settings_of("quick")
    assert available_versions() == {} and "CIFAR-10.1 v4 and v6" in {what for what, _, _ in differences("quick")}
    for place in data_folder.iterdir():
        (tmp_path / place.name).symlink_to(place)
    for version, n in (("v4", 2_021), ("v6", 2_000)):
        np.save(tmp_path / f"cifar10.1_{version}_data.npy", np.full((n, 32, 32, 3), n % 256, dtype=np.uint8))
        np.save(tmp_path / f"cifar10.1_{version}_labels.npy", np.arange(n) % 10)
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    assert available_versions() == {"v6": "cifar10.1-v6", "v4": "cifar10.1-v4"}
    sizes = {name: len(inputs.classes) for name, inputs in load_shifted_images(500).items()}
    assert sizes == {"cifar10": 500, "v6": 500, "v4": 500, "imagenet": 1_065, "far": 205}
    kept = material_from(material("quick").arrays())
    assert {name: len(inputs.classes) for name, inputs in kept.elsewhere.items()} == {
        "far": 1_065,
        "v4": 2_021,
        "v6": 2_000,
    }
    assert settings_of("quick") == before | {"CIFAR-10.1": ["v4", "v6"]}
    data = {part.name: part.data for part in parts("quick")}
    assert "cifar10.1-v4" in data["tuned"] and "cifar10.1-v6" in data["scratch-shift"]
    assert "CIFAR-10.1 v4 and v6" not in {what for what, _, _ in differences("quick")}


def test_controls_learn_the_class_of_the_data_set(loaded):
    items = loaded("cifar10h")
    hard = one_hot(items)
    assert isinstance(hard.labels, Distributions)
    assert np.array_equal(hard.labels.probs.argmax(axis=1), items.gold) and hard.labels.votes is None
    assert round(float((items.labels.probs.argmax(axis=1) == items.gold).mean()), 4) == 0.9921


@pytest.mark.parametrize("scale", ["laptop", "full"])
def test_trainings_on_votes_and_on_classes_serve_sucholutsky_2023_as_well(loaded, scale):
    loaded("cifar10h")
    kinds = label_kinds()
    theirs = head_study(kinds, scale, 10, 5) if scale == "laptop" else network_study(kinds, scale, 5, EPOCHS)
    ours = {part.name: part.study for part in parts(scale)}["heads" if scale == "laptop" else "scratch"]
    keys = [
        {task.key for task in tasks_of(study, load_data(study, say=lambda notice: None))} for study in (ours, theirs)
    ]
    models = 1 if scale == "laptop" else 5 * 3  # a linear head; five networks at three rates
    assert len(keys[0] & keys[1]) == models * 2 * 10  # kinds of labels, folds
