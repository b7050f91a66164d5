"""Singh's whole protocol for one data set: our heads against plain training loops, in one run.

    python benchmarks/heads.py [--items 3113] [--features 384] [--classes 3] [--hidden 128] [--full] [--stack]

Ours runs in full: 108 settings x soft and hard targets, the best of each over 10 seeds, t-tests. The plain loops train
one head after the other. By default they are timed over a few epochs of each batch size and kind of target, and scaled
to the epochs that all 236 heads run (early stopping included; every head runs equally long in all of them); --full runs
them all.
Core-seconds are processor time of all threads. Compilation, done once and cached, is timed apart.
The data are simulated: a crowd of 100 votes per item whose opinions depend on the features.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import nn

from dissensus.papers.singh2025.protocol import TARGETS, ProtocolResult, singh_grid, singh_protocol
from dissensus.train.heads.config import HeadConfig, draw_kept_units, epoch_order, initial_layers
from dissensus.train.heads.training import train_heads
from dissensus.train.splits import Parts, draw_split


def simulate_data(n: int, d: int, k: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    features = rng.normal(size=(n, d)).astype(np.float32)
    scores = features @ rng.normal(size=(d, k)) / np.sqrt(d) * 1.5 + rng.normal(size=(n, k))
    probs = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    return features, rng.multinomial(100, probs) / 100


class Masked(nn.Module):
    """Dropout by given masks, to follow ours; timed loops use nn.Dropout."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p, self.mask = p, torch.ones(1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return rows * self.mask / (1 - self.p) if self.training else rows


class Plain:
    """The loops users write, one head at a time."""

    def __init__(self, features: np.ndarray, probs: np.ndarray, split: Parts) -> None:
        rows, wanted = torch.from_numpy(features), torch.from_numpy(probs.astype(np.float32))
        self.rows, self.held_rows = rows[split.train], rows[split.validation]
        self.wanted = {"soft": wanted[split.train], "hard": wanted[split.train].argmax(dim=1)}
        self.held = {"soft": wanted[split.validation], "hard": wanted[split.validation].argmax(dim=1)}

    def model(self, config: HeadConfig, dropout: nn.Module) -> nn.Sequential:
        d, k = self.rows.shape[1], self.held["soft"].shape[1]
        model = nn.Sequential(nn.Linear(d, config.hidden), nn.GELU(), dropout, nn.Linear(config.hidden, k))
        for part, layer in zip((model[0], model[3]), initial_layers(config, d, k), strict=True):
            part.weight.data, part.bias.data = torch.from_numpy(layer.weight), torch.from_numpy(layer.bias)
        return model

    def losses(self, config: HeadConfig, way: str, epochs: int | None = None) -> list[float]:
        """Validation losses; way: "loader", "lean", or "followed" (lean with our order and masks)."""
        masked = Masked(config.dropout)
        model = self.model(config, masked if way == "followed" else nn.Dropout(config.dropout))
        adam = torch.optim.Adam(
            model.parameters(),
            lr=config.learning_rate,
            weight_decay=config.weight_decay,
            fused=True if way != "loader" else None,
        )
        plateau = None
        if config.scheduler == "plateau":
            plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(adam, factor=0.5, patience=config.plateau_patience)
        criterion = nn.CrossEntropyLoss()
        wanted, held = self.wanted[config.targets], self.held[config.targets]
        data = torch.utils.data.TensorDataset(self.rows, wanted)
        loader = torch.utils.data.DataLoader(data, batch_size=config.batch, shuffle=True)
        found: list[float] = []
        best, bad = np.inf, 0
        for epoch in range(epochs or config.epochs):
            model.train()
            if way == "loader":
                for rows, targets in loader:
                    adam.zero_grad()
                    criterion(model(rows), targets).backward()
                    adam.step()
            else:
                n = len(self.rows)
                order = torch.from_numpy(epoch_order(config.seed, epoch, n)) if way == "followed" else torch.randperm(n)
                for batch in order.split(config.batch):
                    if way == "followed":
                        masked.mask = torch.from_numpy(draw_kept_units(config, epoch, batch.numpy()))
                    adam.zero_grad(set_to_none=True)
                    criterion(model(self.rows[batch]), wanted[batch]).backward()
                    adam.step()
            model.eval()
            with torch.no_grad():
                found.append(float(criterion(model(self.held_rows), held)))
            if plateau is not None:
                plateau.step(found[-1])
            best, bad = (found[-1], 0) if found[-1] < best - config.min_delta else (best, bad + 1)
            if epochs is None and bad >= config.patience:
                break
        return found


def measure_seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Core-seconds and seconds."""
    wall, core = time.perf_counter(), time.process_time()
    work()
    return time.process_time() - core, time.perf_counter() - wall


def epochs_run(result: ProtocolResult) -> dict[HeadConfig, int]:
    """Every head of the protocol and how many epochs it ran; the plain loops run equally long."""
    tried = {
        replace(config, targets=t): int(count)
        for t in TARGETS
        for config, count in zip(result.grid, result.grid_epochs[t], strict=True)
    }
    return tried | {head.config: head.validation_losses.size for t in TARGETS for head in result.heads[t]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("items", 3113), ("features", 384), ("classes", 3), ("hidden", 128), ("epochs", 2)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--full", action="store_true", help="run the plain loops over all heads")
    parser.add_argument("--stack", action="store_true", help="time the torch engine too")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    features, probs = simulate_data(asked.items, asked.features, asked.classes, rng)
    split = draw_split(asked.items, rng)
    grid = singh_grid(hidden=asked.hidden)
    few = [replace(grid[0], epochs=1, targets=t) for t in TARGETS]
    train = features[split.train], probs[split.train]
    held = features[split.validation], probs[split.validation]
    core, _ = measure_seconds(lambda: train_heads(*train, few, validation=held))
    print(f"{asked.items} items, {asked.features} features, {asked.classes} classes, {asked.hidden} hidden units")
    print(f"compiled or loaded from the cache in {core:.1f} core-s\n")
    ours: dict[str, tuple[float, float]] = {}
    results = []
    for engine in ("numba", "torch") if asked.stack else ("numba",):

        def run(engine: str = engine) -> None:
            results.append(
                singh_protocol(features, probs, np.random.default_rng(1), grid=grid, split=split, engine=engine)
            )

        ours[engine] = measure_seconds(run)
    result = results[0]
    plain = Plain(features, probs, split)
    heads = epochs_run(result)
    epochs: dict[tuple[int, str], int] = {}
    for config, count in heads.items():
        kind = config.batch, config.targets
        epochs[kind] = epochs.get(kind, 0) + count
    rows = {}
    for way in ("loader", "lean"):
        plain.losses(replace(grid[0], targets="soft", batch=32), way, epochs=1)
        if asked.full:
            rows[way] = measure_seconds(lambda way=way: [plain.losses(config, way) for config in heads])
        else:
            core = wall = 0.0
            for (batch, targets), count in epochs.items():
                sample = replace(grid[0], batch=batch, targets=targets)
                used = measure_seconds(partial(plain.losses, sample, way, epochs=asked.epochs))
                core, wall = core + used[0] / asked.epochs * count, wall + used[1] / asked.epochs * count
            rows[way] = core, wall
    how = "measured in full" if asked.full else f"scaled from {asked.epochs} epochs of each kind"
    print(f"{len(heads)} heads, {sum(epochs.values())} epochs; plain loops {how}\n")
    print("| way | core-s | s | DataLoader loop / this | lean loop / this |\n|---|---|---|---|---|")
    names = {"loader": "DataLoader loop", "lean": "lean loop, fused Adam"}
    for name, (core, wall) in [*((names[w], rows[w]) for w in rows), *((f"ours, {e}", ours[e]) for e in ours)]:
        print(f"| {name} | {core:.1f} | {wall:.1f} | {rows['loader'][0] / core:.1f} | {rows['lean'][0] / core:.1f} |")
    worst = 0.0
    sample = [config for config in heads if config.epochs == 15 and config.weight_decay > 0 and config.seed == 0]
    checked = sample if asked.full else sample[:: max(1, len(sample) // 6)]
    for config, head in zip(checked, train_heads(*train, checked, validation=held), strict=True):
        followed = np.array(plain.losses(config, "followed"))
        worst = max(worst, float(np.abs(followed - head.validation_losses).max()))
    print(f"\nvalidation losses of {len(checked)} heads followed by a plain loop: at most {worst:.1e} apart")
    if asked.stack:
        apart = max(float(np.abs(results[0].grid_losses[t] - results[1].grid_losses[t]).max()) for t in TARGETS)
        print(f"lowest validation losses of the two engines: at most {apart:.1e} apart")
    for targets, scores in result.scores.items():
        print(targets, {metric: f"{values.mean():.4f} ± {values.std(ddof=1):.4f}" for metric, values in scores.items()})


if __name__ == "__main__":
    main()
