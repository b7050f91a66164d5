"""Whatever is installed, every verb and every public name works, or says in one line which extra to install."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from benchmarks.extras import INSTALLS, table
from dissensus.cli.main import VERBS, name_of
from dissensus.fronts import EXTRAS
from tests.facts import states

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPTIONAL: dict[str, list[str]] = PROJECT["optional-dependencies"]
FOR_DEVELOPERS = {"dev", "bench", "docs"}
FOR_USERS = sorted(OPTIONAL.keys() - FOR_DEVELOPERS)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def extras_within(extra: str) -> set[str]:
    """An extra and those it is made of."""
    own = [Requirement(text) for text in OPTIONAL[extra]]
    inner = {part for wanted in own if canonical(wanted.name) == "dissensus" for part in wanted.extras}
    return {extra}.union(*(extras_within(part) for part in inner))


@cache
def brought_by(extra: str | None) -> frozenset[str]:
    """The packages that an extra, or dissensus alone, installs, with what these need in turn."""
    texts = (
        PROJECT["dependencies"] + [text for part in extras_within(extra) for text in OPTIONAL[part]]
        if extra
        else PROJECT["dependencies"]
    )
    waiting = [Requirement(text) for text in texts]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        wanted = waiting.pop()
        key = canonical(wanted.name), frozenset(wanted.extras)
        if key in seen or key[0] == "dissensus":
            continue
        seen.add(key)
        try:
            further = [Requirement(text) for text in requires(wanted.name) or ()]
        except PackageNotFoundError:  # for another system
            continue
        parts = ("", *wanted.extras)
        waiting += [one for one in further if not one.marker or any(one.marker.evaluate({"extra": x}) for x in parts)]
    return frozenset(name for name, _ in seen)


CARRIED = {"ray": ("colorama", "psutil", "setproctitle")}  # copies inside a package


@cache
def modules_of(packages: frozenset[str]) -> frozenset[str]:
    known = packages_distributions()
    own = {module for module, names in known.items() if packages & {canonical(name) for name in names}}
    return frozenset(own.union(*(modules for package, modules in CARRIED.items() if package in packages)))


def install(name: str) -> dict[str, Any]:
    """What fewer_packages.py is told of an extra, or of the core, and of those that add to it."""
    hidden = packages_distributions().keys() - modules_of(brought_by(None if name == "core" else name)) - {"dissensus"}
    more = [install(extra) for extra in FOR_USERS if extra != "all" and adds_to(extra) == name]
    return {"name": name, "hidden": sorted(hidden), "more": more}


def adds_to(extra: str) -> str:
    """The largest extra that is part of this one, else the core."""
    return max(extras_within(extra) - {extra}, key=lambda part: len(brought_by(part)), default="core")


@pytest.fixture(scope="module")
def tried() -> dict[str, dict[str, dict[str, str]]]:
    """What verbs and names say without any extra and with each of them alone."""
    words = [sys.executable, str(ROOT / "tests/fewer_packages.py")]
    alone = os.environ | {"OMP_NUM_THREADS": "1"}  # threads do not survive a fork
    done = subprocess.run(words, input=json.dumps(install("core")), stdout=subprocess.PIPE, text=True, env=alone)
    assert done.returncode == 0
    return json.loads(done.stdout)


@pytest.fixture
def core(tried):
    return tried["core"]


@pytest.mark.parametrize("extra", ["core", *(extra for extra in FOR_USERS if extra != "all")])
def test_every_verb_and_every_name_works_or_names_the_extra_that_brings_what_is_missing(extra, tried, core):
    """Packages are hidden from the import system here; `make extras` does the same in fresh environments.

    Whoever installs the extra that was asked for is not asked for another one. With an extra, those verbs are tried
    that do not work with less: the tests of each verb show that the others work with all extras, for these are
    installed where tests run.
    """
    here = extras_within(extra) if extra != "core" else set()
    for kind, said in tried[extra].items():
        needed = {what: outcome.removeprefix("needs ") for what, outcome in said.items() if outcome != "works"}
        assert {what: answer for what, answer in needed.items() if answer not in set(FOR_USERS) - here} == {}, kind
        asked_for_it = {what for what, outcome in core[kind].items() if outcome == f"needs {extra}"}
        assert asked_for_it & needed.keys() == set()


def test_all_extras_bring_everything(tried, core):
    """What works with one extra works with all: that is what the tests of each verb have installed."""
    assert extras_within("all") == set(FOR_USERS)
    for kind in core:
        assert {what for said in tried.values() for what, outcome in said[kind].items() if outcome == "works"} == {
            *core[kind]
        }


def test_every_verb_is_tried_and_the_core_alone_does_all_but_asking_people_encoding_and_networks(core):
    verbs = core["verbs"]
    assert {verb.partition(" ")[0] for verb in verbs} == {name_of(verb) for part in VERBS.values() for verb in part}
    needs = {(verb.partition(" ")[0], outcome) for verb, outcome in verbs.items() if outcome != "works"}
    assert needs == {
        ("elicit", "needs elicit"),
        ("embed", "needs encoders"),
        ("data", "needs train"),
        ("train", "needs train"),
        ("probe", "needs train"),
        ("study", "needs train"),
        ("study", "needs ray"),
        ("study", "needs slurm"),
    }


def test_every_extra_is_needed_by_a_verb_or_a_name(core):
    asked = {outcome.removeprefix("needs ") for said in core.values() for outcome in said.values()}
    assert set(FOR_USERS) - {"all", "images"} <= asked
    assert "images" in EXTRAS.values(), "it is for the pictures of data sets, which are not part of the package"


def test_modules_are_said_to_come_with_the_extra_that_brings_them():
    for module, extra in EXTRAS.items():
        assert module in modules_of(brought_by(extra)) or sys.platform == "win32", (module, extra)
        assert module not in modules_of(brought_by(None)), f"{module} comes with dissensus itself"


def test_the_readme_writes_every_extra_as_the_messages_do():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    written = set(re.findall(r"pip install -c constraints\.txt '\.\[([a-z-]+)\]'", text))
    table = set(re.findall(r"^\| `([a-z-]+)` \|", text, flags=re.MULTILINE))
    assert written <= set(FOR_USERS) and table >= set(FOR_USERS)
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "src").rglob("*.py")):
        assert "dissensus[" not in page.read_text(encoding="utf-8"), f"{page}: another form than the README's"


def test_the_page_shows_what_happened_in_fresh_environments(core):
    record = json.loads((ROOT / "benchmarks/results/extras.json").read_text(encoding="utf-8"))
    allowed = {"works", *(f"needs {extra}" for extra in FOR_USERS)}
    # What the core was tried with is what the page lists; an install that was not tried again says so in the table.
    assert record["core"]["verbs"] == core["verbs"]
    for install, tried in record.items():
        assert tried["verbs"].keys() <= record["core"]["verbs"].keys()
        assert {*tried["verbs"].values(), *tried["names"].values()} <= allowed, install
    verbs = {install: record[install]["verbs"] for install in INSTALLS if install in record}
    assert table(verbs) in (ROOT / "docs/install.md").read_text(encoding="utf-8")


ENGINES = """
from dissensus.train.heads import HeadConfig, train_heads
from dissensus.train.model import Model
trained = train_heads([[0.0], [1.0]], [0, 1], [HeadConfig(kind="linear", epochs=1)])
print(isinstance(trained[0].head, Model))
try:
    train_heads([[0.0], [1.0]], [0, 1], [HeadConfig(kind="linear")], engine="torch")
except ModuleNotFoundError as problem:
    print(problem)
"""


def test_heads_are_trained_without_torch_and_its_engine_says_how_to_get_it():
    hidden = "import sys; sys.modules['torch'] = None  # what Python does for a module that is not there\n"
    done = subprocess.run([sys.executable, "-c", hidden + ENGINES], capture_output=True, text=True, check=True)
    trained, problem = done.stdout.splitlines()
    assert trained == "True"
    assert states(problem, "torch engine", "needs torch", "pip install -c constraints.txt '.[train]'")
