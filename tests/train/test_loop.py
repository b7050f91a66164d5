"""Training a network: the same as a loop written by hand, the same again, and never something else in silence."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from dissensus import Distributions, Votes
from dissensus.deliver import deliver, majority, mixup, multipass, sls, smoothed, soft
from dissensus.deliver.deliveries import DELIVERIES, wrapped
from dissensus.deliver.wrappers import WRAPPERS
from dissensus.evaluate import soft_nll
from dissensus.train import (
    NETWORKS,
    ImageTable,
    Network,
    TrainConfig,
    load_network,
    save_network,
    train_module,
)
from dissensus.train.heads.config import epoch_order
from dissensus.train.recipes import RECIPES
from dissensus.train.train_config import PRECISIONS, augmentation_rng, flip_rng, step_seed, weight_seed
from tests.facts import refuses
from tests.train.pictures import blobs, tiny

CONFIG = TrainConfig(epochs=3, batch=16, learning_rate=0.05, crop=1, device="cpu", precision="float32")


def weights(network: Network) -> dict[str, torch.Tensor]:
    return network.module.state_dict()


def same_bits(one: Network, other: Network) -> bool:
    return all(torch.equal(value, weights(other)[name]) for name, value in weights(one).items())


def by_hand(pixels, targets, config, *, mixing=None):
    """The loop people write, image by image: pad, cut, mirror, normalise, step; torch's own optimizer and schedule."""
    x = pixels.astype(np.float64) / 255
    mean, std = x.mean(axis=(0, 1, 2)), x.std(axis=(0, 1, 2))
    torch.manual_seed(weight_seed(config.seed))
    module = tiny()
    optimizer = torch.optim.SGD(
        module.parameters(),
        lr=config.learning_rate,
        momentum=config.momentum,
        weight_decay=config.weight_decay,
        nesterov=config.nesterov,
    )
    n, h, w, _ = pixels.shape
    steps = -(-n // config.batch)
    each_step = config.schedule == "triangle"
    if each_step:
        ends = [0, config.warmup * config.epochs * steps, config.epochs * steps]
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: np.interp(step, ends, [0, 1, 0]))
    else:
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, config.epochs)
    border = "reflect" if config.border == "reflect" else "constant"
    for epoch in range(config.epochs):
        rng = augmentation_rng(config.seed, epoch)
        corners = rng.integers(0, 2 * config.crop, size=(n, 2), endpoint=True)
        mirrored = rng.integers(0, 1, size=n, endpoint=True)
        if config.alternate_flip:
            mirrored = (flip_rng(config.seed).integers(0, 1, size=n, endpoint=True) + epoch) % 2
        holes = rng.integers(0, (h, w), size=(n, 2))

        def image(item, corners=corners, mirrored=mirrored, holes=holes):
            padded = np.pad(x[item], ((config.crop, config.crop), (config.crop, config.crop), (0, 0)), mode=border)
            top, left = corners[item]
            cut = padded[top : top + h, left : left + w]
            cut = cut[:, ::-1] if mirrored[item] else cut
            normal = (cut - mean) / std
            if config.cutout:
                row, column = holes[item] - config.cutout // 2
                normal[max(row, 0) : max(row + config.cutout, 0), max(column, 0) : max(column + config.cutout, 0)] = 0
            return normal

        order = epoch_order(config.seed, epoch, n)
        for step, start in enumerate(range(0, n, config.batch)):
            items = order[start : start + config.batch]
            batch = np.stack([image(item) for item in items])
            if mixing is not None:
                pairs = mixing(epoch, items)
                others = np.stack([image(item) for item in pairs.partner])
                share = pairs.weight[:, None, None, None]
                batch = share * batch + (1 - share) * others
            torch.manual_seed(step_seed(config.seed, epoch, step))
            module.train()
            logits = module(torch.tensor(batch.transpose(0, 3, 1, 2), dtype=torch.float32))
            goal = torch.tensor(targets(epoch, items))
            if goal.ndim == 1:
                goal = functional.one_hot(goal, 3)
            loss = -(goal * functional.log_softmax(logits, dim=1)).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if each_step:
                schedule.step()
        if not each_step:
            schedule.step()
    return module


@pytest.mark.parametrize(
    "make", [soft, partial(sls, seed=1), partial(multipass, seed=1)], ids=["soft", "sls", "multipass"]
)
def test_a_loop_written_by_hand_ends_with_the_same_weights(make):
    table, people = blobs(50)
    delivery = make(people)
    ours = train_module(tiny, table, delivery, CONFIG)
    theirs = by_hand(table.pixels, delivery.targets, CONFIG).state_dict()
    for name, value in weights(ours.last).items():
        torch.testing.assert_close(value, theirs[name], rtol=2e-4, atol=2e-5)


def test_the_settings_of_the_fast_recipe_follow_the_loop_written_by_hand():
    table, people = blobs(50)
    settings = {name: value for name, value in RECIPES["fast"].items() if name not in ("network", "learning_rate")}
    config = replace(CONFIG, **settings | {"epochs": 3, "batch": 16})
    ours = train_module(tiny, table, soft(people), config)
    theirs = by_hand(table.pixels, soft(people).targets, config).state_dict()
    for name, value in weights(ours.last).items():
        torch.testing.assert_close(value, theirs[name], rtol=2e-4, atol=2e-5)


def test_mixup_and_cutout_follow_the_loop_written_by_hand():
    table, people = blobs(50)
    config = replace(CONFIG, epochs=2, cutout=3, seed=5)
    delivery = mixup(majority(people), 3, alpha=0.4)
    ours = train_module(tiny, table, delivery, config)
    theirs = by_hand(table.pixels, delivery.targets, config, mixing=delivery.mixing).state_dict()
    for name, value in weights(ours.last).items():
        torch.testing.assert_close(value, theirs[name], rtol=2e-4, atol=2e-5)


def test_the_same_seed_gives_the_same_bits_and_another_seed_does_not():
    table, people = blobs(40)
    first, again = (train_module(tiny, table, sls(people, 0), CONFIG, validation=(table, people)) for _ in range(2))
    other = train_module(tiny, table, sls(people, 0), replace(CONFIG, seed=1), validation=(table, people))
    assert same_bits(first.best, again.best) and same_bits(first.last, again.last)
    assert first.history == again.history
    assert not same_bits(first.last, other.last)


def test_training_neither_uses_nor_changes_the_random_state_of_the_caller():
    table, people = blobs(40)
    torch.manual_seed(1)
    first = train_module(tiny, table, people, CONFIG)
    drawn = torch.rand(3)
    torch.manual_seed(1)
    assert torch.equal(torch.rand(3), drawn)
    torch.manual_seed(2)
    assert same_bits(first.last, train_module(tiny, table, people, CONFIG).last)


def test_the_number_of_threads_changes_nothing_but_speed():
    table, people = blobs(16)
    network, config = partial(NETWORKS["small"], 3, width=4, depth=1), TrainConfig(epochs=1, batch=8, device="cpu")
    before = torch.get_num_threads()
    results = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            results.append(train_module(network, table, people, config))
    finally:
        torch.set_num_threads(before)
    one, two = (weights(result.last) for result in results)
    for name, value in one.items():  # torch may add up in another order, so not to the bit
        torch.testing.assert_close(value, two[name], rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("name", DELIVERIES)
def test_every_delivery_trains_a_network(name):
    table, people = blobs(30)
    assert np.isfinite(train_module(tiny, table, deliver(Votes.of_counts(people), name, 0), CONFIG).history[-1]["loss"])


@pytest.mark.parametrize("name", WRAPPERS)
def test_every_wrapper_trains_a_network(name):
    table, people = blobs(30)
    knob = WRAPPERS[name].knob
    delivery = wrapped(soft(people), name if knob is None else f"{name}={knob.example}", 0)
    assert np.isfinite(train_module(tiny, table, delivery, CONFIG).history[-1]["loss"])


def test_best_and_last_are_both_kept_and_scored_by_the_same_rule_as_evaluate():
    table, people = blobs(60)
    training = train_module(
        tiny,
        table.select(range(40)),
        majority(people.select(range(40))),
        TrainConfig(epochs=12, batch=8, learning_rate=0.2, crop=0, flip=False, device="cpu"),
        validation=(table.select(range(40, 60)), people.select(range(40, 60))),
    )
    losses = [record["soft_nll"] for record in training.history]
    held = people.probs[40:]
    assert training.best_epoch == int(np.argmin(losses)) + 1
    assert soft_nll(training.best.probs(table.pixels[40:]), held).mean() == pytest.approx(min(losses), abs=1e-6)
    assert soft_nll(training.last.probs(table.pixels[40:]), held).mean() == pytest.approx(losses[-1], abs=1e-6)
    assert training.scores["best"]["soft_nll"] == pytest.approx(min(losses), abs=1e-6)
    assert training.scores["last"]["soft_nll"] == pytest.approx(losses[-1], abs=1e-6)


def test_a_network_that_learns_knows_more_than_how_often_each_class_is_chosen():
    table, people = blobs(180, noise=10)
    train, held = table.select(range(120)), table.select(range(120, 180))
    training = train_module(
        tiny, train, people.select(range(120)), TrainConfig(epochs=15, batch=16, crop=0, device="cpu")
    )
    shares = np.repeat(people.probs[:120].mean(axis=0)[None], 60, axis=0)
    mine, constant = (soft_nll(guess, people.probs[120:]).mean() for guess in (training.last.probs(held), shares))
    assert mine < constant - 0.2


def test_training_stops_early_and_says_which_epoch_was_best():
    table, people = blobs(40)
    config = TrainConfig(epochs=50, batch=16, learning_rate=0.0, momentum=0, patience=3, crop=0, device="cpu")
    training = train_module(partial(tiny, norm=False), table, people, config, validation=(table, people))
    assert len(training.history) == 4 and training.best_epoch == 1  # nothing moves, so three epochs without a gain


def test_the_given_module_is_trained_from_its_weights_and_stays_as_it_is():
    table, people = blobs(30)
    module = tiny()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    still = train_module(module, table, people, TrainConfig(epochs=1, batch=8, learning_rate=0.0, device="cpu"))
    moved = train_module(module, table, people, CONFIG)
    named = [name for name, _ in module.named_parameters()]
    assert all(torch.equal(before[name], value) for name, value in module.state_dict().items())
    assert all(torch.equal(before[name], weights(still.last)[name]) for name in named)
    assert not all(torch.equal(before[name], weights(moved.last)[name]) for name in named)


def test_fine_tuning_keeps_the_normalisation_of_the_network():
    table, people = blobs(30)
    dark = ImageTable(table.pixels // 4, table.items)
    trained = train_module(tiny, table, people, CONFIG).last
    tuned = train_module(trained, dark, people, CONFIG).last
    assert tuned.mean == trained.mean and tuned.std == trained.std
    assert train_module(trained.module, dark, people, CONFIG).last.mean != trained.mean


def test_a_batch_in_parts_has_the_gradient_of_the_whole():
    table, people = blobs(40)
    network = partial(tiny, norm=False)
    whole, parts = (train_module(network, table, people, replace(CONFIG, accumulate=parts)).last for parts in (1, 3))
    for name, value in weights(whole).items():
        torch.testing.assert_close(value, weights(parts)[name], rtol=1e-4, atol=1e-5)


def test_the_callback_sees_every_epoch_and_the_network_as_it_is_then():
    table, people = blobs(30)
    seen = []

    def look(record, network):
        seen.append((record, soft_nll(network.probs(table), people.probs).mean()))

    train_module(tiny, table, people, CONFIG, validation=(table, people), after_epoch=look)
    assert [record["epoch"] for record, _ in seen] == [1, 2, 3]
    assert all(record["soft_nll"] == pytest.approx(loss) for record, loss in seen)


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw"])
@pytest.mark.parametrize("schedule", ["cosine", "steps", "plateau", "constant"])
def test_every_optimizer_and_schedule_trains(optimizer, schedule):
    table, people = blobs(30)
    milestones = (1,) if schedule == "steps" else ()
    config = TrainConfig(
        epochs=2,
        batch=16,
        learning_rate=1e-3,
        optimizer=optimizer,
        schedule=schedule,
        milestones=milestones,
        crop=0,
        device="cpu",
    )
    assert np.isfinite(train_module(tiny, table, people, config, validation=(table, people)).history[-1]["loss"])


def test_bfloat16_ends_near_float32():
    table, people = blobs(120)
    trainings = [train_module(tiny, table, people, replace(CONFIG, precision=name)) for name in PRECISIONS[1:]]
    (single, half) = (training.last.probs(table) for training in trainings)
    assert not np.array_equal(single, half)
    assert soft_nll(half, people.probs).mean() == pytest.approx(soft_nll(single, people.probs).mean(), rel=0.03)


@pytest.mark.parametrize(
    ("processor", "side", "chosen"),
    [("avx512_bf16", 32, "bfloat16"), ("avx512_bf16", 31, "float32"), ("avx2", 32, "float32")],
)
def test_auto_is_the_format_that_the_processor_computes_in(monkeypatch, tmp_path, processor, side, chosen):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {processor: True}, raising=False)
    table, people = blobs(40, side=side)
    auto = train_module(tiny, table, people, replace(CONFIG, precision="auto"), checkpoint=tmp_path)
    assert same_bits(auto.last, train_module(tiny, table, people, replace(CONFIG, precision=chosen)).last)
    # The checkpoint keeps the choice: a processor that would choose the other format is told so.
    other = {"bfloat16": "float32", "float32": "bfloat16"}[chosen]
    with pytest.raises(ValueError, match=f"precision was '{chosen}' and is '{other}'"):
        train_module(tiny, table, people, replace(CONFIG, precision=other), checkpoint=tmp_path)


def test_weights_without_a_part_in_the_loss_are_looked_at_too():
    class Unused(nn.Linear):
        def forward(self, x):
            return super().forward(x.flatten(1))

    module = Unused(192, 3)
    module.unused = nn.Parameter(torch.ones(1))
    module.weight.register_hook(lambda _: setattr(module.unused, "grad", torch.full((1,), torch.nan)))

    table, people = blobs(20)
    with refuses("unused", "not finite", "epoch 1"):
        train_module(lambda: module, table, people, replace(CONFIG, crop=0))


class Pair(nn.Module):
    """Logits and something else, as networks with a second head give them; which may be so in training alone."""

    def __init__(self, in_training_alone=False):
        super().__init__()
        self.inner, self.in_training_alone = tiny(), in_training_alone

    def forward(self, x):
        logits = self.inner(x)
        return (logits, 0) if self.training or not self.in_training_alone else logits


def test_a_second_head_in_training_only_is_refused():
    table, people = blobs(30)
    with refuses("a tuple", "logits", "(b, 3)"):
        train_module(partial(Pair, in_training_alone=True), table, people, CONFIG)


@pytest.mark.parametrize("kind", ["torch", "numpy"])
def test_a_step_that_needs_too_much_memory_is_refused_with_the_way_out(kind):
    table, people = blobs(30)

    class Vast(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = tiny()

        def forward(self, x):
            if self.training:
                torch.empty(2**58) if kind == "torch" else np.empty(2**58)
            return self.inner(x)

    with refuses("step of 16 images", "memory", "accumulate=2"):
        train_module(Vast, table, people, CONFIG)


@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode])
def test_it_trains_where_the_caller_has_switched_gradients_off(around):
    table, people = blobs(20)
    with around():
        inside = train_module(tiny, table, people, CONFIG)
        assert not torch.is_grad_enabled()
    outside = train_module(tiny, table, people, CONFIG)
    assert inside.history == outside.history


def test_the_default_precision_of_the_caller_changes_nothing(tmp_path):
    table, people = blobs(20)
    network = partial(NETWORKS["small"], 3, width=4, depth=1)
    before = train_module(network, table, people, CONFIG, validation=(table, people))
    save_network(before.last, tmp_path / "m.safetensors")
    torch.set_default_dtype(torch.float64)
    try:
        after = train_module(network, table, people, CONFIG, validation=(table, people))
        assert torch.get_default_dtype() == torch.float64
        loaded = load_network(tmp_path / "m.safetensors")
    finally:
        torch.set_default_dtype(torch.float32)
    assert (before.history, before.scores) == (after.history, after.scores)
    assert np.array_equal(loaded.probs(table), before.last.probs(table))


def test_nan_predictions_stop_training_instead_of_being_the_best():
    table, people = blobs(20)

    class Blind(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.steps = tiny(), 0

        def forward(self, x):
            self.steps += self.training
            return self.inner(x) * (float("nan") if self.steps and not self.training else 1)

    with refuses("held out", "nan", "logit of image 0", "20 of 20", "epoch 1", "0.05"):
        train_module(Blind, table, people, CONFIG, validation=(table, people))


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"images": 29}, ("29 rows of images", "30 of targets")),
        ({"network": 3}, ("network is a int", "nn.Module", 'partial(NETWORKS["small"], classes=10)')),
        ({"network": nn.Flatten()}, ("Flatten", "no weights")),
        ({"network": partial(NETWORKS["small"], 4, width=4)}, ("(1, 4)", "3 classes")),
        ({"network": partial(NETWORKS["small"], 3, width=4, channels=1)}, ("network", "8 x 8 pixels", "3 channels")),
        ({"network": Pair}, ("a tuple", "logits", "(b, 3)")),
        ({"network": lambda: tiny().requires_grad_(False)}, ("Sequential", "frozen", "requires_grad")),
        ({"network": lambda: nn.Sequential(nn.Flatten(), nn.LazyLinear(3))}, ("1.weight", "no shape", "lazy")),
        ({"config": TrainConfig(device="nowhere")}, ("device 'nowhere'", "'cpu'")),
        ({"config": TrainConfig(crop=8)}, ("crop=8", "8 pixels", "8 x 8 (width x height)", "less than 8")),
        ({"config": TrainConfig(patience=3)}, ("patience", "held out", "give validation")),
        ({"config": TrainConfig(schedule="plateau")}, ("schedule 'plateau'", "held out", "give validation")),
        ({"validation": True}, ("validation labels", "(sls)", "epoch")),
    ],
)
def test_what_does_not_fit_is_refused_before_training(change, facts):
    table, people = blobs(30)
    images = table.select(range(change.get("images", 30)))
    validation = (table, sls(people, 0)) if change.get("validation") else None
    with refuses(*facts):
        train_module(change.get("network", tiny), images, people, change.get("config", CONFIG), validation=validation)


def test_images_and_targets_of_other_items_are_refused():
    table, people = blobs(30)
    with refuses("row 0", "images is item p29", "targets is item p0", "30 of 30 rows"):
        train_module(tiny, table.select(range(29, -1, -1)), people, CONFIG)
    with refuses("row 1", "validation images", "is item p2", "labels is item p1", "2 of 3 rows"):
        train_module(tiny, table, people, CONFIG, validation=(table.select([0, 2, 1]), people.select([0, 1, 2])))


def test_a_single_item_left_over_joins_the_batch_before_it():
    """Batch norm on one pixel has no variance of one image."""
    table, people = blobs(17, side=2)
    network = partial(NETWORKS["small"], 3, width=4, depth=2)
    config = TrainConfig(epochs=1, batch=8, crop=0, device="cpu")
    assert np.isfinite(train_module(network, table, people, config).history[0]["loss"])


@pytest.mark.parametrize(("n", "accumulate"), [(18, 2), (19, 8)])
def test_parts_of_a_small_last_batch_have_two_items_or_more(n, accumulate):
    """2 and 3 items are left over; one alone has no variance, and training would end after its first epoch."""
    table, people = blobs(n, side=2)
    network = partial(NETWORKS["small"], 3, width=4, depth=2)
    config = TrainConfig(epochs=1, batch=16, accumulate=accumulate, crop=0, device="cpu")
    assert np.isfinite(train_module(network, table, people, config).history[0]["loss"])


def test_weights_that_are_nan_are_refused():
    table, people = blobs(20)
    module = tiny()
    module[6].bias.data[0] = float("nan")
    with refuses("6.bias", "not finite", "before training"):
        train_module(module, table, people, CONFIG)


def test_one_class_only_is_refused_by_the_labels():
    table, _ = blobs(30)
    with refuses("(1, 3)", "1 classes"):
        train_module(tiny, table, Distributions(np.ones((30, 1)), table.items, ("only",)), CONFIG)


def test_a_loss_of_nan_stops_training_and_names_the_step():
    table, people = blobs(40)

    class Runaway(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.calls = tiny(), 0

        def forward(self, x):
            self.calls += self.training
            return self.inner(x) * (float("nan") if self.calls == 5 else 1.0)

    with refuses("loss is nan", "step 2 of epoch 2", "0.0375"):
        train_module(Runaway(), table, people, CONFIG)


@pytest.mark.parametrize("validation", [False, True])
@pytest.mark.parametrize("rate", [1e5, 1e30])
def test_training_that_diverges_in_the_last_step_has_no_result(validation, rate):
    """The loss of a step is that before it, so it is fine in the only step there is."""
    table, people = blobs(40)
    network = partial(NETWORKS["small"], 3, width=4, depth=2)
    config = TrainConfig(epochs=1, batch=40, learning_rate=rate, crop=0, device="cpu")
    with refuses("epoch 1", f"{rate:g}", "learning rate") as caught:
        train_module(network, table, people, config, validation=(table, people) if validation else None)
    assert re.search(r"\b(nan|inf)\b", str(caught.value)), "which of the two depends on the processor"


def test_the_validation_loss_is_finite_where_a_probability_is_too_small_for_a_float():
    table, people = blobs(20)

    class Sure(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = tiny(norm=False)

        def forward(self, x):
            return self.inner(x) * 1e5

    config = TrainConfig(epochs=1, learning_rate=0, device="cpu")
    training = train_module(Sure(), table, people, config, validation=(table, people))
    assert 1e3 < training.history[0]["soft_nll"] < 1e6


def test_smoothed_labels_reach_the_loss():
    """At weights of zero every target costs ln 3, at any smoothing."""
    table, people = blobs(30)
    network = partial(tiny, zero=True)
    training = train_module(
        network, table, smoothed(majority(people), 0.3), TrainConfig(epochs=1, learning_rate=0, device="cpu")
    )
    assert training.history[0]["loss"] == pytest.approx(np.log(3), abs=1e-6)
