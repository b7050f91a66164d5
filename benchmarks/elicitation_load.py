"""How many answers a second does the web app keep, with 300 people at once, and is any of them lost or doubled?

    python benchmarks/elicitation_load.py --database sqlite --workers 1
    python benchmarks/elicitation_load.py --database postgresql --workers 2
    python benchmarks/elicitation_load.py --peer label-studio --program /path/to/label-studio

People answer without a pause, each over one connection of their own, as fast as the server replies: they come by
/start, get their page, and hand in one answer after the other, each reply carrying the next item. The simulated people
share the machine with the server. SQLite commits with synchronous=FULL, PostgreSQL runs with fsync on. Label Studio
gets the easier half of the job: annotations are posted for tasks that are known beforehand, by one user.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.elicit.app import open_study
from dissensus.elicit.export import answer_table
from dissensus.elicit.rehearsal_report import known_by
from dissensus.elicit.rehearse import free_port, rehearse, serving, simulated_truth

RESULTS = Path(__file__).parent / "results" / "elicitation_load.json"
CLASSES = [f"class {i}" for i in range(10)]


def our_app(database: str, workers: int, people: int, each: int) -> dict[str, Any]:
    """The real server on this machine, and as many simulated people at once."""
    with tempfile.TemporaryDirectory() as name, _postgres() if database == "postgresql" else nullcontext() as url:
        folder = Path(name)
        per_item = -(-people * each // 1000)
        (folder / "items.csv").write_text("item,text\n" + "".join(f"i{i},text {i}\n" for i in range(1000)))
        (folder / "study.toml").write_text(
            f'title = "Load"\nitems = "items.csv"\n[question]\nkind = "choose"\nclasses = {json.dumps(CLASSES)}\n'
            f"[protocol]\nper_person = {each}\nper_item = {per_item}\n"
        )
        run = open_study(folder, url)
        truth = simulated_truth(run.study, 1000, 0)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        mine = time.process_time()
        with serving(folder, url, workers=workers) as address:
            done = rehearse(run.study, known_by(run), truth, address, people, 0, at_once=people)
            mine = time.process_time() - mine
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        kept = answer_table(run).column("trial").to_pylist()
        run.store.close()
    return {
        **done.as_json(), "lost": len(set(done.acknowledged) - set(kept)),
        "not_acknowledged": len(set(kept) - set(done.acknowledged)), "twice": len(kept) - len(set(kept)),
        "server_cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "people_cpu_seconds": mine, "first_errors": list(done.errors[:3]),
    }  # fmt: skip


def label_studio(program: str, people: int, each: int) -> dict[str, Any]:
    """The same number of annotations, posted to Label Studio's interface on its own SQLite file."""
    token, port = "0123456789abcdef0123456789abcdef01234567", free_port()
    with tempfile.TemporaryDirectory() as name:
        told = {
            "LABEL_STUDIO_BASE_DATA_DIR": name, "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_USERNAME": "a@example.org", "LABEL_STUDIO_PASSWORD": "passpass12",
            "LABEL_STUDIO_USER_TOKEN": token, "COLLECT_ANALYTICS": "False", "DEBUG": "False",
        }  # fmt: skip
        command = [program, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        with (Path(name) / "log").open("w") as log:
            process = subprocess.Popen(command, env={**os.environ, **told}, cwd=name, stdout=log, stderr=log)
        try:
            call = _Caller(port, {"authorization": f"Token {token}", "content-type": "application/json"})
            call.until_healthy("/health")
            choices = "".join(f'<Choice value="{c}"/>' for c in CLASSES)
            config = f'<View><Text name="t" value="$text"/><Choices name="c" toName="t">{choices}</Choices></View>'
            project = call("POST", "/api/projects/", {"title": "Load", "label_config": config})["id"]
            call("POST", f"/api/projects/{project}/import", [{"text": f"text {i}"} for i in range(1000)])
            tasks = [row["id"] for row in call("GET", f"/api/tasks/?project={project}&page_size=1000", None)["tasks"]]
            seconds, errors, lock = [], [], threading.Lock()
            began = time.monotonic()

            def annotate(person: int) -> int:
                one, kept = _Caller(port, call.headers), 0
                for i in range(each):
                    value = {
                        "from_name": "c",
                        "to_name": "t",
                        "type": "choices",
                        "value": {"choices": [CLASSES[i % 10]]},
                    }
                    task, start = tasks[(person * each + i) % len(tasks)], time.monotonic()
                    try:
                        one("POST", f"/api/tasks/{task}/annotations/", {"result": [value]})
                        kept += 1
                    except (OSError, HTTPException, ValueError) as error:
                        with lock:
                            errors.append(f"{type(error).__name__}: {error}")
                    with lock:
                        seconds.append(time.monotonic() - start)
                return kept

            with ThreadPoolExecutor(people) as pool:
                acknowledged = sum(pool.map(annotate, range(people)))
            elapsed = time.monotonic() - began
            kept = call("GET", f"/api/projects/{project}/", None)["total_annotations_number"]
        finally:
            process.terminate()
            process.wait(30)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "people": people, "answers": acknowledged, "errors": len(errors), "seconds": elapsed,
        "answers_per_second": acknowledged / elapsed, "median_ms": 1000 * float(np.median(seconds)),
        "p95_ms": 1000 * float(np.quantile(seconds, 0.95)), "kept": kept, "first_errors": errors[:3],
        "server_cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    }  # fmt: skip


class _Caller:
    """JSON requests over one connection that stays open where the server lets it."""

    def __init__(self, port: int, headers: dict[str, str]) -> None:
        self.port, self.headers = port, headers
        self.connection = HTTPConnection("127.0.0.1", port, timeout=120)

    def __call__(self, method: str, path: str, body: Any) -> Any:
        try:
            self.connection.request(method, path, None if body is None else json.dumps(body), self.headers)
            reply = self.connection.getresponse()
            text = reply.read()
        except (OSError, HTTPException):
            self.connection.close()
            raise
        if reply.status >= 300:
            raise ValueError(f"{path} answered {reply.status}: {text[:200]!r}")
        return json.loads(text)

    def until_healthy(self, path: str) -> None:
        for _ in range(720):  # its first start fills a database
            try:
                self.connection.request("GET", path)
                reply = self.connection.getresponse()
                reply.read()
                if reply.status == 200:
                    return
            except (OSError, HTTPException):
                self.connection.close()
            time.sleep(0.5)
        raise SystemExit("the server did not answer within six minutes")


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
        port = free_port()

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--each", type=int, default=10, help="answers of each person")
    parser.add_argument("--peer", choices=("label-studio",))
    parser.add_argument("--program", help="the peer's program")
    asked = parser.parse_args()
    load = os.getloadavg()[0]
    if asked.peer:
        name, told = asked.peer, label_studio(asked.program or asked.peer, asked.people, asked.each)
    else:
        name = f"{asked.database}, {asked.workers} worker{'s' if asked.workers > 1 else ''}"
        told = our_app(asked.database, asked.workers, asked.people, asked.each)
    told |= {"cores": os.cpu_count(), "python": platform.python_version(), "load_before": load}
    RESULTS.parent.mkdir(exist_ok=True)
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    RESULTS.write_text(json.dumps({**known, name: told}, indent=1) + "\n")
    print(name, json.dumps(told))


if __name__ == "__main__":
    main()
