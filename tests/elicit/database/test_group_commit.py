"""Many pieces of work in one commit: what fails takes nothing with it, and nobody hears of it before it is written."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager

import sqlalchemy as sa
from starlette.concurrency import run_in_threadpool

from dissensus.elicit.database import schema
from dissensus.elicit.database.group_commit import GroupCommit
from dissensus.elicit.running import Refused, open_survey
from tests.elicit.loops import in_a_loop
from tests.elicit.surveys import write_survey


def at_once(store, works):
    """What comes of works that are all asked for at once: results, or errors."""

    async def ask():
        group = GroupCommit(store)
        return await asyncio.gather(*(group.write(work) for work in works), return_exceptions=True)

    return in_a_loop(ask())


def test_of_work_that_is_committed_together_what_fails_fails_alone(opened):
    """Of 60 pieces every third fails after it has written: the others are kept, it leaves nothing."""
    run = opened()

    def piece(i):
        def work(connection):
            connection.execute(sa.insert(schema.about).values(key=f"k{i}", value=str(i)))
            if i % 3 == 0:
                raise Refused(f"piece {i}")
            return i

        return work

    results = at_once(run.store, map(piece, range(60)))
    assert [result if i % 3 else str(result) for i, result in enumerate(results)] == [
        i if i % 3 else f"piece {i}" for i in range(60)
    ]
    with run.store.reading() as connection:
        kept = set(connection.scalars(sa.select(schema.about.c.key).where(schema.about.c.key.like("k%"))))
    assert kept - {"kind"} == {f"k{i}" for i in range(60) if i % 3}


def test_a_commit_that_fails_fails_for_everybody_in_it(opened, database):
    """Rows that break a foreign key are noticed only when the transaction is committed."""
    run = opened()

    def piece(i):
        def work(connection):
            if database is None:
                connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
            row = {"person": f"nobody{i}", "page": "consent", "answer": "{}", "received": 0.0}
            connection.execute(sa.insert(schema.pages).values(row))

        return work

    assert all(isinstance(error, sa.exc.IntegrityError) for error in at_once(run.store, map(piece, range(6))))
    with run.store.reading() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.pages)) == 0


def test_where_no_transaction_begins_everybody_who_waits_hears_of_it_at_once():
    """As where another process writes for too long: not one after the other, each after a wait of its own."""
    tries, go = [], threading.Event()

    class Busy:
        @contextmanager
        def writing(self, people):
            tries.append(1)
            if len(tries) == 1:
                go.wait(60)
            raise TimeoutError("somebody else writes")
            yield

    async def ask():
        group = GroupCommit(Busy())
        first = asyncio.create_task(group.write(lambda connection: None))
        while not tries:
            await asyncio.sleep(0.01)
        others = [asyncio.create_task(group.write(lambda connection: None)) for _ in range(7)]
        await asyncio.sleep(0)
        go.set()
        return await asyncio.gather(first, *others, return_exceptions=True)

    assert [str(error) for error in in_a_loop(ask())] == ["somebody else writes"] * 8
    assert len(tries) == 2


def test_nobody_is_told_before_the_commit_and_others_are_served_meanwhile(opened):
    """While one transaction waits, those who come are in the next; the loop goes on."""
    run = opened()
    inside, go = threading.Event(), threading.Event()

    def slow(connection):
        inside.set()
        assert go.wait(60)
        return "slow"

    async def ask():
        group = GroupCommit(run.store)
        first = asyncio.create_task(group.write(slow))
        await run_in_threadpool(inside.wait, 60)
        others = [asyncio.create_task(group.write(lambda connection, i=i: i)) for i in range(5)]
        await asyncio.sleep(0.1)
        assert not first.done() and not any(other.done() for other in others)
        go.set()
        return [await first, *[await other for other in others], await group.write(lambda connection: "last")]

    assert in_a_loop(ask()) == ["slow", 0, 1, 2, 3, 4, "last"]


def test_a_connection_that_is_lost_after_its_commit_writes_once(tmp_path, postgres):
    run, due = open_survey(write_survey(tmp_path / "survey"), postgres()), [True]

    @sa.event.listens_for(run.store.engine, "commit")
    def lose(connection):
        if due:
            due.pop()
            lost = connection.connection.driver_connection
            lost.commit()
            lost.close()

    def work(connection):
        there = connection.scalar(sa.select(schema.about.c.value).where(schema.about.c.key == "once"))
        if there is None:
            connection.execute(sa.insert(schema.about).values(key="once", value="1"))
        return there

    assert at_once(run.store, [work] * 3)[1:] == ["1", "1"] and not due
    run.store.close()
