"""Who comes by a link, who goes on by one, and which links are refused: on SQLite and on PostgreSQL."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from dissensus.elicit.database import schema
from dissensus.elicit.session.arrivals import StartedElsewhereError, arrive
from dissensus.elicit.survey_run import RequestError
from tests.elicit.surveys import from_prolific


def test_the_id_of_somebody_opens_nothing_that_they_have_begun(opened):
    run = opened(people={"source": "prolific"})
    me = arrive(run, from_prolific(1))
    known = from_prolific(1)["PROLIFIC_PID"]
    for query in (
        {"PROLIFIC_PID": known},
        from_prolific(1, visit=2),
        {**from_prolific(1), "SESSION_ID": ""},
        {"PROLIFIC_PID": known, "STUDY_ID": from_prolific(1)["STUDY_ID"]},
    ):
        with pytest.raises(StartedElsewhereError, match="another browser") as refused:
            arrive(run, query)
        assert refused.value.status == 403 and me not in str(refused.value) + refused.value.whose
    assert arrive(run, from_prolific(1)) == me  # the same visit goes on
    assert arrive(run, from_prolific(2)) != me


def test_a_worker_continues_with_the_same_assignment_only(opened):
    run = opened(people={"source": "mturk"})
    query = {"workerId": "A1B2C3", "assignmentId": "3X1", "hitId": "3H1"}
    me = arrive(run, query)
    assert arrive(run, query) == me
    with pytest.raises(StartedElsewhereError):
        arrive(run, {**query, "assignmentId": "3X2"})


def test_whoever_began_without_a_visit_is_not_opened_by_inventing_one(opened):
    run = opened(people={"source": "prolific"})
    arrive(run, {"PROLIFIC_PID": "ab" * 12})
    for query in ({"PROLIFIC_PID": "ab" * 12}, {"PROLIFIC_PID": "ab" * 12, "SESSION_ID": "cd" * 12}):
        with pytest.raises(StartedElsewhereError):
            arrive(run, query)


@pytest.mark.parametrize(
    ("source", "query", "message"),
    [
        ("prolific", {"PROLIFIC_PID": "bob"}, "PROLIFIC_PID is 'bob' .* 24 hexadecimal"),
        ("prolific", {**from_prolific(1), "SESSION_ID": "x" * 24}, "SESSION_ID is 'xxx"),
        ("prolific", {**from_prolific(1), "STUDY_ID": "1"}, "STUDY_ID is '1'"),
        ("prolific", {**from_prolific(1), "SESSION_ID": "{{%SESSION_ID%}}"}, "incomplete: SESSION_ID"),
        ("mturk", {"workerId": "me"}, "workerId is 'me' .* an A "),
        ("mturk", {"workerId": "A1", "assignmentId": "../x"}, "assignmentId is '../x'"),
        ("mturk", {"workerId": "A1", "assignmentId": "B", "hitId": "b" * 65}, "hitId is 'bbb"),
    ],
)
def test_an_id_that_the_site_could_not_have_given_is_refused(opened, source, query, message):
    run = opened(people={"source": source})
    with pytest.raises(RequestError, match=message):
        arrive(run, query)
    with run.store.reader() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.people)) == 0
