"""Singh's protocol: soft against hard targets, each with its best settings, over ten seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from dissensus.evaluate.alignment import entropy_pearson
from dissensus.evaluate.choices import accuracy_to_gold
from dissensus.evaluate.closeness import kl_to_people
from dissensus.labels.display import shapes
from dissensus.labels.distributions import Distributions
from dissensus.labels.progress import Progress
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.features import feature_rows
from dissensus.train.heads.training import TrainedHead, train_heads
from dissensus.train.splits import Parts, draw_split
from dissensus.train.targets import as_delivery

TARGETS = ("soft", "hard")


def singh_grid(*, hidden: int = 128) -> tuple[HeadConfig, ...]:
    """The 108 settings of Singh 2025, section 3.3.

        learning rate {1e-3, 1e-4, 1e-5} x batch {8, 16, 32} x epochs {10, 15, 20} x weight decay {0, 1e-4}
        x scheduler {none, plateau with factor 0.5};   early stopping with patience 5 and min delta 1e-4

    The paper does not state hidden units, dropout and the scheduler's patience. PyTorch's patience of 10 would make the
    scheduler idle: early stopping comes first. So it is 2 here.
    """
    return tuple(
        HeadConfig(
            kind="mlp",
            hidden=hidden,
            dropout=0.1,
            learning_rate=learning_rate,
            batch=batch,
            epochs=epochs,
            weight_decay=weight_decay,
            scheduler=scheduler,
            plateau_patience=2,
            seed=0,
        )
        for learning_rate, batch, epochs, weight_decay, scheduler in product(
            (1e-3, 1e-4, 1e-5), (8, 16, 32), (10, 15, 20), (0.0, 1e-4), (None, "plateau")
        )
    )


@dataclass(frozen=True, eq=False)
class ProtocolResult:
    """What the protocol found; soft and hard are keys throughout.

    grid         the settings tried
    grid_losses  (settings,) the lowest validation loss of each, in nats; soft and hard losses do not compare
    grid_epochs  (settings,) how many epochs each ran before it stopped
    chosen       the settings with the lowest loss, the first of equals
    heads        the chosen settings trained anew, one head per seed
    scores       by metric, (seeds,) on the test items: accuracy (higher is better), kl in nats (lower is better),
                 entropy_correlation, Pearson's between people's and the head's entropy (higher is better)
    """

    grid: tuple[HeadConfig, ...]
    grid_losses: Mapping[str, np.ndarray]
    grid_epochs: Mapping[str, np.ndarray]
    chosen: Mapping[str, HeadConfig]
    heads: Mapping[str, tuple[TrainedHead, ...]]
    scores: Mapping[str, Mapping[str, np.ndarray]]

    __repr__ = shapes


def singh_protocol(
    features: Any,
    distributions: Distributions | np.ndarray,
    rng: np.random.Generator,
    *,
    grid: Sequence[HeadConfig] | None = None,
    seeds: Sequence[int] = range(1, 11),
    split: Parts | None = None,
    resplit: bool = False,
    engine: str = "numba",
    threads: int | None = None,
    progress: Progress | None = None,
) -> ProtocolResult:
    """Grid search for soft and for hard targets, and the best of each over several seeds.

    Singh 2025, Soft-Label Training Preserves Epistemic Uncertainty, section 3.3. Hard targets are the class with the
    most mass, the first of equals; accuracy is against the same class.

    features       (n, d)
    distributions  (n, k) what people said about the same items
    rng            draws the split
    grid           settings to try; `singh_grid()` if not given
    seeds          of the heads compared; a seed decides initial weights, order and dropout
    split          instead of a random one with 70% training, 15% validation, 15% test (the paper states none)
    resplit        whether each seed draws a split of its own too; its spread is then also that of the test items
    progress       called with the number of heads done and of all
    """
    rows = feature_rows(features)
    if not isinstance(distributions, Distributions) and np.ndim(distributions) != 2:
        shape = np.shape(distributions)
        raise ValueError(f"distributions have shape {shape}; expected (n, k): one row of probabilities per item")
    people = as_delivery(distributions, what="distributions").targets(0)  # (n, k)
    settings = tuple(singh_grid() if grid is None else grid)
    if len(seeds) < 2:
        raise ValueError(f"{len(seeds)} seed leaves nothing to test; expected 2 or more")
    split_rng, *seed_rngs = rng.spawn(1 + len(seeds))
    common = draw_split(rows.shape[0], split_rng) if split is None else split
    total = len(TARGETS) * (len(settings) + len(seeds))

    def train(configs: list[HeadConfig], parts: Parts, before: int) -> tuple[TrainedHead, ...]:
        return train_heads(
            rows[parts.train],
            people[parts.train],
            configs,
            validation=(rows[parts.validation], people[parts.validation]),
            engine=engine,
            threads=threads,
            progress=None if progress is None else lambda done, _: progress(before + done, total),
        )

    tried = train([replace(config, targets=t) for t in TARGETS for config in settings], common, 0)
    losses = np.array([head.validation_loss for head in tried]).reshape(len(TARGETS), -1)
    epochs = np.array([head.validation_losses.size for head in tried]).reshape(len(TARGETS), -1)
    chosen = {t: replace(settings[int(row.argmin())], targets=t) for t, row in zip(TARGETS, losses, strict=True)}
    heads: dict[str, list[TrainedHead]] = {t: [] for t in TARGETS}
    tested: list[Parts] = []
    groups = [[seed] for seed in seeds] if resplit else [list(seeds)]
    for group, seed_rng in zip(groups, seed_rngs, strict=False):
        parts = draw_split(rows.shape[0], seed_rng) if resplit else common
        wanted = [replace(chosen[t], seed=seed) for t in TARGETS for seed in group]
        again = train(wanted, parts, len(tried) + len(TARGETS) * len(tested))
        for place, t in enumerate(TARGETS):
            heads[t] += again[place * len(group) : (place + 1) * len(group)]
        tested += [parts] * len(group)
    scores = {t: _scores(heads[t], tested, rows, people) for t in TARGETS}
    return ProtocolResult(
        grid=settings,
        grid_losses=dict(zip(TARGETS, losses, strict=True)),
        grid_epochs=dict(zip(TARGETS, epochs, strict=True)),
        chosen=chosen,
        heads={t: tuple(heads[t]) for t in TARGETS},
        scores=scores,
    )


def _scores(
    heads: list[TrainedHead], splits: list[Parts], rows: np.ndarray, people: np.ndarray
) -> dict[str, np.ndarray]:
    """Every metric of every head on the test items of its split."""
    scores: dict[str, list[float]] = {"accuracy": [], "kl": [], "entropy_correlation": []}
    for trained, parts in zip(heads, splits, strict=True):
        truth, guess = people[parts.test], trained.head.probs(rows[parts.test])
        scores["accuracy"].append(float(accuracy_to_gold(guess, truth.argmax(axis=1)).mean()))
        scores["kl"].append(float(kl_to_people(guess, truth).mean()))
        scores["entropy_correlation"].append(entropy_pearson(guess, truth))
    return {metric: np.array(values) for metric, values in scores.items()}
