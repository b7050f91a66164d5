"""Items held out of a training, drawn again from what its card tells."""

import numpy as np
import pytest

from dissensus.train.splits import hold_out, recover_held_out, split_folds
from tests.facts import refuses

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
    ("card", "n", "facts"),
    [
        ({}, 50, ("card", "unknown", "train_network and train_folds")),
        (CARD | {"items held out": 0}, 50, ("card", "no items", "all of them")),
        (CARD, 51, ("40 items", "10 were held out", "51 here")),
    ],
)
def test_a_card_without_the_held_out_items_is_refused(card, n, facts):
    with refuses(*facts):
        recover_held_out(card, n)
