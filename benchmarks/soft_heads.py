"""Heads on ResNet-50 features of CIFAR-10: hard labels by scikit-learn and PyTorch, soft ones by our estimators.

All train on the first 8,000 test images and are scored on the last 2,000 against what people said (CIFAR-10H) and, as
accuracy, against the official labels. Settings are chosen on the last 1,600 training images by soft NLL, for hard
labels as for soft ones; then all 8,000 are used.

    DISSENSUS_DATA=... python benchmarks/soft_heads.py [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.linear_model import LogisticRegression

from dissensus.datasets import features, load
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.expand_rows import ExpandRows
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.fitting import scores_of
from dissensus.train.heads.training import train_heads

TRAIN, CHOOSE = 8_000, 1_600
STRENGTHS = (0.03, 0.01, 0.003)
Fit = Callable[[np.ndarray, np.ndarray], Callable[[np.ndarray], np.ndarray]]


def by_scikit_learn(strength: float) -> Fit:
    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        return LogisticRegression(C=strength, max_iter=2000).fit(x, y).predict_proba

    return fit


def by_ours(strength: float) -> Fit:
    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        return SoftLabelClassifier(C=strength, tol=1e-5).fit(x, y).predict_proba

    return fit


def by_expanding(strength: float) -> Fit:
    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        return ExpandRows(LogisticRegression(C=strength, max_iter=2000)).fit(x, y).predict_proba

    return fit


def by_pytorch(epochs: int, network: Callable[[], torch.nn.Module]) -> Fit:
    """The loop people write: Adam, batches of 32, learning rate 1e-4; targets may be classes or probabilities."""

    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        torch.manual_seed(0)
        model = network()
        optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)
        targets = torch.tensor(y, dtype=torch.long if y.ndim == 1 else torch.float)
        pairs = torch.utils.data.TensorDataset(torch.from_numpy(x), targets)
        for _ in range(epochs):
            for inputs, wanted in torch.utils.data.DataLoader(pairs, batch_size=32, shuffle=True):
                optimiser.zero_grad()
                torch.nn.functional.cross_entropy(model(inputs), wanted).backward()
                optimiser.step()
        model.eval()

        def predict(rows: np.ndarray) -> np.ndarray:
            with torch.inference_mode():
                return torch.softmax(model(torch.from_numpy(rows)).double(), dim=1).numpy()

        return predict

    return fit


def several_mlps(heads: int) -> Fit:
    """The mean prediction of heads that differ in their seed; each stops by its validation loss."""

    def fit(x: np.ndarray, y: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        configs = [
            HeadConfig(hidden=256, dropout=0.5, learning_rate=3e-4, batch=64, epochs=20, seed=seed)
            for seed in range(heads)
        ]
        held = len(x) - CHOOSE // 2
        several = train_heads(x[:held], y[:held], configs, validation=(x[held:], y[held:]))
        return lambda rows: np.mean([trained.head.probs(rows) for trained in several], axis=0)

    return fit


def mlp() -> torch.nn.Module:
    layers = (torch.nn.Linear(2048, 128), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(128, 10))
    return torch.nn.Sequential(*layers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results" / "soft_heads.json")
    asked = parser.parse_args()
    found = features("cifar10-resnet50")
    assert found.gold is not None
    x, gold = found.values.astype(np.float32), found.gold.astype(np.int64)
    people = load("cifar10h").labels.probs
    inner = slice(0, TRAIN - CHOOSE), slice(TRAIN - CHOOSE, TRAIN)

    def best(family: Callable[[Any], Fit], settings: tuple[Any, ...], y: np.ndarray) -> tuple[Any, Fit]:
        losses = {
            setting: scores_of(people[inner[1]], family(setting)(x[inner[0]], y[inner[0]])(x[inner[1]]))["soft_nll"]
            for setting in settings
        }
        chosen = min(losses, key=lambda setting: losses[setting])
        return chosen, family(chosen)

    def linear(epochs: int) -> Fit:
        return by_pytorch(epochs, lambda: torch.nn.Linear(2048, 10))

    def perceptron(epochs: int) -> Fit:
        return by_pytorch(epochs, mlp)

    rows: list[dict[str, Any]] = []
    plans: list[tuple[str, str, np.ndarray, Any, tuple[Any, ...]]] = [
        ("scikit-learn LogisticRegression, C=1", "hard", gold, by_scikit_learn, (1.0,)),
        ("scikit-learn LogisticRegression", "hard", gold, by_scikit_learn, STRENGTHS),
        ("SoftLabelClassifier", "hard", gold, by_ours, STRENGTHS),
        ("PyTorch linear layer, epochs", "hard", gold, linear, (5, 10)),
        ("PyTorch MLP, epochs", "hard", gold, perceptron, (3, 6)),
        ("PyTorch MLP, epochs", "soft", people, perceptron, (3, 6)),
        ("SoftLabelClassifier", "soft", people, by_ours, STRENGTHS),
        ("ExpandRows(LogisticRegression)", "soft", people, by_expanding, (0.01,)),
        ("train_heads, mean of MLPs", "soft", people, several_mlps, (5,)),
    ]
    print(
        "| head | labels | setting | accuracy | soft NLL | KL | entropy correlation | CPU seconds |\n"
        + "|---" * 8
        + "|"
    )
    for name, kind, y, family, settings in plans:
        start = time.process_time()
        chosen, fit = best(family, settings, y) if len(settings) > 1 else (settings[0], family(settings[0]))
        guess = fit(x[:TRAIN], y[:TRAIN])(x[TRAIN:])
        scores = scores_of(people[TRAIN:], guess) | {"accuracy": float((guess.argmax(axis=1) == gold[TRAIN:]).mean())}
        rows.append({"head": name, "labels": kind, "setting": chosen, "cpu": time.process_time() - start} | scores)
        cells = [f"{scores[key]:.3f}" for key in ("accuracy", "soft_nll", "kl", "entropy_correlation")]
        print(f"| {name} | {kind} | {chosen:g} | {' | '.join(cells)} | {rows[-1]['cpu']:.0f} |", flush=True)
    asked.output.parent.mkdir(exist_ok=True)
    asked.output.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
