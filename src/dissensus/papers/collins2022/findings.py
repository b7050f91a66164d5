"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding
from dissensus.papers.collins2022.arms import BELIEFS, BETA, GAMMA, VOTES
from dissensus.papers.collins2022.comparisons import (
    HEADS,
    Scores,
    averaged,
    by_models,
    changes,
    compared,
    directed,
    enough,
    explained,
    near,
    networks_alone,
    not_better,
    parts_of,
    sureness,
    with_reason,
)
from dissensus.papers.collins2022.label_findings import label_findings
from dissensus.papers.collins2022.published import (
    BY,
    CONTROLS_OF,
    LOWER,
    METRICS,
    NAMES,
    NEAR,
    PER_ANSWER,
    PER_VOTE,
    SETS,
    SMOOTHING,
    UNIT,
)
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
    deciding = ("networks",) if scale == "full" else MODELS
    return made | learning_findings({models: numbers[f"scores-{models}"]["scores"] for models in deciding})


def learning_findings(scores: Mapping[str, Scores]) -> dict[str, Finding]:
    """A finding for each claim about what is learned.

    scores  of "heads" and "networks", or of networks alone, by kind of labels, model, seed, evaluation set and metric
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
    for key, _, kind, other in SMOOTHING:
        made |= {
            f"{key}-{set_}-{metric}": compared(scores, kind, other, set_, metric) for set_ in SETS for metric in METRICS
        }
    for metric in ("calibration", "fgsm"):
        for key, (kinds, others, _) in CONTROLS_OF[metric].items():
            made[f"table-1-{key}-{metric}"] = _pairs(scores, tuple(SETS), metric, kinds, others)
    for set_ in SETS:
        for key, (kinds, others, _) in CONTROLS_OF["ce"].items():
            made[f"table-1-{key}-{set_}"] = _pairs(scores, (set_,), "ce", kinds, others)
        made[f"table-3-larger-{set_}"] = _larger(scores, set_)
        made[f"table-4-best-{set_}"] = _best(scores, set_)
        made[f"figure-10-{set_}"] = _for_the_same_seconds(scores, set_)
    for metric in METRICS:
        made[f"deaggregated-{metric}"] = _deaggregated(scores, metric)
        made[f"figure-6-{metric}"] = _for_as_many(scores, metric)
    made["figure-6-few"] = _eight_votes(scores)
    return made


def _pairs(
    scores: Mapping[str, Scores], sets: Sequence[str], metric: str, kinds: Sequence[str], others: Sequence[str]
) -> Finding:
    """Whether each of some kinds scores lower than each of others: in the mean, and in most comparisons of runs."""
    agreeing: dict[str, bool] = {}
    texts, used, lower = [], Runs(), True
    for set_, kind, other in product(sets, kinds, others):
        runs = changes(scores, kind, other, set_, metric)
        used |= runs
        agreeing |= {f"{kind} below {other} · {set_} · {run}": value < 0 for run, value in runs.items()}
        interval = interval_of(runs)
        lower = lower and interval.value < 0
        where = f" {BY[set_]}" if len(sets) > 1 else ""
        texts.append(f"{NAMES[kind]} against {NAMES[other]}{where} {shown(interval, 1, signed=True)}{UNIT[metric]}")
    finding = count_finding(agreeing, over="comparisons", parts=parts_of(scores, used), said="; ".join(texts))
    if not lower:
        finding = replace(finding, verdict="differs")
    finding = _counted_apart(enough(finding, used), agreeing)
    if finding.verdict != "differs" or len(sets) > 1:
        return finding
    return with_reason(finding, sureness(scores, (*kinds, *others), sets[0]))


def _counted_apart(finding: Finding, agreeing: Mapping[str, bool]) -> Finding:
    """With the counts of heads and of networks, where both were run."""
    groups: dict[str, list[bool]] = {}
    for name, holds in agreeing.items():
        groups.setdefault("heads" if name.split(" · ")[-2] in HEADS else "networks", []).append(holds)
    if len(groups) < 2:
        return finding
    texts = ", ".join(f"{name} in {sum(own)} of {len(own)}" for name, own in groups.items())
    finding = replace(finding, ours=f"{finding.ours} ({texts})")
    networks = groups["networks"]
    if finding.verdict == "same direction" and 2 * sum(networks) <= len(networks):
        return with_reason(finding, networks_alone("differs"))
    return finding


def _larger(scores: Mapping[str, Scores], set_: str) -> Finding:
    one, two = (changes(scores, f"s {count}", f"h {count}", set_, "ce") for count in (1, 2))
    runs = {run: one[run] - two[run] for run in one}
    finding = by_models(lambda own: directed(own, -1, scores, " points"), runs)
    means = [np.mean(list(each.values())) for each in (one, two)]
    text = f"{means[0]:+.1f} % with one, {means[1]:+.1f} % with two; the difference is {finding.ours}"
    return replace(finding, ours=text)


def _best(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Lowest is below all three others, in the mean and in most runs."""
    others = ("t1-uniform", "t1-clamp", "t2-uniform")
    finding = _pairs(scores, (set_,), "ce", ("s",), others)
    intervals = [interval_of(changes(scores, "s", other, set_, "ce")) for other in others]
    if all(interval.low < 0 < interval.high for interval in intervals):
        return with_reason(finding, "each of the three intervals holds differences of either sign")
    return finding


def _deaggregated(scores: Mapping[str, Scores], metric: str) -> Finding:
    each = {(kind, set_): changes(scores, kind, f"{kind} aggregated", set_, metric) for kind in "hs" for set_ in SETS}
    runs = averaged(list(each.values()))
    finding = by_models(lambda own: directed(own, -1, scores, UNIT[metric]), runs)
    texts = ", ".join(f"CIFAR-10{kind.upper()} {BY[set_]} {np.mean(list(own.values())):+.1f}{UNIT[metric]}"
                      for (kind, set_), own in each.items())  # fmt: skip
    return replace(finding, ours=f"{finding.ours}; {texts}")


def _for_as_many(scores: Mapping[str, Scores], metric: str) -> Finding:
    counts = sorted(set(VOTES) & set(BELIEFS))
    each = [changes(scores, f"s {count}", f"h {count}", set_, metric) for count in counts for set_ in SETS]
    runs = averaged([own for own in each if own])
    finding = by_models(lambda own: directed(own, -1, scores, UNIT[metric]), runs)
    known = {models: [count for count in counts if f"h {count}" in own] for models, own in scores.items()}
    texts = [f"{models} with {', '.join(map(str, own))} annotators" for models, own in known.items()
             if metric != "fgsm" or models == "networks"]  # fmt: skip
    return with_reason(finding, "; ".join(texts))


def _eight_votes(scores: Mapping[str, Scores]) -> Finding:
    runs = averaged([own for set_ in SETS if (own := changes(scores, "h 8", "s", set_, "ce"))])
    finding = by_models(lambda own: directed(own, 1, scores, UNIT["ce"]), runs)
    return with_reason(finding, "8 votes against 6 stated labels are our choice; one at a time, mean of both sets")


def _for_the_same_seconds(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Two elicitations and 32 votes cost about the same."""
    runs = changes(scores, "s 2", "h 32", set_, "ce")
    judged = by_models(lambda own: not_better(own, scores, " %"), runs)
    finding = explained(judged, scores, "s 2", "h 32", set_, "ce")
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
        ours = f"{best} (validation loss by value: {table})"
        alike = [value for value in losses if value != best and _no_higher(losses[value], losses[best])]
        if not alike:
            return Finding(ours=ours, verdict="equal", parts=("choices",))
        reason = f"{best} has the lowest mean, but {', '.join(alike)} cannot be told from it over {len(gaps)} runs"
        return Finding(ours=ours, verdict="same direction", reason=reason, parts=("choices",))
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


def _no_higher(losses: Sequence[float], best: Sequence[float]) -> bool:
    """Whether losses are within chance of those of the best value, run by run."""
    return interval_of((np.array(losses) - np.array(best)).tolist()).low <= 0


def _rates(losses: Mapping[str, Mapping[str, Sequence[float]]] | None) -> Finding:
    if losses is None:
        return untested("which rate is best hangs on the width and the number of epochs; full scale runs it")
    best: dict[str, Any] = {
        model: min(own, key=lambda rate: float(np.mean(own[rate]))) for model, own in losses.items()
    }
    same = all(best[model] == f"{RATES[model]:g}" for model in RATE_GRID)
    ours = ", ".join(f"{model} {rate}" for model, rate in best.items())
    return Finding(ours=ours, verdict="equal" if same else "differs", parts=("choices",))
