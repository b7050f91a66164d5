"""The answers so far, kept in memory: each answer is read and parsed once, to spare the database."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database import schema
from dissensus.elicit.questions.answers_as_labels import labels_from
from dissensus.elicit.questions.question import Answer
from dissensus.elicit.session.protocol import TRIAL_KINDS
from dissensus.elicit.survey.extra_trials import passes_check
from dissensus.elicit.survey_run import SurveyRun

LATE = 10.0  # seconds: an answer may be committed this much later than one received after it
CHUNK = 4000

PEOPLE = sa.select(
    schema.people.c.id,
    schema.people.c.person,
    schema.people.c.stage,
    schema.people.c.started,
    schema.people.c.seen,
    schema.people.c.finished,
    schema.people.c.excluded,
    schema.people.c.excluded_why,
).order_by(schema.people.c.started, schema.people.c.id)
UNIT = ("id", "answered", "priority", "main")
UNITS = sa.select(*(schema.units.c[name] for name in UNIT)).order_by(schema.units.c.id)
ANSWERS = sa.select(
    schema.answers.c.trial,
    schema.answers.c.person,
    schema.answers.c.unit,
    schema.answers.c.kind,
    schema.answers.c.answer,
    schema.answers.c.seconds,
    schema.answers.c.received,
    schema.answers.c.doubts,
)
SINCE = ANSWERS.where(schema.answers.c.received >= sa.bindparam("since")).order_by(schema.answers.c.received)
SHOWN = sa.select(schema.trials.c.id, schema.trials.c.shown).where(
    schema.trials.c.id.in_(sa.bindparam("trials_", expanding=True))
)
# Replaced answers as they were, so that they can be subtracted again.
TAKEN_BACK = (
    sa.select(schema.taken_back, schema.trials.c.unit, schema.trials.c.kind)
    .join(schema.trials, schema.trials.c.id == schema.taken_back.c.trial)
    .where(schema.taken_back.c.replaced >= sa.bindparam("since"))
    .order_by(schema.taken_back.c.replaced)
)
OF_PERSON = ANSWERS.where(schema.answers.c.person == sa.bindparam("person_"), schema.answers.c.kind == "main")


class Watch:
    """The state of a survey at the last `read`. Not thread-safe.

    people    rows of the table of people by id, in order of arrival
    codes     the code of everyone who has answered, by id
    units     the columns UNIT of the table of units, (units,) each
    mass      (units, k) sum of the beliefs about each unit, without excluded people, completed as `aggregate` does
    counted   (units,) number of answers in that sum
    columns   one entry per answer, see `columns`
    """

    def __init__(self, run: SurveyRun) -> None:
        self.run = run
        self.question = run.survey.kind
        self.units: dict[str, np.ndarray] = {name: np.empty(0) for name in UNIT}
        self._missing = 0
        self._begin()

    def read(self) -> bool:
        """Add the answers since the last call. Return whether anything changed."""
        people, units, answers, replaced = self.people, self.units, len(self._person), len(self._replaced)
        try:
            with self.run.store.reader() as connection:
                self.units = read_units(connection)
                self._read_answers(connection)
                # Units were read first. If they count more answers than were read, some were committed after LATE.
                if self._count_missing() > self._missing:
                    self._begin()
                    self.units = read_units(connection)
                    self._read_answers(connection)
                    self._missing = max(0, self._count_missing())
                self._missing = max(0, min(self._missing, self._count_missing()))
        except BaseException:
            self._begin()  # part of the new answers may be counted already
            raise
        same = answers == len(self._person) and people == self.people and replaced == len(self._replaced)
        return not same or any(not np.array_equal(units[name], self.units[name]) for name in UNIT)

    @property
    def mass(self) -> np.ndarray:
        return self._mass[self._gaps > 0]

    def columns(self) -> dict[str, np.ndarray]:
        """Return person, unit, kind, first, seconds, received, doubtful and passed of every answer, (m,) each.

        `person` is a code of `codes`, `kind` of TRIAL_KINDS and `first`, the first choice, of `choices`. `doubtful` is
        1 or 0. `passed` is 1 or 0 for attention checks and -1 for other trials.
        """
        return {name: np.array(column) for name, column in self._columns().items()}

    def _columns(self) -> dict[str, Any]:
        return {
            "person": self._person,
            "unit": self._unit,
            "kind": self._kind,
            "first": self._first,
            "seconds": self._seconds,
            "received": self._received,
            "doubtful": self._doubtful,
            "passed": self._passed,
        }

    def _begin(self) -> None:
        self.people: dict[str, Any] = {}
        self.choices: dict[Any, int] = {name: i for i, name in enumerate(self.run.survey.question.classes)}
        # A single answer with a gap changes how all answers are completed, so both sums are kept.
        self._mass = {gaps: np.zeros((len(self.run.names), max(1, len(self.choices)))) for gaps in (False, True)}
        self._gaps = 0
        self.counted = np.zeros(len(self.run.names), dtype=np.int64)
        self._person, self._unit, self._kind, self._first = array("l"), array("l"), array("b"), array("l")
        self._seconds, self._received = array("d"), array("d")
        self._doubtful, self._passed = array("b"), array("b")
        self.codes: dict[str, int] = {}
        self._since = -math.inf
        self._recent: dict[str, float] = {}
        self._replaced: dict[tuple[str, int], float] = {}

    def _read_answers(self, connection: Connection) -> None:
        self._drop_replaced(connection)
        people = {row.id: row for row in connection.execute(PEOPLE)}
        if self.people.keys() - people.keys():  # a person was deleted with all their answers
            self._begin()
        for who, before in self.people.items():
            if (before.excluded is None) != (people[who].excluded is None):
                answers = [row for row in connection.execute(OF_PERSON, {"person_": who}) if self._has_read(row)]
                self._pool(answers, _parse(answers), 1 if people[who].excluded is None else -1)
        self.people = people
        since, more = self._since, True
        while more:
            rows = connection.execute(SINCE.limit(CHUNK), {"since": since}).all()
            # Skip people who arrived after people were read, and items that another server process has added.
            new = [
                row for row in rows if row[0] not in self._recent and row[1] in people and row[2] < len(self.counted)
            ]
            parsed = _parse(new)
            pooled = [i for i, row in enumerate(new) if row[3] == "main" and people[row[1]].excluded is None]
            self._pool([new[i] for i in pooled], [parsed[i] for i in pooled], 1)
            self._keep(new, parsed, self._judge_checks(connection, new, parsed))
            more = len(rows) == CHUNK and rows[-1].received > since
            since = rows[-1].received if rows else since
        last = max(self._recent.values(), default=-math.inf)
        self._since = last - LATE
        self._recent = {trial: at for trial, at in self._recent.items() if at >= self._since}

    def _drop_replaced(self, connection: Connection) -> None:
        """Subtract answers that were replaced since the last call; their replacements arrive as new answers."""
        since = max(self._replaced.values(), default=-math.inf) - LATE
        for row in connection.execute(TAKEN_BACK, {"since": since}).all():
            if (row.trial, row.number) in self._replaced:
                continue
            self._replaced[row.trial, row.number] = row.replaced
            same = (np.array(self._received) == row.received) & (np.array(self._unit) == row.unit)
            same &= np.array(self._person) == self.codes.get(row.person, -1)
            for place in np.flatnonzero(same)[::-1].tolist():
                for column in self._columns().values():
                    column.pop(place)
                if self._recent.get(row.trial) == row.received:  # otherwise the replacement was read already
                    del self._recent[row.trial]
                if row.kind == "main" and self.people[row.person].excluded is None:
                    self._pool([row], _parse([row]), -1)

    def _count_missing(self) -> int:
        return int(self.units["answered"].sum() - self.counted.sum())

    def _has_read(self, row: Any) -> bool:
        return row.received < self._since or row.trial in self._recent

    def _judge_checks(
        self, connection: Connection, rows: Sequence[Any], answers: Sequence[Answer]
    ) -> dict[str, bool | None]:
        """Return by trial whether each attention check is passed, None if the survey no longer has the check."""
        checks = {row.trial: answer for row, answer in zip(rows, answers, strict=True) if row.kind == "attention"}
        if not checks:
            return {}
        survey = self.run.survey
        trials = connection.execute(SHOWN, {"trials_": list(checks)})
        return {
            trial: passes_check(survey.attention, survey.question, json.loads(shown)["items"], checks[trial])
            for trial, shown in trials
        }

    def _keep(self, rows: Sequence[Any], answers: Sequence[Answer], passed: Mapping[str, bool | None]) -> None:
        for row, answer in zip(rows, answers, strict=True):
            self._person.append(self.codes.setdefault(row.person, len(self.codes)))
            self._unit.append(row.unit)
            self._kind.append(TRIAL_KINDS.index(row.kind))
            self._first.append(self.choices.setdefault(self.question.first(answer), len(self.choices)))
            self._seconds.append(math.nan if row.seconds is None else row.seconds)
            self._received.append(row.received)
            self._doubtful.append(row.doubts is not None)
            passes = passed.get(row.trial)
            self._passed.append(-1 if passes is None else passes)
            self._recent[row.trial] = row.received

    def _pool(self, rows: Sequence[Any], answers: Sequence[Answer], sign: int) -> None:
        """Add these answers to the sums of their units (sign 1), or subtract them (sign -1)."""
        from dissensus.labels.beliefs import Beliefs
        from dissensus.labels.completion import COMPLETIONS, completion_for, is_completable

        if not rows:
            return
        unit = np.array([row.unit for row in rows])
        np.add.at(self.counted, unit, sign)
        if not self.question.pools:
            return
        question = self.run.survey.question
        labels = labels_from(
            question,
            answers,
            [""] * len(rows),
            question.classes,
            item=unit,
            items=np.arange(len(self.counted)),
            annotator=np.zeros(len(rows), dtype=np.int64),
            annotators=np.zeros(1, dtype=np.int64),
        )
        if isinstance(labels, Beliefs):
            self._gaps += sign * int(np.isnan(labels.stated).any(axis=1).sum())
            for gaps, mass in self._mass.items():
                completion = completion_for(named=labels.named.shape[1] > 0, gaps=gaps)
                usable = is_completable(labels, completion)
                np.add.at(mass, unit[usable], sign * COMPLETIONS[completion](labels.select(answers=usable)).stated)
        else:
            np.add.at(self._mass[False], (unit, labels.choice), sign)


def _parse(rows: Sequence[Any]) -> list[Answer]:
    return [json.loads(row.answer) for row in rows]


def read_units(connection: Connection) -> dict[str, np.ndarray]:
    """Read the columns UNIT of the table of units, (units,) each."""
    rows = zip(*connection.execute(UNITS).all(), strict=True)
    return dict(zip(UNIT, map(np.array, rows), strict=True))


def read_now(run: SurveyRun) -> Watch:
    """Read the current state of a survey."""
    watch = Watch(run)
    watch.read()
    return watch
