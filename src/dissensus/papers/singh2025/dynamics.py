"""Figures 2, 4 and 5 and section 5: when training stops, how spread out predictions are, how many answers it takes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dissensus.evaluate.statistics import mean_interval
from dissensus.papers.claims import Finding
from dissensus.papers.singh2025 import published
from dissensus.papers.singh2025.runs import Numbers, SetRun, by_seed, soft_less_hard, with_text
from dissensus.papers.singh2025.work import grid_of
from dissensus.papers.verdicts import count_finding, direction_finding

Runs = Mapping[str, SetRun]


def dynamics(runs: Runs) -> dict[str, Finding]:
    """Findings by the keys of their claims."""
    by_key: dict[str, Finding] = {}
    for name, run in runs.items():
        by_key[f"figure-4-{name}"] = _epochs(run)
        by_key[f"figure-5-{name}"] = _spread(run)
    by_key["figure-2"] = _same_choice(runs)
    by_key["section-4.1-longer"] = _longer(runs)
    by_key["section-5-moderate"] = _moderate(runs["popquorn"])
    by_key["section-5-answers"] = _more_answers(runs)
    return by_key


def answer_gains(numbers: Numbers) -> dict[str, np.ndarray]:
    """KL with hard less KL with soft labels by seed, by how many answers there were to train on; "all" is last."""
    some = {
        count: np.array(scores["hard"]["kl"]) - np.array(scores["soft"]["kl"])
        for count, scores in numbers["answers"].items()
    }
    return some | {"all": -soft_less_hard(numbers, "kl")}


def _epochs(run: SetRun) -> Finding:
    best = run.numbers["fixed"]["best_epochs"]
    gaps = np.array(best["soft"], dtype=float) - np.array(best["hard"], dtype=float)
    finding = direction_finding(
        mean_interval(gaps.tolist()), by_seed(gaps), 1, parts=(run.part,), over="seeds", digits=1, reason=run.reason
    )
    means = {targets: float(np.mean(epochs)) for targets, epochs in best.items()}
    return with_text(
        finding,
        f"lowest at epoch {means['soft']:.1f} with soft, {means['hard']:.1f} with hard labels, each with the settings "
        f"chosen for it: {finding.ours}",
    )


def _longer(runs: Runs) -> Finding:
    """With the same settings for both; those that may run longest, so that their end comes from the loss."""
    later: dict[str, bool] = {}
    each, shorter = [], 0
    for name, run in runs.items():
        grid = grid_of(run.scale)
        longest = max(config.epochs for config in grid)
        epochs = {t: np.array(run.numbers["fixed"]["grid_epochs"][t]) for t in ("soft", "hard")}
        rows = np.array([config.epochs == longest for config in grid])
        ended = rows & (np.minimum(epochs["soft"], epochs["hard"]) < longest)  # one of the two was stopped
        more = (epochs["soft"] - epochs["hard"])[ended]
        later |= {f"{published.NAMES[name]}, setting {place + 1}": bool(gap > 0) for place, gap in enumerate(more)}
        shorter += int((more < 0).sum())
        means = [float(epochs[t][rows].mean()) for t in ("soft", "hard")]
        each.append(f"{published.NAMES[name]} {means[0]:.1f} against {means[1]:.1f} epochs")
    parts = tuple(run.part for run in runs.values())
    if not later:
        return Finding(
            ours=", ".join(each),
            verdict="cannot be tested here",
            parts=parts,
            reason="no setting was stopped before its last epoch",
        )
    return count_finding(
        later,
        over=f"settings in which one of the two was stopped early, and hard labels longer in {shorter}",
        parts=parts,
        text=f"soft against hard labels with equal settings: {', '.join(each)}; soft labels train longer",
        reason="figure 4 shows each with the settings chosen for it, here both have the same",
    )


def _spread(run: SetRun) -> Finding:
    """Both halves of the claim: hard labels are less spread out than people, and soft ones nearer to people."""
    entropies = run.numbers["fixed"]["top_entropy"]
    people, soft, hard = entropies["people"], np.array(entropies["soft"]), np.array(entropies["hard"])
    less, nearer = hard < people, np.abs(soft - people) < np.abs(hard - people)  # (seeds,)
    return count_finding(
        {f"seed {seed + 1}": bool(both) for seed, both in enumerate(less & nearer)},
        over="seeds",
        parts=(run.part,),
        text=f"mean entropy on the most disputed tenth: people {people:.2f}, soft {soft.mean():.2f}, hard "
        f"{hard.mean():.2f} nats; hard is less spread out than people in {int(less.sum())}, soft nearer to people in "
        f"{int(nearer.sum())}, both",
        reason=run.reason,
    )


def _same_choice(runs: Runs) -> Finding:
    closer: dict[str, bool] = {}
    each, odd = [], []
    for name, run in runs.items():
        agreeing = run.numbers["fixed"]["agreeing"]
        soft, hard = np.array(agreeing["soft"]), np.array(agreeing["hard"])
        closer |= {f"{published.NAMES[name]}, seed {seed + 1}": bool(holds) for seed, holds in enumerate(soft < hard)}
        odd += [run.title] if soft.mean() >= hard.mean() else []
        each.append(
            f"{published.NAMES[name]} {soft.mean():.3f} against {hard.mean():.3f} on "
            f"{100 * np.mean(agreeing['share']):.0f}% of the items"
        )
    return count_finding(
        closer,
        over="seeds of three sets",
        parts=tuple(run.part for run in runs.values()),
        text=f"KL with soft and hard labels where both choose as most people do: {', '.join(each)}",
        reason=f"not so on the mean of {' and '.join(odd)}" if odd else "",
    )


def _moderate(run: SetRun) -> Finding:
    gaps = -soft_less_hard(run.numbers, "kl")
    finding = direction_finding(
        mean_interval(gaps.tolist()), by_seed(gaps), 1, parts=(run.part,), over="seeds", digits=3, reason=run.reason
    )
    return with_text(finding, f"with {run.numbers['votes']:.1f} answers per item, KL is lower by {finding.ours}")


def _more_answers(runs: Runs) -> Finding:
    """The same items with fewer answers, so that nothing else differs; the sets of the paper differ in all."""
    grown: dict[str, float] = {}
    each = []
    for name, run in runs.items():
        gains = answer_gains(run.numbers)
        if len(gains) > 1:
            few = next(iter(gains))
            grown |= by_seed(gains["all"] - gains[few], f"{published.NAMES[name]}, seed")
            shown = ", ".join(f"{gain.mean():.3f} with {count}" for count, gain in gains.items())
            each.append(f"{published.NAMES[name]} {shown}")
    finding = direction_finding(
        mean_interval(list(grown.values())),
        grown,
        1,
        over="seeds",
        digits=3,
        parts=tuple(run.part for run in runs.values()),
        reason="the paper compares different sets; here answers of the same items were left out of training",
    )
    return with_text(
        finding,
        f"how much lower KL is with soft labels, by answers per item: {'; '.join(each)}; all less fewest "
        f"{finding.ours}",
    )
