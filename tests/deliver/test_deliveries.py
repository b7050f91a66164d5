"""What is true of every delivery: a function of seed, epoch and item, whoever asks."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dissensus.deliver import DELIVERIES, WRAPPERS, deliver, mixup, multipass, posterior, sls, smoothed, soft, stale
from dissensus.labels.distributions import Distributions
from dissensus.labels.votes import Votes

OPTIONS = {
    "shuffled": {"seed": 3}, "stale": {"every": 2}, "smoothed": {"amount": 0.1}, "tempered": {"temperature": 2.0},
    "mixup": {"seed": 4, "alpha": 0.4},
}  # fmt: skip


def some(labels):
    """Every delivery by its name, and every wrapper around a hard and a soft one."""
    found = {name: deliver(labels, name, seed=5) for name in DELIVERIES}
    for name, wrap in WRAPPERS.items():
        found[f"{name} soft"] = wrap(soft(labels), **OPTIONS[name])
        if name != "tempered":
            found[f"{name} sls"] = wrap(sls(labels, 5), **OPTIONS[name])
    found["posterior distribution"] = posterior(labels, 5, draw="distribution")
    found["three deep"] = smoothed(stale(mixup(multipass(labels, 1), 2, alpha=1.0), 3), 0.05)
    return found


NAMES = [*DELIVERIES, *(f"{name} {kind}" for name in WRAPPERS for kind in ("soft", "sls")), "posterior distribution",
         "three deep"]  # fmt: skip
NAMES.remove("tempered sls")


@pytest.fixture(scope="module")
def made(votes):
    return some(votes)


def test_every_wrapper_is_tried():
    assert set(OPTIONS) == set(WRAPPERS)


@pytest.mark.parametrize("name", NAMES)
def test_targets_are_classes_or_probabilities(made, votes, name):
    delivery = made[name]
    assert (delivery.n_items, delivery.classes) == (60, votes.classes)
    assert np.array_equal(delivery.items, votes.items)
    for epoch in range(6):
        targets = delivery.targets(epoch)
        if delivery.hard:
            assert targets.shape == (60,) and targets.dtype == np.int64
            assert targets.min() >= 0 and targets.max() < 4
        else:
            assert targets.shape == (60, 4) and targets.dtype == np.float64
            assert targets.min() >= 0 and np.allclose(targets.sum(axis=1), 1, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_any_epoch_can_be_asked_for_in_any_order_and_again(votes, made, name):
    forwards = [made[name].targets(epoch) for epoch in range(8)]
    resumed = some(votes)[name]  # another process would make it anew, and go on from epoch 5
    for epoch in (5, 7, 6, 0, 3, 5):
        assert np.array_equal(resumed.targets(epoch), forwards[epoch])
    assert made[name].fixed == all(np.array_equal(forwards[0], other) for other in forwards)


@pytest.mark.parametrize("name", NAMES)
@given(items=st.lists(st.integers(0, 59), max_size=30), epoch=st.integers(0, 10**6))
def test_a_part_of_the_items_has_the_same_targets_as_in_the_whole(made, name, items, epoch):
    delivery = made[name]
    assert np.array_equal(delivery.targets(epoch, items), delivery.targets(epoch)[np.array(items, dtype=np.int64)])
    if delivery.mixes:
        part, whole = delivery.mixing(epoch, items), delivery.mixing(epoch)
        assert np.array_equal(part.partner, whole.partner[items]) if items else part.partner.size == 0
        assert np.array_equal(part.weight, whole.weight[items]) if items else part.weight.size == 0


@pytest.mark.parametrize("name", NAMES)
def test_machines_that_share_the_items_deliver_what_one_delivers(made, name):
    delivery = pickle.loads(pickle.dumps(made[name]))  # as worker processes receive it
    shares = [np.arange(rank, 60, 3) for rank in range(3)]
    whole = made[name].targets(4)
    for share in shares:
        assert np.array_equal(delivery.targets(4, share), whole[share])


@pytest.mark.parametrize("name", NAMES)
def test_what_a_delivery_holds_cannot_be_changed_through_its_targets(made, name):
    before = made[name].targets(1).copy()
    targets = made[name].targets(1)
    if targets.flags.writeable:
        targets[:] = 0
    else:
        with pytest.raises(ValueError, match="read-only"):
            targets[:] = 0
    assert np.array_equal(made[name].targets(1), before)


DRAWING = ("sls", "multipass", "deterministic_control", "deaggregated", "posterior", "random")


@pytest.mark.parametrize("name", DRAWING)
def test_another_seed_delivers_otherwise(votes, name):
    one, two = (deliver(votes, name, seed=seed) for seed in (5, 6))
    assert not np.array_equal(one.targets(0), two.targets(0))


def test_another_process_delivers_the_same(votes):
    """A checksum of what a fresh interpreter draws: no hash seed, no state, no address enters."""
    code = (
        "import numpy as np; from dissensus.deliver import sls, mixup; from dissensus.labels.votes import Votes\n"
        "m = np.arange(50); names = ('a', 'b', 'c')\n"
        "votes = Votes(item=m % 20, items=np.arange(20), classes=names, choice=m % 3)\n"
        "d = mixup(sls(votes, 9), 9, alpha=0.5); print(d.targets(123456).tobytes().hex())"
    )
    printed = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()]
    few = Votes(item=np.arange(50) % 20, items=np.arange(20), classes=("a", "b", "c"), choice=np.arange(50) % 3)
    assert printed == [mixup(sls(few, 9), 9, alpha=0.5).targets(123456).tobytes().hex()]


@pytest.mark.parametrize("name", [name for name in DELIVERIES if name != "posterior"])
def test_an_item_without_votes_is_refused_with_the_way_out(name):
    gap = Votes(
        item=np.array([0, 0, 2]), items=np.array(["a", "b", "c"]), classes=("x", "y"), choice=np.array([0, 1, 1])
    )
    with pytest.raises(ValueError, match=r"item b has no votes.*1 of 3 items have none.*select\(items=.*posterior"):
        deliver(gap, name, seed=0)


def test_the_posterior_speaks_about_items_without_votes():
    gap = Votes(
        item=np.array([0, 0, 2]), items=np.array(["a", "b", "c"]), classes=("x", "y"), choice=np.array([0, 1, 1])
    )
    assert posterior(gap, 0).targets(0).shape == (3,)
    assert posterior(gap, 0, draw="distribution").targets(0).shape == (3, 2)


@pytest.mark.parametrize("name", [name for name in DELIVERIES if name not in ("deaggregated",)])
def test_shares_that_know_their_votes_do_as_well_as_votes(votes, name):
    shares = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    assert deliver(shares, name, seed=0).targets(3).shape[0] == 60


def test_probabilities_without_votes_have_no_passes_to_make():
    teacher = Distributions(np.full((2, 2), 0.5), np.arange(2), ("x", "y"))
    with pytest.raises(ValueError, match="carry no number of votes"):
        multipass(teacher, 0)
    with pytest.raises(ValueError, match=r"needs single answers.*with sls"):
        deliver(teacher, "deaggregated", seed=0)


def test_questions_that_make_no_sense_are_refused(votes):
    delivery = sls(votes, 0)
    for items, message in (
        ([0, 60], r"there are 60 items, 0..59; 1 of 2 positions asked for are not among them, such as 60"),
        ([-1], "such as -1"), ([0.5], r"by position, \(r,\) integers from 0 to 59, not by float64"),
        ([[1, 2]], r"shape \(1, 2\)"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            delivery.targets(0, items)
    for epoch in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match=r"the epoch is .*; expected a whole number of 0 or more"):
            delivery.targets(epoch)
    for seed in (-1, 2**64, 0.5, None):
        with pytest.raises(ValueError, match=r"the seed is .*; expected a whole number from 0"):
            sls(votes, seed)
    with pytest.raises(ValueError, match="no delivery 'slz'; there are soft, majority, sls"):
        deliver(votes, "slz", seed=0)
    with pytest.raises(ValueError, match="majority has no option 'alpha'; it has ties"):
        deliver(votes, "majority", seed=0, alpha=1)
    with pytest.raises(ValueError, match=r"sls mixes no inputs; make one that does with mixup"):
        delivery.mixing(0)


def test_a_delivery_says_what_it_is(votes):
    assert repr(smoothed(sls(votes, 0), 0.1)) == (
        "<Delivery smoothed(sls, 0.1): probabilities for 60 items over 4 classes>"
    )
