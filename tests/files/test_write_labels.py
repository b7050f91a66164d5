"""Writing: a file appears whole or not at all, and what a format cannot hold is said."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dissensus import Beliefs, Distributions, Votes, read, write
from tests.facts import refuses
from tests.files.notices import one_states
from tests.files.refusals import quiet

THREE = Votes.of(["a", "a", "b"], ["cat", "dog", "cat"], ["ann", "bo", "ann"])


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_plain_table_that_looks_like_an_export_can_be_read_as_a_table(tmp_path, kind):
    path = tmp_path / f"v.{kind}"
    votes = Votes.of(["a", "b"], ["x", "y"], extra=pa.table({"instance_id": [1, 2], "tone:::sad": ["m", "n"]}))
    said = []
    write(votes, path, say=said.append)
    assert one_states(said, "not an export", "potato", f"format={kind!r}")
    assert read(path, say=quiet, format=kind) == votes


def test_values_that_a_format_cannot_store_are_refused_with_a_way_out(tmp_path):
    nested = Votes.of(["a"], ["x"], extra=pa.table({"tags": [["p", "q"]]}))
    cases = [
        (nested, "v.csv", {}, ["column 'tags'", "lists", "csv cannot", ".parquet or .jsonl"]),
        (Votes.of(["a\0"], ["x"]), "v.csv", {}, ["line 2", "NUL byte", "csv cannot", ".parquet or .jsonl"]),
        (THREE, "v.npy", {}, ["npy has", "per item", "per answer", ".parquet or .csv"]),
        (
            Beliefs.of_votes(THREE),
            "v.json",
            {"format": "label-studio"},
            ["label-studio has votes", "beliefs", ".parquet"],
        ),
        (
            Beliefs.of_votes(THREE),
            "v.csv",
            {"layout": "crowd-kit"},
            ["'crowd-kit'", "these are beliefs", "beliefs.first_choices()"],
        ),
        (THREE, "v.csv", {"layout": "long"}, ["unknown layout", "'long'", "crowd-kit, annotators"]),
        (THREE, "v.txt", {}, ["ending '.txt'", ".csv, .tsv", "format="]),
        (THREE, "v.txt", {"format": "xls"}, ["unknown format 'xls'", "csv, tsv"]),
        (THREE, "no/folder/v.csv", {}, [f"no folder {tmp_path / 'no/folder'}"]),
        (Distributions([[1.0]], ["a"], ("votes",)), "v.csv", {}, ["class", "'votes'", "rename the class"]),
        (Votes.of(["a", "a"], ["x", "y"], ["b", "b"]), "v.csv", {"layout": "annotators"}, ["an item twice"]),
        (Votes.of(["a"], ["x"], extra=pa.table({"b": [b"\xff"]})), "v.jsonl", {}, ["JSON", b"\xff", ".parquet"]),
        (Votes.of(["a"], ["x"], extra=pa.table({"f": [float("inf")]})), "v.json", {}, ["JSON", "inf", ".parquet"]),
    ]
    for value, name, options, facts in cases:
        with refuses(*facts) as caught:
            write(value, tmp_path / name, say=quiet, **options)
        assert str(caught.value).startswith(str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_never_replaced_by_a_file():
    with refuses("/dev/null", "regular file"):
        write(THREE, "/dev/null", format="csv", say=quiet)


def test_a_written_file_replaces_the_old_one_whole(tmp_path):
    path = tmp_path / "v.parquet"
    path.write_bytes(b"old")
    write(THREE, path)
    assert read(path, say=quiet) == THREE and [p.name for p in tmp_path.iterdir()] == ["v.parquet"]
    bad = Votes.of(["a"], ["x"], extra=pa.table({"tags": [["p"]]}))
    with refuses(path, "column 'tags'", "lists", "csv cannot"):
        write(bad, path, format="csv", say=quiet)
    assert read(path, say=quiet) == THREE and [p.name for p in tmp_path.iterdir()] == ["v.parquet"]


def test_distributions_are_a_table_of_item_classes_and_votes(tmp_path):
    """The fixed layout of a distributions file: any Parquet reader sees these columns."""
    found = Distributions.from_counts([[1, 3], [2, 0]], items=["a", "b"], classes=["0", "1"])
    write(found, tmp_path / "p.parquet")
    assert pq.read_table(tmp_path / "p.parquet").to_pylist() == [
        {"item": "a", "0": 0.25, "1": 0.75, "votes": 4},
        {"item": "b", "0": 1.0, "1": 0.0, "votes": 2},
    ]
    write(Distributions(found.probs, found.items, found.classes), tmp_path / "q.parquet")
    assert pq.read_table(tmp_path / "q.parquet").column_names == ["item", "0", "1"]
