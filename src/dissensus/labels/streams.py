"""Random streams by name: one seed drives many draws, and each of them has numbers of its own.

    stream(seed, Stream.AUGMENTATION, epoch)    the generator [seed, 3, epoch]

NumPy pads the words of a seed with zeros: `default_rng(seed)`, `default_rng([seed, 0])` and `default_rng([seed, 0, 0])`
are one generator. Number 0 therefore equals the bare seed. `COLLIDING` lists the names that share a number; published
results depend on them, so they stay. Two draws of other names never use the same numbers.

Three other families of generators take seeds of their own: `deliver/keyed.py` hashes (seed, stream, epoch, item),
`plan/grid.py` draws from [seed, n, k, d], and `elicit/session/protocol.py` from the seed of each person.
"""

from __future__ import annotations

from enum import Enum, unique
from typing import Any

import numpy as np

from dissensus.labels.refusals import PythonWay, Refusal


@unique
class Stream(Enum):
    """Purposes of random numbers: a number and its meaning for each.

    A new stream takes a free number from `FIRST_FREE` on; a test refuses numbers that are taken.

    Examples
    --------
    >>> Stream.VALIDATION.number
    12
    """

    WEIGHTS = 0, "initial weights of a head or network"
    ORDER = 1, "order of the items in an epoch; part: epoch"
    DROPOUT = 2, "dropout of a head; part: epoch"
    AUGMENTATION = 3, "augmentation of images; part: epoch"
    STEP = 4, "state of torch before a step, for dropout of a network; parts: epoch, step"
    HELD_OUT = 7, "items that training holds out, and folds"
    TEST = 11, "test items and folds of a study"
    VALIDATION = 12, "validation items of a study"
    CURVATURE = 15, "random vectors behind the curvature measures of Gheibi 2026"
    ANSWERS = 21, "answers that a study trains on"
    TRANSFORMS = 22, "random transforms of a study's labels"
    JUDGED_ANSWERS = 23, "answers about test items, for Gheibi 2026"
    PROBED_ITEMS = 1, "items and images that `dissensus probe` draws"
    CROWD_TRUTH = 0, "distributions behind simulated answers of a rehearsal"
    CROWD_PERSON = 1, "answers of a simulated person; part: person"
    CROWD_LEAVING = 2, "when a simulated person leaves; part: person"
    FLIP = 100, "which images alternate flips mirror first"
    BATCH_ORDER = 5, "order of a batch of items, from the seed of a person"
    PROBE = 101, "what a probe of a network draws; part: the name of the probe"

    @property
    def number(self) -> int:
        return int(self.value[0])


FIRST_FREE = 102
COLLIDING = (
    {Stream.WEIGHTS, Stream.CROWD_TRUTH},
    {Stream.ORDER, Stream.PROBED_ITEMS, Stream.CROWD_PERSON},
    {Stream.DROPOUT, Stream.CROWD_LEAVING},
)


def stream(seed: int, name: Stream, *parts: int | str) -> np.random.Generator:
    """Return the generator of one stream of a seed.

    Parameters
    ----------
    seed : 0 or more
    name : what is drawn
    parts : what the draw is repeated for, such as the epoch; always as many for the same name

    Examples
    --------
    >>> stream(7, Stream.TEST).permutation(3).size
    3
    """
    words = (int.from_bytes(part.encode()) if isinstance(part, str) else part for part in parts)
    return np.random.default_rng([seed, name.number, *words])


def stream_word(seed: int, name: Stream, *parts: int, dtype: Any = np.uint64) -> int:
    """Return one word of a stream, for libraries that take a seed instead of a generator.

    Examples
    --------
    >>> stream_word(7, Stream.WEIGHTS) == stream_word(7, Stream.WEIGHTS)
    True
    """
    return int(np.random.SeedSequence([seed, name.number, *parts]).generate_state(1, dtype)[0])


def check_generator(rng: Any) -> None:
    """Refuse what numbers cannot be drawn from, such as a seed.

    Examples
    --------
    >>> check_generator(0)
    Traceback (most recent call last):
    dissensus.labels.refusals.Refusal: rng is 0; expected a generator of NumPy. Pass np.random.default_rng(0)
    """
    if not isinstance(rng, np.random.Generator):
        seed = rng if isinstance(rng, int) and rng >= 0 else 0
        raise Refusal(
            f"rng is {rng!r:.80}; expected a generator of NumPy",
            ways=[PythonWay(f"pass np.random.default_rng({seed})")],
        )
