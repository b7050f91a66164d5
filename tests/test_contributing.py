"""The worked examples of CONTRIBUTING.md: each of them is one entry in one place, and the package knows it at once."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dissensus

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^<!-- (?P<where>.*?) -->\n```\w+\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

# What users do with each of them, in one process. Prints one line of JSON: the name of the example -> what came out.
USES = """
import json
import sys
from pathlib import Path

import numpy as np
from typer.testing import CliRunner

from dissensus import Distributions, Votes, aggregate_labels, read, scorecard
from dissensus.cli.main import app
from dissensus.deliver import deliver, soft, wrapped
from dissensus.probe import attack, ood_scores
from dissensus.train.networks import make_network


def run(*words):
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    return result.exit_code, " ".join((result.stdout + result.stderr).split())


def helps(*words):
    code, text = run(*words, "--help")
    assert code == 0, text
    return text


votes = Votes.of(["a", "a", "a", "b", "b"], ["cat", "cat", "dog", "dog", "dog"])
people = Distributions(np.array([[0.75, 0.25], [0.0, 1.0]]), ["a", "b"], ("cat", "dog"))
model = Distributions(np.array([[0.5, 0.5], [0.5, 0.5]]), ["a", "b"], ("cat", "dog"))
made = {}

card = scorecard(model, people, rng=np.random.default_rng(0), ceiling=False)
made["metric"] = card.values["hellinger"].round(3).tolist()
shares = aggregate_labels(votes, "plurality").distributions
made["aggregation"] = shares.probs.round(3).tolist(), "plurality" in helps("aggregate")
made["delivery"] = deliver(votes, "top_two", seed=0).targets(0).round(3).tolist(), "top_two" in helps("fit")
made["wrapper"] = wrapped(soft(votes), "floored=0.1", seed=0).targets(0).round(3).tolist(), "floored" in helps("fit")

Path("tags.jsonl").write_text('{"unit": 1, "by": "x", "tag": "cat"}\\n{"unit": 1, "by": "y", "tag": null}\\n')
tags = read("tags.jsonl", say=lambda notice: None)
made["reader"] = tags.n_answers, list(tags.classes), "tagger" in helps("describe")

made["detector"] = ood_scores(np.array([[1.0, 3.0]]), detectors=["max-logit"])["max-logit"].tolist()

import torch
from dissensus.train.network import Network

torch.manual_seed(0)
module = make_network("lenet", 2, channels=1)
network = Network(module.eval(), ("cat", "dog"), (0.5,), (0.5,))
images = np.random.default_rng(0).integers(0, 256, (2, 12, 12, 1), dtype=np.uint8)
made["network"] = list(network.probs(images).shape), "lenet" in helps("train")
moved = attack(network, images, people, "fast-gradient", epsilons=8.0)
made["attack"] = bool(moved.after[8.0].soft_nll.mean() > moved.before.soft_nll.mean())

from dissensus.probe import Probed, image_batches, probe_network

probed = Probed({"lenet": network}, image_batches(network, images, people))
found = probe_network(probed, ["confidence"]).as_json()["confidence"]
made["probe"] = 0.5 <= found["confidence"] <= 1, round(found["agreement"], 3) <= 1, "confidence" in helps("probe")

from dissensus.study import make_engine, run_study, study_of

spec = {"name": "s", "seeds": 1, "delivery": ["soft"], "data": {"digits": {"labels": "digits", "features": "pixels"}}}
spec["model"] = {"head": "linear", "epochs": 1}
done = run_study(study_of(spec), "study", engine=make_engine("threads", folder="study", jobs=1))
made["engine"] = done.total - len(done.failures), "threads" in helps("study", "run")

code, text = run("elicit", "init", "survey", "--kind", "confidence")
made["question"] = code, run("elicit", "check", "survey")[0], "confidence" in helps("elicit", "init")

code, text = run("reproduce", "digits2026", "--json")
made["paper"] = code, [claim["verdict"] for claim in json.loads(text)["claims"]], "digits2026" in run("reproduce")[1]

print(json.dumps(made))
"""

CAME_OUT = {
    "metric": [0.185, 0.541],
    "aggregation": [[[0.8, 0.2], [0.0, 1.0]], True],
    "delivery": [[[0.667, 0.333], [0.0, 1.0]], True],
    "wrapper": [[[0.633, 0.367], [0.1, 0.9]], True],
    "reader": [1, ["cat"], True],
    "detector": [-3.0],
    "network": [[2, 2], True],
    "attack": True,
    "probe": [True, True, True],
    "engine": [1, True],
    "question": [0, 0, True],
    "paper": [0, ["equal"], True],
}


def add_block(package: Path, where: str, body: str) -> None:
    """Put a block where its comment says: `file PATH`, `end of PATH`, `above NAME in PATH`, `entry of NAME in PATH`."""
    kind, _, target = where.partition(" ")
    path = package / target.rpartition("src/dissensus/")[2]
    if kind == "file":
        assert not path.exists(), f"{path} exists already; an example must be new"
        path.parent.mkdir(exist_ok=True)
        path.write_text(body, encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    if kind == "end":
        path.write_text(f"{text}\n\n{body}", encoding="utf-8")
        return
    name = target.removeprefix("of ").split()[0]
    head = re.search(rf"^{name}\b[^\n]*= \{{$", text, flags=re.MULTILINE)
    assert head is not None, f"{path.name} has no dictionary {name}"
    if kind == "above":
        path.write_text(f"{text[: head.start()]}{body}\n\n{text[head.start() :]}", encoding="utf-8")
        return
    assert kind == "entry", where
    imports, _, entry = body.rpartition("\n\n")
    start = text.index("from __future__ import annotations\n") + len("from __future__ import annotations\n")
    new = f"{text[:start]}{imports}\n{text[start : head.end()]}\n{entry.rstrip()}{text[head.end() :]}"
    path.write_text(new, encoding="utf-8")


def examples() -> list[tuple[str, str]]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return [(block["where"], block["body"]) for block in BLOCK.finditer(text)]


def test_one_of_each_can_be_added_by_one_entry_in_one_place(tmp_path):
    package = tmp_path / "src" / "dissensus"
    shutil.copytree(Path(dissensus.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for where, body in examples():
        add_block(package, where, body)
    (tmp_path / "work").mkdir()
    run = subprocess.run(
        [sys.executable, "-c", USES],
        cwd=tmp_path / "work",
        env=os.environ | {"PYTHONPATH": str(tmp_path / "src"), "DISSENSUS_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout.splitlines()[-1]) == CAME_OUT


def test_every_dictionary_gets_exactly_one_entry():
    entries = [where for where, _ in examples() if where.startswith("entry of")]
    assert len(entries) == len(set(entries)) == len(CAME_OUT)


def test_the_code_of_the_examples_is_in_the_form_of_the_project(tmp_path):
    """Whoever copies an example passes the linter."""
    ruff = Path(sys.executable).with_name("ruff")
    if not ruff.exists():
        pytest.skip("ruff is not installed")
    for where, body in examples():
        if where.startswith("file ") and where.endswith(".py"):
            path = tmp_path / Path(where).name
            path.write_text(textwrap.dedent(body), encoding="utf-8")
            done = subprocess.run(
                [ruff, "check", "--config", ROOT / "pyproject.toml", path], capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stdout


def test_the_introduction_is_short():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Worked examples")[0]
    assert len(text.split()) <= 450
