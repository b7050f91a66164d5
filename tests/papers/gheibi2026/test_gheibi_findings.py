"""Verdicts on Gheibi 2026 turn when what they rest on is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.deliver import shuffled, sls
from dissensus.labels.distributions import Distributions
from dissensus.papers.gheibi2026.answers import text_gaps
from dissensus.papers.gheibi2026.evidence import Evidence, Gap, direction, no_difference, p_of
from dissensus.papers.gheibi2026.findings_inside import (
    curvature_findings,
    elsewhere_findings,
    proposition_findings,
    representation_findings,
    target_findings,
)
from dissensus.papers.gheibi2026.findings_main import two_sided
from dissensus.papers.gheibi2026.proposition import measure_delivery, sides
from dissensus.papers.paper import Results
from dissensus.train.model import softmax


@pytest.fixture(scope="module")
def crowd() -> tuple[Distributions, np.ndarray]:
    rng = np.random.default_rng(0)
    counts = rng.multinomial(20, rng.dirichlet(np.full(4, 0.5), size=300))
    counts[:20] = [20, 0, 0, 0]
    return Distributions.from_counts(counts), softmax(rng.normal(0, 2, (300, 4)))


def test_the_proposition_holds_for_labels_drawn_by_sls(crowd):
    people, q = crowd
    numbers: dict[str, Any] = sides(people.probs, q) | measure_delivery(people, q, sls(people, 0)) | {"items": 300}
    told = {key: finding.verdict for key, finding in proposition_findings(numbers).items()}
    assert told.pop("proposition-parameters") == "cannot be tested here" and set(told.values()) == {"equal"}


def test_the_proposition_fails_for_labels_of_other_items(crowd):
    """The method broken: SLS that draws from distributions of other items has another objective."""
    people, q = crowd
    broken = measure_delivery(people, q, shuffled(sls(people, 0), 0))
    assert broken["squared errors"] > 10
    numbers: dict[str, Any] = sides(people.probs, q) | broken | {"items": 300}
    told = proposition_findings(numbers)
    assert told["proposition-objective"].verdict == "differs"
    assert told["proposition-covariance"].verdict == "equal"  # it is about distributions, and they are the same


def gap(best: list[float], last: list[float]) -> Gap:
    runs = [{f"seed {seed}": value for seed, value in enumerate(of)} for of in (best, last)]
    return Gap("heads", runs[0], runs[1], ("heads-sweep",), ("soft labels", 0.46, 0.62))


def test_the_best_epoch_decides_and_the_last_stands_beside_it():
    told = direction([gap([0.01, 0.02, 0.01, 0.02, 0.015], [-0.1, -0.09, -0.11, -0.1, -0.08])], -1, test=True)
    assert told.verdict == "differs"
    assert "0 of 5 seeds, p = 1" in told.ours and "5 of 5 seeds, p = 0.0312" in told.ours
    assert "last epoch" in told.reason and "0.460 to 0.620" in told.reason


def test_wilcoxon_of_five_agreeing_seeds_has_the_least_p():
    assert p_of({str(seed): -1.0 - seed for seed in range(5)}, -1) == 1 / 32


def test_no_difference_needs_an_interval_within_the_spread_that_the_paper_prints():
    assert no_difference([gap([0.001, -0.001, 0.002], [0.1, 0.1, 0.1])], 0.02).verdict == "equal"
    told = no_difference([gap([0.05, 0.051, 0.052], [0.1, 0.1, 0.1])], 0.02)
    assert told.verdict == "differs" and "the margin is 0.02" in told.reason


@pytest.mark.parametrize(("sign", "verdict"), [(1, "equal"), (-1, "differs")])
def test_the_least_p_counts_only_where_shuffled_labels_are_worse(sign, verdict):
    """Five seeds that agree have the same two-sided p whichever way they go."""
    told = two_sided([gap([sign * value for value in (1.5, 1.6, 1.7, 1.8, 1.9)], [])])
    assert told.verdict == verdict and told.ours.startswith("0.0625")


def test_what_was_not_run_cannot_be_tested():
    assert direction([], -1).verdict == "cannot be tested here"


def probe_numbers(sign: float) -> Evidence:
    """Numbers of probes that are as the paper says (1), or the other way round (-1)."""
    seeds = [str(seed) for seed in range(3)]
    bends = {
        "soft": 10.0,
        "sls": 10 - 5 * sign,
        "multipass": 10 - 5.2 * sign,
        "deterministic_control": 10 - 4.8 * sign,
        "sls | shuffled": 10 - 8 * sign,
    }
    bends |= {f"{arm} at {k}": bends[arm] for arm in ("sls", "soft") for k in (5, 10, 25, 50)}
    keys = ("lambda_full", "trace_full", "lambda_high", "trace_high")
    ood = {
        "soft": 0.80,
        "sls": 0.8 + 0.01 * sign,
        "multipass": 0.8 + 0.01 * sign,
        "deterministic_control": 0.8 + 0.01 * sign,
    }
    detectors = ("energy", "odin", "entropy", "msp", "knn", "margin")
    part = {"spearman": 0.1 * sign, "bins": [0.0, 0.01 * sign]}
    numbers: dict[str, Any] = {
        "curvature": {
            arm: {s: {key: value + 0.01 * int(s) for key in keys} for s in seeds} for arm, value in bends.items()
        },
        "gradients": {"sls": {s: sign * (0.93 + 0.01 * int(s)) for s in seeds}},
        "ood": {
            arm: {s: {"CIFAR-100": dict.fromkeys(detectors, value + 0.001 * int(s))} for s in seeds}
            for arm, value in ood.items()
        },
        "way": {s: {"interpolated": sign * 2.0 + 0.01 * int(s), "renewed": sign} for s in seeds},
        "cka": {"soft": 0.8, "sls": 0.8 + 0.1 * sign},
        "grad_cam": {},
        "targets": {
            str(k): {
                m: {
                    s: {
                        "held out": dict.fromkeys(("js", "l1", "high"), part),
                        "learned": dict.fromkeys(("js", "l1", "high"), part),
                    }
                    for s in seeds
                }
                for m in ("sls", "multipass")
            }
            for k in (5, 10)
        },
    }
    return Evidence(
        Results({"heads-main": Path("none")}, {"heads-probes": {"best": numbers, "last": numbers}}), "quick"
    )


@pytest.mark.parametrize(("sign", "verdict"), [(1.0, "same direction"), (-1.0, "differs")])
def test_numbers_of_probes_are_judged_by_their_direction(sign, verdict):
    seen = probe_numbers(sign)
    told = curvature_findings(seen) | representation_findings(seen) | elsewhere_findings(seen) | target_findings(seen)
    untested = {key for key, finding in told.items() if finding.verdict == "cannot be tested here"}
    assert untested == {"table-7-five", "table-7-control", "figure-9-overall", "figure-9-high"}
    odd = {key: finding.verdict for key, finding in told.items() if key not in untested and finding.verdict != verdict}
    assert set(odd.values()) <= ({"equal"} if sign > 0 else set()), odd


def test_one_flatter_arm_is_enough_for_shuffled_labels_not_to_be_flattest():
    seen = probe_numbers(1.0)
    for seed in ("0", "1", "2"):
        seen.results.numbers["heads-probes"]["best"]["curvature"]["multipass"][seed]["trace_full"] = 0.5
    told = curvature_findings(seen)["table-4-shuffled"]
    assert told.verdict == "differs" and told.ours.endswith("in 7 of 8 comparisons")


def test_gaps_on_texts_are_paired_by_seed():
    runs = {"5 · sls · best": [1.0, 2.0], "5 · soft · best": [1.5, 1.0]}
    assert text_gaps({"chaosnli": {"runs": runs}}, "chaosnli", "5", "sls", "best") == {"seed 0": -0.5, "seed 1": 1.0}
