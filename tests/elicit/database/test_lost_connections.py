"""A connection that is lost right after a commit: nobody knows that it is done, it is done again, and is there once."""

from __future__ import annotations

import pytest

from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.ranking import rank_if_due
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import RequestError, open_survey
from tests.elicit.database.test_store import counters
from tests.elicit.postgres import lose_connections
from tests.elicit.session.test_session import rows, through_trials
from tests.elicit.surveys import TIMES, write_survey


@pytest.fixture
def losing(tmp_path, postgres):
    """A survey on PostgreSQL, and a function after which the next commit passes and loses its connection."""
    run = open_survey(
        write_survey(tmp_path / "survey", protocol={"draw": "expected-error", "per_item": 3, "per_person": 4}),
        postgres(),
    )
    due = []
    lose_connections(run.store.engine, due)
    yield run, lambda: due.append(True)
    assert not due
    run.store.close()


def test_everything_is_there_once(losing):
    run, lose = losing
    lose()
    me = arrive(run, {})
    lose()
    page = current_page(run, me)
    while page["stage"] == "trial":
        lose()
        page = submit(run, me, {"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})["page"]
    assert page["stage"] == "done" and len(rows(run, schema.people)) == 1 and len(rows(run, schema.answers)) == 4
    stored, counted = counters(run)
    assert stored == counted


def test_decisions_are_written_down_once(losing):
    run, lose = losing
    me = arrive(run, {})
    through_trials(run, me)
    for decide in (
        lambda: decisions.exclude(run, me, "odd"),
        lambda: decisions.include(run, me),
        lambda: decisions.stop(run),
        lambda: decisions.reopen(run),
        lambda: decisions.extend(run, 5),
    ):
        lose()
        decide()
    lose()
    assert decisions.forget(run, me) == 4
    kinds = [row.kind for row in sorted(rows(run, schema.events), key=lambda row: row.id)]
    assert kinds == ["done", "excluded", "included", "stopped", "opened", "extended", "forgotten"]
    with pytest.raises(RequestError, match="no such person"):
        decisions.forget(run, me)


def test_a_ranking_that_was_claimed_is_made(losing):
    run, lose = losing
    through_trials(run, arrive(run, {}))
    lose()
    rank_if_due(run)
    assert len({row.priority for row in rows(run, schema.units)}) > 1
