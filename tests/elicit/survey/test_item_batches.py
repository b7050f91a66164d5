"""Batches from a file: each is given whole, to as many people as it is to have, also when they come at once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey.item_batches import read_batches
from dissensus.elicit.survey_run import open_survey
from tests.elicit.database.test_store import counters
from tests.elicit.session.test_session import answer, rows, through_trials
from tests.elicit.surveys import time_passes, write_survey


@pytest.fixture
def batches(opened, tmp_path):
    """Function that opens a survey with these batches of items, `per_item` people to each."""

    def made(per_item=1, protocol=None, **listed):
        (tmp_path / "survey").mkdir()
        lines = "".join(f"{batch},{item}\n" for batch, items in listed.items() for item in items.split())
        (tmp_path / "survey" / "batches.csv").write_text("batch,item\n" + lines)
        settings = {"draw": "batches", "batches": "batches.csv", "per_person": 8, "per_item": per_item}
        return opened(protocol={**settings, **(protocol or {})})

    return made


def test_each_is_given_whole_to_the_one_with_fewest_people(batches):
    run = batches(per_item=2, a="p0 p1", b="p2 p3")
    for _ in range(4):
        through_trials(run, arrive(run, {}))
    by_person = {}
    for row in rows(run, schema.answers):
        by_person.setdefault(row.person, set()).add(row.unit)
    assert sorted(map(sorted, by_person.values())) == [[0, 1], [0, 1], [2, 3], [2, 3]]
    assert survey_status(run)["share"] == 1


def test_one_that_has_its_people_is_given_to_nobody_else_until_one_leaves_it(batches):
    run = batches(a="p0 p1", b="p1 p2")
    through_trials(run, arrive(run, {}))
    leaves = arrive(run, {})
    assert current_page(run, leaves)["stage"] == "trial"
    waits = arrive(run, {})
    assert current_page(run, waits)["stage"] == "waiting"
    with run.store.transaction() as connection:
        connection.execute(sa.update(schema.people).values(seen=schema.people.c.seen - 2 * 3600))
    shown, last = through_trials(run, waits)
    assert len(shown) == 2 and last["stage"] == "done"
    assert current_page(run, arrive(run, {}))["stage"] == "full"
    assert sorted(row.answered for row in rows(run, schema.units) if row.answered) == [1, 1, 2]


def test_a_page_that_is_left_open_does_not_hold_a_batch_for_ever(batches):
    """It gives signs of life all the time; five times as long as for somebody silent is the end of that."""
    run = batches(a="p0 p1", protocol={"hold_minutes": 3})
    idle, waits = arrive(run, {}), arrive(run, {})
    for minutes, stage in ((0, "waiting"), (14, "waiting"), (2, "trial")):
        time_passes(run, idle, 60 * minutes)
        assert current_page(run, idle)["stage"] == "trial"
        assert current_page(run, waits)["stage"] == stage
        stored, counted = counters(run)
        assert stored == counted
    assert through_trials(run, waits)[1]["stage"] == "done"
    assert through_trials(run, idle)[1]["stage"] == "done"  # whoever comes back may still answer, and it counts
    assert {row.answered for row in rows(run, schema.units) if row.id < 2} == {2}
    stored, counted = counters(run)
    assert stored == counted


def test_an_active_person_holds_a_batch_for_any_length_of_time(batches):
    run = batches(a="p0 p1 p2 p3", protocol={"hold_minutes": 3, "break_every": 2})
    me, waits = arrive(run, {}), arrive(run, {})
    page = current_page(run, me)
    while page["stage"] in ("trial", "break"):
        time_passes(run, me, 60 * 10)
        assert current_page(run, waits)["stage"] == "waiting"
        page = submit(run, me, {"page": page["page"]})["page"] if page["stage"] == "break" else answer(run, me)["page"]
    assert page["stage"] == "done" and current_page(run, waits)["stage"] == "full"


def test_people_of_a_removed_batch_continue_with_another(batches, database):
    run = batches(a="p0 p1 p2")
    me = arrive(run, {})
    page = current_page(run, me)
    (run.survey.folder / "batches.csv").write_text("batch,item\nb,p3\nb,p4\n")
    read_batches.cache_clear()  # as in the process of another server
    later = open_survey(run.survey.folder, database)
    try:
        assert current_page(later, me)["page"] == page["page"]
        shown, last = through_trials(later, me)
        assert len(shown) == 3 and last["stage"] == "done"
        assert {row.batch for row in rows(later, schema.people)} == {"b"}
        assert counters(later)[0] == counters(later)[1]
        assert current_page(later, arrive(later, {}))["stage"] == "full"
    finally:
        later.store.close()


def test_an_exclusion_frees_a_place(batches):
    run = batches(a="p0 p1", b="p2 p3")
    people = [arrive(run, {}) for _ in range(2)]
    for somebody in people:
        through_trials(run, somebody)
    decisions.exclude(run, people[0], "odd")
    assert through_trials(run, arrive(run, {}))[1]["stage"] == "done"
    assert survey_status(run)["share"] == 1


def test_people_who_come_at_once_are_not_too_many(batches):
    run = batches(per_item=2, a="p0 p1 p2 p3", b="p4 p5 p6 p7")
    people = [arrive(run, {}) for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda somebody: through_trials(run, somebody), people))
    assert Counter(current_page(run, somebody)["stage"] for somebody in people) == {"done": 4, "full": 6}
    assert Counter(row.batch for row in rows(run, schema.people)) == {"a": 2, "b": 2, None: 6}
    assert {row.answered for row in rows(run, schema.units)} == {2}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("a,p0\na,p99\n", "batch 'a': unknown item 'p99'"),
        ("a,p0\na,p1\na,p2\n", "batch 'a' has 3 items, .*per_person is 2.*raise per_person"),
    ],
)
def test_one_that_cannot_be_given_is_refused_before_anybody_comes(tmp_path, lines, message):
    folder = write_survey(tmp_path / "survey", protocol={"draw": "batches", "batches": "batches.csv", "per_person": 2})
    (folder / "batches.csv").write_text("batch,item\n" + lines)
    with pytest.raises(ValueError, match=message):
        open_survey(folder)
