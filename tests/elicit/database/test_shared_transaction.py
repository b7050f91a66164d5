"""What many people do in one transaction is read ahead and put off, and comes out as if each had been alone."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.database.shared_transaction import INDEPENDENT, defer, rows_of
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.draws import give_back
from dissensus.elicit.session.session import PERSON, current_page, submit, take_back
from dissensus.elicit.survey_run import RequestError
from tests.elicit.database.test_store import counters
from tests.elicit.session.test_session import rows
from tests.elicit.surveys import TIMES

SEEN = sa.update(schema.people).where(schema.people.c.id == sa.bindparam("person_")).values(seen=sa.bindparam("at"))


def in_one_transaction(run, calls):
    """Do all of these calls in one transaction, as of people who come while another is committed; their results.

    calls  whom each is about, or None, and the call
    """
    works = []
    run.store.write = works.append
    for _, call in calls:
        call()
    del run.store.write
    with run.store.transaction([person for person, _ in calls if person is not None]) as connection:
        return [work(connection) for work in works]


def answer(run, person, page, choice="cat"):
    return person, lambda: submit(run, person, {"page": page["page"], "answer": {"choice": choice}, "times": TIMES})


def decision(decide, run, *args):
    return None, lambda: decide(run, *args)


@pytest.fixture
def statements(opened):
    """A survey with six people at their first trial, and a list that grows by every statement."""
    run = opened(protocol={"per_person": 8, "per_item": 6})
    people = [arrive(run, {}) for _ in range(6)]
    pages = {person: current_page(run, person) for person in people}
    seen = []
    sa.event.listen(run.store.engine, "before_cursor_execute", lambda *args: seen.append(args[2]))
    return run, people, pages, seen


def test_six_people_are_read_at_once_and_their_answers_written_at_once(statements):
    run, people, pages, seen = statements
    replies = in_one_transaction(run, [answer(run, person, pages[person]) for person in people])
    assert all(reply["page"]["stage"] == "trial" for reply in replies)
    assert len(seen) <= 10  # BEGIN or the lock; people, what they had and what is wanted; answers, draws, trials
    assert len(rows(run, schema.answers)) == 6
    stored, counted = counters(run)
    assert stored == counted
    held = [row for row in rows(run, schema.trials) if row.held]
    assert len(held) == 6 and len({row.person for row in held}) == 6


def test_whatever_else_is_done_in_between_sees_what_came_before_it(statements):
    run, people, pages, _ = statements
    late, me = people[:2]
    calls = [
        answer(run, late, pages[late]),
        decision(decisions.exclude, run, late, "odd"),  # sees the answer that was put off
        decision(decisions.exclude, run, me, "odd"),
        answer(run, me, pages[me]),  # whose author was read ahead before that
        decision(decisions.extend, run, 7),
        answer(run, people[2], pages[people[2]]),
        decision(decisions.stop, run),
        (people[3], lambda: current_page(run, people[3])),
    ]
    replies = in_one_transaction(run, calls)
    assert replies[-1]["stage"] == "stopped" and replies[5]["page"]["stage"] == "trial"
    stored, counted = counters(run)
    assert stored == counted and sum(answered for _, answered in stored.values()) == 1


def test_the_same_person_twice_gets_on_by_one_trial_each_time(statements):
    run, people, pages, _ = statements
    me, page = people[0], pages[people[0]]
    first, again, reopened = in_one_transaction(
        run,
        [answer(run, me, page), answer(run, me, page, "dog"), (me, lambda: take_back(run, me, {"page": page["page"]}))],
    )
    assert first["page"]["page"] == again["page"]["page"] != page["page"] and reopened["before"] == {"choice": "cat"}
    assert len(rows(run, schema.answers)) == 1 and sum(row.person == me for row in rows(run, schema.trials)) == 2


@pytest.mark.parametrize("draw", ["least-answered", "expected-error"])
def test_any_order_in_any_groups_keeps_counters_and_bounds(opened, draw):
    """People come, answer, answer twice, take back, are excluded and let in again, in groups of random sizes."""
    run = opened(protocol={"per_person": 6, "per_item": 5, "draw": draw})
    chance = random.Random(7)
    people = [arrive(run, {}) for _ in range(7)]
    pages = {person: current_page(run, person) for person in people}
    for _ in range(60):
        calls = []
        for _ in range(chance.randrange(1, 9)):
            who, what = chance.choice(people), chance.random()
            page, last = pages[who], pages[who].get("take_back")
            if what < 0.7 and page["stage"] == "trial":
                calls.append(answer(run, who, page, chance.choice(["cat", "dog"])))
            elif what < 0.8 and last:
                calls.append((who, lambda who=who, last=last: take_back(run, who, {"page": last})))
            elif what < 0.85:
                calls.append(decision(decisions.exclude, run, who, "odd"))
            elif what < 0.9:
                calls.append(decision(decisions.include, run, who))
        try:
            replies = in_one_transaction(run, calls)
        except RequestError:  # as that only the last answer can be taken back: nothing of the group is kept
            replies = []
        for (who, _), reply in zip(calls, replies, strict=False):
            if who is not None:
                pages[who] = reply.get("page", reply) if isinstance(reply.get("page"), dict) else reply
        stored, counted = counters(run)
        assert stored == counted
    given = Counter((row.person, row.unit) for row in rows(run, schema.trials) if row.kind == "main")
    assert max(given.values()) == 1 and len(rows(run, schema.answers)) > 15


def test_what_was_put_off_is_there_for_whoever_looks_and_gone_with_a_failure(statements):
    run, people, _, _ = statements
    me = people[0]
    with run.store.transaction(people) as connection:
        before = rows_of(connection, PERSON, me)[0].seen
        defer(connection, SEEN, {"person_": me, "at": before + 100})
        aside = PERSON.execution_options(**INDEPENDENT)
        assert connection.execute(aside, {"people_": [me]}).one().seen == before
        assert rows_of(connection, PERSON, me)[0].seen == before + 100
    with pytest.raises(ZeroDivisionError), run.store.transaction(people) as connection:
        defer(connection, SEEN, {"person_": me, "at": before + 200})
        raise ZeroDivisionError
    with run.store.transaction(people) as connection:
        assert rows_of(connection, PERSON, me)[0].seen == before + 100
        assert rows_of(connection, PERSON, "nobody") == []


def test_an_answer_that_came_after_its_place_was_given_back_counts_for_the_next_draw(opened):
    run = opened(protocol={"per_person": 2, "per_item": 1})
    late, next_one = (arrive(run, {}) for _ in range(2))
    pages = {person: current_page(run, person) for person in (late, next_one)}
    mine = next(row for row in rows(run, schema.trials) if row.person == late)
    free = next(row.id for row in rows(run, schema.units) if row.assigned == 0)
    with (
        run.store.transaction() as connection
    ):  # missing are the place that was given back, and one for its first holder
        give_back(connection, mine.id, mine.unit)
        others = sa.update(schema.units).where(schema.units.c.id.not_in([mine.unit, free]))
        connection.execute(others.values(assigned=1, answered=1))
    in_one_transaction(run, [answer(run, person, page) for person, page in pages.items()])
    assert [row.person for row in rows(run, schema.trials) if row.unit == mine.unit] == [late]
