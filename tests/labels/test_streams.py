"""Every draw from a seed has a name; no two names share numbers, but for those that published results depend on."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.evaluate import human_ceiling, over_items, scorecard
from dissensus.labels import Votes, share, shuffle, subsample
from dissensus.labels.streams import COLLIDING, FIRST_FREE, Stream, check_generator, stream, stream_word
from tests.facts import refuses

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
    "PROBE": 101,
}


def test_recorded_streams_keep_their_numbers_and_new_ones_start_higher():
    numbers = {name.name: name.number for name in Stream}
    assert {name: numbers[name] for name in NUMBERS} == NUMBERS
    assert all(100 <= numbers[name] < FIRST_FREE for name in numbers.keys() - NUMBERS.keys())


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


def test_a_part_may_be_a_name_and_names_draw_other_numbers():
    drawn = {stream(7, Stream.PROBE, name).random() for name in ("attack", "ood", "gradients")}
    assert len(drawn) == 3
    assert stream(7, Stream.PROBE, "ood").random() in drawn


@pytest.mark.parametrize("rng", [0, None, np.random.RandomState(0)])
def test_what_cannot_draw_is_refused_by_its_value(rng):
    with refuses(f"rng is {rng!r:.80}", "np.random.default_rng(0)"):
        check_generator(rng)


def test_public_functions_refuse_a_seed_for_a_generator():
    votes = Votes.of(["a", "a", "b"], ["x", "y", "x"], [1, 2, 1])
    people = share(votes)
    for draw in (
        lambda: subsample(votes, 1, 0),
        lambda: shuffle(people, rng=0),
        lambda: human_ceiling(votes, 0),
        lambda: scorecard(people, votes, rng=0),
        lambda: over_items({"kl": np.array([0.1, 0.2])}, 0),
    ):
        with refuses("rng is 0"):
            draw()
