"""Lightning on deliveries: every batch has the targets of its epoch, with workers and after a checkpoint too."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from dissensus.deliver import multipass, sls, soft
from dissensus.labels.votes import Votes
from dissensus.train.batches import DeliveredDataset
from tests.facts import refuses

# Lightning advises more workers and fewer logs, and still pickles tree specifications in an old way.
pytestmark = [
    pytest.mark.skipif(find_spec("lightning") is None, reason="lightning is not installed"),
    pytest.mark.filterwarnings("ignore:The '.*_dataloader' does not have many workers"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec.*is deprecated"),
    pytest.mark.filterwarnings("ignore:Checkpoint directory .* exists and is not empty"),
    pytest.mark.filterwarnings("ignore:You're resuming from a checkpoint that ended before the epoch ended"),
    pytest.mark.filterwarnings("ignore:Be aware that when using `ckpt_path`, callbacks used to create"),
]
N, K = 12, 3


@cache
def runs():
    """What takes seconds to import, and is not wanted when tests are only listed."""
    return import_module("tests.train.lightning_runs")


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    return Votes(
        item=np.repeat(np.arange(N), 5), items=np.arange(N), classes=("a", "b", "c"), choice=rng.integers(0, K, N * 5)
    )


def check(seen, delivery, epochs):
    assert sorted({epoch for epoch, _, _ in seen}) == epochs
    for epoch, items, targets in seen:
        assert np.allclose(targets.numpy(), delivery.targets(epoch, items), atol=1e-7)


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1, "persistent_workers": True}], ids=["none", "staying"])
def test_every_batch_has_the_targets_of_its_epoch(votes, tmp_path, workers):
    delivery = multipass(votes, 0)
    held_out = TensorDataset(torch.eye(N), torch.zeros(N, dtype=torch.int64))
    data = runs().DeliveredData(torch.eye(N), delivery, batch_size=4, validation=held_out, **workers)
    model = runs().Validated()
    runs().trainer(tmp_path, data, 4).fit(model, data)
    check(model.seen, delivery, [0, 1, 2, 3])
    assert len(model.seen) == 12


def test_the_data_module_tells_the_epoch_without_being_asked(votes, tmp_path):
    delivery = multipass(votes, 0)
    data, model = runs().DeliveredData(torch.eye(N), delivery, batch_size=4), runs().Linear()
    runs().quiet(tmp_path, max_epochs=3).fit(model, data)
    check(model.seen, delivery, [0, 1, 2])


def test_soft_targets_train_as_well(votes, tmp_path):
    data = runs().DeliveredData(torch.eye(N), soft(votes), batch_size=12)
    model = runs().Linear()
    runs().trainer(tmp_path, data, 2).fit(model, data)
    check(model.seen, soft(votes), [0, 1])


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1}], ids=["none", "one"])
def test_a_run_that_is_resumed_goes_on_with_its_epoch(votes, tmp_path, workers):
    """With a worker, batches are fetched before Lightning says that the epoch starts."""
    delivery = sls(votes, 0)
    data = runs().DeliveredData(torch.eye(N), delivery, batch_size=4, **workers)
    first = runs().trainer(tmp_path, data, 2)
    first.fit(runs().Linear(), data)
    first.save_checkpoint(tmp_path / "two.ckpt")
    data = runs().DeliveredData(torch.eye(N), delivery, batch_size=4, **workers)
    model = runs().Linear()
    runs().trainer(tmp_path, data, 5).fit(model, data, ckpt_path=tmp_path / "two.ckpt", weights_only=True)
    check(model.seen, delivery, [2, 3, 4])


def test_the_callback_serves_loaders_of_the_users_own(votes, tmp_path):
    delivery = sls(votes, 0)
    dataset = DeliveredDataset(torch.eye(N), delivery)
    model = runs().Linear()
    runs().quiet(tmp_path, runs().EpochCallback(dataset), max_epochs=3).fit(
        model, DataLoader(dataset, batch_size=6, shuffle=True)
    )
    check(model.seen, delivery, [0, 1, 2])


@pytest.fixture(scope="module")
def checkpoints(votes, tmp_path_factory):
    """Checkpoints of one run of three batches an epoch, by the moment at which Lightning wrote them."""
    folder = tmp_path_factory.mktemp("checkpoints")
    dataset = DeliveredDataset(torch.eye(N), sls(votes, 0))
    written = {
        "in mid-epoch": runs().ModelCheckpoint(folder, "mid-{step}", every_n_train_steps=5, save_top_k=-1),
        "after the last batch": runs().ModelCheckpoint(folder, "last-{step}", every_n_train_steps=6, save_top_k=-1),
        "at the end of an epoch": runs().ModelCheckpoint(
            folder, "end-{step}", every_n_epochs=2, save_top_k=-1, save_on_train_epoch_end=True
        ),
    }
    run = runs().quiet(folder, runs().EpochCallback(dataset), *written.values(), max_epochs=2)
    run.fit(runs().Linear(), DataLoader(dataset, batch_size=4))
    return {moment: callback.best_model_path for moment, callback in written.items()}


def own(votes, **loading):
    dataset = DeliveredDataset(torch.eye(N), sls(votes, 0))
    return [runs().EpochCallback(dataset)], DataLoader(dataset, batch_size=4, shuffle=True, **loading)


def module(votes, **loading):
    return [], runs().DeliveredData(torch.eye(N), sls(votes, 0), batch_size=4, **loading)


@pytest.mark.parametrize("route", [own, module])
@pytest.mark.parametrize("workers", [{}, {"num_workers": 1}], ids=["none", "one"])
@pytest.mark.parametrize(
    ("moment", "batches"),
    [
        ("in mid-epoch", [1, 2, 2, 2]),
        ("after the last batch", [2, 2, 2]),
        ("at the end of an epoch", [2, 2, 2]),
    ],
)
def test_from_whatever_checkpoint_a_run_goes_on_each_batch_has_the_targets_of_its_epoch(
    votes, tmp_path, checkpoints, moment, batches, workers, route
):
    callbacks, data = route(votes, **workers)
    model = runs().Linear()
    runs().quiet(tmp_path, runs().Late(), *callbacks, max_epochs=3).fit(
        model, data, ckpt_path=checkpoints[moment], weights_only=True
    )
    assert [epoch for epoch, _, _ in model.seen] == batches
    check(model.seen, sls(votes, 0), sorted(set(batches)))


def test_a_run_counted_in_steps_goes_on_with_its_epoch(votes, tmp_path, checkpoints):
    callbacks, loader = own(votes, num_workers=1)
    model = runs().Linear()
    run = runs().quiet(tmp_path, runs().Late(), *callbacks, max_epochs=-1, max_steps=8)
    run.fit(model, loader, ckpt_path=checkpoints["in mid-epoch"], weights_only=True)
    assert [epoch for epoch, _, _ in model.seen] == [1, 2, 2]
    check(model.seen, sls(votes, 0), [1, 2])


def test_a_second_fit_of_one_trainer_starts_with_the_epoch_after_the_last(votes, tmp_path):
    callbacks, loader = own(votes, num_workers=1)
    model = runs().Linear()
    run = runs().quiet(tmp_path, runs().Late(), *callbacks, max_epochs=2)
    run.fit(model, loader)
    run.fit_loop.max_epochs = 3
    run.fit(model, loader)
    assert [epoch for epoch, _, _ in model.seen] == [0, 0, 0, 1, 1, 1, 2, 2, 2]
    check(model.seen, sls(votes, 0), [0, 1, 2])


def test_batches_that_workers_fetched_for_another_epoch_are_refused(votes, tmp_path, checkpoints):
    class Meddling(runs().Callback):
        def on_fit_start(self, trainer, pl_module):
            callbacks[0].dataset.set_epoch(7)

    callbacks, loader = own(votes, num_workers=1)
    with refuses("epoch 7", "epoch 1", "num_workers=0", error=RuntimeError):
        runs().quiet(tmp_path, Meddling(), *callbacks, max_epochs=4).fit(
            runs().Linear(), loader, ckpt_path=checkpoints["in mid-epoch"], weights_only=True
        )
