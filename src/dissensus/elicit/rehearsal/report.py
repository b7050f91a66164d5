"""A rehearsal from start to report: its own database, a real server, and how near the answers come to the truth."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.export import answer_table, labels_of
from dissensus.elicit.media import media_address
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth, stimulus_key
from dissensus.elicit.rehearsal.turned_away import count_turned_away
from dissensus.elicit.server import background_server
from dissensus.elicit.survey_run import SurveyRun, open_survey
from dissensus.labels.completion import COMPLETIONS, usual_completion
from dissensus.labels.names import positions_of
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
    """Send simulated people through the survey of a folder, on a real server, and say what came of it.

    database    an empty one; without it a file of its own beside survey.toml, made anew
    annotators  how many people, `at_once` of them at the same time
    seed        of the truth and of the people
    workers     server processes
    real_time   whether each takes about two seconds per answer, instead of answering at once
    leave       the probability with which somebody leaves for good, at any of their items alike
    tick        called after each answer

    -> times, errors, `lost` and `twice` (acknowledged answers that are missing or doubled), who finished, who was let
    go while they could have answered something, answers that are missing, answers beyond those that are wanted
    (`surplus`), and how far the answers are from the truth
    """
    if not 0 <= leave <= 1:
        raise ValueError(f"leave is {leave}; expected a probability, 0 to 1")
    folder = Path(folder)
    if database is None:
        for ending in ("", "-wal", "-shm"):
            (folder / f"{REHEARSAL}{ending}").unlink(missing_ok=True)
        database = f"sqlite:///{(folder / REHEARSAL).resolve()}"
    run = open_survey(folder, database)
    try:
        if answer_table(run).num_rows:
            raise ValueError("the database for the rehearsal holds answers already; give an empty one with --db")
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
        kept = answer_table(run).column("trial").to_pylist()
        status = survey_status(run)
        stages = status["stages"]
        facts = {
            **done.as_json(),
            "lost": len(set(done.acknowledged) - set(kept)),
            "twice": len(kept) - len(set(kept)),
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
    """The place of each item by what a person sees of it: the addresses of its pictures and sounds, and its texts."""
    return {
        stimulus_key(
            [
                part.content if part.medium == "text" else media_address(run.secret, item.name, i)
                for i, part in enumerate(item.parts)
            ]
        ): place
        for place, item in enumerate(run.units.items.values())
    }


def _distance_to_truth(run: SurveyRun, truth: np.ndarray) -> dict[str, float]:
    """Mean total variation between the truth and what the answers say, beside what sampling alone explains."""
    if not run.survey.kind.pools:
        return {}
    labels = labels_of(run)
    held = truth[positions_of(labels.items, list(run.units.items))]  # (n, k)
    expected = {}
    if isinstance(labels, Votes):
        spread = np.sqrt(2 / np.pi * held * (1 - held) / labels.per_item[:, None]).sum(axis=1) / 2
        expected = {"expected_from_sampling": float(spread.mean())}
    else:
        labels = COMPLETIONS[usual_completion(labels)](labels)
    said = as_distributions(labels).probs
    return {"distance_to_truth": float(np.abs(said - held).sum(axis=1).mean() / 2), **expected}
