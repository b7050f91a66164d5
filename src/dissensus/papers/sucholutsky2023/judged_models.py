"""Claims of sections 7.2 and 7.3 about models trained on each kind of label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.reading import Runs, gaps, interval_of
from dissensus.papers.sucholutsky2023 import published
from dissensus.papers.sucholutsky2023.judged_labels import not_released
from dissensus.papers.sucholutsky2023.rows import (
    Row,
    beyond_chance,
    by_chance,
    by_run,
    format_ranking,
    lowest_kind,
    lowest_on_average,
    mean_of,
    middle_finding,
    on_all_labels,
    on_labels,
    on_shift,
)
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.studies import NETWORKS
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding, exact_finding

HEADS = "linear heads on frozen features stand for networks from scratch"
SMALL = "small networks, trained for a few epochs"
OF_IMAGENET = (
    "these features were learned from ImageNet, so that its images may be less far for heads than for networks"
)
LEARNED = 0.2  # accuracy below which a network of ten classes has learned next to nothing
HUMAN = ("H", "S+hard")
OF_HEADS, OF_NETWORKS = ("heads", "transfer"), ("networks", "transfer-networks")


@dataclass(frozen=True)
class Models:
    """Models that decide: heads, or the networks where these were trained as published.

    rows    their scores, as `transfer.scored` gives them
    over    what tells their runs apart
    reason  what they stand for, and what is special about far images; "" where nothing is
    """

    rows: Sequence[Row]
    parts: tuple[str, ...]
    over: str
    reason: str
    far: str


def decisive_models(numbers: Mapping[str, Mapping[str, Any]], small: bool) -> Models:
    """small: networks are smaller than published"""
    if small:
        return Models(numbers["transfer"]["rows"], OF_HEADS, "seeds", HEADS, OF_IMAGENET)
    return Models(numbers["transfer-networks"]["rows"], OF_NETWORKS, "architectures and seeds", "", "")


def because(*reasons: str) -> str:
    """Those that say something, as one."""
    return "; ".join(reason for reason in reasons if reason)


def model_findings(numbers: Mapping[str, Mapping[str, Any]], small: bool = True) -> dict[str, Finding]:
    """Of parameters, of heads and of networks, which are smaller than published or not."""
    models, trained = decisive_models(numbers, small), numbers["transfer-networks"]["rows"]
    kinds = sorted({row["kind"] for row in models.rows}, key=numbers["transfer"]["label entropy"].__getitem__)
    counted = {
        f"table-2-{name}": exact_finding(parse_printed(text), numbers["architectures"][name], parts=("architectures",))
        for name, text in published.PARAMETERS.items()
    }
    return (
        counted | _crossing_findings(models, kinds) | _networks(trained, kinds, small) | _shifts(models, trained, kinds)
    )


def _crossing_findings(models: Models, kinds: Sequence[str]) -> dict[str, Finding]:
    """Which labels to learn from, by which labels models are judged by.  kinds: by rising softness"""
    rows = models.rows
    of: dict[str, Any] = {"over": models.over, "parts": models.parts, "reason": models.reason}
    judges = {judge: by_run(rows, on_labels(judge)) for judge in rows[0]["labels"]}
    dense = judges.pop("DS", None)
    inside = {
        f"{judge} · {run}": best not in (kinds[0], kinds[-1])
        for judge, values in judges.items()
        for run, best in lowest_kind(values).items()
    }
    said = "; ".join(f"judged by {NAMES[judge]}: {format_ranking(values)}" for judge, values in judges.items())
    itself = sum(best == judge for judge, values in judges.items() for best in lowest_kind(values).values())
    everywhere = by_run(rows, on_all_labels)
    people = {run: best in (*HUMAN, "S+dense") for run, best in lowest_kind(everywhere).items()}
    judging = [judge for judge in HUMAN if judge in judges]
    by_people = by_run(rows, lambda row: float(np.mean([row["labels"][judge]["cross-entropy"] for judge in judging])))
    exception = not_released("CIFAR-10DS was", "dense.npy")
    if dense is not None:
        softer = {run: best in kinds[len(kinds) // 2 :] for run, best in lowest_kind(dense).items()}
        exception = count_finding(softer, text=format_ranking(dense), **of)
    middling = [lowest_on_average(values) not in (kinds[0], kinds[-1]) for values in judges.values()]
    own = f"the kind that judges is itself the best to learn from in {itself}"
    on_average = f"on average a middling kind is best by {sum(middling)} of {len(middling)} that judge"
    shaped = count_finding(
        inside,
        text=said,
        **of
        | {
            "over": f"kinds of label and {models.over}",
            "reason": because(models.reason, own, on_average, by_chance(kinds)),
        },
    )
    if not beyond_chance(middling, kinds):
        shaped = replace(shaped, verdict="differs")
    return {
        "crossed-u": shaped,
        "crossed-dense": exception,
        "crossed-best": count_finding(
            people,
            text=f"mean cross-entropy over all kinds of label: {format_ranking(everywhere)}",
            **of | {"reason": because(models.reason, f"judged by labels of people alone: {format_ranking(by_people)}")},
        ),
    }


def _networks(rows: Sequence[Row], kinds: Sequence[str], small: bool) -> dict[str, Finding]:
    """The same by architecture; nothing can be said of networks that learned nothing.  kinds: by rising softness"""
    right = _accuracy(rows)
    if right < LEARNED:
        few = cannot_test(
            f"networks this small, trained so briefly, are right on {right:.0%} of the images; laptop trains longer"
        )
        return {"crossed-networks": few, "crossed-shake-shake": few}
    reason = f"{SMALL if small else 'networks as published'}: right on {right:.0%} of the images"
    losses = {judge: by_run(rows, on_labels(judge)) for judge in rows[0]["labels"]}
    means = {
        judge: {name: float(np.mean([mean_of(_of_network(runs, name)) for runs in by.values()])) for name in NETWORKS}
        for judge, by in losses.items()
    }
    first = {NAMES[judge]: min(by, key=by.__getitem__) == "shake_shake26_2x64" for judge, by in means.items()}
    order = sorted(NETWORKS, key=means["H"].__getitem__)
    shown = ", ".join(f"{NETWORKS[name]} {means['H'][name]:.2f}" for name in order)
    return {
        "crossed-networks": _each_network(losses, kinds, reason),
        "crossed-shake-shake": count_finding(
            first, over="kinds of label", parts=OF_NETWORKS, reason=reason, text=f"cross-entropy to CIFAR-10H: {shown}"
        ),
    }


def _each_network(losses: Mapping[str, Mapping[str, Runs]], kinds: Sequence[str], reason: str) -> Finding:
    """Architectures for which labels of middling softness are best, by most kinds of label that judge and seeds."""
    gap = gaps(losses["H"]["H"], losses["H"]["hard"])
    texts = ", ".join(f"{NETWORKS[name]} {mean_of(_of_network(gap, name)):+.3f}" for name in NETWORKS)
    beside = f"cross-entropy to CIFAR-10H after learning from it, less after hard labels: {texts}"
    if len(losses["H"]) < 3:
        return replace(
            cannot_test("two kinds of label have no middle; laptop trains on all"), ours=beside, parts=OF_NETWORKS
        )
    best = {judge: lowest_kind(by) for judge, by in losses.items() if judge != "DS"}
    inside = {
        name: [
            kind not in (kinds[0], kinds[-1])
            for by in best.values()
            for run, kind in by.items()
            if run.startswith(f"{name} ")
        ]
        for name in NETWORKS
    }
    counts = ", ".join(f"{NETWORKS[name]} in {sum(of)} of {len(of)}" for name, of in inside.items())
    return count_finding(
        {NETWORKS[name]: beyond_chance(of, kinds) for name, of in inside.items()},
        over="architectures",
        parts=OF_NETWORKS,
        reason=because(reason, by_chance(kinds)),
        text=f"lowest with middling labels, by kinds of label that judge and seeds: {counts}; {beside}; more "
        "than by chance",
    )


def _shifts(models: Models, trained: Sequence[Row], kinds: Sequence[str]) -> dict[str, Finding]:
    rows, beside = models.rows, "" if models.rows is trained else _of_networks(trained)
    losses = {name: by_run(rows, on_shift(name)) for name in (NEAR, FAR)}
    gain = {name: _gains(values, HUMAN) for name, values in losses.items()}
    grows = gaps(gain[FAR], gain[NEAR])
    better, more = (
        direction_finding(interval_of(runs), runs, 1, over=f"kinds and {models.over}", digits=3, parts=models.parts)
        for runs in (gain[FAR], grows)
    )
    dense = not_released("CIFAR-10DS was", "dense.npy")
    if "DS" in losses[NEAR]:
        caught = gaps(*(_gains(losses[name], ("DS",)) for name in (FAR, NEAR)))
        dense = direction_finding(
            interval_of(caught), caught, 1, over=models.over, digits=3, parts=models.parts, reason=models.reason
        )
    return {
        "shift-near": middle_finding(
            losses[NEAR],
            kinds,
            over=models.over,
            parts=models.parts,
            reason=because(models.reason, by_chance(kinds)),
            text=f"cross-entropy: {format_ranking(losses[NEAR])}",
        ),
        "shift-10.1": cannot_test("the images of CIFAR-10.1 are not here, only its labels and what models said"),
        "shift-far": replace(
            better,
            ours=f"hard less CIFAR-10H and CIFAR-10S+hard {better.ours} ({format_ranking(losses[FAR])})",
            reason=because(models.reason, f"{FAR} stands for ImageNet-Far", models.far, beside),
        ),
        "shift-cinic": cannot_test("CINIC-10 is not here"),
        "shifted-sets": cannot_test("the images of CIFAR-10.1, of CINIC-10 and of ImageNet-Far are not here"),
        "shift-grows": replace(
            more,
            ours=f"gain over hard labels {mean_of(gain[NEAR]):+.3f} on {NEAR}, {mean_of(gain[FAR]):+.3f} on "
            f"{FAR}: {more.ours}",
            reason=because(models.reason, models.far, "of five sets of the paper, two are here", beside),
        ),
        "shift-dense": dense,
    }


def _gains(losses: Mapping[str, Runs], kinds: Sequence[str]) -> Runs:
    """By how much these kinds are below hard labels, by kind and run."""
    return {f"{kind} · {run}": value for kind in kinds for run, value in gaps(losses["hard"], losses[kind]).items()}


def _of_networks(rows: Sequence[Row]) -> str:
    """What networks from scratch say about shifted images, where they learned something."""
    if _accuracy(rows) < LEARNED:
        return ""
    gains = {
        name: mean_of(_gains(by_run(rows, on_shift(name)), ("H",))) for name in (NEAR, FAR) if name in rows[0]["shift"]
    }
    said = " and ".join(f"{gain:+.3f} on {name}" for name, gain in gains.items())
    return f"with networks from scratch, hard less CIFAR-10H is {said}"


def _of_network(runs: Runs, name: str) -> Runs:
    return {run: value for run, value in runs.items() if run.startswith(f"{name} ")}


def _accuracy(rows: Sequence[Row]) -> float:
    return float(np.mean([row["labels"]["H"]["accuracy"] for row in rows]))
