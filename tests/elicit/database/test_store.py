"""What the database holds: durable, the same on both servers, and its counters never apart from its tables."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import DATABASE, schema
from dissensus.elicit.database.store import EVENT, Store, set_setting, setting
from dissensus.elicit.export import answer_table, labels_of
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit, take_back
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.servers import ten_arrive
from tests.elicit.surveys import TIMES, from_prolific, write_survey
from tests.forks import FORKS


def counters(run):
    """What units say, and what a recount of trials and answers says: (assigned, answered) of each."""
    held = sa.select(schema.trials.c.unit, sa.func.count()).where(schema.trials.c.held).group_by(schema.trials.c.unit)
    counted = (
        sa.select(schema.answers.c.unit, sa.func.count())
        .join(schema.people, schema.people.c.id == schema.answers.c.person)
        .where(schema.answers.c.kind == "main", schema.people.c.excluded.is_(None))
        .group_by(schema.answers.c.unit)
    )
    with run.store.reader() as connection:
        stored = {row.id: (row.assigned, row.answered) for row in connection.execute(sa.select(schema.units))}
        holders, answered = dict(connection.execute(held).all()), dict(connection.execute(counted).all())
    return stored, {unit: (holders.get(unit, 0) + answered.get(unit, 0), answered.get(unit, 0)) for unit in stored}


def expire(run):
    """All that is drawn becomes two hours older, and so does everybody's last sign of life."""

    def work(connection):
        connection.execute(sa.update(schema.trials).values(drawn=schema.trials.c.drawn - 7200))
        connection.execute(sa.update(schema.people).values(seen=schema.people.c.seen - 7200))

    run.store.write(work)


class Decisions(RuleBasedStateMachine):
    """People come, look, answer, change an answer, are excluded, taken back or forgotten, in any order."""

    people = Bundle("people")
    shown = Bundle("shown")
    run = None

    def __init__(self):
        super().__init__()
        with self.run.store.transaction() as connection:
            for table in (schema.answers, schema.pages, schema.trials, schema.events, schema.people):
                connection.execute(sa.delete(table))
            connection.execute(sa.update(schema.units).values(assigned=0, answered=0, priority=0))

    @rule(target=people)
    def comes(self):
        return arrive(self.run, {})

    @rule(target=shown, person=people)
    def looks(self, person):
        page = self.known(lambda: current_page(self.run, person))
        return (person, page["page"]) if page and page["stage"] == "trial" else multiple()

    @rule(shown=shown)
    def answers(self, shown):
        person, page = shown  # may be long ago, answered before, or of somebody who is gone
        self.known(lambda: submit(self.run, person, {"page": page, "answer": {"choice": "cat"}, "times": TIMES}))

    @rule(target=shown, person=people)
    def opens_the_last_answer_again(self, person):
        page = self.known(lambda: current_page(self.run, person))
        if not page or "take_back" not in page:
            return multiple()
        try:
            return person, take_back(self.run, person, {"page": page["take_back"]})["page"]
        except RequestError as refused:
            assert "5 times" in str(refused)
            return multiple()

    @rule(person=people)
    def wants_no_more(self, person):
        page = self.known(lambda: current_page(self.run, person))
        if page and page["stage"] == "waiting":
            submit(self.run, person, {"page": page["page"], "answer": {}})

    @rule(person=people)
    def is_excluded(self, person):
        self.known(lambda: decisions.exclude(self.run, person, "odd"))

    @rule(person=people)
    def is_taken_back(self, person):
        self.known(lambda: decisions.include(self.run, person))

    @rule(person=consumes(people))
    def is_forgotten(self, person):
        self.known(lambda: decisions.forget(self.run, person))

    @rule()
    def time_passes(self):
        expire(self.run)

    @rule(on=st.booleans())
    def stops(self, on):
        (decisions.stop if on else decisions.reopen)(self.run)

    @invariant()
    def counters_are_what_the_tables_say(self):
        stored, counted = counters(self.run)
        assert stored == counted

    def known(self, work):
        try:
            return work()
        except RequestError as refused:
            assert refused.status == 404 or "earlier answer stays" in str(refused)
            return None


@pytest.mark.parametrize("draw", ["least-answered", "expected-error", "batches"])
def test_counters_equal_a_recount_after_any_sequence_of_events(draw, opened, tmp_path):
    protocol = {"per_person": 3, "per_item": 2, "repeats": 1, "draw": draw}
    if draw == "batches":
        (tmp_path / "survey").mkdir()
        (tmp_path / "survey" / "batches.csv").write_text("batch,item\na,p0\na,p1\na,p2\nb,p2\nb,p3\n")
        protocol["batches"] = "batches.csv"

    class Here(Decisions):
        run = opened(protocol=protocol)

    quick = settings(max_examples=10, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(Here, settings=quick)


def test_counters_equal_a_recount_after_everything_happens_at_once(opened):
    """Answers, late answers, expired holds, exclusions and deletions from eight threads."""
    run = opened(protocol={"per_person": 5, "per_item": 6, "hold_minutes": 1})
    people = [arrive(run, {}) for _ in range(8)]

    def walk(person):
        try:
            page = current_page(run, person)
            while page["stage"] == "trial":
                page = submit(run, person, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"]
        except RequestError as refused:
            assert refused.status == 404

    def decide(i):
        for person in people[i % 2 : 6 : 2]:
            expire(run)
            decisions.exclude(run, person, "odd")
            if i % 3:
                decisions.include(run, person)
        if i == 3:
            decisions.forget(run, people[7])

    with ThreadPoolExecutor(12) as pool:
        for done in [*map(pool.submit, [walk] * 8, people), *(pool.submit(decide, i) for i in range(4))]:
            done.result()
    stored, counted = counters(run)
    assert stored == counted


def test_an_answer_on_its_way_is_kept_when_the_survey_stops_or_its_author_is_excluded(opened):
    run = opened()
    me = arrive(run, {})
    page = current_page(run, me)
    decisions.stop(run)
    decisions.exclude(run, me, "too fast")
    reply = submit(run, me, {"page": page["page"], "answer": {"choice": "dog"}, "times": TIMES})
    assert reply["saved"] == page["page"] and reply["page"]["stage"] == "stopped"
    assert answer_table(run).num_rows == 1 and sum(answered for _, answered in counters(run)[0].values()) == 0
    decisions.include(run, me)
    assert sum(answered for _, answered in counters(run)[0].values()) == 1
    decisions.reopen(run)
    assert current_page(run, me)["stage"] == "trial"


def test_whoever_waits_for_a_process_that_writes_for_long_tries_again(postgres, tmp_path, monkeypatch):
    """Longer than one wait for the lock lasts, and shorter than their patience."""
    monkeypatch.setattr("dissensus.elicit.database.engines.TIMEOUTS", "SET lock_timeout = '100ms'")
    run = open_survey(write_survey(tmp_path / "survey"), postgres())
    other, held, enough = Store(run.survey.folder, run.store.url), threading.Event(), threading.Event()

    def write_for_long():
        with other.transaction():
            held.set()
            assert enough.wait(60)

    waits = []

    @sa.event.listens_for(run.store.engine, "handle_error")
    def waited(_):
        waits.append(1)
        if len(waits) == 3:
            enough.set()

    with ThreadPoolExecutor(1) as pool:
        writer = pool.submit(write_for_long)
        assert held.wait(60)
        assert arrive(run, {})
        writer.result()
    assert len(waits) >= 3
    other.close()
    run.store.close()


def test_many_come_by_one_link_at_once_and_are_one_person(opened):
    run = opened(people={"source": "prolific"})
    with ThreadPoolExecutor(8) as pool:
        ids = set(pool.map(lambda _: arrive(run, from_prolific(5)), range(24)))
    assert len(ids) == 1


def test_processes_open_an_empty_database_at_once_and_see_the_same_people(tmp_path, database):
    folder = write_survey(tmp_path / "survey", people={"source": "prolific"})
    barrier, arrived = FORKS.Barrier(3), FORKS.Queue()
    workers = [FORKS.Process(target=ten_arrive, args=(folder, database, barrier, arrived)) for _ in range(3)]
    for worker in workers:
        worker.start()
    ids = [arrived.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(20)
    assert [worker.exitcode for worker in workers] == [0, 0, 0]
    assert ids[0] == ids[1] == ids[2] and len(set(ids[0])) == 10


def test_whoever_writes_is_alone_whichever_process_it_is(opened):
    """Each store stands for a process. What was read still holds when something is written because of it."""
    first = opened()
    second = Store(first.survey.folder, first.store.url)
    with first.store.transaction() as connection:
        set_setting(connection, "count", "0")

    def count_one(store):
        def work(connection):
            set_setting(connection, "count", str(int(setting(connection, "count", "")) + 1))

        store.write(work)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count_one, [first.store, second] * 60))
    second.close()
    with first.store.reader() as connection:
        assert setting(connection, "count", "") == "120"


def test_a_process_killed_while_writing_does_not_block_others(postgres, tmp_path):
    """PostgreSQL ends its transaction by itself; in SQLite the lock goes with the process."""
    run = open_survey(write_survey(tmp_path / "survey"), postgres())
    with run.store.transaction() as connection:
        names = ("idle_in_transaction_session_timeout", "lock_timeout")
        assert [connection.exec_driver_sql(f"SHOW {name}").scalar() for name in names] == ["15s", "8s"]
    run.store.close()


def test_every_connection_of_sqlite_syncs_each_commit_to_the_disk(tmp_path):
    run = open_survey(write_survey(tmp_path / "survey"))
    wanted = {"synchronous": 2, "journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 60000}
    held = [run.store.engine.connect().execution_options(isolation_level="AUTOCOMMIT") for _ in range(25)]
    for connection in held:  # 20 stay in the pool, 5 are beyond it
        assert {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in wanted} == wanted
        connection.close()
    with run.store.transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    run.store.close()


def test_a_database_that_is_neither_of_the_two_is_refused(tmp_path):
    with pytest.raises(ValueError, match="'mysql'"):
        Store(tmp_path, "mysql://root@localhost/x")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            {"kind": "choose", "classes": ["a", "b"]},
            {"kind": "choose", "classes": ["a", "b", "c"]},
            "classes is .*c.* in survey.toml",
        ),
        (
            {"kind": "choose", "classes": ["a", "b"]},
            {"kind": "sliders", "classes": ["a", "b"]},
            "kind is sliders .* choose in",
        ),
        (
            {"kind": "tokens", "classes": ["a", "b"]},
            {"kind": "tokens", "classes": ["a", "b"], "tokens": 10},
            "scale is .*10",
        ),
    ],
)
def test_a_survey_whose_answers_would_mean_something_else_is_refused(tmp_path, database, before, after, message):
    open_survey(write_survey(tmp_path / "survey", question=before), database).store.close()
    with pytest.raises(ValueError, match=message):
        open_survey(write_survey(tmp_path / "survey", question=after), database)


def _csv_survey(folder, names, **sections):
    folder.mkdir(exist_ok=True)
    (folder / "items.csv").write_text("item,text\n" + "".join(f"{name},about {name}\n" for name in names))
    return write_survey(folder, items="items.csv", **sections)


def test_items_may_come_and_go_while_a_survey_runs(tmp_path, database):
    settings = {"per_person": 3, "per_item": 5, "repeats": 3}
    folder = _csv_survey(tmp_path / "survey", "abc", protocol=settings)
    run = open_survey(folder, database)
    me = arrive(run, {})
    first = current_page(run, me)
    submit(run, me, {"page": first["page"], "answer": {"choice": "cat"}, "times": TIMES})
    run.store.close()
    gone = first["stimuli"][0]["parts"][0]["text"].removeprefix("about ")
    waiting = "abc".replace(gone, "")[0]
    run = open_survey(_csv_survey(folder, "abcdé".replace(waiting, ""), protocol=settings), database)
    seen, page = set(), current_page(run, me)
    while page["stage"] == "trial":
        seen.add(page["stimuli"][0]["parts"][0]["text"])
        page = submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"]
    assert page["stage"] == "done" and f"about {waiting}" not in seen
    other = arrive(run, {})
    texts = {current_page(run, other)["stimuli"][0]["parts"][0]["text"]}
    assert texts <= {f"about {name}" for name in "abcdé" if name != waiting}
    run.store.close()
    # An item that was answered is taken out: its answers stay, and it is asked about no more.
    run = open_survey(_csv_survey(folder, "xy", protocol=settings), database)
    assert gone in labels_of(run).items.tolist()
    with run.store.reader() as connection:
        asked = connection.scalars(sa.select(schema.units.c.names).where(schema.units.c.main)).all()
    assert sorted(map(json.loads, asked)) == [["x"], ["y"]]
    assert current_page(run, other)["stage"] == "trial"
    run.store.close()


def test_a_pair_is_the_same_pair_in_whatever_order_the_items_are_listed(tmp_path):
    question = {"kind": "similarity"}
    open_survey(_csv_survey(tmp_path / "survey", "abc", question=question)).store.close()
    run = open_survey(_csv_survey(tmp_path / "survey", "cbad", question=question))
    with run.store.reader() as connection:
        rows = connection.execute(sa.select(schema.units)).all()
    assert len(rows) == 6 and all(row.main for row in rows)
    run.store.close()


def test_a_kind_that_asks_by_place_has_every_pair_in_both_orders_and_shows_it_so(tmp_path, monkeypatch):
    """ "Is the second better than the first?" is another question with the two exchanged."""
    better = replace(QUESTIONS["similarity"], summary="whether the second of two is better", in_place=2)
    monkeypatch.setitem(QUESTIONS, "better", better)
    folder, pairs = (
        tmp_path / "survey",
        sorted([first, second] for first in "abc" for second in "abc" if first != second),
    )
    run = open_survey(_csv_survey(folder, "abc", question={"kind": "better"}, protocol={"per_person": 6}))
    assert sorted(map(list, run.names.values())) == pairs
    me = arrive(run, {})
    page = current_page(run, me)
    while page["stage"] == "trial":
        page = submit(run, me, {"page": page["page"], "answer": {"value": 3}, "times": TIMES})["page"]
    rows = answer_table(run).to_pylist()
    assert sorted(row["shown"] for row in rows) == pairs and all(row["shown"] == row["items"] for row in rows)
    run.store.close()
    (folder / "units.csv").write_text("a,b\nb,a\n")
    run = open_survey(_csv_survey(folder, "abc", question={"kind": "better"}, units="units.csv"))
    assert len(run.units.main) == 2 and len(run.names) == 6
    run.store.close()


def test_a_database_with_the_tables_of_another_version_is_refused(opened):
    run = opened()
    with run.store.transaction() as connection:
        set_setting(connection, "schema", "1")
    with pytest.raises(ValueError, match=r"schema version 1, .* needs 2"):
        open_survey(run.survey.folder, run.store.url)


def test_forgotten_people_leave_no_id_in_the_database_files(tmp_path):
    run = open_survey(write_survey(tmp_path / "survey", people={"source": "prolific", "keep_ids": True}))
    me = arrive(run, from_prolific(0xFEED))
    decisions.exclude(run, me, "asked-for-it")
    holding = [path for path in run.survey.folder.glob("answers.db*") if f"{0xFEED:024x}".encode() in path.read_bytes()]
    assert holding
    decisions.forget(run, me)
    assert not [
        path for path in run.survey.folder.glob("answers.db*") if f"{0xFEED:024x}".encode() in path.read_bytes()
    ]
    run.store.close()


def test_an_error_in_the_log_contains_no_names(opened):
    run = opened()
    with pytest.raises(sa.exc.DBAPIError) as caught, run.store.transaction() as connection:
        connection.execute(sa.text("INSERT INTO nowhere VALUES (:person)"), {"person": "5f00-secret"})
    assert "5f00-secret" not in str(caught.value)


@pytest.mark.parametrize("odd", ["trial:\0", "trial:\ud800", "\0", "break:²", "break:1", "break:99999999"])
def test_texts_that_a_database_cannot_hold_and_breaks_that_are_none_are_refused(opened, odd):
    run = opened()
    me = arrive(run, {})
    with pytest.raises(RequestError):
        submit(run, me, {"page": odd, "answer": {}})
    with pytest.raises(RequestError, match="no such session"):
        current_page(run, odd)


def test_instructions_may_get_shorter_while_somebody_reads_them(tmp_path):
    folder = write_survey(tmp_path / "survey", protocol={"instructions": ["One.", "Two.", "Three."]})
    run = open_survey(folder)
    me = arrive(run, {})
    submit(run, me, {"page": "instructions:0"})
    assert submit(run, me, {"page": "instructions:1"})["page"]["text"] == "Three."
    run.store.close()
    run = open_survey(write_survey(folder, protocol={"instructions": ["One."]}))
    assert current_page(run, me)["stage"] == "trial"
    run.store.close()


def test_only_what_a_page_asks_for_is_kept(opened):
    run = opened(protocol={"consent": "Yes?"}, debrief=[{"name": "age", "question": "Age?"}])
    me = arrive(run, {})
    submit(run, me, {"page": "consent", "answer": {"agreed": True, "more": "x" * 10_000}})
    with run.store.reader() as connection:
        assert connection.scalars(sa.select(schema.pages.c.answer)).all() == ['{"agreed": true}']


def test_a_database_of_an_earlier_version_gets_the_index_by_which_draws_are_found_now(opened):
    run = opened()
    with run.store.transaction() as connection:
        connection.exec_driver_sql("DROP INDEX units_by_worth")
        connection.exec_driver_sql("CREATE INDEX units_by_priority ON units (main, priority)")
    opened()
    with run.store.reader() as connection:
        there = {index["name"] for index in sa.inspect(connection).get_indexes("units")}
    assert {"units_by_need", "units_by_worth"} <= there and "units_by_priority" not in there


def test_whoever_answers_does_not_wait_until_a_download_lets_somebody_be_forgotten(tmp_path):
    run = open_survey(write_survey(tmp_path / "survey"))
    journal = run.survey.folder / f"{DATABASE}-wal"
    rows = [{"at": 0.0, "kind": "x" * 500, "details": "{}"}] * 2000
    run.store.write(lambda connection: connection.execute(EVENT, rows))
    with ThreadPoolExecutor(2) as pool:
        with run.store.reader() as connection:
            download = iter(connection.execute(sa.select(schema.events)))
            next(download)
            run.store.write(lambda connection: connection.execute(EVENT, rows))
            emptied = pool.submit(run.store.tidy)
            for _ in range(5):
                pool.submit(run.store.write, lambda connection: connection.execute(EVENT, rows)).result(30)
            assert not emptied.done() and journal.stat().st_size
            list(download)
        emptied.result(60)
    assert not journal.stat().st_size
    run.store.close()
