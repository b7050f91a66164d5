"""Connections on which a request does not arrive are closed; slow ones and idle ones are not. By raw sockets."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest
import uvicorn

from dissensus.elicit import slow_senders
from dissensus.elicit.app import make_app
from dissensus.elicit.identity import sign
from dissensus.elicit.server import SETTINGS, find_free_port
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.session import current_page
from dissensus.elicit.survey_run import open_survey
from tests.elicit.surveys import TIMES, write_survey

GET = b"GET /healthy HTTP/1.1\r\nHost: x\r\n\r\n"
SHORT = 0.2


@pytest.fixture
def server(tmp_path):
    """A running survey and the port of its server, with the settings of `elicit serve`."""
    run, port = open_survey(write_survey(tmp_path / "survey")), find_free_port()
    server = uvicorn.Server(uvicorn.Config(make_app(run), port=port, timeout_graceful_shutdown=1, **SETTINGS))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield run, port
    server.should_exit = True
    thread.join(20)


def connect(port):
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def until_closed(there):
    """Everything that comes until the other side hangs up; a time-out where it never does."""
    said = b""
    while got := there.recv(65536):
        said += got
    return said


def survey_status(there):
    reply = b""
    while b"\r\n\r\n" not in reply:
        reply += there.recv(65536)
    return int(reply.split()[1])


@pytest.mark.parametrize(
    ("part", "sent"),
    [
        ("HEADERS", b"G"),
        ("HEADERS", b"GET /healthy HTTP/1.1\r\nX-A: "),
        ("HEADERS", GET[:-2]),
        ("BODY", b"POST /api/page HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{"),
        ("BODY", b"POST /dashboard/login HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nkey="),
    ],
)
def test_a_request_that_does_not_arrive_is_given_up(server, monkeypatch, part, sent):
    monkeypatch.setattr(slow_senders, part, SHORT)
    with connect(server[1]) as there:
        there.sendall(sent)
        reply = until_closed(there)
    # Without a token a page needs no body to be refused.
    assert reply.startswith((b"HTTP/1.1 408", b"HTTP/1.1 401")) and reply.count(b"HTTP/1.1 ") == 1


def test_drops_of_a_request_do_not_hold_a_connection_open(server, monkeypatch):
    monkeypatch.setattr(slow_senders, "HEADERS", SHORT)
    with connect(server[1]) as there:
        there.sendall(GET[:-2])
        with pytest.raises(ConnectionError):
            for _ in range(2000):  # a header at a time, for longer than anybody should wait
                there.sendall(b"X-A: b\r\n")
                time.sleep(SHORT / 10)


@pytest.mark.parametrize(("before", "sent"), [(b"", b""), (b"", b"\r\n"), (GET, b"\r\n")])
def test_a_connection_on_which_no_request_begins_is_given_up(server, monkeypatch, before, sent):
    monkeypatch.setattr(slow_senders, "FIRST", SHORT)
    with connect(server[1]) as there:
        if before:
            there.sendall(before)
            assert survey_status(there) == 200
        there.sendall(sent)
        until_closed(there)


def test_an_idle_connection_is_kept_for_the_next_request(server, monkeypatch):
    for part in ("FIRST", "HEADERS", "BODY"):
        monkeypatch.setattr(slow_senders, part, SHORT)
    with connect(server[1]) as there:
        for _ in range(3):
            there.sendall(GET)
            assert survey_status(there) == 200
            time.sleep(3 * SHORT)


def test_a_slow_phone_hands_in_its_answer(server):
    run, port = server
    me = arrive(run, {})
    sent = {"page": current_page(run, me)["page"], "answer": {"choice": "cat"}, "times": TIMES}
    body = json.dumps(sent).encode()
    head = (
        f"POST /api/submit HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {sign(run.secret, 'person', me)}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    with connect(port) as there:
        for byte in range(0, len(head + body), 4):
            there.sendall((head + body)[byte : byte + 4])
            time.sleep(0.01)
        assert survey_status(there) == 200
