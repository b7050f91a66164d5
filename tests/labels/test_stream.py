"""Streamed counts equal what reading everything gives, for every kind of name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus import read
from dissensus.labels.stream import count_votes

NAMES = st.one_of(
    st.lists(st.integers(-50, 50), min_size=1, max_size=60),
    st.lists(st.sampled_from([10**15, 5, -(10**12)]), min_size=1, max_size=60),
    st.lists(st.text("abé \n", min_size=1, max_size=3), min_size=1, max_size=60),
)


@settings(deadline=None, max_examples=60)
@given(NAMES, st.one_of(st.just("ints"), st.just("text")), st.integers(1, 7), st.data())
def test_streamed_counts_equal_counts_in_memory(tmp_path_factory, items, kind, group, data):
    choices = data.draw(st.lists(st.integers(-2, 3), min_size=len(items), max_size=len(items)))
    path = tmp_path_factory.mktemp("stream") / "votes.parquet"
    labels = choices if kind == "ints" else [f"class {c}" for c in choices]
    pq.write_table(pa.table({"item": items, "label": labels}), path, row_group_size=group)
    counted, votes = count_votes(path), read(path, say=lambda _: None)
    assert counted.classes == votes.classes and counted.items.tolist() == votes.items.tolist()
    assert np.array_equal(counted.counts, votes.counts())
    assert np.array_equal(counted.distributions().counts(), votes.counts())


def test_usual_column_names_and_classes_nobody_chose(tmp_path):
    pq.write_table(pa.table({"task": [1, 1, 5], "vote": ["b", "a", "b"], "worker": [1, 2, 3]}), tmp_path / "v.parquet")
    counted = count_votes(tmp_path / "v.parquet", classes=["a", "b", "c"])
    assert counted.items.tolist() == [1, 5] and counted.counts.tolist() == [[1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (pa.table({"item": [1, 2], "label": [0, None]}), {}, "row 2 has no value in column 'label'; every row"),
        (pa.table({"item": [1], "label": ["x"]}), {"classes": ["a"]}, r"are for 'x', but the classes are \['a'\]"),
        (pa.table({"item": [1], "other": ["x"]}), {}, "no column looks like the label; the columns are"),
        (pa.table({"item": pa.array([], pa.int64()), "label": pa.array([], pa.int64())}), {}, "the file has no rows"),
    ],
)  # fmt: skip
def test_what_cannot_be_counted_is_refused(tmp_path, table, options, message):
    pq.write_table(table, tmp_path / "v.parquet")
    with pytest.raises(ValueError, match=message):
        count_votes(tmp_path / "v.parquet", **options)


def test_a_truncated_file_is_refused_whole(tmp_path):
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"item": np.arange(1000), "label": np.arange(1000) % 3}), path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="not a readable Parquet file, or cut short"):
        count_votes(path)


def test_memory_is_the_matrix_and_a_batch_not_the_file(tmp_path):
    """Six million votes on a thousand items: reading them all would hold 100 MB and more beside the libraries."""
    path = tmp_path / "v.parquet"
    rng = np.random.default_rng(0)
    with pq.ParquetWriter(path, pa.schema({"item": pa.int32(), "label": pa.int8()})) as writer:
        for _ in range(12):
            item, label = rng.integers(0, 1000, 500_000), rng.integers(0, 10, 500_000)
            writer.write_table(pa.table({"item": item.astype(np.int32), "label": label.astype(np.int8)}))
    code = (
        "import resource, sys; from dissensus.labels.stream import count_votes; peak = lambda: "
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024; before = peak(); "
        "c = count_votes(sys.argv[1]); print(int(c.counts.sum()), peak() - before)"
    )
    total, grown = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(total) == 6_000_000 and float(grown) < 250
