"""The answers to each item, and the items on which people disagree most."""

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
    """The answers to every item that two or more people answered, most disputed first; empty if answers are not pooled.

    unit     (n,) the unit of the item; answers  (n,) number of answers
    probs    (n, k) the share of each class; leads  (n,) the class with the largest share
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
    """Summarise the answers so far by item."""
    total = watch.mass.sum(axis=1)
    main = watch.units["id"][watch.units["main"].astype(bool)].astype(np.int64)
    main = main[main < len(total)]
    # Disagreement needs at least two people.
    unit = main[(total[main] > 1e-9) & (watch.counted[main] >= 2)] if watch.question.pools else main[:0]
    probs = watch.mass[unit] / total[unit, None]  # (n, k)
    differ, entropy = 1 - (probs**2).sum(axis=1), normalised_entropy(probs)
    order = np.lexsort((-entropy, -np.round(differ, 9)))
    leads = probs.argmax(axis=1) if probs.size else unit
    return Items(*(column[order] for column in (unit, watch.counted[unit], probs, leads, differ, entropy)))


def item_row(run: SurveyRun, items: Items, i: int) -> dict[str, Any]:
    """Return an item with its four largest classes and its picture."""
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
    """List the items on which people disagree most.

    Parameters
    ----------
    run : an open survey, from `open_survey`
    count : maximum number of items
    items : the items with their answers, to reuse them; by default they are read from the database

    Returns
    -------
    one dict per item: item, answers, differ (the probability that two answers differ), entropy (0 to 1), picture (its
    address on the server, or None) and shares, a list of [class, share]

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_run
    >>> with example_run() as run:
    ...     [(row["item"], row["differ"]) for row in disputed_items(run)]
    [('second', 0.5), ('first', 0.0)]
    """
    items = summarise_items(read_now(run)) if items is None else items
    return [item_row(run, items, i) for i in range(min(count, len(items.unit)))]


def _picture(run: SurveyRun, name: str) -> str | None:
    """The address of the item's picture, if it has one."""
    parts = run.units.items[name].parts if name in run.units.items else ()
    return next((media_address(run.secret, name, i) for i, part in enumerate(parts) if part.medium == "image"), None)
