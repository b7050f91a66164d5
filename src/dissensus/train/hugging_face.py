"""Deliveries for the Trainer of transformers, in which floating labels would silently become a binary loss per class.

    trainer = Trainer(model, arguments, **deliver_to_trainer(examples, delivery, collator))

A model given floating labels takes them for several yes/no questions (problem_type "multi_label_classification") and
returns binary cross-entropy. Here the labels go to `trainer_loss` instead, and the model never sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from transformers import TrainerCallback, default_data_collator  # first: where it is missing, its extra brings torch

# isort: split
import torch

from dissensus.deliver.delivery import Delivery
from dissensus.deliver.wrappers import smoothed
from dissensus.labels.refusals import PythonWay, Refusal
from dissensus.train.batches import DeliveredDataset
from dissensus.train.loss import soft_cross_entropy


def deliver_to_trainer(
    examples: Any, delivery: Delivery, collator: Callable[[list[Any]], Any] = default_data_collator
) -> dict[str, Any]:
    """Build the arguments with which a Trainer of transformers trains on a delivery.

    The Trainer's own `label_smoothing_factor` smooths the targets of training as `smoothed(delivery, factor)` does. The
    targets of evaluation stay as they are.

    Parameters
    ----------
    examples : n dictionaries of model inputs, such as a tokenized data set; labels among them are replaced
    delivery : targets of the same n items in the same order
    collator : puts the inputs of a batch together

    Returns
    -------
    dict with train_dataset, data_collator, compute_loss_func and callbacks

    Examples
    --------
    >>> from dissensus.deliver import soft
    >>> votes = Votes.of(["a", "a", "b"], ["cat", "dog", "dog"])
    >>> arguments = deliver_to_trainer([{"input_ids": [1, 2]}, {"input_ids": [3, 4]}], soft(votes))
    >>> arguments["train_dataset"][0]["labels"]
    tensor([0.5000, 0.5000])
    """
    dataset = DeliveredExamples(examples, delivery)
    return {
        "train_dataset": dataset,
        "data_collator": DeliveredCollator(collator),
        "compute_loss_func": trainer_loss,
        "callbacks": [EpochCallback(dataset), SmoothingCallback(dataset)],
    }


class DeliveredExamples(DeliveredDataset):
    """Examples as dictionaries, with this epoch's target under "labels"."""

    def __getitem__(self, position: int) -> Any:
        return self.__getitems__([position])[0]

    def __getitems__(self, positions: Sequence[int]) -> list[Any]:
        kept = []
        for example, target in super().__getitems__(positions):
            inputs = {name: value for name, value in example.items() if name not in ("label", "label_ids", "labels")}
            kept.append(inputs | {"labels": target})
        return kept


class DeliveredCollator:
    """A collator that stacks the targets, and collates the inputs by another collator.

    Collators that pad would pad the targets too, or convert them to whole numbers. Examples that were not delivered
    (for evaluation) pass unchanged.
    """

    def __init__(self, inputs: Callable[[list[Any]], Any] = default_data_collator) -> None:
        self.inputs = inputs

    def __call__(self, examples: list[dict[str, Any]]) -> Any:
        if not isinstance(examples[0].get("labels"), torch.Tensor):
            return self.inputs(examples)
        without = [{name: value for name, value in example.items() if name != "labels"} for example in examples]
        batch = self.inputs(without)
        batch["labels"] = torch.stack([example["labels"] for example in examples])
        return batch


def trainer_loss(
    outputs: Any, labels: torch.Tensor | None, num_items_in_batch: torch.Tensor | int | None = None
) -> torch.Tensor:
    """Compute the cross-entropy of hard or soft labels, a mean over all items of an optimizer's step.

    The Trainer reports the number of label entries in the accumulated batches, which for probabilities is k per item.
    """
    if labels is None:
        raise Refusal(
            "the loss was given no labels: the Trainer drops columns that the model's forward does not name",
            ways=[
                PythonWay("pass TrainingArguments(label_names=['labels'])"),
                PythonWay("pass TrainingArguments(remove_unused_columns=False)"),
            ],
        )
    logits = outputs["logits"] if isinstance(outputs, dict) else outputs[0]
    if num_items_in_batch is None:
        return soft_cross_entropy(logits, labels)
    entries = torch.as_tensor(num_items_in_batch, device=logits.device).reshape(-1)[0]
    items = entries / (labels.shape[1] if labels.ndim == 2 else 1)
    return soft_cross_entropy(logits, labels, reduction="sum") / items


class EpochCallback(TrainerCallback):
    """Set the epoch of the data set, also after a checkpoint and with samplers that are split over machines."""

    def __init__(self, dataset: DeliveredDataset) -> None:
        self.dataset = dataset

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        # A run that resumes in the middle of an epoch has a fraction here.
        self.dataset.set_epoch(int((state.epoch or 0) + 1e-6))


class SmoothingCallback(TrainerCallback):
    """Smooth the targets by the Trainer's label_smoothing_factor, which a custom loss does not receive."""

    def __init__(self, dataset: DeliveredDataset) -> None:
        self.dataset, self.delivery = dataset, dataset.delivery

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        factor = args.label_smoothing_factor
        self.dataset.delivery = smoothed(self.delivery, factor) if factor else self.delivery
