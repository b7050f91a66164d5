"""Wrappers of deliveries: shuffled between items, kept for several epochs, smoothed, tempered, mixed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dissensus.deliver.delivery import Delivery, Mixing, checked_seed
from dissensus.labels import transforms
from dissensus.labels.distributions import Distributions


def shuffled(delivery: Delivery, seed: int, *, gold: np.ndarray | None = None) -> Delivery:
    """Deliver the targets of other items, by one permutation for all epochs: the same disagreement on the wrong items.

    shuffled(sls(votes, 0), 0) is "shuffled SLS" of Gheibi 2026, sec. 3 and A.1.

    Parameters
    ----------
    delivery : Delivery
    seed : int
    gold : (n,) class codes
        Permute items only within their class.

    Returns
    -------
    Delivery

    Examples
    --------
    >>> delivery = soft(Votes.of(["a", "b", "c"], ["cat", "dog", "dog"]))
    >>> shuffled(delivery, seed=0).targets(epoch=0).sum(axis=0)
    array([1., 2.])
    """
    if delivery.mixes:
        raise ValueError(
            f"{delivery.name} mixes pairs of inputs, and shuffling would separate its targets from them; "
            "shuffle first: mixup(shuffled(...), ...)"
        )
    rng, n = np.random.default_rng(checked_seed(seed)), delivery.n_items
    codes = np.zeros(n, dtype=np.int64) if gold is None else np.asarray(gold)
    if codes.shape != (n,) or (n and codes.dtype.kind not in "iu"):
        raise ValueError(
            f"gold holds {codes.dtype} of shape {codes.shape}; expected one integer class code for each of {n} items"
        )
    dealt = np.empty(n, dtype=np.int64)
    dealt[np.argsort(codes, kind="stable")] = np.lexsort((rng.random(n), codes))
    return replace(delivery, name=f"shuffled({delivery.name})", rule=partial(_elsewhere, dealt, delivery.rule))


def stale(delivery: Delivery, every: int) -> Delivery:
    """Change targets only every few epochs: those of epoch // every.

    Gheibi 2026, sec. 5.1, "stale".

    Parameters
    ----------
    delivery : Delivery
    every : int
        Number of epochs for which a target is kept, 1 or more.

    Returns
    -------
    Delivery

    Examples
    --------
    >>> delivery = sls(Votes.of(["a", "a"], ["cat", "dog"]), seed=0)
    >>> slow = stale(delivery, every=2)
    >>> all((slow.targets(epoch) == delivery.targets(epoch // 2)).all() for epoch in range(10))
    True
    """
    if not isinstance(every, int | np.integer) or isinstance(every, bool) or every < 1:
        raise ValueError(f"every is {every}; expected the number of epochs to keep a target, 1 (unchanged) or more")
    return replace(
        delivery,
        name=f"stale({delivery.name}, {every})",
        rule=partial(_held_longer, every, delivery.rule),
        pairing=None if delivery.pairing is None else partial(_held_longer, every, delivery.pairing),
    )


def smoothed(delivery: Delivery, amount: float) -> Delivery:
    """Smooth every target: spread a share of its mass evenly over all classes.

        p' = (1 - amount) p + amount / k

    Parameters
    ----------
    delivery : Delivery
    amount : float
        Share of the mass to spread, from 0 (unchanged) to 1 (uniform).

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> delivery = majority(Votes.of(["a", "b"], ["cat", "dog"]))
    >>> smoothed(delivery, 0.2).targets(epoch=0)
    array([[0.9, 0.1],
           [0.1, 0.9]])
    """
    if not 0 <= amount <= 1:
        raise ValueError(f"the smoothing amount is {amount}; expected a share from 0 (unchanged) to 1 (uniform)")
    return _mapped(f"smoothed({delivery.name}, {amount:g})", delivery, partial(_smoothed, amount))


def tempered(delivery: Delivery, temperature: float) -> Delivery:
    """Sharpen probabilities (temperature below 1) or flatten them (above 1).

        p'_c = p_c^(1/T) / sum_j p_j^(1/T)

    Parameters
    ----------
    delivery : Delivery of probabilities
    temperature : float
        0 or more; 1 changes nothing.

    Returns
    -------
    Delivery of probabilities

    Raises
    ------
    ValueError
        If the delivery has classes, which no temperature changes.

    Examples
    --------
    >>> delivery = soft(Votes.of(["a"] * 5, ["cat", "dog", "dog", "dog", "dog"]))
    >>> tempered(delivery, 2.0).targets(epoch=0).round(3)
    array([[0.333, 0.667]])
    """
    if delivery.hard:
        raise ValueError(
            f"{delivery.name} delivers classes, which no temperature changes; temper its distributions instead, "
            "as in sls(temper(distributions, temperature), seed) with `dissensus.labels.temper`"
        )
    if not temperature >= 0:
        raise ValueError(f"the temperature is {temperature}; expected 0 or more, where 1 changes nothing")
    return _mapped(f"tempered({delivery.name}, {temperature:g})", delivery, partial(_tempered, temperature))


def mixup(delivery: Delivery, seed: int, *, alpha: float) -> Delivery:
    """Mix every item with another item: inputs and targets become weighted means of the two.

        x' = w x_i + (1 - w) x_j,   y' = w y_i + (1 - w) y_j,   w ~ Beta(alpha, alpha),   j any item

    Partner and weight are drawn anew for every item and epoch, independently of the batches. `targets` are already
    mixed; the training loop mixes the inputs according to `mixing(epoch, items)`.
    Zhang et al. (2018), mixup: beyond empirical risk minimization, sec. 2.

    Parameters
    ----------
    delivery : Delivery
    seed : int
    alpha : float
        Above 0; large values mix half and half.

    Returns
    -------
    Delivery of probabilities

    Examples
    --------
    >>> delivery = mixup(soft(Votes.of(["a", "b"], ["cat", "dog"])), seed=0, alpha=0.2)
    >>> pairs = delivery.mixing(epoch=0)
    >>> targets = np.eye(2)
    >>> mixed = pairs.weight[:, None] * targets + (1 - pairs.weight)[:, None] * targets[pairs.partner]
    >>> np.allclose(delivery.targets(epoch=0), mixed)
    True
    """
    if not 0 < alpha < np.inf:
        raise ValueError(f"alpha is {alpha}; expected a number above 0, such as 0.2; large ones mix half and half")
    if delivery.mixes:
        raise ValueError(f"{delivery.name} mixes already; a second mixup would need three inputs for each target")
    pairing = partial(_pairs, checked_seed(seed), delivery.n_items, alpha)
    return replace(
        delivery,
        name=f"mixup({delivery.name}, {alpha:g})",
        hard=False,
        fixed=False,
        pairing=pairing,
        rule=partial(_mixed, delivery.rule, delivery.hard, delivery.n_classes, pairing),
    )


@dataclass(frozen=True)
class Knob:
    """The number of a wrapper, as in "smoothed=0.1".

    name     of the argument
    type     int for a whole number, else float
    range    what it means and which values it may have, in words
    example  a value that suits
    """

    name: str
    type: type[int] | type[float]
    range: str
    example: int | float


@dataclass(frozen=True)
class Wrapper:
    """A function that makes a delivery from a delivery.

    function             (delivery, seed where it draws something, knob where it has one) -> Delivery
    knob                 the one number it takes, or None
    needs_probabilities  whether deliveries of classes are refused
    """

    function: Callable[..., Delivery]
    knob: Knob | None = None
    needs_probabilities: bool = False


WRAPPERS: dict[str, Wrapper] = {
    "shuffled": Wrapper(shuffled),
    "stale": Wrapper(stale, Knob("every", int, "number of epochs to keep a target, 1 or more", 2)),
    "smoothed": Wrapper(smoothed, Knob("amount", float, "share spread over all classes, from 0 to 1", 0.1)),
    "tempered": Wrapper(
        tempered,
        Knob("temperature", float, "0 or more, below 1 to sharpen and above 1 to flatten", 2.0),
        needs_probabilities=True,
    ),
    "mixup": Wrapper(mixup, Knob("alpha", float, "above 0, where large values mix half and half", 0.2)),
}
"""Every wrapper by its name; a new one is a line here."""

_Rule = Callable[[int, np.ndarray | None], np.ndarray]


def _rows(targets: np.ndarray, k: int) -> np.ndarray:
    """Targets as probabilities.  (r,) or (r, k) -> (r, k)"""
    return np.eye(k)[targets] if targets.ndim == 1 else targets


def _elsewhere(dealt: np.ndarray, rule: _Rule, epoch: int, items: np.ndarray | None) -> np.ndarray:
    return rule(epoch, dealt if items is None else dealt[items])


def _held_longer(every: int, rule: Callable[..., Any], epoch: int, items: np.ndarray | None) -> Any:
    return rule(epoch // every, items)


def _smoothed(amount: float, k: int, targets: np.ndarray) -> np.ndarray:
    return (1 - amount) * _rows(targets, k) + amount / k


def _tempered(temperature: float, k: int, targets: np.ndarray) -> np.ndarray:
    rows = Distributions(targets, np.arange(len(targets)), tuple(map(str, range(k))))
    return transforms.temper(rows, temperature).probs


def _mapped(name: str, delivery: Delivery, change: partial[np.ndarray]) -> Delivery:
    """The delivery with every target changed; what is always the same is changed once."""
    if delivery.fixed:
        targets = change(delivery.n_classes, delivery.targets(0))
        targets.flags.writeable = False
        rule: _Rule = partial(_taken, targets)
    else:
        rule = partial(_changed, change, delivery.n_classes, delivery.rule)
    return replace(delivery, name=name, hard=False, rule=rule)


def _taken(targets: np.ndarray, epoch: int, items: np.ndarray | None) -> np.ndarray:
    return targets if items is None else targets[items]


def _changed(
    change: Callable[[int, np.ndarray], np.ndarray], k: int, rule: _Rule, epoch: int, items: np.ndarray | None
) -> np.ndarray:
    return change(k, rule(epoch, items))


def _pairs(seed: int, n: int, alpha: float, epoch: int, items: np.ndarray | None) -> Mixing:
    from dissensus.deliver.gammas import beta_weights
    from dissensus.deliver.keyed import NO_ITEMS, key, partners

    asked = NO_ITEMS if items is None else items
    return Mixing(
        partners(key(seed, "partner", epoch), n, asked, items is None),
        beta_weights(key(seed, "weight", epoch), n, alpha, asked, items is None),
    )


def _mixed(
    rule: _Rule,
    hard: bool,
    k: int,
    pairing: Callable[[int, np.ndarray | None], Mixing],
    epoch: int,
    items: np.ndarray | None,
) -> np.ndarray:
    pairs = pairing(epoch, items)
    own, partner = rule(epoch, items), rule(epoch, pairs.partner)
    if not hard:
        return pairs.weight[:, None] * own + (1 - pairs.weight)[:, None] * partner
    mixed, row = np.zeros((own.size, k)), np.arange(own.size)
    mixed[row, own] = pairs.weight
    mixed[row, partner] += 1 - pairs.weight
    return mixed
