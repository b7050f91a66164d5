"""The fronts of training: light to import, and a package that is missing is named with the way to get it."""

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
