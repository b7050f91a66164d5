"""What came of a claim, in numbers: one outcome per model and epoch, and which of them decided."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval
from dissensus.papers.evidence import Candidate

Verdict = Literal["equal", "same direction", "differs", "too weak to tell", "cannot be tested here"]
VERDICTS: tuple[Verdict, ...] = ("equal", "same direction", "differs", "too weak to tell", "cannot be tested here")


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A difference or a number, measured on one model at one epoch.

    runs      values by run; `value` is their mean with its interval
    agreeing  runs with the claimed sign
    weak      conditions that this evidence fails: level, control, power, delivery
    means     of the arms compared
    cells     for a claim about several differences: which of them have the claimed sign
    accuracy  of the model's reference arm, in percent; None if it was not measured
    """

    candidate: Candidate
    value: Interval
    runs: Mapping[str, float]
    agreeing: int
    weak: tuple[str, ...] = ()
    means: Mapping[str, float] = field(default_factory=dict)
    cells: Mapping[str, bool] = field(default_factory=dict)
    accuracy: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "model": self.candidate.model,
            "epoch": self.candidate.epoch,
            "value": as_json(self.value),
            "runs": as_json(self.runs),
            "agreeing": self.agreeing,
            "weak": list(self.weak),
            "means": as_json(self.means),
            "cells": dict(self.cells),
            "accuracy": self.accuracy,
        }


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A verdict and the numbers behind it.

    outcomes  nearest model first
    decided   position of the outcome that decided; of the nearest one if all are too weak
    effect    as the paper prints it; None if it does not
    relative  whether values are shares of the base
    margin    for a claim of no difference
    digits    decimals of the printed number
    reason    why a claim cannot be tested
    others    for a claim with several conditions: the judgements of the others
    """

    verdict: Verdict
    outcomes: tuple[Outcome, ...] = ()
    decided: int | None = None
    effect: float | None = None
    relative: bool = False
    margin: float | None = None
    digits: int | None = None
    reason: str = ""
    others: tuple[Judgement, ...] = ()

    def __post_init__(self) -> None:
        assert self.verdict in VERDICTS
        if self.verdict == "cannot be tested here" and not self.reason:
            raise ValueError("a claim that cannot be tested here needs a reason")

    @property
    def deciding(self) -> Outcome | None:
        return None if self.decided is None else self.outcomes[self.decided]

    def as_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "outcomes": [outcome.as_json() for outcome in self.outcomes],
            "decided": self.decided,
            "effect": self.effect,
            "relative": self.relative,
            "margin": self.margin,
            "reason": self.reason,
            "others": [judgement.as_json() for judgement in self.others],
        }
