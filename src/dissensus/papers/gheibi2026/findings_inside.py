"""What came out inside the models: the proposition, sparse targets, curvature, ways, features, items from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.papers.claims import Finding
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.evidence import ENOUGH, TITLES, Evidence, Gap, common_runs, decisive_cells, direction
from dissensus.papers.reading import Runs, gaps, interval_of
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding, format_estimate

ROUNDING = 1e-9  # what sums over ten classes in double precision may be apart
CHANCE = 4.0  # standard errors that the mean of squared errors of drawn labels may be off by
READINGS = {"held out": "images held out", "learned": "images learned from"}
DECIDES = "held out"  # all other scores of the paper are on these
REGIME = 0.5  # of the way from SLS to soft labels: an arm that is nearer to SLS than this is in its regime


def proposition_findings(numbers: Mapping[str, Any]) -> dict[str, Finding]:
    """Both sides of the equations, summed over all classes of every image, and labels as `sls` delivers them."""
    parts = ("proposition",)
    drawn = numbers["squared errors"]
    near = abs(drawn - 1) < CHANCE * np.sqrt(2 / numbers["disputed"])
    same = bool(max(numbers["loss"], numbers["gradient"]) < ROUNDING and near)
    over = f"over {numbers['items']:,} images"
    by_key = {
        "proposition-objective": Finding(
            ours=f"both sides differ by at most {max(numbers['loss'], numbers['gradient']):.1g} {over}; squared errors "
            f"of the mean loss of delivered labels are {drawn:.2f} of what chance makes them",
            verdict="equal" if same else "differs",
            parts=parts,
        ),
        "proposition-covariance": Finding(
            ours=f"both sides differ by at most {numbers['covariance']:.1g} {over}",
            verdict="equal" if numbers["covariance"] < ROUNDING else "differs",
            parts=parts,
        ),
    }
    by_key["proposition-parameters"] = cannot_test(
        "it follows from equation 6 by the chain rule; the Jacobian of a network is not formed here"
    )
    grows = numbers["extra and entropy"] > 0 and numbers["extra where all agree"] < ROUNDING
    by_key["proposition-square"] = Finding(
        ours=f"both sides differ by at most {numbers['square']:.1g} {over}; the growth is "
        f"{numbers['extra where all agree']:.1g} where all agree, and its rank correlation with entropy "
        f"{numbers['extra and entropy']:.3f}",
        verdict="equal" if grows and numbers["square"] < ROUNDING else "differs",
        parts=parts,
    )
    return by_key


def target_findings(evidence: Evidence) -> dict[str, Finding]:
    """Figures 2, 5 and 6: the gain of hard delivery against the error of the target."""
    models = evidence.models_with_probes()
    keys = ("figure-2-correlation", "figure-5", "figure-6", "figure-2-bins")
    if not models:
        return dict.fromkeys(keys, cannot_test("no model of this scale was looked at so"))
    by_key = {
        key: _correlation_finding(evidence, models, what) for key, what in zip(keys, ("js", "l1", "high"), strict=False)
    }
    grows: dict[str, bool] = {}
    texts = []
    for model in models:
        for keep in ("best", "last"):
            cells = {name: of["js"]["bins"] for name, of in _diagnosis_finding(evidence, model, keep, DECIDES).items()}
            if cells:
                low, high = (float(np.mean([bins[place] for bins in cells.values()])) for place in (0, -1))
                larger = {name: bool(bins[-1] > bins[0]) for name, bins in cells.items()}
                texts.append(
                    f"{TITLES[model]}, {keep} epoch: gain {low:+.4f} in the bin of least error, {high:+.4f} in that "
                    f"of the largest, larger there in {sum(larger.values())} of {len(larger)}"
                )
                grows = grows or larger
    said = f"{READINGS[DECIDES]}: {'; '.join(texts)}; the first decides"
    return by_key | {"figure-2-bins": count_finding(grows, over="runs", parts=_probes(evidence), text=said)}


def _diagnosis_finding(evidence: Evidence, model: str, keep: str, reading: str) -> dict[str, Any]:
    return {
        f"{model}, {method}, K = {k}, seed {seed}": of[reading]
        for k, by in evidence.probe_numbers(model, keep).get("targets", {}).items()
        for method, runs in by.items()
        for seed, of in runs.items()
    }


def _correlation_finding(evidence: Evidence, models: list[str], what: str) -> Finding:
    """Spearman's correlation in each run. The paper does not say which images; both readings are told."""
    first: Runs = {}
    texts = []
    for reading, where in READINGS.items():
        for model in models:
            for keep in ("best", "last"):
                each = {
                    name: of[what]["spearman"]
                    for name, of in _diagnosis_finding(evidence, model, keep, reading).items()
                }
                runs = {name: value for name, value in each.items() if value is not None}
                if runs:
                    above = f"above 0 in {sum(value > 0 for value in runs.values())} of {len(runs)} runs"
                    mean = float(np.mean(list(runs.values())))
                    texts.append(f"{where}, {TITLES[model]}, {keep} epoch: mean {mean:+.3f}, {above}")
                    first = first or runs
    finding = direction_finding(interval_of(first), first, 1, over="runs", parts=_probes(evidence), digits=3)
    reason = "the paper does not say whether its images were learned from or held out; the first of these decides"
    return replace(finding, ours="; ".join(texts), reason=reason)


def curvature_findings(evidence: Evidence) -> dict[str, Finding]:
    """Tables 4 and 6."""
    by_key = {
        f"table-4-{what}": direction(_bent(evidence, what, "sls", "soft"), -1, digits=2, what="SLS")
        for what in p.CURVATURE
    }
    for method in ("multipass", "deterministic_control"):
        by_key[f"table-4-{method}"] = _regime(evidence, method)
    by_key["table-4-shuffled"] = _flattest(evidence)
    for k in p.KS:
        by_key[f"table-6-{k}"] = _both_slices(evidence, k)
    return by_key


def _bends(evidence: Evidence, model: str, keep: str, what: str, arm: str) -> Runs:
    return {
        f"seed {seed}": values[what]
        for seed, values in evidence.probe_numbers(model, keep).get("curvature", {}).get(arm, {}).items()
    }


def _bent(evidence: Evidence, what: str, arm: str, base: str) -> list[Gap]:
    """Differences of curvature; none after the last epoch where only the best was probed."""
    found = []
    for model in evidence.models_with_probes():
        by = {
            keep: gaps(
                *common_runs(_bends(evidence, model, keep, what, arm), _bends(evidence, model, keep, what, base))
            )
            for keep in ("best", "last")
        }
        if by["best"]:
            found.append(Gap(model, by["best"], by["last"], (f"{model}-probes",)))
    return sorted(found, key=lambda gap: len(gap.best) < ENOUGH)


def _regime(evidence: Evidence, method: str) -> Finding:
    """Whether an arm is nearer to SLS than to soft labels, and flatter than these."""
    near, texts = {}, []
    for model in evidence.models_with_probes():
        means = [_bends(evidence, model, "best", "lambda_full", arm) for arm in (method, "sls", "soft")]
        both = set.intersection(*(set(runs) for runs in means))
        if both:
            texts.append(
                f"{TITLES[model]}: "
                + ", ".join(
                    f"{p.NAMES[arm]} {np.mean([runs[run] for run in both]):.2f}"
                    for arm, runs in zip((method, "sls", "soft"), means, strict=True)
                )
            )
            for run in sorted(both):
                mine, sls, soft = (runs[run] for runs in means)
                near[f"{model}, {run}"] = bool(mine < soft and abs(mine - sls) < REGIME * abs(soft - sls))
    if not near:
        return cannot_test("no model of this scale was looked at so")
    said = f"largest eigenvalue, best epoch: {'; '.join(texts)}; below soft labels and nearer to SLS"
    return count_finding(near, over="runs", parts=_probes(evidence), text=said)


def _flattest(evidence: Evidence) -> Finding:
    """Shuffled SLS against every other arm, by eigenvalue and trace of all items; one exception is enough."""
    cells = {
        f"{p.CURVATURE_NAMES[what]}, {p.NAMES[arm]}, {gap.text}": gap
        for what in ("lambda_full", "trace_full")
        for arm in ("soft", *p.HARD)
        for gap in _bent(evidence, what, p.SHUFFLED, arm)
    }
    if not cells:
        return cannot_test("no model of this scale was looked at so")
    flatter = {name: interval_of(gap.best).value < 0 for name, gap in decisive_cells(cells).items()}
    means = "; ".join(f"{name} {interval_of(gap.best).value:+.2f}" for name, gap in cells.items())
    finding = count_finding(
        flatter,
        over="comparisons",
        parts=_probes(evidence),
        text=f"best epoch, shuffled SLS less the others: {means}; flatter",
    )
    return finding if all(flatter.values()) else replace(finding, verdict="differs")


def _both_slices(evidence: Evidence, k: int) -> Finding:
    cells, texts = {}, []
    for what in ("lambda_full", "lambda_high"):
        for gap in _bent(evidence, what, f"sls at {k}", f"soft at {k}"):
            cells[f"{what}, {gap.text}"] = gap
            agreeing = f"below 0 in {sum(value < 0 for value in gap.best.values())} of {len(gap.best)} seeds"
            difference = format_estimate(interval_of(gap.best), 2, signed=True)
            part = "all" if what == "lambda_full" else "disputed"
            texts.append(f"{gap.text}, {part}: SLS less soft labels {difference}, {agreeing}")
    if not cells:
        return cannot_test(f"no model of this scale was probed with {k} votes")
    holds = {name: interval_of(gap.best).value < 0 for name, gap in decisive_cells(cells).items()}
    return count_finding(holds, over="comparisons", parts=_probes(evidence), text="; ".join(texts))


def representation_findings(evidence: Evidence) -> dict[str, Finding]:
    """Figures 7, 9, 11 and 12."""
    by_key = {"figure-7": _gradients(evidence), "figure-11": _ways(evidence)}
    for part in ("overall", "high"):
        by_key[f"figure-9-{part}"] = _alike(evidence, "grad_cam", part)
    by_key["figure-12"] = _alike(evidence, "cka", None)
    return by_key


def _gradients(evidence: Evidence) -> Finding:
    for model in evidence.models_with_probes():
        by = evidence.probe_numbers(model).get("gradients", {}).get("sls", {})
        if by:
            runs = {f"seed {seed}": float(value) for seed, value in by.items()}
            values = list(runs.values())
            finding = direction_finding(interval_of(runs), runs, 1, over="seeds", parts=(f"{model}-probes",), digits=3)
            ours = f"{TITLES[model]}: {finding.ours}; from {min(values):.3f} to {max(values):.3f}"
            return replace(
                finding,
                ours=ours,
                reason="1 - |p|^2 rises with entropy whatever the model: what is below 1 comes from the "
                "length of the features, and from items that both rank otherwise",
            )
    return cannot_test("no model of this scale was looked at so")


def _ways(evidence: Evidence) -> Finding:
    first, texts = None, []
    for model in evidence.models_with_probes():
        for keep in ("best", "last"):
            ways = evidence.probe_numbers(model, keep).get("way", {})
            if ways:
                runs = {f"seed {seed}": way["interpolated"] for seed, way in ways.items()}
                renewed = float(np.mean([way["renewed"] for way in ways.values()]))
                text = f"{TITLES[model]}, {keep} epoch: {format_estimate(interval_of(runs), 3, signed=True)}"
                texts.append(text + (f", {renewed:+.3f} with batch norm renewed" if model != "heads" else ""))
                if first is None:
                    first = direction_finding(
                        interval_of(runs), runs, 1, over="seeds", digits=3, parts=(f"{model}-probes",)
                    )
    if first is None:
        return cannot_test("no model of this scale was looked at so")
    reason = (
        ""
        if first.verdict != "differs"
        else ("below 0 the loss is lower on the way than on a straight line: both ends lie in one basin")
    )
    return replace(first, ours="; ".join(texts), reason=reason)


def _alike(evidence: Evidence, what: str, part: str | None) -> Finding:
    """Whether runs of SLS are more alike than runs of soft labels: one number for each model and epoch kept."""
    higher, texts, first = {}, [], None
    for model in evidence.models_with_probes():
        for keep in ("best", "last"):
            by = evidence.probe_numbers(model, keep).get(what, {})
            if "sls" in by and "soft" in by:
                sls, soft = (by[arm] if part is None else by[arm][part] for arm in ("sls", "soft"))
                name = f"{TITLES[model]}, {keep} epoch"
                texts.append(f"{name}: SLS {sls:.3f}, soft labels {soft:.3f}")
                higher[name] = sls > soft
                first = name if first is None else first
    if first is None:
        return cannot_test(
            "maps need a network on images, which scales laptop and full train"
            if what == "grad_cam"
            else "no model of this scale was looked at so"
        )
    finding = count_finding(higher, over="comparisons", parts=_probes(evidence), text="; ".join(texts))
    return replace(
        finding,
        verdict="same direction" if higher[first] else "differs",
        reason=f"{first} decides; one number each, without an interval",
    )


def elsewhere_findings(evidence: Evidence) -> dict[str, Finding]:
    """Tables 7, 8 and 9."""
    missing = (
        "there is no SVHN among the data here; what ImageNet images of other classes give stands in the figure "
        "of tables 7 to 9"
    )
    by_key = {"table-7-five": cannot_test(missing), "table-7-control": cannot_test(missing)}
    for detector in p.NEAR:
        by_key[f"table-8-{detector}"] = direction(_detection_gaps(evidence, detector, "sls"), 1, what="SLS")
    for method in ("multipass", "deterministic_control"):
        cells = {
            f"{p.DETECTORS[detector]}, {gap.text}": gap
            for detector in p.NEAR_FAMILY
            for gap in _detection_gaps(evidence, detector, method)
        }
        if not cells:
            by_key[f"table-9-{method}"] = cannot_test("no model of this scale was looked at so")
            continue
        means = ", ".join(f"{name} {interval_of(gap.best).value:+.4f}" for name, gap in cells.items())
        by_key[f"table-9-{method}"] = count_finding(
            {name: interval_of(gap.best).value > 0 for name, gap in decisive_cells(cells).items()},
            over="comparisons",
            parts=_probes(evidence),
            text=f"best epoch, less soft labels: {means}; higher",
        )
    return by_key


def auroc(evidence: Evidence, model: str, keep: str, arm: str, outside: str, detector: str) -> Runs:
    """By seed; empty where nothing was measured."""
    by = evidence.probe_numbers(model, keep).get("ood", {}).get(arm, {})
    return {f"seed {seed}": sets[outside][detector] for seed, sets in by.items()}


def _detection_gaps(evidence: Evidence, detector: str, arm: str) -> list[Gap]:
    found = []
    for model in evidence.models_with_probes():
        by = {
            keep: gaps(
                *common_runs(*(auroc(evidence, model, keep, name, "CIFAR-100", detector) for name in (arm, "soft")))
            )
            for keep in ("best", "last")
        }
        if by["best"]:
            found.append(Gap(model, by["best"], by["last"], (f"{model}-probes",)))
    return sorted(found, key=lambda gap: len(gap.best) < ENOUGH)


def _probes(evidence: Evidence) -> tuple[str, ...]:
    return tuple(f"{model}-probes" for model in evidence.models_with_probes())
