"""Arms against their baselines: paired differences with intervals, tests, and their smallest possible p."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.evaluate.effect_sizes import has_spread
from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.evaluate.significance import Alternative, Comparison, holm
from dissensus.evaluate.statistics import corrected_t, mean_interval, paired_t
from dissensus.labels.as_json import as_json
from dissensus.labels.intervals import Interval
from dissensus.study.grid import matches
from dissensus.study.summary.arms import Arm, baseline_of
from dissensus.study.summary.units import (
    Record,
    Units,
    measure,
    repeats,
    units_of,
    without_interval,
)

ROUNDING = 1e-12  # of the larger value: differences below are rounding, and count as none


@dataclass(frozen=True)
class PairedDifference:
    """The difference of an arm from its baseline by one metric, in the units that both have.

    values    arm - baseline, by unit
    left_out  units of the study that only one of them has, or neither
    interval  of the mean difference
    agreeing  units whose difference has the sign of the mean
    test      None where there is none; the summary's remarks say why
    same_as   another metric that differs by the very same amounts; both are one test, counted once
    """

    arm: str
    baseline: str
    metric: str
    units: Units
    values: dict[str, float]
    left_out: tuple[str, ...]
    interval: Interval
    agreeing: int
    test: Comparison | None
    same_as: str = ""

    @property
    def n(self) -> int:
        return len(self.values)

    def as_json(self) -> dict[str, Any]:
        record: dict[str, Any] = {"arm": self.arm, "baseline": self.baseline, "metric": self.metric}
        record |= {"difference": as_json(self.interval), "n": self.n, "values": self.values}
        record |= {"unit": self.units.kind, "agreeing": self.agreeing, "left_out": list(self.left_out)}
        record |= {"test": None if self.test is None else self.test.as_json()}
        return record | ({"same_as": self.same_as} if self.same_as else {})


def differences_of(
    arms: Sequence[Arm], metrics: Sequence[str], description: Mapping[str, Any]
) -> tuple[list[PairedDifference], list[str]]:
    """Each arm against the one with the baseline's values, by each metric; and remarks on what could not be done."""
    compare = description["compare"]
    if compare is None:
        return [], ["The study names no baseline, so arms are not compared with one another."]
    corrected = compare["test"] == "corrected-t"
    units = units_of(description, single=corrected)
    remarks, differences = [], []
    for arm in arms:
        if matches(arm.settings, compare["baseline"]):
            continue
        baseline, why = baseline_of(arm, arms, compare["baseline"])
        if baseline is None:
            remarks.append(f"{why}.")
            continue
        if _list_test_hashes(arm) != _list_test_hashes(baseline):
            remarks.append(
                f"{arm.name} is not compared with {baseline.name}: they have different test items or answers, "
                "so a seed is not the same for both."
            )
            continue
        if _same_trainings(arm, baseline):
            remarks.append(
                f"{arm.name} and {baseline.name} gave identical scores throughout: both lead to the same labels, so "
                "the two arms are one training."
            )
        ratio = test_train_ratio(description, arm.done) if corrected else 0.0
        own: list[PairedDifference] = []
        for metric in metrics:
            one = _difference(arm, baseline, metric, units, ratio or 0.0)
            if one is None:
                continue
            if repeats(arm.done) and repeats(baseline.done):
                one, test, why = replace(one, interval=without_interval(one.interval)), None, ""
            else:
                test, why = (None, NO_SIZES) if ratio is None else _run_test(one, compare, ratio)
            remarks += [why] if why else []
            own.append(replace(one, test=test, same_as=_same(one, own)))
        differences += own
    return _correct_family(differences, compare["family"]), list(dict.fromkeys(remarks))


NO_SIZES = "The corrected t-test needs the number of training items, which the records lack, so no test is made."


def test_train_ratio(description: Mapping[str, Any], records: Sequence[Record]) -> float | None:
    """Test items per training item, by the records, else by the shares of the split, else None."""
    sizes = [record.get("items", {}) for record in records]
    if sizes and all("learned from" in size for size in sizes):
        return float(np.mean([size["judged on"] / size["learned from"] for size in sizes]))
    split = description["split"]
    if split["scheme"] in ("column", "file"):
        return None
    test = 1 / split["folds"] if split["scheme"] == "k-fold" else split["test"]
    held = 0.0 if split["validation"] == "test" else split["validation"]
    return float(test / ((1 - test) * (1 - held)))


def _list_test_hashes(arm: Arm) -> set[str]:
    """A key of the items of an arm, people's answers to them, and their split."""
    made = [record["settings"] for record in arm.done]
    return {json.dumps([each.get("data", {}).get("people"), each.get("split")], sort_keys=True) for each in made}


def _same_trainings(arm: Arm, baseline: Arm) -> bool:
    """Whether every cell of an arm equals that of its baseline, such as soft and majority with one vote per item."""
    mine, theirs = ({(r["seed"], r["fold"]): r["scores"] for r in each.done} for each in (arm, baseline))
    return bool(mine) and mine == theirs


def score_of(metric: str) -> Any:
    """Read a metric from a record: its value, or None, and the items behind it."""

    def read(record: Record) -> tuple[float | None, float] | None:
        if metric not in record["scores"]:
            return None
        return record["scores"][metric], record["items"]["judged on"]

    return read


def _difference(arm: Arm, baseline: Arm, metric: str, units: Units, ratio: float) -> PairedDifference | None:
    a, b = (measure(each.done, units, score_of(metric)) for each in (arm, baseline))
    if a.not_finite or b.not_finite:
        return None
    both = [unit for unit in units.names if unit in a.values and unit in b.values]
    if not both:
        return None
    values = {unit: _gap(a.values[unit], b.values[unit]) for unit in both}
    interval = mean_interval(list(values.values()), test_to_train=ratio)
    agreeing = sum(value * interval.value > 0 for value in values.values())
    left_out = tuple(unit for unit in units.names if unit not in values)
    return PairedDifference(arm.name, baseline.name, metric, units, values, left_out, interval, agreeing, None)


def _gap(a: float, b: float) -> float:
    return 0.0 if abs(a - b) <= ROUNDING * max(abs(a), abs(b)) else a - b


def _run_test(difference: PairedDifference, compare: Mapping[str, Any], ratio: float) -> tuple[Comparison | None, str]:
    values = np.array(list(difference.values.values()))
    zeros, side = np.zeros(values.size), compare["side"]
    alternative: Alternative = side
    if compare["test"] == "wilcoxon":
        return wilcoxon(values, zeros, alternative), ""
    where = f"{difference.arm} against {difference.baseline} by {difference.metric}"
    if values.size < 2:
        return None, f"{where}: a t-test needs two pairs or more, and there is one."
    if values.any() and not has_spread(values):
        return None, f"{where}: all {values.size} differences are {values[0]:.4g}, so a t-test is undefined."
    if compare["test"] == "paired-t":
        return paired_t(values, zeros, alternative), ""
    return corrected_t(values, zeros, ratio, alternative), ""


def _same(difference: PairedDifference, others: Sequence[PairedDifference]) -> str:
    """Another metric of the same arm that differs by the same amounts, such as KL and soft NLL; "" if there is none."""
    for other in others:
        if other.values.keys() == difference.values.keys() and any(other.values.values()):
            pairs = [(difference.values[unit], value) for unit, value in other.values.items()]
            if all(math.isclose(mine, theirs, rel_tol=1e-6, abs_tol=1e-12) for mine, theirs in pairs):
                return other.same_as or other.metric
    return ""


def _correct_family(differences: Sequence[PairedDifference], family: str) -> list[PairedDifference]:
    """With Holm's correction over all tests or those of each metric; a test that two metrics share counts once."""
    groups: dict[str, dict[str, Comparison]] = {}
    for difference in differences:
        if difference.test is not None and not difference.same_as:
            group = groups.setdefault("" if family == "all" else difference.metric, {})
            group[f"{difference.arm}\n{difference.metric}"] = difference.test
    adjusted = {key: test for group in groups.values() for key, test in holm(group).items()}
    shown = []
    for difference in differences:
        key = f"{difference.arm}\n{difference.same_as or difference.metric}"
        shown.append(replace(difference, test=adjusted[key]) if key in adjusted else difference)
    return shown
