"""Whose word about a sender is taken, and how much one sender may ask: through `elicit serve`, as it is started."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPException
from selectors import EVENT_READ, DefaultSelector

import pytest

from dissensus.elicit.guard import parse_proxies
from dissensus.elicit.server import find_free_port
from tests.elicit.surveys import give_key, write_survey

ATTEMPTS = 12  # at the key of the dashboard at the same time, of which one sender has five


@contextmanager
def serve(folder, *options):
    give_key(folder)
    port = find_free_port()
    command = [sys.executable, "-m", "dissensus", "elicit", "serve", str(folder), "--port", str(port), *options]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(600):
            try:
                if asked(port, "GET", "/healthy") == 200:
                    break
            except (OSError, HTTPException):
                time.sleep(0.1)
        yield port
    finally:
        server.kill()  # told to end, it would wait until the last wrong key is answered
        output = server.communicate(timeout=30)
    assert "Traceback" not in output[0] + output[1]


def asked(port, method, path, body=None, **headers):
    with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
        connection.request(method, path, body, headers)
        return connection.getresponse().status


def guesses(port, sender):
    """What happens to guesses at the key that are made at once, as the answers come; sender(i) is what the i-th says.

    Whoever has heard enough need not wait until the slowest is answered.
    """
    with ExitStack() as open_connections, DefaultSelector() as unanswered:
        for i in range(ATTEMPTS):
            connection = open_connections.enter_context(closing(HTTPConnection("127.0.0.1", port, timeout=20)))
            connection.request("POST", "/dashboard/login", "key=guess", {"X-Forwarded-For": sender(i)})
            unanswered.register(connection.sock, EVENT_READ, connection)
        while unanswered.get_map():
            for answered, _ in unanswered.select():
                unanswered.unregister(answered.fileobj)
                yield answered.data.getresponse().status


def test_nobody_gets_more_attempts_by_calling_themselves_somebody_else(tmp_path):
    folder = write_survey(tmp_path / "survey")
    with serve(folder) as port:
        assert 429 in guesses(port, lambda i: f"198.51.100.{i}")
    with serve(folder, "--https", "--proxy", "192.0.2.7") as port:  # a proxy, but not the one that asks here
        assert 429 in guesses(port, lambda i: f"198.51.100.{i}")


def test_behind_a_trusted_proxy_everybody_counts_for_themselves(tmp_path):
    with serve(write_survey(tmp_path / "survey"), "--https") as port:
        assert set(guesses(port, lambda i: f"198.51.100.{i}")) == {303}
        assert 429 in guesses(port, lambda i: "203.0.113.5")
        # A proxy adds whom it sees behind what it was told, so the last one counts.
        assert 429 in guesses(port, lambda i: f"192.0.2.{i}, 203.0.113.6")


@pytest.mark.parametrize("proxy", ["*", "0.0.0.0/0", "::/0", "proxy.example.org", "10.0.0.5/8", "", "10.0.0.5,*"])
def test_a_proxy_is_an_address_and_never_everybody(proxy):
    with pytest.raises(ValueError, match="proxy"):
        parse_proxies(proxy)


def test_proxies_are_addresses_or_networks():
    assert parse_proxies("127.0.0.1, ::1,10.0.0.0/8") == ["127.0.0.1", "::1", "10.0.0.0/8"]
