"""Logging in and out of the dashboard: wrong keys take longer, the right one gets in, and what is ended stays ended."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from httpx import ASGITransport, AsyncClient
from starlette.testclient import TestClient

from dissensus.elicit.access import COOKIE, KNOWN, form_token
from dissensus.elicit.app import make_app
from dissensus.elicit.dashboard import wrong_keys
from dissensus.elicit.dashboard.wrong_keys import AT_ONCE, FREE, LONGEST, WrongKeys
from dissensus.elicit.survey_run import open_survey
from tests.elicit.loops import in_a_loop
from tests.elicit.surveys import give_key

PLACES = ("/dashboard", "/dashboard/data", "/dashboard/download/people.csv")


@pytest.fixture
def visit(opened):
    """Function that gives a browser of its own, in front of the app of the survey or of a new process of it."""
    run = opened()
    key = give_key(run.survey.folder)
    others = []

    def come(*, elsewhere=False):
        if elsewhere:
            others.append(open_survey(run.survey.folder, run.store.url))
        return TestClient(make_app(others[-1] if elsewhere else run), follow_redirects=False)

    come.run, come.key = run, key
    yield come
    for other in others:
        other.close()


def log_in(client, key):
    reply = client.post("/dashboard/login", content=f"key={key}")
    return reply.headers.get("location") == "../dashboard" and COOKIE in reply.cookies


def test_a_copied_cookie_opens_nothing_once_its_owner_has_logged_out(visit):
    owner = visit()
    assert log_in(owner, visit.key) and [owner.get(place).status_code for place in PLACES] == [200] * 3
    stolen = owner.cookies[COOKIE]
    thieves = [visit(), visit(elsewhere=True)]
    for thief in thieves:
        thief.cookies.set(COOKIE, stolen)
        assert thief.get("/dashboard").status_code == 200
    owner.post("/dashboard/logout")
    thieves.append(visit(elsewhere=True))  # a server that was started afterwards
    thieves[-1].cookies.set(COOKIE, stolen)
    token = {"x-form-token": form_token(visit.run.secret, stolen)}
    for thief in thieves:
        assert [thief.get(place).status_code for place in PLACES] == [401] * 3
        assert thief.post("/dashboard/change/stop", json={}, headers=token).status_code == 401
    again = visit()
    assert log_in(again, visit.key) and again.get("/dashboard").status_code == 200


def test_logging_out_twice_or_without_a_login_is_not_an_error(visit):
    client = visit()
    log_in(client, visit.key)
    cookie = client.cookies[COOKIE]
    for _ in range(2):
        client.cookies.set(COOKIE, cookie)
        assert client.post("/dashboard/logout").status_code == 303
    client.cookies.clear()
    assert client.post("/dashboard/logout").status_code == 303


def test_the_right_key_gets_in_after_any_number_of_wrong_ones(visit, monkeypatch):
    monkeypatch.setattr(wrong_keys, "STEP", 1e-6)
    client = visit()
    for _ in range(20):
        assert not log_in(client, "guess")
    assert log_in(client, visit.key)


def test_each_wrong_key_makes_the_next_wait_longer_up_to_a_limit_and_the_right_one_ends_that():
    attempts, waits = WrongKeys(), []
    for _ in range(15):
        waits.append(attempts.begin("a"))
        attempts.end("a", right=False)
    assert waits[:FREE] == [0.0] * FREE and waits[FREE] > 0 and waits[-1] == LONGEST
    growing = waits[FREE : waits.index(LONGEST) + 1]
    assert all(later > earlier for earlier, later in pairwise(growing))
    assert attempts.begin("b") == 0.0  # somebody else
    attempts.begin("a")
    attempts.end("a", right=True)
    assert attempts.begin("a") == 0.0


def test_many_attempts_at_once_do_not_get_round_the_wait():
    attempts = WrongKeys()
    waits = [attempts.begin("a") for _ in range(AT_ONCE + 3)]
    assert waits[AT_ONCE:] == [None] * 3 and waits[AT_ONCE - 1] > 0
    attempts.end("a", right=False)
    assert attempts.begin("a") > 0


def test_memory_of_senders_is_bounded():
    attempts = WrongKeys(most=10)
    for sender in map(str, range(50)):
        attempts.begin(sender)
        attempts.end(sender, right=False)
    assert len(attempts._tried) == 10 and not attempts._waiting


def test_a_browser_that_was_let_in_before_gets_in_while_others_flood_its_address(visit, monkeypatch):
    for name in ("STEP", "LONGEST"):
        monkeypatch.setattr(wrong_keys, name, 600.0)  # whoever has to wait is still waiting when the others are done
    app = make_app(visit.run)

    def browser():
        return AsyncClient(transport=ASGITransport(app, client=("203.0.113.9", 1)), base_url="http://testserver")

    async def attempt(client, key):
        return await client.post("/dashboard/login", content=f"key={key}")

    async def flood():
        async with browser() as owner, browser() as stranger:
            assert COOKIE in (await attempt(owner, visit.key)).cookies and KNOWN in owner.cookies
            await owner.post("/dashboard/logout")
            for _ in range(FREE):
                assert (await attempt(stranger, "guess")).headers["location"] == "../dashboard?wrong"
            guesses = [asyncio.create_task(attempt(stranger, f"guess{i}")) for i in range(AT_ONCE + 1)]
            refused, waiting = await asyncio.wait(guesses, return_when=asyncio.FIRST_COMPLETED)
            assert [guess.result().status_code for guess in refused] == [429] and len(waiting) == AT_ONCE
            page = refused.pop().result().text
            assert "Too many attempts" in page and 'href="../static/elicit.css"' in page
            assert (await attempt(stranger, visit.key)).status_code == 429
            assert COOKIE in (await attempt(owner, visit.key)).cookies
            stranger.cookies.set(KNOWN, "forged")
            assert (await attempt(stranger, visit.key)).status_code == 429
            assert not any(guess.done() for guess in waiting)
            for guess in waiting:
                guess.cancel()
            await asyncio.wait(waiting)
            stranger.cookies.clear()
            slow = asyncio.create_task(attempt(stranger, visit.key))  # who left waits no more, and those after them do
            assert not (await asyncio.wait([slow], timeout=0.2))[0]
            slow.cancel()
            await asyncio.wait([slow])

    in_a_loop(flood())
