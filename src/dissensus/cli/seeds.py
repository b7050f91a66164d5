"""The option --seed of the verbs that draw at random."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import numpy as np

SEED_HELP = "Set the random seed."
Seed = Annotated[int, typer.Option(help=SEED_HELP)]


def check_seed(seed: int) -> None:
    """Refuse a seed that numpy does not take, by the option's name."""
    if seed < 0:
        raise ValueError(f"--seed {seed}: expected a whole number, 0 or more")


def make_rng(seed: int) -> "np.random.Generator":
    """Make the random generator of a seed."""
    import numpy as np

    check_seed(seed)
    return np.random.default_rng(seed)
