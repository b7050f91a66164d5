"""Keys and clicks per top-two answer: the real answers of CIFAR-10S, replayed through two layouts.

    PYTHONPATH=. DISSENSUS_DATA=... python benchmarks/elicitation_keys.py [--sample 60] [--output FILE.json]

Each answer (a class, its percentage, perhaps a second with its own, and the classes ruled out) becomes the inputs that
a layout needs: the form of Collins (2022, figure 7) by mouse and typing, the same form by somebody who uses Tab and
Enter wherever that is shorter, and the compact layout by keyboard alone. A sample is replayed in a real browser: the
stored answer must be the intended one, and the keys, clicks and movements that the page receives must be those that
the rules count. All answers are then counted by these rules and turned into seconds by the keystroke-level model.

Card, Moran & Newell (1980): K, a key, 0.28 s (average typist); P, pointing, 1.1 s; B, a button down or up, 0.1 s;
H, a hand between mouse and keyboard, 0.4 s; M, a mental step, 1.35 s. M is counted for the decisions, which are the
same in every layout: the class, its percentage, whether there is a second, the second's percentage, and what is ruled
out, if anything is. Scrolling, which only the form needs, is not counted.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets import load
from dissensus.labels.beliefs import Beliefs

SECONDS = {"K": 0.28, "P": 1.1, "B": 0.1, "H": 0.4, "M": 1.35}
LAYOUTS = ("form by mouse", "form with Tab", "compact by keyboard")

# Keys, presses, and movements that end in a press, as the page receives them; and changes of the hand between devices.
COUNTING = """
window.counted = { K: 0, B: 0, P: 0, H: 0 };
let moved = false, device = null;
const by = (now) => { if (device !== null && device !== now) window.counted.H += 1; device = now; };
window.recount = (start) => { window.counted = { K: 0, B: 0, P: 0, H: 0 }; moved = false; device = start; };
addEventListener("keydown", (event) => { if (!event.repeat) { window.counted.K += 1; by("keyboard"); } }, true);
addEventListener("pointermove", () => { moved = true; }, true);
addEventListener("pointerdown", () => {
  window.counted.B += 1;
  window.counted.P += moved ? 1 : 0;
  moved = false;
  by("mouse");
}, true);
addEventListener("pointerup", () => { window.counted.B += 1; }, true);
"""


@dataclass(frozen=True)
class Intended:
    """An answer of the data set, as the survey stores one."""

    first: str
    first_percent: float
    second: str | None
    second_percent: float | None
    ruled_out: tuple[str, ...]

    @property
    def told(self) -> dict[str, Any]:
        return {**self.__dict__, "ruled_out": list(self.ruled_out)}


def intended_answers(beliefs: Beliefs) -> tuple[list[Intended], int]:
    """The answers, and how many are left out: they rule out what they name, name it twice, or without a percentage."""
    found, left_out = [], 0
    for stated, ruled_out, (first, second) in zip(beliefs.stated, beliefs.ruled_out, beliefs.named, strict=True):
        named = [code for code in (first, second) if code >= 0]
        if first == second or any(np.isnan(stated[code]) or ruled_out[code] for code in named):
            left_out += 1
            continue
        percents = [float(np.round(100 * stated[code], 6)) for code in named]
        two = len(named) == 2
        found.append(
            Intended(
                beliefs.classes[first],
                percents[0],
                beliefs.classes[second] if two else None,
                percents[1] if two else None,
                tuple(beliefs.classes[code] for code in np.flatnonzero(ruled_out)),
            )
        )
    return found, left_out


def inputs(layout: str, answer: Intended, classes: tuple[str, ...]) -> list[tuple[str, str]]:
    """What has to be done, one pair of kind and object each: click, key, class (by its key), shifted classes."""
    digits = [
        [("key", digit) for digit in f"{percent:g}"]
        for percent in (answer.first_percent, answer.second_percent)
        if percent is not None
    ]
    if layout == "compact by keyboard":
        done = [("class", answer.first), *digits[0]]
        if answer.second is not None:
            done += [("class", answer.second), *digits[1]]
        possible = [name for name in classes if name not in (answer.first, answer.second, *answer.ruled_out)]
        if len(answer.ruled_out) > len(possible) + 1:  # all the rest, and back what is possible
            return [*done, ("key", "-"), *_count_shift_keys(possible), *_sent(("key", "Enter"), answer)]
        return [*done, *_count_shift_keys(answer.ruled_out), *_sent(("key", "Enter"), answer)]
    to_field = (lambda role: ("key", "Tab")) if layout == "form with Tab" else (lambda role: ("click", role))
    done = [("click", f"first {answer.first}"), to_field("first_percent"), *digits[0]]
    if answer.second is not None:
        done += [("click", f"second {answer.second}"), to_field("second_percent"), *digits[1]]
    done += [("click", f"out {name}") for name in answer.ruled_out]
    send = ("key", "Enter") if layout == "form with Tab" and not answer.ruled_out else ("click", "Next")
    return [*done, *_sent(send, answer)]


def _sent(send: tuple[str, str], answer: Intended) -> list[tuple[str, str]]:
    """A second class above the first is remarked upon, and sent again by whoever means it."""
    meant = answer.second_percent is not None and answer.second_percent > answer.first_percent
    return [send, send] if meant else [send]


def _count_shift_keys(names: tuple[str, ...] | list[str]) -> list[tuple[str, str]]:
    """Shift is held once for all of them, and is a key of its own."""
    return [("shift", ""), *(("shifted", name) for name in names)] if names else []


def operators(layout: str, done: list[tuple[str, str]], answer: Intended) -> Counter[str]:
    """How many of each operator; hands begin where the answer before has left them."""
    counts: Counter[str] = Counter()
    hand = "keyboard" if layout == "compact by keyboard" else "mouse"
    for kind, _ in done:
        counts.update({"P": 1, "B": 2} if kind == "click" else {"K": 1})
        device = "mouse" if kind == "click" else "keyboard"
        counts["H"] += device != hand
        hand = device
    counts["M"] = 3 + (answer.second is not None) + bool(answer.ruled_out)
    return counts


def seconds(counts: Counter[str], mental: bool) -> float:
    return sum(SECONDS[name] * count for name, count in counts.items() if mental or name != "M")


def replay(layout: str, sample: list[Intended], classes: tuple[str, ...]) -> None:
    """Answer the sample in a real browser; raises where what is stored or what the page received is not as intended."""
    from playwright.sync_api import sync_playwright

    from tests.elicit.browser import ARGUMENTS, Person, kept, served

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        rows = "\n".join(f"a{i},Answer {i}" for i in range(len(sample)))
        (folder / "items.csv").write_text(f"item,text\n{rows}\n")
        (folder / "survey.toml").write_text(
            f'title = "Replay"\nitems = "items.csv"\n[question]\nkind = "top-two"\nclasses = {json.dumps(classes)}\n'
            f'layout = "{"compact" if layout.startswith("compact") else "form"}"\n'
            f"[protocol]\nper_person = {len(sample)}\nper_item = 1\n"
        )
        browser = playwright.chromium.launch(executable_path=_chromium(), args=ARGUMENTS)
        with served(folder) as address:
            me = Person(browser)
            me.page.add_init_script(COUNTING)
            me.start(address)
            for _ in sample:
                item = int(me.page.inner_text("blockquote").split()[1])
                done = inputs(layout, sample[item], classes)
                start = "keyboard" if layout.startswith("compact") else "mouse"
                me.page.evaluate("(start) => recount(start)", start)
                me.moves_on(lambda done=done: _perform(me.page, done))
                received = me.page.evaluate("counted")
                wanted = operators(layout, done, sample[item])
                if any(received[one] != wanted[one] for one in "KPBH"):
                    raise AssertionError(f"{layout}, {sample[item]}: {received} received, {dict(wanted)} counted")
        for row in kept(folder):
            told = sample[int(row["item"][1:])].told
            if {**row["answer"], "ruled_out": sorted(row["answer"]["ruled_out"])} != told:
                raise AssertionError(f"{layout}: stored {row['answer']}, intended {told}")
        if len(kept(folder)) != len(sample):
            raise AssertionError(f"{layout}: {len(kept(folder))} answers are stored, {len(sample)} were given")
        browser.close()


def _chromium() -> str | None:
    import os
    import shutil

    return os.environ.get("DISSENSUS_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def _perform(page: Any, done: list[tuple[str, str]]) -> None:
    """The inputs as real keys and real movements of the pointer."""
    letters = dict(
        page.eval_on_selector_all(
            ".classes button",
            "(all) => all.map((one) => ['span', 'kbd'].map((tag) => one.querySelector(tag).textContent))",
        )
    )
    for place, (kind, what) in enumerate(done):
        if what in ("Enter", "Next") and done[place - 1] == (kind, what):
            page.wait_for_selector("#page[data-ready]")  # what is remarked can be read before it is sent again
        if kind != "shifted":
            page.keyboard.up("Shift")
        if kind == "key":
            page.keyboard.press(what)
        elif kind == "class":
            page.keyboard.press(letters[what])
        elif kind == "shift":
            page.keyboard.down("Shift")
        elif kind == "shifted":
            page.keyboard.press(letters[what].upper())
        else:
            target = _target(page, what)
            target.scroll_into_view_if_needed()
            box = target.bounding_box()
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
            page.mouse.down()
            page.mouse.up()
    page.keyboard.up("Shift")


def _target(page: Any, what: str) -> Any:
    role, _, name = what.partition(" ")
    if role == "Next":
        return page.get_by_role("button", name="Next")
    if not name:
        return page.locator(f"input[name$='{role}']")
    return page.locator(f"input[name$='-{role}'][value='{name}']")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=60, help="answers to replay in the browser")
    parser.add_argument("--output", type=Path, help="file for the numbers")
    chosen = parser.parse_args()
    beliefs = load("cifar10s").labels
    assert isinstance(beliefs, Beliefs)
    answers, left_out = intended_answers(beliefs)
    picked = np.random.default_rng(0).choice(len(answers), size=chosen.sample, replace=False)
    told: dict[str, Any] = {
        "data": "CIFAR-10S",
        "answers": len(answers),
        "left_out": left_out,
        "replayed_in_chromium": int(chosen.sample),
        "seconds_of_each": SECONDS,
        "measured_median_seconds": float(np.nanmedian(beliefs.seconds)),
        "layouts": {},
    }
    print("| layout | keys | clicks | hands | seconds | with decisions |\n|---|---|---|---|---|---|")
    for layout in LAYOUTS:
        if chosen.sample:
            replay(layout, [answers[i] for i in picked], beliefs.classes)
        counts = [operators(layout, inputs(layout, one, beliefs.classes), one) for one in answers]
        mean = {name: sum(count[name] for count in counts) / len(counts) for name in "KPBHM"}
        spent = {mental: np.array([seconds(count, mental) for count in counts]) for mental in (False, True)}
        told["layouts"][layout] = {
            **mean,
            "seconds": float(spent[False].mean()),
            "seconds_with_decisions": float(spent[True].mean()),
            "median_seconds": float(np.median(spent[False])),
            "median_with_decisions": float(np.median(spent[True])),
        }
        now = told["layouts"][layout]
        print(
            f"| {layout} | {now['K']:.1f} | {now['P']:.1f} | {now['H']:.1f} | {now['seconds']:.1f} | "
            f"{now['seconds_with_decisions']:.1f} |",
            flush=True,
        )
    ours = told["layouts"]["compact by keyboard"]
    told["ratio"] = {
        layout: {name: ours[name] / told["layouts"][layout][name] for name in ("seconds", "seconds_with_decisions")}
        for layout in LAYOUTS[:2]
    }
    for layout, ratio in told["ratio"].items():
        print(f"compact / {layout}: {ratio['seconds']:.2f}, with decisions {ratio['seconds_with_decisions']:.2f}")
    if chosen.output:
        chosen.output.parent.mkdir(parents=True, exist_ok=True)
        chosen.output.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
