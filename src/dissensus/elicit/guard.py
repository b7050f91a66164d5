"""Protection of every request: security headers, a size limit and a rate limit."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LARGEST = 1024 * 1024  # bytes of one request
KEEP_ALIVE = 150  # seconds; longer than proxies keep an idle connection, so that requests are not cut off
MTURK = ("https://www.mturk.com", "https://workersandbox.mturk.com")


class RateLimit:
    """A token bucket for each sender: `burst` requests at once, then `rate` per second. The oldest senders are dropped.

    Each server process counts separately, so w processes allow up to w times as many requests. Dividing the rate by w
    would refuse people wrongly, since connections are not spread evenly over processes.
    """

    def __init__(self, rate: float, burst: int, most: int = 50_000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, sender: str) -> bool:
        now = time.monotonic()
        left, last = self._left.pop(sender, (float(self.burst), now))
        left = min(self.burst, left + (now - last) * self.rate)
        self._left[sender] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > self.most:
            self._left.popitem(last=False)
        return left >= 1


def parse_proxies(text: str) -> list[str]:
    """Parse the addresses and networks of trusted proxies, separated by commas."""
    proxies = [proxy.strip() for proxy in text.split(",")]
    for proxy in proxies:
        try:
            network = ipaddress.ip_network(proxy)
        except ValueError as error:
            raise ValueError(
                f"proxy {proxy!r}: {error}; expected an address such as 10.0.0.5, or a network such as 10.0.0.0/8"
            ) from None
        if network.prefixlen == 0:
            raise ValueError(
                f"proxy {proxy!r} covers every address, so any sender could forge theirs; give the proxy's own address"
            )
    return proxies


def content_policy(mturk: bool) -> str:
    """Allow only content from this server. Forbid other pages to frame it, except MTurk's with `mturk`."""
    hosts = " ".join(MTURK)
    form, frames = (f"'self' {hosts}", hosts) if mturk else ("'self'", "'none'")
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
        f"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action {form}; frame-ancestors {frames}"
    )


class Guard:
    """ASGI middleware around the whole app."""

    def __init__(self, app: ASGIApp, mturk: bool = False, secure: bool = False) -> None:
        self.app = app
        self.headers = {
            "content-security-policy": content_policy(mturk),
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "permissions-policy": "camera=(), microphone=(), geolocation=()",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
        }
        if not mturk:
            self.headers["x-frame-options"] = "DENY"
        if secure:
            self.headers["strict-transport-security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
                if not scope["path"].startswith(("/static/", "/media/")):
                    headers["cache-control"] = "no-store"
            await send(message)

        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > LARGEST:
            await too_large()(scope, receive, send_guarded)
            return
        await self.app(scope, _limit_body(receive), send_guarded)


def too_large() -> Response:
    return JSONResponse({"error": f"a request may have at most {LARGEST:,} bytes", "refused": True}, status_code=413)


def _limit_body(receive: Receive) -> Receive:
    """Disconnect if the body grows beyond the limit, whatever its header claims."""
    received = 0

    async def receive_limited() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > LARGEST:
            return {"type": "http.disconnect"}
        return message

    return receive_limited
