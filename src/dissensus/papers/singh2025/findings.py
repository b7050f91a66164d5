"""Every claim of the paper against the numbers of a run: labels and settings here, scores and curves next door."""

from __future__ import annotations

import math

from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.paper import Results, Scale
from dissensus.papers.singh2025 import published
from dissensus.papers.singh2025.comparisons import comparisons
from dissensus.papers.singh2025.dynamics import dynamics
from dissensus.papers.singh2025.runs import SetRun, set_runs, with_size
from dissensus.papers.singh2025.work import grid_of
from dissensus.papers.verdicts import cannot_test, exact_finding

NEAR = 0.01  # nats of validation loss
POLITENESS = "only the offensiveness ratings are here; the paper takes politeness"


def findings(results: Results, scale: Scale) -> dict[str, Finding]:
    """A finding for each of `published.CLAIMS`."""
    runs = set_runs(results, scale)
    trained = comparisons(runs) | dynamics(runs)
    judged = {key: with_size(finding, scale) for key, finding in trained.items()}
    for run in runs.values():
        judged |= _labels(run)
        for targets in ("soft", "hard"):
            judged[f"table-2-{run.name}-{targets}"] = _choice_finding(run, targets)
    judged["section-5-general"] = cannot_test(
        "the paper tests no transfer, and with frozen features no representation is learned"
    )
    return judged


def _labels(run: SetRun) -> dict[str, Finding]:
    """Table 1 and figure 3, from all items whatever the scale."""
    own, key = run.numbers, f"table-1-{run.name}"
    classes, items, _, spread = published.LABELS[run.name]
    mean, _, sd = spread.partition(" ± ")
    size = f"{own['items']:,} items, {len(own['classes'])} classes, {own['votes']:.1f} answers each"
    same = (own["items"], len(own["classes"])) == (items, classes)
    sizes = Finding(ours=size, verdict="equal" if same else "differs", reason=_one_more(run), parts=(run.part,))
    means, spreads = (
        exact_finding(parse_printed(text), own[name], parts=(run.part,), reason=_cut_off(text, own[name]))
        for text, name in ((mean, "entropy"), (sd, "entropy_sd"))
    )
    by_key = {key: sizes, f"{key}-entropy": means, f"figure-3-{run.name}": spreads}
    if run.name != "popquorn":
        return by_key
    return {
        name: Finding(ours=finding.ours, verdict="cannot be tested here", reason=POLITENESS, parts=finding.parts)
        for name, finding in by_key.items()
    }


def _one_more(run: SetRun) -> str:
    if run.name == "cifar10h-hard" and run.numbers["items"] == 1 + published.LABELS[run.name][1]:
        return (
            "one image more: the one with the largest entropy is alone in the last bin, and bins without their upper "
            "end would leave it out"
        )
    return ""


def _cut_off(text: str, ours: float) -> str:
    """Said where the digits agree and the rounding does not."""
    digits = len(text.partition(".")[2])
    if f"{ours:.{digits}f}" != text and math.floor(ours * 10**digits) / 10**digits == float(text):
        return f"{ours:.4f}, which is the printed number where digits are cut off instead of rounded"
    return ""


def _choice_finding(run: SetRun, targets: str) -> Finding:
    names = ("learning_rate", "batch", "epochs", "weight_decay", "scheduler")
    ours = tuple(run.numbers["fixed"]["chosen"][targets][name] for name in names)
    theirs = published.CHOSEN[run.name][targets]
    text = published.setting_text(ours)
    grid = [tuple(getattr(config, name) for name in names) for config in grid_of(run.scale)]
    if theirs not in grid:
        return Finding(
            ours=text,
            verdict="cannot be tested here",
            parts=(run.part,),
            reason=f"the setting that the paper chose is not among the {len(grid)} that {run.scale} tries",
        )
    losses = run.numbers["fixed"]["grid_losses"][targets]
    here, best = losses[grid.index(theirs)], min(losses)
    place = 1 + sum(loss < here for loss in losses)
    text += f"; the paper's is number {place} of {len(grid)} here, with {here - best:.4f} nats more than the best"
    near = sum(loss <= best + NEAR for loss in losses)
    reason = f"{run.reason}; {near} of {len(grid)} settings are within {NEAR:g} nats of the best"
    if run.name == "popquorn":  # settings that suit other labels of other items say nothing about those of the paper
        return Finding(ours=text, verdict="cannot be tested here", parts=(run.part,), reason=reason)
    return Finding(
        ours=text,
        verdict="equal" if ours == theirs else "differs",
        parts=(run.part,),
        reason="" if ours == theirs else reason,
    )
