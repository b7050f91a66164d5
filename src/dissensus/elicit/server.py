"""The server of a survey: prepared and run in this process, or started as a separate process."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any, Protocol

import uvicorn

from dissensus.elicit.access import has_key, set_key
from dissensus.elicit.database.private_files import permissions_for_others
from dissensus.elicit.guard import KEEP_ALIVE, parse_proxies
from dissensus.elicit.session.arrivals import LINKS
from dissensus.elicit.slow_senders import PromptProtocol
from dissensus.elicit.survey.preview import check_pictures
from dissensus.elicit.survey_run import open_survey
from dissensus.labels.refusals import Refusal, Way

APP = "dissensus.elicit.app:app_from_environment"
SETTINGS: dict[str, Any] = {
    "access_log": False,
    "log_level": "warning",
    "timeout_keep_alive": KEEP_ALIVE,
    "http": PromptProtocol,
    "ws": "none",
}
PATIENCE = 120.0  # seconds to wait for a new server to answer, even on a busy machine


class ServerProcess(Protocol):
    """A process that serves a survey, such as a `subprocess.Popen`."""

    def poll(self) -> int | None:
        """Return the exit code, or None while the process runs."""

    def kill(self) -> None: ...


@dataclass(frozen=True)
class ReadyServer:
    """A checked server that is ready to run.

    start      address where people start
    dashboard  address of the dashboard
    new_key    the key of the dashboard if it was created now, else ""
    warnings   security warnings for the owner
    """

    host: str
    port: int
    workers: int
    https: bool
    proxies: list[str]
    start: str
    dashboard: str
    new_key: str = ""
    warnings: tuple[str, ...] = ()


def prepare_server(
    folder: Path,
    database: str | None = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    workers: int = 1,
    https: bool = False,
    proxy: str = "127.0.0.1,::1",
) -> ReadyServer:
    """Check everything that a server needs, and create the key of the dashboard if there is none.

    https  whether people reach the server by https, through a proxy
    proxy  addresses or networks of trusted proxies, separated by commas
    """
    proxies = parse_proxies(proxy)
    _check_free(host, port)
    run = open_survey(folder, database)
    run.store.close()
    check_pictures(run.survey, run.units)
    os.environ |= _environment(folder, database, https=https)
    address = f"http://{host}:{port}"
    return ReadyServer(
        host,
        port,
        workers,
        https,
        proxies,
        f"{address}/start{LINKS[run.survey.people.source]}",
        f"{address}/dashboard",
        "" if has_key(folder) else set_key(folder),
        tuple(_warnings(folder, host, https=https)),
    )


@contextmanager
def exit_on_interrupt() -> Iterator[None]:
    """Exit at once on an interrupt, until the server handles interrupts itself; no request has been served yet.

    A KeyboardInterrupt could be lost inside a weak-reference callback of a library that is being imported.
    """
    previous = signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def run_server(ready: ReadyServer) -> None:
    """Serve until the process is stopped."""
    run_app(ready.port, ready.workers, host=ready.host, proxy_headers=ready.https, forwarded_allow_ips=ready.proxies)


def run_app(port: int, workers: int = 1, **settings: Any) -> None:
    """Serve the app that the environment names until the process is stopped."""
    uvicorn.run(APP, factory=True, port=port, workers=workers, **{**SETTINGS, **settings})


@contextmanager
def background_server(
    folder: Path, database: str | None, *, workers: int = 1, port: int | None = None
) -> Iterator[str]:
    """Run a server process on this machine for the length of a `with` block; gives its address."""
    process, address = start_server(folder, database, workers=workers, port=port)
    try:
        yield address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def start_server(
    folder: Path, database: str | None, *, workers: int = 1, port: int | None = None
) -> tuple[subprocess.Popen[bytes], str]:
    """Start a server process and wait until it answers."""
    port = port or find_free_port()
    environment = {**os.environ, **_environment(folder, database, https=False)}
    command = [sys.executable, "-c", f"from dissensus.elicit.server import run_app; run_app({port}, {workers})"]
    process = subprocess.Popen(command, env=environment)
    return process, wait_for_server(process, port)


def wait_for_server(process: ServerProcess, port: int) -> str:
    """Wait until a new server answers and return its address; ValueError if it exits or never answers."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        code = process.poll()
        if code is not None:
            raise ValueError(f"the server exited with code {code}")
        try:
            with closing(HTTPConnection("127.0.0.1", port, timeout=20)) as connection:
                connection.request("GET", "/healthy")
                if connection.getresponse().status == 200:
                    return f"http://127.0.0.1:{port}"
        except (OSError, HTTPException):
            time.sleep(0.05)
    process.kill()
    raise ValueError(f"the server did not answer within {PATIENCE:g} seconds")


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(folder: Path, database: str | None, *, https: bool) -> dict[str, str]:
    """The environment of server processes, which start without arguments."""
    return {
        "DISSENSUS_SURVEY": str(folder),
        "DISSENSUS_DB": database or "",
        "DISSENSUS_SECURE": "1" if https else "",
    }


def _warnings(folder: Path, host: str, *, https: bool) -> Iterator[str]:
    if not https and not _is_loopback(host):
        yield (
            f"people reach {host} without https, so others on the network can read and change answers and your key; "
            "put a proxy with https in front of the server and set `https`, or listen on 127.0.0.1"
        )
    mode = permissions_for_others(folder)
    if mode:
        yield f"other users of this machine can read {folder} ({mode}); to prevent that, run: chmod 700 {folder}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_free(host: str, port: int) -> None:
    """Check that the address and port are free."""
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # a port that was just released is free
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        raise Refusal(
            f"cannot listen on {host} port {port}: {error}",
            ways=[Way("choose another with {host} and {port}", host=..., port=...)],
        ) from None
