"""A writer of the old pickles, and a web server for one file: what the tests of data sets share."""

from __future__ import annotations

import http.server
import io
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def python_2_pickle() -> Callable[[dict[str, Any]], bytes]:
    """Function that writes a dict as Python 2 did, which no Python 3 does any more."""
    return _python_2_pickle


class Server:
    """A local web server; `content` by path, `requests` it got, `cut` to close each answer half way."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.content: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.cut = False


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append(self.path)
            body = site.content.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2] if site.cut else body)

        def log_message(self, *words: Any) -> None:
            pass

    listening = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site = Server(f"http://127.0.0.1:{listening.server_port}")
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield site
    listening.shutdown()
    thread.join()
    listening.server_close()


def _python_2_pickle(content: dict[str, Any]) -> bytes:
    """What cPickle of Python 2 wrote for a dict of text, numbers, lists of both, and uint8 arrays."""
    out = io.BytesIO()
    out.write(b"\x80\x02}(")
    for key, value in content.items():
        _write(out, key)
        _write(out, value)
    out.write(b"u.")
    return out.getvalue()


def _write(out: io.BytesIO, value: Any) -> None:
    if isinstance(value, np.ndarray):
        out.write(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01")
        out.write(b"M" + struct.pack("<H", value.shape[0]) + b"M" + struct.pack("<H", value.shape[1]) + b"\x86")
        out.write(b"cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R(K\x03U\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89")
        raw = value.tobytes()
        out.write(b"T" + struct.pack("<i", len(raw)) + raw + b"tb")
    elif isinstance(value, list):
        out.write(b"](")
        for part in value:
            _write(out, part)
        out.write(b"e")
    elif isinstance(value, int):
        out.write(b"M" + struct.pack("<H", value))
    else:
        out.write(b"U" + bytes([len(value)]) + value.encode("latin-1"))
