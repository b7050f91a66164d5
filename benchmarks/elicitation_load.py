"""Answers per second that the web app stores with 300 people at once; none may be lost or doubled.

    python benchmarks/elicitation_load.py --database sqlite --workers 1
    python benchmarks/elicitation_load.py --database postgresql --workers 2
    python benchmarks/elicitation_load.py --real-time

People answer without a pause, each over one connection of their own, as fast as the server replies: they come by
/start, get their page, and hand in one answer after the other, each reply carrying the next item. With --real-time they
take the two seconds that an answer takes people. The simulated people share the machine with the server. SQLite commits
with synchronous=FULL, PostgreSQL runs with fsync on. elicitation_peers.py sends the same crowd to other tools.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from dissensus.elicit.export import answer_table
from dissensus.elicit.rehearsal.report import items_by_stimulus
from dissensus.elicit.rehearsal.simulated_people import send_people, simulate_truth
from dissensus.elicit.server import background_server, find_free_port
from dissensus.elicit.survey_run import open_survey

RESULTS = Path(__file__).parent / "results" / "elicitation_load.json"
CLASSES = [f"class {i}" for i in range(10)]
ITEMS = 1000


def our_app(database: str, workers: int, people: int, each: int, *, real_time: bool) -> dict[str, Any]:
    """The real server on this machine, and as many simulated people at once."""
    with tempfile.TemporaryDirectory() as name, _postgres() if database == "postgresql" else nullcontext() as url:
        folder = Path(name)
        (folder / "items.csv").write_text("item,text\n" + "".join(f"i{i},text {i}\n" for i in range(ITEMS)))
        (folder / "survey.toml").write_text(
            f'title = "Load"\nitems = "items.csv"\n[question]\nkind = "choose"\nclasses = {json.dumps(CLASSES)}\n'
            f"[protocol]\nper_person = {each}\nper_item = {-(-people * each // ITEMS)}\n"
        )
        run = open_survey(folder, url)
        truth = simulate_truth(run.survey, ITEMS, 0)
        with background_server(folder, url, workers=workers) as address:
            before, mine = _server_seconds(), time.process_time()
            done = send_people(
                run.survey, items_by_stimulus(run), truth, address, people, 0, at_once=people, real_time=real_time
            )
            spent, mine = _server_seconds() - before, time.process_time() - mine
        kept = answer_table(run).column("trial").to_pylist()
        run.store.close()
    return {
        **done.as_json(),
        "lost": len(set(done.acknowledged) - set(kept)),
        "not_acknowledged": len(set(kept) - set(done.acknowledged)),
        "twice": len(kept) - len(set(kept)),
        "server_cpu_seconds": spent,
        "people_cpu_seconds": mine,
        "first_errors": list(done.errors[:3]),
    }


def _server_seconds() -> float:
    """Processor seconds of everything that this process has started and that still runs, the database not among it."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rsplit(")", 1)[1].split()
            parents[int(stat.parent.name)] = int(fields[1])
            spent[int(stat.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def mine(process: int) -> bool:
        parent = parents.get(process, 0)
        return parent == os.getpid() or (parent > 1 and mine(parent))

    return sum(seconds for process, seconds in spent.items() if mine(process))


@contextmanager
def _postgres() -> Iterator[str]:
    """A real PostgreSQL server with its usual settings, fsync on."""
    found = shutil.which("pg_config")
    if found is None:
        raise SystemExit("PostgreSQL is not installed: pg_config was not found")
    programs = Path(subprocess.run([found, "--bindir"], capture_output=True, text=True, check=True).stdout.strip())
    become = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []  # the server refuses to run as root
    with tempfile.TemporaryDirectory(prefix="pg") as name:
        if become:
            shutil.chown(name, "nobody")
        port = find_free_port()

        def run(program: str, *args: str) -> None:
            subprocess.run([*become, programs / program, *args], check=True, capture_output=True, cwd=name)

        run("initdb", "-D", f"{name}/data", "-U", "lab", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        options = f"-k {name} -p {port} -c listen_addresses=127.0.0.1"
        run("pg_ctl", "-D", f"{name}/data", "-w", "-l", f"{name}/log", "-o", options, "start")
        try:
            run("createdb", "-h", name, "-p", str(port), "-U", "lab", "load")
            yield f"postgresql://lab@127.0.0.1:{port}/load"
        finally:
            run("pg_ctl", "-D", f"{name}/data", "-w", "-m", "fast", "stop")


def record(name: str, told: dict[str, Any]) -> None:
    """Print what was measured and keep it beside what was measured before."""
    told |= {"cores": os.cpu_count(), "python": platform.python_version(), "load_after": os.getloadavg()[0]}
    RESULTS.parent.mkdir(exist_ok=True)
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, name: told}, indent=1) + "\n")
    print(name, json.dumps(told))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--each", type=int, default=10, help="answers per person")
    parser.add_argument("--real-time", action="store_true", help="simulate realistic answer times")
    asked = parser.parse_args()
    name = f"{asked.database}, {asked.workers} worker{'s' if asked.workers > 1 else ''}"
    if asked.real_time:
        name += ", in real time"
    told = our_app(asked.database, asked.workers, asked.people, asked.each, real_time=asked.real_time)
    record(name, told)


if __name__ == "__main__":
    main()
