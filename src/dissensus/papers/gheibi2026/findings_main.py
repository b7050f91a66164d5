"""What came out with all votes: scores, hard deliveries beside each other, how training went."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.evidence import (
    TITLES,
    Evidence,
    Gap,
    Sign,
    decisive_cells,
    direction,
    margin,
    mean_of_runs,
    no_difference,
    parts_of,
)
from dissensus.papers.reading import gaps, interval_of
from dissensus.papers.verdicts import (
    cannot_test,
    count_finding,
    direction_finding,
    exact_finding,
    no_difference_finding,
)

SHARE = 0.95  # of the best soft NLL that counts as near, figure 8
CHANCE = 0.1  # accuracy of a guess among ten classes
NEAR_CHANCE = 0.05  # beyond it that still counts as near: twice the 0.02 that the paper's 12% is off, and a little more
RUINED = 0.5  # of soft NLL; the paper prints 1.79 more, and half a nat is more than any other two deliveries differ by
RATIO = 2.0  # of a smooth ECE or a reliability up to which two count as about the same where the paper prints no spread


def main_findings(evidence: Evidence) -> dict[str, Finding]:
    """Tables 2 and 5, figures 3 and 10."""
    by_key = {
        f"table-2-{metric}": no_difference(evidence.all_gaps(metric, "sls", "soft"), margin(metric))
        for metric in p.METRICS
    }
    for metric in ("soft_nll", "ece_equal_mass", "entropy_spearman", "kl", "brier"):
        sign: Sign = 1 if metric == "entropy_spearman" else -1
        by_key[f"table-2-others-{metric}"] = _beats(evidence, metric, sign)
    by_key["table-2-mixup-accuracy"] = _most_accurate(evidence)
    by_key["table-2-mixup-calibration"] = _mixup(evidence)
    by_key["table-5-mixup"] = direction(evidence.all_gaps("brier", p.MIXUP, "soft"), -1, what="mixup")
    by_key["figure-3-match"] = _ratio(evidence, "smooth_ece")
    by_key["figure-3-majority"] = direction(evidence.all_gaps("smooth_ece", "majority", "soft"), 1, what="soft labels")
    by_key["figure-10-reliability"] = _ratio(evidence, "brier_reliability")
    by_key["figure-10-resolution"] = direction(evidence.all_gaps("brier_resolution", "sls", "soft"), 1, what="SLS")
    return by_key


def _beats(evidence: Evidence, metric: str, sign: Sign) -> Finding:
    """SLS and soft labels against majority vote and label smoothing, in every model that has them."""
    pairs = [(arm, other) for arm in ("sls", "soft") for other in ("majority", p.SMOOTHING)]
    cells = {
        f"{p.NAMES[arm]} and {p.NAMES[other]}, {gap.text}": gap
        for arm, other in pairs
        for gap in evidence.all_gaps(metric, arm, other)
    }
    if not cells:
        return cannot_test("no model was run with majority vote or label smoothing")
    best = {name: sign * mean_of_runs(gap.best) > 0 for name, gap in cells.items()}
    last = sum(sign * mean_of_runs(gap.last) > 0 for gap in cells.values())
    means = ", ".join(f"{name} {mean_of_runs(gap.best):+.4f}" for name, gap in cells.items())
    finding = count_finding(best, over="comparisons", parts=parts_of(list(cells.values())), text=f"best epoch: {means}")
    return replace(finding, ours=f"{finding.ours}; after the last epoch in {last}")


def _most_accurate(evidence: Evidence) -> Finding:
    """Mixup against each of the others, in the model that decides; beside each, the gap."""
    cells = {
        f"{p.NAMES[other]}, {gap.text}": gap
        for other in p.MAIN
        if other != p.MIXUP
        for gap in evidence.all_gaps("accuracy", p.MIXUP, other)
    }
    if not cells:
        return cannot_test("no model was run with mixup")
    means = ", ".join(f"{name} {mean_of_runs(gap.best):+.4f}" for name, gap in cells.items())
    ahead = {name: mean_of_runs(gap.best) > 0 for name, gap in decisive_cells(cells).items()}
    last = sum(mean_of_runs(gap.last) > 0 for gap in cells.values())
    finding = count_finding(
        ahead, over="comparisons", parts=parts_of(list(cells.values())), text=f"accuracy of mixup less that of {means}"
    )
    finding = replace(finding, ours=f"{finding.ours}; after the last epoch in {last}")
    return finding if all(ahead.values()) else replace(finding, verdict="differs")


def _mixup(evidence: Evidence) -> Finding:
    """ECE above and correlation of entropies below those of soft labels."""
    signs = {"ece_equal_mass": 1, "entropy_spearman": -1}
    cells = {
        f"{p.METRIC_NAMES[metric]}, {gap.text}": (sign, gap)
        for metric, sign in signs.items()
        for gap in evidence.all_gaps(metric, p.MIXUP, "soft")
    }
    if not cells:
        return cannot_test("no model was run with mixup")
    holds = {name: sign * mean_of_runs(gap.best) > 0 for name, (sign, gap) in cells.items()}
    means = ", ".join(f"{name} {mean_of_runs(gap.best):+.4f}" for name, (_, gap) in cells.items())
    finding = count_finding(
        holds,
        over="comparisons",
        parts=parts_of([gap for _, gap in cells.values()]),
        text=f"mixup less soft labels: {means}",
    )
    return finding if all(holds.values()) else replace(finding, verdict="differs")


def _ratio(evidence: Evidence, metric: str) -> Finding:
    """Whether SLS and soft labels are about the same where the paper prints no spread: neither twice the other."""
    same, means = {}, []
    found = evidence.all_gaps(metric, "sls", "soft")
    for gap in found:
        for keep in ("best", "last"):
            one, other = (
                mean_of_runs(evidence.scores(gap.model, metric, arm, keep=keep) or {}) for arm in ("sls", "soft")
            )
            means.append(f"{gap.text}, {keep} epoch: SLS {one:.4f}, soft labels {other:.4f}")
            if keep == "best":
                same[gap.text] = max(one, other) <= RATIO * min(one, other)
    if not same:
        return cannot_test("no model was run with SLS and soft labels")
    return count_finding(
        same, over="models", parts=parts_of(found), text=f"{'; '.join(means)}; neither is twice the other"
    )


def family_findings(evidence: Evidence) -> dict[str, Finding]:
    """Table 3."""
    by_key: dict[str, Finding] = {}
    for method in ("multipass", "deterministic_control"):
        by_key[f"table-3-{method}-sls"] = no_difference(
            evidence.all_gaps("soft_nll", method, "sls"), margin("soft_nll")
        )
        by_key[f"table-3-{method}-soft"] = no_difference(
            evidence.all_gaps("soft_nll", method, "soft"), margin("soft_nll")
        )
        by_key[f"table-3-{method}-others"] = _others(evidence, method)
    shuffled = evidence.all_gaps("soft_nll", p.SHUFFLED, "sls")
    by_key["table-3-shuffled-nll"] = _collapse_finding(direction(shuffled, 1, what="SLS"))
    by_key["table-3-shuffled-accuracy"] = _chance(evidence)
    by_key["table-3-shuffled-entropy"] = _shuffled_finding(evidence)
    by_key["table-3-least-p"] = two_sided(shuffled)
    return by_key


def _collapse_finding(finding: Finding) -> Finding:
    """A soft NLL that is only a little higher is not ruined."""
    if finding.value is None or finding.value.value >= RUINED:
        return finding
    reason = f"less than {RUINED:g} more is no ruin; in the paper it is 1.79"
    return replace(finding, verdict="differs", reason=reason)


def _others(evidence: Evidence, method: str) -> Finding:
    metrics = ("accuracy", "ece_equal_mass", "entropy_spearman")
    cells = {
        f"{p.METRIC_NAMES[metric]}, {gap.text}": (margin(metric), gap)
        for metric in metrics
        for gap in evidence.all_gaps(metric, method, "sls")
    }
    if not cells:
        return cannot_test(f"no model was run with {p.NAMES[method]} and SLS")
    same = {name: abs(mean_of_runs(gap.best)) <= wide for name, (wide, gap) in cells.items()}
    means = ", ".join(f"{name} {mean_of_runs(gap.best):+.4f}" for name, (_, gap) in cells.items())
    return count_finding(
        same,
        over="comparisons",
        parts=parts_of([gap for _, gap in cells.values()]),
        text=f"{means}; within the paper's spread over seeds",
    )


def _chance(evidence: Evidence) -> Finding:
    near: dict[str, bool] = {}
    texts, parts = [], []
    for model in evidence.models:
        runs = evidence.scores(model, "accuracy", p.SHUFFLED)
        part = evidence.part(model, p.SHUFFLED, None)
        if runs is not None and part is not None:
            near |= {f"{model}, {seed}": abs(value - CHANCE) <= NEAR_CHANCE for seed, value in runs.items()}
            texts.append(f"{TITLES[model]}: {interval_of(runs)}")
            parts.append(part)
    if not near:
        return cannot_test("no model was run with shuffled SLS")
    return count_finding(
        near, over="runs", parts=tuple(parts), text=f"accuracy {'; '.join(texts)}; within {NEAR_CHANCE:g} of a tenth"
    )


def _shuffled_finding(evidence: Evidence) -> Finding:
    """Whether the correlation of entropies is 0 within the spread over seeds that the paper prints for it."""
    wide = parse_printed(p.FAMILY[p.SHUFFLED][3]).sd or 0.0
    texts, first, parts = [], None, []
    for model in evidence.models:
        runs = evidence.scores(model, "entropy_spearman", p.SHUFFLED)
        part = evidence.part(model, p.SHUFFLED, None)
        if runs is not None and part is not None:
            own = no_difference_finding(interval_of(runs), runs, wide, over="seeds", parts=(part,))
            texts.append(f"{TITLES[model]}: {own.ours}")
            parts.append(part)
            first = own if first is None else first
    if first is None:
        return cannot_test("no model was run with shuffled SLS")
    reason = (
        f"the margin is {wide:g}, the spread over seeds that the paper prints" if first.verdict == "differs" else ""
    )
    return replace(first, ours=". ".join(texts), parts=tuple(parts), reason=reason)


def two_sided(found: Iterable[Gap]) -> Finding:
    """Shuffled SLS less SLS by the test of the paper: the least p, and all seeds the same way."""
    enough = [gap for gap in found if len(gap.best) == p.FEW_SEEDS]
    if not enough:
        return cannot_test(f"no model was run with shuffled SLS in {p.FEW_SEEDS} seeds")
    values = list(enough[0].best.values())
    finding = exact_finding(
        parse_printed(p.TWO_SIDED_P), float(wilcoxon(values, [0.0] * len(values)).p), parts=enough[0].parts
    )
    worse = sum(value > 0 for value in values)
    finding = replace(
        finding, ours=f"{finding.ours}; soft NLL of shuffled SLS is higher in {worse} of {len(values)} seeds"
    )
    return finding if worse == len(values) else replace(finding, verdict="differs")


def dynamics_findings(evidence: Evidence) -> dict[str, Finding]:
    """Figure 8: which is sooner."""
    by_key: dict[str, Finding] = {}
    for key, when in (("near", _near_epoch), ("best", _best_epoch)):
        texts, first = [], None
        for model in evidence.models:
            curves = [evidence.curves(model, delivery) for delivery in ("sls", "soft")]
            if all(curves):
                sls, soft = ({seed: float(when(curve)) for seed, curve in of.items()} for of in curves)
                ahead = gaps(sls, soft)
                epochs = len(next(iter(curves[0].values())))
                texts.append(
                    f"{TITLES[model]}: SLS after {mean_of_runs(sls):.1f} of {epochs} epochs, "
                    f"soft labels {mean_of_runs(soft):.1f}"
                )
                if first is None:
                    part = evidence.part(model, "sls", None)
                    first = direction_finding(
                        interval_of(ahead), ahead, -1, over="seeds", parts=(str(part),), digits=1, unit=" epochs"
                    )
        if first is None:
            by_key[f"figure-8-{key}"] = cannot_test("no model was run with SLS and soft labels")
        else:
            by_key[f"figure-8-{key}"] = replace(first, ours=f"{'; '.join(texts)}; SLS less soft labels {first.ours}")
    return by_key


def _near_epoch(curve: list[float]) -> int:
    """The first epoch with a soft NLL of at most best / 0.95."""
    return int(np.argmax(np.array(curve) <= min(curve) / SHARE)) + 1


def _best_epoch(curve: list[float]) -> int:
    return int(np.argmin(curve)) + 1
