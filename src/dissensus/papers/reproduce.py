"""Run what a paper needs, in one of three sizes, and hold every claim against what came out."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.files.notices import to_stderr
from dissensus.files.whole_files import write_text
from dissensus.papers.claims import VERDICTS, Claim, Finding
from dissensus.papers.paper import SCALES, Paper, Part, Results, Scale
from dissensus.study.cells import canonical
from dissensus.study.data import Say
from dissensus.study.run import Progress, code_commit, held, run_study

NUMBERS = "numbers.json"  # what a part that is work gave


@dataclass(frozen=True)
class Step:
    """How far a reproduction is: which part, of how many, and how much of it."""

    part: str
    place: int
    parts: int
    share: float


@dataclass(frozen=True)
class Row:
    """A claim and what came out."""

    claim: Claim
    finding: Finding

    def as_json(self) -> dict[str, Any]:
        said = {"key": self.claim.key, "claim": self.claim.claim, "source": self.claim.source}
        return said | {"published": self.claim.published} | self.finding.as_json()


@dataclass(frozen=True)
class Reproduction:
    """What a paper claims against what came out here.

    rows      one for each claim, in the order of the paper; none is left out
    shrunk    (what, in the paper, here) for all that is smaller or other here
    seconds   that the parts took, all runs of them added up
    checksums of the data, by part and set
    """

    paper: str
    scale: Scale
    citation: str
    rows: tuple[Row, ...]
    shrunk: tuple[tuple[str, str, str], ...]
    command: str
    commit: str
    hardware: str
    seconds: float
    checksums: Mapping[str, str]

    def count(self, verdict: str) -> int:
        return sum(row.finding.verdict == verdict for row in self.rows)

    def __str__(self) -> str:
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in VERDICTS if self.count(verdict))
        return f"{self.paper} at scale {self.scale}: {len(self.rows)} claims, {counts}"

    def as_json(self) -> dict[str, Any]:
        return {
            "paper": self.paper, "scale": self.scale, "claims": [row.as_json() for row in self.rows],
            "citation": self.citation, "shrunk": [list(row) for row in self.shrunk], "command": self.command,
            "commit": self.commit, "hardware": self.hardware, "seconds": round(self.seconds, 1),
            "checksums": dict(self.checksums),
        }  # fmt: skip


def reproduce(
    paper: Paper,
    scale: Scale,
    folder: str | Path,
    *,
    engine: Callable[[], Any] = lambda: None,
    jobs: int | None = None,
    progress: Callable[[Step], None] = lambda step: None,
    say: Say = to_stderr,
) -> Reproduction:
    """Run the parts that are not in the folder yet, and judge every claim.

    engine  makes who works on the cells of each study, as in `run_study`: an engine is closed with its study
    """
    if scale not in SCALES:
        raise ValueError(f"there is no scale {scale!r}; expected one of {', '.join(SCALES)}")
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    parts = list(paper.parts(scale))
    folders: dict[str, Path] = {}
    numbers: dict[str, dict[str, Any]] = {}
    checksums: dict[str, str] = {}
    seconds = 0.0
    for at, part in enumerate(parts):
        folders[part.name] = place / part.name

        def tell(share: float, at: int = at, part: Part = part) -> None:
            progress(Step(part.name, at, len(parts), share))

        tell(0.0)
        if part.study is not None:
            took = _run_study(part, folders[part.name], engine(), jobs, tell, say)
            records = Results(folders, {}).study(part.name).records
            checksums |= {f"{part.name}: {record['arm']['data']}": record["settings"]["data"]["labels"]
                          for record in records}  # fmt: skip
        else:
            took, numbers[part.name] = _work(part, folders, tell)
        seconds += took
    findings = paper.findings(Results(folders, numbers), scale)
    return Reproduction(
        paper=paper.name, scale=scale, citation=paper.citation, rows=_rows(paper, findings),
        shrunk=tuple(paper.shrunk(scale)), command=f"dissensus reproduce {paper.name} --scale {scale}",
        commit=code_commit(), hardware=f"{platform.system()} {platform.machine()}", seconds=seconds,
        checksums=checksums,
    )  # fmt: skip


def _rows(paper: Paper, findings: Mapping[str, Finding]) -> tuple[Row, ...]:
    """A row for each claim; a claim without a finding would be left out in silence."""
    keys = [claim.key for claim in paper.claims]
    if set(keys) != set(findings):
        odd = sorted(set(keys) ^ set(findings))
        raise AssertionError(f"{paper.name}: claims and findings do not match in {', '.join(odd)}")
    return tuple(Row(claim, findings[claim.key]) for claim in paper.claims)


def _run_study(
    part: Part, folder: Path, engine: Any, jobs: int | None, tell: Callable[[float], None], say: Say
) -> float:
    assert part.study is not None

    def progress(now: Progress) -> None:
        tell(now.done / now.total)

    ran = run_study(part.study, folder, engine=engine, jobs=jobs, progress=progress, say=say)
    if ran.failures:
        key, error = next(iter(ran.failures.items()))
        raise ValueError(
            f"{len(ran.failures)} of {ran.total} cells of {part.name} failed, the first of them {key}: {error}; "
            f"`dissensus study status {folder}` lists them"
        )
    records = Results({part.name: folder}, {}).study(part.name).records
    return float(sum(record["seconds"] for record in records))


def _work(part: Part, folders: Mapping[str, Path], tell: Callable[[float], None]) -> tuple[float, dict[str, Any]]:
    """What a part gave before with the same settings and the same parts before it, or gives now."""
    assert part.work is not None
    folder = folders[part.name]
    before = {name: _content(folders[name]) for name in part.needs}
    name = hashlib.sha256(canonical({"settings": dict(part.settings or {}), "needs": before}).encode()).hexdigest()[:16]
    with held(folder):
        kept = folder / NUMBERS
        try:
            stored = json.loads(kept.read_text(encoding="utf-8"))
            if stored["made_from"] == name:
                return float(stored["seconds"]), dict(stored["numbers"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # not there, of other settings, or cut off by hand: it is made anew
        started = time.perf_counter()
        given = part.work(folder, {need: folders[need] for need in part.needs}, tell)
        seconds = round(time.perf_counter() - started, 2)
        text = json.dumps({"made_from": name, "seconds": seconds, "numbers": given}, indent=1, allow_nan=False)
        write_text(text + "\n", kept)
    return seconds, dict(json.loads(text)["numbers"])


def _content(folder: Path) -> str:
    """What tells the results of a part from others: which cells a study has, or what work was made from."""
    if (folder / NUMBERS).exists():
        return str(json.loads((folder / NUMBERS).read_text(encoding="utf-8"))["made_from"])
    return ",".join(json.loads((folder / "study.json").read_text(encoding="utf-8"))["cells"])
