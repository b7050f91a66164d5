"""The numbers of probes as tables, for the terminal and for the page alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from dissensus.probe.ood import DETECTORS
from dissensus.probe.parts import Attacked, Bending, Likeness, Maps, Outside, Spread, Way
from dissensus.probe.probed import Probed
from dissensus.probe.probing import Findings
from dissensus.report.tables import Column, Row, shown_number


@dataclass(frozen=True)
class NumberTable:
    """A table with its title, and what to know in order to read it."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row | Sequence[str]]
    note: str = ""


def attack_table(part: Attacked, probed: Probed) -> NumberTable:
    first = next(iter(part.by_method.values()))
    rows: list[Sequence[str]] = [("none", "0", *_scores(first.before.means()))]
    for method, result in part.by_method.items():
        rows += [(method, f"{epsilon:g}", *_scores(after.means())) for epsilon, after in result.after.items()]
    columns = [
        Column("attack"),
        *(
            Column(name, number=True)
            for name in ("epsilon", "accuracy", "cross-entropy to the majority", "cross-entropy to people")
        ),
    ]
    pgd = part.by_method["pgd"].options
    note = (
        f"Each attack raises the cross-entropy to the class most people chose; pgd takes {pgd['steps']} steps of "
        f"{pgd['step_size']:g} from a random start. Epsilon is how far a pixel may move, of 255. Accuracy: higher is "
        "better; cross-entropy, in nats: lower is better."
    )
    return NumberTable("Attacks", columns, rows, note)


def ood_table(part: Outside, probed: Probed) -> NumberTable:
    scores = ("AUROC", "95 %", "AUPR in", "AUPR out", "FPR95 in", "FPR95 out")
    columns = [Column("set"), Column("detector"), *(Column(name, number=True) for name in scores)]
    rows: list[Sequence[str]] = []
    for name, by_detector in part.detection.separations.items():
        for detector, value in by_detector.items():
            known = not math.isnan(value.auroc_low)
            interval = f"{value.auroc_low:.3f} to {value.auroc_high:.3f}" if known else "–"
            numbers = (value.aupr_in, value.aupr_out, value.fpr95_in, value.fpr95_out)
            rows.append(
                (
                    name,
                    DETECTORS[detector].title,
                    shown_number(value.auroc),
                    interval,
                    *(shown_number(number) for number in numbers),
                )
            )
    sizes = ", ".join(f"{len(table):,} of {name}" for name, table in probed.outside.items())
    note = (
        f"{len(probed.images):,} images inside, {sizes}. AUROC, with its 95 % interval over items, and AUPR: higher is "
        "better, 0.5 and the share of the set for guessing. FPR95 in: images outside that pass where 95 % of those "
        "inside do; FPR95 out: images inside that are flagged where 95 % of those outside are. Lower is better."
    )
    return NumberTable("Out of distribution", columns, rows, note)


def curvature_table(part: Bending, probed: Probed) -> NumberTable:
    columns = [
        Column("items"),
        Column("n", number=True),
        Column("largest eigenvalues", wraps=True),
        *(Column(name, number=True) for name in ("error", "trace", "standard error", "loss")),
    ]
    rows = []
    for name, values in part.eigenvalues.items():
        of_trace = part.traces[name]
        listed = ", ".join(f"{value:.4g}" for value in values.value)
        rows.append(
            (
                name,
                f"{values.items:,}",
                listed,
                f"{values.error.max():.2g}",
                f"{of_trace.value:.4g}",
                f"{of_trace.error:.2g}",
                shown_number(values.loss),
            )
        )
    note = (
        "Of the Hessian of the mean cross-entropy to people by all weights, batch norm frozen; larger is sharper. The "
        "error of the eigenvalues is the largest of theirs. Scales of weights that cancel, as before batch norm, "
        "change both numbers, so compare networks of one architecture that were trained alike."
    )
    return NumberTable("Curvature", columns, rows, note)


def barrier_table(part: Way, probed: Probed) -> NumberTable:
    columns = [
        Column("batch norm"),
        *(
            Column(name, number=True)
            for name in ("barrier", "at t", "above the mean", "loss at t = 0", "loss at t = 1")
        ),
    ]
    rows = [
        (
            name,
            shown_number(curve.barrier),
            f"{curve.highest:g}",
            shown_number(curve.above_mean),
            *(shown_number(end) for end in curve.ends),
        )
        for name, curve in part.curves.items()
    ]
    note = (
        f"On the straight way from {probed.names[0]} (t = 0) to {probed.names[1]} (t = 1). The barrier is how far the "
        "cross-entropy to people, in nats, rises above the straight line between its ends; below 0 there is none. "
        "Above the mean: the largest loss less the mean of both ends."
    )
    if part.barrier.batch_norms:
        note += (
            f" Statistics of {part.barrier.batch_norms} batch-norm layers were renewed on {part.renewed_on}; "
            "interpolated ones fit no network in between, and can make the way look worse than it is."
        )
    return NumberTable("Barrier", columns, rows, note)


def cka_table_of(part: Likeness, probed: Probed) -> NumberTable:
    columns = [Column("features of"), Column("linear CKA", number=True)]
    rows = [(" and ".join(probed.names), shown_number(part.cka))]
    note = (
        f"Of what the last linear layers are given, {part.columns[0]} and {part.columns[1]} numbers for each of "
        f"{part.items:,} items; unbiased: around 0 for unrelated features, 1 where one is the other rotated and scaled."
    )
    return NumberTable("Representation", columns, rows, note)


def saliency_table(part: Maps, probed: Probed) -> NumberTable:
    if part.stability is None:
        sizes = [(name, f"{len(maps):,}", f"{maps.shape[1]} x {maps.shape[2]}") for name, maps in part.maps.items()]
        note = (
            "Grad-CAM maps for what people said. Whether they are stable shows beside a network of another seed; a "
            "page has some of them with their images."
        )
        return NumberTable("Saliency", [Column("network"), Column("maps", number=True), Column("size")], sizes, note)
    columns = [Column("images"), *(Column(name, number=True) for name in ("correlation", "images", "without a value"))]
    rows = []
    for name, facts in list(part.stability.as_json().items())[1:]:
        mean = facts["mean"]
        rows.append(
            (name, "–" if mean is None else f"{mean:.3f}", f"{facts['images']:,}", f"{facts['without a value']:,}")
        )
    note = (
        "Mean correlation of the Grad-CAM maps of both networks for what people said, without ReLU: 1 where both look "
        "at the same parts of an image. An image whose map is the same everywhere has no correlation."
    )
    return NumberTable("Saliency", columns, rows, note)


def gradient_table(part: Spread, probed: Probed) -> NumberTable:
    facts = part.as_json()
    columns = [
        Column("items", number=True),
        Column("Spearman with entropy", number=True),
        Column("mean variance", number=True),
        Column("median", number=True),
    ]
    row = (
        f"{facts['items']:,}",
        shown_number(part.gradients.spearman),
        f"{facts['mean_variance']:.4g}",
        f"{facts['median_variance']:.4g}",
    )
    note = (
        "Variance of the last layer's gradient of an item when its label is drawn from what people said, exact; larger "
        "is noisier. It rises with their entropy by its formula, so a high correlation says little about the network."
    )
    return NumberTable("Gradients", columns, [row], note)


TABLES: dict[str, Callable[[Any, Probed], NumberTable]] = {
    "attacks": attack_table,
    "ood": ood_table,
    "curvature": curvature_table,
    "barrier": barrier_table,
    "cka": cka_table_of,
    "saliency": saliency_table,
    "gradients": gradient_table,
}


def tables_of(findings: Findings) -> list[NumberTable]:
    """The table of each part."""
    return [TABLES[name](part, findings.probed) for name, part in findings.parts.items()]


def _scores(means: dict[str, float]) -> tuple[str, ...]:
    return tuple(shown_number(means[name]) for name in ("accuracy", "cross_entropy_hard", "soft_nll"))
