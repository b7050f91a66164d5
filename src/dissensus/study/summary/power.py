"""The power of a study's tests at best, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from itertools import count

from dissensus.study.grid import Cell, matches
from dissensus.study.spec import Study
from dissensus.study.summary.arms import arms_of, baseline_of
from dissensus.study.summary.remarks import ALPHA
from dissensus.study.summary.units import units_of


def power_remark(study: Study, cells: Sequence[Cell]) -> str:
    """Why no test of a study can be significant, however large the differences, and what to change; "" if one can.

    Wilcoxon's smallest p for n pairs is 2^-n, two-sided 2^(1-n), and Holm multiplies it by the number of tests.
    """
    compare = study.comparing
    arms = arms_of([{"arm": cell.arm} for cell in cells])
    if compare is None:
        return ""
    others = [arm for arm in arms if not matches(arm.settings, compare.baseline)]
    compared = [arm for arm in others if baseline_of(arm, arms, compare.baseline)[0] is not None]
    units = units_of({"seeds": study.seeds, "split": asdict(study.split)}, single=compare.test == "corrected-t")
    n, kind = len(units.names), units.kind
    if compare.test != "wilcoxon":
        return f"a t-test needs two {kind}s or more; the study has 1" if n == 1 and compared else ""
    metrics = set(study.evaluation.metrics)
    shown = len(metrics - {"kl"} if "soft_nll" in metrics else metrics)  # these two are one test
    tests = len(compared) * (shown if compare.family == "all" else 1)
    sides = 2 if compare.side == "two-sided" else 1
    if not tests or sides * tests / 2**n < ALPHA:
        return ""
    enough = next(pairs for pairs in count(n) if sides * tests / 2**pairs < ALPHA)
    corrected = f", and Holm's correction for {tests} tests makes that {min(1, sides * tests / 2**n):.2g}"
    return (
        f"no test can reach p < {ALPHA:g}, however large the difference: with {units.format_count(n)}, Wilcoxon's "
        f"smallest p is {min(1, sides / 2**n):.2g}{corrected if tests > 1 else ''}; use {enough} {kind}s, or fewer "
        "tests"
    )
