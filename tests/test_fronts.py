"""The fronts: what users import, from where, in whatever order, and where it is documented."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dissensus

PACKAGE = Path(dissensus.__file__).parent
ROOT = Path(__file__).parent.parent
STUBS = sorted(PACKAGE.rglob("__init__.pyi"))
STAGES = (
    "labels", "files", "report", "datasets", "aggregate", "plan", "elicit", "deliver", "train", "evaluate", "probe",
    "study",
)  # fmt: skip


def front_of(stub: Path) -> str:
    return ".".join(("dissensus", *stub.parent.relative_to(PACKAGE).parts))


def listed(stub: Path) -> dict[str, str]:
    """The names a front offers, each with the module that defines it."""
    nodes = ast.parse(stub.read_text()).body
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    return {alias.name: f"{front_of(stub)}.{node.module}" for node in imports for alias in node.names}


def test_every_stage_has_a_front():
    assert {front_of(stub) for stub in STUBS} >= {"dissensus", *(f"dissensus.{stage}" for stage in STAGES)}


# The libraries behind them take ten seconds to load, so both orders are tried in one process: between them every module
# of ours is forgotten and loaded anew.
BOTH_ORDERS = """
import importlib, json, sys, types
fronts = json.loads(sys.argv[1])
wrong = []

for front, names in fronts.items():
    for name, module in names.items():
        names_first = getattr(importlib.import_module(front), name)
        if isinstance(names_first, types.ModuleType):
            wrong.append(f"{front}.{name} is a module")
        names[name] = module, names_first
for front, names in fronts.items():
    for name, (module, names_first) in names.items():
        defined = getattr(importlib.import_module(module), name)
        if not (names_first is defined is getattr(importlib.import_module(front), name)):
            wrong.append(f"{front}.{name}, names first")

for module in [module for module in sys.modules if module.partition(".")[0] == "dissensus"]:
    del sys.modules[module]
for names in fronts.values():
    for module, _ in names.values():
        importlib.import_module(module)
for front, names in fronts.items():
    for name, (module, names_first) in names.items():
        defined = getattr(importlib.import_module(module), name)
        if defined is not getattr(importlib.import_module(front), name):
            wrong.append(f"{front}.{name}, modules first")
        if isinstance(defined, types.FunctionType) and defined is names_first:
            wrong.append(f"{front}.{name} was not loaded anew")
print(json.dumps(wrong))
"""


def test_a_name_is_what_its_module_defines_whatever_was_imported_before():
    fronts = {front_of(stub): listed(stub) for stub in STUBS}
    done = subprocess.run([sys.executable, "-c", BOTH_ORDERS, json.dumps(fronts)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


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
    import importlib

    for name, module in listed(stub).items():
        value = getattr(importlib.import_module(module), name)
        if callable(value) and getattr(value, "__module__", "").startswith("dissensus"):
            assert value.__doc__, f"{module}.{name} has no docstring"


def test_pages_and_examples_import_from_fronts_alone():
    """Nobody has to know in which module a function stands."""
    fronts = {front_of(stub) for stub in STUBS}
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.py")]
    for page in pages:
        for module in re.findall(r"^\s*(?:from|import) (dissensus[\w.]*)", page.read_text(), flags=re.MULTILINE):
            assert module in fronts, f"{page.name} imports from {module}"


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
    import importlib

    for stub in STUBS:
        for name, module in listed(stub).items():
            value = getattr(importlib.import_module(module), name)
            if not dataclasses.is_dataclass(value):
                continue
            kinds = [str(field.type) for field in dataclasses.fields(value)]
            if any("ndarray" in kind and "Callable" not in kind for kind in kinds):
                generated = hasattr(value.__repr__, "__wrapped__")  # as dataclasses guard against values in themselves
                assert not generated, f"{module}.{name}: add `__repr__ = shapes`"
