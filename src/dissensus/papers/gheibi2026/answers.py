"""Answers to our own questions, beyond the paper: texts, shrunken targets, the human ceiling."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dissensus.papers.claims import Answer
from dissensus.papers.evidence import Candidate, Number, mean_of
from dissensus.papers.gheibi2026.beyond import ALL, FEW_VOTES, KEPT, TEXTS
from dissensus.papers.gheibi2026.observe import observe
from dissensus.papers.gheibi2026.reader_names import DELIVERIES
from dissensus.papers.paper import Results, Scale
from dissensus.papers.study_runs import interval_of, runs_of
from dissensus.study.description import StudyFolder

SHRUNK = {
    "soft labels": {"delivery": "soft", "aggregation": "none"},
    "shrunken soft labels": {"delivery": "soft", "aggregation": "shrinkage"},
    "SLS": {"delivery": "sls", "aggregation": "none"},
    "multipass": {"delivery": "multipass", "aggregation": "none"},
}


def answers(results: Results, scale: Scale) -> Sequence[Answer]:
    """Texts, shrunken targets, the ceiling; as far as their parts were run."""
    questions: tuple[tuple[str, tuple[str, ...], Callable[[], str]], ...] = (
        (
            "Does the effect of delivery hold for texts: ChaosNLI, POPQUORN, HS-Brexit?",
            ("texts",),
            lambda: _texts(results.numbers["texts"]),
        ),
        (
            "Do shrunken targets close the gap between soft and hard delivery at few votes?",
            ("shrinkage",),
            lambda: _shrinkage(results.study("shrinkage")),
        ),
        ("How far are the models from the human ceiling?", ("ceiling", "heads-main"), lambda: _ceiling(results, scale)),
    )
    return [
        Answer(question=question, answer=write(), parts=parts)
        for question, parts, write in questions
        if set(parts) <= set(results.folders)
    ]


def text_gaps(numbers: Mapping[str, Any], name: str, votes: str, method: str, keep: str) -> dict[str, float]:
    """Soft NLL of a hard delivery less that of soft labels, by seed."""
    runs = numbers[name]["runs"]
    hard, soft = (runs[f"{votes} · {delivery} · {keep}"] for delivery in (method, "soft"))
    return {f"seed {seed}": a - b for seed, (a, b) in enumerate(zip(hard, soft, strict=True))}


def _texts(numbers: Mapping[str, Any]) -> str:
    """Count comparisons in which hard delivery is significantly better or worse, by epoch and votes."""
    sentences = []
    for keep in KEPT:
        for few in (True, False):
            gaps = [
                interval_of(text_gaps(numbers, name, str(numbers[name]["few"]) if few else ALL, method, keep))
                for name in TEXTS
                for method in ("sls", "multipass")
            ]
            lower, higher = sum(gap.high < 0 for gap in gaps), sum(gap.low > 0 for gap in gaps)
            votes = "few votes" if few else "all votes"
            sentences.append(f"With {votes} after the {keep} epoch, it is lower in {lower}, higher in {higher}.")
    return (
        "SLS and multipass on three sets make 6 comparisons of soft NLL with soft labels, by heads on MiniLM features. "
        f"{' '.join(sentences)} The other differences are not significant."
    )


def _shrinkage(study: StudyFolder) -> str:
    sentences = []
    for votes in FEW_VOTES:
        for keep in KEPT:
            means = {
                name: mean_of(runs_of(study, "soft_nll", votes=votes, keep=keep, **settings))
                for name, settings in SHRUNK.items()
            }
            scores = ", ".join(f"{name} {mean:.3f}" for name, mean in means.items())
            sentences.append(f"{votes} votes, {keep} epoch: {scores}.")
    seeds = len(study.description["seeds"])
    return f"Soft NLL of heads on frozen features, means over {seeds} seeds. {' '.join(sentences)}"


def _ceiling(results: Results, scale: Scale) -> str:
    numbers = results.numbers["ceiling"]
    top, low, high = numbers["corrected"]["soft_nll"]
    evidence = observe(results, scale)
    best = {
        arm: mean_of(runs)
        for arm in ("soft", "sls", "multipass")
        if (runs := evidence.runs(Candidate("heads", "best epoch"), Number("soft_nll", arm))) is not None
    }
    scores = ", ".join(f"{DELIVERIES[arm]} {mean:.3f}" for arm, mean in best.items())
    return (
        f"A model that knew the answers of infinitely many people would have a soft NLL of {top:.3f} [{low:.3f}, "
        f"{high:.3f}] on CIFAR-10H. Heads on frozen features reach {scores} at their best epoch."
    )
