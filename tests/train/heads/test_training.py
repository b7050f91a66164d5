"""Every engine follows a plain PyTorch loop; the rules around it are those of PyTorch and of slow references."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.deliver import Delivery, majority, mixup, sls, soft
from dissensus.labels.distributions import Distributions
from dissensus.train.heads.config import HeadConfig, Layer, draw_kept_units, epoch_order, initial_layers
from dissensus.train.heads.training import ENGINES, train_heads
from tests.facts import refuses

TOLERANCE = 1e-5


def problem(n=120, d=21, k=4, seed=0):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(n, d)).astype(np.float32)
    scores = features @ rng.normal(size=(d, k)) * 0.4 + rng.gumbel(size=(n, k)) * 0.3
    probs = np.exp(scores)
    return features, probs / probs.sum(axis=1, keepdims=True)


def halves(features, probs, share=0.7):
    cut = int(len(features) * share)
    return features[:cut], probs[:cut], (features[cut:], probs[cut:])


class InjectedDropout(nn.Module):
    """Dropout with masks from outside, scaled as nn.Dropout does."""

    def __init__(self, p):
        super().__init__()
        self.p, self.mask = p, None

    def forward(self, rows):
        return rows * self.mask / (1 - self.p) if self.training else rows


def has_to_stop(losses, config):
    """Early stopping as users write it."""
    best, waited = np.inf, 0
    for loss in losses:
        best, waited = (loss, 0) if loss < best - config.min_delta else (best, waited + 1)
    return waited >= config.patience


def until_stopped(losses, config):
    ends = [epoch for epoch in range(1, len(losses) + 1) if has_to_stop(losses[:epoch], config)]
    return losses[: ends[0]] if ends else losses


def plain_loop(features, targets, validation, config, layers=None, weights=None):
    """What users write: modules, autograd, torch.optim.Adam, a scheduler object, early stopping by hand."""
    k = validation[1].shape[1]
    layers = layers or initial_layers(config, features.shape[1], k)
    dropout = InjectedDropout(config.dropout)
    linears = [nn.Linear(layer.weight.shape[1], layer.weight.shape[0]) for layer in layers]
    for linear, layer in zip(linears, layers, strict=True):
        linear.weight.data, linear.bias.data = torch.tensor(layer.weight), torch.tensor(layer.bias)
    model = nn.Sequential(linears[0], nn.GELU(), dropout, linears[1]) if len(linears) == 2 else linears[0]
    optimiser = torch.optim.Adam(model.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay)
    scheduler = None
    if config.scheduler == "plateau":
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimiser, factor=config.factor, patience=config.plateau_patience
        )

    def as_hard(given):
        given = torch.tensor(np.asarray(given))
        return given.argmax(dim=1) if config.targets == "hard" and given.ndim == 2 else given

    rows, held_rows = torch.tensor(features), torch.tensor(validation[0])
    held_wanted = as_hard(validation[1])
    losses, rates = [], []
    for epoch in range(config.epochs):
        wanted = as_hard(targets(epoch) if callable(targets) else targets)
        if wanted.is_floating_point():
            wanted = wanted.float()
        order = epoch_order(config.seed, epoch, len(features))
        model.train()
        for first in range(0, len(order), config.batch):
            batch = order[first : first + config.batch]
            dropout.mask = torch.tensor(draw_kept_units(config, epoch, batch), dtype=torch.float32)
            optimiser.zero_grad()
            each = nn.functional.cross_entropy(model(rows[batch]), wanted[batch], reduction="none")
            loss = each.mean() if weights is None else (each * torch.tensor(weights[batch])).mean()
            loss.backward()
            optimiser.step()
        model.eval()
        with torch.no_grad():
            held = held_wanted.float() if held_wanted.is_floating_point() else held_wanted
            losses.append(float(nn.functional.cross_entropy(model(held_rows), held)))
        rates.append(optimiser.param_groups[0]["lr"])
        if scheduler is not None:
            scheduler.step(losses[-1])
        if has_to_stop(losses, config):
            break
    return (
        np.array(losses),
        [(linear.weight.detach().numpy(), linear.bias.detach().numpy()) for linear in linears],
        rates,
    )


@cache
def followed(config):
    """The plain loop on the usual problem, which both engines are held against."""
    features, probs, validation = halves(*problem())
    return plain_loop(features, probs, validation, config)


def same_weights(trained, plain, tolerance=2e-5):
    for layer, (weight, bias) in zip(trained.head.layers, plain, strict=True):
        assert np.allclose(layer.weight, weight, atol=tolerance) and np.allclose(layer.bias, bias, atol=tolerance)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "config",
    [
        HeadConfig(hidden=33, dropout=0.3, batch=8, epochs=5, keep="last"),
        HeadConfig(hidden=16, dropout=0.0, batch=16, epochs=5, keep="last", targets="hard", weight_decay=1e-2),
        HeadConfig(hidden=7, dropout=0.5, batch=5, epochs=4, keep="last", seed=3, learning_rate=1e-2),
        HeadConfig(kind="linear", batch=8, epochs=6, keep="last", weight_decay=1e-3),
        HeadConfig(kind="linear", batch=32, epochs=6, keep="last", targets="hard", learning_rate=1e-2),
    ],
    ids=lambda config: f"{config.kind}-{config.hidden}-{config.targets}",
)
def test_a_head_follows_the_plain_loop(engine, config):
    features, probs, validation = halves(*problem())
    (trained,) = train_heads(features, probs, [config], validation=validation, engine=engine)
    losses, weights, _ = followed(config)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE
    same_weights(trained, weights)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("n", "d", "k", "config"),
    [
        (1, 3, 2, HeadConfig(hidden=4, dropout=0.2, batch=8, epochs=3, keep="last")),
        (1, 3, 2, HeadConfig(kind="linear", batch=1, epochs=3, keep="last", targets="hard")),
        (10, 1, 2, HeadConfig(hidden=1, dropout=0.0, batch=64, epochs=3, keep="last")),
        (13, 18, 17, HeadConfig(hidden=16, dropout=0.1, batch=4, epochs=2, keep="last")),
        (13, 15, 9, HeadConfig(kind="linear", batch=3, epochs=2, keep="last")),
    ],
    ids=["one item", "one item, linear", "a batch larger than n", "more classes than items", "a rest of one"],
)
def test_a_head_follows_the_plain_loop_at_the_edges(engine, n, d, k, config):
    features, probs = problem(n, d, k)
    validation = problem(3, d, k, seed=1)
    (trained,) = train_heads(features, probs, [config], validation=validation, n_classes=k, engine=engine)
    losses, weights, _ = plain_loop(features, probs, validation, config)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE
    same_weights(trained, weights)


@pytest.mark.parametrize("engine", ENGINES)
def test_columns_that_are_always_zero_and_large_features_follow_too(engine):
    features, probs, validation = halves(*problem())
    for rows in (features, validation[0]):
        rows[:, 3] = 0.0
        rows[:, 5] *= 100
    config = HeadConfig(hidden=8, dropout=0.0, batch=16, epochs=4, keep="last")
    (trained,) = train_heads(features, probs, [config], validation=validation, engine=engine)
    losses, weights, _ = plain_loop(features, probs, validation, config)
    assert np.allclose(trained.validation_losses, losses, rtol=1e-5)
    same_weights(trained, weights, 1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_weights_multiply_an_items_loss(engine):
    features, probs, validation = halves(*problem())
    weights = np.random.default_rng(5).exponential(size=len(features)).astype(np.float32)
    config = HeadConfig(hidden=8, dropout=0.2, batch=16, epochs=4, keep="last")
    (trained,) = train_heads(features, probs, [config], validation=validation, weights=weights, engine=engine)
    losses, _, _ = plain_loop(features, probs, validation, config, weights=weights)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE


def turning(probs):
    """Targets that change with the epoch, by a rule of a user's own."""
    return Delivery(
        name="turning",
        items=np.arange(len(probs)),
        classes=tuple(map(str, range(probs.shape[1]))),
        hard=False,
        fixed=False,
        rule=lambda epoch, items: np.roll(probs, epoch, axis=0)[slice(None) if items is None else items],
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("targets", ["soft", "hard"])
def test_targets_of_every_epoch_come_from_the_delivery(engine, targets):
    features, probs, validation = halves(*problem())
    delivery = turning(probs)
    config = HeadConfig(hidden=8, batch=16, epochs=4, keep="last", targets=targets)
    (trained,) = train_heads(features, delivery, [config], validation=validation, engine=engine)
    losses, _, _ = plain_loop(features, delivery.targets, validation, config)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("way", [soft, partial(sls, seed=3), majority])
def test_deliveries_of_the_package_reach_the_loss(engine, way):
    features, probs, validation = halves(*problem())
    delivery = way(Distributions.from_counts(np.random.default_rng(0).multinomial(9, probs)))
    config = HeadConfig(hidden=8, batch=16, epochs=4, keep="last")
    (trained,) = train_heads(features, delivery, [config], validation=validation, engine=engine)
    losses, _, _ = plain_loop(features, delivery.targets, validation, config)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("targets", ["soft", "hard"])
def test_a_delivery_that_mixes_inputs_mixes_features(engine, targets):
    features, probs, validation = halves(*problem())
    delivery = mixup(soft(Distributions.from_mass(probs)), alpha=1.0, seed=2)
    config = HeadConfig(hidden=8, batch=16, epochs=1, keep="last", targets=targets)
    (trained,) = train_heads(features, delivery, [config], validation=validation, engine=engine)
    mixing = delivery.mixing(0)
    own = mixing.weight[:, None]
    by_hand = (features * own + features[mixing.partner] * (1 - own)).astype(np.float32)
    losses, _, _ = plain_loop(by_hand, delivery.targets, validation, config)
    assert np.abs(trained.validation_losses - losses).max() < TOLERANCE


@pytest.mark.parametrize("engine", ENGINES)
def test_fewer_epochs_are_a_prefix_and_cost_nothing_else(engine):
    features, probs, validation = halves(*problem())
    configs = [HeadConfig(hidden=8, batch=16, epochs=epochs, patience=None) for epochs in (3, 5, 8)]
    together = train_heads(features, probs, configs, validation=validation, engine=engine)
    longest = together[-1].validation_losses
    for config, trained in zip(configs, together, strict=True):
        (alone,) = train_heads(features, probs, [config], validation=validation, engine=engine)
        assert np.array_equal(trained.validation_losses, longest[: config.epochs])
        assert np.array_equal(trained.validation_losses, alone.validation_losses)
        assert all(
            np.array_equal(a.weight, b.weight) for a, b in zip(trained.head.layers, alone.head.layers, strict=True)
        )


@pytest.mark.parametrize("engine", ENGINES)
def test_a_plateau_parts_from_the_path_where_it_fires(engine):
    """A learning rate that overshoots: the scheduler fires, the same head without it goes on as it was."""
    features, probs, validation = halves(*problem())
    shared = {"hidden": 8, "batch": 8, "learning_rate": 0.05, "patience": 9, "epochs": 12, "keep": "last"}
    configs = [
        HeadConfig(**shared),
        HeadConfig(**shared, scheduler="plateau", plateau_patience=0),
        HeadConfig(**shared, scheduler="plateau", plateau_patience=1, factor=0.1),
        HeadConfig(**shared, scheduler="plateau", plateau_patience=10),
    ]
    heads = train_heads(features, probs, configs, validation=validation, engine=engine)
    fired = []
    for config, trained in zip(configs, heads, strict=True):
        losses, weights, rates = followed(config)
        assert np.abs(trained.validation_losses - losses).max() < TOLERANCE
        same_weights(trained, weights, 1e-4)
        fired.append(len(set(rates)))
    assert fired[0] == fired[3] == 1 and fired[1] > 1 and fired[2] > 1
    assert np.array_equal(heads[0].validation_losses, heads[3].validation_losses)
    assert not np.array_equal(heads[0].validation_losses, heads[1].validation_losses)


@pytest.mark.parametrize("engine", ENGINES)
def test_early_stopping_ends_where_the_plain_loop_does_and_keeps_the_best(engine):
    features, probs, validation = halves(*problem())
    shared = {"hidden": 8, "batch": 8, "learning_rate": 0.02, "epochs": 30}
    configs = [
        HeadConfig(**shared, patience=patience, min_delta=delta, targets=targets)
        for patience in (1, 3, 5)
        for delta in (0.0, 1e-2)
        for targets in ("soft", "hard")
    ]
    heads = train_heads(features, probs, configs, validation=validation, engine=engine)
    for config, trained in zip(configs, heads, strict=True):
        whole, _, _ = followed(HeadConfig(**shared, patience=30, targets=config.targets))
        losses = until_stopped(whole, config)
        assert len(losses) == len(trained.validation_losses) < 30
        assert np.abs(trained.validation_losses - losses).max() < TOLERANCE
        assert trained.epoch == 1 + int(np.argmin(losses))
        assert trained.validation_loss == trained.validation_losses.min()
        wanted = validation[1] if config.targets == "soft" else np.eye(4)[validation[1].argmax(axis=1)]
        loss = -(wanted * np.log(trained.head.probs(validation[0]))).sum(axis=1).mean()
        assert loss == pytest.approx(trained.validation_loss, abs=1e-6)


def test_the_number_of_threads_changes_nothing():
    features, probs, validation = halves(*problem())
    configs = [
        HeadConfig(hidden=8, batch=b, seed=s, targets=t, scheduler="plateau", plateau_patience=0, learning_rate=0.05)
        for b in (8, 32)
        for s in (0, 1)
        for t in ("soft", "hard")
    ]
    one, two = (train_heads(features, probs, configs, validation=validation, threads=threads) for threads in (1, 2))
    for a, b in zip(one, two, strict=True):
        assert a.config == b.config and np.array_equal(a.validation_losses, b.validation_losses)
        assert np.array_equal(a.head.probs(features), b.head.probs(features))


@pytest.mark.parametrize("engine", ENGINES)
def test_without_validation_all_epochs_run_and_the_last_weights_stay(engine):
    features, probs, validation = halves(*problem())
    config = HeadConfig(hidden=8, epochs=7)
    (trained,) = train_heads(features, probs, [config], engine=engine)
    (watched,) = train_heads(
        features,
        probs,
        [HeadConfig(hidden=8, epochs=7, keep="last", patience=None)],
        validation=validation,
        engine=engine,
    )
    assert trained.epoch == 7 and trained.validation_losses.size == 0 and np.isnan(trained.validation_loss)
    assert np.array_equal(trained.head.layers[0].weight, watched.head.layers[0].weight)


@pytest.mark.parametrize("engine", ENGINES)
def test_training_goes_on_from_given_layers(engine):
    features, probs, validation = halves(*problem())
    config = HeadConfig(hidden=8, epochs=2, keep="last")
    begun = [tuple(Layer(w * 0.5, b + 1) for w, b in initial_layers(config, 21, 4))] * 2
    heads = train_heads(features, probs, [config, config], validation=validation, start=begun, engine=engine)
    losses, weights, _ = plain_loop(features, probs, validation, config, layers=begun[0])
    for trained in heads:
        assert np.abs(trained.validation_losses - losses).max() < TOLERANCE
        same_weights(trained, weights)


def test_several_targets_are_told_apart_by_name():
    features, probs, validation = halves(*problem())
    several = {"soft": probs, "hard": probs.argmax(axis=1), "reversed": probs[:, ::-1]}
    held = {"soft": validation[1], "hard": validation[1].argmax(axis=1), "reversed": validation[1][:, ::-1]}
    configs = [HeadConfig(hidden=8, epochs=3, targets=name) for name in several]
    heads = train_heads(features, several, configs, validation=(validation[0], held))
    plain = train_heads(features, probs, configs[:2], validation=validation)
    for a, b in zip(heads, plain, strict=False):
        assert np.array_equal(a.validation_losses, b.validation_losses)
    assert not np.array_equal(heads[0].validation_losses, heads[2].validation_losses)


def test_distributions_and_tensors_are_taken_as_they_are():
    features, probs, _ = halves(*problem())
    config = HeadConfig(kind="linear", epochs=2)
    named = Distributions(probs, np.arange(len(probs)), ("a", "b", "c", "d"))
    (from_values,) = train_heads(torch.tensor(features), named, [config])
    (from_tensor,) = train_heads(features, torch.tensor(probs), [config])
    assert np.array_equal(from_values.head.layers[0].weight, from_tensor.head.layers[0].weight)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_may_not_be_written_to_is_read(engine):
    features, probs, validation = halves(*problem())
    for array in (features, probs, *validation):
        array.flags.writeable = False
    classes = probs.argmax(axis=1)
    classes.flags.writeable = False
    config = HeadConfig(kind="linear", epochs=2)
    assert train_heads(features, probs, [config], validation=validation, engine=engine)[0].epoch
    assert train_heads(features, classes, [config], validation=validation, engine=engine)[0].epoch


def test_probabilities_sum_to_one_and_equal_pytorchs():
    features, probs, _ = halves(*problem())
    (trained,) = train_heads(features, probs, [HeadConfig(hidden=12, epochs=3, learning_rate=0.01)])
    found = trained.head.probs(features)
    (w1, b1), (w2, b2) = ((torch.tensor(w), torch.tensor(b)) for w, b in trained.head.layers)
    inner = nn.functional.gelu(torch.tensor(features) @ w1.T + b1)
    assert np.allclose(found, torch.softmax(inner @ w2.T + b2, dim=1).numpy(), atol=1e-6)
    assert np.abs(found.sum(axis=1) - 1).max() < 1e-12
    with refuses("(84, 20)", "21 features"):
        trained.head.probs(features[:, 1:])


def changed(array, where, value):
    other = np.array(array)
    other[where] = value
    return other


def held_out_classes(x, p):
    features, probs = halves(*problem())[2]
    return features, probs.argmax(axis=1)


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        (
            {"features": lambda x, p: changed(x, (7, 2), np.nan)},
            ("row 7 of features", "nan in column 2", "finite", "1 of 84 rows"),
        ),
        ({"features": lambda x, p: x[:, 0]}, ("features", "(84,)", "(n, d)")),
        ({"features": lambda x, p: x[:80]}, ("80 rows of features", "84 of targets", "(soft)")),
        ({"targets": lambda x, p: p * 50}, ("targets", "row 0", "item 0", "class '0'", "0 to 1", "sum to 1")),
        (
            {"targets": lambda x, p: p.argmax(axis=1) * 1.0, "validation": held_out_classes},
            ("targets", "(84,)", "classes", "integers", "float64"),
        ),
        ({"targets": lambda x, p: np.where(p.argmax(axis=1) == 1, 0, 3)}, ("targets", "class 1", "2 of 4 classes")),
        (
            {"targets": lambda x, p: np.minimum(p.argmax(axis=1), 2), "validation": held_out_classes},
            ("validation targets", "item 2", "class 3", "3 classes", "0..2", "11 of 36"),
        ),
        (
            {"targets": lambda x, p: np.eye(4)[np.minimum(p.argmax(axis=1), 2)]},
            ("class 3", "in validation", "none in training", "1 of 4 classes"),
        ),
        ({"targets": lambda x, p: {"hard": p}}, ("targets 'soft'", "['hard']")),
        ({"weights": lambda x, p: np.full(84, -1.0)}, ("item 0", "weight -1.0", "0 or more", "84 of 84")),
        ({"weights": lambda x, p: np.ones(3)}, ("weights", "(3,)", "84 items", "(84,)")),
        ({"configs": lambda x, p: []}, ("configs", "empty", "HeadConfig")),
        ({"engine": lambda x, p: "jax"}, ("engine 'jax'", "numba, torch")),
        ({"threads": lambda x, p: 0}, ("threads is 0", "1 or more")),
        ({"device": lambda x, p: "cuda"}, ("numba", "'cuda'", "engine='torch'")),
        (
            {"configs": lambda x, p: [HeadConfig(scheduler="plateau")], "validation": lambda x, p: None},
            ("head 0", "plateau", "1 of 1", "validation=(features, targets)"),
        ),
        (
            {"validation": lambda x, p: (x[:, 1:], p)},
            ("validation features", "20 columns", "training features 21"),
        ),
        (
            {"validation": lambda x, p: (x, turning(p))},
            ("validation targets", "soft", "turning", "delivery.targets(0)"),
        ),
        (
            {"start": lambda x, p: [initial_layers(HeadConfig(hidden=5), 21, 4)]},
            ("head 0", "[(5, 21), (4, 5)]", "expected [(128, 21), (4, 128)]"),
        ),
        ({"configs": lambda x, p: [HeadConfig(targets="sls")]}, ("targets 'sls'", "'soft' or 'hard'", "{'sls': ...}")),
    ],
)
def test_what_does_not_fit_is_refused_with_the_place(changes, facts):
    features, probs, validation = halves(*problem())
    given = {"features": features, "targets": probs, "configs": [HeadConfig()], "validation": validation}
    given |= {name: change(features, probs) for name, change in changes.items()}
    with refuses(*facts):
        train_heads(given.pop("features"), given.pop("targets"), given.pop("configs"), **given)


@pytest.mark.parametrize("engine", ENGINES)
def test_training_that_diverges_says_so(engine):
    features, probs, validation = halves(*problem())
    config = HeadConfig(kind="linear", learning_rate=1e30, batch=8)
    with refuses("validation loss", "learning_rate=1e+30", "nan after epoch 1", "diverged"):
        train_heads(features * 1e30, probs, [config], validation=validation, engine=engine)


@pytest.mark.parametrize(
    ("setting", "facts"),
    [
        ({"kind": "cnn"}, ("kind 'cnn'", "mlp, linear")),
        ({"batch": 0}, ("batch=0", "whole number", "1 or more")),
        ({"epochs": 2.5}, ("epochs=2.5", "whole number", "1 or more")),
        ({"dropout": 1.0}, ("dropout=1.0", "0 to below 1")),
        ({"learning_rate": float("nan")}, ("learning_rate=nan", "0 or more")),
        ({"scheduler": "cosine"}, ("scheduler 'cosine'", "from: plateau")),
    ],
)
def test_settings_out_of_range_are_refused(setting, facts):
    with refuses(*facts):
        HeadConfig(**setting)
