"""People in a real Chromium, in front of a real server, and what the database holds of them afterwards."""

from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
import uvicorn

from dissensus.elicit.app import make_app
from dissensus.elicit.export import answer_table
from dissensus.elicit.server import SETTINGS, find_free_port
from dissensus.elicit.survey_run import open_survey

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

CHANGE_ANSWER = "Change my last answer"  # the button that reopens an answer

# Every window gets ready to show what one might type into its address bar, which takes a second of a processor. Of
# several lists of features that are switched off the last one counts, so this one has those of playwright too.
WITHOUT = (
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "DestroyProfileOnBrowserClose",
    "HttpsUpgrades",
    "HttpsFirstBalancedModeAutoEnable",
    "LensOverlay",
    "MediaRouter",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "OptimizationHints",
    "NetworkTimeServiceQuerying",
    "AimEnabled",
    "PreconnectToSearch",
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    f"--disable-features={','.join(WITHOUT)}",
]
ALLOWED = re.compile(r"http://127\.0\.0\.1:|about:|data:")
PATIENCE = 20_000  # milliseconds, on a machine that may be busy
OFTEN = 20  # milliseconds between two looks at a page: to look at every frame makes the browser draw every frame

# Adds up every shift of the layout, also those right after an input, which browsers leave out of their own sum.
SHIFTS = """
window.shifts = [];
(() => {
  const note = (entries) => {
    for (const shift of entries)
      window.shifts.push([shift.value, shift.hadRecentInput, shift.sources.map((s) => s.node && s.node.outerHTML)]);
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  const frame = () => new Promise(requestAnimationFrame);
  window.painted = async () => { await frame(); await frame(); note(observer.takeRecords()); };
})();
"""

ENDING: list[threading.Thread] = []  # the server before: it needs a moment to end, in which others can begin


@contextmanager
def served(folder: Path, database: str | None = None) -> Iterator[str]:
    """The survey on a port of this machine, by the server that `elicit serve` starts; gives its address."""
    port = find_free_port()
    app = make_app(open_survey(folder, database))
    if ENDING:
        ENDING.pop().join(20)
    server = uvicorn.Server(uvicorn.Config(app, port=port, timeout_graceful_shutdown=1, **SETTINGS))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        ENDING.append(thread)


def kept(folder: Path, database: str | None = None) -> list[dict[str, Any]]:
    """Every answer in the database, as the export gives it, with the answer and its times already parsed."""
    run = open_survey(folder, database)
    rows = answer_table(run).to_pylist()
    run.store.close()
    return [{**row, "answer": json.loads(row["answer"]), "times": json.loads(row["times"])} for row in rows]


class Person:
    """Somebody with a browser of their own; `problems` are errors in its console and requests to other servers."""

    def __init__(self, browser: Browser, **context: Any) -> None:
        self.context: BrowserContext = browser.new_context(viewport={"width": 1000, "height": 760}, **context)
        self.context.set_default_timeout(PATIENCE)
        self.problems: list[str] = []
        self.moved: list[Any] | None = None
        self.leaves_traces = False
        self.page = self.tab()

    def leave(self) -> None:
        """Hand the browser on as one that nobody has used: a new window, no storage, no cookies, the network there."""
        before = self.context.pages
        origins = {"/".join(page.url.split("/")[:3]) for page in before if page.url.startswith("http")}
        self.page = self.tab()
        for page in before:
            page.close()
        self.context.unroute_all(behavior="ignoreErrors")
        self.context.set_offline(False)
        self.context.clear_cookies()
        session = self.context.new_cdp_session(self.page)
        for origin in origins:
            session.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        session.detach()
        self.problems, self.moved = [], None

    def take_over_the_clock(self) -> None:
        """Time passes as before, and `page.clock` can move it on, in every page that this browser will ever open."""
        self.leaves_traces = True
        self.page.clock.install()

    def tab(self) -> Page:
        page = self.context.new_page()
        page.add_init_script(SHIFTS)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda sent: None if ALLOWED.match(sent.url) else self.problems.append(sent.url))
        page.on("console", lambda said: self.problems.append(said.text) if said.type == "error" else None)
        return page

    def start(self, address: str) -> Page:
        self.page.goto(f"{address}/start")
        self.ready()
        return self.page

    def ready(self) -> Page:
        """Wait until the page is drawn, its pictures are there, and what is done on it counts."""
        self.page.wait_for_function(
            """() => { const page = document.getElementById("page");
               return page && !page.hasAttribute("aria-busy") && page.querySelector("h1") && page.dataset.ready === ""
                 && [...page.querySelectorAll("img")].every((image) => image.complete && image.naturalWidth); }""",
            polling=OFTEN,
        )
        return self.page

    def heading(self) -> str:
        return self.page.locator("main h1").inner_text()

    def stage(self) -> str:
        return str(self.page.locator("#page").get_attribute("data-stage"))

    def problem(self) -> str:
        """The message about an answer that cannot be sent yet."""
        return self.page.locator(".problem:not(:empty)").inner_text()

    def place(self) -> str:
        return self.page.locator("#count").inner_text()

    def moves_on(self, act: Any) -> None:
        """Do what sends an answer and wait until another page is there."""
        before = self.page.locator("main > *").first.element_handle()
        act()
        self.page.wait_for_function("(before) => !before.isConnected", arg=before, polling=OFTEN)
        self.ready()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def play_sounds(self) -> None:
        """Play every sound of the page to its end."""
        for player in self.page.locator("audio").all():
            player.focus()
            self.page.keyboard.press("Space")
            self.page.wait_for_function("(player) => player.ended", arg=player.element_handle(), polling=OFTEN)

    def answer_offline(self, key: str) -> None:
        """Give the answer of this key while there is no network, until the page says that there is none."""
        self.context.set_offline(True)
        self.keys(key)
        self.page.get_by_text("No connection.").wait_for()

    def close_page(self) -> str:
        """Close the page with all that it could not send, and give its link.

        What is closed lives on for a moment, without the driver that kept it offline, and would send it after all.
        """
        link = self.page.url
        self.page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")
        self.page.close()
        return link

    def reopen_online(self, link: str) -> None:
        """Come back by the link in a new tab, with a network."""
        self.context.set_offline(False)
        self.page = self.tab()
        self.page.goto(link)
        self.ready()

    def classes(self) -> list[str]:
        """The classes in the order in which this person sees them."""
        return self.page.eval_on_selector_all(
            ".classes button, .around button", "(all) => all.map((b) => b.querySelector('span').textContent)"
        )

    def resize(self, width: int, height: int) -> None:
        """Another size of the window moves everything, which is no fault, so what moved is asked before."""
        self.moved = self.shifts()
        self.page.set_viewport_size({"width": width, "height": height})

    def may_move(self, act: Any) -> None:
        """Do something that may move the page, which is no fault until it is painted."""
        noted = self.page.evaluate("painted().then(() => shifts.length)")
        act()
        self.page.evaluate("(noted) => painted().then(() => { shifts.length = noted; })", noted)

    def shifts(self) -> list[Any]:
        """What moved on the page since it was loaded, apart from what moves within a field or a player."""
        if self.moved is not None:
            return self.moved
        shifts = [shift for page in self.context.pages for shift in page.evaluate("window.shifts || []")]
        return [shift for shift in shifts if any(shift[2]) or shift[0] > 0.002]

    def close(self) -> None:
        self.context.close()


def unavailable(reason: str) -> NoReturn:
    """Skip, or fail where DISSENSUS_REQUIRE_BROWSER=1 says that a browser must be there."""
    if os.environ.get("DISSENSUS_REQUIRE_BROWSER") == "1":
        pytest.fail(reason)
    pytest.skip(reason)
