"""Claims of appendices A, C and E: a pilot, how sure models are, what labels recover, and labels over fewer classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np
from scipy.stats import rankdata, spearmanr

from dissensus.papers.claims import Finding
from dissensus.papers.reading import Runs, gaps, interval_of
from dissensus.papers.sucholutsky2023.judged_labels import not_released
from dissensus.papers.sucholutsky2023.judged_models import HEADS, OF_IMAGENET, Models, because, decisive_models
from dissensus.papers.sucholutsky2023.rows import (
    Row,
    by_run,
    format_ranking,
    lowest_kind,
    mean_of,
    on_all_labels,
    on_shift,
)
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.studies import KEPT
from dissensus.papers.sucholutsky2023.transfer import FAR, NEAR
from dissensus.papers.verdicts import cannot_test, count_finding, direction_finding, no_difference_finding

ADDS = 0.02  # cross-entropy: what table 3 moves on near images from two to three classes
NONE = 1e-9
LEVEL = 0.05 + NONE  # of the rank correlation over kinds of label


def further_findings(numbers: Mapping[str, Mapping[str, Any]], small: bool = True) -> dict[str, Finding]:
    """Of heads on all kinds of label and on sparser ones, and of the pilot."""
    models = decisive_models(numbers, small)
    return {
        "figure-7": _entropies(models),
        "figure-8": cannot_test("people's judgments of similarity were not released"),
        "figure-10": _information(models, numbers["informed"]),
        **_table_3_findings(numbers["transfer-kept"]["rows"]),
        "guidance-pilot": _guidance(numbers["guidance"]),
    }


def _entropies(models: Models) -> Finding:
    """How far the entropies of predictions are from those of the labels that were learned from."""
    rows = models.rows
    off = by_run(rows, lambda row: float(row["distance of entropies"]))
    predicted, given = (by_run(rows, _value(key)) for key in ("entropy", "entropy of its labels"))
    model, labels = ({kind: mean_of(runs) for kind, runs in values.items()} for values in (predicted, given))
    nearest = {run: best in ("S+hard", "S+dense") for run, best in lowest_kind(off).items()}
    said = "; ".join(f"{NAMES[kind]}: labels {labels[kind]:.2f}, model {model[kind]:.2f} nats" for kind in off)
    finding = count_finding(
        nearest,
        over=models.over,
        parts=models.parts,
        reason=models.reason,
        text=f"{said}; distributions of entropies are apart by {format_ranking(off, 2)}",
    )
    softest = max(labels, key=labels.__getitem__)
    if finding.verdict == "differs" and min(model.values()) > max(labels[kind] for kind in labels if kind != softest):
        less = (
            f"all of these models are less sure than any labels but {NAMES[softest]}, so that softer labels are nearer"
        )
        return replace(finding, reason=because(models.reason, less))
    return finding


def _value(key: str) -> Any:
    return lambda row: float(row[key])


def _information(models: Models, informed: Mapping[str, Any]) -> Finding:
    """Rank correlation over kinds of label of what they recover and the cross-entropy of models."""
    rho = {kind: float(np.mean([run["rho"] for run in starts.values()])) for kind, starts in informed["kinds"].items()}
    loss = by_run(models.rows, on_all_labels)
    r: Runs = {
        run: float(spearmanr([rho[kind] for kind in loss], [loss[kind][run] for kind in loss])[0])
        for run in loss["hard"]
    }
    finding = direction_finding(
        interval_of(r),
        r,
        -1,
        over=models.over,
        digits=2,
        parts=(*models.parts, "informed"),
        reason=because(models.reason, f"similarity by {informed['judged by']}"),
    )
    said = f"rank correlation of recovery with cross-entropy over {len(loss)} kinds of label {finding.ours}"
    kinds = list(loss)
    chance = _chance_of([rho[kind] for kind in kinds], [mean_of(loss[kind]) for kind in kinds])
    said += f"; it is as low in {chance:.0%} of all ways to deal the losses to kinds"
    if finding.verdict == "same direction" and chance > LEVEL:
        few = f"not significant with so few kinds of label, of which further seeds add none; {finding.reason}"
        return replace(finding, ours=said, verdict="cannot be tested here", reason=few)
    return replace(finding, ours=said)


def _chance_of(rho: Sequence[float], loss: Sequence[float]) -> float:
    """The share of all orders of the losses whose rank correlation with recovery is as low as theirs, or lower."""
    ranks, others = rankdata(rho), rankdata(loss)
    products = np.array([ranks @ np.array(order) for order in permutations(others)])
    return float((products <= ranks @ others + NONE).mean())


def _table_3_findings(rows: Sequence[Row]) -> dict[str, Finding]:
    """Table 3: labels with numbers for 2, 3, 4 and all classes."""
    source = rows[0]["kind"]
    of = {kept: [row for row in rows if row["transforms"] == f"sparsest={kept}"] for kept in KEPT}
    losses = {name: {kept: by_run(own, on_shift(name))[source] for kept, own in of.items()} for name in (NEAR, FAR)}
    added = {name: _gain_of_more_numbers(by, ("3", "4")) for name, by in losses.items()}
    said = {
        name: ", ".join(f"{mean_of(runs):.4f} with {kept}" for kept, runs in by.items()) for name, by in losses.items()
    }
    other = "" if source == "DS" else "votes of CIFAR-10H stand for CIFAR-10DS, and few images have many classes; "
    common: dict[str, Any] = {
        "over": "numbers of classes and seeds",
        "parts": ("heads-kept", "transfer-kept"),
        "reason": f"{other}{HEADS}",
    }
    none = no_difference_finding(interval_of(added[NEAR]), added[NEAR], ADDS, **common)
    if source != "DS" and none.verdict == "equal":
        none = replace(none, verdict="same direction")  # other labels than the paper's
    helps = direction_finding(
        interval_of(added[FAR]), added[FAR], -1, **common | {"reason": f"{common['reason']}; {OF_IMAGENET}"}
    )
    whole = not_released("CIFAR-10DS was", "dense.npy")
    if source == "DS":
        worse = {
            f"{name} · {run}": value
            for name, by in losses.items()
            for run, value in _gain_of_more_numbers(by, ("10",)).items()
        }
        whole = direction_finding(interval_of(worse), worse, 1, **common)
    return {
        "table-3-near": replace(none, ours=f"three or four classes less two {none.ours} ({said[NEAR]})"),
        "table-3-far": replace(helps, ours=f"three or four classes less two {helps.ours} ({said[FAR]})"),
        "table-3-all": whole,
    }


def _gain_of_more_numbers(losses: Mapping[str, Runs], more: Sequence[str]) -> Runs:
    """What numbers for more than two classes change, by how many and run."""
    return {f"{kept} · {run}": value for kept in more for run, value in gaps(losses[kept], losses["2"]).items()}


def _guidance(numbers: Mapping[str, Any]) -> Finding:
    """How much loss a choice costs beyond the best one, before and after a pilot."""
    worlds = numbers["worlds"]
    saved: Runs = {str(place): world["before"] - world["after"] for place, world in enumerate(worlds)}
    mean = interval_of(saved)
    changed = {name: value for name, value in saved.items() if abs(value) > NONE}  # the others were picked before, too
    helped, harmed = (sum(sign * value > 0 for value in changed.values()) for sign in (1, -1))
    before, after = (sum(world[when] < NONE for world in worlds) / len(worlds) for when in ("before", "after"))
    chance = ", not significantly different from zero" if mean.low < 0 < mean.high else ""
    tried = "; ".join(
        f"{option['kind']} {option['seconds'][0]:.1f} s, {100 * option['wrong'][0]:.0f}% of its comparisons wrong, "
        f"loss {option['loss'][0]:+.2f}"
        for option in numbers["real"]["options"]
    )
    return replace(
        direction_finding(mean, changed, 1, over="simulated data sets", parts=("guidance",)),
        runs=changed,
        ours=f"loss saved by a pilot {mean.value:.4f} [{mean.low:.4f}, {mean.high:.4f}]{chance}; of {len(worlds)} "
        f"simulated data sets, it led to a better choice in {helped} and to a worse one in {harmed}, and the best kind "
        f"was picked in {before:.0%} before and {after:.0%} after it",
        reason=f"a pilot on {numbers['real']['images']} real images ranks: {tried}; the seconds of a vote are the "
        "median that Collins 2022 prints",
    )
