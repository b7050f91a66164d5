"""train_network: from images and labels to a trained network."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import dissensus
from dissensus.files.notices import to_stderr
from dissensus.labels.as_json import as_json
from dissensus.labels.content_hash import hash_bytes
from dissensus.labels.doors import ANY_LABELS, takes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.row_numbers import are_named
from dissensus.labels.shares import Labels, as_distributions
from dissensus.train.cards import Source, describe_labels
from dissensus.train.images import ImageTable, as_images, same_place
from dissensus.train.loop import Training, train_module
from dissensus.train.matching import items_of, match_table
from dissensus.train.network import Network, find_training_size
from dissensus.train.network_config import NetworkConfig
from dissensus.train.network_files import load_network
from dissensus.train.networks.catalogue import make_network
from dissensus.train.preparing import choose_device
from dissensus.train.splits import hold_out
from dissensus.train.targets import build_delivery
from dissensus.train.train_config import SAVE_EVERY

AfterEpoch = Callable[[dict[str, float], Network], None]
_OF_START = ("file", "made by", "chosen", "epoch", "delivery", "items trained on", "images from", "seed")


@dataclass(frozen=True, eq=False, repr=False)
class MatchedItems:
    """Images and labels of the same items in the same order, and how they were matched."""

    images: ImageTable
    labels: Labels
    matched: str


@takes(labels=ANY_LABELS)
def train_network(
    images: Any,
    labels: Labels,
    config: NetworkConfig,
    say: Callable[[str], None] = to_stderr,
    *,
    by_position: bool = False,
    start: Network | str | Path | None = None,
    labels_from: Source = None,
    checkpoint: str | Path | None = None,
    save_every: float = SAVE_EVERY,
    after_epoch: AfterEpoch | None = None,
    quiet: bool = False,
) -> Training:
    """Train a network on the items that have both an image and labels, and report the items left out.

    The network is validated by the soft NLL to people's distributions, whatever the delivery. The best network is
    chosen by it, so its scores on the held-out items are optimistic. With validation=0 it is trained on all items, and
    the best network is the last one.

    Parameters
    ----------
    images : an ImageTable, or anything `as_images` takes
    labels : Votes, Beliefs or Distributions
    config : the network, the delivery and the settings of training
    say : receives notices
    by_position : images or labels have no item names, and both are in the same order
    start : fine-tuning: the network to start from, or its file; of the same classes
    labels_from : file or data set of the labels, for the card
    checkpoint, save_every, after_epoch, quiet : as in `train_module`

    Returns
    -------
    Training, with the networks `best` and `last`, their scores and the history

    Examples
    --------
    >>> pixels = np.zeros((4, 8, 8, 1), dtype=np.uint8)
    >>> votes = Votes.of(["a", "b", "c", "d"], ["cat", "dog", "cat", "dog"])
    >>> config = NetworkConfig(width=2, depth=1, validation=0, training=TrainConfig(epochs=1, batch=2, device="cpu"))
    >>> train_network(ImageTable(pixels, ["a", "b", "c", "d"]), votes, config, quiet=True).last.classes
    ('cat', 'dog')
    """
    items = match_images(images, labels, say, by_position)
    origin = read_start(start)
    check_start(origin, config, items.images, say)
    train, held = hold_out(len(items.images), config.validation, config.training.seed, "images")
    source = {"labels from": describe_labels(labels_from)}
    return train_part(items, train, held, config, origin, source, checkpoint, save_every, after_epoch, quiet)


def read_start(start: Network | str | Path | None) -> Network | None:
    """Read the network to fine-tune if it is a file, whose name is recorded on the cards of its successors."""
    if not isinstance(start, str | Path):
        return start
    network = load_network(start)
    return replace(network, card=network.card | {"file": str(start)})


def match_images(images: Any, labels: Labels, say: Callable[[str], None], by_position: bool) -> MatchedItems:
    """Match images and labels: the items that have both, in the order of the images."""
    table = as_images(images)
    if len(labels.classes) < 2:
        raise Refusal(
            f"all labels are of one class, {labels.classes[0]!r}; expected two classes or more",
            ways=[Way("name all classes with {classes} if others are possible", classes=...)],
        )
    named = table.named and are_named(labels.items)
    table, labels = match_table(table, labels, say, by_position=by_position)
    return MatchedItems(table, labels, "by name" if named else "by position")


def check_start(start: Network | None, config: NetworkConfig, images: ImageTable, say: Callable[[str], None]) -> None:
    """Refuse a start of another architecture; report if it was trained on images of another size, or on these."""
    if start is None:
        return
    if not isinstance(start, Network):
        raise Refusal(
            f"start is a {type(start).__name__}; expected a Network",
            ways=[PythonWay("load one with load_network(path)")],
        )
    recipe = getattr(start.module, "recipe", {})
    for name in ("network", "width", "depth"):
        asked, has = getattr(config, name), recipe.get(name)
        if asked is not None and asked != has:
            raise ValueError(
                f"{name} is {asked}, but training starts from a network whose {name} is {has}; leave it out"
            )
    seen, size = find_training_size(start), list(images.pixels.shape[1:3])
    if seen is not None and seen != size:
        say(f"the network to start from was trained on images of {_sides(seen)} pixels, and these are {_sides(size)}")
    place = images.source or {}
    if same_place(start.card.get("images from"), images.source):
        named = place.get("path") or place.get("data set")
        say(
            "warning: the network to start from was trained on images from the same "
            f"place{'' if named is None else f' ({named})'}: it may have been trained on items that are now held "
            "out, so scores on them are optimistic"
        )


def train_part(
    items: MatchedItems,
    train: np.ndarray,
    held: np.ndarray,
    config: NetworkConfig,
    start: Network | None,
    source: dict[str, Any],
    checkpoint: str | Path | None,
    save_every: float,
    after_epoch: AfterEpoch | None,
    quiet: bool,
) -> Training:
    """Train on some items, select and score on others; both networks get their card.

    train, held  positions of the items
    source       for the cards: where the labels come from, and which fold this is
    """
    images, labels = items.images, items.labels
    delivery = build_delivery(items_of(labels, train), config.delivery, config.wraps, config.training.seed)
    validation = (images.select(held), as_distributions(items_of(labels, held))) if held.size else None
    network: Any = start or partial(
        make_network,
        config.network or "small",
        len(labels.classes),
        width=config.width,
        depth=config.depth,
        channels=images.pixels.shape[3],
    )
    training = train_module(
        network,
        images.select(train),
        delivery,
        config.training,
        validation=validation,
        checkpoint=checkpoint,
        save_every=save_every,
        after_epoch=after_epoch,
        quiet=quiet,
    )
    facts = {
        "labels": type(labels).__name__,
        "delivery": delivery.name,
        "items trained on": int(train.size),
        "items held out": int(held.size),
        "items matched": items.matched,
        "images from": images.source,
        "image size": list(images.pixels.shape[1:3]),
        "channels": images.pixels.shape[3],
        "started from": _origin(start),
        **source,
    }
    last = add_card(training.last, "last", len(training.history), training, facts)
    if not held.size:
        return replace(training, best=last, last=last)
    return replace(training, best=add_card(training.best, "best", training.best_epoch, training, facts), last=last)


def add_card(network: Network, chosen: str, epoch: int, training: Training, facts: dict[str, Any]) -> Network:
    """Give a trained network its card."""
    card = {
        "made by": f"dissensus {dissensus.__version__}",
        "network": network_name(network),
        "chosen": chosen,
        "chosen by": _explain_choice(chosen, training),
        "epoch": epoch,
        "scores on items held out": as_json(training.scores),
        **facts,
        "seed": training.config.seed,
        "training": asdict(training.config),
        "history": training.history,
        "torch": torch.__version__,
        "device": str(choose_device(training.config.device)),
    }
    return replace(network, card=json.loads(json.dumps(card)))  # as read from a file


def _explain_choice(chosen: str, training: Training) -> str:
    """Explain by what the network was chosen, and whether the held-out items took part in it."""
    config, same = training.config, "the held-out items, so scores on them are optimistic"
    if chosen == "best":
        return f"the lowest soft NLL on {same}"
    rules = {"patience": config.patience is not None, "plateau": config.schedule == "plateau"}
    went_by = " and ".join(rule for rule, used in rules.items() if used)
    return "the end of training" + (f", for which {went_by} went by {same}" if went_by else "")


def network_name(network: Network) -> str:
    """The name in NETWORKS, or the class of a module of your own."""
    return str(getattr(network.module, "recipe", {}).get("network", type(network.module).__name__))


def _origin(start: Network | None) -> dict[str, Any] | None:
    """Return the facts about the network that training started from."""
    if start is None:
        return None
    known = {name: start.card[name] for name in _OF_START if start.card.get(name) is not None}
    return {"network": network_name(start), **known, "weights": _hash_weights(start.module)}


def _hash_weights(module: nn.Module) -> str:
    state = {name: value.detach().cpu().contiguous() for name, value in module.state_dict().items()}
    headed = ((f"{name}{value.dtype}{tuple(value.shape)}", value.numpy()) for name, value in state.items())
    return f"sha256:{hash_bytes(part for head, values in headed for part in (head.encode(), values.tobytes()))}"


def _sides(size: list[int]) -> str:
    return f"{size[0]} x {size[1]}"
