"""The shape of the package: who imports whom, what importing costs, what every module looks like."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import dissensus

PACKAGE = Path(dissensus.__file__).parent
STAGES = {
    "labels": set(),
    "datasets": {"labels"},
    "aggregate": {"labels"},
    "plan": {"labels", "aggregate"},
    "deliver": {"labels", "aggregate"},
    "evaluate": {"labels", "aggregate"},
    "train": {"labels", "aggregate", "deliver", "evaluate"},
    "probe": {"labels", "aggregate", "deliver", "train", "evaluate"},
    "elicit": {"labels", "aggregate", "plan"},
    "study": {"labels", "datasets", "aggregate", "plan", "deliver", "evaluate", "train", "probe"},
    "papers": {"labels", "datasets", "aggregate", "plan", "deliver", "evaluate", "train", "probe", "study"},
}
WITHOUT_TORCH = {"labels", "datasets", "aggregate", "plan", "deliver", "evaluate", "elicit"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_stage_imports_only_the_stages_before_it(path):
    stage = path.relative_to(PACKAGE).parts[0]
    if stage not in STAGES:
        return
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("dissensus.")}
    assert ours <= STAGES[stage] | {stage}
    if stage in WITHOUT_TORCH:
        assert not any(name.split(".")[0] == "torch" for name in imports(path))


def test_every_folder_of_the_package_is_a_known_stage():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= set(STAGES)


HEAVY = (
    "torch",
    "scipy",
    "sklearn",
    "pandas",
    "polars",
    "PIL",
    "pooch",
    "numba",
    "starlette",
    "uvicorn",
    "matplotlib",
    "typer",
)


def test_importing_dissensus_loads_neither_torch_nor_a_web_server():
    code = f"import sys, dissensus; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "[]"


def test_importing_dissensus_costs_little_more_than_its_own_libraries():
    """Cost is counted in modules: NumPy and Arrow bring a few hundred, and half a second is far above that."""
    libraries = "numpy, pyarrow.parquet, pyarrow.csv, pyarrow.feather"
    code = f"import sys, {libraries}; before = len(sys.modules); import dissensus; print(len(sys.modules) - before)"
    own = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert own < 60
