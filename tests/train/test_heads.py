"""Every engine follows a plain PyTorch loop; the rules around it are those of PyTorch and of slow references."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.train.head_config import HeadConfig, epoch_order, initial_layers, kept_units
from dissensus.train.heads import ENGINES, train_heads

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
    losses, rates, best, waited = [], [], np.inf, 0
    for epoch in range(config.epochs):
        wanted = as_hard(targets(epoch) if callable(targets) else targets)
        if wanted.is_floating_point():
            wanted = wanted.float()
        order = epoch_order(config.seed, epoch, len(features))
        model.train()
        for first in range(0, len(order), config.batch):
            batch = order[first : first + config.batch]
            dropout.mask = torch.tensor(kept_units(config, epoch, batch), dtype=torch.float32)
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
        if losses[-1] < best - config.min_delta:
            best, waited = losses[-1], 0
        else:
            waited += 1
            if waited >= config.patience:
                break
    return (
        np.array(losses),
        [(linear.weight.detach().numpy(), linear.bias.detach().numpy()) for linear in linears],
        rates,
    )


def same_weights(head, plain, tolerance=2e-5):
    for layer, (weight, bias) in zip(head.layers, plain, strict=True):
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
    (head,) = train_heads(features, probs, [config], validation=validation, engine=engine)
    losses, weights, _ = plain_loop(features, probs, validation, config)
    assert np.abs(head.validation_losses - losses).max() < TOLERANCE
    same_weights(head, weights)
