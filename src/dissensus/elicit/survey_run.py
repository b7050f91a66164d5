"""A survey that is open: its settings, its items, its database and its key, which every request needs."""

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


class RequestError(ValueError):  # it is an answer to a client, not a fault of ours
    """What a client sent cannot be taken; `status` is the HTTP status that says why."""

    def __init__(self, reason: str, status: int = 422) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class SurveyRun:
    """An open survey with everything that a request needs.

    names  the items of each unit of the database
    media  the file of each picture and sound, by the key under which it is asked for
    """

    survey: Survey
    units: Units
    store: Store
    secret: bytes
    names: Mapping[int, tuple[str, ...]]
    media: Mapping[str, str]

    @cached_property
    def unit_of(self) -> Mapping[tuple[str, ...], int]:
        """The unit that asks about some items, by their `unit_key`."""
        return {unit_key(names, self.survey.kind.in_place): unit for unit, names in self.names.items()}

    def close(self) -> None:
        """Close its database."""
        self.store.close()

    def __enter__(self) -> SurveyRun:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


def open_survey(folder: Path | str, database: str | None = None) -> SurveyRun:
    """A survey, open: its settings, its items, its database and its key; close it, or use it in a `with` block.

    database  postgresql://…, or sqlite:///FILE; without it answers.db in the folder
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
        raise ValueError(f"the database {store.address} cannot be used: {error.orig}") from None
    except BaseException:
        store.close()
        raise


def exit_of(run: SurveyRun, person_id: str, stage: str) -> Exit:
    """The code and the link of a person who is at one of the ends of the survey."""
    outcome, survey = OUTCOME_OF[stage], run.survey
    return make_exit(survey.people.source, outcome, survey.ends[outcome], completion_code(run.secret, person_id))


def code_of(run: SurveyRun, person_id: str, stage: str) -> str:
    """The code that a person was shown, or nothing as long as they are not at an end that has one."""
    return exit_of(run, person_id, stage).code if stage in OUTCOME_OF else ""
