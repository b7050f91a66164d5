"""Digests are recorded in cells, checkpoints and cards: these are the ones that version 1 wrote."""

import numpy as np
import pytest

from dissensus.labels.beliefs import Beliefs
from dissensus.labels.content_hash import hash_arrays, hash_bytes, hash_file, hash_items, hash_labels, hash_values
from dissensus.labels.distributions import Distributions
from dissensus.labels.row_numbers import row_numbers
from dissensus.labels.votes import Votes

NUMBERS = np.arange(6, dtype=np.float32).reshape(2, 3)
BELIEFS = Beliefs(
    item=np.array([0, 1]),
    stated=np.array([[0.5, np.nan], [1, 0]]),
    items=np.array(["a", "b"]),
    classes=("x", "y"),
    ruled_out=np.zeros((2, 2), bool),
    named=np.zeros((2, 0), int),
)


@pytest.mark.parametrize(
    ("digest", "recorded"),
    [
        (hash_labels(Votes.of(["a", "a", "b"], ["x", "y", "x"], ["p", "q", "p"])), "3584757493fee44d"),
        (
            hash_labels(Distributions.from_counts([[3, 1], [0, 2]], items=["a", "b"], classes=["x", "y"])),
            "e604335a4d",
        ),
        (hash_labels(BELIEFS), "28c5a5304599ac7d"),
        (hash_values([NUMBERS, np.array(["u", "vv"]), None, "t"]), "df8e3db6ee65d37a"),
        (hash_arrays([NUMBERS]), "b438c5d786e1b613"),
    ],
)
def test_digests_are_those_on_record(digest, recorded):
    assert digest.startswith(recorded) and len(digest) == 64


def test_a_file_has_the_hash_of_its_bytes(tmp_path):
    (tmp_path / "x").write_bytes(b"content")
    assert (
        hash_file(tmp_path / "x") == f"sha256:{hash_bytes([b'content'])}" == f"sha256:{hash_bytes([b'con', b'tent'])}"
    )


def test_names_content_and_their_borders_all_count():
    names = np.array(["a", "bc"])
    sets = [(names, [b"x"]), (np.array(["ab", "c"]), [b"x"]), (names, [b"x", b""]), (row_numbers(2), [b"x"])]
    assert len({hash_items(*each) for each in sets}) == 4
