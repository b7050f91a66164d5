"""Inputs with the targets of the current epoch, for any loop over batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, default_collate

from dissensus.deliver.delivery import Delivery


class DeliveredDataset(Dataset[tuple[Any, torch.Tensor]]):
    """Pair every input with its target of the current epoch, for a training loop of your own.

    Call `set_epoch(epoch)` before each pass. The epoch is in shared memory, so that worker processes see it, also
    persistent ones. Targets go by the position of the item in the whole set, so any sampler, subset or split over
    machines gets the same targets. If the delivery mixes items, floating inputs are mixed here.

    Parameters
    ----------
    inputs : anything with a length and positions: a data set, a tensor, an array, a list; n entries
    delivery : targets for the same n items, in the same order
    pick : selects the input from an entry, such as `itemgetter(0)` if entries are (image, label)

    Examples
    --------
    >>> from dissensus.deliver import sls
    >>> votes = Votes.of(["a", "a", "b"], ["cat", "dog", "dog"])
    >>> dataset = DeliveredDataset([[0.1, 0.2], [0.3, 0.4]], sls(votes, seed=0))
    >>> dataset.set_epoch(3)
    >>> inputs, target = dataset[1]
    >>> inputs, int(target)
    ([0.3, 0.4], 1)
    """

    def __init__(self, inputs: Any, delivery: Delivery, pick: Callable[[Any], Any] | None = None) -> None:
        if len(inputs) != delivery.n_items:
            raise ValueError(
                f"there are {len(inputs)} inputs, but targets for {delivery.n_items} items ({delivery.name}); expected "
                "the same items in the same order: select those that have both first"
            )
        self.inputs, self.delivery, self.pick = inputs, delivery, pick
        self._epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    @property
    def epoch(self) -> int:
        return int(self._epoch)

    def set_epoch(self, epoch: int) -> None:
        """Return the targets of this epoch from now on."""
        if epoch < 0:
            raise ValueError(f"the epoch is {epoch}; expected a whole number of 0 or more")
        self._epoch.fill_(epoch)

    def __len__(self) -> int:
        return self.delivery.n_items

    def __getitem__(self, position: int) -> tuple[Any, torch.Tensor]:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[tuple[Any, torch.Tensor]]:
        """Return one batch at once, as the loaders of torch ask for it."""
        items, epoch = np.asarray(positions, dtype=np.int64), self.epoch
        inputs = [self._input(position) for position in items.tolist()]
        if self.delivery.mixes:
            mixing = self.delivery.mixing(epoch, items)
            others = [self._input(position) for position in mixing.partner.tolist()]
            inputs = [mix_inputs(*row) for row in zip(inputs, others, mixing.weight.tolist(), strict=True)]
        return list(zip(inputs, target_tensor(self.delivery, epoch, items), strict=True))

    def _input(self, position: int) -> Any:
        entry = self.inputs[position]
        return entry if self.pick is None else self.pick(entry)


def target_tensor(delivery: Delivery, epoch: int, items: Any = None) -> torch.Tensor:
    """Return the targets of an epoch as a new tensor: (r,) int64 classes or (r, k) float32 probabilities."""
    targets = delivery.targets(epoch, items)
    return torch.tensor(targets, dtype=torch.int64 if delivery.hard else torch.float32)


def collate(
    pairs: Sequence[tuple[Any, torch.Tensor]], inputs: Callable[[list[Any]], Any] = default_collate
) -> tuple[Any, torch.Tensor]:
    """Collate pairs of `DeliveredDataset` into a batch, with a function of your own for the inputs.

    Parameters
    ----------
    pairs : inputs with their targets, as a `DeliveredDataset` returns them
    inputs : puts a list of inputs together; `partial(collate, inputs=pad)` is a `collate_fn` of a loader

    Returns
    -------
    inputs and targets of the batch

    Examples
    --------
    >>> import torch
    >>> inputs, targets = collate([(torch.zeros(2), torch.tensor(0)), (torch.ones(2), torch.tensor(1))])
    >>> inputs.shape, targets.tolist()
    (torch.Size([2, 2]), [0, 1])
    """
    return inputs([pair[0] for pair in pairs]), torch.stack([pair[1] for pair in pairs])


def mix_inputs(one: Any, other: Any, weight: float) -> Any:
    """Mix two inputs, weight * first + (1 - weight) * second, in every floating tensor or array of a nest of them."""
    if isinstance(one, dict):
        return {name: mix_inputs(value, other[name], weight) for name, value in one.items()}
    if isinstance(one, tuple | list):
        return type(one)(mix_inputs(*pair, weight) for pair in zip(one, other, strict=True))
    floating = (isinstance(one, torch.Tensor) and one.is_floating_point()) or (
        isinstance(one, np.ndarray | float | np.floating) and np.asarray(one).dtype.kind == "f"
    )
    if not floating:
        kind = getattr(one, "dtype", type(one).__name__)
        raise ValueError(
            f"inputs of type {kind} cannot be mixed; mixup needs floating tensors or arrays of one shape: mix "
            "embeddings instead of tokens, or images after they have become tensors"
        )
    return weight * one + (1 - weight) * other
