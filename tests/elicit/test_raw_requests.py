"""Bytes as no browser sends them, at a real server: it refuses them, and writes no fault of its own into its log."""

from __future__ import annotations

import logging
import socket
import threading
import time
from itertools import count

import pytest
import uvicorn

from dissensus.elicit.access import COOKIE, form_token, new_cookie
from dissensus.elicit.app import make_app
from dissensus.elicit.guard import LARGEST
from dissensus.elicit.identity import sign
from dissensus.elicit.media import media_address
from dissensus.elicit.server import find_free_port
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.slow_senders import PromptProtocol
from tests.elicit.surveys import give_key

POSTS = (b"/api/submit", b"/api/page", b"/dashboard/login", b"/dashboard/change/exclude")
BODIES = {
    "no text": b'{"page": "\xff\xfe"}',
    "a raw character 0": b'{"page": "\x00"}',
    "a character 0": rb'{"page": "\u0000", "answer": {"choice": "\u0000"}, "person": "\u0000", "why": "\u0000"}',
    "half characters": rb'{"page": "\ud800", "answer": {"\ud800": "\udfff"}, "person": "\ud800", "why": "\udfff"}',
    "half characters in a trial": rb'{"page": "trial:\ud800", "answer": {}}',
    "infinite": b'{"page": 1e999}',
    "not a number": b'{"page": NaN, "answer": {"choice": -Infinity}, "client": 1e999}',
    "many digits": b"9" * 5000,
    "lists in lists": b"[" * 100_000,
    "objects in objects": b'{"a":' * 50_000,
    "objects as deep as can be read": b'{"page": "x", "answer": ' + b'{"a":' * 900 + b"1" + b"}" * 901,
    "the same key twice": b'{"page": "a", "page": "b"}',
    "UTF-16": '{"page": "x"}'.encode("utf-16"),
    "a byte order mark": b"\xef\xbb\xbf{}",
    "nothing": b"",
    "a form": b"key=%00&key=%ff&%ed%a0%80=x",
    "null": b"null",
}
TYPES = (b"application/json", b"multipart/form-data; boundary=x", b"text/plain; charset=utf-99", b"\xff", b"")
PATHS = (
    b"/media/" + b"%2e%2e%2f" * 20 + b"etc/passwd",
    b"/media/..%2f..%2fsurvey.toml",
    b"/media/%00",
    b"/media/%ff",
    b"/media/%",
    b"/media//",
    b"/media/..;/survey.toml",
    b"/media/" + b"a" * 60_000,
    b"/static/" + b"a" * 5000,
    b"/static/%2e%2e%2f%2e%2e%2fapp.py",
    b"/static/..%5capp.py",
    b"/static/%00",
    b"/static/run.js%00",
    b"/static/" + b"a/" * 2000,
    b"/static/.",
    b"/static/",
    b"/static//etc/passwd",
    b"//etc/passwd",
    b"*",
    b"http://evil.example/run",
    b"/\xff",
    b"/start?" + b"a=b&" * 5000,
    b"/start?%ff=%00&PROLIFIC_PID=%ed%a0%80",
    b"/dashboard/download/%2e%2e%2f",
    b"/dashboard/download/answers.csv%00",
    b"/?\xff",
    b"/?%0d%0aSet-Cookie:%20a=b",
)
HEADERS = (
    b"X-A: " + b"a" * 70_000,
    b"\r\n".join(b"X-%d: a" % i for i in range(3000)),
    b"Content-Type: \x00",
    b": x",
    b"Range: bytes=0-99999999999999999999",
    b"Range: bytes=" + b"0-0," * 2000 + b"1-1",
    b"Range: bytes=-1",
    b"Range: bytes=5-1",
    b"Range: \xff",
    b"If-Range: \xff",
    b"Cookie: " + b"a=b;" * 3000,
    b"Cookie: \xff\x01",
    COOKIE.encode().join([b"Cookie: ", b"=\xff"]),
    b"Authorization: Bearer \xff\xfe",
    b"No colon",
    b"Authorization: Bearer " + b"a" * 20_000,
    b"X-Forwarded-For: \xff, " + b"1" * 3000,
    b"X-Forwarded-For: ,",
    b"X-Forwarded-Proto: ftp",
    b"Expect: 100-continue",
    b"Host: a\r\nHost: b",
    b"If-Modified-Since: nonsense",
    b"Upgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13",
)


@pytest.fixture
def talk(opened, caplog):
    """Function that sends bytes to a real server and gives the status and the body; each comes from somebody else."""
    caplog.set_level(logging.INFO)
    run, port, numbers = opened(protocol={"per_item": 99}), find_free_port(), count()
    give_key(run.survey.folder)
    server = uvicorn.Server(
        uvicorn.Config(make_app(run), port=port, log_config=None, timeout_graceful_shutdown=1, http=PromptProtocol)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    cookie = new_cookie(run.secret, run.survey.folder)

    def send(method, path, framing=b"", body=b"", leaves=False):
        """The picture of p0 is called {key}, and {headers} let somebody in, to the survey and to the dashboard."""
        me, i = sign(run.secret, "person", arrive(run, {})), next(numbers)
        headers = {
            "Host": "x",
            "Connection": "close",
            "X-Forwarded-For": f"10.0.{i // 250}.{i % 250}",
            "Authorization": f"Bearer {me}",
            "Cookie": f"{COOKIE}={cookie}",
            "X-Form-Token": form_token(run.secret, cookie),
        }
        named = framing.lower().partition(b":")[0].decode("latin-1")
        lines = [f"{name}: {value}".encode() for name, value in headers.items() if name.lower() != named]
        path = path.replace(b"{key}", media_address(run.secret, "p0", 0).encode())
        raw = b"\r\n".join([method + b" " + path + b" HTTP/1.1", *lines, *filter(None, [framing]), b"", body])
        reply = b""
        with socket.create_connection(("127.0.0.1", port), timeout=30) as there:
            try:
                there.sendall(raw)
                while not leaves and (got := there.recv(65536)):
                    reply += got
            except ConnectionError:  # refused before it was read to its end
                pass
        status = int(reply.split()[1]) if reply else None
        assert status is None or status < 500, (method, path[:80], framing[:80], reply)
        return status, reply

    yield send
    assert send(b"GET", b"/healthy")[0] == 200
    server.should_exit = True
    thread.join(20)
    faults = [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info]
    assert not faults and "Traceback" not in caplog.text


def length(body):
    return b"Content-Length: %d" % len(body)


def test_no_body_makes_the_server_fail(talk):
    for path in POSTS:
        for i, body in enumerate(BODIES.values()):
            kind = TYPES[i % len(TYPES)]
            assert talk(b"POST", path, b"Content-Type: " + kind + b"\r\n" + length(body), body)[0] is not None


def test_no_framing_makes_the_server_fail_and_nothing_beyond_the_limit_is_read(talk):
    piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
    for path in POSTS:
        assert talk(b"POST", path, b"Transfer-Encoding: chunked", piece * (LARGEST // 65536 + 1) + b"0\r\n\r\n")[0] in (
            413,
            None,
        )
        assert talk(b"POST", path, length(b"x" * (LARGEST + 1)), b"x" * 10)[0] == 413
        for wrong in (b"99999999999999999999999", b"-2", b"2, 3", b"0x2", b"2\r\nContent-Length: 3"):
            assert talk(b"POST", path, b"Content-Length: " + wrong, b"{} ")[0] in (400, 413)
        talk(b"POST", path, b"Transfer-Encoding: chunked", b"zz\r\n{}\r\n0\r\n\r\n")
        talk(b"POST", path, b"Content-Length: 2\r\nTransfer-Encoding: chunked", b"2\r\n{}\r\n0\r\n\r\n")
        talk(b"POST", path, b"Content-Length: 2\r\nContent-Length: 2", b"{}")


def test_no_path_and_no_method_makes_the_server_fail_or_leads_anywhere(talk):
    for path in PATHS:
        for method in (b"GET", b"HEAD", b"POST", b"OPTIONS", b"TRACE", b"BREW"):
            _, reply = talk(method, path, length(b""))
            head, _, body = reply.partition(b"\r\n\r\n")
            assert b"root:" not in body and b"per_person" not in body and b"import" not in body
            assert b"\nset-cookie" not in head.lower()


def test_no_header_makes_the_server_fail(talk):
    for path in (b"/start", b"/{key}", b"/static/run.js", b"/dashboard", b"/dashboard/data", b"/nowhere"):
        for header in HEADERS:
            talk(b"GET", path, header)


def test_a_request_that_is_aborted_is_not_an_error(talk):
    for path in POSTS:
        assert talk(b"POST", path, b"Content-Length: 200", b"{}", leaves=True) == (None, b"")


def test_no_redirect_leads_to_the_name_that_a_request_gives_the_host(talk):
    paths = (
        b"/",
        b"/start",
        b"/start/",
        b"/start/?a=b",
        b"/run/",
        b"/dashboard/",
        b"/dashboard/data/",
        b"/static",
        b"/api/page/",
        b"/healthy/",
        b"//evil.example/start/",
        b"http://evil.example/start/",
        b"/start//",
        b"/media",
    )
    for path in paths:
        for header in (b"Host: evil.example", b"Host: x\r\nX-Forwarded-Host: evil.example"):
            for method, body in ((b"GET", b""), (b"POST", length(b""))):
                _, reply = talk(method, path, header + (b"\r\n" + body if body else b""))
                assert b"evil.example" not in reply.partition(b"\r\n\r\n")[0]
    for path, place in ((b"/start/?a=b", b"../start?a=b"), (b"/dashboard/", b"../dashboard")):
        status, reply = talk(b"GET", path)
        assert status == 303 and b"location: " + place + b"\r\n" in reply
