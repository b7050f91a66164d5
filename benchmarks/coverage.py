"""Coverage of the intervals that the project prints, in simulated worlds with known truth.

    python -m benchmarks.coverage [--family ceiling] [--repetitions 400] [--jobs 2]
    python -m benchmarks.coverage --family seeds --repetitions 100 --try

Each module of benchmarks/intervals is one family of intervals; its cases() are worlds to draw data from, again and
again. The record has, for every interval of every world, its coverage with Monte Carlo error, its mean width, and the
bias of the estimate in units of the claimed standard error. docs/intervals.md shows the record.

Seeds of the record are 1000 and up. Methods were chosen with --try, which uses seeds 0 and up, prints and writes
nothing. A run of one family replaces the rows of this family alone. An interrupted run resumes: a case is
drawn again only if the code of the project or of the cases has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import re
import subprocess
import time
import zlib
from collections.abc import Iterator
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from benchmarks.intervals.case import Case
from dissensus.labels.intervals import Interval

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "benchmarks" / "results" / "coverage.json"
PAGE = ROOT / "docs" / "intervals.md"
FIRST_KEPT_ASIDE = 1000  # seeds below were used while methods were chosen
CHUNK = 20  # repetitions a process works on at once
MOST_ROWS = 60  # of a table with a row for each interval
LEAST = 0.05  # an interval is flagged where it covers less than its name says by more than this

_CASES: list[Case] = []  # set before the processes are forked: what draws data cannot be pickled


def families() -> list[str]:
    """Modules of benchmarks/intervals that have cases."""
    paths = sorted((ROOT / "benchmarks" / "intervals").glob("*.py"))
    return [path.stem for path in paths if "def cases(" in path.read_text(encoding="utf-8")]


def cases_of(family: str) -> list[Case]:
    cases = list(import_module(f"benchmarks.intervals.{family}").cases())
    for case in cases:
        if case.family != family:
            raise ValueError(f"benchmarks/intervals/{family}.py has a case of the family {case.family!r}")
    worlds = [case.world for case in cases]
    if twice := {world for world in worlds if worlds.count(world) > 1}:
        raise ValueError(f"benchmarks/intervals/{family}.py has several cases of the world {sorted(twice)[0]!r}")
    return cases


def drawn_again(task: tuple[int, int, int]) -> tuple[int, dict[str, np.ndarray], float]:
    """The intervals of some repetitions of a case.  name: (repetitions, 5): value, low, high, sd, coverage

    Intervals of numbers that have no truth in this world are not looked at.
    """
    number, start, stop = task
    case, began = _CASES[number], time.process_time()
    rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in case.truth}
    for seed in range(start, stop):
        intervals = case.drawn(np.random.default_rng([seed, zlib.crc32(case.world.encode())]))
        for name, row in rows.items():  # a score that a draw does not have is without an interval
            row.append(_numbers(intervals[name]) if name in intervals else (np.nan,) * 5)
    return number, {name: np.array(row) for name, row in rows.items()}, time.process_time() - began


def summary(truth: float, rows: np.ndarray) -> dict[str, Any]:
    """How one interval fared over its repetitions.  rows: (repetitions, 5): value, low, high, sd, coverage

    error  of the coverage: sqrt(p (1 - p) / n) with p = (covered + 2) / (n + 4), so that it is not 0 at full coverage
    bias   (mean of the values - truth) / mean sd
    """
    known = rows[np.isfinite(rows[:, :3]).all(axis=1)]
    value, low, high, sd, nominal = known.T
    n, covered = len(known), int(((low <= truth) & (truth <= high)).sum())
    near = (covered + 2) / (n + 4)
    mean_sd = float(np.mean(sd)) if n else np.nan
    bias = (float(value.mean()) - truth) / mean_sd if n and np.isfinite(mean_sd) and mean_sd > 0 else np.nan
    facts = {
        "truth": truth,
        "named": float(nominal[0]) if n else None,
        "coverage": covered / n if n else None,
        "error": (near * (1 - near) / max(n, 1)) ** 0.5,
        "all below truth": int((high < truth).sum()),
        "all above truth": int((low > truth).sum()),
        "own value outside": int(((value < low) | (value > high)).sum()),
        "undefined": len(rows) - n,
        "mean value": float(value.mean()) if n else None,
        "mean width": float((high - low).mean()) if n else None,
        "bias": bias if np.isfinite(bias) else None,
    }
    return {name: round(fact, 6) if isinstance(fact, float) else fact for name, fact in facts.items()}


def is_too_low(facts: dict[str, Any]) -> bool:
    return facts["coverage"] is not None and facts["coverage"] < facts["named"] - LEAST


def table(family: dict[str, Any]) -> str:
    """A family as the page shows it: a row for each interval, or where these are many, a column."""
    if sum(len(case["intervals"]) for case in family["cases"]) <= MOST_ROWS:
        return _by_row(family["cases"])
    groups = groupby(family["cases"], key=lambda case: list(case["intervals"]))
    return "\n\n".join(_by_column(names, list(cases)) for names, cases in groups)


def _by_column(names: list[str], cases: list[dict[str, Any]]) -> str:
    """Coverage in percent, and bias / sd in brackets, of intervals that several worlds have."""
    lines = [f"| world | {' | '.join(names)} |", "|---" + "|---:" * len(names) + "|"]
    for case in cases:
        lines.append(f"| {case['world']} | {' | '.join(map(_covers_and_bias, case['intervals'].values()))} |")
    return "\n".join(lines)


def _covers_and_bias(facts: dict[str, Any]) -> str:
    if facts["coverage"] is None:
        return "none"
    covers = f"{100 * facts['coverage']:.1f}"
    covers = f"**{covers}**" if is_too_low(facts) else covers
    return covers if facts["bias"] is None else f"{covers} ({facts['bias']:+.1f})"


def _by_row(cases: list[dict[str, Any]]) -> str:
    lines = [
        "| world | interval of | truth | covers | mean width | bias / sd | notes |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for case in cases:
        for name, facts in case["intervals"].items():
            covers = "-" if facts["coverage"] is None else f"{facts['coverage']:.1%} ± {facts['error']:.1%}"
            covers = f"**{covers}**" if is_too_low(facts) else covers
            width, bias = (_format(facts[key]) for key in ("mean width", "bias"))
            cells = (case["world"], name, _format(facts["truth"]), covers, width, bias, _notes(facts))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def with_tables(page: str, record: dict[str, Any]) -> str:
    """The page with the table of every recorded family between its two marks."""
    for name, family in record["families"].items():
        first, last = f"<!-- coverage of {name} -->", f"<!-- end of {name} -->"
        between = re.compile(re.escape(first) + ".*?" + re.escape(last), re.DOTALL)
        if not between.search(page):
            raise ValueError(f"docs/intervals.md has no marks {first} and {last}")
        shown = f"{first}\n\n{_drawn_by(family)}\n\n{table(family)}\n\n{last}"
        page = between.sub(lambda _, shown=shown: shown, page)
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", action="append", choices=families(), help="only this one; may be repeated")
    parser.add_argument("--repetitions", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--try", dest="trial", action="store_true", help="use seeds 0 and up; print only")
    parser.add_argument("-o", "--output", type=Path, default=RECORD)
    asked = parser.parse_args()
    code, commit = _code(), _commit()
    for family in asked.family or families():
        before = _read(asked.output)["families"].get(family, {"cases": []})
        known = {} if asked.trial else {case["world"]: case for case in before["cases"]}
        for row in _run(family, known, code, asked.repetitions, asked.jobs, 0 if asked.trial else FIRST_KEPT_ASIDE):
            known[row["world"]] = row
            if not asked.trial:
                unfinished = {"commit": "unfinished", "cases": list(known.values())}
                _write(asked.output, family, unfinished)
        worlds = [case.world for case in _CASES]
        done = {"commit": commit, "cases": [known[world] for world in worlds]}
        print(
            f"\n{family}, {sum(row['cpu seconds'] for row in done['cases']):.0f} s of CPU\n\n{table(done)}", flush=True
        )
        if not asked.trial:
            _write(asked.output, family, done)
    if not asked.trial and asked.output == RECORD and PAGE.exists():
        PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8"), _read(RECORD)), encoding="utf-8")


def _run(
    family: str, known: dict[str, dict[str, Any]], code: str, repetitions: int, jobs: int, first: int
) -> Iterator[dict[str, Any]]:
    """Rows of the cases that are not known yet from this code, each as soon as its last repetition is in."""
    _CASES[:] = cases_of(family)
    same = {"code": code, "repetitions": repetitions}
    wanted = [
        number
        for number, case in enumerate(_CASES)
        if any(known.get(case.world, {}).get(key) != same[key] for key in same)
    ]
    starts = range(first, first + repetitions, CHUNK)
    tasks = [(number, start, min(start + CHUNK, first + repetitions)) for number in wanted for start in starts]
    parts: dict[int, list[tuple[dict[str, np.ndarray], float]]] = {number: [] for number in wanted}
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        multiprocessing.get_context("fork").Pool(jobs) as pool,
        Progress(*columns, console=Console(stderr=True), transient=True) as bar,
    ):
        shown = bar.add_task(family, total=len(tasks) * CHUNK)
        for number, rows, seconds in pool.imap_unordered(drawn_again, tasks):
            parts[number].append((rows, seconds))
            bar.update(shown, advance=CHUNK)
            if len(parts[number]) == len(starts):
                case = _CASES[number]
                intervals = {
                    name: summary(truth, np.concatenate([rows[name] for rows, _ in parts[number]]))
                    for name, truth in case.truth.items()
                }
                cpu = round(sum(seconds for _, seconds in parts[number]), 1)
                yield {"world": case.world, **same, "cpu seconds": cpu, "intervals": intervals}


def _drawn_by(family: dict[str, Any]) -> str:
    counts = sorted({case["repetitions"] for case in family["cases"]})
    error = (0.95 * 0.05 / max(counts[0], 1)) ** 0.5
    drawn = f"Each world was drawn {' or '.join(map(str, counts))} times, by commit {family['commit']}"
    return f"{drawn}; the Monte Carlo error of 95% is {100 * error:.1f} points."


def _numbers(interval: Interval) -> tuple[float, ...]:
    return interval.value, interval.low, interval.high, interval.sd, interval.coverage


def _format(number: float | None) -> str:
    if number is None:
        return "-"
    return f"{number:.3g}" if abs(number) < 100 else f"{number:.0f}"


def _notes(facts: dict[str, Any]) -> str:
    notes = []
    if is_too_low(facts):
        notes.append(f"misses: {facts['all below truth']} too low, {facts['all above truth']} too high")
    for key, said in (("own value outside", "leave out their own value"), ("undefined", "without an interval")):
        if facts[key]:
            notes.append(f"{facts[key]} {said}")
    return "; ".join(notes)


def _read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"families": {}}


def _write(path: Path, family: str, rows: dict[str, Any]) -> None:
    """Only this family changes: another process may have written others meanwhile."""
    families = {**_read(path)["families"], family: rows}
    path.write_text(json.dumps({"families": dict(sorted(families.items()))}, indent=1) + "\n", encoding="utf-8")


def _code() -> str:
    """A checksum of the code that makes the intervals and of the code that draws the worlds."""
    checksum = hashlib.sha256()
    for folder in (ROOT / "src" / "dissensus", ROOT / "benchmarks" / "intervals"):
        for path in sorted(folder.rglob("*.py")):
            checksum.update(path.read_bytes())
    return checksum.hexdigest()[:12]


def _commit() -> str:
    """The commit that was run, with a + where the code has changed since."""
    changed = _git("status", "--porcelain", "--", "src/dissensus", "benchmarks/intervals")
    return _git("rev-parse", "--short=9", "HEAD") + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    main()
