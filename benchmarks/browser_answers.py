"""The inputs for each question and page in `elicitation_browsers.py`, and the expected answers."""

from __future__ import annotations

from typing import Any

TEN = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
THREE = ("cat", "dog", "ship")
MANY = tuple(f"{kind} {number:02d}" for kind in ("tern", "wren", "gull", "xenops", "kite") for number in range(22))
TEXTS = "item,text,class\nt0,Would you mind having another look?,polite\nt1,Do it now.,polite\n"
# Inputs: names are clicked, (name, share) is a click on a slider, [keys] are pressed one by one.
Step = str | tuple[str, float] | list[str]
COLLINS = {"first": "cat", "first_percent": 70, "second": "dog", "second_percent": 20}
REST = [name for name in TEN if name not in ("cat", "dog")]
# Question: settings, steps by pointer and their answer, steps by keyboard and their answer.
QUESTIONS: dict[str, tuple[dict[str, Any], list[Step], dict[str, Any], list[Step], dict[str, Any]]] = {
    "choose": ({"kind": "choose", "classes": TEN}, ["frog"], {"choice": "frog"}, [["o"]], {"choice": "dog"}),
    "choose, list": (
        {"kind": "choose", "classes": TEN, "layout": "list", "shuffle": False},
        ["ship"],
        {"choice": "ship"},
        [["Tab", "Tab", "Tab", "Enter"]],
        {"choice": "bird"},
    ),
    "top-two": (
        {"kind": "top-two", "classes": TEN},
        ["cat", [*"70"], "dog", [*"20"], "Definitely no others", "Next"],
        {**COLLINS, "ruled_out": REST},
        [[*"c70o20", "Shift+T", "Shift+S", "Shift+T", "Enter"]],
        {**COLLINS, "ruled_out": ["ship"]},
    ),
    "top-two, form": (
        {"kind": "top-two", "classes": TEN, "layout": "form", "shuffle": False},
        [
            "most probable?|cat",
            "How probable",
            [*"70"],
            "second most|dog",
            "If you chose",
            [*"20"],
            "definitely not|ship",
            "Next",
        ],
        {**COLLINS, "ruled_out": ["ship"]},
        [
            [
                "Tab",
                "Space",
                *["ArrowDown"] * 3,
                "Tab",
                *"70",
                "Tab",
                "Space",
                *["ArrowDown"] * 5,
                "Tab",
                *"20",
                "Tab",
                "Space",
                "Tab",
                "Space",
                "Enter",
            ]
        ],
        {**COLLINS, "ruled_out": ["airplane", "automobile"]},
    ),
    "top-two, 110 classes": (
        {"kind": "top-two", "classes": MANY},
        [
            [*"wren 1"],
            "wren 12",
            [*"60"],
            "#answer input[role=combobox]",
            [*"xenops 01"],
            "xenops 01",
            [*"30"],
            "Definitely no others",
            "Next",
        ],
        {
            "first": "wren 12",
            "first_percent": 60,
            "second": "xenops 01",
            "second_percent": 30,
            "ruled_out": [name for name in MANY if name not in ("wren 12", "xenops 01")],
        },
        [[*"gull 00", "Shift+Enter", *"wren 12", "Enter", *"60", *"xenops 01", "Enter", *"30", "Enter"]],
        {
            "first": "wren 12",
            "first_percent": 60,
            "second": "xenops 01",
            "second_percent": 30,
            "ruled_out": ["gull 00"],
        },
    ),
    "sliders": (
        {"kind": "sliders", "classes": THREE},
        [("cat", 0.25), ("dog", 0.5), ("ship", 1.0), "Next"],
        {"values": {"cat": 0.25, "dog": 0.5, "ship": 1.0}},
        [["c", "7", "d", "End", "s", "Space", "ArrowLeft", "Enter"]],
        {"values": {"cat": 0.7, "dog": 1, "ship": 0.49}},
    ),
    "allocate": (
        {"kind": "allocate", "classes": THREE},
        ["cat", [*"50"], "dog", [*"50"], "Next"],
        {"percents": {"cat": 50, "dog": 50}},
        [[*"s25c75", "Enter"]],
        {"percents": {"cat": 75, "ship": 25}},
    ),
    "tokens": (
        {"kind": "tokens", "classes": THREE, "tokens": 5},
        [*["Add one to cat"] * 4, "Remove one from cat", *["Add one to dog"] * 2, "Next"],
        {"tokens": {"cat": 3, "dog": 2}},
        [[*"sssd", "Shift+S", *"cc", "Enter"]],
        {"tokens": {"cat": 2, "dog": 1, "ship": 2}},
    ),
    "typicality": (
        {"kind": "typicality"},
        [("polite", 0.5), "Next"],
        {"value": 0.5},
        [["9", "ArrowRight", "Enter"]],
        {"value": 0.91},
    ),
    "similarity": ({"kind": "similarity"}, ["6, "], {"value": 6}, [["2"]], {"value": 2}),
    "triplet": (
        {"kind": "triplet"},
        [".candidate:last-child img"],
        {"closer": "second"},
        [["ArrowLeft"]],
        {"closer": "first"},
    ),
}
# Page: its heading, steps by pointer and by keyboard.
PAGES: dict[str, tuple[str, list[Step], list[Step]]] = {
    "consent": ("Animals", ["I agree"], [["Tab", "Enter"]]),
    "instructions": ("Instructions", ["Continue"], [["Tab", "Enter"]]),
    "comprehension": ("A short check", ["Yes", "Check my answers"], [["Tab", "Space", "Tab", "Enter"]]),
    "feedback": ("About your practice answer", ["Continue"], [["Enter"]]),
    "trial": ("What is it?", ["dog"], [["d"]]),
    "break": ("Time for a short break", ["Continue"], [["Tab", "Enter"]]),
    "debrief": (
        "Almost done",
        ["No", "textarea", [*"fine"], "Finish"],
        [["Tab", "Space", "ArrowDown", "Tab", *"fine", "Tab", "Enter"]],
    ),
    "done": ("Thank you", [], []),
}
