"""Claims of sections 4 to 6 and of figures 1, 2, 3 and 6, against simulated scenes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.sucholutsky2023 import published
from dissensus.papers.sucholutsky2023.simulation import BETAS, LARGE_END
from dissensus.papers.verdicts import count_finding, direction_finding, number_finding

NO_WORSE = 0.02  # of rho: a smaller fall is none
ABOUT = 0.1  # of the utility of perfect recovery: less is about as good
ENOUGH = 900  # cells of the paper's grid


def simulation_findings(
    simulated: Mapping[str, Any], preferred: Mapping[str, Any], sparsity: Mapping[str, Any]
) -> dict[str, Finding]:
    """Of the parts `simulations`, `preferences` and `sparsity`."""
    runs: Mapping[str, Any] = simulated["runs"]
    found = {
        f"simulated-{kind}-{regime}": _phase(runs, kind, regime)
        for kind in ("soft", "hard")
        for regime in ("one-shot", "many-shot", "less-than-one-shot")
    }
    return (
        found
        | _against_hard(simulated)
        | _preference_findings(preferred)
        | _effective(simulated, sparsity)
        | _fewer(sparsity)
    )


def _phase(runs: Mapping[str, Any], kind: str, regime: str) -> Finding:
    """How rho changes from small to large sizes, by dimension and scene."""
    ends = {name: run["phases"][kind][regime] for name, run in runs.items()}
    change: Runs = {name: large - small for name, (small, large) in ends.items()}
    small, large = (float(np.mean([pair[i] for pair in ends.values()])) for i in (0, 1))
    said = f"mean rho from {small:.2f} at sizes 9 to 27 to {large:.2f} from {LARGE_END} on"
    if (kind, regime) == ("soft", "one-shot"):
        holds = {name: value > -NO_WORSE for name, value in change.items()}
        return count_finding(holds, over="dimensions and scenes", parts=("simulations",), text=said)
    finding = direction_finding(interval_of(change), change, -1, over="dimensions and scenes", parts=("simulations",))
    reason = ""
    if finding.verdict == "differs":
        reason = (
            "rho rises though the information ratio falls; perhaps since hard labels leave most similarities to the "
            "start of the embedding, and more items of a class tie more of them down"
            if kind == "hard" and large > small
            else "rho does not follow the fall of the information ratio here"
        )
    return replace(finding, ours=f"{said}: {finding.ours}", reason=reason)


def _against_hard(simulated: Mapping[str, Any]) -> dict[str, Finding]:
    runs: Mapping[str, Any] = simulated["runs"]
    over: dict[str, Any] = {"over": "dimensions and scenes", "parts": ("simulations",)}
    ratio: Runs = {name: run["rank correlation"] for name, run in runs.items()}
    gap: Runs = {name: run["gap"] for name, run in runs.items()}
    more: Runs = {
        name: run["gap, fewer items than classes"] - run["gap, more items than classes"] for name, run in runs.items()
    }
    cells = float(np.mean([run["soft above hard"] for run in runs.values()]))
    within = {kind: float(np.mean([run["within"][kind] for run in runs.values()])) for kind in ("soft", "hard")}
    tied = direction_finding(interval_of(ratio), ratio, 1, digits=2, **over)
    above = direction_finding(interval_of(gap), gap, 1, digits=2, **over)
    grows = direction_finding(interval_of(more), more, 1, digits=2, **over)
    return {
        "simulated-ratio": replace(
            tied,
            ours=f"rank correlation of rho with the ratio over cells of both kinds {tied.ours}",
            reason=f"within a kind it is {within['soft']:.2f} for soft and {within['hard']:.2f} for hard labels",
        ),
        "simulated-soft-above-hard": replace(
            above, ours=f"rho of soft less hard {above.ours}; above in {cells:.1%} of {simulated['cells']:,} cells each"
        ),
        "simulated-few-labels": replace(grows, ours=f"gain where n < k less gain where n > k {grows.ours}"),
    }


def _preference_findings(preferred: Mapping[str, Any]) -> dict[str, Finding]:
    sizes = np.array(preferred["sizes"])
    maps = {name: np.array(values) for name, values in preferred["maps"].items()}  # (N, K) each
    weight = {name: float(name.split(" · ")[1].removeprefix("beta ")) for name in maps}
    corner = np.ix_(sizes >= LARGE_END, sizes >= LARGE_END)
    border = (sizes[:, None] == sizes.min()) | (sizes[None, :] == sizes.min())
    near = {name: bool((worth[border] > -ABOUT).mean() >= 0.9) for name, worth in maps.items()}
    dear: Runs = {name: float(worth[corner].mean()) for name, worth in maps.items() if weight[name] == max(BETAS)}
    cheap: Runs = {name: float(worth[corner].mean()) for name, worth in maps.items() if weight[name] == min(BETAS)}
    few, many = sizes <= 15, sizes >= LARGE_END
    falls: Runs = {name: float(worth[few].mean() - worth[many].mean()) for name, worth in maps.items()}
    over: dict[str, Any] = {"over": "utilities and dimensions", "parts": ("preferences",), "digits": 2}
    scale = "the paper gives no scale of β; at 1, soft labels for 90 items over 90 classes cost as much as perfect "
    scale += "recovery is worth"
    hard = direction_finding(interval_of(dear), dear, -1, **over)
    soft = direction_finding(interval_of(cheap), cheap, 1, **over)
    rule = direction_finding(interval_of(falls), falls, 1, **over | {"over": "utilities, weights and dimensions"})
    return {
        "preferred-where-small": count_finding(
            near,
            over="utilities, weights and dimensions",
            parts=("preferences",),
            reason=scale,
            text=f"with {sizes.min()} items or classes, soft labels are less than {ABOUT:g} worse in 90% of the cells",
        ),
        "preferred-where-cost-weighs": replace(
            hard, ours=f"soft over hard at large n and k, β = {max(BETAS):g}: {hard.ours}", reason=scale
        ),
        "preferred-where-cost-is-light": replace(
            soft, ours=f"soft over hard at large n and k, β = {min(BETAS):g}: {soft.ours}", reason=scale
        ),
        "guidance-rule": replace(
            rule,
            reason=scale,
            ours=f"soft over hard with up to 15 items, less the same from {LARGE_END} on: {rule.ours}",
        ),
    }


def _effective(simulated: Mapping[str, Any], sparsity: Mapping[str, Any]) -> dict[str, Finding]:
    planes: Mapping[str, Any] = sparsity["effective"]
    plane = planes["25"]
    others = ", ".join(f"{values['r']:.3f} at d = {d}" for d, values in planes.items() if d != "25")
    left = [d for d in simulated["maps"] if d not in planes]
    out = f", and d of {' and '.join(left)} was left out" if left else ""
    number = number_finding(
        parse_printed(published.EFFECTIVE_R),
        _fisher(plane["r"], plane["cells"]),
        over=f"{plane['cells']} cells at d = 25",
        parts=("sparsity",),
        runs={f"d {d}": values["r"] for d, values in planes.items()},
        reason=f"the paper does not say for which d; it is {others}{out}",
    )
    if plane["cells"] < ENOUGH and number.verdict == "differs":
        few = f"{plane['cells']} cells stand for 900, with none of the smallest sizes; laptop runs all"
        number = replace(number, verdict="cannot be tested here", reason=few)
    share: Runs = {f"d {d}": values["share of k"] for d, values in planes.items()}
    verdict: Verdict = "equal" if plane["p"] < published.EFFECTIVE_P else "differs"
    chance = Finding(ours=f"p = {plane['p']:.1g}", verdict=verdict, parts=("sparsity",))
    if plane["cells"] < ENOUGH and verdict == "differs":
        few = f"{plane['cells']} cells cannot give so small a p; laptop runs 900"
        chance = replace(chance, verdict="cannot be tested here", reason=few)
    return {
        "effective-r": number,
        "effective-p": chance,
        "effective-below-k": count_finding(
            {name: value < 0.5 for name, value in share.items()},
            over="dimensions",
            parts=("sparsity",),
            text=f"{', '.join(f'{100 * value:.0f}% of k at {name}' for name, value in share.items())} on average, and "
            f"below k in {plane['below k']:.1%} of the cells at d = 25",
        ),
    }


def _fewer(sparsity: Mapping[str, Any]) -> dict[str, Finding]:
    curves: Mapping[str, Any] = sparsity["curves"]
    between = {name: [place for place, kept in enumerate(c["kept"]) if 1 < kept < c["k"]] for name, c in curves.items()}

    def gap(one: str, other: str) -> Runs:
        return {name: float(np.mean([c[one][i] - c[other][i] for i in between[name]])) for name, c in curves.items()}

    over: dict[str, Any] = {"over": "scenes", "parts": ("sparsity",), "digits": 2}
    top, bound, much = (
        gap("sparse", "top_class"),
        gap("pca", "sparse"),
        {n: _share_of_recovery(c) for n, c in curves.items()},
    )
    losses = {
        f"{name} · {weighed}": _best_inside(curves[name], loss)
        for name, by in sparsity["losses"].items()
        for weighed, loss in by.items()
    }
    half: Runs = {name: share - 0.5 for name, share in much.items()}
    kept = direction_finding(interval_of(half), half, 1, **over)
    return {
        "sparse-above-top-class": replace(
            above := direction_finding(interval_of(top), top, 1, **over),
            ours=f"rho of sparse less top-class labels {above.ours}",
        ),
        "components-above-sparse": replace(
            best := direction_finding(interval_of(bound), bound, 1, **over),
            ours=f"rho of components less sparse labels {best.ours}",
        ),
        "sparse-keeps-much": replace(
            kept,
            runs=much,
            value=interval_of(much),
            ours=f"with up to half of the classes, {100 * float(np.mean(list(much.values()))):.0f}% of the gain of "
            f"soft over hard; more than half in {sum(share > 0.5 for share in much.values())} of {len(much)} scenes",
        ),
        "sparse-is-best": count_finding(
            losses,
            over="scenes, utilities and weights",
            parts=("sparsity",),
            text="a number of classes between 1 and k has a lower loss than hard and soft labels",
            reason="weights are ours: soft labels cost 0.1, 0.3 or 1 of what perfect recovery is worth",
        ),
    }


def _share_of_recovery(curve: Mapping[str, Any]) -> float:
    at = max(place for place, kept in enumerate(curve["kept"]) if kept <= curve["k"] / 2)
    return float((curve["sparse"][at] - curve["hard"]) / (curve["soft"] - curve["hard"]))


def _best_inside(curve: Mapping[str, Any], loss: Mapping[str, Any]) -> bool:
    inside = [value for value, kept in zip(loss["sparse"], curve["kept"], strict=True) if 1 < kept < curve["k"]]
    return min(inside) < min(loss["hard"], loss["soft"])


def _fisher(r: float, n: int) -> Interval:
    """Pearson's r with Fisher's interval."""
    z, half = math.atanh(r), 1.959964 / math.sqrt(n - 3)
    low, high = math.tanh(z - half), math.tanh(z + half)
    return Interval(r, low, high, (high - low) / 2 / 1.959964, 0.95)
