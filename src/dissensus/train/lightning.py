"""For Lightning: a data module that delivers, and a callback for those with data modules of their own.

Trainer().fit(model, DeliveredData(inputs, delivery, batch_size=128))
Trainer(callbacks=[EpochCallback(dataset)]).fit(model, loader)   # loader of your own over a DeliveredDataset
"""

from __future__ import annotations

from typing import Any

from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer
from torch.utils.data import DataLoader

from dissensus.deliver.delivery import Delivery
from dissensus.train.batches import DeliveredDataset


class DeliveredData(LightningDataModule):
    """Batches of (inputs, targets), reshuffled every epoch, with that epoch's targets; it follows the epochs itself.

    inputs, delivery  see DeliveredDataset
    validation        a data set with targets of its own, or None
    loading           further arguments of both loaders, such as num_workers or collate_fn
    """

    def __init__(
        self, inputs: Any, delivery: Delivery, *, batch_size: int, validation: Any = None, pick: Any = None,
        **loading: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        self.train = DeliveredDataset(inputs, delivery, pick)
        self.validation = validation
        self.loading = {"batch_size": batch_size, **loading}
        if validation is not None:  # Lightning warns of a val_dataloader that has nothing to load
            self.val_dataloader = self._held_out

    def setup(self, stage: str) -> None:
        # Without it every epoch would silently have the targets of the first.
        trainer: Any = self.trainer
        callbacks = [callback for callback in trainer.callbacks if isinstance(callback, EpochCallback)]
        if not any(callback.dataset is self.train for callback in callbacks):
            trainer.callbacks.append(EpochCallback(self.train))

    def train_dataloader(self) -> DataLoader[Any]:
        # After a checkpoint Lightning starts the workers before it says that an epoch starts.
        if self.trainer is not None:
            self.train.set_epoch(self.trainer.current_epoch)
        return DataLoader(self.train, **({"shuffle": True} | self.loading))

    def _held_out(self) -> DataLoader[Any]:
        return DataLoader(self.validation, **{name: value for name, value in self.loading.items() if name != "shuffle"})


class EpochCallback(Callback):
    """Tells the data set which epoch begins."""

    def __init__(self, dataset: DeliveredDataset) -> None:
        self.dataset = dataset

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.dataset.set_epoch(trainer.current_epoch)
