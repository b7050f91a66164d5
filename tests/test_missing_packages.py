"""A package that is not installed is named in one line with the way to get it, in Python and on the command line."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("torch", "transformers", "lightning"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
import dissensus.train, dissensus.train.heads
from dissensus.train import Model, SoftLabelClassifier, as_delivery
from dissensus.train.heads import HeadConfig, train_heads
trained = train_heads([[0.0], [1.0]], [0, 1], [HeadConfig(kind="linear", epochs=1)])
print(isinstance(trained[0].head, Model))
for name in ("soft_cross_entropy", "DeliveredDataset", "delivered", "DeliveredData"):
    try:
        getattr(dissensus.train, name)
    except ImportError as problem:
        print(problem)
try:
    train_heads([[0.0], [1.0]], [0, 1], [HeadConfig(kind="linear")], engine="torch")
except ImportError as problem:
    print(problem)
"""


def test_heads_and_estimators_work_without_torch_and_the_rest_says_how_to_get_it():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "True",
        "dissensus.train.soft_cross_entropy needs torch, which is not installed: pip install 'dissensus[train]'",
        "dissensus.train.DeliveredDataset needs torch, which is not installed: pip install 'dissensus[train]'",
        "dissensus.train.delivered needs torch, which is not installed: pip install 'dissensus[train]'",
        "dissensus.train.DeliveredData needs lightning, which is not installed: pip install lightning",
        "the torch engine needs torch, which is not installed: pip install 'dissensus[train]'",
    ]


VERBS = """
import sys

EXTRAS = %r

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
from dissensus.cli.main import main

for words in %r:
    sys.argv = ["dissensus", *words]
    try:
        main()
        code = 0
    except SystemExit as end:
        code = end.code
    print("exit", code, file=sys.stderr)
"""
EXTRAS = ("PIL", "anyio", "argon2", "httptools", "itsdangerous", "jinja2", "psycopg", "sqlalchemy", "starlette",
          "torch", "transformers", "uvicorn", "uvloop", "sentence_transformers")  # fmt: skip


def test_every_verb_works_on_a_core_install_or_says_what_to_install(tmp_path):
    folder, labels = str(tmp_path / "survey"), str(tmp_path / "grades.parquet")
    works = [
        ["describe", "anesthesia"], ["aggregate", "anesthesia", "-o", labels], ["annotators", "anesthesia"],
        ["agreement", "anesthesia", "--replicates", "10"], ["review", "anesthesia"],
        ["convert", "anesthesia", str(tmp_path / "a.parquet")], ["plan", "--items", "20", "--classes", "5"],
        ["evaluate", labels, "anesthesia", "--no-ceiling", "--replicates", "10"], ["data", "list"],
    ]  # fmt: skip
    needs = [
        ["elicit", "init", folder], ["elicit", "serve", folder], ["elicit", "rehearse", folder],
        ["elicit", "status", folder], ["elicit", "export", folder, "-o", "x.csv"], ["elicit", "key", folder],
        ["elicit", "links", folder], ["elicit", "forget", folder, "somebody"],
    ]  # fmt: skip
    code = VERBS % (EXTRAS, works + needs)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "Traceback" not in done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith(("exit", "error"))]
    assert said[: len(works)] == ["exit 0"] * len(works)
    for line, end in zip(said[len(works) :: 2], said[len(works) + 1 :: 2], strict=True):
        assert line.startswith("error: this needs ") and "pip install 'dissensus[" in line and end == "exit 2"
    assert len(said) == len(works) + 2 * len(needs)
