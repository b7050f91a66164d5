"""Every claim of the paper against the numbers of a run.

Differences between two kinds of labels are in percent of the other one's score, so that heads and networks, whose
scores differ by far more than labels do, can be averaged. A run is a model with a seed, as in the paper, whose means
are over five seeds of three networks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Verdict
from dissensus.papers.collins2022 import published
from dissensus.papers.collins2022.arms import BELIEFS, BETA, GAMMA, VOTES
from dissensus.papers.collins2022.label_findings import label_findings
from dissensus.papers.collins2022.published import LOWER, METRICS, NEAR, PER_ANSWER, PER_VOTE, SETS, SMOOTHING
from dissensus.papers.collins2022.studies import MODELS, RATE_GRID, RATES
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.verdicts import count_finding, direction_finding, no_difference_finding, shown, untested

Scores = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]]


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    numbers = results.numbers
    made = label_findings(numbers["labels"])
    made["gamma"] = chosen(numbers["choices"]["gamma"], GAMMA)
    made["beta"] = chosen(numbers["choices"]["smoothing"], BETA)
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
        made[f"table-1-controls-{set_}"] = _controls(scores, set_)
        made[f"table-3-larger-{set_}"] = _larger(scores, set_)
        made[f"table-4-best-{set_}"] = _best(scores, set_)
        made[f"figure-10-{set_}"] = _for_the_same_seconds(scores, set_)
    for metric in METRICS:
        made[f"deaggregated-{metric}"] = _deaggregated(scores, metric)
        made[f"figure-6-{metric}"] = _for_as_many(scores, metric)
    made["figure-6-few"] = _eight_votes(scores)
    return made


def changes(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Runs:
    """By how much `kind` scores above `other`, in percent, of each run that has both kinds and the metric."""
    runs = {}
    for own in scores.values():
        for model, seeds in own.get(kind, {}).items():
            for seed, sets in seeds.items():
                base = own.get(other, {}).get(model, {}).get(seed, {}).get(set_, {}).get(metric)
                if base is not None and metric in sets[set_]:
                    runs[f"{model} · seed {seed}"] = 100 * (sets[set_][metric] / base - 1)
    return runs


def compared(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Finding:
    """The paper's order of two kinds of labels; where its own exception is one of no benefit, no difference."""
    if published.change(kind, other, set_, metric) >= 0 and kind != "smoothed":
        return near(scores, kind, other, set_, metric)
    runs = changes(scores, kind, other, set_, metric)
    sign: Literal[-1, 1] = -1 if published.change(kind, other, set_, metric) < 0 else 1
    return _with_models(_direction(runs, sign, scores), runs)


def near(scores: Mapping[str, Scores], kind: str, other: str, set_: str, metric: str) -> Finding:
    """No difference, up to half of the interval that the paper prints for the other kind."""
    runs = changes(scores, kind, other, set_, metric)
    margin = 100 * published.half(other, set_, metric) / published.score(other, set_, metric).value
    finding = no_difference_finding(
        interval_of(runs), runs, round(margin, 1), over="runs", parts=_parts(scores, runs), digits=1, unit=" %"
    )
    return _with_models(finding, runs)


def _direction(runs: Runs, sign: Literal[-1, 1], scores: Mapping[str, Scores]) -> Finding:
    return direction_finding(
        interval_of(runs), runs, sign, over="runs", parts=_parts(scores, runs), digits=1, unit=" %"
    )


def _parts(scores: Mapping[str, Scores], runs: Runs) -> tuple[str, ...]:
    """The parts that have models of these runs."""
    models = {run.partition(" · ")[0] for run in runs}
    return tuple(f"scores-{name}" for name, own in scores.items() if any(models & set(kind) for kind in own.values()))


def _with_models(finding: Finding, runs: Runs) -> Finding:
    """With the mean of each model, which tells heads from networks."""
    by_model: dict[str, list[float]] = {}
    for run, value in runs.items():
        by_model.setdefault(run.partition(" · ")[0], []).append(value)
    texts = ", ".join(f"{model} {np.mean(values):+.1f}" for model, values in by_model.items())
    return replace(finding, ours=f"{finding.ours} ({texts})")


def _averaged(several: Sequence[Runs]) -> Runs:
    """The mean of each run over all that it is part of."""
    names = dict.fromkeys(run for runs in several for run in runs)
    return {name: float(np.mean([runs[name] for runs in several if name in runs])) for name in names}


def _controls(scores: Mapping[str, Scores], set_: str) -> Finding:
    pairs = [(soft, "hard") for soft in ("random", "uniform")]
    pairs += [(own, control) for own in ("h aggregated", "s aggregated") for control in ("random", "uniform")]
    agreeing, texts = {}, []
    used: Runs = {}
    for kind, other in pairs:
        runs = changes(scores, kind, other, set_, "ce")
        used |= runs
        agreeing |= {f"{kind} below {other} · {run}": value < 0 for run, value in runs.items()}
        texts.append(f"{published.NAMES[kind]} {np.mean(list(runs.values())):+.1f} % from {published.NAMES[other]}")
    return count_finding(agreeing, over="comparisons", parts=_parts(scores, used), said="; ".join(texts))


def _larger(scores: Mapping[str, Scores], set_: str) -> Finding:
    one, two = (changes(scores, f"s {count}", f"h {count}", set_, "ce") for count in (1, 2))
    runs = {run: one[run] - two[run] for run in one}
    finding = _direction(runs, -1, scores)
    means = [np.mean(list(each.values())) for each in (one, two)]
    text = f"{means[0]:+.1f} % with one, {means[1]:+.1f} % with two; the difference is {finding.ours}"
    return replace(finding, ours=text.replace(" %;", " points;"))


def _best(scores: Mapping[str, Scores], set_: str) -> Finding:
    agreeing, texts = {}, []
    used: Runs = {}
    for other in ("t1-uniform", "t1-clamp", "t2-uniform"):
        runs = changes(scores, "s", other, set_, "ce")
        used |= runs
        agreeing |= {f"below {other} · {run}": value < 0 for run, value in runs.items()}
        texts.append(f"{shown(interval_of(runs), 1, signed=True)} % from {other}")
    said = f"T2 clamp is {', '.join(texts)}"
    return count_finding(agreeing, over="comparisons", parts=_parts(scores, used), said=said)


def _deaggregated(scores: Mapping[str, Scores], metric: str) -> Finding:
    each = {(kind, set_): changes(scores, kind, f"{kind} aggregated", set_, metric) for kind in "hs" for set_ in SETS}
    runs = _averaged(list(each.values()))
    finding = _with_models(_direction(runs, -1, scores), runs)
    texts = ", ".join(f"CIFAR-10{kind.upper()} on {set_} {np.mean(list(own.values())):+.1f} %"
                      for (kind, set_), own in each.items())  # fmt: skip
    return replace(finding, ours=f"{finding.ours}; {texts}")


def _for_as_many(scores: Mapping[str, Scores], metric: str) -> Finding:
    counts = sorted(set(VOTES) & set(BELIEFS))
    each = [changes(scores, f"s {count}", f"h {count}", set_, metric) for count in counts for set_ in SETS]
    runs = _averaged([own for own in each if own])
    finding = _with_models(_direction(runs, -1, scores), runs)
    return replace(finding, reason="1, 2 and 4 annotators, those that both have" + (
        "" if all(each) else "; networks of this scale learn from 1 and 2"))  # fmt: skip


def _eight_votes(scores: Mapping[str, Scores]) -> Finding:
    runs = _averaged([own for set_ in SETS if (own := changes(scores, "h 8", "s", set_, "ce"))])
    finding = _with_models(_direction(runs, 1, scores), runs)
    return replace(finding, reason="votes of 8 annotators against stated labels of 6, one at a time, mean of both sets")


def _for_the_same_seconds(scores: Mapping[str, Scores], set_: str) -> Finding:
    """Two elicitations and 32 votes cost about the same; an advantage would be one beyond chance."""
    runs = changes(scores, "s 2", "h 32", set_, "ce")
    interval = interval_of(runs)
    verdict: Verdict = "differs" if interval.high < 0 else "same direction"
    ours = (
        f"two stated labels ({2 * PER_ANSWER:.0f} s) are {shown(interval, 1, signed=True)} % from 32 votes "
        f"({32 * PER_VOTE:.0f} s) over {len(runs)} runs"
    )
    finding = Finding(ours=ours, verdict=verdict, parts=_parts(scores, runs), value=interval, runs=runs,
                      reason="seconds as the paper gives them")  # fmt: skip
    return _with_models(finding, runs)


def chosen(losses: Mapping[str, Sequence[float]], theirs: float) -> Finding:
    """The value with the lowest mean validation loss, and how far that of the paper is from it.

    losses  by value, in the same order of models and seeds
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
        "the paper says neither by which loss nor on which images it chose; here by cross-entropy to CIFAR-10 classes"
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
