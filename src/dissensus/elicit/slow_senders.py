"""Timeouts for slow requests, so that nobody can hold all connections open.

uvicorn waits without limit for an incomplete request. Here a request must be complete within a time limit, which is
longer than the pages wait for a reply. uvicorn itself closes idle connections between requests.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

FIRST = 150.0  # seconds until the first byte on a new connection; browsers open some in advance
HEADERS = 30.0  # seconds from the first byte of a request to the end of its headers
BODY = 60.0  # seconds from there to the end of its body; a page retries after 30
TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class PromptProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a time limit for each part of a request."""

    _timer: asyncio.TimerHandle | None = None
    _arriving = ""  # the part of the request being received: headers or body

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_within(FIRST)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # Blank lines before a request are not part of it, but they end uvicorn's own timeout.
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
        idle = self.cycle is None or self.cycle.response_complete  # no response is being sent
        if (self._arriving == "headers" and idle) or (self._arriving == "body" and not self.cycle.response_started):
            self.transport.write(TOO_SLOW)
        self.transport.close()
