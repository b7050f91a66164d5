"""Numbers of the models that were run, as the findings ask for them: by arm, K and the epoch kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.gheibi2026.published import MAIN as MAIN_TABLE
from dissensus.papers.gheibi2026.published import METRICS, NAMES
from dissensus.papers.gheibi2026.studies import MAIN, SIZES
from dissensus.papers.paper import Results, Scale
from dissensus.papers.reading import Runs, gaps, interval_of, runs_of
from dissensus.papers.verdicts import cannot_test, direction_finding, format_estimate, no_difference_finding
from dissensus.study.description import StudyFolder

Sign = Literal[-1, 1]
TITLES = {"heads": "heads on frozen features", "small": "small network", "resnet18": "ResNet-18"}
UNSAID = "the paper does not say which of the two its scores are of; the best decides here, as in its Hessian protocol"
ENOUGH = 3  # seeds from which a model decides a verdict; those with fewer stand beside it


@dataclass(frozen=True)
class Gap:
    """How far an arm is from another by seed, after the best epoch and after the last, where that was looked at.

    model  which model these are of
    parts  of the reproduction that they come from
    base   what they are differences from: its name, its mean after the best epoch and after the last
    """

    model: str
    best: Runs
    last: Runs
    parts: tuple[str, ...]
    base: tuple[str, float, float] | None = None

    @property
    def text(self) -> str:
        return TITLES[self.model]


class Evidence:
    """Scores of a reproduction's studies and numbers of its probes, nearest model first."""

    def __init__(self, results: Results, scale: Scale) -> None:
        self.results, self.scale = results, scale
        self._folders: dict[str, StudyFolder] = {}

    @property
    def models(self) -> list[str]:
        return [model for model in SIZES[self.scale] if self._parts(model)]

    def part(self, model: str, delivery: str, k: int | None) -> str | None:
        """The part that has the arm, or None."""
        place = "sweep" if k is not None else "main" if delivery in MAIN else "family"
        size = SIZES[self.scale][model]
        known = getattr(size, place)[0]
        name = f"{model}-{place}"
        there = delivery in known and (k is None or k in size.ks) and name in self.results.folders
        return name if there else None

    def scores(self, model: str, metric: str, delivery: str, k: int | None = None, keep: str = "best") -> Runs | None:
        """A score by seed; None where the model was not run so."""
        name = self.part(model, delivery, k)
        if name is None:
            return None
        drawn = "none" if k is None else f"resampled={k}"
        return runs_of(self._folder(name), metric, delivery=delivery, transforms=drawn, keep=keep)

    def gap(self, model: str, metric: str, arm: str, base: str, k: int | None = None) -> Gap | None:
        """The arm less the base, of the seeds that both have."""
        by: dict[str, Runs] = {}
        means = []
        for keep in ("best", "last"):
            one, other = (self.scores(model, metric, delivery, k, keep) for delivery in (arm, base))
            if one is None or other is None:
                return None
            mine, its = common_runs(one, other)
            by[keep] = gaps(mine, its)
            means.append(interval_of(its).value)
        parts = dict.fromkeys(part for name in (arm, base) if (part := self.part(model, name, k)))
        return Gap(model, by["best"], by["last"], tuple(parts), (NAMES.get(base, base), means[0], means[1]))

    def all_gaps(self, metric: str, arm: str, base: str, k: int | None = None) -> list[Gap]:
        """Of every model that was run with both, those that may decide first."""
        each = [gap for model in self.models if (gap := self.gap(model, metric, arm, base, k)) is not None]
        return sorted(each, key=lambda gap: len(gap.best) < ENOUGH)

    def curves(self, model: str, delivery: str) -> dict[str, list[float]]:
        """Soft NLL on the items judged on after each epoch, by seed."""
        name = self.part(model, delivery, None)
        if name is None:
            return {}
        records = [
            record
            for record in self._folder(name).records
            if record["arm"]["delivery"] == delivery and record["arm"]["keep"] == "last"
        ]
        return {f"seed {record['seed']}": record["training"]["validation soft NLL"] for record in records}

    def probe_numbers(self, model: str, keep: str = "best") -> Mapping[str, Any]:
        """What was read off the models; empty where nothing was."""
        return self.results.numbers.get(f"{model}-probes", {}).get(keep, {})

    def models_with_probes(self) -> list[str]:
        return [model for model in self.models if f"{model}-probes" in self.results.numbers]

    def _folder(self, name: str) -> StudyFolder:
        if name not in self._folders:
            self._folders[name] = self.results.study(name)
        return self._folders[name]

    def _parts(self, model: str) -> list[str]:
        return [name for name in self.results.folders if name.startswith(f"{model}-")]


def common_runs(one: Mapping[str, float], other: Mapping[str, float]) -> tuple[Runs, Runs]:
    """Both with the runs that both have."""
    both = [run for run in one if run in other]
    return {run: one[run] for run in both}, {run: other[run] for run in both}


def margin(metric: str) -> float:
    """What counts as no difference: the spread over seeds that the paper prints for soft labels."""
    return parse_printed(MAIN_TABLE["soft"][METRICS.index(metric)]).sd or 0.0


def mean_of_runs(runs: Mapping[str, float]) -> float:
    return float(np.mean(list(runs.values())))


def direction(
    found: Sequence[Gap], sign: Sign, *, digits: int = 4, test: bool = False, what: str = "hard delivery"
) -> Finding:
    """A difference below or above zero; the best epoch of the first model decides, all else stands beside it.

    test  whether Wilcoxon's one-sided p is told
    what  the arm that is ahead by the claim, for the reason where the epochs disagree
    """
    if not found:
        return cannot_test("no model of this scale was run with both arms; scale laptop or full has them")
    first = found[0]
    finding = direction_finding(
        interval_of(first.best), first.best, sign, over="seeds", parts=first.parts, digits=digits
    )
    return _with_all(finding, found, lambda runs: _format_direction(runs, sign, digits, test), _why(first, sign, what))


def no_difference(found: Sequence[Gap], margin: float, *, digits: int = 4) -> Finding:
    """A difference that is none, within a margin; the best epoch of the first model decides."""
    if not found:
        return cannot_test("no model of this scale was run with both arms; scale laptop or full has them")
    first = found[0]
    finding = no_difference_finding(
        interval_of(first.best), first.best, margin, over="seeds", parts=first.parts, digits=digits
    )
    reason = ""
    if finding.verdict == "differs":
        reason = f"the margin is {margin:g}, the spread over seeds that the paper prints"
        reason += f"; {_epochs(first, margin, digits)}"

    def format_runs(runs: Runs) -> str:
        return f"{format_estimate(interval_of(runs), digits, signed=True)} over {len(runs)} seeds"

    return _with_all(finding, found, format_runs, reason)


def decisive_cells(cells: Mapping[str, Gap]) -> dict[str, Gap]:
    """Of comparisons of several models, those of the one that decides: the first, as `all_gaps` orders them."""
    first = min(cells.values(), key=lambda gap: len(gap.best) < ENOUGH).model
    return {name: gap for name, gap in cells.items() if gap.model == first}


def parts_of(findings: Sequence[Gap]) -> tuple[str, ...]:
    """The parts behind several comparisons, each once."""
    return tuple(dict.fromkeys(part for gap in findings for part in gap.parts))


def _with_all(finding: Finding, found: Sequence[Gap], format_runs: Callable[[Runs], str], reason: str) -> Finding:
    texts = []
    for gap in found:
        text = f"{gap.text}: best epoch {format_runs(gap.best)}" + (
            f"; last epoch {format_runs(gap.last)}" if gap.last else ""
        )
        if gap.base is not None:
            text += f" ({gap.base[0]} {gap.base[1]:.4f} and {gap.base[2]:.4f})"
        texts.append(text)
    return replace(finding, ours=". ".join(texts), reason=reason, parts=parts_of(found))


def _format_direction(runs: Runs, sign: Sign, digits: int, test: bool) -> str:
    agreeing = sum(sign * value > 0 for value in runs.values())
    p = f", p = {p_of(runs, sign):.3g}" if test else ""
    return f"{format_estimate(interval_of(runs), digits, signed=True)}, same sign in {agreeing} of {len(runs)} seeds{p}"


def p_of(runs: Mapping[str, float], sign: Sign) -> float:
    """Wilcoxon's one-sided p that the runs lie on that side of zero."""
    values = list(runs.values())
    return float(wilcoxon(values, [0.0] * len(values), "greater" if sign > 0 else "less").p)


def _why(gap: Gap, sign: Sign, what: str) -> str:
    if not gap.last:
        return ""
    best, last = (sign * interval_of(runs).value > 0 for runs in (gap.best, gap.last))
    if best == last:
        return ""
    if not last:
        return f"here {what} is ahead after the best epoch and not after the last"
    said = f"here {what} is ahead after the last epoch and not after the best"
    if gap.base is not None and sign < 0:
        said += f": from one to the other {gap.base[0]} go from {gap.base[1]:.3f} to {gap.base[2]:.3f}"
    return f"{said}; {UNSAID}"


def _epochs(gap: Gap, margin: float, digits: int) -> str:
    if not gap.last:
        return "only the best epoch was looked at"
    last = interval_of(gap.last)
    within = "within" if abs(last.value) <= margin else "beyond"
    return f"after the last epoch the difference is {last.value:+.{digits}f}, {within} the margin"
