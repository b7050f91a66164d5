"""Claims of section 7.4: table 1, models that learn from few images of each class."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from dissensus.papers.claims import Finding, parse_printed
from dissensus.papers.paper import Results
from dissensus.papers.reading import Runs, gaps, interval_of
from dissensus.papers.sucholutsky2023 import published
from dissensus.papers.sucholutsky2023.judged_labels import not_released
from dissensus.papers.sucholutsky2023.judged_models import SMALL
from dissensus.papers.sucholutsky2023.rows import by_chance, format_ranking, middle_finding
from dissensus.papers.sucholutsky2023.sets import NAMES
from dissensus.papers.sucholutsky2023.studies import PER_CLASS
from dissensus.papers.verdicts import direction_finding
from dissensus.study.summary.cell_table import cell_rows

HEADS = (
    "heads on frozen features start from what ImageNet taught and need few images, so that targets softer than "
    "people's may cost more than they gain"
)


def small_data_findings(results: Results, small: bool = True) -> dict[str, Finding]:
    """Networks where they were trained on few images, as in the paper; heads beside them, or alone."""
    found = {}
    for place, count in enumerate(PER_CLASS):
        heads = losses_by_kind(results, f"heads-{count}")
        networks = losses_by_kind(results, f"networks-{count}") if f"networks-{count}" in results.folders else None
        for kind in (kind for kind in published.FEW if kind != "hard"):
            key = f"table-1-{kind.replace(' ', '-')}-{count}"
            if kind not in heads:
                file = "typicality.npy" if kind == "T" else "dense.npy"
                found[key] = not_released(f"{'CIFAR-10T' if kind == 'T' else 'CIFAR-10DS'} was", file)
                continue
            theirs, hard = (parse_printed(published.FEW[name][place]).value for name in (kind, "hard"))
            found[key] = _against_hard(kind, count, heads, networks, 1 if theirs > hard else -1, small)
        found[f"small-data-u-{count}"] = _middle(count, heads, networks)
    return found


def losses_by_kind(results: Results, part: str) -> dict[str, Runs]:
    """Cross-entropy to CIFAR-10H by kind of label and run; of several learning rates, the best one of each run."""
    losses: dict[str, Runs] = {}
    for row in (row for row in cell_rows(results.study(part)) if row["status"] == "done"):
        run = f"{row['model']} · seed {row['seed']}"
        own = losses.setdefault(row["data"], {})
        own[run] = min(own.get(run, np.inf), row["soft_nll"])
    return losses


def _against_hard(
    kind: str, count: int, heads: dict[str, Runs], networks: dict[str, Runs] | None, sign: Literal[-1, 1], small: bool
) -> Finding:
    gap = gaps(heads[kind], heads["hard"])
    of_heads = direction_finding(interval_of(gap), gap, sign, over="seeds", digits=3, parts=(f"heads-{count}",))
    told = f"heads: {_means(heads, kind)}, {of_heads.ours}"
    because = f"; {HEADS}" if of_heads.verdict == "differs" and kind.startswith("LS") else ""
    if networks is None:
        reason = "networks from scratch are run at scale laptop; these are heads on frozen features"
        return replace(of_heads, ours=told, reason=reason + because)
    gap = gaps(networks[kind], networks["hard"])
    of_networks = direction_finding(
        interval_of(gap),
        gap,
        sign,
        over="architectures and seeds",
        digits=3,
        parts=(f"networks-{count}", f"heads-{count}"),
    )
    return replace(
        of_networks,
        ours=f"networks: {_means(networks, kind)}, {of_networks.ours}; {told}",
        reason=f"the verdict is that of {SMALL if small else 'networks as published'}{because}",
    )


def _middle(count: int, heads: dict[str, Runs], networks: dict[str, Runs] | None) -> Finding:
    """Whether neither the hardest nor the softest labels there are have the lowest cross-entropy."""
    losses, part = (heads, f"heads-{count}") if networks is None else (networks, f"networks-{count}")
    order = [kind for kind in published.FEW if kind in losses]  # table 1 goes from hard to soft
    beside = "" if networks is None else f"; heads: {format_ranking(heads)}"
    return middle_finding(
        losses,
        order,
        over="seeds" if networks is None else "architectures and seeds",
        parts=(part,),
        text=f"{'heads' if networks is None else 'networks'}: {format_ranking(losses)}; lowest in the middle",
        reason=f"{by_chance(order)}; {NAMES[order[-1]]} is the softest here{beside}",
    )


def _means(losses: dict[str, Runs], kind: str) -> str:
    own, hard = (float(np.mean(list(losses[name].values()))) for name in (kind, "hard"))
    return f"{own:.3f} against {hard:.3f}"
