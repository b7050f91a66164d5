"""Units that are looked up once and taken by many are those that the database would have given one by one."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import sqlalchemy as sa

from dissensus.elicit.database.schema import units
from dissensus.elicit.session.draws import TAKE
from dissensus.elicit.session.offers import Offers, Unit, Upcoming
from dissensus.elicit.survey_run import open_survey
from tests.elicit.session.test_session import rows
from tests.elicit.surveys import write_survey

ORDERS = {
    "least-answered": lambda unit: (unit.assigned, unit.tie),
    "expected-error": lambda unit: (-unit.priority, unit.assigned, unit.tie),
}


@pytest.fixture(params=["least-answered", "expected-error"])
def scattered(request, opened):
    """A survey of eight units whose counts and priorities are scattered, some of them known well enough."""
    run, chance = opened(protocol={"per_item": 6}), random.Random(3)
    with run.store.transaction() as connection:
        for unit in rows(run, units):
            values = {"assigned": chance.randrange(4), "priority": chance.choice([0.0, 0.2, 0.4, -1.0])}
            connection.execute(sa.update(units).where(units.c.id == unit.id).values(values))
    return run, request.param, chance


def best(run, draw, per_item, had):
    """What a look at all units gives somebody who had these."""
    there = [unit for unit in rows(run, units) if unit.main and unit.assigned < per_item and unit.id not in had]
    if draw == "expected-error":
        there = [unit for unit in there if unit.priority >= 0]
    return min(there, key=ORDERS[draw]).id if there else None


@pytest.mark.parametrize("most", [1, 2, 5, 8, 20])
def test_everybody_gets_what_is_wanted_most_of_what_they_have_not_had(scattered, most):
    run, draw, chance = scattered
    with run.store.transaction() as connection:
        offers = Offers(connection, draw, 6, most)
    for _ in range(60):
        had = set(chance.sample(range(8), chance.randrange(8)))
        wanted = best(run, draw, 6, had)
        unit = offers.take(had, None)
        if unit is None and not offers.complete:
            with run.store.transaction() as connection:
                offers.look_up(connection, len(had) + most)
            unit = offers.take(had, None)
        assert (unit and unit.id) == wanted
        if unit is not None:
            with run.store.transaction() as connection:
                connection.execute(TAKE, {"unit_": unit.id, "tie_": unit.tie})
            there = next(
                Unit(row.id, row.assigned, row.priority, row.tie) for row in rows(run, units) if row.id == unit.id
            )
            assert there == unit


def test_what_was_expected_is_given_until_somebody_else_takes_it(scattered):
    run, draw, _ = scattered
    with run.store.transaction() as connection:
        offers = Offers(connection, draw, 6, 8)
    upcoming = offers.next_for(set())
    assert offers.take(set(), upcoming).id == upcoming.unit
    again = offers.take(set(), upcoming)
    assert again.id != upcoming.unit or again.assigned == upcoming.assigned + 2
    assert offers.take({upcoming.unit}, Upcoming(upcoming.unit, upcoming.assigned + 2)).id != upcoming.unit


def test_those_who_draw_together_are_told_to_expect_different_units(opened):
    run = opened(protocol={"per_item": 6})
    with run.store.transaction() as connection:
        offers = Offers(connection, "least-answered", 6, 8)
    upcoming = Counter(offers.next_for(set()).unit for _ in range(200))
    assert len(upcoming) == 8


def test_nothing_is_offered_where_nothing_is_missing(scattered):
    run, draw, _ = scattered
    with run.store.transaction() as connection:
        connection.execute(sa.update(units).values(assigned=6))
        offers = Offers(connection, draw, 6, 4)
    assert offers.complete and offers.take(set(), Upcoming(1, 0)) is None and offers.next_for(set()) is None


def test_what_was_expected_is_given_however_few_draw_together_then(opened):
    run = opened(protocol={"per_item": 6})
    for _ in range(20):
        with run.store.transaction() as connection:
            upcoming = Offers(connection, "least-answered", 6, 8).next_for(set())
            assert Offers(connection, "least-answered", 6, 1).take(set(), upcoming).id == upcoming.unit


@pytest.mark.parametrize(
    ("draw", "indexes"),
    [
        ("least-answered", ["units_by_need", "units_by_need"]),
        ("expected-error", ["units_by_worth"]),
    ],
)
def test_an_index_gives_units_in_the_order_of_draws_without_a_look_at_all_of_them(draw, indexes, tmp_path):
    """Sorting 100,000 units takes SQLite a tenth of a second, which each answer would wait for."""
    run = open_survey(write_survey(tmp_path / "survey"))
    seen = []
    sa.event.listen(run.store.engine, "before_cursor_execute", lambda *args: seen.append(args[2:4]))
    with run.store.transaction() as connection:
        Offers(connection, draw, 6, 8)
        looks = [look for look in seen if "FROM units" in look[0]]
        plans = [
            row[3] for sql, given in looks for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", given)
        ]
    run.store.close()
    assert len(plans) == len(indexes)
    assert all(
        plan.startswith("SEARCH units USING") and index in plan for plan, index in zip(plans, indexes, strict=True)
    )
