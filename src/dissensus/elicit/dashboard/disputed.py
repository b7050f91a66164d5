"""What people said about each item, and which items they dispute most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.elicit.dashboard.watch import Watch, read_now
from dissensus.elicit.media import media_address
from dissensus.elicit.survey_run import SurveyRun
from dissensus.labels.distances import normalised_entropy


@dataclass(frozen=True)
class Items:
    """What people said about each item that two or more answered, the most disputed first; none without labels.

    unit     (n,) the item's unit; answers  (n,) how many count for it
    probs    (n, k) the share of each class; leads  (n,) the class with the largest
    differ   (n,) chance that two answers about the item differ, 1 - sum p^2, from 0 to 1 - 1/k
    entropy  (n,) normalised by log k, from 0 to 1
    """

    unit: np.ndarray
    answers: np.ndarray
    probs: np.ndarray
    leads: np.ndarray
    differ: np.ndarray
    entropy: np.ndarray


def summarise_items(watch: Watch) -> Items:
    """What has been said so far about each item."""
    total = watch.mass.sum(axis=1)
    main = watch.units["id"][watch.units["main"].astype(bool)].astype(np.int64)
    main = main[main < len(total)]
    # Two people at least: one has nobody to differ from.
    unit = main[(total[main] > 1e-9) & (watch.counted[main] >= 2)] if watch.question.pools else main[:0]
    probs = watch.mass[unit] / total[unit, None]  # (n, k)
    differ, entropy = 1 - (probs**2).sum(axis=1), normalised_entropy(probs)
    order = np.lexsort((-entropy, -np.round(differ, 9)))
    leads = probs.argmax(axis=1) if probs.size else unit
    return Items(*(column[order] for column in (unit, watch.counted[unit], probs, leads, differ, entropy)))


def item_row(run: SurveyRun, items: Items, i: int) -> dict[str, Any]:
    """One of the items with its largest four classes and its picture."""
    name, probs = run.names[int(items.unit[i])][0], items.probs[i]
    order = np.argsort(-probs, kind="stable")[:4]
    return {
        "item": name,
        "answers": int(items.answers[i]),
        "differ": float(items.differ[i]),
        "entropy": float(items.entropy[i]),
        "picture": _picture(run, name),
        "shares": [[run.survey.question.classes[j], float(probs[j])] for j in order if probs[j] > 0.005],
    }


def disputed_items(run: SurveyRun, count: int = 12, items: Items | None = None) -> list[dict[str, Any]]:
    """The items that people disagree on most."""
    items = summarise_items(read_now(run)) if items is None else items
    return [item_row(run, items, i) for i in range(min(count, len(items.unit)))]


def _picture(run: SurveyRun, name: str) -> str | None:
    """Where the page finds the item's picture, if it has one."""
    parts = run.units.items[name].parts if name in run.units.items else ()
    return next((media_address(run.secret, name, i) for i, part in enumerate(parts) if part.medium == "image"), None)
