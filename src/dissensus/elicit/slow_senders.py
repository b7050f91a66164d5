"""Connections on which a request does not arrive: closed after a while, so that nobody can hold all of them open.

uvicorn waits for ever for the rest of a request. Here each request has to be complete some time after its first byte,
which is longer than the pages wait for a reply. Idle connections between requests are not touched: uvicorn closes these
by itself.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

FIRST = 150.0  # seconds until something comes on a new connection; browsers open some before they need them
HEADERS = 30.0  # seconds from the first byte of a request to the end of its headers
BODY = 60.0  # seconds from there to the end of its body; a page gives up after 30 and sends it again
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class PromptProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a time for each part of a request."""

    _timer: asyncio.TimerHandle | None = None
    _arriving = ""  # the part of a request that is awaited, headers or body

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_within(FIRST)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # Blank lines before a request are not part of one, and end uvicorn's own wait for the next.
        idle = self.cycle is None or self.cycle.response_complete
        if idle and not self._arriving and self._timer is None and self.timeout_keep_alive_task is None:
            self._expect_within(FIRST)

    def on_message_begin(self) -> None:
        self._arriving = "headers"
        self._expect_within(HEADERS)
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._arriving = "body"
        self._expect_within(BODY)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._arriving = ""
        self._expect_nothing()
        super().on_message_complete()

    def _expect_within(self, seconds: float) -> None:
        self._expect_nothing()
        self._timer = self.loop.call_later(seconds, self._give_up)

    def _expect_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        self._timer = None
        if self.transport.is_closing():
            return
        before = self.cycle is None or self.cycle.response_complete  # nothing else is being sent
        if (self._arriving == "headers" and before) or (self._arriving == "body" and not self.cycle.response_started):
            self.transport.write(TOO_SLOW)
        self.transport.close()
