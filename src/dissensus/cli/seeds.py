"""The option --seed of the verbs that draw at random."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np


def check_seed(seed: int) -> None:
    """Refuse a seed that numpy does not take, by the option's name."""
    if seed < 0:
        raise ValueError(f"--seed {seed}: expected a whole number, 0 or more")


def seeded(seed: int) -> "np.random.Generator":
    """The random numbers that a seed decides."""
    import numpy as np

    check_seed(seed)
    return np.random.default_rng(seed)
