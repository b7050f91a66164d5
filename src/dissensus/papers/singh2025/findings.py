"""Every claim of the paper against the numbers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding, printed
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025 import published
from dissensus.papers.verdicts import direction_finding, no_difference_finding
from dissensus.study.summary.units import mean_interval

ENCODER = {
    "chaosnli": "all-MiniLM-L6-v2 stands for OpenAI's text-embedding-3-large, which is not open",
    "popquorn": "offensiveness stands for politeness, which is not among the data here, and all-MiniLM-L6-v2 for "
    "OpenAI's text-embedding-3-large",
    "cifar10h-hard": "features of a ResNet-50 stand for those of DINOv2 Small",
}


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    numbers = results.numbers
    told: dict[str, Finding] = {}
    for name in published.NAMES:
        own = numbers[name]
        told[f"table-1-{name}"] = _labels(name, own, scale)
        for targets in ("soft", "hard"):
            told[f"table-2-{name}-{targets}"] = _chosen(name, targets, own, scale)
        told[f"table-3-{name}-accuracy"] = _accuracy(name, own)
        told[f"table-3-{name}-kl"] = _gap(name, "kl", own, -1)
        told[f"table-4-{name}-entropy_correlation"] = _gap(name, "entropy_correlation", own, 1)
        told[f"figure-4-{name}"] = _epochs(name, own)
        told[f"figure-5-{name}"] = _spread(name, own)
    told["table-4-mean-kl"] = _mean_change(numbers, "kl", -1)
    told["table-4-mean-correlation"] = _mean_change(numbers, "entropy_correlation", 1)
    return told


def _labels(name: str, own: Mapping[str, Any], scale: Scale) -> Finding:
    classes, items, _, spread = published.LABELS[name]
    ours = (
        f"{own['items']:,} items, {own['votes']:.1f} answers each, normalised entropy {own['entropy']:.2f} ± "
        f"{own['entropy_sd']:.2f}"
    )
    if name == "popquorn":
        return Finding(ours=ours, verdict="cannot be tested here", parts=(name,),
                       reason="only the offensiveness ratings are here; the paper takes politeness")  # fmt: skip
    gaps = abs(own["entropy"] - printed(spread).value)
    same = own["classes"] == classes and abs(own["items"] - items) <= 1 and gaps < 0.005
    reason = "a part of the items" if scale == "quick" else ""
    if gaps >= 0.005 and not reason:
        reason = "an entropy of the paper's may be divided by something else than the logarithm of the classes"
    return Finding(ours=ours, verdict="equal" if same else "differs", reason=reason, parts=(name,))


def _chosen(name: str, targets: str, own: Mapping[str, Any], scale: Scale) -> Finding:
    setting = own["fixed"]["chosen"][targets]
    theirs = published.CHOSEN[name][targets]
    ours = tuple(setting[key] for key in ("learning_rate", "batch", "epochs", "weight_decay", "scheduler"))
    rate, batch, epochs, decay, scheduler = ours
    text = (
        f"learning rate {rate:g}, batch {batch}, {epochs} epochs, weight decay {decay:g}, scheduler "
        f"{scheduler or 'none'}"
    )
    reason = f"{ENCODER[name]}; losses of many settings are within chance of each other"
    reason += ", and few are tried here" if scale == "quick" else ""
    return Finding(ours=text, verdict="equal" if ours == theirs else "differs", reason=reason, parts=(name,))


def _pairs(own: Mapping[str, Any], metric: str, reading: str) -> np.ndarray:
    """Soft minus hard, by seed.  (seeds,)"""
    scores = own[reading]["scores"]
    return np.array(scores["soft"][metric]) - np.array(scores["hard"][metric])


def _both(own: Mapping[str, Any], metric: str) -> str:
    """What each gave, with one split and with a split for each seed."""
    factor = 100 if metric == "accuracy" else 1
    digits = 2 if metric == "accuracy" else 3
    texts = []
    for reading, said in (("fixed", "one split"), ("drawn", "a split for each seed")):
        means = [factor * float(np.mean(own[reading]["scores"][targets][metric])) for targets in ("hard", "soft")]
        texts.append(f"{said}: hard {means[0]:.{digits}f}, soft {means[1]:.{digits}f}")
    return "; ".join(texts)


def _gap(name: str, metric: str, own: Mapping[str, Any], sign: Any) -> Finding:
    """The difference over seeds with one split; how it is with a split for each seed stands beside it."""
    gaps = _pairs(own, metric, "fixed")
    finding = direction_finding(
        mean_interval(gaps.tolist()), _by_seed(gaps), sign, parts=(name,), over="seeds", digits=3,
        reason=ENCODER[name],
    )  # fmt: skip
    drawn = _pairs(own, metric, "drawn")
    other = f"with a split for each seed in {int((sign * drawn > 0).sum())} of {drawn.size}"
    return _said(finding, f"soft less hard {finding.ours}, {other} ({_both(own, metric)})")


def _accuracy(name: str, own: Mapping[str, Any]) -> Finding:
    """More accurate on ChaosNLI; elsewhere no difference, by the smaller of the two spreads that the paper prints."""
    if name == "chaosnli":
        return _gap(name, "accuracy", own, 1)
    gaps = 100 * _pairs(own, "accuracy", "fixed")
    margin = min(printed(text).sd or np.inf for text in published.SCORES[name]["accuracy"])
    finding = no_difference_finding(
        mean_interval(gaps.tolist()), _by_seed(gaps), margin, over="seeds", parts=(name,), digits=2, unit=" points",
        reason=ENCODER[name],
    )  # fmt: skip
    return _said(finding, f"soft less hard {finding.ours} ({_both(own, 'accuracy')})")


def _epochs(name: str, own: Mapping[str, Any]) -> Finding:
    best = own["fixed"]["best_epochs"]
    gaps = np.array(best["soft"], dtype=float) - np.array(best["hard"], dtype=float)
    finding = direction_finding(mean_interval(gaps.tolist()), _by_seed(gaps), 1, parts=(name,), over="seeds",
                                digits=1, reason=ENCODER[name])  # fmt: skip
    means = {targets: float(np.mean(epochs)) for targets, epochs in best.items()}
    return _said(
        finding,
        f"lowest at epoch {means['soft']:.1f} with soft, {means['hard']:.1f} with hard labels, each with the settings "
        f"chosen for it: {finding.ours}",
    )


def _spread(name: str, own: Mapping[str, Any]) -> Finding:
    """Nearer to the entropy of people's answers with soft than with hard labels."""
    entropies = own["fixed"]["top_entropy"]
    off = {t: np.abs(np.array(entropies[t]) - entropies["people"]) for t in ("soft", "hard")}
    gaps = off["hard"] - off["soft"]
    finding = direction_finding(mean_interval(gaps.tolist()), _by_seed(gaps), 1, parts=(name,), over="seeds",
                                digits=3, reason=ENCODER[name])  # fmt: skip
    soft, hard = (float(np.mean(entropies[t])) for t in ("soft", "hard"))
    return _said(
        finding,
        f"mean entropy on the most disputed tenth: people {entropies['people']:.2f}, soft {soft:.2f}, hard {hard:.2f} "
        f"nats; soft is nearer in {int((gaps > 0).sum())} of {gaps.size} seeds",
    )


def _mean_change(numbers: Mapping[str, Mapping[str, Any]], metric: str, sign: Any) -> Finding:
    """The mean over sets of the relative change of the mean over seeds."""
    changes = {name: _change(numbers[name], metric) for name in published.NAMES}
    theirs = "32" if metric == "kl" else "61"
    interval = mean_interval([100 * sign * change for change in changes.values()])
    each = ", ".join(f"{published.NAMES[name]} {100 * change:+.0f} %" for name, change in changes.items())
    runs = {name: 100 * sign * change for name, change in changes.items()}
    reason = "other encoders, and offensiveness for politeness"
    if metric == "kl":
        own = [1 - soft / hard for hard, soft in _printed_pairs("kl")]
        reason += f"; the rows of the paper's own table give {100 * float(np.mean(own)):.0f} %"
    finding = direction_finding(
        interval, runs, 1, over="sets", parts=tuple(published.NAMES), theirs=printed(theirs), digits=0, reason=reason
    )
    return _said(finding, f"{100 * sign * float(np.mean(list(changes.values()))):.0f} % on average ({each})")


def _change(own: Mapping[str, Any], metric: str) -> float:
    hard, soft = (float(np.mean(own["fixed"]["scores"][targets][metric])) for targets in ("hard", "soft"))
    return soft / hard - 1


def _printed_pairs(metric: str) -> Sequence[tuple[float, float]]:
    texts = [published.SCORES[name][metric] for name in published.NAMES]
    return [(printed(hard).value, printed(soft).value) for hard, soft in texts]


def _by_seed(values: np.ndarray) -> dict[str, float]:
    return {str(place + 1): float(value) for place, value in enumerate(values)}


def _said(finding: Finding, ours: str) -> Finding:
    return replace(finding, ours=ours)
