"""A paper that takes a second: a study on embedded digits, work on its results, and a driver as a process of its own.

python tests/papers/tiny_paper.py FOLDER   reproduces it; its last part waits until FOLDER/go is there
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dissensus.papers.claims import Answer, Claim, Conclusion
from dissensus.papers.evidence import Candidate, Evidence, Number, collect
from dissensus.papers.figures import Figure, Series
from dissensus.papers.judges import exactly, less, untestable
from dissensus.papers.paper import Paper, Part, Results, Scale, Work
from dissensus.papers.running import reproduce
from dissensus.papers.study_runs import runs_of
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study

DIGITS = {"digits": {"labels": "digits", "features": "pixels"}}
CLAIMS = (
    Claim(
        key="closer",
        claim="Soft labels bring the head closer to people",
        source="table 1",
        published="KL 0.5 | 0.3",
        judge=less("kl", "soft", than="majority"),
    ),
    Claim(
        key="items",
        claim="There are 1,797 digits",
        source="section 2",
        published="1,797",
        judge=exactly("items", "people", "1797"),
    ),
    Claim(
        key="brains",
        claim="Brains agree",
        source="figure 9\nright",
        published="a picture",
        judge=untestable("there is no scanner"),
    ),
)
FIGURES = (
    Figure(
        key="lines",
        title="KL by epoch",
        source="figure 1",
        kind="lines",
        x_title="epoch",
        y_title="KL",
        series=(
            Series("soft", (1.0, 2.0), (0.5, 0.3), (0.4, None), (0.6, None)),
            Series("hard", (1.0, 2.0), (0.6, 0.5)),
        ),
        published=(Series("soft", (1.0, 2.0), (0.6, 0.2)),),
        parts=("heads",),
    ),
    Figure(
        key="dots",
        title="KL & accuracy",
        source="table 1",
        kind="dots",
        x_title="set",
        y_title="KL",
        series=(Series("soft", ("one", "two"), (0.3, 0.2), (0.2, 0.1), (0.4, 0.3)), Series("hard", ("one",), (0.5,))),
        published=(Series("soft", ("one", "two"), (0.31, None)),),
        note="Means | intervals.",
    ),
)


def study(seeds: int = 2, model: Mapping[str, Any] | None = None) -> Study:
    """Four cells, or two for each seed."""
    head = {"head": "mlp", "epochs": 2, "hidden": 8} if model is None else dict(model)
    return study_of({"name": "heads", "seeds": seeds, "delivery": ["soft", "majority"], "data": DIGITS, "model": head})


def counted(calls: Path, items: int = 1797) -> Work:
    """Work that leaves a line in a file each time it is called."""

    def work(folder: Path, needs: Mapping[str, Path], tell: Any) -> dict[str, Any]:
        tell(0.5)
        with calls.open("a", encoding="utf-8") as file:
            file.write(f"{folder.name}\n")
        return {"items": items, "needs": sorted(needs)}

    return work


def observe(results: Results, scale: Scale) -> Evidence:
    """Measure KL on the heads and the number of items, as far as there are such parts."""
    rows: list[tuple[Candidate, Number, Mapping[str, float]]] = []
    if "heads" in results.folders:
        for arm in ("soft", "majority"):
            runs = runs_of(results.study("heads"), "kl", delivery=arm)
            rows.append((Candidate("heads", "last"), Number("kl", arm), runs))
    if "labels" in results.numbers:
        rows.append((Candidate(), Number("items", "people"), {"all": results.numbers["labels"]["items"]}))
    return collect(rows)


def tiny_paper(*parts: Part, **fields: Any) -> Paper:
    """The paper with these parts; its claims are about parts called `heads` and `labels`."""
    answers = [Answer(question="And sheep?", answer="No.", parts=("labels",))]
    kept: dict[str, Any] = {
        "observe": observe,
        "figures": lambda results, scale, evidence: FIGURES,
        "beyond": lambda results, scale: answers,
        "headlines": ("closer",),
        "conclude": lambda judgements: Conclusion(short="They do.", practice="Sleep.", caution="One bed only."),
    } | fields
    return Paper(
        name="tiny2026",
        title="Do digits | dream?",
        citation="Nobody (2026), Tiny",
        claims=CLAIMS,
        parts=lambda scale: parts,
        differences=lambda scale: [("seeds", "1,000", "2")],
        **kept,
    )


def two_parts(calls: Path, **settings: Any) -> Sequence[Part]:
    """The study and work that needs it."""
    return (
        Part(name="heads", study=study(5)),
        Part(name="labels", work=counted(calls), settings=settings, needs=("heads",)),
    )


def slow_paper(place: Path) -> Paper:
    """Quick work, then work that waits for a file."""

    def wait(folder: Path, needs: Mapping[str, Path], tell: Any) -> dict[str, Any]:
        (folder / "begun").touch()
        while not (place / "go").exists():
            time.sleep(0.01)
        return {"items": 3}

    calls = place / "calls"
    return tiny_paper(Part(name="labels", work=counted(calls)), Part(name="slow", work=wait, needs=("labels",)))


if __name__ == "__main__":
    reproduce(slow_paper(Path(sys.argv[1])), "quick", Path(sys.argv[1]))
