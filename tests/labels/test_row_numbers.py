"""Numbers of rows are not names: they are known as such wherever labels go, and whatever their values are."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest

from dissensus import Distributions, Votes, read, write
from dissensus.aggregate import AGGREGATIONS
from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.deliver import DELIVERIES
from dissensus.labels.names import as_names
from dissensus.labels.row_numbers import RowNumbers, are_named, row_numbers
from dissensus.labels.shares import as_distributions
from tests.facts import missing_facts
from tests.files.refusals import quiet

CODES = np.array([[0, 1, 1], [2, 0, 0], [1, 1, 2], [0, 2, 2]])


@pytest.fixture
def votes(tmp_path):
    """Votes of three people on the four rows of a matrix."""
    np.save(tmp_path / "codes.npy", CODES)
    return read(tmp_path / "codes.npy", layout="annotators", say=quiet)


def test_they_are_numbers_to_everyone_else():
    rows = row_numbers(4)
    assert rows.tolist() == [0, 1, 2, 3] and np.array_equal(rows, np.arange(4)) and pa.array(rows).to_pylist()[3] == 3
    assert not are_named(rows) and not are_named(rows[[3, 1]]) and not are_named(pickle.loads(pickle.dumps(rows)))
    assert as_names(rows) is rows and are_named(as_names(np.arange(4))) and are_named(as_names(rows.tolist()))
    for computed in (rows == 2, rows + 1, rows.max()):
        assert not isinstance(computed, RowNumbers)


def test_sources_without_names_of_items_have_rows_and_those_with_names_have_names(tmp_path, votes):
    assert not are_named(votes.items)
    bare = {"counts.npy": CODES + 1, "probs.npy": CODES / CODES.sum(axis=1, keepdims=True)}
    for name, matrix in bare.items():
        np.save(tmp_path / name, matrix)
        assert not are_named(read(tmp_path / name, say=quiet).items)
    np.savez(tmp_path / "bare.npz", counts=CODES)
    np.savez(tmp_path / "named.npz", counts=CODES, items=np.arange(4))
    (tmp_path / "bare.csv").write_text("cat,dog\n3,1\n0,4\n2,2\n")
    (tmp_path / "named.csv").write_text("item,cat,dog\n0,3,1\n1,0,4\n2,2,2\n")
    (tmp_path / "annotators.csv").write_text("ann,bo\ncat,dog\ndog,\n")
    assert not are_named(read(tmp_path / "annotators.csv", layout="annotators", say=quiet).items)
    for name in ("bare.npz", "bare.csv"):
        assert not are_named(read(tmp_path / name, say=quiet).items)
    for name in ("named.npz", "named.csv"):
        assert are_named(read(tmp_path / name, say=quiet).items)
    assert are_named(read(tmp_path / "counts.npy", items=[0, 1, 2, 3], say=quiet).items)
    assert not are_named(Distributions.from_counts(CODES).items)
    assert are_named(Distributions.from_counts(CODES, items=range(4)).items)


def test_they_stay_rows_through_selecting_aggregating_and_delivering(votes):
    named = Votes(
        item=votes.item,
        items=np.arange(4),
        annotator=votes.annotator,
        annotators=votes.annotators,
        choice=votes.choice,
        classes=votes.classes,
    )
    for labels, are in ((votes, False), (named, True)):
        assert are_named(labels.select(items=[3, 1]).items) is are
        assert are_named(as_distributions(labels).select([2]).items) is are
        for name, method in AGGREGATIONS.items():
            if method.takes == "votes":
                assert are_named(aggregate_labels(labels, name).distributions.items) is are, name
        for name, deliver in DELIVERIES.items():
            if name in ("soft", "majority"):
                assert are_named(deliver(labels).items) is are, name


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "npz", "npy"])
def test_distributions_of_rows_are_written_without_names_and_come_back_as_rows(tmp_path, votes, ending):
    held, said = as_distributions(votes), []
    write(held, tmp_path / f"rows.{ending}", say=quiet)
    back = read(tmp_path / f"rows.{ending}", say=quiet)
    assert not are_named(back.items) and np.allclose(back.probs, held.probs)
    if ending != "npy":  # which keeps no names anyway
        write(held.select([0, 3]), tmp_path / f"some.{ending}", say=said.append)
        assert sum(not missing_facts(notice, "items", "no names", "row numbers") for notice in said) == 1
        assert read(tmp_path / f"some.{ending}", say=quiet).items.tolist() == [0, 3]


def test_answers_about_rows_are_written_with_their_numbers_and_a_notice(tmp_path, votes):
    said = []
    write(votes, tmp_path / "votes.csv", say=said.append)
    assert sum(not missing_facts(notice, "items", "no names") for notice in said) == 1
