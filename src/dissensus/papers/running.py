"""Run the parts of a paper at one of three scales, and judge every claim."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dissensus.datasets.catalogue import lookup
from dissensus.datasets.folder import paths_of
from dissensus.files.notices import to_stderr
from dissensus.files.stored_results import compute_once, inputs_key
from dissensus.labels.content_hash import hash_file, hash_text
from dissensus.labels.refusals import one_of
from dissensus.papers.claims import Finding
from dissensus.papers.paper import SCALES, Paper, Part, Results, Scale
from dissensus.papers.record import RECORD, PartRun, Reproduction, Row, hardware
from dissensus.study.commit import code_commit
from dissensus.study.data import Say
from dissensus.study.description import read_folder
from dissensus.study.holding import hold_folder
from dissensus.study.run import StudyProgress, run_study


@dataclass(frozen=True)
class Step:
    """Progress of a reproduction: the current part, and the share of all parts that is done."""

    part: str
    share: float


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
    """Run the parts that are not in the folder yet, judge every claim, and write a record to the folder.

    Parameters
    ----------
    paper : Paper
    scale : "quick", "laptop" or "full"
    folder : path
        Results and record; if a run was interrupted, the same folder resumes it.
    engine : () -> engine
        Makes the engine of each study, as for `run_study`; it is closed with its study.
    jobs : int
        Number of processes; by default one per core.
    progress : (Step) -> None
    say : (str) -> None
        Receives notices.

    Returns
    -------
    Reproduction
        Its `rows` are the claims with their findings.

    Examples
    --------
    >>> paper = Paper(
    ...     name="tiny",
    ...     title="How many?",
    ...     citation="Nobody (2026)",
    ...     claims=[Claim(key="items", claim="There are 3 items", source="table 1", published="3")],
    ...     parts=lambda scale: [Part(name="counts", work=lambda folder, needs, tell: {"items": 3})],
    ...     findings=lambda results, scale: {
    ...         "items": Finding(ours=str(results.numbers["counts"]["items"]), verdict="equal", parts=("counts",))
    ...     },
    ...     differences=lambda scale: [],
    ... )
    >>> print(reproduce(paper, "quick", "tiny"))
    tiny at scale quick: 1 claims, 1 equal
    """
    one_of("scale", scale, SCALES)
    place = Path(folder)
    parts = list(paper.parts(scale))
    _check_parts(paper, parts)
    names = dict.fromkeys(name for part in parts for name in part.data)
    data = {name: _checksum(paths_of(lookup(name))) for name in names}
    place.mkdir(parents=True, exist_ok=True)
    whole = sum(part.weight for part in parts)
    folders: dict[str, Path] = {}
    numbers: dict[str, dict[str, Any]] = {}
    runs: dict[str, PartRun] = {}
    contents: dict[str, list[str]] = {}  # what distinguishes the results of a part: its cells, or the key of its inputs
    done = 0.0
    for part in parts:
        folders[part.name] = place / part.name

        def tell(share: float, part: Part = part, done: float = done) -> None:
            progress(Step(part.name, (done + part.weight * share) / whole))

        tell(0.0)
        checksums = {name: data[name] for name in part.data}
        checksums |= {name: _checksum([path]) for name, path in part.files.items()}
        if part.study is not None:
            runs[part.name] = _run_study(part, folders[part.name], engine(), jobs, tell, say, checksums)
            contents[part.name] = _cells_of(folders[part.name])
        else:
            needs = {name: contents[name] for name in part.needs}
            inputs = {"settings": part.settings, "data": checksums, "needs": needs}
            runs[part.name], numbers[part.name] = _work(part, folders, inputs, tell, say)
            contents[part.name] = [inputs_key(inputs)]
        tell(1.0)
        done += part.weight
    results = Results(folders, numbers)
    made = Reproduction(
        paper=paper.name,
        scale=scale,
        title=paper.title,
        citation=paper.citation,
        rows=_rows(paper, paper.findings(results, scale)),
        differences=tuple(paper.differences(scale)),
        command=f"dissensus reproduce {paper.name} --scale {scale}",
        hardware=hardware(),
        parts=runs,
        figures=tuple(paper.figures(results, scale)),
        beyond=tuple(paper.beyond(results, scale)),
    )
    made.write(place / RECORD)
    return made


def _check_parts(paper: Paper, parts: Sequence[Part]) -> None:
    """Check that names are unique, and that parts come after those they need."""
    before: set[str] = set()
    for part in parts:
        missing = [name for name in part.needs if name not in before]
        assert part.name not in before, f"{paper.name} has two parts named {part.name}"
        assert not missing, f"{paper.name}: part {part.name} needs {', '.join(missing)}, not among the parts before it"
        before.add(part.name)


def _checksum(paths: Sequence[Path]) -> str:
    """Return one checksum of all files together."""
    each = [hash_file(path) for path in paths]
    return f"sha256:{hash_text(' '.join(each))[:16]}"


def _rows(paper: Paper, findings: Mapping[str, Finding]) -> tuple[Row, ...]:
    """One row per claim; claims and findings must match, so that no claim is left out."""
    keys = [claim.key for claim in paper.claims]
    if set(keys) != set(findings):
        odd = sorted(set(keys) ^ set(findings))
        raise AssertionError(f"{paper.name}: claims and findings do not match in {', '.join(odd)}")
    return tuple(Row(claim, findings[claim.key]) for claim in paper.claims)


def _run_study(
    part: Part,
    folder: Path,
    engine: Any,
    jobs: int | None,
    tell: Callable[[float], None],
    say: Say,
    data: Mapping[str, str],
) -> PartRun:
    assert part.study is not None

    def progress(now: StudyProgress) -> None:
        tell(now.done / now.total)

    ran = run_study(part.study, folder, engine=engine, jobs=jobs, progress=progress, say=say)
    if ran.failures:
        key, error = next(iter(ran.failures.items()))
        raise ValueError(
            f"{len(ran.failures)} of {ran.total} cells of {part.name} failed, first {key}: {error}; "
            f"`dissensus study status {folder}` lists them"
        )
    records = read_folder(folder).records
    commits = dict.fromkeys(str(record["commit"]) for record in records)
    return PartRun(seconds=round(sum(record["seconds"] for record in records), 1), commit=", ".join(commits), data=data)


def _work(
    part: Part, folders: Mapping[str, Path], inputs: Mapping[str, Any], tell: Callable[[float], None], say: Say
) -> tuple[PartRun, dict[str, Any]]:
    """Numbers of a part and where they come from: stored ones if its inputs are the same."""

    def compute() -> dict[str, Any]:
        assert part.work is not None
        started = time.perf_counter()
        numbers = part.work(folders[part.name], {need: folders[need] for need in part.needs}, tell)
        return {"seconds": round(time.perf_counter() - started, 2), "commit": code_commit(), "numbers": numbers}

    with hold_folder(folders[part.name]):
        result = compute_once(folders[part.name], part.name, inputs, compute, say=say)
    return PartRun(seconds=result["seconds"], commit=result["commit"], data=inputs["data"]), result["numbers"]


def _cells_of(folder: Path) -> list[str]:
    return list(json.loads((folder / "study.json").read_text(encoding="utf-8"))["cells"])
