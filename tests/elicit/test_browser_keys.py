"""The recorded cost of an answer: its rules by hand, and the page that quotes it."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
RECORD = json.loads((ROOT / "benchmarks" / "results" / "elicitation_keys.json").read_text())
CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")


@pytest.fixture(scope="module")
def rules():
    return runpy.run_path(str(ROOT / "benchmarks" / "elicitation_keys.py"))


def test_the_operators_of_one_answer_counted_by_hand(rules):
    """Cat 70, dog 20, all but the frog ruled out."""
    out = tuple(name for name in CLASSES if name not in ("cat", "dog", "frog"))
    answer = rules["Intended"]("cat", 70.0, "dog", 20.0, out)
    counted = {
        layout: dict(rules["operators"](layout, rules["inputs"](layout, answer, CLASSES), answer))
        for layout in rules["LAYOUTS"]
    }
    # Compact: c 7 0 o 2 0 - Shift f Enter.
    assert counted["compact by keyboard"] == {"K": 10, "H": 0, "M": 5}
    # Form: cat, its field (hand) 7 0 (hand) dog, its field (hand) 2 0 (hand), seven boxes, Next.
    assert counted["form by mouse"] == {"K": 4, "P": 12, "B": 24, "H": 4, "M": 5}
    assert counted["form with Tab"] == {"K": 6, "P": 10, "B": 20, "H": 4, "M": 5}


def test_few_classes_are_ruled_out_one_by_one_and_many_group(rules):
    def keys(out):
        answer = rules["Intended"]("cat", 5.0, None, None, out)
        return [what or kind for kind, what in rules["inputs"]("compact by keyboard", answer, CLASSES)]

    assert keys(()) == ["cat", "5", "Enter"]
    assert keys(("dog", "frog")) == ["cat", "5", "shift", "dog", "frog", "Enter"]
    assert keys(tuple(name for name in CLASSES if name != "cat")) == ["cat", "5", "-", "Enter"]


def test_the_compact_layout_takes_at_most_half_and_the_page_says_what_was_recorded():
    assert all(share <= 0.5 for ratio in RECORD["ratio"].values() for share in ratio.values())
    page = (ROOT / "docs" / "elicit.md").read_text(encoding="utf-8")
    for name, now in RECORD["layouts"].items():
        cells = [now[key] for key in ("K", "P", "H", "seconds", "seconds_with_decisions")]
        assert f"| {name} | {' | '.join(f'{cell:.1f}' for cell in cells)} |" in page
    assert f"{RECORD['answers']:,} of {RECORD['answers'] + RECORD['left_out']:,}" in page
    by_mouse, with_tab = (RECORD["ratio"][name] for name in ("form by mouse", "form with Tab"))
    for ratio in (by_mouse, with_tab):
        assert f"{ratio['seconds']:.2f}" in page and f"{ratio['seconds_with_decisions']:.2f}" in page
