"""Many pieces of work in one commit: what fails takes nothing with it, and nobody hears of it before it is written."""

from __future__ import annotations

import asyncio
import secrets
import threading
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from anyio import to_thread
from starlette.concurrency import run_in_threadpool

from dissensus.elicit.database import schema
from dissensus.elicit.database.group_commit import GroupCommit
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.loops import in_a_loop
from tests.elicit.postgres import lose_connections
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
                raise RequestError(f"piece {i}")
            return i

        return work

    results = at_once(run.store, map(piece, range(60)))
    assert [result if i % 3 else str(result) for i, result in enumerate(results)] == [
        i if i % 3 else f"piece {i}" for i in range(60)
    ]
    with run.store.reader() as connection:
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
    with run.store.reader() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.pages)) == 0


def test_a_failed_transaction_start_is_reported_to_everybody_who_waits():
    """As where another process writes for too long: not one after the other, each after a wait of its own."""
    tries, go = [], threading.Event()

    class Busy:
        @contextmanager
        def transaction(self, people):
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


def test_answers_are_confirmed_after_the_commit_and_others_are_served_meanwhile(opened):
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
    lose_connections(run.store.engine, due)

    def work(connection):
        there = connection.scalar(sa.select(schema.about.c.value).where(schema.about.c.key == "once"))
        if there is None:
            connection.execute(sa.insert(schema.about).values(key="once", value="1"))
        return there

    assert at_once(run.store, [work] * 3)[1:] == ["1", "1"] and not due
    run.store.close()


@pytest.fixture
def shaky(tmp_path, postgres):
    """A survey on PostgreSQL, and a work that loses its connection in the middle, the first time that it is done."""
    run, due = open_survey(write_survey(tmp_path / "survey"), postgres()), [True]

    def work(connection):
        connection.execute(sa.insert(schema.about).values(key=secrets.token_hex(4), value="x"))
        if due:
            due.pop()
            connection.connection.driver_connection.close()
        return connection.scalar(sa.select(sa.func.count()).select_from(schema.about))

    yield run, work
    assert not due
    run.store.close()


def test_a_single_writer_retries_after_a_lost_connection(shaky):
    run, work = shaky
    before = run.store.write(lambda connection: connection.scalar(sa.select(sa.func.count()).select_from(schema.about)))
    assert run.store.write(work) == before + 1


def test_those_whose_connection_is_lost_try_again_together(shaky):
    run, work = shaky
    begun = []
    sa.event.listen(run.store.engine, "begin", begun.append)
    assert len(set(at_once(run.store, [work] * 9))) == 9
    assert len(begun) < 9


def test_a_database_that_goes_while_each_is_done_alone_is_waited_for_once():
    """The third of nine is refused, and when it is its turn alone, somebody else writes for too long."""
    begun = []

    class Going:
        @contextmanager
        def transaction(self, people):
            begun.append(1)
            if len(begun) > 3:
                raise TimeoutError("somebody else writes")
            yield None

    def piece(i):
        def work(connection):
            if i == 2 and len(begun) == 1:
                raise RequestError("no")
            return i

        return work

    results = at_once(Going(), map(piece, range(9)))
    assert results[:2] == [0, 1] and {str(error) for error in results[2:]} == {"somebody else writes"}
    assert len(begun) == 4


def test_a_failed_thread_start_is_reported_and_later_people_are_served(opened, monkeypatch):
    run, real, due = opened(), to_thread.run_sync, [True]

    async def full(*args, **options):
        if due:
            due.pop()
            raise RuntimeError("can't start new thread")
        return await real(*args, **options)

    monkeypatch.setattr(to_thread, "run_sync", full)

    async def ask():
        group = GroupCommit(run.store)
        first = await asyncio.gather(*(group.write(lambda connection: 1) for _ in range(3)), return_exceptions=True)
        return first, await asyncio.wait_for(group.write(lambda connection: 2), 60)

    first, then = in_a_loop(ask())
    assert {str(error) for error in first} == {"can't start new thread"} and then == 2


def test_people_are_served_while_every_other_thread_and_reader_waits(opened):
    """Forty slow looks at the database, as of dashboards and downloads: each keeps a thread, and what it reads by."""
    run, go = opened(), threading.Event()

    def look():
        with run.store.reader() as connection:
            connection.execute(sa.select(schema.about)).all()
            assert go.wait(60)

    async def ask():
        looks = [asyncio.create_task(run_in_threadpool(look)) for _ in range(45)]
        await asyncio.sleep(0.5)
        try:
            return await asyncio.wait_for(GroupCommit(run.store).write(lambda connection: "served"), 30)
        finally:
            go.set()
            await asyncio.gather(*looks)

    assert in_a_loop(ask()) == "served"
