"""The colours of every figure and page, in one place.

Reports take theirs from here. The pages of the web app are files that a browser loads as they are, so their style
sheets repeat `SURVEY` and `DASHBOARD`; a test compares the two, and finds colours that are written anywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

PAPER, INK = "#fff", "#1d2433"
BLUE = "#1f5fa8"  # contrast of 6.5:1 on white
ORANGE = "#c2570c"
# Rank and amount are shown by lightness, never by hue alone.
SHADES = (BLUE, "#5b8fc9", "#93b8e0", "#bcd3ec", "#d7e4f4", "#e8eff8")
# Colour-blind readers can distinguish them; each line also has its own dash.
LINES = (BLUE, ORANGE, "#2a7f4f", "#7a3f9d", "#5f6b7c", "#a8324a")
# People beside models, whose lines begin with blue and orange: only people have this grey.
PEOPLE = "#5f6b7c"
MODELS = (BLUE, ORANGE, "#2a7f4f", "#7a3f9d", "#a8324a")
# One for each class in their order; white text on each has a contrast of 4.5:1 or more.
CLASSES = (
    BLUE,
    "#b9530b",
    "#2a7f4f",
    "#7a3f9d",
    "#a8324a",
    "#0b7285",
    "#7a5230",
    "#b03487",
    "#66690f",
    "#4b4fc4",
    "#3d4a5c",
    "#8a3b12",
)
REST = "#aeb6c3"  # classes beyond these
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
    "map": BLUE,
    "on-map": PAPER,
}
# The same by night, on screens only: what is printed is the day's.
REPORT_NIGHT = {
    "paper": "#161b26",
    "ink": "#e9edf5",
    "accent": "#8ab8f0",
    "second": "#f0b27a",
    "quiet": "#a9b3c5",
    "axis": "#76839a",
    "edge": "#2b3445",
    "rule": "#3b475c",
    "sheet": "#1b2230",
    "tint": "#22304a",
    "map": "#2861ab",
    "on-map": "#e9edf5",
}
# What the colours of data become by night. Figures are drawn in those of the day, and the page exchanges them, so that
# a figure that is saved from a page has them too. Text on a class is then as dark as the paper.
NIGHT = {
    BLUE: "#8ab8f0",
    ORANGE: "#f0954e",
    "#2a7f4f": "#5cc48a",
    "#7a3f9d": "#c795e6",
    PEOPLE: "#a3aebf",
    "#a8324a": "#f0798e",
    "#b9530b": "#e8a068",
    "#0b7285": "#3fb6cc",
    "#7a5230": "#c9a27c",
    "#b03487": "#ec82c4",
    "#66690f": "#b9bd4a",
    "#4b4fc4": "#a3a6f7",
    "#3d4a5c": "#8fa0b8",
    "#8a3b12": "#d9825a",
    REST: "#5c6779",
    SHADES[1]: "#3a6ea8",
    SHADES[2]: "#31598a",
    SHADES[3]: "#2a4a72",
    SHADES[4]: "#243d5e",
    SHADES[5]: "#22304a",
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


def night_rules() -> str:
    """CSS that exchanges the colours of data on a page, wherever a figure or a swatch has them."""
    rules = [
        f'.dissensus [fill="{day}"]{{fill:{night}}}.dissensus [stroke="{day}"]{{stroke:{night}}}'
        f'.dissensus .swatch[style*="{day}"]{{background:{night}!important}}'
        for day, night in NIGHT.items()
    ]
    return "".join(rules)


def night_rules_of(drawing: str) -> str:
    """CSS that exchanges the colours of data inside one drawing."""
    return "".join(
        f'[fill="{day}"]{{fill:{night}}}[stroke="{day}"]{{stroke:{night}}}'
        for day, night in NIGHT.items()
        if f'="{day}"' in drawing
    )


def model_colours(names: Iterable[str]) -> dict[str, str]:
    """One colour for each model of a page, and one for people; a sixth model begins again.

    People are called "people", unless a model has this name: then they are "real people".
    """
    models = {name: MODELS[place % len(MODELS)] for place, name in enumerate(names)}
    people = "people"
    while people in models:
        people = f"real {people}"
    return {people: PEOPLE} | models


def class_colours(classes: Sequence[str], shares: Sequence[float] | None = None) -> dict[str, str]:
    """One colour for each class of a page: by their order while there are enough, else for those with most mass."""
    chosen = list(range(len(classes)))
    if len(classes) > len(CLASSES) and shares is not None:
        chosen = sorted(sorted(chosen, key=lambda place: -shares[place])[: len(CLASSES)])
    coloured = {classes[place]: CLASSES[rank] for rank, place in enumerate(chosen[: len(CLASSES)])}
    return {name: coloured.get(name, REST) for name in classes}


def contrast(one: str, other: str) -> float:
    """How well one colour stands out from another, 1 to 21: the contrast ratio of WCAG 2.2."""
    brighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = (channel / 255 for channel in _channels(colour))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def blend(start: str, stop: str, part: float) -> str:
    """The colour a part of the way, 0 to 1, from one colour to another."""
    ends = zip(_channels(start), _channels(stop), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * part):02x}" for a, b in ends)


def _channels(colour: str) -> tuple[int, ...]:
    """Red, green and blue, 0 to 255; `#fff` is short for `#ffffff`."""
    digits = colour.removeprefix("#")
    return tuple(bytes.fromhex(digits if len(digits) == 6 else "".join(2 * digit for digit in digits)))
