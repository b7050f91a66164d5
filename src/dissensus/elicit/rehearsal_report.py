"""A rehearsal from start to report: its own database, a real server, and how near the answers come to the truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.elicit.app import open_survey
from dissensus.elicit.export import answer_table, labels_of
from dissensus.elicit.media import media_address
from dissensus.elicit.questions import QUESTIONS
from dissensus.elicit.rehearse import rehearse, serving, simulated_truth
from dissensus.elicit.session import Running
from dissensus.elicit.status import status_of
from dissensus.labels.votes import Votes

REHEARSAL = "rehearsal.db"


def rehearsed(
    folder: Path, database: str | None, *, annotators: int, at_once: int, workers: int, seed: int,
    real_time: bool = False, tick: Callable[[], None] = lambda: None,
) -> dict[str, Any]:  # fmt: skip
    """Run it and say what came of it; `lost` and `twice` are acknowledged answers that are missing or doubled."""
    if database is None:
        for ending in ("", "-wal", "-shm"):
            (folder / f"{REHEARSAL}{ending}").unlink(missing_ok=True)
        database = f"sqlite:///{(folder / REHEARSAL).resolve()}"
    run = open_survey(folder, database)
    try:
        if answer_table(run).num_rows:
            raise ValueError("the database for the rehearsal holds answers already; give an empty one with --db")
        truth = _with_obvious(run, simulated_truth(run.survey, len(run.units.items), seed))
        with serving(folder, database, workers=workers) as address:
            done = rehearse(
                run.survey, known_by(run), truth, address, annotators, seed, at_once=at_once, tick=tick,
                real_time=real_time,
            )  # fmt: skip
        kept = answer_table(run).column("trial").to_pylist()
        stages = status_of(run)["stages"]
        told = {
            **done.as_json(), "lost": len(set(done.acknowledged) - set(kept)), "twice": len(kept) - len(set(kept)),
            "finished": stages.get("done", 0), "found_nothing_left": stages.get("full", 0),
            **_recovered(run, truth), "database": run.store.address,
        }  # fmt: skip
        if done.errors:
            told["first_error"] = done.errors[0]
        return told
    finally:
        run.store.close()


def known_by(run: Running) -> dict[str, int]:
    """The place of each item by what a person sees of it: the address of its picture, or its text."""
    places = {}
    for place, item in enumerate(run.units.items.values()):
        part = item.parts[0]
        places[part.content if part.kind == "text" else media_address(run.secret, item.name, 0)] = place
    return places


def _with_obvious(run: Running, truth: np.ndarray) -> np.ndarray:
    """The truth in which attention items are what everybody expects of them.  (items, k)"""
    truth, places = truth.copy(), {name: place for place, name in enumerate(run.units.items)}
    for name, expected in (run.survey.attention or {}).items():
        if expected in run.survey.question.classes:
            truth[places[name]] = np.eye(truth.shape[1])[run.survey.question.classes.index(expected)]
    return truth


def _recovered(run: Running, truth: np.ndarray) -> dict[str, float]:
    """Mean total variation between the truth and what the answers say, beside what sampling alone explains."""
    if QUESTIONS[run.survey.question.kind].gives not in ("vote", "belief"):
        return {}
    labels = labels_of(run)
    place = {name: i for i, name in enumerate(run.units.items)}
    rows = np.array([place[str(name)] for name in labels.items.tolist()])
    wanted = truth[rows]
    if isinstance(labels, Votes):
        found = labels.counts() / np.maximum(labels.per_item, 1)[:, None]
        spread = np.sqrt(2 / np.pi * wanted * (1 - wanted) / np.maximum(labels.per_item, 1)[:, None]).sum(axis=1) / 2
        expected = {"expected_from_sampling": float(spread.mean())}
    else:
        from dissensus.aggregate.building import build

        found, expected = build(labels)[1].probs, {}
    return {"distance_to_truth": float(np.abs(found - wanted).sum(axis=1).mean() / 2), **expected}
