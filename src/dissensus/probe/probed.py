"""Probed: a network, its items, and the data it is compared with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dissensus.labels.display import shapes
from dissensus.labels.doors import ANY_LABELS, describe_type, takes
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.labels.shares import Labels, as_distributions
from dissensus.probe.attacks import check_epsilon
from dissensus.probe.inputs import ImageBatches
from dissensus.train.held_out import scores_of
from dissensus.train.images import ImageTable, same_place
from dissensus.train.network import Network
from dissensus.train.preparing import way_to_classes
from dissensus.train.splits import recover_held_out

Move = Callable[[int, int], None]
Bar = Callable[[str], AbstractContextManager[Move]]


@dataclass(frozen=True, eq=False)
class Probed:
    """Hold a network with the images and labels that it is probed on, and what it is compared with.

    Parameters
    ----------
    networks : by name: the network that is probed and, if there are two, one to compare it with
    batches : its images and people's distributions, from `image_batches`, best in an order that mixes the classes
    outside : images from outside the training data, by name
    reference : images that the network was trained on, best in random order
    epsilons : largest changes of a pixel by attacks, of 255
    seed : random seed of all probes
    notes : limits of the items, such as that the network was trained on them

    Examples
    --------
    >>> import torch
    >>> from dissensus.train import Network
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> pixels = np.zeros((3, 2, 2, 1), dtype=np.uint8)
    >>> Probed({"net": network}, image_batches(network, pixels, [[2, 1], [0, 3], [1, 1]])).names
    ('net',)
    """

    networks: dict[str, Network]
    batches: ImageBatches
    outside: dict[str, ImageTable] = field(default_factory=dict)
    reference: ImageTable | None = None
    epsilons: tuple[float, ...] = (4.0,)
    seed: int = 0
    notes: tuple[str, ...] = ()

    __repr__ = shapes

    def __post_init__(self) -> None:
        _check_kinds(self)
        for epsilon in self.epsilons:
            check_epsilon(epsilon)
        if not 1 <= len(self.networks) <= 2:
            raise ValueError(
                f"there are {len(self.networks)} networks; expected one, or one and another to compare with"
            )
        first, *others = self.networks.values()
        for other in others:
            if other.classes != first.classes:
                raise ValueError(
                    f"the networks know the classes {list(first.classes)} and {list(other.classes)}; expected the same"
                )

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.networks)

    @property
    def network(self) -> Network:
        """Return the network that is probed."""
        return self.networks[self.names[0]]

    @property
    def other(self) -> Network | None:
        return self.networks[self.names[1]] if len(self.networks) > 1 else None

    @property
    def images(self) -> ImageTable:
        return self.batches.images

    @property
    def people(self) -> np.ndarray:
        """Return people's distributions.  (n, k)"""
        return self.batches.targets

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.names[0],
            "other": self.names[1] if self.other is not None else None,
            "items": len(self.images),
            "classes": list(self.network.classes),
            "images_from": self.images.source,
            "batch": self.batches.batch,
            "seed": self.seed,
        }


def find_no_other(probed: Probed) -> Refusal | None:
    """Return a refusal if there is no second network to compare with."""
    if probed.other is not None:
        return None
    return Refusal("no other network to compare with given", ways=[Way("add one with {networks}", networks=...)])


@contextmanager
def no_bar(title: str) -> Iterator[Move]:
    """Show nothing."""
    yield lambda done, total: None


@takes(labels=ANY_LABELS)
def choose_items(
    networks: Mapping[str, Network],
    images: ImageTable,
    labels: Labels,
    rng: np.random.Generator,
    say: Callable[[str], None],
    *,
    items: int | None = None,
    held_out: bool = False,
) -> tuple[ImageTable, np.ndarray]:
    """Choose the items to probe, in random order, so that batches mix the classes, with people's distributions.

    networks  by name; all of the same classes
    items     number of items, drawn at random; None for all
    held_out  only those that were held out when each network was trained: drawn again as its card tells, and checked
              by the score on its card

    images, labels: of the same n items, in the same order -> images, (items, k)
    """
    first = next(iter(networks.values()))
    if labels.classes != first.classes:
        raise Refusal(
            f"the network has the classes {list(first.classes)} and the labels {list(labels.classes)}; expected the "
            "same in the same order",
            ways=way_to_classes(first.classes, labels.classes),
        )
    people = as_distributions(labels).probs
    rows = np.arange(len(images))
    for name, network in networks.items():
        if held_out:
            rows = np.intersect1d(rows, _recover_held_out(network, images, people, say, name))
        else:
            _warn_of_training(network, images, say, name)
    if not rows.size:
        raise Refusal(
            "no item was held out in the training of both networks", ways=[Way("leave {held_out} out", held_out=True)]
        )
    if items is not None and not 1 <= items <= rows.size:
        raise Refusal(f"{{items}} of {rows.size} items; expected from 1 to {rows.size}", items=items)
    drawn = rng.permutation(rows)[:items]
    if drawn.size < len(images):
        say(f"{drawn.size:,} of {len(images):,} items are probed" + ", drawn at random" * (drawn.size < rows.size))
    return images.select(drawn), people[drawn]


def _recover_held_out(
    network: Network, images: ImageTable, people: np.ndarray, say: Callable[[str], None], name: str
) -> np.ndarray:
    """Recover the positions of held-out items; refused if the scores on them are not those of the card."""
    rows = recover_held_out(network.card, len(images))
    noted = network.card.get("scores on items held out", {}).get(network.card.get("chosen"), {}).get("soft_nll")
    here = scores_of(people[rows], network.probs(images.select(rows)))["soft_nll"]
    if not isinstance(noted, float) or abs(here - noted) > 1e-3 * max(abs(noted), 1.0):
        raise ValueError(
            f"on its held-out items, {name} has a soft NLL of {here:.4f}, and its card says "
            f"{noted}: expected the images and labels of its training, in the same order"
        )
    chosen = "; its best epoch was chosen by them" if network.card.get("chosen") == "best" else ""
    say(f"{name}: {rows.size:,} of {len(images):,} items were held out in training{chosen}")
    return rows


def _warn_of_training(network: Network, images: ImageTable, say: Callable[[str], None], name: str) -> None:
    if not same_place(network.card.get("images from"), images.source):
        return
    held = network.card.get("items held out")
    fair = f"; the {held:,} held-out items alone give a fair test" if isinstance(held, int) and held else ""
    say(f"warning: {name} was trained on images from the same place, so its scores are too good{fair}")


def _check_kinds(probed: Probed) -> None:
    """Refuse values of another type, by the name of their field."""
    for name, kind, such in (
        ("networks", Network, "a dictionary of networks by name, as in {'mine': network}"),
        ("outside", ImageTable, "a dictionary of image tables by name, as in {'far': as_images(pixels)}"),
    ):
        given = getattr(probed, name)
        wrong = (
            given if not isinstance(given, dict) else next((v for v in given.values() if not isinstance(v, kind)), None)
        )
        if wrong is not None:
            raise ValueError(f"{name} is or contains {describe_type(wrong)}; expected {such}")
    if not isinstance(probed.batches, ImageBatches):
        raise Refusal(
            f"batches is {describe_type(probed.batches)}; expected batches of images",
            ways=[PythonWay("make them with image_batches(network, images, labels)")],
        )
    if probed.reference is not None and not isinstance(probed.reference, ImageTable):
        raise Refusal(
            f"reference is {describe_type(probed.reference)}; expected an image table",
            ways=[PythonWay("make one with as_images(pixels)")],
        )
    if not isinstance(probed.epsilons, tuple | list):
        raise ValueError(f"epsilons is {describe_type(probed.epsilons)}; expected several numbers of 255, as in (4, 8)")
