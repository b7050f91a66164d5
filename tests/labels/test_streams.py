"""Every draw from a seed has a name; no two names share numbers, but for those that published results depend on."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.labels.streams import COLLIDING, FIRST_FREE, Stream, stream, stream_word

# What results were recorded with: a number that changes would change them.
NUMBERS = {
    "WEIGHTS": 0,
    "ORDER": 1,
    "DROPOUT": 2,
    "AUGMENTATION": 3,
    "STEP": 4,
    "HELD_OUT": 7,
    "TEST": 11,
    "VALIDATION": 12,
    "CURVATURE": 15,
    "ANSWERS": 21,
    "TRANSFORMS": 22,
    "JUDGED_ANSWERS": 23,
    "PROBED_ITEMS": 1,
    "CROWD_TRUTH": 0,
    "CROWD_PERSON": 1,
    "CROWD_LEAVING": 2,
    "BATCH_ORDER": 5,
}


def test_recorded_streams_keep_their_numbers_and_new_ones_start_higher():
    assert {name.name: name.number for name in Stream if name.number < FIRST_FREE} == NUMBERS


@pytest.mark.parametrize(("first", "second"), list(combinations(Stream, 2)), ids=lambda name: name.name)
def test_two_streams_share_numbers_only_where_it_is_recorded(first, second):
    shared = any({first, second} <= names for names in COLLIDING)
    assert (first.number == second.number) == shared
    assert (stream(7, first).random() == stream(7, second).random()) == shared


@given(st.integers(0, 2**32 - 1), st.sampled_from(list(Stream)), st.lists(st.integers(0, 2**32 - 1), max_size=2))
def test_a_stream_is_numpys_generator_of_seed_number_and_parts(seed, name, parts):
    words = [seed, name.number, *parts]
    assert stream(seed, name, *parts).random() == np.random.default_rng(words).random()
    assert stream_word(seed, name, *parts) == np.random.SeedSequence(words).generate_state(1, np.uint64)[0]


def test_number_0_is_the_bare_seed():
    assert stream(7, Stream.WEIGHTS).random() == np.random.default_rng(7).random()
