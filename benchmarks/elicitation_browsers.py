"""Every question and page of `dissensus elicit` in Firefox and WebKit: are the stored answers the intended ones?

    PYTHONPATH=. python benchmarks/elicitation_browsers.py [--browsers Firefox WebKitGTK] [--only sliders]
                                                           [--pictures DIR] [--output FILE.json]

Each question is answered once by pointer in the light and once by keyboard in the dark, on the server that
`elicit serve` starts; the stored answer must be the intended one. On the way, the page must fit a window of 320
pixels, and the console must stay empty. A whole survey is then done from consent to code in both ways, and the
mishaps follow: a double click, a reload amid an answer, the back button, a server that is gone for a while; each has
to end in one answer. Needs firefox-esr, webkit2gtk-driver and xvfb (Debian), and websockets (Python).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.browser_answers import PAGES, QUESTIONS, TEN, TEXTS, Step
from benchmarks.browser_drivers import Driven, Firefox, ProtocolError, WebKit
from dissensus.elicit.server import find_free_port, start_server
from tests.elicit.browser import kept, served
from tests.elicit.surveys import write_survey
from tests.elicit.test_browser_protocol import SOMEBODY, WHOLE

WINDOW = (1000, 760)
WAYS = ("pointer", "keyboard")
READY = """(() => { const page = document.getElementById("page");
  return Boolean(page && !page.hasAttribute("aria-busy") && page.querySelector("h1") && page.dataset.ready === ""
    && [...page.querySelectorAll("img")].every((one) => one.complete && one.naturalWidth)); })()"""
# Where something is that has this name, within the group of that name; the window is scrolled to it as a person would.
PLACE = """((name, group, share) => {
  const all = (where, what) => [...where.querySelectorAll(what)];
  const within = group ? all(document, "fieldset").find((one) => one.textContent.includes(group)) : document;
  const named = (one) => one.getAttribute("aria-label") || (one.querySelector("span") || one).textContent;
  const found = all(within, "button, label, [role=option]").find((one) => named(one).startsWith(name));
  const field = found && found.control && found.control.matches(":not([type=radio], [type=checkbox])");
  const target = field ? found.control : found || within.querySelector(name);
  target.scrollIntoView({ block: "center", behavior: "instant" });
  const box = target.getBoundingClientRect();
  const thumb = target.type === "range" ? 24 : 0;
  return [box.x + thumb / 2 + share * (box.width - thumb), box.y + box.height / 2];
})"""

BROWSERS: dict[str, type[Driven]] = {"Firefox": Firefox, "WebKitGTK": WebKit}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--browsers", nargs="+", choices=BROWSERS, default=list(BROWSERS))
    parser.add_argument("--only", help="only rows whose name begins with this")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of every page")
    parser.add_argument("--output", type=Path)
    chosen = parser.parse_args()
    versions: dict[str, str] = {}
    table: dict[str, dict[str, str]] = {}
    for name in chosen.browsers:
        for way in WAYS:
            with closing(BROWSERS[name](dark=way == "keyboard")) as browser:
                versions[name] = browser.version
                keep = Pictures(chosen.pictures, f"{name}-{way}")
                for row, found in rows(browser, way, keep, chosen.only or ""):
                    table.setdefault(row, {})[f"{name}, {way}"] = found
                    print(f"{name} {browser.version}, {way}, {row}: {found}", flush=True)
    columns = [f"{name}, {way}" for name in versions for way in WAYS]
    print(f"\n{'':24}" + "".join(f"{column:>22}" for column in columns))
    for row, cells in table.items():
        print(f"{row:24}" + "".join(f"{cells.get(column, '')[:20]:>22}" for column in columns))
    if chosen.output:
        told = {"browsers": versions, "differences": table}
        chosen.output.write_text(json.dumps(told, indent=1) + "\n")


def rows(browser: Driven, way: str, keep: Pictures, only: str) -> Iterator[tuple[str, str]]:
    """Each row of the table with what differed in it, or ok."""
    trials: list[tuple[str, Callable[..., list[str]], tuple[Any, ...]]] = []
    trials += [(name, question, (way, keep, name)) for name in QUESTIONS]
    trials += [("consent to code", whole_survey, (way, keep))]
    if way == "pointer":
        trials += [(mishap.__name__.replace("_", " "), mishap, ()) for mishap in MISHAPS]
    for name, trial, more in trials:
        if not name.startswith(only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            browser.resize(*WINDOW)
            try:
                found = trial(browser, Path(folder), *more)
            except (TimeoutError, ProtocolError) as error:
                found = [str(error)]
            yield name, "; ".join(found + browser.problems()) or "ok"


class Pictures:
    """Keeps pictures of pages in a folder, if there is one."""

    def __init__(self, folder: Path | None, name: str) -> None:
        self.folder, self.name = folder, name
        if folder:
            folder.mkdir(parents=True, exist_ok=True)

    def __call__(self, page: str, browser: Driven) -> None:
        if self.folder:
            name = f"{page}-{self.name}.png".replace(", ", "-").replace(" ", "-")
            time.sleep(0.3)  # WebKit paints a little later, and colours take a moment to change
            (self.folder / name).write_bytes(browser.screenshot())


def question(browser: Driven, folder: Path, way: str, keep: Pictures, name: str) -> list[str]:
    settings, by_pointer, pointed, by_key, typed = QUESTIONS[name]
    steps, intended = (by_pointer, pointed) if way == "pointer" else (by_key, typed)
    sections: dict[str, Any] = {"question": settings, "protocol": {"per_person": 1}}
    if name == "typicality":
        (folder / "items.csv").write_text(TEXTS)
        sections["items"] = "items.csv"
    with served(write_survey(folder, **sections)) as address:
        start(browser, f"{address}/start")
        wrong = narrow(browser, keep, name)
        for step in steps[:-1]:
            do(browser, step)
        if isinstance(steps[-1], list):
            browser.keys(*steps[-1][:-1])
        keep(name, browser)
        moves_on(browser, lambda: do(browser, steps[-1][-1:] if isinstance(steps[-1], list) else steps[-1]))
    return wrong + find_differences(folder, [intended])


def whole_survey(browser: Driven, folder: Path, way: str, keep: Pictures) -> list[str]:
    wrong: list[str] = []
    seen: list[str] = []
    with served(write_survey(folder, **WHOLE)) as address:
        start(browser, address + SOMEBODY)
        while not seen or seen[-1] != "done":
            heading = browser.script("document.querySelector('main h1').textContent")
            seen.append(next(page for page, (known, _, _) in PAGES.items() if known == heading))
            page, steps = seen[-1], PAGES[seen[-1]][1 if way == "pointer" else 2]
            if not browser.script("Boolean(document.activeElement.closest('main'))"):
                wrong.append(f"{page}: the focus is not on the page")
            if seen.count(page) == 1:
                wrong += [f"{page}: {one}" for one in narrow(browser, keep, page)]
            for step in steps[:-1]:
                do(browser, step)
            if seen.count(page) == 1:
                keep(page, browser)
            if page != "done":
                moves_on(browser, lambda last=steps[-1]: do(browser, last))  # type: ignore[misc]
        code = browser.script("document.querySelector('.code').textContent")
    if missing := set(PAGES) - set(seen):
        wrong.append(f"never shown: {', '.join(missing)}")
    if len(code) != 10:
        wrong.append(f"the code is {code!r}")
    return wrong + find_differences(folder, [{"choice": "dog"}] * 8)


def a_double_click(browser: Driven, folder: Path) -> list[str]:
    with served(write_survey(folder)) as address:
        start(browser, f"{address}/start")
        moves_on(browser, lambda: browser.click(*browser.script(f"{PLACE}('cat', '', 0.5)"), times=2))
        browser.until(f"document.getElementById('count').textContent === '2 of 4' && {READY}")
        moves_on(browser, lambda: do(browser, ["s"]))
    return find_differences(folder, [{"choice": "cat"}, {"choice": "ship"}])


def a_reload_amid_an_answer(browser: Driven, folder: Path) -> list[str]:
    with served(write_survey(folder, question={"kind": "top-two", "classes": TEN})) as address:
        start(browser, f"{address}/start")
        do(browser, [*"c70d"])
        browser.reload()
        browser.until(READY)
        moves_on(browser, lambda: do(browser, [*"d20", "Enter"]))
    told = {"first": "cat", "first_percent": 70, "second": "deer", "second_percent": 20, "ruled_out": []}
    return find_differences(folder, [told])


def the_back_button(browser: Driven, folder: Path) -> list[str]:
    with served(write_survey(folder)) as address:
        start(browser, f"{address}/start")
        moves_on(browser, lambda: do(browser, ["c"]))
        browser.go("about:blank")
        browser.back()
        browser.until(READY)
        browser.until("document.getElementById('count').textContent === '2 of 4'")
        moves_on(browser, lambda: do(browser, ["d"]))
    return find_differences(folder, [{"choice": "cat"}, {"choice": "dog"}])


def a_server_that_is_gone(browser: Driven, folder: Path) -> list[str]:
    """Killed before an answer, which waits in the browser; and again, with a reload after the server is back."""
    write_survey(folder)
    port = find_free_port()
    process, address = start_server(folder, None, port=port)
    try:
        start(browser, f"{address}/start")
        for place, key in ((2, "c"), (3, "d")):
            process.kill()
            process.wait()
            do(browser, [key])
            browser.until("document.getElementById('status').textContent.startsWith('No connection.')")
            process, _ = start_server(folder, None, port=port)
            if place == 3:
                browser.reload()
            browser.until(f"document.getElementById('count').textContent === '{place} of 4'")
            browser.until(READY)
        browser.problems()  # that nobody answered is noted by the browser
    finally:
        process.terminate()
        process.wait(20)
    return find_differences(folder, [{"choice": "cat"}, {"choice": "dog"}])


MISHAPS = (a_double_click, a_reload_amid_an_answer, the_back_button, a_server_that_is_gone)


def start(browser: Driven, address: str) -> None:
    browser.go(address)
    browser.until(READY)


def do(browser: Driven, step: Step) -> None:
    if isinstance(step, list):
        browser.keys(*step)
        return
    name, share = step if isinstance(step, tuple) else (step, 0.5)
    group, _, name = name.rpartition("|")
    browser.click(*browser.script(f"{PLACE}({json.dumps(name)}, {json.dumps(group)}, {share})"))


def moves_on(browser: Driven, act: Callable[[], None]) -> None:
    """Do what sends an answer and wait until another page is there."""
    browser.script("(() => { window.before = document.querySelector('main > *'); })()")
    act()
    try:
        browser.until(f"!window.before.isConnected && {READY}")
    except TimeoutError:
        said = browser.script(
            "[...document.querySelectorAll('.problem, #status')].map((one) => one.textContent).join(' ')"
        )
        raise TimeoutError(f"the page stays; it says {said!r}") from None


def narrow(browser: Driven, keep: Pictures, name: str) -> list[str]:
    """What is wider than a window of 320 pixels."""
    browser.resize(320, 640)
    wide = browser.script("document.documentElement.scrollWidth")
    keep(f"{name}-320", browser)
    browser.resize(*WINDOW)
    return [f"{wide} pixels wide in a window of 320"] if wide > 320 else []


def find_differences(folder: Path, intended: list[dict[str, Any]]) -> list[str]:
    """How the stored answers differ from the intended ones; a click on a slider may miss by a pixel."""
    stored = [row["answer"] for row in kept(folder)]
    near = len(stored) == len(intended) and all(alike(a, b) for a, b in zip(stored, intended, strict=True))
    return [] if near else [f"stored {stored}, meant {intended}"]


def alike(stored: Any, meant: Any) -> bool:
    if isinstance(meant, dict):
        return stored.keys() == meant.keys() and all(alike(stored[key], meant[key]) for key in meant)
    return abs(stored - meant) <= 0.011 if isinstance(meant, float) else stored == meant


if __name__ == "__main__":
    main()
