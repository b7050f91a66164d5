"""The fronts: what users import, from where, in whatever order, and where it is documented."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

import dissensus

PACKAGE = Path(dissensus.__file__).parent
ROOT = Path(__file__).parent.parent
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))
STAGES = (
    "labels",
    "files",
    "report",
    "datasets",
    "aggregate",
    "plan",
    "elicit",
    "deliver",
    "train",
    "evaluate",
    "probe",
    "study",
    "papers",
)


def front_of(stub: Path) -> str:
    return ".".join(("dissensus", *stub.parent.relative_to(PACKAGE).parts))


def listed(stub: Path) -> dict[str, str]:
    """The names a front offers, each with the module that defines it."""
    nodes = ast.parse(stub.read_text()).body
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: f"{front_of(stub)}.{node.module}" for node in imports for alias in node.names}


def test_every_stage_has_a_front():
    assert {front_of(stub) for stub in STUBS} >= {"dissensus", *(f"dissensus.{stage}" for stage in STAGES)}


@pytest.fixture
def forgotten() -> Iterator[Callable[[], None]]:
    """Function that forgets every module of ours, so that it is loaded anew; in the end those of before are back.

    The libraries behind them stay: they take seven seconds to load, and it is not their names that are looked at.
    """

    def ours() -> dict[str, ModuleType]:
        return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "dissensus"}

    def forget() -> None:
        for name in ours():
            del sys.modules[name]

    before = ours()
    yield forget
    forget()
    sys.modules.update(before)


def test_a_name_is_what_its_module_defines_whatever_was_imported_before(forgotten):
    names = [(front_of(stub), name, module) for stub in STUBS for name, module in listed(stub).items()]

    def at(module: str, name: str) -> Any:
        return getattr(importlib.import_module(module), name)

    forgotten()
    names_first = {(front, name): at(front, name) for front, name, _ in names}
    for front, name, module in names:
        assert not isinstance(names_first[front, name], ModuleType), f"{front}.{name} is a module"
        assert names_first[front, name] is at(module, name) is at(front, name), f"{front}.{name}, names first"

    forgotten()
    modules_first = {(front, name): at(module, name) for front, name, module in names}
    for front, name, _ in names:
        defined = modules_first[front, name]
        assert defined is at(front, name), f"{front}.{name}, modules first"
        if isinstance(defined, FunctionType):
            assert defined is not names_first[front, name], f"{front}.{name} was not loaded anew"


@pytest.mark.parametrize("stub", STUBS, ids=front_of)
def test_no_module_has_the_name_of_a_public_name_beside_it(stub):
    beside = {path.stem for path in stub.parent.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert not beside & listed(stub).keys()


@pytest.mark.parametrize("stub", STUBS, ids=front_of)
def test_every_public_name_has_its_place_in_the_documentation(stub):
    front = front_of(stub)
    page = ROOT / "docs" / "api" / f"{front.removeprefix('dissensus.').split('.')[0]}.md"
    documented = re.findall(r"^::: (\S+)$", page.read_text(), flags=re.MULTILINE)
    own = [name.removeprefix(f"{front}.") for name in documented if name.rpartition(".")[0] == front]
    assert sorted(own) == sorted(listed(stub))


@pytest.mark.parametrize("stub", STUBS, ids=front_of)
def test_every_public_function_says_what_it_means(stub):
    for name, module in listed(stub).items():
        value = getattr(importlib.import_module(module), name)
        if callable(value) and getattr(value, "__module__", "").startswith("dissensus"):
            assert value.__doc__, f"{module}.{name} has no docstring"


def test_pages_and_examples_import_what_a_front_has_from_the_front():
    """Only a name that no front has is imported from its module."""
    fronts = {front_of(stub): listed(stub) for stub in STUBS}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    for page in pages:
        text = page.read_text()
        for module, names in re.findall(r"^\s*from (dissensus[\w.]*) import (\([^)]*\)|.*)", text, flags=re.MULTILINE):
            package = ".".join(module.split(".")[:2])
            if module not in fronts:
                offered = set(re.findall(r"\w+", names)) & fronts[package].keys()
                assert not offered, f"{page.name} imports {offered} from {module}, not from {package}"


def test_every_stage_is_there_after_importing_the_package_alone():
    code = f"import dissensus; print([getattr(dissensus, stage).__name__ for stage in {STAGES!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str([f"dissensus.{stage}" for stage in STAGES])


def test_importing_the_fronts_loads_nothing_heavy():
    heavy = ("torch", "scipy", "sklearn", "pandas", "polars", "numba", "starlette", "typer", "pyarrow")
    stages = ", ".join(f"dissensus.{stage}" for stage in STAGES)
    code = f"import sys, {stages}; print([name for name in {heavy!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_values_with_arrays_print_their_shapes_and_not_their_numbers():
    """The text that dataclasses make by themselves prints whole arrays: 57 kB for the scorecard of 200 items."""
    import dataclasses

    for stub in STUBS:
        for name, module in listed(stub).items():
            value = getattr(importlib.import_module(module), name)
            if not dataclasses.is_dataclass(value):
                continue
            kinds = [str(field.type) for field in dataclasses.fields(value)]
            if any("ndarray" in kind and "Callable" not in kind for kind in kinds):
                generated = hasattr(value.__repr__, "__wrapped__")  # as dataclasses guard against values in themselves
                assert not generated, f"{module}.{name}: add `__repr__ = shapes`"
