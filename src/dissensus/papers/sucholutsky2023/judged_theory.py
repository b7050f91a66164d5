"""Claims of section 3: formulas against counts, and what they tend to."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.sucholutsky2023.theory import REGIMES
from dissensus.papers.verdicts import exact_finding

PARTS = ("theory",)
ALIKE = 0.01  # exponents that differ by less are one
BOUND = 4.0  # standard errors that drawn flips may be off


def theory_findings(numbers: Mapping[str, Any]) -> dict[str, Finding]:
    """Of `theory.theory`."""
    counts, slopes = numbers["counts"], numbers["exponents"]
    even = [row for row in counts if row["balanced"]]
    uneven = [row for row in counts if not row["balanced"]]
    above = sum(row["hard"]["formula"] > row["hard"]["counted"] for row in uneven)
    return {
        "total-queries": _same([(row["total"]["formula"], row["total"]["counted"]) for row in counts]),
        "hard-constraints": _same(
            [(row["hard"]["formula"], row["hard"]["counted"]) for row in even],
            f"where classes cannot be even, the formula is above the count in {above} of {len(uneven)} sizes",
        ),
        "soft-constraints": _same([(row["soft"]["formula"], row["soft"]["counted"]) for row in counts]),
        "ratio-is-unanswered": _same(
            [(row["soft"]["ratio"], 1 - row["soft"]["unanswered"]) for row in counts]
            + [(row["hard"]["ratio"], 1 - row["hard"]["unanswered"]) for row in even]
        ),
        "noisy-constraints": _noise(numbers["noise"]),
        "limits-many-shot": _limit(
            abs(slopes["soft"]["many-shot"] - slopes["hard"]["many-shot"]) < ALIKE,
            f"as n^{slopes['soft']['many-shot']:.3f} for soft and n^{slopes['hard']['many-shot']:.3f} for hard labels",
        ),
        "limits-one-shot": _limit(
            abs(slopes["soft"]["one-shot"]) < ALIKE,
            f"as n^{slopes['soft']['one-shot']:.3f} for soft and n^{slopes['hard']['one-shot']:.3f} for hard labels; "
            f"that of soft labels is {numbers['ratios']['soft']['one-shot'][-1]:.3f} at n = k = 90",
        ),
        "limits-soft-ahead": _limit(
            all(slopes["soft"][regime] - slopes["hard"][regime] > ALIKE for regime in REGIMES[1:]),
            "soft over hard grows as "
            + " and ".join(
                f"size^{slopes['soft'][regime] - slopes['hard'][regime]:.2f} ({regime})" for regime in REGIMES[1:]
            ),
        ),
        **{
            f"phases-{kind}": exact_finding(
                parse_printed(count), _phases(slopes[kind]), parts=PARTS, reason=_exponents(slopes[kind])
            )
            for kind, count in (("soft", "3"), ("hard", "2"))
        },
    }


def _same(pairs: list[tuple[float, float]], reason: str = "") -> Finding:
    """Formula and count are the same number in every size."""
    hits = sum(abs(formula - counted) < 1e-9 * max(1.0, abs(counted)) for formula, counted in pairs)
    verdict: Verdict = "equal" if hits == len(pairs) else "differs"
    return Finding(
        ours=f"formula and count are the same in {hits} of {len(pairs)} sizes",
        verdict=verdict,
        reason=reason,
        parts=PARTS,
    )


def _noise(rows: list[dict[str, float]]) -> Finding:
    """Within what chance allows of a binomial draw."""
    off = {
        f"ε = {row['rate']:g}": (row["right"] - row["formula"])
        / (row["constraints"] * row["rate"] * (1 - row["rate"])) ** 0.5
        for row in rows
    }
    shares = ", ".join(f"{row['right'] / row['constraints']:.3f} at ε = {row['rate']:g}" for row in rows)
    verdict: Verdict = "equal" if max(map(abs, off.values())) < BOUND else "differs"
    return Finding(
        ours=f"share that stays right: {shares}",
        verdict=verdict,
        parts=PARTS,
        runs=off,
        reason="values by rate are standard errors from the formula",
    )


def _limit(holds: bool, ours: str) -> Finding:
    return Finding(ours=ours, verdict="same direction" if holds else "differs", parts=PARTS)


def _phases(slopes: Mapping[str, float]) -> int:
    """How often the exponent changes on the way from many items to many classes, and one."""
    return len(list(groupby(round(slopes[regime]) for regime in REGIMES)))


def _exponents(slopes: Mapping[str, float]) -> str:
    return "exponents: " + ", ".join(f"{slopes[regime]:.2f} {regime}" for regime in REGIMES)
