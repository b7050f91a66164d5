"""Streamed counts equal what reading everything gives, for every kind of name."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dissensus import Votes, read, write
from dissensus.files.stream import Counted, count_votes
from tests.facts import refuses, states


def column(kind, values):
    return values.map(lambda drawn: pa.array(drawn, kind))


def many(value):
    return st.lists(value, min_size=1, max_size=60)


FLOATS = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([0.5, -0.0, 1e300, math.inf, math.nan]))
NAMES = st.one_of(
    column(pa.int64(), many(st.integers(-50, 50))),
    column(pa.int64(), many(st.sampled_from([10**15, 5, -(10**12)]))),
    column(pa.int8(), many(st.integers(-128, 127))),
    column(pa.uint64(), many(st.integers(2**63 - 2, 2**63 + 2))),
    column(pa.uint64(), many(st.sampled_from([0, 2**63, 2**64 - 1]))),
    column(pa.float64(), many(st.integers(-3, 3).map(float))),
    column(pa.float64(), many(FLOATS)),
    column(pa.float32(), many(FLOATS)),
    column(pa.bool_(), many(st.booleans())),
    column(pa.string(), many(st.text("abé \n", min_size=1, max_size=3))),
    column(pa.string(), many(st.sampled_from(["7", "07", "-1"]))),
    column(pa.binary(), many(st.just(b"a"))),
    column(pa.dictionary(pa.int8(), pa.string()), many(st.sampled_from(["b", "a", "c"]))),
    column(pa.dictionary(pa.int8(), pa.string(), ordered=True), many(st.sampled_from(["b", "a", "c"]))),
    column(pa.date32(), many(st.dates())),
)


def outcome(work):
    """Items, classes and counts, or only that it was refused."""
    try:
        found = work()
    except ValueError:
        return "refused"
    return found.items.tolist(), found.classes, found.counts if isinstance(found, Counted) else found.counts()


@settings(deadline=None, max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, NAMES, st.integers(1, 7), st.booleans())
def test_streamed_counts_equal_counts_in_memory(tmp_path, items, labels, group, typed):
    m = min(len(items), len(labels))
    path = tmp_path / "votes.parquet"
    table = pa.table({"item": items[:m], "label": labels[:m]})
    pq.write_table(table, path, row_group_size=group, store_schema=typed)
    streamed, whole = outcome(lambda: count_votes(path)), outcome(lambda: read(path, label="label", say=lambda _: None))
    if whole == "refused":
        assert streamed == "refused"
    else:
        assert streamed[:2] == whole[:2] and np.array_equal(streamed[2], whole[2])


def test_the_order_a_value_was_written_with_is_kept(tmp_path):
    votes = Votes(item=[1, 0, 1], items=[7, 3], choice=[0, 1, 1], classes=["dog", "cat", "eel"])
    write(votes, tmp_path / "v.parquet")
    counted, back = count_votes(tmp_path / "v.parquet"), read(tmp_path / "v.parquet")
    assert counted.classes == back.classes == ("dog", "cat", "eel")
    assert counted.items.tolist() == back.items.tolist() == [7, 3]
    assert np.array_equal(counted.counts, back.counts())
    assert np.array_equal(counted.distributions().counts(), back.counts())


def test_usual_column_names_and_classes_nobody_chose(tmp_path):
    pq.write_table(pa.table({"task": [1, 1, 5], "vote": ["b", "a", "b"], "worker": [1, 2, 3]}), tmp_path / "v.parquet")
    counted = count_votes(tmp_path / "v.parquet", classes=["a", "b", "c"])
    assert counted.items.tolist() == [1, 5] and counted.counts.tolist() == [[1, 1, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("table", "options", "facts"),
    [
        (pa.table({"item": [1, 2], "label": [0, None]}), {}, ["row 2", "no value", "column 'label'"]),
        (pa.table({"item": [1], "label": ["x"]}), {"classes": ["a"]}, ["'x'", "classes", ["a"]]),
        (pa.table({"item": [1], "other": ["x"]}), {}, ["no column", "the label", ["item", "other"], "label="]),
        (pa.table({"item": pa.array([], pa.int64()), "label": pa.array([], pa.int64())}), {}, ["no rows"]),
        (pa.table({"item": [1], "label": [[0]]}), {}, ["column 'label'", "list<element: int64>", "one name"]),
        (pa.table({"item": [{"a": 1}], "label": [0]}), {}, ["column 'item'", "struct<a: int64>", "one name"]),
        (pa.table({"item": [1, 2], "label": [0.0, math.nan]}), {}, ["row 2", "no value", "column 'label'"]),
        (pa.table([[1], [2], [3]], ["item", "label", "label"]), {}, ["two columns", ["item", "label", "label"]]),
    ],
)
def test_what_cannot_be_counted_is_refused(tmp_path, table, options, facts):
    pq.write_table(table, tmp_path / "v.parquet")
    with refuses(tmp_path / "v.parquet", *facts):
        count_votes(tmp_path / "v.parquet", **options)


def test_a_truncated_file_is_refused_whole(tmp_path):
    path = tmp_path / "v.parquet"
    pq.write_table(pa.table({"item": np.arange(1000), "label": np.arange(1000) % 3}), path)
    path.write_bytes(path.read_bytes()[:-20])
    with refuses("Parquet", "cut short", place=str(path)):
        count_votes(path)


def test_memory_is_the_matrix_and_a_batch_not_the_file(tmp_path):
    """Six million votes on a thousand items: reading them all would hold 100 MB and more beside the libraries."""
    path = tmp_path / "v.parquet"
    rng = np.random.default_rng(0)
    schema = pa.schema({"item": pa.int32(), "label": pa.int8()})
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        item, label = rng.integers(0, 1000, 500_000), rng.integers(0, 10, 500_000)
        votes = pa.table({"item": item.astype(np.int32), "label": label.astype(np.int8)})
        for _ in range(12):
            writer.write_table(votes)
    code = (
        "import resource, sys; from dissensus.files.stream import count_votes; peak = lambda: "
        "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024; before = peak(); "
        "c = count_votes(sys.argv[1]); print(int(c.counts.sum()), peak() - before)"
    )
    total, grown = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    ).stdout.split()
    assert int(total) == 6_000_000 and float(grown) < 250


def test_labels_over_a_wide_range_take_no_memory_for_those_between(tmp_path):
    """A matrix over the range of these labels, 10 million, would be 40 GB."""
    pq.write_table(pa.table({"item": np.arange(1000), "label": np.arange(1000) % 2 * 10**7}), tmp_path / "v.parquet")
    counted = count_votes(tmp_path / "v.parquet")
    assert counted.classes == ("0", "10000000") and counted.counts.sum(axis=0).tolist() == [500, 500]


def test_a_matrix_that_does_not_fit_is_not_reported_as_a_damaged_file(tmp_path):
    """Fifty thousand items by four thousand classes need 0.8 GB, in a process that may have half of that."""
    votes = pa.table({"item": np.arange(50_000, dtype=np.int32), "label": np.arange(50_000, dtype=np.int16) % 4000})
    with pq.ParquetWriter(tmp_path / "v.parquet", votes.schema, compression="none", use_dictionary=False) as writer:
        for _ in range(260):  # enough votes for the matrix to be worth its room
            writer.write_table(votes)
    code = (
        "import resource, sys; from dissensus.files.stream import count_votes\n"
        "used = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2); count_votes(sys.argv[1])"
    )
    command = [sys.executable, "-c", code, tmp_path / "v.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert states(done.stderr.splitlines()[-1], "50,000 items", "4,000 classes", "0.8 GB", "memory")
