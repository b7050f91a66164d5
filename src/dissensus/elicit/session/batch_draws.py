"""Draws from batches: one is chosen when a person comes, and given whole in their own order."""

from __future__ import annotations

import json

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import answers, people, trials, units
from dissensus.elicit.session.hold_times import long_before
from dissensus.elicit.survey.item_batches import read_batches
from dissensus.elicit.survey.settings import Survey
from dissensus.labels.streams import Stream, stream

MORE = 0.02  # of all the people who are wanted: how many may take a batch beyond them
THROUGH = people.c.stage.in_(("debrief", "done"))
COUNTS = (people.c.batch.is_not(None), people.c.excluded.is_(None))
# A batch is held by whoever gave a sign of life, and was given or has answered something of late. Nothing is given to
# somebody in a break, who has answered.
LATELY = sa.exists().where(
    trials.c.person == people.c.id, trials.c.drawn >= sa.bindparam("long_before")
) | sa.exists().where(answers.c.person == people.c.id, answers.c.received >= sa.bindparam("long_before"))
AT_IT = (
    sa.select(
        people.c.batch,
        sa.func.sum(sa.case((THROUGH, 1), else_=0)).label("through"),
        sa.func.count().label("taken"),
        sa.func.min(sa.case((THROUGH, None), else_=people.c.seen)).label("quietest"),
    )
    .where(*COUNTS, THROUGH | ((people.c.seen >= sa.bindparam("late")) & LATELY))
    .group_by(people.c.batch)
)
MINE = sa.select(people.c.batch).where(people.c.id == sa.bindparam("person_"))


def next_of_batch(
    connection: Connection, survey: Survey, person: str, seed: int, per_item: int, late: float
) -> list[int]:
    """What is left of the person's batch, the next first; empty where they are through with it, or there is none."""
    listed = read_batches(survey.folder / survey.protocol.batches)
    mine = connection.scalar(MINE, {"person_": person})
    if mine not in listed:  # they have none yet, or it was taken out of the file
        mine = _open_batch(connection, listed, per_item, late)
        if mine is None:
            return []
        connection.execute(sa.update(people).where(people.c.id == person).values(batch=mine))
    return _left(connection, listed[mine], person, seed)


def has_missing_batch(connection: Connection, survey: Survey, person: str, per_item: int) -> bool:
    """Whether something of the person's batch is left, or, where they have none, somebody is missing for some batch."""
    listed = read_batches(survey.folder / survey.protocol.batches)
    mine = connection.scalar(MINE, {"person_": person})
    if mine in listed:
        return bool(_left(connection, listed[mine], person, seed=0))
    through = {row.batch: int(row.through) for row in connection.execute(AT_IT, {"late": 0.0, "long_before": 0.0})}
    return any(through.get(name, 0) < per_item for name in listed)


def _left(connection: Connection, batch: list[str], person: str, seed: int) -> list[int]:
    """The units of the batch that the person has not had, in their own order."""
    order = stream(seed, Stream.BATCH_ORDER).permutation(len(batch))
    had = set(connection.scalars(sa.select(trials.c.unit).where(trials.c.person == person)))
    names = [json.dumps([name]) for name in batch]
    known = dict(connection.execute(sa.select(units.c.names, units.c.id).where(units.c.names.in_(names))).all())
    return [int(known[names[place]]) for place in order if known[names[place]] not in had]


def _open_batch(connection: Connection, listed: dict[str, list[str]], per_item: int, late: float) -> str | None:
    """The batch with the fewest people who are at it or through with it.

    Where all have `per_item` of them, one person more takes the batch of somebody who gave no sign of life for longest,
    as long as such people are few among all that are wanted: a batch is many answers. None beyond that.
    """
    held_since = {"late": late, "long_before": long_before(late)}
    rows = {row.batch: row for row in connection.execute(AT_IT, held_since)}
    counts = {name: int(rows[name].taken) if name in rows else 0 for name in listed}
    fewest = min(listed, key=lambda name: counts[name])
    if counts[fewest] < per_item:
        return fewest
    if sum(count - per_item for count in counts.values()) >= int(MORE * len(listed) * per_item):
        return None
    held = [name for name in listed if int(rows[name].through) < per_item and counts[name] <= per_item]
    return min(held, key=lambda name: float(rows[name].quietest)) if held else None
