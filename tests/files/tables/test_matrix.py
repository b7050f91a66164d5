"""Tables with one number per class: counts, probabilities, and percents that look like counts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dissensus import read
from tests.facts import refuses
from tests.files.notices import one_states
from tests.files.refusals import list_ways, quiet

PERCENTS = pd.DataFrame({"item": ["a", "b", "c"], "cat": [60, 100, 33], "dog": [40, 0, 67]})


@pytest.mark.parametrize("kind", ["frame", "csv", "npy"])
def test_whole_numbers_that_sum_to_100_are_counts_or_percents_as_the_caller_says(kind, tmp_path):
    """As counts they would be 100 votes for each item, from which a human ceiling is computed."""
    if kind == "frame":
        source = PERCENTS
    elif kind == "csv":
        source = tmp_path / "p.csv"
        PERCENTS.to_csv(source, index=False)
    else:
        source = tmp_path / "p.npy"
        np.save(source, PERCENTS[["cat", "dog"]].to_numpy())
    with refuses("two readings", "sums to 100", "counts", "percents") as caught:
        read(source, say=quiet)
    assert list_ways(caught) == [{"layout": "counts"}, {"rescale": True}]
    counts = read(source, layout="counts", say=quiet)
    said = []
    shares = read(source, rescale=True, say=said.append)
    assert counts.votes.tolist() == [100, 100, 100] and shares.votes is None
    assert np.allclose(counts.probs, shares.probs)
    assert one_states(said, "3 of 3", "to 100", "divided")


def test_counts_that_sum_to_other_numbers_are_not_asked_about():
    assert read(PERCENTS.assign(cat=[3, 2, 1]), say=quiet).votes.tolist() == [43, 2, 68]
    assert read(PERCENTS.assign(votes=100), say=quiet).votes.tolist() == [100, 100, 100]


@pytest.mark.parametrize("rest", [b"", b" and nothing of an archive"])
def test_a_matrix_that_begins_like_an_archive_is_refused_and_closed(rest, tmp_path):
    """What is left open is a warning, and warnings are errors here."""
    source = tmp_path / "p.npy"
    source.write_bytes(b"PK\3\4" + rest)
    with refuses(source, "NPZ archive", ".npz"):
        read(source, say=quiet)
    np.savez(source.with_suffix(""), probs=PERCENTS[["cat", "dog"]].to_numpy() / 100)
    source.with_suffix(".npz").rename(source)
    with refuses(source, "NPZ archive", ".npz"):
        read(source, say=quiet)
