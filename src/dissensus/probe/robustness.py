"""A network's agreement with people after attacks on its images."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Literal

import numpy as np
import torch

from dissensus.evaluate.choices import top_choice
from dissensus.labels.display import shapes
from dissensus.labels.refusals import PythonWay, Refusal, one_of
from dissensus.probe.attacks import ATTACKS, check_epsilon, check_rng
from dissensus.probe.inputs import BATCH, ImageBatches, image_batches, still
from dissensus.probe.pixels import pixel_logits, weights_of
from dissensus.train.model import log_softmax
from dissensus.train.network import Network

Target = Literal["soft", "hard"]
AIMS: dict[str, str] = {
    "soft": "cross-entropy to people's distribution",
    "hard": "cross-entropy to people's most frequent class",
}


@dataclass(frozen=True, eq=False)
class AttackScores:
    """The agreement of a network with people, per item.

    soft_nll            cross-entropy to people's distribution, in nats; lower is better
    cross_entropy_hard  cross-entropy to people's most frequent class, equal ones averaged, in nats; lower is better
    accuracy            1 where its choice is people's most frequent class, else 0; equal classes share it

    Each (n,), or (steps + 1, n) along the steps of an attack.
    """

    soft_nll: np.ndarray
    cross_entropy_hard: np.ndarray
    accuracy: np.ndarray

    __repr__ = shapes

    def means(self) -> dict[str, Any]:
        """The mean over items of each score, a number or a list of them along the steps."""
        return {name: values.mean(axis=-1).tolist() for name, values in vars(self).items()}


@dataclass(frozen=True, eq=False)
class Robustness:
    """A network on n images before an attack and after it, for each epsilon.

    method   the attack, of ATTACKS
    target   what it raised: the loss to people's distribution ("soft") or to their most frequent class ("hard")
    options  how: steps and their size, where the attack has them; whether it started at random
    items    (n,) names of the images
    before   scores of the images as they are
    after    by epsilon: scores of the attacked images
    steps    by epsilon: scores along the way, (steps + 1, n), from where it started to where it ended; empty for an
             attack of one step
    unmoved  by epsilon: (n,) bool, images of which the attack changed no pixel. Above epsilon 0 such a
             network is not robust: its loss is so flat there that the gradient is 0 in its precision
    """

    method: str
    target: Target
    options: dict[str, Any]
    items: np.ndarray
    before: AttackScores
    after: dict[float, AttackScores]
    steps: dict[float, AttackScores]
    unmoved: dict[float, np.ndarray]

    __repr__ = shapes

    def as_json(self) -> dict[str, Any]:
        """The attack with its options, and the means over items before, after and along the steps."""
        after = [
            {"epsilon": epsilon}
            | scores.means()
            | {"unmoved_items": int(self.unmoved[epsilon].sum())}
            | ({"steps": self.steps[epsilon].means()} if epsilon in self.steps else {})
            for epsilon, scores in self.after.items()
        ]
        return {
            "method": self.method,
            "target": self.target,
            "raised": AIMS[self.target],
            "options": dict(self.options),
            "items": len(self.items),
            "before": self.before.means(),
            "after": after,
        }


def attack(
    network: Network,
    images: Any,
    labels: Any,
    method: str = "fgsm",
    *,
    epsilons: float | Sequence[float] = 4,
    target: Target = "hard",
    step_size: float | None = None,
    steps: int | None = None,
    rng: np.random.Generator | None = None,
    batch: int = BATCH,
    progress: Callable[[int, int], None] | None = None,
) -> Robustness:
    """Attack the images of a network, and score its agreement with people before and after.

    Both cross-entropies and the accuracy are scored, whatever the attack raises. Peterson 2019, sec. 7, scores against
    the classes of the data set (pass these as labels), epsilon from 4 to 8; Collins 2022, sec. 5.1, against people's
    distributions, epsilon 4.

    Parameters
    ----------
    network : called in eval mode; a module that takes pixels from 0 to 1 is Network(module, classes, (0, 0, 0), (1, 1,
        1))
    images : n, as `as_images` takes them
    labels : n, of any kind, in the same order
    method : a name of ATTACKS: "fgsm" or "pgd"
    epsilons : largest changes of a pixel, of 255
    target : what the attack raises: "hard", the loss to people's most frequent class, shared by equal ones; "soft", the
        loss to their distribution
    step_size, steps : of "pgd"
    rng : random start of "pgd", each epsilon with draws of its own; None: start at the images
    batch : images at once
    progress : called with the number of attacked images and of all, for each epsilon

    Returns
    -------
    Robustness, with the scores `before` and, by epsilon, `after`

    Examples
    --------
    >>> import torch
    >>> from dissensus.train import Network
    >>> module = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(4, 2))
    >>> network = Network(module, ("cat", "dog"), (0.5,), (0.5,))
    >>> pixels = np.full((3, 2, 2, 1), 128, dtype=np.uint8)
    >>> sorted(attack(network, pixels, [[2, 1], [0, 3], [1, 1]], epsilons=(4, 8)).after)
    [4.0, 8.0]
    """
    if not isinstance(network, Network):
        raise Refusal(
            f"attack takes a Network; this is a {type(network).__name__}",
            ways=[
                PythonWay(
                    "make one with Network(module, classes, mean, std), with mean 0 and std 1 for each channel if the "
                    "module takes pixels from 0 to 1"
                )
            ],
        )
    one_of("attack", method, ATTACKS)
    one_of("target", target, AIMS)
    distances = _check_epsilons(epsilons)
    check_rng(rng, (np.random.Generator,))
    options = _options(method, step_size=step_size, steps=steps)
    starts = "rng" in inspect.signature(ATTACKS[method]).parameters
    streams = rng.spawn(len(distances)) if starts and rng is not None else [None] * len(distances)
    batches = image_batches(network, images, labels, batch=batch)
    n, people = len(batches.targets), batches.targets  # (n, k)
    aims = people if target == "soft" else top_choice(people)
    before: list[AttackScores] = []
    parts: dict[float, list[_Part]] = {epsilon: [] for epsilon in distances}
    with still(network):
        for start in range(0, n, batch):
            rows = slice(start, start + batch)
            pixels = _pixels(batches, rows)
            before.append(_scores(network, pixels, people[rows]))
            for place, (epsilon, stream) in enumerate(zip(distances, streams, strict=True)):
                given = options if stream is None else options | {"rng": stream}
                parts[epsilon].append(
                    _attack_batches(network, method, pixels, aims[rows], people[rows], epsilon, given)
                )
                if progress is not None:
                    progress(start * len(distances) + len(pixels) * (place + 1), n * len(distances))
    return Robustness(
        method=method,
        target=target,
        options=options | ({"random_start": rng is not None} if starts else {}),
        items=batches.images.items,
        before=_side_by_side(before),
        after={epsilon: _side_by_side([part.after for part in of]) for epsilon, of in parts.items()},
        steps={
            epsilon: _side_by_side([part.steps for part in of])
            for epsilon, of in parts.items()
            if of[0].steps is not None
        },
        unmoved={epsilon: np.concatenate([part.unmoved for part in of]) for epsilon, of in parts.items()},
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """One batch attacked: scores at the end and, below each other, along the way."""

    after: AttackScores
    steps: AttackScores | None
    unmoved: np.ndarray


def _attack_batches(
    network: Network,
    method: str,
    pixels: torch.Tensor,
    aims: np.ndarray,
    people: np.ndarray,
    epsilon: float,
    options: dict[str, Any],
) -> _Part:
    """pixels: (b, c, h, w); aims, people: (b, k)"""
    way: list[AttackScores] = []
    if "watch" in inspect.signature(ATTACKS[method]).parameters:
        options = options | {"watch": lambda _, logits: way.append(_scores_of_logits(logits, people))}
    moved = ATTACKS[method](network, pixels, torch.tensor(aims, dtype=pixels.dtype), epsilon, **options)
    after = _scores(network, moved, people)
    steps = _join_scores([*way, after], np.stack) if way else None
    return _Part(after, steps, (moved == pixels).flatten(1).all(dim=1).cpu().numpy())


def _check_epsilons(epsilons: Any) -> tuple[float, ...]:
    listed = epsilons.tolist() if isinstance(epsilons, np.ndarray) else epsilons
    several = tuple(listed) if isinstance(listed, Sequence) else (listed,)
    for epsilon in several:
        check_epsilon(epsilon)
    if not several or len(set(several)) < len(several):
        raise ValueError(f"epsilons are {list(several)}; expected one at least, each once")
    return tuple(float(epsilon) for epsilon in several)


def _options(method: str, **given: Any) -> dict[str, Any]:
    """The options of an attack that were given, and the others as its signature has them."""
    takes = inspect.signature(ATTACKS[method]).parameters
    for name, value in given.items():
        if value is not None and name not in takes:
            raise ValueError(
                f"{name} is {value}, but {method} has no such option: leave it out, or take another method"
            )
    plain = {
        name: value.item() if isinstance(value, np.generic) else value for name, value in given.items()
    }  # for JSON
    return {name: takes[name].default if value is None else value for name, value in plain.items() if name in takes}


def _pixels(batches: ImageBatches, rows: slice) -> torch.Tensor:
    """Some images as floats from 0 to 1, in the precision of the network, single at least.  -> (b, c, h, w)"""
    pixels = torch.tensor(batches.images.pixels[rows]).permute(0, 3, 1, 2).to(batches.network.device)
    weight = weights_of(batches.network, torch.empty(0, dtype=torch.float32))
    return pixels.to(torch.float64 if weight.dtype == torch.float64 else torch.float32) / 255


def _scores(network: Network, pixels: torch.Tensor, people: np.ndarray) -> AttackScores:
    with torch.no_grad():
        return _scores_of_logits(pixel_logits(network, pixels), people)


def _scores_of_logits(logits: torch.Tensor, people: np.ndarray) -> AttackScores:
    """logits, people: (b, k)"""
    outputs, majority = logits.cpu().double().numpy(), top_choice(people)
    surprise = -log_softmax(outputs)
    return AttackScores(
        soft_nll=(people * surprise).sum(axis=1),
        cross_entropy_hard=(majority * surprise).sum(axis=1),
        accuracy=(majority * top_choice(outputs)).sum(axis=1),
    )


def _join_scores(parts: Sequence[AttackScores | None], join: Callable[[list[np.ndarray]], np.ndarray]) -> AttackScores:
    return AttackScores(*(join([getattr(part, field.name) for part in parts]) for field in fields(AttackScores)))


def _side_by_side(batches: Sequence[AttackScores | None]) -> AttackScores:
    """Scores of batches as those of all items."""
    return _join_scores(batches, partial(np.concatenate, axis=-1))
