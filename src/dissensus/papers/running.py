"""Run the parts of a paper at one of its scales, and judge every claim."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dissensus.datasets.catalogue import lookup
from dissensus.datasets.folder import paths_of
from dissensus.files.notices import to_stderr
from dissensus.files.stored_results import compute_once, inputs_key
from dissensus.labels.content_hash import hash_file, hash_text
from dissensus.labels.refusals import one_of
from dissensus.papers.evidence import EVIDENCE, Evidence, read_evidence
from dissensus.papers.forecast import forecast
from dissensus.papers.judging import judge_claims, judgements
from dissensus.papers.paper import Paper, Part, Results, Scale
from dissensus.papers.record import RECORD, PartRun, Reproduction, Row, add_known, hardware, read_record
from dissensus.papers.strength import levels
from dissensus.papers.wording import WEAKNESSES
from dissensus.study.commit import code_commit
from dissensus.study.data import Say
from dissensus.study.description import read_folder
from dissensus.study.engines.choose import check_jobs
from dissensus.study.holding import hold_folder
from dissensus.study.run import StudyProgress, run_study
from dissensus.train.child_processes import limit_cores

CELLS = "reproduce-cells"  # trained cells of all papers
LONG: tuple[Scale, ...] = ("overnight", "full")  # scales whose time is estimated first


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
    only: Sequence[str] = (),
    known: str | Path | None = None,
    cells: str | Path | None = None,
    engine: Callable[[], Any] = lambda: None,
    jobs: int | None = None,
    progress: Callable[[Step], None] = lambda step: None,
    say: Say = to_stderr,
) -> Reproduction:
    """Run the parts that are not in the folder yet, judge every claim, and write a record to the folder.

    Parameters
    ----------
    paper : Paper
    scale : "quick", "laptop", "overnight" or "full", as far as the paper has it
    folder : path
        Results and record; if a run was interrupted, the same folder resumes it.
    only : names of parts
        Run these parts and those they need; by default all.
    known : path of a record
        Earlier record with its evidence next to it; its numbers stay where this run has none.
    cells : path
        Folder of trained cells that papers share; by default next to the folders of their results.
    engine : () -> engine
        Makes the engine of each study, as for `run_study`; it is closed with its study.
    jobs : int
        Number of processes, and of threads of heads and simulations; by default one per core.
    progress : (Step) -> None
    say : (str) -> None
        Receives notices.

    Returns
    -------
    Reproduction
        Its `rows` are the claims with their findings.

    Examples
    --------
    >>> from dissensus.papers.evidence import Candidate, Number, collect
    >>> from dissensus.papers.judges import exactly
    >>> paper = Paper(
    ...     name="tiny",
    ...     title="How many?",
    ...     citation="Nobody (2026)",
    ...     claims=[Claim(key="n", claim="Items", source="table 1", judge=exactly("items", "people", "3"))],
    ...     parts=lambda scale: [Part(name="counts", work=lambda folder, needs, tell: {"items": 3})],
    ...     observe=lambda results, scale: collect([(Candidate(), Number("items", "people"), {"all": 3})]),
    ...     differences=lambda scale: [],
    ... )
    >>> print(reproduce(paper, "quick", "tiny"))
    tiny at scale quick: 1 claims, 1 equal
    """
    one_of("scale", scale, paper.scales)
    check_jobs(jobs)
    place = Path(folder)
    every = list(paper.parts(scale))
    _check_parts(paper, every)
    parts = _choose_parts(every, only)
    earlier = None if known is None else _read_known(paper, Path(known))
    names = dict.fromkeys(name for part in parts for name in part.data)
    data = {name: _checksum(paths_of(lookup(name))) for name in names}
    place.mkdir(parents=True, exist_ok=True)
    if scale in LONG:
        for left in forecast(parts, place, jobs):
            say(str(left))
    whole = sum(part.weight for part in parts)
    folders: dict[str, Path] = {}
    numbers: dict[str, dict[str, Any]] = {}
    runs: dict[str, PartRun] = {}
    contents: dict[str, list[str]] = {}  # what distinguishes the results of a part: its cells, or the key of its inputs
    done = 0.0
    stopped: dict[str, str] = {}  # parts that are not run, with the reason
    for part in parts:
        reasons = [stopped[name] for name in (part.name, *part.needs) if name in stopped]
        if reasons:
            stopped[part.name] = reasons[0]
            done += part.weight
            continue
        folders[part.name] = place / part.name

        def tell(share: float, part: Part = part, done: float = done) -> None:
            progress(Step(part.name, (done + part.weight * share) / whole))

        tell(0.0)
        checksums = {name: data[name] for name in part.data}
        checksums |= {name: _checksum([path]) for name, path in part.files.items()}
        if part.study is not None:
            shared = place.parent / CELLS if cells is None else Path(cells)
            runs[part.name] = _run_study(part, folders[part.name], engine(), jobs, shared, tell, say, checksums)
            contents[part.name] = _cells_of(folders[part.name])
        else:
            needs = {name: contents[name] for name in part.needs}
            inputs = {"settings": part.settings, "data": checksums, "needs": needs}
            runs[part.name], numbers[part.name] = _work(part, folders, inputs, jobs, tell, say)
            contents[part.name] = [inputs_key(inputs)]
        tell(1.0)
        done += part.weight
        if part.gate is not None:
            failed = part.gate.failures(paper.observe(Results(folders, numbers), scale), paper.published)
            if failed:
                reason = f"{part.name}: {' and '.join(WEAKNESSES[name] for name in failed)}"
                stopped |= dict.fromkeys(part.gate.stops, reason)
                say(f"{reason}; not run: {', '.join(part.gate.stops)}")
    results = Results(folders, numbers)
    evidence = _observe(paper, results, scale, place, earlier and earlier[1])
    findings = judge_claims(paper, evidence)
    made = Reproduction(
        paper=paper.name,
        scale=scale,
        title=paper.title,
        citation=paper.citation,
        rows=tuple(Row(claim, findings[claim.key]) for claim in paper.claims),
        differences=tuple(paper.differences(scale)),
        command=f"dissensus reproduce {paper.name} --scale {scale}",
        hardware=hardware(),
        parts=runs,
        figures=tuple(paper.figures(results, scale, evidence)),
        beyond=tuple(paper.beyond(results, scale)),
        headlines=paper.headlines,
        conclusion=paper.conclude(judgements(findings)) if paper.conclude else None,
        levels=tuple(levels(evidence, paper.published)),
    )
    if earlier is not None:
        made = add_known(made, earlier[0])
    unfinished = tuple(part.name for part in every if part.name not in made.parts)
    stopped = {**(earlier[0].get("stopped", {}) if earlier else {}), **stopped}
    made = replace(made, unfinished=unfinished, stopped={name: stopped[name] for name in unfinished if name in stopped})
    made.write(place / RECORD)
    return made


def _choose_parts(parts: Sequence[Part], only: Sequence[str]) -> list[Part]:
    """Return the named parts and those they need, in their order; all if none is named."""
    if not only:
        return list(parts)
    wanted = {one_of("part", name, [part.name for part in parts]) for name in only}
    for part in reversed(parts):
        if part.name in wanted:
            wanted |= set(part.needs)
    return [part for part in parts if part.name in wanted]


def _read_known(paper: Paper, path: Path) -> tuple[dict[str, Any], Evidence]:
    """Read an earlier record of this paper with the evidence next to it."""
    record = read_record(path)
    if record["paper"] != paper.name:
        raise ValueError(f"{path} is a record of {record['paper']}; expected one of {paper.name}")
    evidence = path.parent / EVIDENCE if path.name == RECORD else path.with_suffix(".csv")
    if not evidence.exists():
        raise ValueError(f"{path} has no evidence next to it: {evidence} does not exist")
    return record, read_evidence(evidence)


def _observe(paper: Paper, results: Results, scale: Scale, place: Path, earlier: Evidence | None) -> Evidence:
    """Write the evidence next to the record, and return it as it is read."""
    evidence = paper.observe(results, scale)
    if earlier is not None:
        evidence = evidence.add_earlier(earlier)
    evidence.write(place / EVIDENCE)
    return read_evidence(place / EVIDENCE)


def _check_parts(paper: Paper, parts: Sequence[Part]) -> None:
    """Check that names are unique, and that parts come after those they need."""
    before: set[str] = set()
    for part in parts:
        missing = [name for name in part.needs if name not in before]
        assert part.name not in before, f"{paper.name} has two parts named {part.name}"
        assert not missing, f"{paper.name}: part {part.name} needs {', '.join(missing)}, not among the parts before it"
        before.add(part.name)


def _checksum(paths: Sequence[Path]) -> str:
    each = [hash_file(path) for path in paths]
    return f"sha256:{hash_text(' '.join(each))[:16]}"


def _run_study(
    part: Part,
    folder: Path,
    engine: Any,
    jobs: int | None,
    shared: Path,
    tell: Callable[[float], None],
    say: Say,
    data: Mapping[str, str],
) -> PartRun:
    assert part.study is not None

    def progress(now: StudyProgress) -> None:
        tell(now.done / now.total)

    ran = run_study(part.study, folder, engine=engine, jobs=jobs, shared=shared, progress=progress, say=say)
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
    part: Part,
    folders: Mapping[str, Path],
    inputs: Mapping[str, Any],
    jobs: int | None,
    tell: Callable[[float], None],
    say: Say,
) -> tuple[PartRun, dict[str, Any]]:
    """Numbers of a part and where they come from: stored ones if its inputs are the same."""

    def compute() -> dict[str, Any]:
        assert part.work is not None
        started = time.perf_counter()
        numbers = part.work(folders[part.name], {need: folders[need] for need in part.needs}, tell)
        return {"seconds": round(time.perf_counter() - started, 2), "commit": code_commit(), "numbers": numbers}

    with hold_folder(folders[part.name]), limit_cores(jobs):
        result = compute_once(folders[part.name], part.name, inputs, compute, say=say)
    return PartRun(seconds=result["seconds"], commit=result["commit"], data=inputs["data"]), result["numbers"]


def _cells_of(folder: Path) -> list[str]:
    return list(json.loads((folder / "study.json").read_text(encoding="utf-8"))["cells"])
