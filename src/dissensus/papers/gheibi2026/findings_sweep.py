"""What came out with few votes, and with labels that are held for several epochs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dissensus.evaluate.signed_rank import wilcoxon
from dissensus.evaluate.significance import adjust_p_values
from dissensus.papers.claims import Finding, Verdict, parse_printed
from dissensus.papers.gheibi2026 import published as p
from dissensus.papers.gheibi2026.evidence import (
    TITLES,
    UNSAID,
    Evidence,
    Gap,
    direction,
    margin,
    mean_of_runs,
    p_of,
    parts_of,
)
from dissensus.papers.gheibi2026.studies import HELD_FOR
from dissensus.papers.reading import Runs, interval_of
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding, exact_finding


def sweep_findings(evidence: Evidence) -> dict[str, Finding]:
    """Table 1 and figure 1."""
    by_key: dict[str, Finding] = {}
    cells: dict[tuple[str, int], list[Gap]] = {}
    for method in p.HARD:
        for k in p.KS:
            cells[method, k] = evidence.all_gaps("soft_nll", method, "soft", k)
            by_key[f"table-1-{method}-{k}"] = direction(cells[method, k], -1, test=True)
    whole = _whole_sweep(cells)
    by_key["table-1-all"] = _count(whole, "soft NLL is lower on average", lambda runs: mean_of_runs(runs) < 0)
    by_key["table-1-agreeing"] = _count(whole, "all seeds agree", lambda runs: all(gap < 0 for gap in runs.values()))
    by_key["table-1-least-p"] = _least_p(whole)
    by_key["table-1-strongest"] = _strongest(whole)
    by_key["figure-1-accuracy"] = _close_accuracy(evidence)
    by_key["figure-1-entropy"] = _entropies(evidence)
    return by_key


def _whole_sweep(cells: dict[tuple[str, int], list[Gap]]) -> dict[str, Gap]:
    """The cells of the model that was run with every K, by name."""
    models = [{gap.model for gap in each} for each in cells.values()]
    for model in dict.fromkeys(gap.model for each in cells.values() for gap in each):
        if all(model in there for there in models):
            return {
                f"{method}, K = {k}": next(gap for gap in each if gap.model == model)
                for (method, k), each in cells.items()
            }
    return {}


def _count(whole: dict[str, Gap], said: str, holds: object) -> Finding:
    if not whole:
        return cannot_test("no model was run with every K")
    best = {name: bool(holds(gap.best)) for name, gap in whole.items()}  # type: ignore[operator]
    last = {name: bool(holds(gap.last)) for name, gap in whole.items()}  # type: ignore[operator]
    finding = count_finding(best, over="cells", parts=parts_of(list(whole.values())), text=f"{said}, best epoch")
    model = next(iter(whole.values())).text
    reason = ""
    if finding.verdict == "differs" and 2 * sum(last.values()) > len(last):
        reason = f"after the last epoch it is so in most cells; {UNSAID}"
    return replace(
        finding, ours=f"{model}: {finding.ours}; last epoch: in {sum(last.values())} of {len(last)}", reason=reason
    )


def _least_p(whole: dict[str, Gap]) -> Finding:
    """The closed form, and the tests of this run."""
    least = float(wilcoxon(np.arange(1.0, p.FEW_SEEDS + 1), np.zeros(p.FEW_SEEDS), "greater").minimum_p)
    finding = exact_finding(parse_printed(p.LEAST_P), least, parts=parts_of(list(whole.values())))
    if not whole:
        return finding
    corrected = adjust_p_values(np.array([p_of(gap.last, -1) for gap in whole.values()]))
    survive = int((np.asarray(corrected) < 0.05).sum())
    verdict: Verdict = "differs" if survive else finding.verdict
    return replace(
        finding,
        verdict=verdict,
        ours=f"{finding.ours}; after Holm's correction {survive} of {len(whole)} cells have "
        "p < 0.05, even after the last epoch",
    )


def _strongest(whole: dict[str, Gap]) -> Finding:
    if not whole:
        return cannot_test("no model was run with every K")
    texts, runs = [], {}
    for keep in ("best", "last"):
        few, many = (
            [getattr(gap, keep) for name, gap in whole.items() if int(name.rpartition(" ")[2]) in ks]
            for ks in ((5, 10), (25, 50))
        )
        seeds = list(few[0])
        runs[keep] = {seed: _mean_of(many, seed) - _mean_of(few, seed) for seed in seeds}
        texts.append(f"{keep} epoch: gain {-_of(few):+.4f} at 5 and 10 votes, {-_of(many):+.4f} at 25 and 50")
    finding = direction_finding(
        interval_of(runs["best"]), runs["best"], 1, over="seeds", parts=parts_of(list(whole.values()))
    )
    larger = {keep: sum(gap > 0 for gap in of.values()) for keep, of in runs.items()}
    ours = (
        f"{next(iter(whole.values())).text}: {'; '.join(texts)} (below 0 hard delivery loses); larger at 5 and 10 in "
        f"{larger['best']} of {len(runs['best'])} seeds after the best epoch, in {larger['last']} after the last"
    )
    return replace(finding, ours=ours)


def _mean_of(each: list[Runs], seed: str) -> float:
    return float(np.mean([runs[seed] for runs in each]))


def _of(each: list[Runs]) -> float:
    return float(np.mean([mean_of_runs(runs) for runs in each]))


def _close_accuracy(evidence: Evidence) -> Finding:
    wide = margin("accuracy")
    cells = {
        f"{p.NAMES[method]}, K = {k}, {gap.text}": gap
        for method in p.HARD
        for k in p.KS
        for gap in evidence.all_gaps("accuracy", method, "soft", k)
    }
    if not cells:
        return cannot_test("no model was run with few votes")
    close = {name: abs(mean_of_runs(gap.best)) <= wide for name, gap in cells.items()}
    largest = max((mean_of_runs(gap.best) for gap in cells.values()), key=abs)
    return count_finding(
        close,
        over="cells",
        parts=parts_of(list(cells.values())),
        text=f"accuracy differs by at most {wide:g}, the paper's spread over seeds (largest difference {largest:+.4f})",
    )


def _entropies(evidence: Evidence) -> Finding:
    cells = {
        f"{p.NAMES[method]}, K = {k}, {gap.text}": gap
        for method in p.HARD
        for k in (25, 50)
        for gap in evidence.all_gaps("entropy_spearman", method, "soft", k)
    }
    if not cells:
        return cannot_test("no model was run with 25 or 50 votes")
    higher = {name: mean_of_runs(gap.best) > 0 for name, gap in cells.items()}
    last = sum(mean_of_runs(gap.last) > 0 for gap in cells.values())
    return count_finding(
        higher,
        over="cells",
        parts=parts_of(list(cells.values())),
        text=f"higher on average ({last} of {len(cells)} after the last epoch)",
    )


def stale_findings(evidence: Evidence) -> dict[str, Finding]:
    """Figure 4: labels held for several epochs."""
    by_key = {
        f"figure-4-{every}": direction(
            evidence.all_gaps("soft_nll", f"sls | stale={every}", "sls"), 1, what="drawing in every epoch"
        )
        for every in HELD_FOR
    }
    return by_key | {"figure-4-order": _order(evidence)}


def _order(evidence: Evidence) -> Finding:
    """Whether soft NLL never falls as labels are held longer, and is higher at the end than at the start.

    Labels held for 10 epochs and for 50 are the same where the best epoch is among the first ten.
    """
    ways = ["sls", *(f"sls | stale={every}" for every in HELD_FOR)]
    for model in evidence.models:
        found = {
            keep: [evidence.scores(model, "soft_nll", way, keep=keep) for way in ways] for keep in ("best", "last")
        }
        runs = {keep: [of for of in each if of is not None] for keep, each in found.items()}
        if len(runs["best"]) < len(ways):
            continue
        both = set.intersection(*(set(of) for of in runs["best"]))
        means = {keep: [float(np.mean([of[run] for run in both])) for of in each] for keep, each in runs.items()}
        holds = {keep: bool((np.diff(each) >= 0).all() and each[-1] > each[0]) for keep, each in means.items()}
        texts = [
            f"{keep} epoch {', '.join(f'{mean:.4f}' for mean in each)}, {'' if holds[keep] else 'not '}in order"
            for keep, each in means.items()
        ]
        return Finding(
            ours=f"{TITLES[model]}: {'; '.join(texts)} (1, 5, 10 and 50 epochs, {len(both)} seeds)",
            verdict="same direction" if holds["best"] else "differs",
            parts=tuple(dict.fromkeys(part for way in ways if (part := evidence.part(model, way, None)))),
        )
    return cannot_test("no model was run with all holding times")
