"""Evidence as the paper prints it, and numbers of probes whose direction is known."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dissensus.papers.evidence import Candidate, Evidence, Number, collect
from dissensus.papers.gheibi2026.studies import HARD
from dissensus.papers.published import read_published
from dissensus.papers.strength import SHOWN

MODEL = Candidate("resnet18", "best epoch")
P_VALUES = ("wilcoxon_p",)  # judged by intervals
SEEDS = tuple(f"seed {seed}" for seed in range(5))


def evidence_as_printed(*, epochs: float = 200.0, exchange: Mapping[str, str] | None = None) -> Evidence:
    """Five seeds of every printed number, with a thousandth of it as spread.

    epochs    labels that deliveries of one label at a time have shown
    exchange  arms whose numbers are those of another arm
    """
    rng = np.random.default_rng(0)
    means: dict[Number, float] = {}
    for table in read_published("gheibi2026").tables:
        for metric, arms in table.numbers.items():
            for arm in () if metric in P_VALUES else arms:
                source = arms.get((exchange or {}).get(arm, arm), arms[arm])
                means.setdefault(Number(metric, arm, table.where), source.value)
        for arm in table.must_show:
            means[Number(SHOWN, arm, table.where)] = epochs
    means |= {Number("soft_nll", "chance"): float(np.log(10)), Number("accuracy", "chance"): 0.1}
    rows = []
    for number, mean in means.items():
        if number.metric in ("agreeing_cells", SHOWN):
            runs = {"all": mean}
        else:
            runs = {seed: mean + 0.001 * abs(mean) * rng.normal() for seed in SEEDS}
        rows.append((MODEL, number, runs))
    return collect(rows)


def probe_numbers(sign: float) -> dict[str, Any]:
    """Numbers of probes as the paper reports them (1), or in the other direction (-1)."""
    seeds = [str(seed) for seed in range(4)]
    curvature = {
        "soft": 10.0,
        "sls": 10 - 5 * sign,
        "multipass": 10 - 5.2 * sign,
        "sls | shuffled": 2.0 if sign > 0 else 40.0,
    }
    curvature["deterministic_control"] = 10 - 4.8 * sign
    curvature |= {f"{arm} at {k}": curvature[arm] for arm in ("sls", "soft") for k in (5, 10, 25, 50)}
    keys = ("lambda_full", "trace_full", "lambda_high", "trace_high")
    auroc = {"soft": 0.80} | dict.fromkeys(HARD, 0.8 + 0.01 * sign)
    detectors = ("energy", "odin", "entropy", "msp", "knn", "margin")
    part = {"spearman": 0.1 * sign, "bins": [0.0, 0.01 * sign]}
    readings = {reading: dict.fromkeys(("js", "l1", "high"), part) for reading in ("held out", "learned")}
    pairs = ("seeds 0 and 1", "seeds 2 and 3")
    return {
        "curvature": {
            arm: {seed: {key: value + 0.01 * int(seed) for key in keys} for seed in seeds}
            for arm, value in curvature.items()
        },
        "gradients": {"sls": {seed: sign * (0.93 + 0.01 * int(seed)) for seed in seeds}},
        "ood": {
            arm: {seed: {"CIFAR-100": dict.fromkeys(detectors, value + 0.001 * int(seed))} for seed in seeds}
            for arm, value in auroc.items()
        },
        "way": {seed: {"interpolated": sign * 2.0 + 0.01 * int(seed), "renewed": sign} for seed in seeds},
        "cka": {"soft": dict.fromkeys(pairs, 0.8), "sls": dict.fromkeys(pairs, 0.8 + 0.1 * sign)},
        "grad_cam": {},
        "targets": {str(k): {method: dict.fromkeys(seeds, readings) for method in HARD} for k in (5, 10, 25, 50)},
    }
