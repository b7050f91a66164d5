"""Findings about section 7: the networks tuned on classes and on human labels, attacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019 import published
from dissensus.papers.peterson2019.section_6 import NOT_RUN
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding

PART = ("attacked",)
EPSILON = "4"
LARGEST = ("Wide ResNet", "ResNet preact")
MOST_LEFT = 0.64  # of the cross-entropy in table 2: the largest share of eight
DRIVEN_TO = 0.05  # accuracy that counts as driven to none: the paper has 0 and 1%


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each claim of section 7."""
    networks = results.numbers["attacked"]["networks"]
    accuracy = 100 * np.mean([fold["before"]["accuracy"] for rows in networks.values() for fold in rows["control"]])
    reason = f"networks are {accuracy:.0f}% accurate before the attack here"
    made = {f"table-2-{published.slug(name)}": _cross_entropy(name, networks, reason) for name in ARCHITECTURES}
    made["table-2-half"] = _half(networks, reason)
    made["table-2-accuracy"] = _accuracy(networks, reason)
    made["table-2-largest"] = _largest(networks, reason)
    made["section-7-epsilon"] = _epsilons(networks, reason)
    made["figure-4-slower"] = _slower(networks, reason)
    made["figure-4-levels-off"] = _levels_off(networks, reason)
    made["section-7-pgd-accuracy"] = _accuracy_lost(networks, scale, reason)
    return made


def gap(rows: Mapping[str, Any], score: str, epsilon: str = EPSILON) -> list[float]:
    """Human labels less classes after FGSM, by fold."""
    return [
        soft["fgsm"][epsilon][score] - control["fgsm"][epsilon][score]
        for soft, control in zip(rows["soft"], rows["control"], strict=True)
    ]


def mean_of(rows: Mapping[str, Any], row: str, score: str, epsilon: str = EPSILON) -> float:
    """After FGSM, over folds."""
    return float(np.mean([fold["fgsm"][epsilon][score] for fold in rows[row]]))


def _by_fold(values: list[float]) -> Runs:
    return {f"fold {fold + 1}": value for fold, value in enumerate(values)}


def _cross_entropy(name: str, networks: Mapping[str, Any], reason: str) -> Finding:
    if name not in networks:
        return cannot_test(NOT_RUN.format(name))
    rows = networks[name]
    runs = _by_fold(gap(rows, "cross_entropy"))
    made = direction_finding(interval_of(runs), runs, -1, over="folds", parts=PART, digits=2, reason=reason)
    hard, soft = (mean_of(rows, row, "cross_entropy") for row in ("control", "soft"))
    return replace(made, ours=f"hard {hard:.2f}, soft {soft:.2f}; soft less hard {made.ours}")


def _half(networks: Mapping[str, Any], reason: str) -> Finding:
    """The share that is left of the cross-entropy: as in the table or less, more than there, or all of it."""
    shares = {
        name: mean_of(rows, "soft", "cross_entropy") / mean_of(rows, "control", "cross_entropy")
        for name, rows in networks.items()
    }
    mean = float(np.mean(list(shares.values())))
    listed = ", ".join(f"{name} {share:.2f}" for name, share in shares.items())
    as_there = mean <= MOST_LEFT
    said = "" if as_there else f"{'less is gained than' if mean < 1 else 'nothing is gained, unlike'} in the paper; "
    return Finding(
        ours=f"{mean:.2f} of it is left on average ({listed})",
        parts=PART,
        reason=f"{said}{reason}",
        verdict="same direction" if as_there else "differs",
        runs=shares,
    )


def _accuracy(networks: Mapping[str, Any], reason: str) -> Finding:
    gaps = {name: 100 * float(np.mean(gap(rows, "accuracy"))) for name, rows in networks.items()}
    said = ", ".join(f"{name} {value:+.1f}" for name, value in gaps.items())
    return count_finding(
        {name: value > 0 for name, value in gaps.items()},
        over="networks",
        parts=PART,
        text=f"soft less hard in points: {said}",
        reason=reason,
    )


def _largest(networks: Mapping[str, Any], reason: str) -> Finding:
    """The two whose difference is largest here, whichever they are; the paper's two are named beside them."""
    if not set(LARGEST) <= set(networks):
        return cannot_test(NOT_RUN.format(" and ".join(LARGEST)))
    every = {name: 100 * float(np.mean(gap(rows, "accuracy"))) for name, rows in networks.items()}
    gaps = {name: every[name] for name in sorted(every, key=lambda name: -abs(every[name]))[:2]}
    theirs = ", ".join(f"{name} {every[name]:+.1f}" for name in LARGEST if name not in gaps)
    reason = f"of the paper's two, {theirs} points; {reason}" if theirs else reason
    made = count_finding(
        {name: value > 0 for name, value in gaps.items()},
        over="networks",
        parts=PART,
        text=", ".join(f"{name} {value:+.1f} points" for name, value in gaps.items()),
        reason=reason,
    )
    return made if all(value > 0 for value in gaps.values()) else replace(made, verdict="differs")


def _epsilons(networks: Mapping[str, Any], reason: str) -> Finding:
    """Whether the mean difference in cross-entropy has the sign at every epsilon that it has at 4."""
    epsilons = next(iter(networks.values()))["soft"][0]["fgsm"]
    means = {
        epsilon: float(np.mean([gap(rows, "cross_entropy", epsilon) for rows in networks.values()]))
        for epsilon in epsilons
    }
    same = {f"epsilon {epsilon}": bool(value * means[EPSILON] > 0) for epsilon, value in means.items()}
    said = ", ".join(f"{epsilon}: {value:+.3f}" for epsilon, value in means.items())
    made = count_finding(
        same, over="epsilons", parts=PART, text=f"soft less hard in cross-entropy at {said}", reason=reason
    )
    return made if all(same.values()) else replace(made, verdict="differs")


def loss_increase(rows: Mapping[str, Any], row: str) -> list[float]:
    """By fold: what PGD adds to the cross-entropy."""
    return [fold["pgd"]["cross_entropy"][-1] - fold["pgd"]["cross_entropy"][0] for fold in rows[row]]


def _slower(networks: Mapping[str, Any], reason: str) -> Finding:
    runs = {
        f"{name} · fold {fold + 1}": soft - hard
        for name, rows in networks.items()
        for fold, (soft, hard) in enumerate(
            zip(loss_increase(rows, "soft"), loss_increase(rows, "control"), strict=True)
        )
    }
    made = direction_finding(
        interval_of(runs), runs, -1, over="networks and folds", parts=PART, digits=2, reason=reason
    )
    hard, soft = (
        float(np.mean([loss_increase(rows, row) for rows in networks.values()])) for row in ("control", "soft")
    )
    return replace(
        made, ours=f"it rises by {hard:.2f} with classes, {soft:.2f} with human labels; soft less hard {made.ours}"
    )


def _levels_off(networks: Mapping[str, Any], reason: str) -> Finding:
    """The share of the whole rise that the second half of the steps adds."""

    def late(rows: Mapping[str, Any], row: str) -> float:
        way = np.mean([fold["pgd"]["cross_entropy"] for fold in rows[row]], axis=0)
        return float((way[-1] - way[len(way) // 2]) / (way[-1] - way[0]))

    runs = {name: 100 * (late(rows, "soft") - late(rows, "control")) for name, rows in networks.items()}
    if len(runs) < 2:
        return cannot_test("one network is run at this scale; laptop and full have eight to compare")
    made = direction_finding(
        interval_of(runs), runs, -1, over="networks", parts=PART, digits=1, unit=" points", reason=reason
    )
    hard, soft = (100 * float(np.mean([late(rows, row) for rows in networks.values()])) for row in ("control", "soft"))
    return replace(
        made,
        ours=f"the second half of the steps adds {hard:.1f}% of the rise with classes, {soft:.1f}% "
        f"with human labels: {made.ours}",
    )


def _accuracy_lost(networks: Mapping[str, Any], scale: Scale, reason: str) -> Finding:
    """The accuracy that the last step leaves, of each network; the paper says each, so the largest decides."""
    left = {
        row: [float(np.mean([fold["pgd"]["accuracy"][-1] for fold in rows[row]])) for rows in networks.values()]
        for row in ("control", "soft")
    }
    steps = len(next(iter(networks.values()))["soft"][0]["pgd"]["accuracy"]) - 1
    hard, soft = (f"{100 * np.mean(left[row]):.1f}% (at most {100 * max(left[row]):.1f}%)" for row in left)
    none = max(map(max, left.values())) <= DRIVEN_TO
    if not none and scale != "full":
        reason = f"likely since networks here are small and shortly trained, which an attack moves less; {reason}"
    return Finding(
        ours=f"{hard} with classes, {soft} with human labels after {steps} steps",
        parts=PART,
        reason=reason,
        verdict="same direction" if none else "differs",
    )
