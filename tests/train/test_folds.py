"""Folds: every item is predicted by a network that has not seen it, and nothing depends on the number of processes."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.train import (
    NETWORKS,
    ImageTable,
    Network,
    NetworkConfig,
    TrainConfig,
    load_network,
    save_network,
    train_folds,
    train_network,
)
from dissensus.train.folds import _without_weights
from dissensus.train.held_out import scores_of
from dissensus.train.splits import split_folds
from tests.facts import refuses
from tests.train.notices import quiet
from tests.train.pictures import CLASSES, blobs, have_same_weights, tiny

TRAINING = TrainConfig(epochs=2, batch=16, crop=1, flip=False, seed=3, learning_rate=0.05)
SMALL = NetworkConfig(width=4, depth=1, training=TRAINING)


def test_every_item_is_predicted_by_the_networks_that_have_not_seen_it():
    images, shares = blobs(32)
    done = train_folds(images, shares, SMALL, quiet, folds=3, jobs=1)
    assert [training.best.card["items held out"] for training in done.trainings] == [11, 11, 10]
    assert [training.last.card["fold"] for training in done.trainings] == ["1 of 3", "2 of 3", "3 of 3"]
    for number, (train, held) in enumerate(split_folds(32, 3, 3)):
        assert (done.fold[held] == number).all() and not (done.fold[train] == number).any()
        for which, predicted in (("best", done.best), ("last", done.last)):
            network = getattr(done.trainings[number], which)
            assert np.array_equal(predicted.probs[held], network.probs(images.select(held)))
    for which, predicted in (("best", done.best), ("last", done.last)):
        assert predicted.items.tolist() == images.items.tolist() and predicted.classes == CLASSES
        assert done.scores[which] == scores_of(shares.probs, predicted.probs)


def test_an_item_does_not_change_what_is_predicted_for_it():
    """Its own votes turned around leave the last network of its fold as it was."""
    images, shares = blobs(20)
    probs = shares.probs.copy()
    probs[4] = probs[4][::-1] if probs[4, 0] != probs[4, 2] else (1, 0, 0)
    turned = type(shares)(probs, shares.items, shares.classes)
    one, other = (train_folds(images, labels, SMALL, quiet, folds=2, jobs=1) for labels in (shares, turned))
    fold = one.fold[4]
    assert have_same_weights(one.trainings[fold].last, other.trainings[fold].last)
    assert not have_same_weights(one.trainings[1 - fold].last, other.trainings[1 - fold].last)


class Tied(nn.Module):
    """Two layers with the same weights, a frozen one, and a number beside the state."""

    def __init__(self):
        super().__init__()
        self.one, self.two = nn.Conv2d(3, 3, 3, padding=1), nn.Conv2d(3, 3, 3, padding=1)
        self.two.weight = self.one.weight
        self.last = nn.Linear(192, 3)
        self.last.weight.requires_grad_(False)
        self.register_buffer("twice", torch.full((1,), 2.0), persistent=False)

    def forward(self, x):
        return self.last(self.two(self.one(x) * self.twice).flatten(1))


def test_two_processes_give_the_same_bits_as_one(tmp_path):
    """With a network of the user's own to start from, whose architecture has to reach the processes: what is shared
    and what is frozen is so there too."""
    images, shares = blobs(30)
    images = ImageTable(images.pixels, images.items, {"path": "pictures"})
    torch.manual_seed(0)
    start = Network(Tied(), CLASSES, (0.5,) * 3, (0.2,) * 3, {"seed": 7})
    heard = []
    runs = [
        train_folds(
            images,
            shares,
            NetworkConfig(training=TRAINING),
            quiet,
            folds=3,
            jobs=jobs,
            start=start,
            after_epoch=lambda fold, record: heard.append((fold, record["epoch"])),
        )
        for jobs in (1, 2)
    ]
    one, two = runs
    assert heard[:6] == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2)] and sorted(heard[6:]) == heard[:6]
    assert np.array_equal(one.best.probs, two.best.probs) and np.array_equal(one.last.probs, two.last.probs)
    assert one.scores == two.scores and np.array_equal(one.fold, two.fold)
    for mine, theirs in zip(one.trainings, two.trainings, strict=True):
        assert have_same_weights(mine.best, theirs.best) and have_same_weights(mine.last, theirs.last)
        assert (mine.history, mine.scores, mine.config) == (theirs.history, theirs.scores, theirs.config)
        assert mine.best.card == theirs.best.card and mine.best.card["started from"]["seed"] == 7
        for module in (mine.last.module, theirs.last.module):
            assert module.one.weight is module.two.weight
            for name, weight in module.named_parameters():
                assert torch.equal(weight, start.module.state_dict()[name]) != weight.requires_grad, name


def test_a_copy_without_weights_is_frozen_where_the_network_is(tmp_path):
    """Its recipe would not tell: a network whose last layer alone is to be tuned would be trained as a whole."""
    module = NETWORKS["small"](3, width=4, depth=1)
    for weight in list(module.parameters())[:-2]:
        weight.requires_grad_(False)
    bare = _without_weights(module)
    assert all(value.is_meta for value in bare.state_dict().values()) and bare.recipe == module.recipe
    start = Network(module, CLASSES, (0.5,) * 3, (0.2,) * 3)
    save_network(start, tmp_path / "start.safetensors")
    again = load_network(tmp_path / "start.safetensors", bare)
    assert have_same_weights(start, again)
    assert [weight.requires_grad for weight in again.module.parameters()] == [False] * 9 + [True] * 2


def test_a_module_that_cannot_be_pickled_is_refused_by_name():
    class Local(nn.Sequential):
        pass

    images, shares = blobs(20)
    start = Network(Local(*tiny()), CLASSES, (0.5,) * 3, (0.2,) * 3)
    with refuses("process", "Local'", "jobs=1"):
        train_folds(images, shares, NetworkConfig(training=TRAINING), quiet, folds=2, jobs=2, start=start)


def test_two_processes_do_not_train_folds_into_one_folder(tmp_path):
    """Not even where the fold in hand is another one: whoever comes second would stop the first in its next fold."""
    images, shares = blobs(12)

    def second(fold, record):
        train_folds(images, shares, SMALL, quiet, folds=2, jobs=1, checkpoint=tmp_path)

    with refuses(tmp_path, "another process", place="fold 1"):
        train_folds(images, shares, SMALL, quiet, folds=2, jobs=1, checkpoint=tmp_path, after_epoch=second)


def test_each_fold_has_a_folder_of_its_own_and_goes_on_from_there(tmp_path):
    images, shares = blobs(24)
    whole = train_folds(images, shares, SMALL, quiet, folds=2, jobs=1, checkpoint=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fold-1", "fold-2"]
    shutil.rmtree(tmp_path / "fold-2")
    heard = []
    again = train_folds(
        images,
        shares,
        SMALL,
        quiet,
        folds=2,
        jobs=1,
        checkpoint=tmp_path,
        after_epoch=lambda fold, record: heard.append(fold),
    )
    assert heard == [2, 2], "the first fold was done"
    assert np.array_equal(again.best.probs, whole.best.probs)
    with refuses(tmp_path / "fold-1", "another training", "images differ", place="fold 1"):
        train_folds(images, shares, SMALL, quiet, folds=3, jobs=1, checkpoint=tmp_path)


def test_the_threads_of_the_caller_are_not_touched():
    images, shares = blobs(12)
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        train_folds(images, shares, SMALL, quiet, folds=2, jobs=1)
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_fine_tuning_in_folds_starts_each_fold_from_the_same_network():
    """Peterson 2019, sec. 6. Without steps, every fold is the network that was given."""
    images, shares = blobs(24)
    start = train_network(images, shares, SMALL, quiet).best
    still = TrainConfig(epochs=1, learning_rate=0, momentum=0, crop=0, flip=False)
    done = train_folds(images, shares, NetworkConfig(training=still), quiet, folds=2, jobs=1, start=start)
    for training in done.trainings:
        weights = dict(start.module.named_parameters())
        assert all(torch.equal(value, weights[name]) for name, value in training.last.module.named_parameters())
        assert training.last.mean == start.mean


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"folds": 1}, ("1 folds", "12 items", "2 to 12")),
        ({"folds": 13}, ("13 folds", "12 items", "2 to 12")),
        ({"folds": 2, "jobs": 0}, ("jobs is 0", "1 or more")),
    ],
)
def test_impossible_numbers_of_folds_and_jobs_are_refused(given, facts):
    images, shares = blobs(12)
    with refuses(*facts):
        train_folds(images, shares, SMALL, quiet, **given)


def test_what_is_wrong_in_a_fold_names_the_fold():
    images, shares = blobs(12)
    with refuses("the loss", "step 2 of epoch 1", "learning rate", "1e+30", place="fold 1"):
        away = TrainConfig(epochs=30, learning_rate=1e30, batch=4, crop=0)
        train_folds(images, shares, NetworkConfig(width=4, depth=1, training=away), quiet, folds=2, jobs=1)
