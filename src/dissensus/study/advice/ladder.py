"""Choose among methods by evidence: the simplest is kept until another is significantly better."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.effect_sizes import has_spread
from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.evaluate.statistics import corrected_t, mean_interval, paired_t
from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval

Take = Literal["shown", "lowest"]
ALPHA = 0.05  # probability of ever replacing a simpler method by one that is not better
GROUPS = 5  # parts for testing the choice on held-out units


@dataclass(frozen=True)
class Rung:
    """One method, compared with the current one.

    loss        its mean, infinite where any is
    against     name of the method it was compared with; None for the first
    difference  loss - that of the one that stood, below 0 where this is better, with its 95% interval; None where
                either is infinite
    p           two-sided, times the number of tests; None for the first
    better      whether it replaced it
    """

    name: str
    loss: float
    against: str | None = None
    difference: Interval | None = None
    p: float | None = None
    better: bool = False

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "loss": as_json(self.loss),
            "against": self.against,
            "difference": as_json(self.difference),
            "p_corrected": self.p,
            "better": self.better,
        }


@dataclass(frozen=True)
class Ladder:
    """The choice, its steps, and its gain on held-out units.

    chosen  the last method that replaced another
    lowest  the method with the lowest loss, significant or not
    taken   which of the two is advised
    gain    loss of the one taken - that of `start`, on units that had no say in the choice; below 0 where choosing
            pays. None with too few units
    start   the first with a finite loss
    units   how many numbers each mean is of
    """

    chosen: str
    lowest: str
    taken: str
    rungs: tuple[Rung, ...]
    gain: Interval | None
    start: str
    units: int

    def rung(self, name: str) -> Rung:
        return next(rung for rung in self.rungs if rung.name == name)

    def as_json(self) -> dict[str, Any]:
        return {
            "chosen": self.chosen,
            "lowest": self.lowest,
            "taken": self.taken,
            "start": self.start,
            "units": self.units,
            "gain": as_json(self.gain),
            "rungs": [rung.as_json() for rung in self.rungs],
        }


def climb(
    losses: Mapping[str, np.ndarray], groups: np.ndarray, *, overlap: float = 0.0, take: Take = "shown"
) -> Ladder:
    """Go through methods from simplest to most complex: each has to beat the current one.

        t = mean(d) / sqrt(var(d) (1/u + overlap)),   d = loss - loss of the current one,   u - 1 degrees of freedom

    A method is replaced if p (tests) < 0.05, so the probability of any replacement by one that is not better is below
    0.05: Bonferroni, in an order that does not depend on the data. A method whose loss is infinite is kept until one is
    finite.

    The lowest of many losses is lower than it will be again, so `gain` is from elsewhere: for each group of units the
    whole climb is done on the others, and what it chooses is scored on the group.

    losses   by name: (u,) one number per unit, the same units for all
    groups   (u,) codes of the parts of which the units are held out together
    overlap  0 for units that are independent; for folds of a cross-validation the items judged on over those learned
             from, since their training sets overlap: Nadeau and Bengio (2003), Inference for the generalization error
    take     "shown": the last that was shown to be better; "lowest": the lowest loss, where simplicity is worth nothing
    """
    if len({values.shape for values in losses.values()} | {groups.shape}) != 1:
        shapes = {name: values.shape for name, values in losses.items()}
        raise ValueError(f"losses have the shapes {shapes} and groups {groups.shape}; expected the same units for all")
    rungs = _rungs(losses, overlap)
    finite = [rung for rung in rungs if math.isfinite(rung.loss)]
    start = finite[0].name if finite else rungs[0].name
    gain = _gain(losses, start, groups, overlap, take)
    return Ladder(
        _name(rungs, "shown"), _name(rungs, "lowest"), _name(rungs, take), tuple(rungs), gain, start, groups.size
    )


def _name(rungs: Sequence[Rung], take: Take) -> str:
    if take == "lowest":
        return min(rungs, key=lambda rung: rung.loss).name
    return [rung for rung in rungs if rung.better or rung.against is None][-1].name


def _rungs(losses: Mapping[str, np.ndarray], overlap: float) -> list[Rung]:
    names = list(losses)
    tests, standing = max(len(names) - 1, 1), names[0]
    rungs = [Rung(names[0], float(losses[names[0]].mean()))]
    for name in names[1:]:
        loss, other = float(losses[name].mean()), float(losses[standing].mean())
        if math.isinf(loss) or math.isinf(other):
            better = math.isinf(other) and not math.isinf(loss)
            rungs.append(Rung(name, loss, standing, None, 0.0 if better else 1.0, better))
        else:
            apart = losses[name] - losses[standing]
            difference, p = mean_interval(apart, test_to_train=overlap), _two_sided_p(apart, overlap)
            better = p * tests < ALPHA and difference.value < 0
            rungs.append(Rung(name, loss, standing, difference, min(1.0, p * tests), better))
        standing = name if better else standing
    return rungs


def _two_sided_p(d: np.ndarray, overlap: float) -> float:
    """Return p of the t-test of paired differences, of the signed-rank test if they have no spread.  (u,)"""
    zeros = np.zeros(d.size)
    if d.size < 2 or not has_spread(d):
        return wilcoxon(d, zeros).p
    return (corrected_t(d, zeros, overlap) if overlap > 0 else paired_t(d, zeros)).p


def _gain(
    losses: Mapping[str, np.ndarray], start: str, groups: np.ndarray, overlap: float, take: Take
) -> Interval | None:
    gained = np.zeros(groups.size)
    known = np.unique(groups)
    if known.size < 2 or len(losses) < 2:
        return None
    for group in known:
        inside = groups == group
        if np.count_nonzero(~inside) < 2:
            return None
        rungs = _rungs({name: values[~inside] for name, values in losses.items()}, overlap)
        chosen = _name(rungs, take)
        if chosen != start:
            gained[inside] = losses[chosen][inside] - losses[start][inside]
    if not np.isfinite(gained).all():
        return None
    return mean_interval(gained, test_to_train=overlap)
