"""Draws from batches: a person gets a whole batch, in a random order."""

from __future__ import annotations

import json

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from dissensus.elicit.database.schema import answers, people, trials, units
from dissensus.elicit.session.hold_times import long_before
from dissensus.elicit.survey.item_batches import read_batches
from dissensus.elicit.survey.settings import Survey
from dissensus.labels.streams import Stream, stream

MORE = 0.02  # people beyond those wanted, as a share of those wanted
FINISHED = people.c.stage.in_(("debrief", "done"))
COUNTS = (people.c.batch.is_not(None), people.c.excluded.is_(None))
# A batch is held by people who were active recently and got a trial or answered recently; in a break, they answered.
LATELY = sa.exists().where(
    trials.c.person == people.c.id, trials.c.drawn >= sa.bindparam("long_before")
) | sa.exists().where(answers.c.person == people.c.id, answers.c.received >= sa.bindparam("long_before"))
HOLDERS = (
    sa.select(
        people.c.batch,
        sa.func.sum(sa.case((FINISHED, 1), else_=0)).label("finished"),
        sa.func.count().label("people"),
        sa.func.min(sa.case((FINISHED, None), else_=people.c.seen)).label("last_active"),
    )
    .where(*COUNTS, FINISHED | ((people.c.seen >= sa.bindparam("late")) & LATELY))
    .group_by(people.c.batch)
)
BATCH = sa.select(people.c.batch).where(people.c.id == sa.bindparam("person_"))


def next_of_batch(
    connection: Connection, survey: Survey, person: str, seed: int, per_item: int, late: float
) -> list[int]:
    """Return the remaining units of the person's batch in order; empty if the batch is done or none is free."""
    batches = read_batches(survey.folder / survey.protocol.batches)
    batch = connection.scalar(BATCH, {"person_": person})
    if batch not in batches:  # none yet, or removed from the file
        batch = _open_batch(connection, batches, per_item, late)
        if batch is None:
            return []
        connection.execute(sa.update(people).where(people.c.id == person).values(batch=batch))
    return _list_remaining(connection, batches[batch], person, seed)


def has_missing_batch(connection: Connection, survey: Survey, person: str, per_item: int) -> bool:
    """Whether the person's batch has units left or, if they have no batch, any batch still lacks a person."""
    batches = read_batches(survey.folder / survey.protocol.batches)
    batch = connection.scalar(BATCH, {"person_": person})
    if batch in batches:
        return bool(_list_remaining(connection, batches[batch], person, seed=0))
    always = {"late": 0.0, "long_before": 0.0}
    finished = {row.batch: int(row.finished) for row in connection.execute(HOLDERS, always)}
    return any(finished.get(name, 0) < per_item for name in batches)


def _list_remaining(connection: Connection, batch: list[str], person: str, seed: int) -> list[int]:
    """The units of the batch that the person has not had, in the person's own order."""
    order = stream(seed, Stream.BATCH_ORDER).permutation(len(batch))
    had = set(connection.scalars(sa.select(trials.c.unit).where(trials.c.person == person)))
    names = [json.dumps([name]) for name in batch]
    known = dict(connection.execute(sa.select(units.c.names, units.c.id).where(units.c.names.in_(names))).all())
    return [int(known[names[place]]) for place in order if known[names[place]] not in had]


def _open_batch(connection: Connection, batches: dict[str, list[str]], per_item: int, late: float) -> str | None:
    """The batch with the fewest people who hold or finished it.

    If every batch has `per_item` people, one more person gets the batch of the holder who was inactive for longest, up
    to a share MORE of all people wanted, since a batch is many answers. None beyond that.
    """
    held_since = {"late": late, "long_before": long_before(late)}
    rows = {row.batch: row for row in connection.execute(HOLDERS, held_since)}
    counts = {name: int(rows[name].people) if name in rows else 0 for name in batches}
    fewest = min(batches, key=lambda name: counts[name])
    if counts[fewest] < per_item:
        return fewest
    if sum(count - per_item for count in counts.values()) >= int(MORE * len(batches) * per_item):
        return None
    held = [name for name in batches if int(rows[name].finished) < per_item and counts[name] <= per_item]
    return min(held, key=lambda name: float(rows[name].last_active)) if held else None
