"""The HTTP surface: what it serves, what it refuses, and that nothing it is sent makes it fail."""

from __future__ import annotations

import json
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from dissensus.elicit.access import COOKIE, set_key
from dissensus.elicit.app import make_app
from dissensus.elicit.database import schema
from dissensus.elicit.guard import LARGEST, RateLimit
from dissensus.elicit.identity import sign
from dissensus.elicit.media import media_address
from dissensus.elicit.questions.question_kinds import QUESTIONS
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, from_prolific, write_survey, write_survey_of

NASTY = '<img src=x onerror="alert(1)">'


@pytest.fixture
def served(tmp_path):
    """Function that serves a survey on SQLite; the client does not follow redirects."""
    running = []

    def serve(**sections):
        run = open_survey(write_survey(tmp_path / "survey", **sections))
        running.append(run)
        return run, TestClient(make_app(run), follow_redirects=False)

    yield serve
    for run in running:
        run.store.close()


def enter(client, query=""):
    reply = client.get(f"/start{query}")
    assert reply.status_code == 303, reply.text
    return {"authorization": f"Bearer {parse_qs(urlsplit(reply.headers['location']).fragment)['token'][0]}"}


def test_a_person_enters_answers_and_is_acknowledged(served):
    run, client = served()
    who = enter(client)
    page = client.post("/api/page", headers=who).json()
    reply = client.post(
        "/api/submit", headers=who, json={"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES}
    )
    assert reply.status_code == 200 and reply.json()["saved"] == page["page"]
    with run.store.reader() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.answers)) == 1


def test_every_reply_carries_a_strict_policy_and_no_cookie_is_set_for_annotators(served):
    _, client = served()
    for path in ("/run", "/start", "/healthy", "/static/run.js", "/nowhere", "/dashboard"):
        reply = client.get(path)
        policy = reply.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "http" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff" and "set-cookie" not in reply.headers
        assert reply.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "path",
    [
        "/media/0/../../survey.toml",
        "/media/..%2f..%2fsurvey.toml",
        "/media/%2e%2e",
        "/media/0",
        "/media/0/0",
        "/media/",
        "/media/p0",
        "/media/items%2fp0.png",
        "/media/items/p0.png",
        "/media/" + "0" * 32,
        "/media/0%00",
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2f..%2fapp.py",
    ],
)
def test_no_path_leads_out_of_what_is_shown(served, path):
    _, client = served()
    reply = client.get(path)
    assert reply.status_code in (400, 404) and "title" not in reply.text


def test_a_link_out_of_the_survey_is_refused_when_it_is_opened(tmp_path):
    folder = write_survey(tmp_path / "survey")
    (tmp_path / "secret.png").write_bytes(b"secret")
    (folder / "items" / "out.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(ValueError, match="outside the survey's"):
        open_survey(folder)


def test_pictures_have_addresses_that_only_the_survey_can_make(served, tmp_path):
    run, client = served()
    reply = client.get(f"/{media_address(run.secret, 'p3', 0)}")
    assert reply.status_code == 200 and reply.headers["content-type"] == "image/png"
    assert reply.content == (run.survey.folder / "items" / "p3.png").read_bytes()
    assert "max-age" in reply.headers["cache-control"]
    assert reply.headers["cross-origin-resource-policy"] == "same-origin"
    assert client.get(f"/{media_address(b'k' * 40, 'p3', 0)}").status_code == 404
    assert client.get(f"/{media_address(run.secret, 'p3', 1)}").status_code == 404
    assert len(run.media) == 8 == len({media_address(run.secret, name, 0) for name in run.units.items})


def test_somebody_learns_the_addresses_of_what_they_are_given_and_of_nothing_else(served):
    _, client = served(protocol={"per_person": 1})
    page = client.post("/api/page", headers=enter(client)).json()
    addresses = {page["stimuli"][0]["parts"][0]["src"], *page["preload"]}
    assert len(addresses) == 1 and client.get(f"/{addresses.pop()}").status_code == 200


def test_a_file_that_became_a_link_out_of_the_survey_is_not_shown_any_more(served, tmp_path):
    run, client = served()
    (tmp_path / "secret.png").write_bytes(b"secret")
    (run.survey.folder / "items" / "p3.png").unlink()
    assert client.get(f"/{media_address(run.secret, 'p3', 0)}").status_code == 404
    (run.survey.folder / "items" / "p3.png").symlink_to(tmp_path / "secret.png")
    assert client.get(f"/{media_address(run.secret, 'p3', 0)}").status_code == 404


def test_forged_expired_and_foreign_tokens_open_nothing(served):
    run, client = served()
    good = enter(client)["authorization"].removeprefix("Bearer ")
    name, _, seal = good.partition(".")
    other = "A" if seal[0] != "A" else "B"  # the last letter has bits that do not count
    forged = [
        f"{name}.{other}{seal[1:]}",
        "",
        "x.y",
        sign(b"k" * 40, "person", "a"),
        sign(run.secret, "invite", "a"),
        sign(run.secret, "dashboard", "a"),
    ]
    for token in forged:
        assert client.post("/api/page", headers={"authorization": f"Bearer {token}"}).status_code == 401
    unknown = sign(run.secret, "person", "nobody")
    assert client.post("/api/page", headers={"authorization": f"Bearer {unknown}"}).status_code == 404


def test_names_and_texts_of_a_survey_arrive_as_data_and_are_escaped_in_pages(served, tmp_path):
    (tmp_path / "survey").mkdir()
    (tmp_path / "survey" / "items.csv").write_text(f'item,text\na,"{NASTY.replace(chr(34), chr(34) * 2)}"\nb,plain\n')
    run, client = served(
        title=NASTY, items="items.csv", question={"kind": "choose", "classes": [NASTY, "b"]}, protocol={"per_person": 1}
    )
    for path in ("/run", "/dashboard"):
        assert "<img src=x" not in client.get(path).text
    page = client.post("/api/page", headers=enter(client))
    assert page.headers["content-type"] == "application/json" and NASTY in page.json()["question"]["classes"]
    script = "".join(path.read_text() for path in (run.survey.folder.parent / "survey").glob("*.js"))
    assert "innerHTML" not in script


def test_scripts_never_parse_text_as_markup():
    from dissensus.elicit.templates import PAGES

    for path in (PAGES / "static").glob("*.js"):
        text = path.read_text()
        assert not any(
            word in text for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
        )


def test_a_request_that_is_too_large_is_refused_with_or_without_a_stated_length(served):
    _, client = served()
    who = enter(client)
    assert client.post("/api/submit", headers=who, content=b"x" * (LARGEST + 1)).status_code == 413
    pieces = (b"x" * 65536 for _ in range(20))
    assert client.post("/api/submit", headers=who, content=pieces).status_code in (400, 413)


def test_haste_is_limited_for_each_sender_alone():
    bucket = RateLimit(rate=0.0, burst=3, most=10)
    assert [bucket.allows("a") for _ in range(4)] == [True, True, True, False]
    assert bucket.allows("b")
    for name in map(str, range(20)):
        bucket.allows(name)
    assert bucket.allows("a")  # forgotten, so it starts anew: memory is bounded


def test_a_class_behind_one_address_is_let_in_at_once(served):
    _, client = served()
    assert {client.get("/start").status_code for _ in range(200)} == {303}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("kind", QUESTIONS)
def test_nothing_that_is_sent_makes_the_server_fail(kind, tmp_path):
    """Own fuzzing: any JSON for the body, the answer and the times; the answer is never a 500."""
    run = open_survey(write_survey_of(kind, tmp_path / "survey"))
    client = TestClient(make_app(run), follow_redirects=False, raise_server_exceptions=True)
    who = enter(client)
    trial = client.post("/api/page", headers=who).json()["page"]
    example = QUESTIONS[kind].example

    @settings(max_examples=25)
    @given(JSON, JSON, JSON, st.sampled_from([trial, "consent", "trial:x", "break:1", "debrief", "instructions:0"]))
    def send(value, times, whole, page):
        bodies = [
            whole,
            {"page": page, "answer": value, "times": times},
            {"page": page, "answer": dict.fromkeys(example, value), "times": TIMES},
            *({"page": page, "answer": {**example, field: value}, "times": TIMES} for field in example),
        ]
        for body in bodies:
            try:
                content = json.dumps(body)
            except ValueError:
                continue
            reply = client.post("/api/submit", headers=who, content=content)
            assert reply.status_code in (200, 400, 404, 409, 422, 429), reply.text

    send()
    run.store.close()


def test_the_dashboard_opens_by_its_key_and_changes_need_the_pages_own_token(served):
    run, client = served()
    assert client.get("/dashboard").status_code == 401 and client.get("/dashboard/data").status_code == 401
    key = set_key(run.survey.folder)
    assert key not in (run.survey.folder / ".dashboard").read_text()
    assert "wrong" in client.post("/dashboard/login", content="key=guess").headers["location"]
    reply = client.post("/dashboard/login", content=f"key={key}")
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    client.cookies.set(COOKIE, reply.cookies[COOKIE])
    page = client.get("/dashboard")
    token = page.text.split('name="form-token" content="')[1].split('"')[0]
    assert client.post("/dashboard/change/stop", json={}).status_code == 403
    assert client.post("/dashboard/change/stop", json={}, headers={"x-form-token": "x"}).status_code == 403
    reply = client.post("/dashboard/change/stop", json={}, headers={"x-form-token": token}).json()
    assert reply["status"]["state"] == "stopped"
    assert client.post("/api/page", headers=enter(client)).json()["stage"] == "stopped"
    client.cookies.clear()
    assert client.get("/dashboard/download/answers.csv").status_code == 401


def test_an_exclusion_is_recorded_reopens_the_places_and_can_be_taken_back(served):
    from dissensus.elicit.dashboard import decisions
    from dissensus.elicit.export import answer_table, labels_of

    run, client = served(protocol={"per_person": 8, "per_item": 1})
    who = enter(client)
    page = client.post("/api/page", headers=who).json()
    while page["stage"] == "trial":
        page = client.post(
            "/api/submit", headers=who, json={"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES}
        ).json()["page"]
    with run.store.reader() as connection:
        person = connection.scalar(sa.select(schema.people.c.id))
    decisions.exclude(run, person, "answers blindly")
    assert answer_table(run).num_rows == 8 and answer_table(run).column("excluded").to_pylist() == [True] * 8
    with pytest.raises(ValueError, match="no answers yet"):
        labels_of(run)
    assert labels_of(run, with_excluded=True).n_answers == 8
    assert client.post("/api/page", headers=enter(client)).json()["stage"] == "trial"
    decisions.include(run, person)
    assert labels_of(run).n_answers == 8
    with run.store.reader() as connection:
        kinds = connection.scalars(sa.select(schema.events.c.kind)).all()
    assert "excluded" in kinds and "included" in kinds


def test_whoever_asks_to_be_forgotten_leaves_no_trace(served):
    from dissensus.elicit.dashboard import decisions

    run, client = served(people={"source": "prolific"})
    who = enter(client, f"?{urlencode(from_prolific(1))}")
    page = client.post("/api/page", headers=who).json()
    client.post("/api/submit", headers=who, json={"page": page["page"], "answer": {"choice": "cat"}, "times": TIMES})
    with run.store.reader() as connection:
        person = connection.scalar(sa.select(schema.people.c.id))
    assert decisions.forget(run, person) == 1
    with run.store.reader() as connection:
        for table in (schema.people, schema.trials, schema.answers, schema.pages):
            assert connection.scalar(sa.select(sa.func.count()).select_from(table)) == 0
        assert person not in str(connection.execute(sa.select(schema.events)).all())
        assert {row.assigned for row in connection.execute(sa.select(schema.units))} == {0}


def test_the_fields_that_mturk_needs_stay_in_the_browser(served):
    _, client = served(people={"source": "mturk"})
    preview = client.get("/start?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=3H1")
    assert preview.status_code == 200 and "preview" in preview.text
    query = "?workerId=A1W&assignmentId=3A1&hitId=3H1&turkSubmitTo=https%3A%2F%2Fworkersandbox.mturk.com"
    place = client.get(f"/start{query}").headers["location"]
    assert parse_qs(urlsplit(place).fragment)["turkSubmitTo"] == ["https://workersandbox.mturk.com"]
    other = client.get(query.join(["/start", ""]).replace("workersandbox.mturk.com", "evil.example")).headers[
        "location"
    ]
    assert "turkSubmitTo" not in parse_qs(urlsplit(other).fragment)
    assert "frame-ancestors https://www.mturk.com" in client.get("/run").headers["content-security-policy"]
