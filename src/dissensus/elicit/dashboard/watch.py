"""What has been answered so far, each answer read once, so that watching takes little from those who answer."""

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
from dissensus.elicit.session.protocol import TRIAL_KINDS
from dissensus.elicit.survey.extra_trials import passes_check
from dissensus.elicit.survey_run import SurveyRun

LATE = 10.0  # seconds by which an answer may be committed later than another that was received after it
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
# Answers that were taken back and replaced, as they were: what was counted of them is no longer said.
TAKEN_BACK = (
    sa.select(schema.taken_back, schema.trials.c.unit, schema.trials.c.kind)
    .join(schema.trials, schema.trials.c.id == schema.taken_back.c.trial)
    .where(schema.taken_back.c.replaced >= sa.bindparam("since"))
    .order_by(schema.taken_back.c.replaced)
)
OF_PERSON = ANSWERS.where(schema.answers.c.person == sa.bindparam("person_"), schema.answers.c.kind == "main")


class Watch:
    """A survey as it stood at the last `read`. One thread at a time.

    people    by id, in the order in which they came
    codes     the numbers of those who have answered, by id
    units     the columns UNIT of the table of units, (units,) each
    mass      (units, k) sum of what those who are not excluded said about each unit, completed as `aggregate` does
    counted   (units,) how many answers that are
    columns   person, unit, kind, first choice, seconds, time of receipt: (m,), codes where they are names; doubtful: 1
              or 0; passed: 1 or 0 for attention checks, else -1
    """

    def __init__(self, run: SurveyRun) -> None:
        self.run = run
        self.question = run.survey.kind
        self.units: dict[str, np.ndarray] = {name: np.empty(0) for name in UNIT}
        self._missing = 0
        self._begin()

    def read(self) -> bool:
        """Take in what is new since the last time; whether anything was."""
        people, units, answers, replaced = self.people, self.units, len(self._person), len(self._replaced)
        try:
            with self.run.store.reader() as connection:
                self._read_units(connection)
                self._read_answers(connection)
                # Units were read first, so fewer answers than they count are answers that came later than LATE allows.
                if self._count_missing() > self._missing:
                    self._begin()
                    self._read_units(connection)
                    self._read_answers(connection)
                    self._missing = max(0, self._count_missing())
                self._missing = max(0, min(self._missing, self._count_missing()))
        except BaseException:
            self._begin()  # half of what was new may be counted already
            raise
        same = answers == len(self._person) and people == self.people and replaced == len(self._replaced)
        return not same or any(not np.array_equal(units[name], self.units[name]) for name in UNIT)

    @property
    def mass(self) -> np.ndarray:
        return self._mass[self._gaps > 0]

    def columns(self) -> dict[str, np.ndarray]:
        """One entry for each answer; `first` is a code of `choices`, `kind` of TRIAL_KINDS, `person` of `codes`."""
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
        # One answer with a gap changes how all of them are completed, so both sums are kept, without gaps and with.
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
        if self.people.keys() - people.keys():  # somebody was deleted with all their answers
            self._begin()
        for who, before in self.people.items():
            if (before.excluded is None) != (people[who].excluded is None):
                mine = [row for row in connection.execute(OF_PERSON, {"person_": who}) if self._has(row)]
                self._pool(mine, 1 if people[who].excluded is None else -1)
        self.people = people
        since, more = self._since, True
        while more:
            rows = connection.execute(SINCE.limit(CHUNK), {"since": since}).all()
            # Not of somebody who came after people were read, nor of an item that another server has already added.
            new = [
                row for row in rows if row[0] not in self._recent and row[1] in people and row[2] < len(self.counted)
            ]
            self._pool([row for row in new if row[3] == "main" and people[row[1]].excluded is None], 1)
            self._keep(new, self._judge_checks(connection, new))
            more = len(rows) == CHUNK and rows[-1].received > since
            since = rows[-1].received if rows else since
        last = max(self._recent.values(), default=-math.inf)
        self._since = last - LATE
        self._recent = {trial: at for trial, at in self._recent.items() if at >= self._since}

    def _drop_replaced(self, connection: Connection) -> None:
        """Take away what people have taken back since; what they said instead comes with the new answers."""
        since = max(self._replaced.values(), default=-math.inf) - LATE
        for row in connection.execute(TAKEN_BACK, {"since": since}).all():
            if (row.trial, row.number) in self._replaced:
                continue
            self._replaced[row.trial, row.number] = row.replaced
            mine = (np.array(self._received) == row.received) & (np.array(self._unit) == row.unit)
            mine &= np.array(self._person) == self.codes.get(row.person, -1)
            for place in np.flatnonzero(mine)[::-1].tolist():
                for column in self._columns().values():
                    column.pop(place)
                if self._recent.get(row.trial) == row.received:  # else what replaced it is there already
                    del self._recent[row.trial]
                if row.kind == "main" and self.people[row.person].excluded is None:
                    self._pool([row], -1)

    def _read_units(self, connection: Connection) -> None:
        rows = zip(*connection.execute(UNITS).all(), strict=True)
        self.units = dict(zip(UNIT, map(np.array, rows), strict=True))

    def _count_missing(self) -> int:
        return int(self.units["answered"].sum() - self.counted.sum())

    def _has(self, row: Any) -> bool:
        return row.received < self._since or row.trial in self._recent

    def _judge_checks(self, connection: Connection, rows: Sequence[Any]) -> dict[str, bool | None]:
        """Whether each attention check among these answers is passed; None where the survey no longer has it."""
        answers = {row.trial: json.loads(row.answer) for row in rows if row.kind == "attention"}
        if not answers:
            return {}
        survey = self.run.survey
        shown = connection.execute(SHOWN, {"trials_": list(answers)})
        return {
            trial: passes_check(survey.attention, survey.question, json.loads(what)["items"], answers[trial])
            for trial, what in shown
        }

    def _keep(self, rows: Sequence[Any], judged: Mapping[str, bool | None]) -> None:
        for trial, person, unit, kind, answer, seconds, received, doubts in rows:
            self._person.append(self.codes.setdefault(person, len(self.codes)))
            self._unit.append(unit)
            self._kind.append(TRIAL_KINDS.index(kind))
            self._first.append(self._code(answer))
            self._seconds.append(math.nan if seconds is None else seconds)
            self._received.append(received)
            self._doubtful.append(doubts is not None)
            right = judged.get(trial)
            self._passed.append(-1 if right is None else right)
            self._recent[trial] = received

    def _code(self, answer: str) -> int:
        return self.choices.setdefault(self.question.first(json.loads(answer)), len(self.choices))

    def _pool(self, rows: Sequence[Any], sign: int) -> None:
        """Add what these answers say about their units, or take it away."""
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
            [json.loads(row.answer) for row in rows],
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
                fine = is_completable(labels, completion)
                np.add.at(mass, unit[fine], sign * COMPLETIONS[completion](labels.select(answers=fine)).stated)
        else:
            np.add.at(self._mass[False], (unit, labels.choice), sign)


def read_now(run: SurveyRun) -> Watch:
    """The survey as it stands now."""
    watch = Watch(run)
    watch.read()
    return watch
