"""Random numbers without a state: as published, evenly spread, and the same in any order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammainc, gammaln
from scipy.stats import beta, chi2, kstest

from dissensus.deliver import alias, gammas, keyed
from dissensus.deliver.keyed import GOLDEN, NO_ITEMS, STREAMS, key, mix_slowly, words

WORD = st.integers(0, 2**64 - 1)


def test_the_words_are_those_of_splitmix64():
    """First outputs for the seed 1234567 of splitmix64.c by S. Vigna, as listed by Rosetta Code."""
    found = words(np.uint64(1234567), np.arange(5))
    assert found.tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(WORD, st.integers(0, 2**40))
def test_the_kernel_computes_what_python_integers_give(start, item):
    slow = mix_slowly((start + (item + 1) * GOLDEN) % 2**64)
    assert words(np.uint64(start), np.array([item])).tolist() == [slow]


def spread(values, cells):
    """The p-value of a chi-square test for equal chances."""
    seen = np.bincount(values, minlength=cells)
    expected = values.size / cells
    return chi2.sf(((seen - expected) ** 2).sum() / expected, cells - 1)


@pytest.mark.parametrize("byte", range(8))
def test_every_byte_is_even_over_items_epochs_and_seeds(byte):
    n = 50_000
    over_items = words(key(0, "vote", 7), np.arange(n))
    over_epochs = np.array([words(key(0, "vote", epoch), np.array([3]))[0] for epoch in range(n // 5)])
    over_seeds = np.array([words(key(seed, "vote", 0), np.array([3]))[0] for seed in range(n // 5)])
    for found in (over_items, over_epochs, over_seeds):
        assert spread(((found >> np.uint64(8 * byte)) & np.uint64(255)).astype(np.int64), 256) > 1e-4


def test_one_flipped_bit_of_the_item_flips_half_of_the_word():
    items = np.arange(20_000)
    start = key(1, "class", 2)
    for bit in range(15):
        changed = words(start, items) ^ words(start, items ^ (1 << bit))
        flips = np.unpackbits(changed.view(np.uint8)).mean()
        assert abs(flips - 0.5) < 0.005


def test_neighbouring_epochs_seeds_and_streams_are_independent():
    """Pairs of draws among 16, which fill 256 cells evenly."""
    items, base = np.arange(100_000), key(5, "vote", 10)
    for other in (key(5, "vote", 11), key(6, "vote", 10), key(5, "class", 10), key(1005, "vote", 10)):
        one, two = (words(start, items) >> np.uint64(60) for start in (base, other))
        assert spread((one * np.uint64(16) + two).astype(np.int64), 256) > 1e-4
    neighbours = words(base, items) >> np.uint64(60)
    assert spread((neighbours[:-1] * np.uint64(16) + neighbours[1:]).astype(np.int64)[::2], 256) > 1e-4


def test_streams_have_numbers_of_their_own():
    assert len(set(STREAMS.values())) == len(STREAMS)
    assert len({int(key(0, stream, epoch)) for stream in STREAMS for epoch in range(100)}) == 100 * len(STREAMS)


FIRST = np.array([0, 3, 4, 9, 11])
VALUES = np.array([2, 0, 1, 4, 3, 3, 1, 0, 2, 4, 4], dtype=np.uint8)


@given(WORD, st.lists(st.integers(0, 3), max_size=9))
def test_answers_are_picked_as_a_plain_loop_picks_them(start, asked):
    items = np.array(asked, dtype=np.int64)
    for whole in (False, True):
        loop = range(4) if whole else asked
        slow_word = [mix_slowly((start + (item + 1) * GOLDEN) % 2**64) for item in loop]
        count = [int(FIRST[item + 1] - FIRST[item]) for item in loop]
        begin = [int(FIRST[item]) for item in loop]
        drawn = [int(VALUES[b + ((w >> 32) * c >> 32)]) for b, w, c in zip(begin, slow_word, count, strict=True)]
        shared = [int(VALUES[b + ((start >> 32) * c >> 32)]) for b, c in zip(begin, count, strict=True)]
        turn = [int(VALUES[b + start // 2 % c]) for b, c in zip(begin, count, strict=True)]
        given_ = NO_ITEMS if whole else items
        assert keyed.any_answer(np.uint64(start), FIRST, VALUES, given_, whole).tolist() == drawn
        assert keyed.shared_answer(np.uint64(start), FIRST, VALUES, given_, whole).tolist() == shared
        assert keyed.answer_in_turn(start // 2, FIRST, VALUES, given_, whole).tolist() == turn
        partner = [
            (w >> 32) * 77 >> 32
            for w in (
                slow_word if not whole else [mix_slowly((start + (item + 1) * GOLDEN) % 2**64) for item in range(77)]
            )
        ]
        assert keyed.partners(np.uint64(start), 77, given_, whole).tolist() == partner


def test_every_order_of_four_answers_is_equally_likely():
    n = 24_000
    order = keyed.shuffled_answers(key(0, "shuffle"), np.arange(n + 1) * 4, np.tile(np.arange(4), n)).reshape(n, 4)
    assert (np.sort(order, axis=1) == np.arange(4)).all()
    _, which = np.unique(order @ [64, 16, 4, 1], return_inverse=True)
    assert which.max() == 23 and spread(which, 24) > 1e-4


@pytest.mark.parametrize("k", [1, 2, 7, 300])
def test_an_alias_table_holds_exactly_the_probabilities(k):
    """The second road: the chance of each class is summed over cells, without drawing."""
    rng = np.random.default_rng(k)
    probs = rng.dirichlet(np.full(k, 0.3), size=40) * (rng.random((40, k)) < 0.7)
    probs[np.arange(40), rng.integers(0, k, 40)] += 0.1
    probs /= probs.sum(axis=1, keepdims=True)
    first = np.concatenate([[0], np.cumsum((probs > 0).sum(axis=1))])
    own, other = (np.empty(first[-1], dtype=np.uint16) for _ in range(2))
    keep = alias.alias_table(probs, own, other, first)
    for row in range(40):
        cells = slice(first[row], first[row + 1])
        chance = np.bincount(own[cells], weights=keep[cells] / 2**32, minlength=k)
        chance += np.bincount(other[cells], weights=1 - keep[cells] / 2**32, minlength=k)
        assert np.allclose(chance / (first[row + 1] - first[row]), probs[row], atol=1e-9)


@pytest.mark.parametrize("shape", [0.02, 0.3, 1.0, 4.5, 200.0])
def test_gamma_variates_are_gamma_distributed(shape):
    starts = words(key(3, "posterior", 0), np.arange(4000))
    drawn = np.array([gammas.log_gamma(shape, start)[0] for start in starts])
    # Below e^-700 numbers underflow, but their logarithms do not.
    level = np.where(drawn > -700, gammainc(shape, np.exp(np.maximum(drawn, -700))), 0)
    tiny = drawn <= -700
    level[tiny] = np.exp(shape * drawn[tiny] - gammaln(shape + 1))  # the first term of the series
    assert kstest(level, "uniform").pvalue > 1e-4


@pytest.mark.parametrize("alpha", [0.05, 0.2, 1.0, 8.0])
def test_mixing_weights_are_beta_distributed(alpha):
    drawn = gammas.beta_weights(key(0, "weight", 0), 4000, alpha, NO_ITEMS, True)
    assert ((drawn >= 0) & (drawn <= 1)).all()
    assert abs(drawn.mean() - 0.5) < 0.03
    lower = drawn[drawn < 0.5]  # next to 1 a float cannot tell apart what next to 0 it can
    assert kstest(2 * beta.cdf(lower, alpha, alpha), "uniform").pvalue > 1e-4
