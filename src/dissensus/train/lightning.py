"""Deliveries for Lightning: a data module, and a callback for data modules of your own.

Trainer().fit(model, DeliveredData(inputs, delivery, batch_size=128))
Trainer(callbacks=[EpochCallback(dataset)]).fit(model, loader)   # loader of your own over a DeliveredDataset
"""

from __future__ import annotations

from typing import Any

from lightning.pytorch import Callback, LightningDataModule, LightningModule, Trainer
from lightning.pytorch.utilities import CombinedLoader
from torch.utils.data import DataLoader

from dissensus.deliver.delivery import Delivery
from dissensus.train.batches import DeliveredDataset


class DeliveredData(LightningDataModule):
    """Deliver batches of inputs and targets to a Lightning Trainer, with the targets of its epoch.

    Batches are reshuffled every epoch. `EpochCallback` in the same module serves loaders of your own.

    Parameters
    ----------
    inputs, delivery, pick : as in `DeliveredDataset`
    batch_size : items per batch
    validation : a data set with targets of its own, or None
    **loading : further arguments of both loaders, such as num_workers or collate_fn

    Examples
    --------
    >>> import torch
    >>> from dissensus.deliver import soft
    >>> votes = Votes.of(["a", "b"], ["cat", "dog"])
    >>> data = DeliveredData(torch.zeros(2, 3), soft(votes), batch_size=2)
    >>> next(iter(data.train_dataloader()))[0].shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        inputs: Any,
        delivery: Delivery,
        *,
        batch_size: int,
        validation: Any = None,
        pick: Any = None,
        **loading: Any,
    ) -> None:
        super().__init__()
        self.train = DeliveredDataset(inputs, delivery, pick)
        self.validation = validation
        self.loading = {"batch_size": batch_size, **loading}
        if validation is not None:  # Lightning warns of an empty val_dataloader
            self.val_dataloader = self._validation_loader

    def setup(self, stage: str) -> None:
        # Without it every epoch would silently have the targets of the first.
        trainer: Any = self.trainer
        callbacks = [callback for callback in trainer.callbacks if isinstance(callback, EpochCallback)]
        if not any(callback.dataset is self.train for callback in callbacks):
            trainer.callbacks.append(EpochCallback(self.train))

    def train_dataloader(self) -> DataLoader[Any]:
        return DataLoader(self.train, **({"shuffle": True} | self.loading))

    def _validation_loader(self) -> DataLoader[Any]:
        return DataLoader(self.validation, **{name: value for name, value in self.loading.items() if name != "shuffle"})


class EpochCallback(Callback):
    """Set the epoch of the data set, also after a checkpoint.

    Lightning starts the workers before it reports the start of training, and reports nothing if a run resumes in the
    middle of an epoch. So the epoch is read from the checkpoint, and compared with Lightning's when training starts.
    """

    def __init__(self, dataset: DeliveredDataset) -> None:
        self.dataset = dataset

    def setup(self, trainer: Trainer, pl_module: LightningModule, stage: str) -> None:
        self.dataset.set_epoch(trainer.current_epoch)

    def on_load_checkpoint(self, trainer: Trainer, pl_module: LightningModule, checkpoint: dict[str, Any]) -> None:
        self.dataset.set_epoch(_epoch_after(checkpoint["loops"]["fit_loop"], in_steps=trainer.max_steps != -1))

    def on_train_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        if self.dataset.epoch == trainer.current_epoch:
            return
        if any(getattr(loader, "num_workers", 0) for loader in CombinedLoader(trainer.train_dataloader).flattened):
            raise RuntimeError(
                f"workers have already fetched batches with the targets of epoch {self.dataset.epoch}, but the run "
                f"continues with epoch {trainer.current_epoch}; resume from a checkpoint of the end of an epoch, or "
                "load without workers (num_workers=0) until that epoch is over"
            )
        self.dataset.set_epoch(trainer.current_epoch)

    def on_train_epoch_start(self, trainer: Trainer, pl_module: LightningModule) -> None:
        self.dataset.set_epoch(trainer.current_epoch)


def _epoch_after(progress: dict[str, Any], *, in_steps: bool) -> int:
    """Return the epoch with which Lightning continues from the progress in a checkpoint.

    A checkpoint written after the last batch, before the epoch is over, counts that epoch as open; Lightning closes it.
    A run limited in steps counts the epochs that are over, any other run those that are processed.
    """
    epochs, batches = progress["epoch_progress"]["current"], progress["epoch_loop.batch_progress"]
    open_epoch = epochs["processed"] == epochs["started"] - 1
    written_after_batch = batches["current"]["completed"] == batches["current"]["processed"] - 1
    over = open_epoch and written_after_batch and batches["is_last_batch"]
    return int(epochs["completed" if in_steps else "processed"]) + int(over)
