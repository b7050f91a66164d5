"""A small answered survey in a temporary folder, for examples in docstrings."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path
from typing import Any

from dissensus.elicit.session.arrivals import arrive_work
from dissensus.elicit.session.session import page_work, submit_work
from dissensus.elicit.survey.template import make_survey
from dissensus.elicit.survey_run import SurveyRun, open_survey

TEXTS = {"first": "It purrs.", "second": "It is furry."}
ANSWERS = {"first": ("cat", "cat"), "second": ("cat", "dog")}
TIMES = {"looked": 0, "touched": 900, "changes": [[900, "choice", ""]], "away": [], "submitted": 1000}


def example_folder(source: str = "open") -> Path:
    """Make the folder of a survey about two texts; it is deleted when Python exits."""
    folder = Path(tempfile.mkdtemp(prefix="dissensus-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "items").mkdir()
    for name, text in TEXTS.items():
        (folder / "items" / f"{name}.txt").write_text(text)
    make_survey(
        folder,
        title="Pets",
        kind="choose",
        classes=["cat", "dog"],
        items="items",
        source=source,
        per_person=2,
        per_item=2,
    )
    return folder


def example_run() -> SurveyRun:
    """Open the survey of `example_folder`, answered by two people who disagree about the second text."""
    run = open_survey(example_folder())
    with run.store.transaction() as connection:  # one commit instead of one per page
        for number in range(2):
            person = arrive_work(run, {})(connection)
            page = page_work(run, person)(connection)
            while page["stage"] != "done":
                sent = {"page": page["page"], "answer": _answer(page, number), "times": TIMES}
                page = submit_work(run, person, sent)(connection)["page"]
    return run


def _answer(page: dict[str, Any], person: int) -> dict[str, Any]:
    if page["stage"] == "consent":
        return {"agreed": True}
    if page["stage"] != "trial":
        return {}
    text = page["stimuli"][0]["parts"][0]["text"]
    return {"choice": next(ANSWERS[name][person] for name, shown in TEXTS.items() if shown == text)}
