"""Every public name is documented in one form, its example runs, and a front is small enough to remember."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import re
import socket
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dissensus

PACKAGE = Path(dissensus.__file__).parent

# Fronts whose names are all documented; "" is `dissensus` itself. One per line, so that additions merge.
READY = [
    "",
    "datasets",
    "aggregate",
    "deliver",
    "elicit",
    "evaluate",
    "files",
    "labels",
    "plan",
    "papers",
    "probe",
    "report",
    "study",
    "train",
    "train.heads",
    "train.networks",
]

MOST_NAMES = {
    "": 32,
    "labels": 28,
    "files": 7,
    "report": 18,
    "datasets": 12,
    "aggregate": 26,
    "plan": 24,
    "elicit": 15,
    "deliver": 21,
    "train": 25,
    "train.heads": 13,
    "train.networks": 3,
    "evaluate": 35,
    "probe": 30,
    "study": 20,
    "papers": 8,
}

NOT_IMPERATIVE = {"a", "an", "the", "this", "that", "each", "every", "what", "which", "who", "how", "whether", "where"}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)


def front(package: str) -> ModuleType:
    return importlib.import_module(f"dissensus.{package}".rstrip("."))


def names_of(package: str) -> list[str]:
    """Names that the stub of a package lists, `from . import stage` included."""
    stub = PACKAGE / package.replace(".", "/") / "__init__.pyi"
    nodes = [node for node in ast.parse(stub.read_text()).body if isinstance(node, ast.ImportFrom)]
    return [alias.asname or alias.name for node in nodes for alias in node.names]


NAMES = [
    pytest.param(package, name, id=f"{package or 'dissensus'}.{name}")
    for package in READY
    for name in names_of(package)
]


def sections(doc: str) -> dict[str, str]:
    """Text of each NumPy-style section by its title; what precedes the first one has the title ""."""
    parts = SECTION.split(doc)
    return {"": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def documented_parameters(section: str) -> set[str]:
    """Names before the colon, as in "p, q : (n, k)" and "**options"; their text is indented."""
    entries = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: *:.*)?$", section, flags=re.MULTILINE)
    return {name.strip(" *") for entry in entries for name in entry.split(",")}


def is_imperative(line: str) -> bool:
    """Whether a first line may be an order: no article, no "-ing", no "Returns"."""
    word = line.split()[0].lower().rstrip(".,:;")
    third_person = word.endswith("s") and not word.endswith(("ss", "us"))
    return word not in NOT_IMPERATIVE and not word.endswith("ing") and not third_person


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_a_public_name_has_a_numpy_style_docstring(package, name):
    value = getattr(front(package), name)
    if not callable(value):
        return
    doc = inspect.getdoc(value)
    assert doc, "no docstring"
    parts = sections(doc)
    first, _, following = parts[""].partition("\n")
    assert first.strip() and not following.partition("\n")[0].strip(), f"the first line must be a paragraph: {first!r}"
    assert ">>> " in parts.get("Examples", ""), "no section Examples with a doctest"
    if isinstance(value, type):
        assert parts.get("Parameters", parts.get("Attributes", "")).strip(), "no section Parameters or Attributes"
        return
    assert is_imperative(first), f"expected a verb in the imperative, not {first!r}"
    wanted = {parameter for parameter in inspect.signature(value).parameters if not parameter.startswith("_")}
    assert documented_parameters(parts.get("Parameters", "")) == wanted
    assert parts.get("Returns", parts.get("Yields", "")).strip(), "no section Returns"


@pytest.mark.parametrize(("package", "name"), NAMES)
def test_the_example_of_a_public_name_runs(package, name, tmp_path, monkeypatch):
    """In an empty folder, offline and without public data.

    An example may use `np` and the names of its own front and of `dissensus` without importing them.
    """

    def refuse(*address: Any) -> None:
        raise AssertionError(f"the example of {name} opens a connection to {address[1:]}")

    value = getattr(front(package), name)
    if not callable(value):
        return
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISSENSUS_DATA", str(tmp_path))
    monkeypatch.setattr(socket.socket, "connect", refuse)
    doc = inspect.getdoc(value) or ""
    words = set(re.findall(r"\w+", doc))
    known = {word: getattr(dissensus, word) for word in words & set(names_of(""))}
    stage = package or value.__module__.split(".")[1]  # the top front repeats names of the stages
    known |= {word: getattr(front(stage), word) for word in words & set(names_of(stage))}
    example = doctest.DocTestParser().get_doctest(doc, {"np": np, **known}, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example, out=report.append).failed == 0, "".join(report)


@pytest.mark.parametrize("package", READY)
def test_a_front_is_small_enough_to_remember(package):
    names = names_of(package)
    assert len(names) <= MOST_NAMES[package], f"{len(names)} names"


def test_a_name_means_the_same_in_every_front():
    meanings: dict[str, dict[str, Any]] = {}
    for package in READY:
        for name in names_of(package):
            value = getattr(front(package), name)
            if not isinstance(value, ModuleType):
                meanings.setdefault(name, {})[package] = value
    for name, values in meanings.items():
        first = next(iter(values.values()))
        assert all(value is first for value in values.values()), f"{name} differs between {', '.join(values)}"


def test_the_top_front_only_repeats_names_of_the_stages():
    stages = [name for name in names_of("") if isinstance(getattr(dissensus, name), ModuleType)]
    for name in set(names_of("")) - set(stages):
        values = [getattr(front(stage), name) for stage in stages if name in names_of(stage)]
        assert any(value is getattr(dissensus, name) for value in values), f"dissensus.{name} is in no front of a stage"


def test_every_package_with_a_front_is_reached_from_the_top():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.pyi")}
    assert packages <= set(names_of(""))
    assert all(getattr(dissensus, package).__name__ == f"dissensus.{package}" for package in packages)
