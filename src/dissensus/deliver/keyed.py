"""Random numbers without a state: a function of (seed, stream, epoch, item), in any order of calls.

The generator is SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators, fig. 17):
word i of the stream that starts at `key` is mix(key + (i + 1) GOLDEN), so that item i's word needs no other item's.
"""

from __future__ import annotations

import numba
import numpy as np

GOLDEN = 0x9E3779B97F4A7C15
FIRST, SECOND = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
_GOLDEN, _FIRST, _SECOND = np.uint64(GOLDEN), np.uint64(FIRST), np.uint64(SECOND)
_30, _27, _31, _32, _11 = (np.uint64(bits) for bits in (30, 27, 31, 32, 11))
_LOW = np.uint64(0xFFFFFFFF)
NO_ITEMS = np.empty(0, dtype=np.int64)
# Each use of a seed has its own stream: mixing partners must not depend on the votes drawn under the same seed.
STREAMS = {"vote": 1, "shuffle": 2, "shared": 3, "class": 4, "posterior": 5, "partner": 6, "weight": 7}


def key(seed: int, stream: str, epoch: int = 0) -> np.uint64:
    """Where the words of one epoch start.

    h(z) = mix(z + GOLDEN),   key = h(h(h(seed) + stream) + epoch),   sums modulo 2**64
    """
    word = 0
    for part in (seed, STREAMS[stream], epoch):
        word = mix_slowly((word + part + GOLDEN) % 2**64)
    return np.uint64(word)


def mix_slowly(word: int) -> int:
    """The finalizer of SplitMix64 on a Python integer below 2**64."""
    word = ((word ^ (word >> 30)) * FIRST) % 2**64
    word = ((word ^ (word >> 27)) * SECOND) % 2**64
    return word ^ (word >> 31)


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def mix(word: np.uint64) -> np.uint64:
    """The same on a machine word."""
    word = (word ^ (word >> _30)) * _FIRST
    word = (word ^ (word >> _27)) * _SECOND
    return word ^ (word >> _31)


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def item_word(start: np.uint64, item: int) -> np.uint64:
    """The 64 random bits of one item."""
    return mix(start + (np.uint64(item) + np.uint64(1)) * _GOLDEN)


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def below(word: np.uint64, count: int) -> np.int64:
    """A whole number from 0 to count - 1 by the upper 32 bits; each is within count / 2**32 of equally likely."""
    return np.int64(((word >> _32) * np.uint64(count)) >> _32)


@numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")
def unit(word: np.uint64) -> float:
    """A number above 0 and below 1 by the upper 53 bits."""
    return (np.float64(word >> _11) + 0.5) * (1.0 / 9007199254740992.0)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def words(start: np.uint64, items: np.ndarray) -> np.ndarray:
    """The words of some items.  (r,) -> (r,) uint64"""
    out = np.empty(items.size, dtype=np.uint64)
    for row in range(items.size):
        out[row] = item_word(start, items[row])
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def any_answer(start: np.uint64, first: np.ndarray, values: np.ndarray, items: np.ndarray, whole: bool) -> np.ndarray:
    """One of each item's values, each equally likely.

    first: (n + 1,) where the values of an item begin; values: (m,); items: (r,), or all where `whole` -> (r,) int64
    """
    out = np.empty(first.size - 1 if whole else items.size, dtype=np.int64)
    for row in range(out.size):
        item = row if whole else items[row]
        begin = first[item]
        out[row] = values[begin + below(item_word(start, item), first[item + 1] - begin)]
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def shared_answer(word: np.uint64, first: np.ndarray, values: np.ndarray, items: np.ndarray, whole: bool) -> np.ndarray:
    """The value at the same relative place of every item."""
    out = np.empty(first.size - 1 if whole else items.size, dtype=np.int64)
    for row in range(out.size):
        item = row if whole else items[row]
        begin = first[item]
        out[row] = values[begin + below(word, first[item + 1] - begin)]
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def answer_in_turn(epoch: int, first: np.ndarray, values: np.ndarray, items: np.ndarray, whole: bool) -> np.ndarray:
    """The value at place `epoch mod number of values` of each item."""
    out = np.empty(first.size - 1 if whole else items.size, dtype=np.int64)
    count, place = np.int64(0), np.int64(0)
    for row in range(out.size):
        item = row if whole else items[row]
        begin = first[item]
        # Neighbours mostly have equally many votes, and a division costs more than all the rest.
        if first[item + 1] - begin != count:
            count = first[item + 1] - begin
            place = epoch % count
        out[row] = values[begin + place]
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def shuffled_answers(start: np.uint64, first: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Each item's values in a random order of their own (Fisher and Yates).  (n + 1,), (m,) -> (m,)"""
    out = values.copy()
    for item in range(first.size - 1):
        begin, state = first[item], item_word(start, item)
        for last in range(first[item + 1] - begin - 1, 0, -1):
            state += _GOLDEN
            other = below(mix(state), last + 1)
            kept = out[begin + last]
            out[begin + last] = out[begin + other]
            out[begin + other] = kept
    return out


@numba.njit(cache=True, nogil=True, error_model="numpy")
def partners(start: np.uint64, n: int, items: np.ndarray, whole: bool) -> np.ndarray:
    """Any of n items for each item, each equally likely.  -> (r,) int64"""
    out = np.empty(n if whole else items.size, dtype=np.int64)
    for row in range(out.size):
        out[row] = below(item_word(start, row if whole else items[row]), n)
    return out
