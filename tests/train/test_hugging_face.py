"""The Trainer of transformers on deliveries: cross-entropy, not yes/no questions, and the right epoch."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
import torch

from dissensus.deliver import majority, multipass, sls, smoothed, soft
from dissensus.labels.votes import Votes
from dissensus.train.loss import soft_cross_entropy
from tests.facts import refuses

# The Trainer asks for pinned memory where there is no accelerator, and torch says so.
pytestmark = [
    pytest.mark.filterwarnings("ignore:'pin_memory' argument is set as true:UserWarning"),
    pytest.mark.skipif(not all(map(find_spec, ("transformers", "accelerate"))), reason="transformers is not installed"),
]
N, K = 12, 3


@cache
def runs():
    """What takes seconds to import, and is not wanted when tests are only listed."""
    return import_module("tests.train.hugging_face_runs")


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    return Votes(
        item=np.repeat(np.arange(N), 4), items=np.arange(N), classes=("a", "b", "c"), choice=rng.integers(0, K, N * 4)
    )


def examples():
    """Token 3 + i stands for item i, so that a batch tells which items it holds."""
    return [{"input_ids": [1, 3 + item], "attention_mask": [1, 1], "label": 0} for item in range(N)]


def noted(parts):
    """The parts, with a loss that also notes the labels it was given."""
    labels_seen = []

    def loss(outputs, labels, num_items_in_batch=None):
        labels_seen.append(labels.clone())
        return runs().trainer_loss(outputs, labels, num_items_in_batch)

    return parts | {"compute_loss_func": loss}, labels_seen


def test_a_model_takes_floating_labels_for_yes_no_questions(votes):
    """The trap that the adapter is for: the model's own loss is binary cross-entropy, without a word."""
    model, targets = runs().tiny(), torch.tensor(soft(votes).targets(0), dtype=torch.float32)
    inputs = torch.tensor([one["input_ids"] for one in examples()])
    found = model(input_ids=inputs, labels=targets)
    assert model.config.problem_type == "multi_label_classification"
    binary = torch.nn.functional.binary_cross_entropy_with_logits(found.logits, targets)
    assert torch.allclose(found.loss, binary)
    assert not torch.allclose(found.loss, soft_cross_entropy(found.logits, targets))


@pytest.mark.parametrize("make", [multipass, sls, lambda votes, seed: soft(votes)], ids=["multipass", "sls", "soft"])
def test_every_batch_has_the_targets_of_its_epoch_and_items(votes, make, tmp_path):
    delivery = make(votes, 0)
    model = runs().watched()
    parts, labels_seen = noted(runs().deliver_to_trainer(examples(), delivery))
    runs().Trainer(model, runs().settings(tmp_path), **parts).train()
    assert len(model.seen) == 9 and not any(model.given)
    for step, (items, labels) in enumerate(zip(model.seen, labels_seen, strict=True)):
        assert np.allclose(labels.numpy(), delivery.targets(step // 3, items), atol=1e-7)


def test_a_run_that_is_resumed_goes_on_with_its_epoch(votes, tmp_path):
    delivery = multipass(votes, 0)
    saving = {"save_strategy": "steps", "save_steps": 1, "num_train_epochs": 2}
    parts, whole = noted(runs().deliver_to_trainer(examples(), delivery))
    full = runs().watched()
    runs().Trainer(full, runs().settings(tmp_path, **saving), **parts).train()
    for step in (3, 4):  # the end of the first epoch, and the middle of the second
        parts, rest = noted(runs().deliver_to_trainer(examples(), delivery))
        model = runs().watched()
        trainer = runs().Trainer(
            model, runs().settings(tmp_path / "again", **(saving | {"save_strategy": "no"})), **parts
        )
        trainer.train(resume_from_checkpoint=str(tmp_path / f"checkpoint-{step}"))
        assert model.seen == full.seen[step:]
        assert all(torch.equal(one, two) for one, two in zip(rest, whole[step:], strict=True))


def test_accumulated_batches_give_the_gradient_of_one_large_batch(votes, tmp_path):
    """The Trainer counts entries of labels: k for each item of soft targets, which the loss must undo."""
    found = []
    for name, sizes in (("one", (12, 1)), ("three", (4, 3))):
        size, steps = sizes
        torch.manual_seed(0)
        model = runs().tiny()
        few = runs().settings(
            tmp_path / name,
            per_device_train_batch_size=size,
            gradient_accumulation_steps=steps,
            num_train_epochs=1,
            optim="sgd",
            learning_rate=1.0,
            lr_scheduler_type="constant",
            max_grad_norm=0.0,
        )
        runs().Trainer(model, few, **runs().deliver_to_trainer(examples(), soft(votes))).train()
        found.append(model.classifier.weight.detach().clone())
    plain = runs().tiny()
    inputs = torch.tensor([one["input_ids"] for one in examples()])
    loss = soft_cross_entropy(plain(input_ids=inputs).logits, torch.tensor(soft(votes).targets(0), dtype=torch.float32))
    loss.backward()
    expected = plain.classifier.weight.detach() - plain.classifier.weight.grad
    assert torch.allclose(found[0], expected, atol=1e-6) and torch.allclose(found[1], expected, atol=1e-6)


def test_evaluation_takes_hard_and_soft_labels(votes, tmp_path):
    for delivery in (soft(votes), multipass(votes, 0)):
        held_out = runs().DeliveredExamples(examples(), delivery)
        trainer = runs().Trainer(
            runs().tiny(),
            runs().settings(tmp_path),
            eval_dataset=held_out,
            **runs().deliver_to_trainer(examples(), delivery),
        )
        found = trainer.evaluate()["eval_loss"]
        inputs = torch.tensor([one["input_ids"] for one in examples()])
        targets = torch.tensor(delivery.targets(0))
        expected = soft_cross_entropy(trainer.model.eval()(input_ids=inputs).logits, targets)
        assert abs(found - expected.item()) < 1e-5


def test_label_smoothing_of_the_trainer_smooths_the_targets_as_it_does_without_a_delivery(votes, tmp_path):
    """The second road is the Trainer alone, with the same classes as plain labels and its own smoother."""
    classes = majority(votes)
    sgd = {
        "num_train_epochs": 1,
        "optim": "sgd",
        "learning_rate": 1.0,
        "lr_scheduler_type": "constant",
        "max_grad_norm": 0.0,
        "per_device_train_batch_size": 12,
        "label_smoothing_factor": 0.3,
    }
    plain = [one | {"label": int(target)} for one, target in zip(examples(), classes.targets(0), strict=True)]
    weights = []
    for parts in ({"train_dataset": plain}, runs().deliver_to_trainer(examples(), classes)):
        model = runs().tiny()
        runs().Trainer(model, runs().settings(tmp_path, **sgd), **parts).train()
        weights.append(model.classifier.weight.detach().clone())
    assert torch.allclose(*weights, atol=1e-6)


def test_smoothing_reaches_the_targets_of_training_once_and_not_those_of_evaluation(votes, tmp_path):
    delivery = soft(votes)
    parts, labels_seen = noted(runs().deliver_to_trainer(examples(), delivery))
    held_out = runs().DeliveredExamples(examples(), delivery)
    for _ in range(2):  # a second Trainer made of the same parts smooths no further
        labels_seen.clear()
        model = runs().watched()
        once = runs().settings(tmp_path, label_smoothing_factor=0.3, num_train_epochs=1)
        trainer = runs().Trainer(model, once, eval_dataset=held_out, **parts)
        trainer.train()
        for items, labels in zip(model.seen, labels_seen, strict=True):
            assert np.allclose(labels.numpy(), smoothed(delivery, 0.3).targets(0, items), atol=1e-7)
    inputs = torch.tensor([one["input_ids"] for one in examples()])
    plain = soft_cross_entropy(model.eval()(input_ids=inputs).logits, torch.tensor(delivery.targets(0)))
    assert trainer.evaluate()["eval_loss"] == pytest.approx(plain.item(), abs=1e-5)
    model, once = runs().watched(), runs().settings(tmp_path, num_train_epochs=1)
    labels_seen.clear()
    runs().Trainer(model, once, **parts).train()
    assert np.allclose(labels_seen[0].numpy(), delivery.targets(0, model.seen[0]), atol=1e-7)


def test_labels_that_the_trainer_leaves_out_are_missed_with_the_way_out(votes, tmp_path):
    """A module that does not name labels among its arguments: the Trainer takes the column for unused."""

    class Bare(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = runs().tiny()
            self.config = self.inner.config

        def forward(self, input_ids, attention_mask=None):
            return {"logits": self.inner(input_ids=input_ids).logits}

    parts = runs().deliver_to_trainer(examples(), soft(votes))
    with refuses("no labels", "TrainingArguments(label_names=['labels'])", "remove_unused_columns=False"):
        runs().Trainer(Bare(), runs().settings(tmp_path, num_train_epochs=1), **parts).train()
    named = runs().settings(tmp_path, num_train_epochs=1, label_names=["labels"])
    assert runs().Trainer(Bare(), named, **parts).train().global_step == 3


def test_a_collator_that_pads_does_not_touch_the_targets(votes):
    def pad(rows):
        assert all("labels" not in row for row in rows)
        width = max(len(row["input_ids"]) for row in rows)
        return {"input_ids": torch.tensor([row["input_ids"] + [0] * (width - len(row["input_ids"])) for row in rows])}

    uneven = [{"input_ids": [1] * (1 + item % 3)} for item in range(N)]
    batch = runs().DeliveredCollator(pad)(runs().DeliveredExamples(uneven, soft(votes)).__getitems__([0, 1, 2]))
    assert batch["input_ids"].shape == (3, 3)
    assert np.allclose(batch["labels"].numpy(), soft(votes).targets(0, [0, 1, 2]), atol=1e-7)
    assert runs().DeliveredExamples(uneven, soft(votes))[4].keys() == {"input_ids", "labels"}
    assert runs().DeliveredCollator()([{"a": 1, "label": 2}])["labels"].tolist() == [2]


def test_a_wrong_target_stops_the_training():
    outputs = {"logits": torch.zeros(1, 2)}
    with refuses("target row 0", "sums to 4", "expected 1", "1 of 1 rows", "Distributions.from_counts"):
        runs().trainer_loss(outputs, torch.tensor([[3.0, 1.0]]))
