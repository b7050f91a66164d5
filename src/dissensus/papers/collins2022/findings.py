"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding
from dissensus.papers.collins2022 import published
from dissensus.papers.collins2022.arms import BELIEFS, BETA, GAMMA, VOTES
from dissensus.papers.collins2022.comparisons import (
    Scores,
    averaged,
    changes,
    compared,
    directed,
    explained,
    near,
    not_better,
    parts_of,
    sureness,
    with_models,
    with_reason,
)
from dissensus.papers.collins2022.label_findings import label_findings
from dissensus.papers.collins2022.published import LOWER, METRICS, NEAR, PER_ANSWER, PER_VOTE, SETS, SMOOTHING, UNIT
from dissensus.papers.collins2022.studies import MODELS, RATE_GRID, RATES, choosing
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.verdicts import count_finding, shown, untested


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    numbers = results.numbers
    made = label_findings(numbers["labels"])
    models = choosing(scale)[0][1]
    made["gamma"] = chosen(numbers["choices"]["gamma"], GAMMA, models)
    made["beta"] = chosen(numbers["choices"]["smoothing"], BETA, models)
    made["learning-rates"] = _rates(numbers["choices"].get("rates"))
    return made | learning_findings({models: numbers[f"scores-{models}"]["scores"] for models in MODELS})


def learning_findings(scores: Mapping[str, Scores]) -> dict[str, Finding]:
    """A finding for each claim about what is learned.

    scores  of "heads" and "networks", by kind of labels, model, seed, evaluation set and metric
    """
    made: dict[str, Finding] = {}
    for key, _, kind, other, _ in LOWER:
        made |= {
            f"{key}-{set_}-{metric}": compared(scores, kind, other, set_, metric) for set_ in SETS for metric in METRICS
        }
    for key, _, kind, other, _ in NEAR:
        metrics = [metric for metric in METRICS if metric != "ce" or key == "table-1-votes"]
        made |= {
            f"{key}-{set_}-{metric}": near(scores, kind, other, set_, metric) for set_ in SETS for metric in metrics
        }
    key, _, kind, other = SMOOTHING
    made |= {
        f"{key}-{set_}-{metric}": compared(scores, kind, other, set_, metric) for set_ in SETS for metric in METRICS
    }
    for set_ in SETS:
        made[f"table-1-softness-{set_}"] = _pairs(scores, set_, ("random", "uniform"), ("hard",))
        made[f"table-1-people-{set_}"] = _pairs(scores, set_, ("h aggregated", "s aggregated"), ("random", "uniform"))
        made[f"table-3-larger-{set_}"] = _larger(scores, set_)
        made[f"table-4-best-{set_}"] = _best(scores, set_)
        made[f"figure-10-{set_}"] = _for_the_same_seconds(scores, set_)
    for metric in METRICS:
        made[f"deaggregated-{metric}"] = _deaggregated(scores, metric)
        made[f"figure-6-{metric}"] = _for_as_many(scores, metric)
    made["figure-6-few"] = _eight_votes(scores)
    return made


def _pairs(scores: Mapping[str, Scores], set_: str, kinds: Sequence[str], others: Sequence[str]) -> Finding:
    """Whether each of some kinds has a lower cross-entropy than each of others, run by run."""
    agreeing: dict[str, bool] = {}
    texts, used = [], Runs()
    for kind, other in product(kinds, others):
        runs = changes(scores, kind, other, set_, "ce")
        used |= runs
        agreeing |= {f"{kind} below {other} · {run}": value < 0 for run, value in runs.items()}
        texts.append(f"{published.NAMES[kind]} {np.mean(list(runs.values())):+.1f} % from {published.NAMES[other]}")
    finding = count_finding(agreeing, over="comparisons", parts=parts_of(scores, used), said="; ".join(texts))
    return finding if finding.verdict != "differs" else with_reason(finding, sureness(scores, (*kinds, *others), set_))


def _larger(scores: Mapping[str, Scores], set_: str) -> Finding:
    one, two = (changes(scores, f"s {count}", f"h {count}", set_, "ce") for count in (1, 2))
    runs = {run: one[run] - two[run] for run in one}
    finding = directed(runs, -1, scores, " points")
    means = [np.mean(list(each.values())) for each in (one, two)]
    text = f"{means[0]:+.1f} % with one, {means[1]:+.1f} % with two; the difference is {finding.ours}"
    return replace(finding, ours=text)


def _best(scores: Mapping[str, Scores], set_: str) -> Finding:
    others = ("t1-uniform", "t1-clamp", "t2-uniform")
    each = {other: changes(scores, "s", other, set_, "ce") for other in others}
    intervals = {other: interval_of(runs) for other, runs in each.items()}
    agreeing = {f"below {other} · {run}": value < 0 for other in others for run, value in each[other].items()}
    texts = [f"{shown(interval, 1, signed=True)} % from {other}" for other, interval in intervals.items()]
    said, parts = f"T2 clamp is {', '.join(texts)}", parts_of(scores, each["t2-uniform"])
    open_ = all(interval.low < 0 < interval.high for interval in intervals.values())
    reason = "each of the three intervals holds differences of either sign" if open_ else ""
    return count_finding(agreeing, over="comparisons", parts=parts, said=said, reason=reason)


def _deaggregated(scores: Mapping[str, Scores], metric: str) -> Finding:
    each = {(kind, set_): changes(scores, kind, f"{kind} aggregated", set_, metric) for kind in "hs" for set_ in SETS}
    runs = averaged(list(each.values()))
    finding = with_models(directed(runs, -1, scores, UNIT[metric]), runs)
    texts = ", ".join(f"CIFAR-10{kind.upper()} on {set_} {np.mean(list(own.values())):+.1f}{UNIT[metric]}"
                      for (kind, set_), own in each.items())  # fmt: skip
    return replace(finding, ours=f"{finding.ours}; {texts}")


def _for_as_many(scores: Mapping[str, Scores], metric: str) -> Finding:
    counts = sorted(set(VOTES) & set(BELIEFS))
    each = [changes(scores, f"s {count}", f"h {count}", set_, metric) for count in counts for set_ in SETS]
    runs = averaged([own for own in each if own])
    finding = with_models(directed(runs, -1, scores, UNIT[metric]), runs)
    return with_reason(finding, "1, 2 and 4 annotators, which both have; small networks learned from 1 and 2")


def _eight_votes(scores: Mapping[str, Scores]) -> Finding:
    runs = averaged([own for set_ in SETS if (own := changes(scores, "h 8", "s", set_, "ce"))])
    finding = with_models(directed(runs, 1, scores, UNIT["ce"]), runs)
    return with_reason(finding, "votes of 8 annotators against stated labels of 6, one at a time, mean of both sets")


def _for_the_same_seconds(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Two elicitations and 32 votes cost about the same."""
    runs = changes(scores, "s 2", "h 32", set_, "ce")
    finding = explained(with_models(not_better(runs, scores, " %"), runs), scores, "s 2", "h 32", set_, "ce")
    costs = f"two stated labels ({2 * PER_ANSWER:.0f} s) against 32 votes ({32 * PER_VOTE:.0f} s)"
    return with_reason(replace(finding, ours=f"{costs}: {finding.ours}"), "seconds as the paper gives them")


def chosen(losses: Mapping[str, Sequence[float]], theirs: float, models: str) -> Finding:
    """The value with the lowest mean validation loss, and how far that of the paper is from it.

    losses  by value, in the same order of models and seeds
    models  that they are of: "heads" or "networks"
    """
    means = {value: float(np.mean(each)) for value, each in losses.items()}
    best = min(means, key=means.__getitem__)
    other = f"{theirs:g}"
    gaps = (np.array(losses[other]) - np.array(losses[best])).tolist()
    table = ", ".join(f"{value}: {mean:.4f}" for value, mean in means.items())
    if best == other:
        return Finding(ours=f"{best} (validation loss by value: {table})", verdict="equal", parts=("choices",))
    interval: Interval = interval_of(gaps)
    ours = f"{best}; that of {other} is {shown(interval, 4, signed=True)} higher over {len(gaps)} runs ({table})"
    if interval.low <= 0:
        reason = "the validation losses of these values cannot be told apart here"
        return Finding(ours=ours, verdict="cannot be tested here", reason=reason, parts=("choices",))
    reason = (
        f"the paper says neither by which loss nor on which images it chose; here {models} chose by cross-entropy to "
        "CIFAR-10 classes"
    )
    return Finding(ours=ours, verdict="differs", reason=reason, parts=("choices",))


def _rates(losses: Mapping[str, Mapping[str, Sequence[float]]] | None) -> Finding:
    if losses is None:
        return untested("which rate is best hangs on the width and the number of epochs; full scale runs it")
    best: dict[str, Any] = {
        model: min(own, key=lambda rate: float(np.mean(own[rate]))) for model, own in losses.items()
    }
    same = all(best[model] == f"{RATES[model]:g}" for model in RATE_GRID)
    ours = ", ".join(f"{model} {rate}" for model, rate in best.items())
    return Finding(ours=ours, verdict="equal" if same else "differs", parts=("choices",))
