"""Two kinds of labels against each other, over runs: each function is one kind of claim about learning.

Differences are in percent of the other kind's score, so that heads and networks, whose scores differ by far more than
labels do, can be averaged; those of calibration errors, which may be near zero, are in points of a hundred. A run is a
model with a seed, as in the paper, whose means are over five seeds of three networks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Verdict
from dissensus.papers.collins2022 import published
from dissensus.papers.collins2022.published import SETS, UNIT
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.verdicts import direction_finding, format_estimate, no_difference_finding

HEADS = ("mlp", "linear")  # all other models are networks
FEWEST = 3  # runs below which no difference between labels is judged
STATED = ("s", "s aggregated", "s 1", "s 2")
VOTED = ("h", "h aggregated", "h 1", "h 2", "h 32")
Scores = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]]


def changes(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Runs:
    """By how much `kind` scores above `other`, in `UNIT`, of each run that has both kinds and the metric."""
    runs = {}
    for own in scores.values():
        for model, seeds in own.get(kind, {}).items():
            for seed, sets in seeds.items():
                base = own.get(other, {}).get(model, {}).get(seed, {}).get(set_, {}).get(metric)
                if base is not None and metric in sets[set_]:
                    runs[f"{model} · seed {seed}"] = published.difference(sets[set_][metric], base, metric)
    return runs


def compare_kinds(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Finding:
    """The paper's order of two kinds of labels; where it finds no benefit, that there is none."""
    runs = changes(scores, kind, other, set_, metric)
    change = published.change(kind, other, set_, metric)
    no_benefit = 0 <= change <= _margin(other, set_, metric)

    def judge(own: Runs) -> Finding:
        if no_benefit:
            return not_better(own, scores, UNIT[metric])
        return direction_with_reason(own, -1 if change < 0 else 1, scores, UNIT[metric])

    return explain(by_models(judge, runs), scores, kind, other, set_, metric)


def near(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Finding:
    """No difference, up to half of the interval that the paper prints for the other kind."""
    runs = changes(scores, kind, other, set_, metric)
    margin = round(_margin(other, set_, metric), 1)
    why = f"the margin is {margin:.1f}{UNIT[metric]}, half of the interval that the paper prints"

    def judge(own: Runs) -> Finding:
        finding = no_difference_finding(
            interval_of(own),
            own,
            margin,
            over="runs",
            parts=parts_of(scores, own),
            digits=1,
            unit=UNIT[metric],
            reason=why,
        )
        return enough(finding, own)

    return explain(by_models(judge, runs), scores, kind, other, set_, metric)


def _margin(kind: str, set_: str, metric: str) -> float:
    """Half of a printed interval, in `UNIT`."""
    theirs = published.score(kind, set_, metric).value
    return published.difference(theirs + published.half(kind, set_, metric), theirs, metric)


def not_better(runs: Runs, scores: Mapping[str, Scores], unit: str) -> Finding:
    """A benefit that the paper does not find: it differs only where there is one significant."""
    interval = interval_of(runs)
    verdict: Verdict = "differs" if interval.high < 0 else "same direction"
    better = "significantly better" if verdict == "differs" else "not significantly better"
    ours = f"{format_estimate(interval, 1, signed=True)}{unit} over {len(runs)} runs, {better}"
    finding = Finding(ours=ours, verdict=verdict, parts=parts_of(scores, runs), value=interval, runs=runs)
    return enough(finding, runs)


def enough(finding: Finding, runs: Runs) -> Finding:
    """Two runs say nothing about a difference that the paper takes fifteen for."""
    if len(runs) >= FEWEST:
        return finding
    reason = f"{len(runs)} runs of this scale are too few to tell; laptop and full scale have more"
    return replace(with_reason(finding, reason), verdict="cannot be tested here")


def explain(finding: Finding, scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Finding:
    """With the likely reason, where it differs and the numbers show one."""
    interval = finding.value
    if finding.verdict != "differs" or interval is None:
        return finding
    if interval.low < 0 < interval.high:
        return with_reason(finding, _open(interval, kind, other, set_, metric))
    if metric != "calibration" and kind in STATED and other in VOTED:
        by_set = [float(np.mean(list(changes(scores, kind, other, name, metric).values()))) for name in SETS]
        reason = f"{by_set[0]:+.1f}% by CIFAR-10H labels, {by_set[1]:+.1f}% by CIFAR-10S labels"
        if by_set[1] < by_set[0]:
            reason += ": stated labels do better where stated labels judge"
    else:
        reason = sureness(scores, (kind, other), set_)
        surer = _too_sure(scores, kind, set_) - _too_sure(scores, other, set_)
        if surer * interval.value > 0:
            reason += ": the less sure of the two scores better"
    return with_reason(finding, reason)


def _open(interval: Interval, kind: str, other: str, set_: str, metric: str) -> str:
    """What an interval that holds zero says about the difference that the paper prints."""
    if not {kind, other} <= published.SCORES[set_].keys():
        return "the interval holds differences of either sign"
    theirs = published.change(kind, other, set_, metric)
    text = f"the paper's {theirs:+.1f}{UNIT[metric]}"
    if interval.low <= theirs <= interval.high:
        return f"the interval holds no difference and {text}: too few runs to tell them apart"
    return f"the interval holds no difference, and not {text}"


def sureness(scores: Mapping[str, Scores], kinds: Sequence[str], set_: str) -> str:
    """How sure models are, in words."""
    texts = [f"{_too_sure(scores, kind, set_):+.3f} with {published.NAMES[kind]}" for kind in kinds]
    return f"mean confidence less accuracy is {', '.join(texts)}"


def with_reason(finding: Finding, reason: str) -> Finding:
    """With a reason more."""
    return replace(finding, reason=f"{finding.reason}; {reason}" if finding.reason else reason)


def _too_sure(scores: Mapping[str, Scores], kind: str, set_: str) -> float:
    """By how much confidence is above accuracy, on average over runs."""
    runs = [
        sets[set_]["too sure"]
        for own in scores.values()
        for seeds in own.get(kind, {}).values()
        for sets in seeds.values()
    ]
    return float(np.mean(runs))


def direction_with_reason(runs: Runs, sign: Literal[-1, 1], scores: Mapping[str, Scores], unit: str) -> Finding:
    """A difference that the paper says is above or below zero."""
    finding = direction_finding(
        interval_of(runs), runs, sign, over="runs", parts=parts_of(scores, runs), digits=1, unit=unit
    )
    return enough(finding, runs)


def parts_of(scores: Mapping[str, Scores], runs: Runs) -> tuple[str, ...]:
    """The parts that these runs come from."""
    models = {run.partition(" · ")[0] for run in runs}
    used = [name for name, own in scores.items() if any(models & set(kind) for kind in own.values())]
    return tuple(f"{part}-{name}" for name in used for part in ("votes", "beliefs", "scores"))


def by_models(judge: Callable[[Runs], Finding], runs: Runs) -> Finding:
    """What all runs say, with the means of heads, of networks and of each model; and what the networks say alone."""
    finding = judge(runs)
    by_model: dict[str, list[float]] = {}
    for run, value in runs.items():
        by_model.setdefault(run.partition(" · ")[0], []).append(value)
    texts, groups = [], {}
    for name, models in (
        ("heads", [model for model in by_model if model in HEADS]),
        ("networks", [model for model in by_model if model not in HEADS]),
    ):
        if models:
            groups[name] = interval = interval_of([value for model in models for value in by_model[model]])
            each = ", ".join(f"{model} {np.mean(by_model[model]):+.1f}" for model in models)
            texts.append(f"{name} {format_estimate(interval, 1, signed=True)}: {each}")
    finding = replace(finding, ours=f"{finding.ours} ({'; '.join(texts)})")
    if len(groups) < 2:
        return finding
    alone = judge({run: value for run, value in runs.items() if run.partition(" · ")[0] not in HEADS})
    if alone.verdict != finding.verdict:
        return with_reason(finding, networks_alone(alone.verdict))
    both = finding.value
    if both is not None and not both.low < 0 < both.high and groups["networks"].low < 0 < groups["networks"].high:
        return with_reason(finding, "the networks alone are not significantly different")
    return finding


def networks_alone(verdict: Verdict) -> str:
    """In words, where they would give another verdict than all runs do."""
    return f'decided by the heads: the verdict of the networks alone would be "{verdict}"'


def average_runs(several: Sequence[Runs]) -> Runs:
    """The mean of each run over all that it is part of."""
    names = dict.fromkeys(run for runs in several for run in runs)
    return {name: float(np.mean([runs[name] for runs in several if name in runs])) for name in names}
