"""train_head: from features and labels to a trained head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

import dissensus
from dissensus.deliver.delivery import Delivery
from dissensus.files.notices import to_stderr
from dissensus.labels.as_json import as_json
from dissensus.labels.distributions import Distributions
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels, as_distributions
from dissensus.train.cards import Source, describe_labels
from dissensus.train.heads.config import Layer
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.fit_config import FitConfig
from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.heads.penalty import choose_penalty
from dissensus.train.heads.scaling import scales, undo_scaling
from dissensus.train.heads.training import train_heads
from dissensus.train.held_out import scores_of as scores_of
from dissensus.train.matching import items_of, match_table
from dissensus.train.splits import hold_out
from dissensus.train.targets import build_delivery, target_rows


@takes(labels=ANY_LABELS)
def train_head(
    features: FeatureTable,
    labels: Labels,
    config: FitConfig,
    say: Callable[[str], None] = to_stderr,
    *,
    by_position: bool = False,
    labels_from: Source = None,
) -> Head:
    """Train a head on the items that have both features and labels, and report the items left out.

    The head is validated by the soft cross-entropy to people's distributions, whatever the delivery.

    Parameters
    ----------
    features : one row per item
    labels : Votes, Beliefs or Distributions
    config : the head, the delivery and the settings of training
    say : receives notices
    by_position : features or labels have no item names, and both are in the same order
    labels_from : file or data set of the labels, for the card

    Returns
    -------
    Head, with a card of what it was trained on

    Examples
    --------
    >>> from dissensus.train.heads import FeatureTable, FitConfig
    >>> votes = Votes.of(["a", "b", "c", "d"], ["cat", "dog", "cat", "dog"])
    >>> features = FeatureTable(np.array([[0.0], [1.0], [0.1], [0.9]]), ["a", "b", "c", "d"])
    >>> head = train_head(features, votes, FitConfig(head="logistic", penalty=0.1, validation=0))
    >>> head.probs(np.array([[0.0]])).argmax()
    np.int64(0)
    """
    named = features.named and are_named(labels.items)
    features, labels = match_table(features, labels, say, by_position=by_position)
    train, held = hold_out(labels.n_items, config.validation, config.seed, "features")
    shift, scale = scales(features.values[train], config.standardise)
    x = (features.values.astype(np.float32) - shift) / scale  # (n, d)
    held_out = as_distributions(items_of(labels, held)) if held.size else None
    delivery = build_delivery(items_of(labels, train), config.delivery, config.wraps, config.seed)
    if config.head == "logistic":
        everything = build_delivery(labels, config.delivery, config.wraps, config.seed)
        layers, judged, chosen = _logistic(x, train, held, delivery, everything, held_out, config)
    else:
        layers, chosen = _by_adam(x[train], delivery, None if held_out is None else (x[held], held_out), config)
        judged = layers
    head, judge = (Head(undo_scaling(trained, shift, scale), labels.classes) for trained in (layers, judged))
    scores = {} if held_out is None else scores_of(held_out.probs, judge.probs(features.values[held]))
    trained_on = labels.n_items if config.head == "logistic" else train.size
    card = _card(features, labels, config, delivery, chosen, trained_on, held.size, scores)
    card |= {"items matched": "by name" if named else "by position", "labels from": describe_labels(labels_from)}
    return replace(head, card=card)


def _by_adam(
    x: np.ndarray, delivery: Delivery, validation: tuple[np.ndarray, Distributions] | None, config: FitConfig
) -> tuple[Sequence[Layer], dict[str, Any]]:
    training = replace(config.training, kind=config.head, seed=config.seed)
    if validation is None:
        training = replace(training, patience=None, keep="last")
    (trained,) = train_heads(x, delivery, [training], validation=validation)
    record = {"epoch": trained.epoch, "validation_losses": trained.validation_losses.tolist()}
    return trained.head.layers, asdict(training) | record


def _logistic(
    x: np.ndarray,
    train: np.ndarray,
    held: np.ndarray,
    delivery: Delivery,
    everything: Delivery,
    held_out: Distributions | None,
    config: FitConfig,
) -> tuple[Sequence[Layer], Sequence[Layer], dict[str, Any]]:
    """Return the head trained on all items, the head trained without the held-out items, and the chosen settings."""
    if not delivery.fixed or delivery.mixes:
        raise ValueError(
            f"the delivery {delivery.name} changes with the epoch, and an exact solution needs one target per item; "
            "use the head linear or mlp"
        )
    penalty = config.penalty
    tried: dict[str, float] = {}
    if penalty is None:
        if held_out is None:
            raise ValueError("without items held out nothing can choose the penalty; give one, or validation above 0")
        penalty, tried = choose_penalty(x[train], target_rows(delivery), x[held], held_out.probs)
    probs = target_rows(everything)
    absent = np.flatnonzero(probs.sum(axis=0) == 0)
    if absent.size:
        raise Refusal(
            f"class {delivery.classes[absent[0]]!r} gets no mass from any of {len(probs)} items, so its probability "
            f"cannot be learned exactly; {absent.size} of {delivery.n_classes} classes get none",
            ways=[Way("leave them out of the classes"), Way("wrap the delivery with {wraps}", wraps=["smoothed=0.01"])],
        )
    solved = soft_logistic(x, probs, np.ones(len(x)), penalty=penalty)
    judged = solved
    if held.size:
        start = solved.coef, solved.intercept
        judged = soft_logistic(x[train], target_rows(delivery), np.ones(train.size), penalty=penalty, start=start)
    chosen = {
        "penalty": penalty,
        "iterations": solved.iterations,
        "tried": tried,
        "then trained on all": bool(held.size),
    }
    return (solved.layer,), (judged.layer,), chosen


def _card(
    features: FeatureTable,
    labels: Labels,
    config: FitConfig,
    delivery: Delivery,
    chosen: dict[str, Any],
    trained: int,
    held: int,
    scores: dict[str, float],
) -> dict[str, Any]:
    return {
        "made by": f"dissensus {dissensus.__version__}",
        "head": config.head,
        "features": features.values.shape[1],
        "features from": features.source,
        "labels": type(labels).__name__,
        "delivery": delivery.name,
        "items trained on": trained,
        "items held out": held,
        "scores on items held out": as_json(scores),
        "seed": config.seed,
        "standardised": config.standardise,
        "training": chosen,
    }
