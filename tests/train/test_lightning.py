"""Lightning on deliveries: every batch has the targets of its epoch, with workers and after a checkpoint too."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, TensorDataset

from dissensus.deliver import multipass, sls, soft
from dissensus.labels.votes import Votes
from dissensus.train.loss import soft_cross_entropy

pytest.importorskip("lightning")
from lightning.pytorch import Callback, LightningModule, Trainer

from dissensus.train.batches import DeliveredDataset
from dissensus.train.lightning import DeliveredData, EpochCallback

# Lightning advises more workers and fewer logs, and still pickles tree specifications in an old way.
pytestmark = [
    pytest.mark.filterwarnings("ignore:The '.*_dataloader' does not have many workers"),
    pytest.mark.filterwarnings("ignore:.*LeafSpec.*is deprecated"),
    pytest.mark.filterwarnings("ignore:Checkpoint directory .* exists and is not empty"),
]
N, K = 12, 3


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    return Votes(
        item=np.repeat(np.arange(N), 5), items=np.arange(N), classes=("a", "b", "c"), choice=rng.integers(0, K, N * 5)
    )


class Linear(LightningModule):
    """A linear classifier on one-hot items that notes what it was given, and in which epoch."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(N, K)
        self.seen = []

    def training_step(self, batch, number):
        inputs, targets = batch
        self.seen.append((self.current_epoch, inputs.argmax(dim=1).tolist(), targets.clone()))
        return soft_cross_entropy(self.layer(inputs), targets)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)


class Validated(Linear):
    def validation_step(self, batch, number):
        inputs, targets = batch
        self.log("loss", soft_cross_entropy(self.layer(inputs), targets))


class Late(Callback):
    """Gives workers the time to fetch batches before the epoch is announced."""

    def on_train_epoch_start(self, trainer, pl_module):
        if trainer.train_dataloader.num_workers:
            time.sleep(0.15)


def trainer(folder, data, epochs):
    return Trainer(
        max_epochs=epochs, callbacks=[Late(), EpochCallback(data.train)], accelerator="cpu", devices=1, logger=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=folder, enable_checkpointing=False,
    )  # fmt: skip


def check(seen, delivery, epochs):
    assert sorted({epoch for epoch, _, _ in seen}) == epochs
    for epoch, items, targets in seen:
        assert np.allclose(targets.numpy(), delivery.targets(epoch, items), atol=1e-7)


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1, "persistent_workers": True}], ids=["none", "staying"])
def test_every_batch_has_the_targets_of_its_epoch(votes, tmp_path, workers):
    delivery = multipass(votes, 0)
    held_out = TensorDataset(torch.eye(N), torch.zeros(N, dtype=torch.int64))
    data = DeliveredData(torch.eye(N), delivery, batch_size=4, validation=held_out, **workers)
    model = Validated()
    trainer(tmp_path, data, 4).fit(model, data)
    check(model.seen, delivery, [0, 1, 2, 3])
    assert len(model.seen) == 12


def test_the_data_module_tells_the_epoch_without_being_asked(votes, tmp_path):
    delivery = multipass(votes, 0)
    data, model = DeliveredData(torch.eye(N), delivery, batch_size=4), Linear()
    alone = Trainer(
        max_epochs=3, accelerator="cpu", devices=1, logger=False, enable_progress_bar=False,
        enable_model_summary=False, default_root_dir=tmp_path, enable_checkpointing=False,
    )  # fmt: skip
    alone.fit(model, data)
    check(model.seen, delivery, [0, 1, 2])


def test_soft_targets_train_as_well(votes, tmp_path):
    data = DeliveredData(torch.eye(N), soft(votes), batch_size=12)
    model = Linear()
    trainer(tmp_path, data, 2).fit(model, data)
    check(model.seen, soft(votes), [0, 1])


@pytest.mark.parametrize("workers", [{}, {"num_workers": 1}], ids=["none", "one"])
def test_a_run_that_is_resumed_goes_on_with_its_epoch(votes, tmp_path, workers):
    """With a worker, batches are fetched before Lightning says that the epoch starts."""
    delivery = sls(votes, 0)
    data = DeliveredData(torch.eye(N), delivery, batch_size=4, **workers)
    first = trainer(tmp_path, data, 2)
    first.fit(Linear(), data)
    first.save_checkpoint(tmp_path / "two.ckpt")
    data = DeliveredData(torch.eye(N), delivery, batch_size=4, **workers)
    model = Linear()
    trainer(tmp_path, data, 5).fit(model, data, ckpt_path=tmp_path / "two.ckpt", weights_only=True)
    check(model.seen, delivery, [2, 3, 4])


def test_the_callback_serves_loaders_of_the_users_own(votes, tmp_path):
    delivery = sls(votes, 0)
    dataset = DeliveredDataset(torch.eye(N), delivery)
    model = Linear()
    mine = Trainer(
        max_epochs=3, callbacks=[EpochCallback(dataset)], accelerator="cpu", devices=1, logger=False,
        enable_progress_bar=False, enable_model_summary=False, default_root_dir=tmp_path, enable_checkpointing=False,
    )  # fmt: skip
    mine.fit(model, DataLoader(dataset, batch_size=6, shuffle=True))
    check(model.seen, delivery, [0, 1, 2])
