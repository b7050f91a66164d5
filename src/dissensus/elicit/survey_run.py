"""An open survey: its settings, items, database and secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import sqlalchemy as sa

from dissensus.elicit.database.store import Store
from dissensus.elicit.identity import completion_code, survey_secret
from dissensus.elicit.media import media_files
from dissensus.elicit.survey.ends import OUTCOME_OF, Exit, make_exit
from dissensus.elicit.survey.extra_trials import unit_key
from dissensus.elicit.survey.item_batches import check_batches
from dissensus.elicit.survey.items import Units, read_units
from dissensus.elicit.survey.settings import Survey, read_survey


class RequestError(ValueError):
    """A request that the survey refuses; `status` is the HTTP status of the reply."""

    def __init__(self, reason: str, status: int = 422) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class SurveyRun:
    """An open survey; use it in a `with` block, or close it.

    names  the items of each unit in the database
    media  the file of each picture and sound by the key of its address
    """

    survey: Survey
    units: Units
    store: Store
    secret: bytes
    names: Mapping[int, tuple[str, ...]]
    media: Mapping[str, str]

    @cached_property
    def unit_of(self) -> Mapping[tuple[str, ...], int]:
        """The unit of some items, by their `unit_key`."""
        return {unit_key(names, self.survey.kind.in_place): unit for unit, names in self.names.items()}

    def close(self) -> None:
        """Close the database."""
        self.store.close()

    def __enter__(self) -> SurveyRun:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def open_survey(folder: Path | str, database: str | None = None) -> SurveyRun:
    """Open a survey to read its answers or to decide about people.

    Parameters
    ----------
    folder : the folder of the survey
    database : postgresql://… or sqlite:///FILE; by default answers.db in the folder, created if it does not exist

    Returns
    -------
    the open survey; use it in a `with` block, or call its `close`

    Examples
    --------
    >>> from dissensus.elicit.rehearsal.example import example_folder
    >>> with open_survey(example_folder()) as run:
    ...     survey_status(run)["answers"]
    0
    """
    survey = read_survey(folder)
    units = read_units(survey)
    check_batches(survey, units)
    store = Store(survey.folder, database)
    try:
        store.prepare(survey, units)
        secret = survey_secret(survey.folder)
        return SurveyRun(survey, units, store, secret, store.unit_names(), media_files(secret, units))
    except sa.exc.DBAPIError as error:
        store.close()
        raise ValueError(f"cannot use the database {store.address}: {error.orig}") from None
    except BaseException:
        store.close()
        raise


def exit_of(run: SurveyRun, person_id: str, stage: str) -> Exit:
    """Return the code and the link of a person who has left the survey."""
    outcome, survey = OUTCOME_OF[stage], run.survey
    return make_exit(survey.people.source, outcome, survey.ends[outcome], completion_code(run.secret, person_id))


def code_of(run: SurveyRun, person_id: str, stage: str) -> str:
    """Return the completion code that a person saw, or "" if none."""
    return exit_of(run, person_id, stage).code if stage in OUTCOME_OF else ""
