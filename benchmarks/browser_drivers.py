"""Firefox and WebKit, driven by their own protocols with one set of commands.

Firefox speaks WebDriver BiDi, a socket that also reports errors and violations of the content policy. WebKit is driven
by the W3C WebDriver of its GTK port (Debian: webkit2gtk-driver), in its own small browser, on a screen of Xvfb. Keys
and pointer are events of the window, not of the page, so the browser treats them as those of a person.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from dissensus.elicit.server import find_free_port

PATIENCE = 30.0  # seconds, on a machine that may be busy
KEYS = {
    "Enter": "\ue006",
    "Tab": "\ue004",
    "Space": " ",
    "Shift": "\ue008",
    "End": "\ue010",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
QUIET = """
user_pref("remote.active-protocols", 1);
user_pref("app.normandy.enabled", false);
user_pref("services.settings.server", "data:,");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
"""
# The small browser's own bar would make its window at least 447 pixels wide.
NARROW_BAR = (
    "button, headerbar, entry, image { padding: 0; margin: 0; min-width: 0; } image { -gtk-icon-transform: scale(.5); }"
)
# WebKit tells of errors to the page only, from the moment on that somebody listens, which is when the page is loaded.
LISTEN = """(() => {
  if (window.problems) return;
  window.problems = [];
  addEventListener("error", (event) => { if (event.message) window.problems.push(event.message); });
  addEventListener("unhandledrejection", (event) => window.problems.push(String(event.reason)));
  addEventListener("securitypolicyviolation",
    (event) => window.problems.push(`${event.violatedDirective} ${event.blockedURI}`));
})()"""

HEARD = "(window.problems || []).splice(0)"


class Driven:
    """A browser with one window. What the two protocols do differently is in the classes below."""

    name: str
    version: str
    command: Callable[..., Any]

    def script(self, expression: str) -> Any: ...
    def go(self, address: str) -> None: ...
    def reload(self) -> None: ...
    def back(self) -> None: ...
    def act(self, sources: list[dict[str, Any]]) -> None: ...
    def resize(self, width: int, height: int) -> None: ...
    def screenshot(self) -> bytes: ...
    def problems(self) -> list[str]: ...
    def close(self) -> None: ...

    def until(self, condition: str) -> None:
        """Wait until an expression of the page is true; a page that is being replaced has no answer yet."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if self.script(condition):
                    return
            except ProtocolError:
                pass
            time.sleep(0.05)
        raise TimeoutError(f"{self.name}: not true within {PATIENCE:.0f} s: {condition}")

    def keys(self, *keys: str) -> None:
        """Press keys one after the other; `Shift+T` holds Shift."""
        actions = []
        for key in keys:
            held = [KEYS["Shift"]] if key.startswith("Shift+") else []
            key = key.removeprefix("Shift+")
            pressed = [*held, KEYS.get(key, key)]
            actions += [{"type": "keyDown", "value": one} for one in pressed]
            actions += [{"type": "keyUp", "value": one} for one in reversed(pressed)]
        self.act([{"type": "key", "id": "keyboard", "actions": actions}])

    def click(self, x: float, y: float, times: int = 1) -> None:
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0, "origin": "viewport"}
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}}
        self.act([{**mouse, "actions": [move, *press * times]}])


class ProtocolError(RuntimeError):
    """The browser refused a command."""


class Firefox(Driven):
    name = "Firefox"

    def __init__(self, dark: bool = False) -> None:
        from websockets.sync.client import connect

        found = os.environ.get("DISSENSUS_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")
        if found is None:
            raise FileNotFoundError("no Firefox on the path; install it, or set DISSENSUS_FIREFOX to its program")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        scheme = f'user_pref("layout.css.prefers-color-scheme.content-override", {0 if dark else 1});\n'
        Path(self.profile.name, "user.js").write_text(QUIET + scheme)
        self.log = Path(self.profile.name, "said.log")
        with self.log.open("w") as said:
            command = [found, "--headless", "--no-remote", "--remote-debugging-port=0", "--profile", self.profile.name]
            self.process = subprocess.Popen(command, stdout=said, stderr=said)
        address = wait_for(lambda: re.search(r"WebDriver BiDi listening on (ws://\S+)", self.log.read_text()))
        self.opened = connect(f"{address[1]}/session", max_size=None)
        self.socket = self.opened.__enter__()
        self.number = 0
        self.seen: list[str] = []
        told = self.command("session.new", capabilities={})
        self.version = told["capabilities"]["browserVersion"]
        self.command("session.subscribe", events=["log.entryAdded"])
        # The tab that is there at the start never has the focus, and its buttons do not take keys.
        self.tab = self.command("browsingContext.create", type="tab")["context"]

    def command(self, method: str, **params: Any) -> Any:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while True:
            told = json.loads(self.socket.recv(4 * PATIENCE))
            if told.get("method") == "log.entryAdded" and told["params"]["level"] == "error":
                self.seen.append(told["params"]["text"])
            if told.get("id") == self.number:
                if told["type"] == "error":
                    raise ProtocolError(told["message"])
                return told["result"]

    def script(self, expression: str) -> Any:
        told = self.command(
            "script.evaluate",
            expression=f"JSON.stringify({expression})",
            awaitPromise=True,
            target={"context": self.tab},
        )
        if told["type"] == "exception":
            raise ProtocolError(told["exceptionDetails"]["text"])
        return json.loads(told["result"].get("value", "null"))

    def go(self, address: str) -> None:
        self.command("browsingContext.navigate", context=self.tab, url=address, wait="complete")

    def reload(self) -> None:
        self.command("browsingContext.reload", context=self.tab, wait="complete")

    def back(self) -> None:
        self.command("browsingContext.traverseHistory", context=self.tab, delta=-1)

    def act(self, sources: list[dict[str, Any]]) -> None:
        self.command("input.performActions", context=self.tab, actions=sources)

    def resize(self, width: int, height: int) -> None:
        self.command("browsingContext.setViewport", context=self.tab, viewport={"width": width, "height": height})

    def screenshot(self) -> bytes:
        return base64.b64decode(self.command("browsingContext.captureScreenshot", context=self.tab)["data"])

    def problems(self) -> list[str]:
        self.command("browsingContext.getTree")  # what was told before its answer has arrived
        told, self.seen = self.seen, []
        return told

    def close(self) -> None:
        self.command("browser.close")
        self.opened.__exit__(None, None, None)
        terminate(self.process)
        self.profile.cleanup()


class WebKit(Driven):
    name = "WebKitGTK"

    def __init__(self, dark: bool = False) -> None:
        browser = next(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), None)
        if browser is None or shutil.which("WebKitWebDriver") is None or shutil.which("Xvfb") is None:
            raise FileNotFoundError("no WebKit to drive; install the packages webkit2gtk-driver and xvfb")
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        style = Path(self.folder.name, "gtk-3.0", "gtk.css")
        style.parent.mkdir()
        style.write_text(NARROW_BAR)
        number = Path(self.folder.name, "display")
        with number.open("w") as told, Path(self.folder.name, "said.log").open("w") as said:
            screen = ["Xvfb", "-displayfd", str(told.fileno()), "-screen", "0", "1400x1200x24", "-nolisten", "tcp"]
            self.screen = subprocess.Popen(screen, pass_fds=[told.fileno()], stderr=said)
            display = wait_for(lambda: re.search(r"\d+\n", number.read_text()))[0].strip()
            environment = {
                **os.environ,
                "DISPLAY": f":{display}",
                "GDK_BACKEND": "x11",
                "XDG_CONFIG_HOME": self.folder.name,
                "XDG_DATA_HOME": self.folder.name,
                "GTK_THEME": "Adwaita:dark" if dark else "Adwaita",
            }
            port = find_free_port()
            driver = ["WebKitWebDriver", f"--port={port}"]
            self.process = subprocess.Popen(driver, env=environment, stdout=said, stderr=said)
        self.address = f"http://127.0.0.1:{port}/session"
        wait_for(lambda: self.command("GET", "/../status")["ready"])
        options = {"webkitgtk:browserOptions": {"binary": str(browser), "args": ["--automation"]}}
        told = self.command("POST", "", capabilities={"alwaysMatch": options})
        self.version = told["capabilities"]["browserVersion"]
        self.address += f"/{told['sessionId']}"
        self.seen: list[str] = []

    def command(self, method: str, path: str, **body: Any) -> Any:
        data = json.dumps(body).encode() if method == "POST" else None
        address = (self.address + path).replace("/session/..", "")
        request = Request(address, data, {"content-type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=4 * PATIENCE) as reply:
                return json.load(reply)["value"]
        except HTTPError as error:
            raise ProtocolError(json.load(error)["value"]["message"]) from None

    def script(self, expression: str) -> Any:
        return self.command("POST", "/execute/sync", script=f"return {expression}", args=[])

    def leave(self, path: str, **body: Any) -> None:
        """Go to another page, with what the one before had to tell."""
        self.seen += self.script(HEARD)
        self.command("POST", path, **body)
        self.script(LISTEN)

    def go(self, address: str) -> None:
        self.leave("/url", url=address)

    def reload(self) -> None:
        self.leave("/refresh")

    def back(self) -> None:
        self.leave("/back")

    def act(self, sources: list[dict[str, Any]]) -> None:
        self.command("POST", "/actions", actions=sources)

    def resize(self, width: int, height: int) -> None:
        """Make the page this large; the window has a bar in addition."""
        bar = self.script("outerHeight - innerHeight")
        self.command("POST", "/window/rect", width=width, height=height + bar)
        self.until(f"innerWidth === {width}")

    def screenshot(self) -> bytes:
        return base64.b64decode(self.command("GET", "/screenshot"))

    def problems(self) -> list[str]:
        self.seen += self.script(HEARD)
        told, self.seen = self.seen, []
        return told

    def close(self) -> None:
        self.command("DELETE", "")
        terminate(self.process)
        terminate(self.screen)
        self.folder.cleanup()


def wait_for(found: Callable[[], Any]) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if got := found():
                return got
        except OSError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"a browser did not start within {PATIENCE:.0f} s")


def terminate(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(PATIENCE)
