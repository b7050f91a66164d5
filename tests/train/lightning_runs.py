"""Networks and trainers of Lightning that note what they were given. Lightning takes seconds to import."""

from __future__ import annotations

import time

import torch
from lightning.pytorch import Callback, LightningModule, Trainer
from lightning.pytorch.callbacks import ModelCheckpoint

from dissensus.train.lightning import DeliveredData, EpochCallback
from dissensus.train.loss import soft_cross_entropy

__all__ = [
    "Callback",
    "DeliveredData",
    "EpochCallback",
    "Late",
    "Linear",
    "ModelCheckpoint",
    "Validated",
    "quiet",
    "trainer",
]
N, K = 12, 3


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

    def on_train_start(self, trainer, pl_module):
        if trainer.train_dataloader.num_workers:
            time.sleep(0.15)

    def on_train_epoch_start(self, trainer, pl_module):
        self.on_train_start(trainer, pl_module)


def quiet(folder, *callbacks, **options):
    return Trainer(
        callbacks=list(callbacks),
        accelerator="cpu",
        devices=1,
        logger=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=folder,
        enable_checkpointing=any(isinstance(callback, ModelCheckpoint) for callback in callbacks),
        **options,
    )


def trainer(folder, data, epochs):
    return quiet(folder, Late(), EpochCallback(data.train), max_epochs=epochs)
