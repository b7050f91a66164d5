"""A tiny model of transformers that notes what it was given. transformers takes seconds to import."""

from __future__ import annotations

import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

from dissensus.train.hugging_face import DeliveredCollator, DeliveredExamples, deliver_to_trainer, trainer_loss

__all__ = [
    "DeliveredCollator",
    "DeliveredExamples",
    "Trainer",
    "TrainingArguments",
    "deliver_to_trainer",
    "settings",
    "tiny",
    "trainer_loss",
    "watched",
]
K = 3


def tiny():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        max_position_embeddings=4,
        num_labels=K,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertForSequenceClassification(config)


class Watched(BertForSequenceClassification):
    """Notes which items each training batch held, and whether labels reached the model."""

    def forward(self, input_ids=None, labels=None, **kwargs):
        if self.training:
            self.seen.append((input_ids[:, 1] - 3).tolist())
            self.given.append(labels is not None)
        return super().forward(input_ids=input_ids, labels=labels, **kwargs)


def watched():
    model = tiny()
    model.__class__ = Watched
    model.seen, model.given = [], []
    return model


def settings(folder, **changes):
    usual = {
        "per_device_train_batch_size": 4,
        "num_train_epochs": 3,
        "report_to": "none",
        "save_strategy": "no",
        "logging_strategy": "no",
        "disable_tqdm": True,
        "use_cpu": True,
        "seed": 0,
        "learning_rate": 0.01,
    }
    return TrainingArguments(output_dir=str(folder), **(usual | changes))
