"""Rehearsals: simulated people with known answers on a real server, with its own database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.database import schema
from dissensus.elicit.export import labels_of
from dissensus.elicit.media import media_address
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth, stimulus_key
from dissensus.elicit.rehearsal.turned_away import count_turned_away
from dissensus.elicit.server import background_server
from dissensus.elicit.survey_run import SurveyRun, open_survey
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.names import positions_of
from dissensus.labels.refusals import Refusal, Way
from dissensus.labels.shares import as_distributions
from dissensus.labels.votes import Votes

REHEARSAL = "rehearsal.db"


def rehearse(
    folder: Path | str,
    database: str | None = None,
    *,
    annotators: int,
    seed: int,
    at_once: int = 50,
    workers: int = 1,
    real_time: bool = False,
    leave: float = 0.0,
    tick: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Run simulated people with known answers through a survey, on a real server.

    Parameters
    ----------
    folder : the folder of the survey
    database : address of an empty database; by default a new file next to survey.toml
    annotators : number of simulated people
    seed : random seed for the true answers and the people
    at_once : number of people who answer at the same time
    workers : number of server processes
    real_time : take about two seconds per answer instead of answering at once
    leave : probability that a person leaves for good, at a random item
    tick : called after each answer

    Returns
    -------
    counts of people, answers and errors; times in seconds and ms; `lost` and `twice`, the acknowledged answers that are
    missing or stored twice; people who finished, waited, left or were turned away early; missing and surplus answers;
    `distance_to_truth`, the mean total variation distance, and for votes the distance expected from sampling alone

    Examples
    --------
    A real rehearsal starts a server, so it takes a few seconds: `rehearse("digits", annotators=50, seed=0)["lost"]`.

    >>> rehearse("digits", annotators=50, seed=0, leave=2)
    Traceback (most recent call last):
        ...
    ValueError: leave is 2; expected a probability from 0 to 1
    """
    if not 0 <= leave <= 1:
        raise ValueError(f"leave is {leave}; expected a probability from 0 to 1")
    folder = Path(folder)
    if database is None:
        for ending in ("", "-wal", "-shm"):
            (folder / f"{REHEARSAL}{ending}").unlink(missing_ok=True)
        database = f"sqlite:///{(folder / REHEARSAL).resolve()}"
    run = open_survey(folder, database)
    try:
        if _stored_trials(run):
            raise Refusal(
                "the database for the rehearsal has answers already",
                ways=[Way("name an empty one with {database}", database=...)],
            )
        truth = simulate_truth(run.survey, len(run.units.items), seed)
        with background_server(folder, database, workers=workers) as address:
            done = send_people(
                run.survey,
                items_by_stimulus(run),
                truth,
                address,
                annotators,
                seed,
                items=list(run.units.items),
                at_once=at_once,
                tick=tick,
                real_time=real_time,
                leave=leave,
            )
        stored = _stored_trials(run)
        status = survey_status(run)
        stages = status["stages"]
        facts = {
            **done.as_json(),
            "lost": len(set(done.acknowledged) - set(stored)),
            "twice": len(stored) - len(set(stored)),
            "finished": stages.get("done", 0),
            "found_nothing_left": stages.get("full", 0),
            "turned_away_early": count_turned_away(run),
            "missing": status["wanted"] - status["answers"] + status["surplus"],
            "surplus": status["surplus"],
            "surplus_share": status["surplus"] / max(status["wanted"], 1),
            **_distance_to_truth(run, truth),
            "database": run.store.address,
        }
        if done.errors:
            facts["first_error"] = done.errors[0]
        return facts
    finally:
        run.store.close()


def items_by_stimulus(run: SurveyRun) -> dict[str, int]:
    """Return the place of each item by what a person sees of it: its texts and the addresses of its media."""
    return {
        stimulus_key(
            [
                part.content if part.medium == "text" else media_address(run.secret, item.name, i)
                for i, part in enumerate(item.parts)
            ]
        ): place
        for place, item in enumerate(run.units.items.values())
    }


def _stored_trials(run: SurveyRun) -> list[str]:
    """The trial of every stored answer."""
    with run.store.reader() as connection:
        return list(connection.scalars(sa.select(schema.answers.c.trial)))


def _distance_to_truth(run: SurveyRun, truth: np.ndarray) -> dict[str, float]:
    """Mean total variation distance to the truth, and for votes the distance expected from sampling."""
    if not run.survey.kind.pools:
        return {}
    labels = labels_of(run)
    true = truth[positions_of(labels.items, list(run.units.items))]  # (n, k)
    expected = {}
    if isinstance(labels, Votes):
        spread = np.sqrt(2 / np.pi * true * (1 - true) / labels.per_item[:, None]).sum(axis=1) / 2
        expected = {"expected_from_sampling": float(spread.mean())}
    else:
        labels = COMPLETIONS[usual_completion(labels)](labels)
    estimated = as_distributions(labels).probs
    return {"distance_to_truth": float(np.abs(estimated - true).sum(axis=1).mean() / 2), **expected}
