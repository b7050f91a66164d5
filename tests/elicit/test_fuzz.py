"""Whatever is sent to the server, it never answers with a fault of its own."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, quote, urlsplit

import numpy as np
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from dissensus.elicit.access import COOKIE, new_cookie
from dissensus.elicit.app import make_app
from dissensus.elicit.dashboard.annotator_table import annotator_rows
from dissensus.elicit.dashboard.status import survey_status
from dissensus.elicit.export import answer_table, labels_of
from dissensus.elicit.media import media_address
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, give_key, write_survey, write_survey_of

ODD = ["\0", "\ud800", "\udfff", "²", "٣", "NaN", "-1", "9" * 5000, "../..", "%00", "' OR 1=1 --", "x" * 3000]
text = st.text(st.characters(exclude_categories=()), max_size=12) | st.sampled_from(ODD)
number = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 10**18, 1e308, -0.0])
JSON = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
quick = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


def client_of(run):
    return TestClient(make_app(run), follow_redirects=False, raise_server_exceptions=True)


def percent(value):
    return quote(value.encode("utf-8", "surrogatepass"))


@pytest.fixture
def client(opened):
    """Serves the survey on each database; one that was let in to the dashboard and one that was not."""

    def serve(**sections):
        run = opened(**sections)
        give_key(run.survey.folder)
        return run, client_of(run)

    return serve


@pytest.mark.parametrize("source", ["open", "links", "prolific", "mturk"])
def test_no_query_makes_arriving_fail(client, source):
    _, web = client(people={"source": source, "keep_ids": True})
    known = st.sampled_from(["PROLIFIC_PID", "workerId", "invite", "assignmentId", "turkSubmitTo"])

    @quick
    @given(st.dictionaries(known | text, text, max_size=4))
    @example({"PROLIFIC_PID": "\0", "workerId": "\ud800", "invite": "a.b"})
    def send(query):
        encoded = "&".join(f"{percent(name)}={percent(value)}" for name, value in query.items())
        for path in ("/start", "/"):
            assert web.get(f"{path}?{encoded}").status_code in (200, 303, 403, 429)

    send()


@pytest.mark.parametrize("kind", QUESTIONS)
def test_no_answer_makes_submitting_fail_or_the_export_unreadable(tmp_path, kind):
    """Fields of every kind of question get any JSON; what is kept can still be exported and shown."""
    run = open_survey(
        write_survey_of(
            kind, tmp_path / "survey", protocol={"per_person": 8, "per_item": 99, "break_every": 2, "consent": "Yes?"}
        )
    )
    web, rng = client_of(run), np.random.default_rng(0)
    k = max(2, len(run.survey.question.classes))
    place = web.get("/start").headers["location"]
    who = {"authorization": f"Bearer {parse_qs(urlsplit(place).fragment)['token'][0]}"}
    fields = ("looked", "touched", "submitted", "changes", "away")

    @quick
    @given(JSON, JSON, st.dictionaries(st.sampled_from(fields), JSON, max_size=5), JSON, text)
    @example(None, {}, {"away": [[0, "x"]], "submitted": 10**400}, 10**400, "break:9")
    @example(None, {}, {"away": [[0]], "changes": [[1]]}, "\ud800", "trial:\0")
    def send(whole, value, times, stamp, page):
        here = web.post("/api/page", headers=who).json().get("page", "consent")
        answer = QUESTIONS[kind].simulate(run.survey.question, rng.dirichlet(np.ones(k)), rng)
        bodies = [
            whole,
            {"page": page, "answer": {}},
            {"page": here, "answer": value, "times": times, "client": stamp},
            {"page": here, "answer": {**answer, next(iter(answer)): value}, "times": times, "client": stamp},
            {"page": here, "answer": {**answer, "agreed": True}, "times": times, "client": stamp},
            {"page": here, "answer": {"agreed": True}, "times": times, "client": stamp},
            {"page": here, "answer": answer, "client": stamp, "times": TIMES},
        ]
        for body in bodies:
            reply = web.post("/api/submit", headers=who, content=json.dumps(body))
            assert reply.status_code in (200, 400, 404, 409, 422, 429), reply.text

    send()
    assert answer_table(run).num_rows > 0 and annotator_rows(run) and survey_status(run)["answers"] > 0
    assert not QUESTIONS[kind].labels_items or labels_of(run).n_answers == survey_status(run)["answers"]
    run.close()


def test_no_header_makes_the_server_fail(client):
    run, web = client()
    names = st.sampled_from(["authorization", "cookie", "x-form-token", "content-type", "host", "accept", "range"])
    value = st.binary(max_size=30).map(lambda raw: bytes(b for b in raw if b >= 32 and b != 127))

    @quick
    @given(st.dictionaries(names, value, max_size=3), st.sampled_from(["Bearer ", "", "Basic ", f"{COOKIE}="]))
    def send(headers, prefix):
        given_ = {name: prefix.encode() + content for name, content in headers.items() if name != "host"}
        for path in (
            "/api/page",
            "/api/submit",
            "/dashboard",
            f"/{media_address(run.secret, 'p0', 0)}",
            "/dashboard/data",
            "/start",
            "/dashboard/change/stop",
        ):
            reply = web.request("POST" if "api" in path or "change" in path else "GET", path, headers=given_)
            assert reply.status_code in (200, 206, 303, 400, 401, 403, 416, 429), (path, reply.text)

    send()


def test_no_path_makes_the_server_fail(client):
    _, web = client()
    part = text.map(percent) | st.integers(0, 10**30).map(str)

    @quick
    @given(part, part)
    @example("9" * 5000, "0")
    @example("%D9%A3", "%C2%B2")
    def send(name, inner):
        for folder in ("/media", f"/media/{inner}", "/static", "", "/dashboard/download", "/api"):
            assert web.get(f"{folder}/{name}").status_code in (200, 303, 307, 400, 401, 404, 405)

    send()


def test_no_decision_makes_the_dashboard_fail(client):
    run, web = client()
    me = arrive(run, {})
    submit(run, me, {"page": current_page(run, me)["page"], "answer": {"choice": "cat"}, "times": TIMES})
    web.cookies.set(COOKIE, new_cookie(run.secret, run.survey.folder))
    token = web.get("/dashboard").text.split('name="form-token" content="')[1].split('"')[0]
    what = st.sampled_from(["exclude", "include", "forget", "stop", "open", "extend", "else"])
    bodies = JSON | st.fixed_dictionaries({"person": st.just(me) | text, "why": JSON, "per_item": JSON})

    @quick
    @given(what, bodies)
    @example("exclude", {"person": me, "why": "\ud800"})
    @example("exclude", {"person": "\0", "why": "odd"})
    @example("extend", {"per_item": 10**400})
    def send(what, body):
        reply = web.post(f"/dashboard/change/{what}", content=json.dumps(body), headers={"x-form-token": token})
        assert reply.status_code in (200, 400, 404, 422), reply.text

    send()
    for name in ("answers.csv", "answers.jsonl", "answers.parquet", "people.csv", "people.jsonl", "people.parquet"):
        assert web.get(f"/dashboard/download/{name}").status_code == 200
    assert web.get("/dashboard/data").status_code == 200


def test_a_lost_database_is_reported_and_browsers_try_again(tmp_path, postgres):
    address = postgres()
    run = open_survey(write_survey(tmp_path / "survey"), address)
    web = client_of(run)
    place = web.get("/start").headers["location"]
    who = {"authorization": f"Bearer {parse_qs(urlsplit(place).fragment)['token'][0]}"}
    with run.store.transaction() as connection:
        connection.execute(sa.text("ALTER TABLE answers RENAME TO elsewhere"))
    reply = web.post("/api/page", headers=who)
    assert reply.status_code == 503 and reply.headers["retry-after"] == "5" and "database" in reply.json()["error"]
    with run.store.transaction() as connection:
        connection.execute(sa.text("ALTER TABLE elsewhere RENAME TO answers"))
        # Whoever administers the server ends all connections: the pool notices and opens new ones.
        connection.execute(
            sa.text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                "AND datname = current_database()"
            )
        )
    assert web.post("/api/page", headers=who).json()["stage"] == "trial"
    run.store.close()
