"""What came out about our own questions, which go beyond the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Answer
from dissensus.papers.gheibi2026.beyond import ALL, FEW_VOTES, KEPT, TEXTS
from dissensus.papers.gheibi2026.evidence import TITLES, Evidence
from dissensus.papers.gheibi2026.published import NAMES
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import interval_of, runs_of
from dissensus.papers.verdicts import format_estimate
from dissensus.study.description import StudyFolder

TEXT_QUESTION = "Does the effect of delivery hold for texts: ChaosNLI, POPQUORN, HS-Brexit?"
SHRINKAGE_QUESTION = "Do shrunken targets close the gap between soft and hard delivery at few votes?"
CEILING_QUESTION = "What would the human ceiling allow?"


def answers(results: Results, scale: Scale) -> Sequence[Answer]:
    """Texts, shrunken targets, the ceiling."""
    return [
        Answer(question=TEXT_QUESTION, answer=_texts(results.numbers["texts"]), parts=("texts",)),
        Answer(question=SHRINKAGE_QUESTION, answer=_shrinkage(results.study("shrinkage")), parts=("shrinkage",)),
        _ceiling(results, scale),
    ]


def text_gaps(numbers: Mapping[str, Any], name: str, votes: str, method: str, keep: str) -> dict[str, float]:
    """Soft NLL of a hard delivery less that of soft labels, by seed."""
    runs = numbers[name]["runs"]
    one, other = (runs[f"{votes} · {delivery} · {keep}"] for delivery in (method, "soft"))
    return {f"seed {seed}": a - b for seed, (a, b) in enumerate(zip(one, other, strict=True))}


def _texts(numbers: Mapping[str, Any]) -> str:
    """How often hard delivery is better, then each set in a few numbers."""
    below = dict.fromkeys(KEPT, 0)
    of, sentences = 0, []
    for name, texts in TEXTS.items():
        for votes in (str(numbers[name]["few"]), ALL):
            told = []
            for method in ("sls", "multipass"):
                runs = {keep: text_gaps(numbers, name, votes, method, keep) for keep in KEPT}
                means = {keep: float(np.mean(list(by.values()))) for keep, by in runs.items()}
                agreeing = {keep: sum(value < 0 for value in by.values()) for keep, by in runs.items()}
                for keep in KEPT:
                    below[keep] += means[keep] < 0
                of += 1
                counts = f"below 0 in {agreeing['best']} and {agreeing['last']} of {len(runs['best'])} seeds"
                told.append(f"{NAMES[method]} {means['best']:+.3f} and {means['last']:+.3f} ({counts})")
            sentences.append(f"{texts.title}, {votes} votes: {', '.join(told)}")
    return (
        f"Hard delivery has the lower soft NLL in {below['best']} of {of} comparisons after the best epoch and in "
        f"{below['last']} after the last. Hard less soft, best and last epoch, heads on MiniLM features: "
        f"{'; '.join(sentences)}."
    )


def _shrinkage(study: StudyFolder) -> str:
    sentences = []
    for votes in FEW_VOTES:
        for keep in KEPT:
            scores = {
                name: runs_of(study, "soft_nll", votes=votes, keep=keep, delivery=delivery, aggregation=aggregation)
                for name, delivery, aggregation in (
                    ("soft labels", "soft", "none"),
                    ("shrunken soft labels", "soft", "shrinkage"),
                    ("SLS", "sls", "none"),
                    ("SLS of shrunken labels", "sls", "shrinkage"),
                    ("multipass", "multipass", "none"),
                    ("drawn from the posterior", "posterior", "none"),
                )
            }
            means = {name: float(np.mean(list(runs.values()))) for name, runs in scores.items()}
            hard = min(means["SLS"], means["multipass"])
            gap, left = means["soft labels"] - hard, means["shrunken soft labels"] - hard
            said = ", ".join(f"{name} {mean:.4f}" for name, mean in means.items())
            if gap <= 0:
                closed = "there is no gap to close: soft labels are at least as good"
            elif left <= 0:
                closed = "shrinkage closes the gap"
            elif left < gap:
                closed = f"shrinkage closes {1 - left / gap:.0%} of the gap"
            else:
                closed = "shrinkage does not close it, and makes soft labels worse"
            sentences.append(f"{votes} votes, {keep} epoch: {closed} ({said})")
    seeds = len(study.description["seeds"])
    return f"{'. '.join(sentences)}. Soft NLL of heads on frozen features, means over {seeds} seeds."


def _ceiling(results: Results, scale: Scale) -> Answer:
    numbers = results.numbers["ceiling"]
    evidence = Evidence(results, scale)
    top, half = numbers["corrected"]["soft_nll"], numbers["half"]["soft_nll"]
    sentences, parts = [], ["ceiling"]
    for model in evidence.models:
        best = {
            arm: runs
            for arm in ("soft", "sls", "multipass")
            if (runs := evidence.scores(model, "soft_nll", arm)) is not None
        }
        if best:
            means = {arm: interval_of(runs).value for arm, runs in best.items()}
            spread = max(means.values()) - min(means.values())
            above = min(means.values()) - top[0]
            sentences.append(f"{TITLES[model]}: {above:.3f} above it at best, and deliveries differ by {spread:.3f}")
            parts += [part for arm in best if (part := evidence.part(model, arm, None)) is not None]
    first, second = (format_estimate(_interval(of), 3) for of in (top, half))
    text = (
        f"A model that knew what infinitely many people would say would score a soft NLL of {first} on CIFAR-10H; "
        f"half a crowd ({numbers['half_votes']:.0f} votes) scores {second} of the other half. {'; '.join(sentences)}. "
        f"The ceiling of accuracy to the majority is {numbers['corrected']['accuracy'][0]:.3f}, of the correlation of "
        f"entropies {numbers['corrected']['entropy_spearman'][0]:.3f}."
    )
    return Answer(question=CEILING_QUESTION, answer=text, parts=tuple(dict.fromkeys(parts)))


def _interval(of: Sequence[float]) -> Interval:
    return Interval(of[0], of[1], of[2], float("nan"), 0.95)
