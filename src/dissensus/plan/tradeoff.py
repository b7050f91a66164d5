"""The utility of labels against their cost: losses, preference maps, and how many classes to ask for.

    L = beta cost - u(rho),   lower is better, 0 for collecting nothing

rho is how well similarities are recovered. Unless it was simulated, the information ratio is used instead, as in
Sucholutsky 2023, sec. 5 and 6, figures 1 and 6. The paper leaves the unit of cost open: see `Preferences.scale`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dissensus.labels.display import shapes
from dissensus.labels.refusals import Refusal, Way, one_of
from dissensus.labels.settings import check_settings, document_settings, setting
from dissensus.plan.error_rates import ErrorRates, Tried, interpolate, select_kind
from dissensus.plan.estimates import Estimate, by_information
from dissensus.plan.label_kinds import PARTIAL_KINDS, LabelKind, PartialKind
from dissensus.plan.utilities import UTILITIES, Utility, find_utility

FIGURE_1 = 8_100.0  # hard labels: what soft labels for 90 items over 90 classes cost, the largest set of figure 1


@document_settings
@dataclass(frozen=True)
class Costs:
    """The cost of an answer in any unit: hard labels, seconds, money.

    `hard` is the cost of naming one class, `pair` that of judging how similar two items are (None for the cost of a
    hard label), and `partial` has (kind, k_hat, cost) of sparse and top-class labels whose cost was measured. The cost
    of a label over k_hat classes is interpolated: a hard label at k_hat = 1, measured labels in between, a soft label
    at k_hat = k.

    Examples
    --------
    >>> float(Costs(ratio=10).total("soft", n=80, k=20))
    800.0
    """

    hard: float = 1.0
    ratio: float | None = setting(
        None, "Cost of a soft label over all classes, in hard labels; by default the number of classes", above=0
    )
    pair: float | None = None
    partial: Tried = ()

    def __post_init__(self) -> None:
        check_settings(self)
        named: list[tuple[str, float | None]] = [("cost of a hard label", self.hard), ("cost of a pair", self.pair)]
        named += [(f"cost of a {kind} label over {asked} classes", cost) for kind, asked, cost in self.partial]
        for name, value in named:
            if value is not None and not (value > 0 and np.isfinite(value)):
                raise ValueError(f"the {name} is {value:g}; expected a number above 0")

    @classmethod
    def from_measurements(cls, hard: float, soft: float, pair: float | None = None) -> Costs:
        """Build costs from the seconds (or the money) that one answer of each kind takes."""
        if not hard > 0:
            raise ValueError(f"the cost of a hard label is {hard}; expected a number above 0")
        return cls(hard, soft / hard, pair)

    def total(self, kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        """The cost of labelling all n items once; for pairs, of judging all n (n - 1)/2 of them."""
        n, k, k_hat = (np.asarray(value, dtype=np.float64) for value in (n, k, k_hat))
        if kind == "pairwise":
            return (self.hard if self.pair is None else self.pair) * n * (n - 1) / 2
        soft = k if self.ratio is None else np.where(k > 1, self.ratio, 1.0)
        tried = [(asked, cost / self.hard) for asked, cost in select_kind(self.partial, kind)]
        each = {"hard": np.ones_like(k), "soft": soft}.get(kind)
        return np.asarray(self.hard * n * (interpolate(k_hat, k, 1.0, tried, soft) if each is None else each))


@document_settings
@dataclass(frozen=True)
class Preferences:
    """How cost is weighed against the information in labels.

    `costs` are those of an answer of each kind, and `estimate` gives rho if all answers are right: by default the
    information ratio. `errors`, the share of wrong comparisons, lowers it to (1 - epsilon) rho. The utility may also be
    a function of an array of rho.

    Without a reference, the scale is that of the set itself: cost as a share of k hard labels per item, utility as a
    share of that of soft labels without errors. With one, all sets have one scale and utility is not scaled.

    Examples
    --------
    >>> preferences = Preferences(Costs(ratio=10), beta=0.5)
    >>> preferences.loss("soft", 80, 20).round(3)
    np.float64(-0.75)
    """

    costs: Costs = field(default_factory=Costs)
    utility: str | Utility = setting("linear", f"Utility of information: {', '.join(UTILITIES)}")
    beta: float = setting(
        1.0, "Weight of cost; at 1, a soft label is worth as many hard labels as there are classes", low=0
    )
    reference: float | None = setting(
        None,
        f"Number of hard labels that cost 1; by default items x classes; {FIGURE_1:g} gives the maps of "
        "Sucholutsky 2023",
        above=0,
    )
    estimate: Estimate = by_information
    errors: ErrorRates = field(default_factory=ErrorRates)

    def __post_init__(self) -> None:
        find_utility(self.utility)
        check_settings(self)

    def rho(self, kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        """Recovered similarity: (1 - epsilon) times the estimate, 0 to 1."""
        return (1 - self.errors.rate(kind, k, k_hat)) * self.estimate(kind, n, k, k_hat)

    def scale(self, n: ArrayLike, k: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """The cost in hard labels and the utility that equal 1 in a loss, for numbers or arrays that broadcast.

        n k  and  u(rho of soft labels),   or  `reference`  and  1
        """
        if self.reference is not None:
            return np.asarray(self.reference), np.asarray(1.0)
        n, k = (np.asarray(value, dtype=np.float64) for value in (n, k))
        whole = np.asarray(find_utility(self.utility)(self.estimate("soft", n, k, k)), dtype=np.float64)
        if not (np.isfinite(whole) & (whole > 0)).all():
            worth = whole[~(np.isfinite(whole) & (whole > 0))].flat[0]
            raise Refusal(
                f"the utility of soft labels is {worth:g}; expected a number above 0, of which utilities are shares",
                ways=[Way("set a fixed reference cost with {reference}", reference=FIGURE_1)],
            )
        return n * k, whole

    def trade_off(self, cost: ArrayLike, rho: ArrayLike, n: ArrayLike, k: ArrayLike) -> np.ndarray:
        """The loss of spending `cost` hard labels to recover similarities as well as rho.

        beta cost / (cost of 1) - u(rho) / (utility of 1)
        """
        whole_cost, whole_utility = self.scale(n, k)
        worth = find_utility(self.utility)(np.asarray(rho, dtype=np.float64))
        return np.asarray(self.beta * np.asarray(cost) / whole_cost - worth / whole_utility)

    def loss(self, kind: LabelKind, n: ArrayLike, k: ArrayLike, k_hat: ArrayLike = 1) -> np.ndarray:
        """The loss of labels of one kind for all items, lower is better, for numbers or arrays that broadcast."""
        cost = self.costs.total(kind, n, k, k_hat) / self.costs.hard
        return self.trade_off(cost, self.rho(kind, n, k, k_hat), n, k)


def preference_map(items: ArrayLike, classes: ArrayLike, preferences: Preferences) -> np.ndarray:
    """Compute by how much soft labels are preferred to hard ones: L_hard - L_soft, above 0 for soft labels.

    With `Preferences(reference=tradeoff.FIGURE_1)`, these are the maps of Sucholutsky 2023, figure 1, bottom.

    Parameters
    ----------
    items : (N,) numbers of items
    classes : (K,) numbers of classes
    preferences : costs, utility and the weight of cost

    Returns
    -------
    (N, K) : one row per number of items

    Examples
    --------
    >>> preference_map([10, 80], [5, 20], Preferences(Costs(ratio=3), beta=0.5)).round(2)
    array([[0.43, 0.85],
           [0.47, 0.85]])
    """
    n, k = np.asarray(items)[:, None], np.asarray(classes)[None, :]
    return preferences.loss("hard", n, k) - preferences.loss("soft", n, k)


@dataclass(frozen=True)
class TurningPoint:
    """Where hard and soft labels have the same loss.

    gain        utility of soft labels minus that of hard ones, on the scale of the preferences
    extra_cost  cost of soft labels minus that of hard ones, on the same scale
    beta        soft labels win below this weight of cost; infinite if they cost no more
    ratio       soft labels win below this cost of each, in hard labels; infinite if cost does not matter
    """

    gain: float
    extra_cost: float
    beta: float
    ratio: float


def turning_point(n: int, k: int, preferences: Preferences) -> TurningPoint:
    """Find where hard and soft labels for n items over k classes have the same loss."""
    u = find_utility(preferences.utility)
    whole_cost, whole_utility = (float(unit) for unit in preferences.scale(n, k))
    gain = float(u(preferences.rho("soft", n, k, k)) - u(preferences.rho("hard", n, k, 1))) / whole_utility
    costs = preferences.costs
    extra = float(costs.total("soft", n, k) / costs.total("hard", n, k) - 1) * n / whole_cost
    return TurningPoint(
        gain,
        extra,
        beta=gain / extra if extra > 0 else np.inf,
        ratio=1 + gain * whole_cost / (preferences.beta * n) if preferences.beta > 0 else np.inf,
    )


@dataclass(frozen=True, eq=False)
class LossByClasses:
    """The loss of labels by the number of classes they ask for, as in Sucholutsky 2023, figure 6.

    k_hat  (k,) 1..k;  loss  (k,) lower is better
    """

    kind: LabelKind
    k_hat: np.ndarray
    loss: np.ndarray

    __repr__ = shapes

    @property
    def best(self) -> int:
        """The number of classes to ask for; the fewest if several are equally good."""
        return int(self.k_hat[np.argmin(self.loss)])


def loss_curve(kind: PartialKind, n: int, k: int, preferences: Preferences) -> LossByClasses:
    """Compute the loss of sparse or top-class labels for every number of classes they may ask for.

    Parameters
    ----------
    kind : "sparse" or "top-class"
    n, k : items and classes
    preferences : costs, utility and the weight of cost

    Returns
    -------
    LossByClasses : `k_hat` and `loss` (k,), `best` k_hat; 1 class is a hard label, k classes are a soft one

    Examples
    --------
    >>> loss_curve("sparse", 80, 20, Preferences()).best
    10
    """
    one_of("kind of labels with a number of classes", kind, PARTIAL_KINDS)
    asked = np.arange(1, k + 1)
    loss = np.array(preferences.loss(kind, n, k, asked))
    # A number for a single class does not name the nearest one: the hard label stands for it.
    loss[0] = preferences.loss("hard", n, k)
    return LossByClasses(kind, asked, loss)
