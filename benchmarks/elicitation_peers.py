"""Answers per second that Potato and Label Studio store, with the same simulated crowd.

    python benchmarks/elicitation_peers.py potato --program /path/to/potato
    python benchmarks/elicitation_peers.py label-studio --program /path/to/label-studio

Both come from the package index, each into an environment of its own, and run as their documentation starts them on
one machine. People answer without a pause, each over a connection of their own where the server keeps it open.

Potato does the same job as our app: people come by a link with their id, the server chooses their items, saves each
answer (/updateinstance) and gives the next page (/annotate); an answer is both requests, as in its own browser code.
Label Studio gets the easier half: answers are posted for tasks that are known beforehand, by one user, and nobody
waits for a next page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import numpy as np
from elicitation_load import CLASSES, ITEMS, record

from dissensus.elicit.server import find_free_port

SHOWN = re.compile(rb'id="instance_id"[^>]*value="([^"]+)"')
TOKEN = "0123456789abcdef0123456789abcdef01234567"


def potato(program: str, people: int, each: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), find_free_port()
        items = [json.dumps({"id": f"i{i}", "text": f"text {i}"}) for i in range(ITEMS)]
        (folder / "data.jsonl").write_text("\n".join(items))
        question = {"annotation_type": "radio", "name": "c", "description": "What is it?", "labels": CLASSES}
        (folder / "config.yaml").write_text(
            json.dumps(
                {
                    "annotation_task_name": "Load",
                    "task_dir": ".",
                    "data_files": ["data.jsonl"],
                    "output_annotation_dir": "out",
                    "annotation_schemes": [question],
                    "item_properties": {"id_key": "id", "text_key": "text"},
                    "output_annotation_format": "jsonl",
                    "user_config": {"allow_all_users": True, "users": []},
                    "require_password": False,
                    "login": {"type": "url_direct", "url_argument": "PROLIFIC_PID"},
                    "max_annotations_per_user": each,
                    "max_annotations_per_item": -(-people * each // ITEMS),
                    "assignment_strategy": "least_annotated",
                    "secret_key": TOKEN,
                }
            )
        )
        command = [program, "start", "config.yaml", "-p", str(port), "--host", "127.0.0.1"]

        def walk(person: int, answered: Callable[[float], None]) -> None:
            me = Client(port)
            me.get(f"/?PROLIFIC_PID=p{person}&SESSION_ID=s&STUDY_ID=t")
            page = me.get("/annotate")
            for i in range(each):
                found = SHOWN.search(page)
                if found is None:
                    raise ValueError(f"person {person} got no item after {i} answers")
                shown, choice = found[1].decode(), CLASSES[i % 10]
                told = {"instance_id": shown, "annotations": {f"c:::{choice}": choice}, "span_annotations": []}
                began = time.monotonic()
                if json.loads(me.post("/updateinstance", told))["status"] != "success":
                    raise ValueError(f"person {person}: not saved")
                if i + 1 < each:
                    page = me.post("/annotate", {"action": "next_instance", "instance_id": shown})
                answered(time.monotonic() - began)

        with run_server(command, folder, {}) as cpu:
            Client(port).until_healthy("/health")
            done = crowd(people, walk, cpu)
        kept = [
            (state.parent.name, item)
            for state in folder.glob("out/*/user_state.json")
            for item in json.loads(state.read_text())["instance_id_to_label_to_value"]
        ]
    return {**done, "kept": len(kept), "version": version(program, "potato-annotation")}


def label_studio(program: str, people: int, each: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), find_free_port()
        told = {
            "LABEL_STUDIO_BASE_DATA_DIR": name,
            "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
            "LABEL_STUDIO_USERNAME": "a@example.org",
            "LABEL_STUDIO_PASSWORD": "passpass12",
            "LABEL_STUDIO_USER_TOKEN": TOKEN,
            "COLLECT_ANALYTICS": "False",
            "DEBUG": "False",
        }
        command = [program, "start", "--no-browser", "--port", str(port), "--internal-host", "127.0.0.1"]
        with run_server(command, folder, told) as cpu:
            boss = Client(port, {"authorization": f"Token {TOKEN}"})
            boss.until_healthy("/health")
            choices = "".join(f'<Choice value="{c}"/>' for c in CLASSES)
            config = f'<View><Text name="t" value="$text"/><Choices name="c" toName="t">{choices}</Choices></View>'
            project = json.loads(boss.post("/api/projects/", {"title": "Load", "label_config": config}))["id"]
            boss.post(f"/api/projects/{project}/import", [{"text": f"text {i}"} for i in range(ITEMS)])
            listed = json.loads(boss.get(f"/api/tasks/?project={project}&page_size={ITEMS}"))
            tasks = [row["id"] for row in listed["tasks"]]

            def walk(person: int, answered: Callable[[float], None]) -> None:
                me = Client(port, boss.headers)
                for i in range(each):
                    value = {
                        "from_name": "c",
                        "to_name": "t",
                        "type": "choices",
                        "value": {"choices": [CLASSES[i % 10]]},
                    }
                    task, began = tasks[(person * each + i) % ITEMS], time.monotonic()
                    me.post(f"/api/tasks/{task}/annotations/", {"result": [value]})
                    answered(time.monotonic() - began)

            done = crowd(people, walk, cpu)
            kept = json.loads(boss.get(f"/api/projects/{project}/"))["total_annotations_number"]
    return {**done, "kept": kept, "version": version(program, "label-studio")}


def crowd(
    people: int, walk: Callable[[int, Callable[[float], None]], None], cpu: Callable[[], float]
) -> dict[str, Any]:
    """Everybody at once; how many answers were acknowledged, and how long each took."""
    seconds: list[float] = []
    errors: list[str] = []
    lock = threading.Lock()

    def answered(took: float) -> None:
        with lock:
            seconds.append(took)

    def person(number: int) -> None:
        try:
            walk(number, answered)
        except (OSError, HTTPException, ValueError) as error:
            with lock:
                errors.append(f"person {number}: {type(error).__name__}: {error}"[:300])

    began, spent = time.monotonic(), cpu()
    with ThreadPoolExecutor(people) as pool:
        list(pool.map(person, range(people)))
    elapsed = time.monotonic() - began
    some = seconds or [float("nan")]
    return {
        "people": people,
        "answers": len(seconds),
        "errors": len(errors),
        "seconds": elapsed,
        "answers_per_second": len(seconds) / elapsed,
        "median_ms": 1000 * float(np.median(some)),
        "p95_ms": 1000 * float(np.quantile(some, 0.95)),
        "server_cpu_seconds": cpu() - spent,
        "first_errors": errors[:3],
    }


@contextmanager
def run_server(command: list[str], folder: Path, told: dict[str, str]) -> Iterator[Callable[[], float]]:
    """A server in a folder of its own; gives what says how many processor seconds it has used."""
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env={**os.environ, **told}, cwd=folder, stdout=log, stderr=log)

    def cpu() -> float:
        fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    try:
        yield cpu
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()


class Client:
    """One person's connection, with the cookie that the server gave."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self.headers = dict(headers or {})
        self.connection = HTTPConnection("127.0.0.1", port, timeout=300)

    def get(self, path: str) -> bytes:
        return self._request("GET", path, None)

    def post(self, path: str, body: Any) -> bytes:
        return self._request("POST", path, json.dumps(body))

    def _request(self, method: str, path: str, body: str | None) -> bytes:
        kind = {"content-type": "application/json"} if body else {}
        self.connection.request(method, path, body, {**self.headers, **kind})
        reply = self.connection.getresponse()
        text = reply.read()
        if given := reply.headers.get("set-cookie"):
            self.headers["cookie"] = given.split(";")[0]
        if reply.status >= 400:
            raise ValueError(f"{path} answered {reply.status}: {text[:200]!r}")
        return self.get(reply.headers["location"]) if reply.status in (302, 303) else text

    def until_healthy(self, path: str) -> None:
        for _ in range(720):  # a first start may fill a database
            try:
                self.get(path)
                return
            except (OSError, HTTPException, ValueError):
                self.connection.close()
                time.sleep(0.5)
        raise SystemExit("the server did not answer within six minutes")


def version(program: str, package: str) -> str:
    python = Path(program).with_name("python")
    told = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([python, "-c", told], capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("peer", choices=("potato", "label-studio"))
    parser.add_argument("--program", required=True, help="path of the peer's program")
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--each", type=int, default=10, help="answers per person")
    asked = parser.parse_args()
    run = {"potato": potato, "label-studio": label_studio}[asked.peer]
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit[1], limit[1]))
    record(asked.peer, run(str(Path(asked.program).absolute()), asked.people, asked.each))


if __name__ == "__main__":
    main()
