"""The screenshots of docs/elicit.md, taken in a real Chromium from surveys that this script makes.

PYTHONPATH=. python benchmarks/elicit_figures.py [--output docs/figures]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa
from PIL import Image
from playwright.sync_api import sync_playwright

from dissensus.elicit.access import set_key
from dissensus.elicit.dashboard import decisions
from dissensus.elicit.database import schema
from dissensus.elicit.identity import sign
from dissensus.elicit.session.arrivals import arrive
from dissensus.elicit.session.protocol import ENDS
from dissensus.elicit.session.session import current_page, submit
from dissensus.elicit.survey.template import make_survey
from dissensus.elicit.survey_run import SurveyRun, open_survey
from tests.elicit.browser import ARGUMENTS, Person, served
from tests.elicit.surveys import TIMES, time_passes

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CHARACTERS = [
    *(f"digit {one}" for one in WORDS),
    *(f"small {one}" for one in LETTERS),
    *(f"capital {one}" for one in LETTERS.upper()),
    *GREEK,
    *(f"capital {one}" for one in GREEK),
]
PAIRS = """item,premise,hypothesis
n0,A man in a green shirt is leaning on a parked bus.,A man waits for somebody.
"""
RELATIONS = ["entailment", "neutral", "contradiction"]
POLITE = "item,text,class\nt0,Would you mind having another look at the second page when you find a moment?,polite\n"
# Name: kind, classes, changes of survey.toml, items.csv or the one picture that is shown, keys that are pressed.
QUESTIONS: dict[str, tuple[str, list[str], dict[str, str], str, list[str]]] = {
    "choose": ("choose", [], {}, "", []),
    "top-two": ("top-two", WORDS, {"shuffle = true": "shuffle = false"}, "digit555", [*"n70e20-"]),
    "top-two-many": ("top-two", CHARACTERS, {}, "digit0", [*"digit z", "Enter", *"70", *"omi"]),
    "top-two-form": ("top-two", WORDS, {'"compact"': '"form"', "shuffle = true": "shuffle = false"}, "", []),
    "sliders": ("sliders", WORDS[:6], {"shuffle = true": "shuffle = false"}, "digit0", [*"z9o0t1u0"]),
    "allocate": ("allocate", RELATIONS, {}, PAIRS, [*"e25n65"]),
    "tokens": ("tokens", RELATIONS, {"shuffle = true": "shuffle = false"}, PAIRS, [*"eeeennnnnnnnnnccc"]),
    "typicality": ("typicality", [], {}, POLITE, ["8"]),
    "similarity": ("similarity", [], {}, "", []),
    "triplet": ("triplet", [], {}, "", []),
}
PROTOCOL = """
[[comprehension]]
question = "May people differ in their answers?"
options = ["Yes", "No"]
correct = "Yes"
[[practice]]
item = "digit0"
feedback = "Most people read **zero** here; some see the letter O. Both are fine."
"""
KEY = "only for a picture"
WINDOW = {"width": 660, "height": 400}
LOW = {"width": 660, "height": 290}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/figures"))
    parser.add_argument("--only", default="", help="draw only figures whose name begins with this")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    found = os.environ.get("DISSENSUS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)

        def keep(name: str, png: bytes) -> None:
            picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(48, kmeans=2)
            path = chosen.output / f"elicit-{name}.png"
            picture.save(path, optimize=True)
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB")

        for name in (one for one in QUESTIONS if one.startswith(chosen.only)):
            question(browser, name, keep)
            if name == "top-two":
                question(browser, name, keep, phone=True)
        for draw in (pages, ends, dashboard):
            if draw.__name__.startswith(chosen.only):
                draw(browser, keep)
        browser.close()


def question(browser: Any, name: str, keep: Callable[[str, bytes], None], phone: bool = False) -> None:
    kind, classes, changed, items, keys = QUESTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        make_plain_survey(Path(folder), kind, classes, changed, items)
        with served(Path(folder)) as address:
            me = Person(browser, color_scheme="dark" if phone else "light", has_touch=phone, is_mobile=phone)
            size = {"width": 390, "height": 844} if phone else {"width": 960, "height": 760}
            me.page.set_viewport_size(size)
            me.start(address)
            for key in () if phone else keys:
                me.page.keyboard.press(key)
            if phone:  # without a key, so that none is shown
                for said, share in (("nine", "70"), ("eight", "20")):
                    me.page.get_by_role("button", name=said).tap()
                    me.page.get_by_label(f"How probable is {said}").fill(share)
                me.page.get_by_role("button", name="Definitely no others").tap()
            me.page.mouse.move(0, 0)
            end = me.page.eval_on_selector("main", "(main) => main.getBoundingClientRect().bottom") + 20
            if phone:  # a picture of more than the window would be one without a touch screen
                me.page.set_viewport_size({**size, "height": int(end)})
                me.page.evaluate("scrollTo(0, 0)")
                me.page.wait_for_timeout(300)
            clip = {"x": 0, "y": 0, "width": size["width"], "height": end}
            shot = me.page.screenshot() if phone else me.page.screenshot(full_page=True, clip=clip)
            keep(f"{name}-phone" if phone else name, shot)
            me.close()


def make_plain_survey(
    folder: Path, kind: str, classes: list[str], changed: dict[str, str], items: str, more: str = ""
) -> None:
    """A survey without consent and instructions, so that it begins with a trial."""
    make_survey(folder, title="What do you see?", kind=kind, classes=classes)
    text = (folder / "survey.toml").read_text()
    for old, new in changed.items():
        text = text.replace(old, new)
    if items and "," not in items:
        for picture in (folder / "items").iterdir():
            if picture.stem != items:
                picture.unlink()
    elif items:
        (folder / "own.csv").write_text(items)
        text = text.replace('items = "items', 'items = "own.csv" # "items')
    if not more:
        for begin in ('consent = """', 'instructions = ["""'):
            start = text.index(begin)
            end = text.index('"""', start + len(begin)) + (4 if "[" in begin else 3)
            text = text[:start] + text[end:]
    (folder / "survey.toml").write_text(text + more)


def pages(browser: Any, keep: Callable[[str, bytes], None]) -> None:
    """Consent, instructions, check, feedback, break, debriefing and the end, in one picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changed = {"per_person = 20": "per_person = 2", "break_every = 0": "break_every = 1"}
        make_plain_survey(folder, "choose", [], changed, "", PROTOCOL)
        shots: dict[str, Image.Image] = {}
        with served(folder) as address:
            me = Person(browser)
            me.page.set_viewport_size(WINDOW)
            me.start(address)
            while True:
                heading = me.heading()
                again = heading in shots
                if heading == "A short check":
                    me.page.get_by_label("Yes" if again else "No").check()
                if heading != "What is it?":
                    shots[f"{heading} again" if again else heading] = picture_of(me)
                if heading == "Thank you":
                    break
                trial = heading == "What is it?"
                me.moves_on(lambda: me.keys("0") if trial else me.page.locator("main button.main").click())  # noqa: B023
            me.close()
    keep("pages", sheet(list(shots.values())))


def ends(browser: Any, keep: Callable[[str, bytes], None]) -> None:
    """Declined, failed, nothing left, paused, no session, and the researcher's login, in one picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_plain_survey(
            folder, "choose", [], {"per_person = 20": "per_person = 24", "per_item = 5": "per_item = 1"}, "", PROTOCOL
        )
        set_key(folder, KEY)
        shots = []
        with served(folder) as address:
            run = open_survey(folder)

            def seen(path: str = "start", *buttons: str, right: bool = True) -> None:
                me = Person(browser)
                me.page.set_viewport_size(LOW)
                me.page.goto(f"{address}/{path}")
                if buttons:
                    me.ready()
                for button in buttons:
                    if button == "Check my answers":
                        me.page.get_by_label("Yes" if right else "No").check()
                    me.moves_on(lambda: me.page.get_by_role("button", name=button).click())  # noqa: B023
                me.page.wait_for_selector("main:not([aria-busy])")
                shots.append(picture_of(me))
                me.close()

            checked = ("I agree", "Continue", "Check my answers")
            seen("start", "I do not want")
            seen("start", *checked, "Check my answers", right=False)
            for _ in range(2):  # the second finds nothing left
                go_through(run, lambda item: "0")
            me = arrive(run, {})
            for answer in ({"agreed": True}, {}, {"chosen": ["Yes"]}, {"choice": "0"}):
                submit(run, me, {"page": current_page(run, me)["page"], "answer": answer, "times": TIMES})
            seen(f"run#token={sign(run.secret, 'person', me)}")
            decisions.stop(run)
            seen()
            seen("run")
            seen("dashboard")
            run.store.close()
    keep("ends", sheet(shots))


def picture_of(me: Person) -> Image.Image:
    me.page.mouse.move(0, 0)
    return Image.open(io.BytesIO(me.page.screenshot()))


def sheet(shots: list[Image.Image], columns: int = 2) -> bytes:
    """Pictures of one size side by side, at three quarters of it."""
    width, height = shots[0].size
    rows = -(-len(shots) // columns)
    whole = Image.new("RGB", (columns * (width + 10) - 10, rows * (height + 10) - 10), "white")
    for i, shot in enumerate(shots):
        whole.paste(shot, ((i % columns) * (width + 10), (i // columns) * (height + 10)))
    file = io.BytesIO()
    whole.resize((whole.width * 3 // 4, whole.height * 3 // 4), Image.Resampling.LANCZOS).save(file, "PNG")
    return file.getvalue()


def go_through(run: SurveyRun, choose: Callable[[str], str], seconds: float = 3.0, upto: int = 100) -> str:
    """Somebody who agrees, understands, and says choose(item) of `upto` items."""
    me, given = arrive(run, {}), 0
    answer: dict[str, Any]
    while (page := current_page(run, me))["stage"] not in ENDS and given <= upto:
        answer = {"agreed": True, "chosen": ["Yes"]}
        if page["stage"] in ("practice", "trial"):
            given += page["stage"] == "trial"
            with run.store.reader() as connection:
                mine = schema.trials.c.id == page["page"].removeprefix("trial:")
                shown = connection.scalar(sa.select(schema.trials.c.shown).where(mine))
                answer = {"choice": choose(json.loads(str(shown))["items"][0])}
        changes = [[500, "choice", "x"]]
        times = {"looked": 0, "touched": 500, "submitted": 1000 * seconds, "changes": changes, "away": []}
        if given <= upto:
            time_passes(run, me, seconds)
            submit(run, me, {"page": page["page"], "answer": answer, "times": times})
    return me


def make_dashboard_survey(folder: Path) -> None:
    """A survey of digits in the middle of its third hour: most people mean it, two do not, some have left."""
    from sklearn.datasets import load_digits

    changed = {"pay_per_person = 0.0": "pay_per_person = 1.2", "per_item = 5": "per_item = 30"}
    make_plain_survey(folder, "choose", [], changed, "", PROTOCOL + '[attention]\n"digit37" = "9"\n')
    text = (folder / "survey.toml").read_text()
    (folder / "survey.toml").write_text(text.replace("attention_every = 0", "attention_every = 10"))
    set_key(folder, KEY)
    run, rng, target = open_survey(folder), np.random.default_rng(3), load_digits().target
    like = {0: 6, 1: 8, 2: 7, 3: 9, 4: 7, 5: 9, 6: 5, 7: 4, 8: 1, 9: 3}
    doubt = {name: float(rng.beta(0.5, 1.6)) / 1.4 for name in run.units.items}

    def view(item: str) -> str:
        right = int(target[int(item.removeprefix("digit"))])
        if item == "digit37" or rng.random() > doubt[item]:
            return str(right)
        return str(like[right]) if rng.random() < 0.7 else str(rng.integers(10))

    def careless(item: str) -> str:
        return str(rng.integers(10))

    people = []
    for answers in ([{"agreed": False}], [{"agreed": True}, {}, *[{"chosen": ["No"]}] * 2], [{"agreed": True}], []):
        people.append(arrive(run, {}))
        for answer in answers:
            submit(run, people[-1], {"page": current_page(run, people[-1])["page"], "answer": answer})
    ways = [(view, 100)] * 14 + [(careless, 100)] + [(view, 100)] * 9 + [(view, 4), (view, 15), (view, 9)]
    for i, (choose, upto) in enumerate(ways):
        people.append(go_through(run, choose, 0.6 if i == 14 else float(rng.lognormal(1.1, 0.25)), upto))
    decisions.exclude(run, people[18], "much faster than others, and fails the checks")
    # They came one after the other over two and a half hours; the last are still at it.
    begin = time.time() - 2.6 * 3600
    with run.store.transaction() as connection:
        for i, me in enumerate(people):
            start = begin + 9000 * (i / len(people)) ** 0.9
            there = connection.execute(sa.select(schema.answers.c.trial).where(schema.answers.c.person == me)).scalars()
            for place, trial in enumerate(there.all()):
                at = {"received": min(time.time() - 20, start + 21 * (place + rng.random()))}
                connection.execute(sa.update(schema.answers).where(schema.answers.c.trial == trial).values(at))
            seen = {"started": start, "seen": start + 450 if i not in (2, 28) else start - 3600}
            connection.execute(sa.update(schema.people).where(schema.people.c.id == me).values(seen))
    run.store.close()


def dashboard(browser: Any, keep: Callable[[str, bytes], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_dashboard_survey(folder)
        with served(folder) as address:
            for kind, scheme, width in (("", "light", 1180), ("-dark", "dark", 1180), ("-phone", "light", 390)):
                me = Person(browser, color_scheme=scheme)
                me.page.set_viewport_size({"width": width, "height": 844})
                me.page.goto(f"{address}/dashboard")
                me.page.get_by_label("Dashboard key").fill(KEY)
                me.page.keyboard.press("Enter")
                me.page.wait_for_selector("main:not([aria-busy])")
                me.page.eval_on_selector_all("img", "(all) => all.forEach((one) => { one.loading = 'eager'; })")
                me.page.wait_for_function("() => [...document.images].every((one) => one.complete)")
                tops = {
                    one: me.page.locator(one).bounding_box()["y"]
                    for one in ("#disputed-title", "#people-title", "#map-title", "#download-title")
                }
                whole = Image.open(io.BytesIO(me.page.screenshot(full_page=True)))
                if kind == "-phone":
                    starts = [0, tops["#map-title"] - 16, tops["#people-title"] - 16]
                    parts = [whole.crop((0, int(top), width, int(top) + 844)) for top in starts]
                    keep("dashboard-phone", sheet(parts, columns=3))
                else:
                    keep(f"dashboard{kind}", png(whole.crop((0, 0, width, int(tops["#disputed-title"]) - 12))))
                if not kind:
                    parts = [(tops["#disputed-title"] - 12, 382), (tops["#people-title"] - 16, 552)]
                    cuts = [whole.crop((0, int(top), width, int(top) + height)) for top, height in parts]
                    cuts.append(whole.crop((0, int(tops["#download-title"]) - 16, width, whole.height)))
                    keep("dashboard-people", stack_images(cuts))
                me.close()


def stack_images(pictures: list[Image.Image]) -> bytes:
    whole = Image.new("RGB", (pictures[0].width, sum(one.height for one in pictures)))
    for i, one in enumerate(pictures):
        whole.paste(one, (0, sum(above.height for above in pictures[:i])))
    return png(whole)


def png(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


if __name__ == "__main__":
    main()
