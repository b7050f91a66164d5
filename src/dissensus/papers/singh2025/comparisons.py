"""Tables 3 and 4: soft against hard labels in accuracy, KL to people and correlation of entropies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

import numpy as np

from dissensus.evaluate.statistics import mean_interval, paired_t
from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.singh2025 import published
from dissensus.papers.singh2025.runs import (
    Numbers,
    SetRun,
    by_seed,
    mean_score,
    relative_gain,
    soft_less_hard,
    with_text,
)
from dissensus.papers.verdicts import count_finding, direction_finding, no_difference_finding

Runs = Mapping[str, SetRun]
SIGNS: dict[str, Literal[-1, 1]] = {"kl": -1, "entropy_correlation": 1, "accuracy": 1}
LEVEL = 0.05  # of the paper's t-tests
CERTAIN = 0.001  # below which the text says that they are


def comparisons(runs: Runs) -> dict[str, Finding]:
    """Findings by the keys of their claims."""
    by_key: dict[str, Finding] = {}
    for name, run in runs.items():
        by_key[f"table-3-{name}-accuracy"] = _accuracy(run)
        by_key[f"table-3-{name}-kl"] = _gap(run, "kl")
        by_key[f"table-4-{name}-entropy_correlation"] = _gap(run, "entropy_correlation")
        for metric in ("accuracy", "kl"):
            by_key[f"table-3-{name}-{metric}-p"] = _significance(run, metric)
    by_key["table-4-mean-kl"] = _mean_gain(runs, "kl")
    by_key["table-4-mean-correlation"] = _mean_gain(runs, "entropy_correlation")
    by_key["section-4.2-certain"] = _certain(runs)
    by_key["section-4.2-accuracy"] = _no_loss(runs)
    by_key["section-4.2-domains"] = _everywhere(runs)
    by_key["section-4.3-largest"] = _largest(runs)
    return by_key


def p_value(numbers: Numbers, metric: str, reading: str) -> float:
    """Of the paired t-test of soft against hard over seeds; NaN where all seeds differ by the same amount."""
    gaps = soft_less_hard(numbers, metric, reading)
    if not np.isfinite(gaps).all() or (np.ptp(gaps) <= 1e-12 * np.abs(gaps).max() and gaps.any()):
        return math.nan
    return float(paired_t(gaps, np.zeros_like(gaps)).p)


def _gap(run: SetRun, metric: str) -> Finding:
    """The difference over seeds with one split; how it is with a split for each seed and other encoders is beside."""
    gaps = soft_less_hard(run.numbers, metric)
    unit = " points" if metric == "accuracy" else ""
    finding = direction_finding(
        mean_interval(gaps.tolist()),
        by_seed(gaps),
        SIGNS[metric],
        parts=(run.part, *run.others),
        over="seeds",
        digits=2 if unit else 3,
        unit=unit,
        reason="; ".join([*_one_test_set(run, metric), *run.other_here]),
    )
    return _beside(finding, run, metric)


def _beside(finding: Finding, run: SetRun, metric: str) -> Finding:
    drawn = soft_less_hard(run.numbers, metric, "drawn")
    count = int((SIGNS[metric] * drawn > 0).sum())
    digits, way = 2 if metric == "accuracy" else 3, "higher" if SIGNS[metric] > 0 else "lower"
    text = (
        f"soft less hard {finding.ours} ({_means(run.numbers, metric, 'fixed')}); with a split for each seed "
        f"{drawn.mean():+.{digits}f}, {way} in {count} of {drawn.size} "
        f"({_means(run.numbers, metric, 'drawn')})"
    )
    for own in run.others.values():
        gaps = soft_less_hard(own, metric)
        same = int((SIGNS[metric] * gaps > 0).sum())
        text += (
            f"; with {own['encoder']} {gaps.mean():+.{digits}f}, {way} in {same} of "
            f"{gaps.size} ({_means(own, metric, 'fixed')})"
        )
    scores = {
        f"{part}, {reading}, {targets}": own[reading]["scores"][targets][metric]
        for part, own in ((run.part, run.numbers), *run.others.items())
        for reading in ("fixed", "drawn")
        for targets in ("hard", "soft")
    }
    return replace(finding, ours=text, behind=scores)


def _means(numbers: Numbers, metric: str, reading: str) -> str:
    digits = 2 if metric == "accuracy" else 3
    hard, soft = (mean_score(numbers, targets, metric, reading) for targets in ("hard", "soft"))
    return f"hard {hard:.{digits}f}, soft {soft:.{digits}f}"


def _accuracy(run: SetRun) -> Finding:
    """More accurate on ChaosNLI; elsewhere no difference, by the smaller of the two spreads that the paper prints."""
    if run.name == "chaosnli":
        return _gap(run, "accuracy")
    gaps = soft_less_hard(run.numbers, "accuracy")
    margin = min(parse_printed(text).sd or np.inf for text in published.SCORES[run.name]["accuracy"])
    finding = no_difference_finding(
        mean_interval(gaps.tolist()),
        by_seed(gaps),
        margin,
        over="seeds",
        parts=(run.part, *run.others),
        digits=2,
        unit=" points",
        reason="; ".join([*_one_test_set(run, "accuracy"), *run.other_here]),
    )
    return _beside(finding, run, "accuracy")


def _significance(run: SetRun, metric: str) -> Finding:
    """Whether a t-test says what the paper's says: significant in the same direction, or not significant."""
    fixed, drawn = (p_value(run.numbers, metric, reading) for reading in ("fixed", "drawn"))
    others = "".join(f"; with {own['encoder']} p = {p_value(own, metric, 'fixed'):.2g}" for own in run.others.values())
    gaps = soft_less_hard(run.numbers, metric)
    text = f"p = {fixed:.2g} over {gaps.size} seeds, {drawn:.2g} with a split for each seed{others}"
    right_way = SIGNS[metric] * gaps.mean() > 0
    parts, reasons = (run.part, *run.others), [*_one_test_set(run, metric), *run.other_here]
    if metric == "accuracy" and run.name != "chaosnli":
        verdict: Verdict = "differs" if fixed < LEVEL else "same direction"
    elif not right_way:
        verdict, reasons = "differs", ["the difference goes the other way here", *reasons]
    elif fixed < LEVEL:
        verdict = "same direction"
    elif gaps.size < published.RUNS:
        verdict, reasons = "cannot be tested here", [f"{gaps.size} seeds are too few at this spread", *reasons]
    else:
        verdict = "differs"
    return Finding(ours=text, verdict=verdict, reason="; ".join(reasons), parts=parts)


def _one_test_set(run: SetRun, metric: str) -> list[str]:
    """Said where seeds on one split agree on a difference that is gone when each has a split of its own."""
    fixed, drawn = (p_value(run.numbers, metric, reading) for reading in ("fixed", "drawn"))
    if fixed < LEVEL <= drawn:
        return ["significant on one test set, not significant with a split for each seed"]
    return []


def _mean_gain(runs: Runs, metric: str) -> Finding:
    """The mean over sets of the relative gain of the mean over seeds."""
    gains = {name: relative_gain(run.numbers, metric) for name, run in runs.items()}
    known = {name: gain for name, gain in gains.items() if math.isfinite(gain)}
    style, way = ("+.0f", "") if metric != "kl" else (".0f", " lower")
    each = ", ".join(
        f"{published.NAMES[name]} {f'{gain:{style}}%' if name in known else 'none, for hard labels have 0 or less'}"
        for name, gain in gains.items()
    )
    reason = "; ".join(dict.fromkeys(text for run in runs.values() for text in run.other_here))
    if metric == "kl":
        rows = [100 * (1 - soft / hard) for hard, soft in _published_pairs("kl")]
        own = ", ".join(f"{shown} {row:.0f}%" for shown, row in zip(published.NAMES.values(), rows, strict=True))
        reason = f"the rows of the paper's own table give {np.mean(rows):.0f}% on average ({own}); {reason}"
    parts = tuple(run.part for run in runs.values())
    if len(known) < len(gains):
        return Finding(
            ours=each,
            verdict="cannot be tested here",
            parts=parts,
            reason="a correlation of 0 or less has no relative gain",
        )
    finding = direction_finding(
        mean_interval(list(known.values())), known, 1, over="sets", parts=parts, digits=0, unit="%", reason=reason
    )
    return with_text(finding, f"{np.mean(list(known.values())):{style}}%{way} on average ({each})")


def _published_pairs(metric: str) -> list[tuple[float, float]]:
    texts = [published.SCORES[name][metric] for name in published.NAMES]
    return [(parse_printed(hard).value, parse_printed(soft).value) for hard, soft in texts]


def _certain(runs: Runs) -> Finding:
    sure, texts, fewest = {}, [], published.RUNS
    for name, metric in [*((name, "kl") for name in runs), ("chaosnli", "accuracy")]:
        gaps, p = soft_less_hard(runs[name].numbers, metric), p_value(runs[name].numbers, metric, "fixed")
        what = published.METRIC_NAMES[metric].removesuffix(" in %")
        sure[f"{runs[name].title}, {what}"] = bool(SIGNS[metric] * gaps.mean() > 0 and p < CERTAIN)
        texts.append(f"{runs[name].title}, {what} {p:.2g}")
        fewest = min(fewest, gaps.size)
    parts = tuple(run.part for run in runs.values())
    finding = count_finding(sure, over="comparisons", parts=parts, text=f"p: {'; '.join(texts)}; below {CERTAIN:g}")
    if fewest < published.RUNS and not all(sure.values()):
        reason = f"{fewest} seeds are too few for p < {CERTAIN:g} where seeds differ much"
        return replace(finding, verdict="cannot be tested here", reason=reason)
    return _all(finding, sure, runs)


def _no_loss(runs: Runs) -> Finding:
    """A loss is one that a t-test sees."""
    kept = {}
    for name, run in runs.items():
        for reading, split in (("fixed", "one split"), ("drawn", "a split for each seed")):
            lower = soft_less_hard(run.numbers, "accuracy", reading).mean() < 0
            seen = p_value(run.numbers, "accuracy", reading) < LEVEL
            kept[f"{published.NAMES[name]}, {split}"] = not (lower and seen)
    finding = count_finding(
        kept,
        over="sets and readings of a seed",
        parts=tuple(run.part for run in runs.values()),
        text=f"no loss of accuracy that a paired t-test sees at {LEVEL:g}",
    )
    return _all(finding, kept, runs)


def _everywhere(runs: Runs) -> Finding:
    better = {
        f"{published.NAMES[name]}, {published.METRIC_NAMES[metric]}": bool(
            SIGNS[metric] * soft_less_hard(run.numbers, metric).mean() > 0
        )
        for name, run in runs.items()
        for metric in ("kl", "entropy_correlation")
    }
    parts = tuple(run.part for run in runs.values())
    finding = count_finding(better, over="sets and scores", parts=parts, text="better with soft labels")
    return _all(finding, better, runs)


def _all(finding: Finding, holds: Mapping[str, bool], runs: Runs) -> Finding:
    """A claim about all sets does not hold where one is an exception."""
    if all(holds.values()):
        return finding
    odd = [name for name, right in holds.items() if not right]
    other = [
        text for run in runs.values() if any(name.startswith(run.title) for name in odd) for text in run.other_here
    ]
    return replace(
        finding, verdict="differs", reason="; ".join([f"exceptions: {' and '.join(odd)}", *dict.fromkeys(other)])
    )


def _largest(runs: Runs) -> Finding:
    gains = {name: relative_gain(run.numbers, "entropy_correlation") for name, run in runs.items()}
    parts = tuple(run.part for run in runs.values())
    text = ", ".join(f"{published.NAMES[name]} {gain:+.0f}%" for name, gain in gains.items())
    if not all(map(math.isfinite, gains.values())):
        return Finding(
            ours="-",
            verdict="cannot be tested here",
            parts=parts,
            reason="a correlation of 0 or less, as here on a set, has no relative gain",
        )
    largest = max(gains, key=lambda name: gains[name])
    same = largest == "chaosnli"
    return Finding(
        ours=text,
        verdict="same direction" if same else "differs",
        parts=parts,
        runs=gains,
        reason="" if same else "relative gains depend on the correlation of hard labels, and so on the encoder",
    )
