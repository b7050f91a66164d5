"""The screenshots of docs/elicit.md, taken in a real Chromium from studies that this script makes.

PYTHONPATH=. python benchmarks/elicit_figures.py [--output docs/figures]
"""

from __future__ import annotations

import argparse
import io
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from dissensus.elicit.access import set_key
from dissensus.elicit.app import open_study
from dissensus.elicit.making import make_study
from dissensus.elicit.rehearsal_report import known_by
from dissensus.elicit.rehearse import rehearse, simulated_truth
from tests.elicit.browser import ARGUMENTS, Person, served

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
GREEK = [
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "omicron", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega",
]  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"
CHARACTERS = [
    *(f"digit {one}" for one in WORDS), *(f"small {one}" for one in LETTERS),
    *(f"capital {one}" for one in LETTERS.upper()), *GREEK, *(f"capital {one}" for one in GREEK),
]  # fmt: skip
PAIRS = """item,premise,hypothesis
n0,A man in a green shirt is leaning on a parked bus.,A man waits for somebody.
"""
RELATIONS = ["entailment", "neutral", "contradiction"]
POLITE = "item,text,class\nt0,Would you mind having another look at the second page when you find a moment?,polite\n"
# Name: kind, classes, changes of study.toml, items.csv or the one picture that is shown, keys that are pressed.
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("docs/figures"))
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    found = os.environ.get("DISSENSUS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)

        def keep(name: str, png: bytes) -> None:
            picture = Image.open(io.BytesIO(png)).convert("RGB").quantize(64, method=Image.Quantize.MEDIANCUT)
            path = chosen.output / f"elicit-{name}.png"
            picture.save(path, optimize=True)
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB")

        for name in QUESTIONS:
            question(browser, name, keep)
        question(browser, "top-two", keep, phone=True)
        pages(browser, keep)
        dashboard(browser, keep)
        browser.close()


def question(browser: Any, name: str, keep: Callable[[str, bytes], None], phone: bool = False) -> None:
    kind, classes, changed, items, keys = QUESTIONS[name]
    with tempfile.TemporaryDirectory() as folder:
        made(Path(folder), kind, classes, changed, items)
        with served(Path(folder)) as address:
            me = Person(browser, color_scheme="dark" if phone else "light", has_touch=phone, is_mobile=phone)
            size = {"width": 390, "height": 844} if phone else {"width": 960, "height": 760}
            me.page.set_viewport_size(size)
            me.start(address)
            for key in keys:
                me.page.keyboard.press(key)
            me.page.mouse.move(0, 0)
            end = me.page.eval_on_selector("main", "(main) => main.getBoundingClientRect().bottom") + 20
            shot = me.page.screenshot(full_page=True, clip={"x": 0, "y": 0, "width": size["width"], "height": end})
            keep(f"{name}-phone" if phone else name, shot)
            me.close()


def made(folder: Path, kind: str, classes: list[str], changed: dict[str, str], items: str, more: str = "") -> None:
    """A study without consent and instructions, so that it begins with a trial."""
    make_study(folder, title="What do you see?", kind=kind, classes=classes)
    text = (folder / "study.toml").read_text()
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
    (folder / "study.toml").write_text(text + more)


def pages(browser: Any, keep: Callable[[str, bytes], None]) -> None:
    """Consent, instructions, check, feedback, break and the end, in one picture."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changed = {"per_person = 20": "per_person = 2", "break_every = 0": "break_every = 1"}
        made(folder, "choose", [], changed, "", PROTOCOL)
        shots = []
        with served(folder) as address:
            me = Person(browser)
            me.page.set_viewport_size({"width": 660, "height": 420})
            me.start(address)
            while True:
                heading = me.heading()
                if heading != "What is it?":
                    shots.append(Image.open(io.BytesIO(me.page.screenshot())))
                if heading == "Thank you":
                    break
                if heading == "A short check":
                    me.page.get_by_label("Yes").check()
                trial = heading == "What is it?"
                me.moves_on(lambda: me.keys("0") if trial else me.page.locator("main button.main").click())  # noqa: B023
            me.close()
    picked = shots[:1] + shots[2:6]
    sheet = Image.new("RGB", (2 * 670 - 10, 3 * 430 - 10), "#fff")
    for i, shot in enumerate([*picked, shots[-1]]):
        sheet.paste(shot, ((i % 2) * 670, (i // 2) * 430))
    file = io.BytesIO()
    sheet.resize((sheet.width * 3 // 4, sheet.height * 3 // 4), Image.Resampling.LANCZOS).save(file, "PNG")
    keep("pages", file.getvalue())


def dashboard(browser: Any, keep: Callable[[str, bytes], None]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        changed = {"pay_per_person = 0.0": "pay_per_person = 1.2", "per_item = 5": "per_item = 12"}
        made(folder, "choose", [], changed, "")
        set_key(folder, "only for a picture")
        with served(folder) as address:
            run = open_study(folder)
            truth = simulated_truth(run.study, len(run.units.items), 0)
            rehearse(run.study, known_by(run), truth, address, 9, 0, at_once=3)
            run.store.close()
            for scheme in ("light", "dark"):
                me = Person(browser, color_scheme=scheme)
                me.page.set_viewport_size({"width": 1000, "height": 900})
                me.page.goto(f"{address}/dashboard")
                me.page.get_by_label("Key of the dashboard").fill("only for a picture")
                me.page.keyboard.press("Enter")
                me.page.get_by_role("button", name="Stop taking answers").wait_for()
                me.page.wait_for_function("() => [...document.images].slice(0, 5).every((one) => one.complete)")
                keep("dashboard" if scheme == "light" else "dashboard-dark", me.page.screenshot())
                me.close()


if __name__ == "__main__":
    main()
