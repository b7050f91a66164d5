"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.collins2022.arms import BELIEFS, BETA, GAMMA, VOTES
from dissensus.papers.collins2022.choices import choice_finding, rates_chosen
from dissensus.papers.collins2022.comparisons import (
    HEADS,
    Scores,
    average_runs,
    by_models,
    changes,
    compare_kinds,
    direction_with_reason,
    enough,
    explain,
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
from dissensus.papers.collins2022.studies import MODELS, choice_studies
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, interval_of, runs_of
from dissensus.papers.verdicts import count_finding, format_estimate


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    numbers = results.numbers
    made = label_findings(numbers["labels"])
    models = choice_studies(scale)[0][1]
    made["gamma"] = choice_finding(numbers["choices"]["gamma"], GAMMA, models)
    made["beta"] = choice_finding(numbers["choices"]["smoothing"], BETA, models)
    made["learning-rates"] = rates_chosen(numbers["choices"].get("rates"))
    deciding = ("networks",) if scale == "full" else MODELS
    learned = learning_findings({models: numbers[f"scores-{models}"]["scores"] for models in deciding})
    return made | with_accuracies(learned, {models: _accuracy(results, models) for models in deciding})


def _accuracy(results: Results, models: str) -> float:
    """Of the models that learned CIFAR-10 classes, on the images of both evaluation sets."""
    runs = runs_of(results.study(f"votes-{models}"), "accuracy", by=("model", "seed"), data="hard", delivery="soft")
    return float(np.mean(list(runs.values())))


def with_accuracies(findings: Mapping[str, Finding], accuracies: Mapping[str, float]) -> dict[str, Finding]:
    """With how accurate models are, where a claim fails or would fail by the networks alone."""
    text = " and ".join(f"{models} {100 * accuracy:.0f}%" for models, accuracy in accuracies.items())
    return {
        key: with_reason(finding, f"accuracy here: {text}")
        if finding.verdict == "differs" or networks_alone("differs") in finding.reason
        else finding
        for key, finding in findings.items()
    }


def learning_findings(scores: Mapping[str, Scores]) -> dict[str, Finding]:
    """A finding for each claim about what is learned.

    scores  of "heads" and "networks", or of networks alone, by kind of labels, model, seed, evaluation set and metric
    """
    made: dict[str, Finding] = {}
    for key, _, kind, other, _ in LOWER:
        made |= {
            f"{key}-{set_}-{metric}": compare_kinds(scores, kind, other, set_, metric)
            for set_ in SETS
            for metric in METRICS
        }
    for key, _, kind, other, _ in NEAR:
        metrics = [metric for metric in METRICS if metric != "ce" or key == "table-1-votes"]
        made |= {
            f"{key}-{set_}-{metric}": near(scores, kind, other, set_, metric) for set_ in SETS for metric in metrics
        }
    for key, _, kind, other in SMOOTHING:
        made |= {
            f"{key}-{set_}-{metric}": compare_kinds(scores, kind, other, set_, metric)
            for set_ in SETS
            for metric in METRICS
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
        made[f"deaggregated-{metric}"] = _deaggregation_finding(scores, metric)
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
        texts.append(
            f"{NAMES[kind]} against {NAMES[other]}{where} {format_estimate(interval, 1, signed=True)}{UNIT[metric]}"
        )
    finding = count_finding(agreeing, over="comparisons", parts=parts_of(scores, used), text="; ".join(texts))
    if not lower:
        finding = replace(finding, verdict="differs")
    finding = _count_separately(enough(finding, used), agreeing)
    if finding.verdict != "differs":
        return finding
    return with_reason(finding, f"{BY[sets[0]]}, {sureness(scores, (*kinds, *others), sets[0])}")


def _count_separately(finding: Finding, agreeing: Mapping[str, bool]) -> Finding:
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
    finding = by_models(lambda own: direction_with_reason(own, -1, scores, " points"), runs)
    means = [np.mean(list(each.values())) for each in (one, two)]
    text = f"{means[0]:+.1f}% with one, {means[1]:+.1f}% with two; the difference is {finding.ours}"
    return replace(finding, ours=text)


def _best(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Lowest is below all three others, in the mean and in most runs."""
    others = ("t1-uniform", "t1-clamp", "t2-uniform")
    finding = _pairs(scores, (set_,), "ce", ("s",), others)
    intervals = [interval_of(changes(scores, "s", other, set_, "ce")) for other in others]
    if all(interval.low < 0 < interval.high for interval in intervals):
        return with_reason(finding, "each of the three intervals holds differences of either sign")
    return finding


def _deaggregation_finding(scores: Mapping[str, Scores], metric: str) -> Finding:
    each = {(kind, set_): changes(scores, kind, f"{kind} aggregated", set_, metric) for kind in "hs" for set_ in SETS}
    runs = average_runs(list(each.values()))
    finding = by_models(lambda own: direction_with_reason(own, -1, scores, UNIT[metric]), runs)
    texts = ", ".join(
        f"CIFAR-10{kind.upper()} {BY[set_]} {np.mean(list(own.values())):+.1f}{UNIT[metric]}"
        for (kind, set_), own in each.items()
    )
    return replace(finding, ours=f"{finding.ours}; {texts}")


def _for_as_many(scores: Mapping[str, Scores], metric: str) -> Finding:
    counts = sorted(set(VOTES) & set(BELIEFS))
    each = [changes(scores, f"s {count}", f"h {count}", set_, metric) for count in counts for set_ in SETS]
    runs = average_runs([own for own in each if own])
    finding = by_models(lambda own: direction_with_reason(own, -1, scores, UNIT[metric]), runs)
    known = {models: [count for count in counts if f"h {count}" in own] for models, own in scores.items()}
    texts = [
        f"{models} with {', '.join(map(str, own))} annotators"
        for models, own in known.items()
        if metric != "fgsm" or models == "networks"
    ]
    return with_reason(finding, "; ".join(texts))


def _eight_votes(scores: Mapping[str, Scores]) -> Finding:
    runs = average_runs([own for set_ in SETS if (own := changes(scores, "h 8", "s", set_, "ce"))])
    finding = by_models(lambda own: direction_with_reason(own, 1, scores, UNIT["ce"]), runs)
    return with_reason(finding, "8 votes against 6 stated labels are our choice; one at a time, mean of both sets")


def _for_the_same_seconds(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Two elicitations and 32 votes cost about the same."""
    runs = changes(scores, "s 2", "h 32", set_, "ce")
    judged = by_models(lambda own: not_better(own, scores, "%"), runs)
    finding = explain(judged, scores, "s 2", "h 32", set_, "ce")
    costs = f"two stated labels ({2 * PER_ANSWER:.0f} s) against 32 votes ({32 * PER_VOTE:.0f} s)"
    return with_reason(replace(finding, ours=f"{costs}: {finding.ours}"), "seconds as the paper gives them")
