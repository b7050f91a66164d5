"""20 million votes in Parquet -> an (items, classes) count matrix: dissensus against duckdb and pandas, in one run.

Each contender runs three times in a process of its own, after its imports; the best time and the peak memory count.

    python benchmarks/count_votes.py [--votes 20000000]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

ITEMS, CLASSES, ANNOTATORS = 1_000_000, 10, 20_000
CONTENDERS = {
    "decoding alone": (
        "import pyarrow.parquet as parquet",
        "n = sum(len(b) for b in parquet.ParquetFile(path).iter_batches(2_000_000, columns=['item', 'label']))",
    ),
    "dissensus": (
        "from dissensus import count_votes",
        "n = int(count_votes(path).counts.sum())",
    ),
    "duckdb": (
        "import duckdb, pyarrow.compute as pc",
        "t = duckdb.sql(f\"select item, label, count(*) as n from '{path}' group by item, label\").to_arrow_table(); "
        "n = pc.sum(t['n']).as_py()",
    ),
    "pandas": (
        "import pandas",
        "n = int(pandas.read_parquet(path, columns=['item', 'label']).groupby(['item', 'label']).size().sum())",
    ),
}
PROGRAM = """
import json, resource, sys, time
path = sys.argv[1]
{setup}
best = float("inf")
for _ in range(3):
    start = time.perf_counter()
    {work}
    best = min(best, time.perf_counter() - start)
print(json.dumps([best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, n]))
"""


def make_votes(path: Path, votes: int) -> None:
    rng = np.random.default_rng(0)
    schema = pa.schema({"item": pa.int32(), "annotator": pa.int32(), "label": pa.int8()})
    with parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, votes, 1_000_000):
            m = min(1_000_000, votes - start)
            ranges = {"item": ITEMS, "annotator": ANNOTATORS, "label": CLASSES}
            columns = {name: rng.integers(0, high, m) for name, high in ranges.items()}
            writer.write_table(pa.table(columns).cast(schema))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--votes", type=int, default=20_000_000)
    votes = parser.parse_args().votes
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        make_votes(path, votes)
        found = {}
        for name, (setup, work) in CONTENDERS.items():
            program = PROGRAM.format(setup=setup, work=work)
            done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
            seconds, memory, counted = json.loads(done.stdout.splitlines()[-1])
            assert counted == votes, f"{name} counted {counted} of {votes} votes"
            found[name] = seconds
            print(f"{name:16} {seconds:6.2f} s   peak {memory:6.0f} MB", flush=True)
    for peer in ("duckdb", "pandas"):
        print(f"{peer} / dissensus = {found[peer] / found['dissensus']:.1f}x")


if __name__ == "__main__":
    main()
