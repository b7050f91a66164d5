"""The colours of every figure and page, in one place.

Reports take theirs from here. The pages of the web app are files that a browser loads as they are, so their style
sheets repeat `SURVEY` and `DASHBOARD`; a test compares the two, and finds colours that are written anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping

PAPER, INK = "#fff", "#1d2433"
BLUE = "#1f5fa8"  # contrast of 6.5:1 on white
ORANGE = "#c2570c"
# Rank and amount are shown by lightness, never by hue alone.
SHADES = (BLUE, "#5b8fc9", "#93b8e0", "#bcd3ec", "#d7e4f4", "#e8eff8")
# They stay apart for colour-blind readers; each line also has its own dash.
LINES = (BLUE, ORANGE, "#2a7f4f", "#7a3f9d", "#5f6b7c", "#a8324a")
MAP_ENDS = ("#f3f7fc", "#0b1e3a")  # the least and the largest value of a map; blue lies between them

# Custom properties of the reports: `var(--ink)` anywhere below an element of class `dissensus`.
REPORT = {
    "paper": PAPER,
    "ink": INK,
    "accent": BLUE,
    "second": ORANGE,
    "quiet": "#4a5468",
    "axis": "#8b95a7",
    "edge": "#e3e7ee",
    "rule": "#c9d1de",
    "sheet": "#fbfcfe",
    "tint": "#eef3fa",
}

# Custom properties of the web app, by day and by night: `elicit.css`, then what `dashboard.css` adds.
SURVEY = {
    "paper": (PAPER, "#161b26"),
    "sheet": ("#f3f5f9", "#0e121a"),
    "ink": (INK, "#e9edf5"),
    "quiet": ("#566072", "#a9b3c5"),
    "line": ("#7f8a9d", "#76839a"),
    "edge": ("#d9dfe9", "#2b3445"),
    "accent": (BLUE, "#8ab8f0"),
    "on-accent": (PAPER, "#0d1420"),
    "tint": (SHADES[5], "#22304a"),
    "good": ("#1c6b3f", "#7ad3a1"),
    "bad": ("#a3262a", "#ff9c9c"),
    "second": ("#a34a06", "#f0b27a"),
    "second-tint": ("#fbeee0", "#3a2a1a"),
    "focus": ("#b45309", "#fbbf24"),
    "track": ("#dde3ec", "#323c4f"),
    "tick": (BLUE, "#2f6fc0"),
}
DASHBOARD = {
    "shade-0": (BLUE, "#5c9be0"),
    "shade-1": ("#d98436", "#e39a55"),
    "shade-2": ("#7aa7d9", "#b5d2f4"),
    "shade-3": ("#a9b4c4", "#76839a"),
}


def custom_properties(colours: Mapping[str, str]) -> str:
    """Names and colours as CSS declarations, `--ink:#1d2433;…`."""
    return "".join(f"--{name}:{colour};" for name, colour in colours.items())


def blended(start: str, stop: str, part: float) -> str:
    """The colour a part of the way, 0 to 1, from one colour to another."""
    ends = zip(_channels(start), _channels(stop), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in ends)


def _channels(colour: str) -> tuple[int, ...]:
    """Red, green and blue, 0 to 255; `#fff` is short for `#ffffff`."""
    digits = colour.removeprefix("#")
    return tuple(bytes.fromhex(digits if len(digits) == 6 else "".join(2 * digit for digit in digits)))
