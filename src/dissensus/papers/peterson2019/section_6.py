"""Findings about sections 6 and 7: networks pretrained on classes, fine-tuned in six ways, and attacked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding, Verdict
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019 import published
from dissensus.papers.peterson2019.sizes import ARCHITECTURES
from dissensus.papers.peterson2019.tuned import ROWS
from dissensus.papers.reading import interval_of
from dissensus.papers.verdicts import cannot_test, count_finding, no_difference_finding

HUMAN = ("soft", "sampled")
PART = ("tuned",)
APART = 0.01  # how far whole and sampled labels are apart at most in table 1
NOT_RUN = "{} is not run at this scale; laptop runs it at a small width, full as published"
CLOSER = 38 / 40  # of the cells of table 1 are closer to people than before fine-tuning
LOST = 1.0  # points of accuracy: less than human labels gain from scratch, so less than the paper calls a difference


def table_1(results: Results) -> dict[str, dict[str, dict[str, Any]]]:
    """network -> row -> score -> by fold; of the rates and alphas that were tried, the one closest to people."""
    table: dict[str, dict[str, dict[str, Any]]] = {}
    for name, numbers in results.numbers["tuned"]["networks"].items():
        table[name] = {"pretrained": numbers["pretrained"]}
        for row in ROWS:
            tried = [
                scores
                for way, rates in numbers["tuned"].items()
                if way.partition(" ")[0] == row
                for scores in rates.values()
            ]
            table[name][row] = min(tried, key=lambda scores: float(np.mean(scores["soft_nll"])))
    return table


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each claim about table 1."""
    table = table_1(results)
    nll = {
        name: {row: float(np.mean(scores["soft_nll"])) for row, scores in rows.items()} for name, rows in table.items()
    }
    reason = _set_up(table, scale)
    made = {f"table-1-{published.slug(name)}": _closest(name, table, nll, reason) for name in ARCHITECTURES}
    every = _Every(nll, reason)
    made["table-1-control"] = every.of(lambda rows: rows["control"] < rows["pretrained"])
    made["table-1-tuning"] = _tuning(nll, reason)
    made["table-1-classes"] = _by_classes(table, reason)
    made["table-1-pretrained"] = _classes_first(table, reason)
    made["table-1-category"] = every.of(
        lambda rows: min(rows[row] for row in HUMAN) < rows["category"] < rows["control"]
    )
    made["table-1-mixup"] = every.of(lambda rows: rows["mixup"] < rows["control"])
    made["table-1-mixup-human"] = every.of(lambda rows: rows["mixup"] > max(rows[row] for row in (*HUMAN, "category")))
    made["table-1-sampled"] = _sampling_finding(table, reason)
    for column in ("v4", "v6"):
        made[f"table-1-{column}"] = _further(column, table, reason)
    made |= _ensemble(results, nll, scale, reason)
    made["section-6-recency"] = _recency(nll, scale)
    made["section-6-accuracy"] = _accuracy(table, reason)
    return made


class _Every:
    """Claims that are true or false of each network."""

    def __init__(self, nll: Mapping[str, Mapping[str, float]], reason: str) -> None:
        self.nll, self.reason = nll, reason

    def of(self, holds: Any) -> Finding:
        rows = ("pretrained", *ROWS)
        mean = ", ".join(f"{row} {np.mean([each[row] for each in self.nll.values()]):.3f}" for row in rows)
        return count_finding(
            {name: bool(holds(rows)) for name, rows in self.nll.items()},
            over="networks",
            parts=PART,
            text=f"mean cross-entropy to people: {mean}",
            reason=self.reason,
        )


def _set_up(table: Mapping[str, Any], scale: Scale) -> str:
    accuracy = 100 * np.mean([np.mean(rows["pretrained"]["accuracy"]) for rows in table.values()])
    theirs = "" if scale == "full" else "; the paper's are whole, and about as accurate as their authors report"
    return f"pretrained networks are {accuracy:.0f}% accurate here{theirs}"


def _closest(name: str, table: Mapping[str, Any], nll: Mapping[str, Mapping[str, float]], reason: str) -> Finding:
    """In each fold, whether the lowest cross-entropy to people is that of whole or sampled human labels."""
    if name not in table:
        return cannot_test(NOT_RUN.format(name))
    folds = len(table[name]["soft"]["soft_nll"])
    best = {
        f"fold {fold + 1}": min(("pretrained", *ROWS), key=lambda row: table[name][row]["soft_nll"][fold]) in HUMAN
        for fold in range(folds)
    }
    rows = nll[name]
    text = ", ".join(f"{row} {rows[row]:.3f}" for row in ("pretrained", *ROWS))
    made = count_finding(best, over="folds", parts=PART, text=text, reason=reason)
    verdict: Verdict = "same direction" if min(rows, key=lambda row: rows[row]) in HUMAN else "differs"
    return replace(made, verdict=verdict)


def _tuning(nll: Mapping[str, Mapping[str, float]], reason: str) -> Finding:
    """Of each network and way to fine-tune, in as large a share as in table 1; the text says all."""
    closer = {f"{name} · {row}": rows[row] < rows["pretrained"] for name, rows in nll.items() for row in ROWS}
    made = count_finding(closer, over="networks and ways", parts=PART, reason=reason)
    if all(closer.values()):
        return made
    verdict: Verdict = "same direction" if sum(closer.values()) >= CLOSER * len(closer) else "differs"
    ways = ", ".join(dict.fromkeys(run.partition(" · ")[2] for run, holds in closer.items() if not holds))
    return replace(made, verdict=verdict, reason=f"fails with {ways}; {reason}")


def _by_classes(table: Mapping[str, Any], reason: str) -> Finding:
    """The row with the lowest cross-entropy to the class of the data set, of each network."""
    means = {name: {row: float(np.mean(rows[row]["cross_entropy"])) for row in ROWS} for name, rows in table.items()}
    lowest = {name: min(rows, key=lambda row: rows[row]) in ("control", "mixup") for name, rows in means.items()}
    text = ", ".join(f"{row} {np.mean([rows[row] for rows in means.values()]):.3f}" for row in ROWS)
    return _all_of(lowest, text=f"mean cross-entropy to classes: {text}", reason=reason)


def _classes_first(table: Mapping[str, Any], reason: str) -> Finding:
    holds = {
        name: float(np.mean(rows["pretrained"]["cross_entropy"])) < float(np.mean(rows["pretrained"]["soft_nll"]))
        for name, rows in table.items()
    }
    means = [
        np.mean([np.mean(rows["pretrained"][score]) for rows in table.values()])
        for score in ("cross_entropy", "soft_nll")
    ]
    text = f"to classes {means[0]:.3f}, to people {means[1]:.3f}"
    return count_finding(holds, over="networks", parts=PART, text=text, reason=reason)


def _sampling_finding(table: Mapping[str, Any], reason: str) -> Finding:
    runs = {
        f"{name} · fold {fold + 1}": sampled - soft
        for name, rows in table.items()
        for fold, (sampled, soft) in enumerate(zip(rows["sampled"]["soft_nll"], rows["soft"]["soft_nll"], strict=True))
    }
    made = no_difference_finding(
        interval_of(runs),
        runs,
        APART,
        over="networks and folds",
        parts=PART,
        digits=3,
        reason=f"the margin is the largest distance in table 1; {reason}",
    )
    return replace(made, ours=f"sampled less whole {made.ours}")


def _further(column: str, table: Mapping[str, Any], reason: str) -> Finding:
    """On a version of CIFAR-10.1; without it ImageNet's images of the same classes are told, which decide nothing."""
    there = all(f"{column}_cross_entropy" in rows["soft"] for rows in table.values())
    score = f"{column if there else 'far'}_cross_entropy"
    best = {name: min(ROWS, key=lambda row: np.mean(rows[row][score])) in HUMAN for name, rows in table.items()}
    if there:
        mean = ", ".join(f"{row} {np.mean([rows[row][score] for rows in table.values()]):.3f}" for row in ROWS)
        return count_finding(best, over="networks", parts=PART, text=f"mean cross-entropy: {mean}", reason=reason)
    return Finding(
        ours=f"on ImageNet's images of the same classes lowest with whole or sampled labels in {sum(best.values())} of "
        f"{len(best)} networks",
        verdict="cannot be tested here",
        parts=PART,
        reason=f"the images of CIFAR-10.1 {column} are not among the data",
    )


def _ensemble(
    results: Results, nll: Mapping[str, Mapping[str, float]], scale: Scale, reason: str
) -> dict[str, Finding]:
    together = results.numbers["tuned"]["ensemble"]["soft_nll"]
    if len(nll) < 2:
        alone = cannot_test("one network is run at this scale, and makes no ensemble; laptop and full have eight")
        return {"section-6-ensemble": alone, "section-6-no-substitute": alone}
    text = f"all {len(nll)} together {together:.3f}"
    before, after = (float(np.mean([rows[row] for rows in nll.values()])) for row in ("pretrained", "soft"))
    gains = f"on average {before - together:.3f} is gained by being together, {before - after:.3f} by fine-tuning"
    if scale != "full" and after > together:
        gains += ", which is short here"
    return {
        "section-6-ensemble": _all_of(
            {name: together < rows["pretrained"] for name, rows in nll.items()},
            text=f"{text}, the closest of them {min(rows['pretrained'] for rows in nll.values()):.3f}",
            reason=reason,
        ),
        "section-6-no-substitute": _all_of(
            {name: rows["soft"] < together for name, rows in nll.items()},
            text=f"{text}, fine-tuned on human labels {min(rows['soft'] for rows in nll.values()):.3f} to "
            f"{max(rows['soft'] for rows in nll.values()):.3f}",
            reason=f"{gains}; {reason}",
        ),
    }


def _all_of(holds: Mapping[str, bool], *, text: str, reason: str) -> Finding:
    """What the paper says of each network: it must hold for all."""
    made = count_finding(holds, over="networks", parts=PART, text=text, reason=reason)
    return made if all(holds.values()) else replace(made, verdict="differs")


def _recency(nll: Mapping[str, Mapping[str, float]], scale: Scale) -> Finding:
    if scale != "full":
        return cannot_test(
            "networks of other widths and depths than published say nothing about this order; full runs it"
        )
    order = sorted(nll, key=lambda name: nll[name]["pretrained"])
    place = order.index("Shake-Shake") + 1
    return Finding(
        ours=f"Shake-Shake is number {place} of {len(order)}: {', '.join(order)}",
        parts=PART,
        verdict="same direction" if place > 3 else "differs",
    )


def _accuracy(table: Mapping[str, Any], reason: str) -> Finding:
    """Points that fine-tuning on human labels, in its three ways on average, is more accurate than that on classes.

    The ways share the control of their fold, so that they are no runs of their own.
    """
    runs: dict[str, float] = {}
    for name, rows in table.items():
        human = np.mean([rows[row]["accuracy"] for row in (*HUMAN, "category")], axis=0)  # (folds,)
        runs |= {
            f"{name} · fold {fold + 1}": 100 * float(gain)
            for fold, gain in enumerate(human - rows["control"]["accuracy"])
        }
    made = no_difference_finding(
        interval_of(runs),
        runs,
        LOST,
        over="networks and folds",
        parts=PART,
        digits=2,
        unit=" points",
        reason=f"a point is the margin; {reason}",
    )
    gained = made.value is not None and made.value.low > 0
    return replace(
        made,
        verdict="same direction" if made.verdict == "differs" and gained else made.verdict,
        ours=f"human labels (whole, sampled, class means) less classes {made.ours}",
    )
