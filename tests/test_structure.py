"""The shape of the package: who imports whom, what importing costs, what every module looks like."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import dissensus

PACKAGE = Path(dissensus.__file__).parent
DESIGN = Path(__file__).parent.parent / "docs" / "design.md"


def import_table() -> dict[str, set[str]]:
    """Who may import whom, as docs/design.md has it."""
    rows = re.findall(r"^\| `(\w+)` \| ([a-z, ]+) \|$", DESIGN.read_text(), flags=re.MULTILINE)
    table = {stage: set(allowed.split(", ")) - {"nothing"} for stage, allowed in rows}
    return table | {"cli": set(table) - {"cli"}}


STAGES = import_table()
WITHOUT_TORCH = set(STAGES) - {"train", "probe"}
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def imports(path: Path) -> frozenset[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(found)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_stage_imports_only_the_stages_before_it(path):
    stage = path.relative_to(PACKAGE).parts[0]
    if path.parent == PACKAGE:
        return
    ours = {name.split(".")[1] for name in imports(path) if name.startswith("dissensus.")} - {"__version__", "fronts"}
    assert ours <= STAGES[stage] | {stage}
    if stage in WITHOUT_TORCH:
        assert not any(name.split(".")[0] == "torch" for name in imports(path))


def test_the_table_allows_nothing_that_nobody_needs():
    used: dict[str, set[str]] = {stage: set() for stage in STAGES}
    for path in MODULES:
        if path.parent != PACKAGE:
            stage = path.relative_to(PACKAGE).parts[0]
            used[stage] |= {name.split(".")[1] for name in imports(path) if name.startswith("dissensus.")}
    needed = {stage: names & STAGES.keys() - {stage} for stage, names in used.items()}
    assert needed | {"cli": STAGES["cli"]} == STAGES  # the command line may import all, whether it does or not


def test_no_module_imports_itself_by_a_detour():
    """There are no cycles, neither by imports inside functions nor by those for type checkers alone."""
    modules = {".".join(("dissensus", *path.relative_to(PACKAGE).with_suffix("").parts)): path for path in MODULES}
    graph: dict[str, set[str]] = {}
    for name, path in modules.items():
        parts = [imported.split(".") for imported in imports(path)]
        wanted = {".".join(words[: end + 1]) for words in parts for end in range(len(words))}
        graph[name] = (wanted & modules.keys()) - {name}
    while leaves := {name for name, wanted in graph.items() if not wanted & graph.keys()}:
        graph = {name: wanted for name, wanted in graph.items() if name not in leaves}
    assert not graph, f"these import each other: {sorted(graph)}"


def test_every_folder_of_the_package_is_a_known_stage():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(STAGES)


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


ON_ARRAYS = """
import sys
from dissensus.probe import DETECTORS, PROBES, gradient_variance_of_features, linear_cka, ood_scores, separation
from dissensus.probe import detect_ood, saliency_stability, similarity_to_people
rows = [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0], [0.5, 0.5], [2.0, 2.0]]
linear_cka(rows, rows)
separation(ood_scores(rows)["msp"], ood_scores(rows)["energy"])
print("torch" in sys.modules)
"""


def test_probes_of_arrays_load_no_torch():
    loaded = subprocess.run([sys.executable, "-c", ON_ARRAYS], capture_output=True, text=True, check=True).stdout
    assert loaded.strip() == "False"


def test_the_front_of_probes_names_every_module():
    text = (PACKAGE / "probe" / "__init__.py").read_text()
    named = {name for line in re.findall(r"^    (\w+(?:, \w+)*) {2,}", text, re.MULTILINE) for name in line.split(", ")}
    assert named == {path.stem for path in (PACKAGE / "probe").glob("*.py")} - {"__init__"}


def test_importing_dissensus_costs_little_more_than_its_own_libraries():
    """Cost is counted in modules: NumPy and Arrow bring a few hundred, and half a second is far above that."""
    libraries = "numpy, pyarrow.parquet, pyarrow.csv, pyarrow.feather"
    code = f"import sys, {libraries}; before = len(sys.modules); import dissensus; print(len(sys.modules) - before)"
    own = int(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
    assert own < 60
