"""Items held out of a training, drawn again from what its card tells."""

import numpy as np
import pytest

from dissensus.train.splits import hold_out, recover_held_out, split_folds

CARD = {"items trained on": 40, "items held out": 10, "seed": 3}


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_they_are_those_of_the_split(share):
    train, held = hold_out(50, share, 3, "images")
    card = {"items trained on": train.size, "items held out": held.size, "seed": 3}
    assert np.array_equal(recover_held_out(card, 50), held)


def test_they_are_those_of_the_fold():
    for fold, (train, held) in enumerate(split_folds(53, 5, 3), start=1):
        card = {"items trained on": train.size, "items held out": held.size, "seed": 3, "fold": f"{fold} of 5"}
        assert np.array_equal(recover_held_out(card, 53), held)


@pytest.mark.parametrize(
    ("card", "n", "message"),
    [
        ({}, 50, "card"),
        (CARD | {"items held out": 0}, 50, "held out"),
        (CARD, 51, r"\b40\b.*\b10\b.*\b51\b"),
    ],
)
def test_a_card_that_does_not_tell_is_refused(card, n, message):
    with pytest.raises(ValueError, match=message):
        recover_held_out(card, n)
