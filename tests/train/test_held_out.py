"""Items held out of a training, drawn again from what its card tells."""

import numpy as np
import pytest

from dissensus.train.held_out import fold_items, held_out_again, split_items

CARD = {"items trained on": 40, "items held out": 10, "seed": 3}


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5])
def test_they_are_those_of_the_split(share):
    train, held = split_items(50, share, 3, "images")
    card = {"items trained on": train.size, "items held out": held.size, "seed": 3}
    assert np.array_equal(held_out_again(card, 50), held)


def test_they_are_those_of_the_fold():
    for fold, (train, held) in enumerate(fold_items(53, 5, 3), start=1):
        card = {"items trained on": train.size, "items held out": held.size, "seed": 3, "fold": f"{fold} of 5"}
        assert np.array_equal(held_out_again(card, 53), held)


@pytest.mark.parametrize(
    ("card", "n", "message"),
    [
        ({}, 50, "the card of the network does not say"),
        (CARD | {"items held out": 0}, 50, "no items were held out"),
        (CARD, 51, "trained on 40 items and 10 were held out, and here are 51"),
    ],
)
def test_a_card_that_does_not_tell_is_refused(card, n, message):
    with pytest.raises(ValueError, match=message):
        held_out_again(card, n)
