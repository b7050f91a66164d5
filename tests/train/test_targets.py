"""as_delivery: whatever users hand to training becomes one Delivery, or is refused with its place."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from dissensus import Beliefs, Distributions, Votes
from dissensus.deliver import Delivery, mixup, multipass, sls, soft
from dissensus.train.estimator_inputs import as_targets
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.training import train_heads
from dissensus.train.targets import as_delivery, most_probable, target_rows
from tests.facts import refuses

CLASSES = ("a", "b", "c")
COUNTS = np.array([[3, 1, 0], [0, 2, 2], [0, 0, 4]])
SHARES = Distributions.from_counts(COUNTS, classes=CLASSES)
BELIEFS = Beliefs(
    item=np.arange(3),
    items=np.arange(3),
    classes=CLASSES,
    stated=SHARES.probs,
    ruled_out=np.zeros((3, 3), dtype=bool),
    named=SHARES.probs.argmax(axis=1)[:, None],
)
SOFT = {
    "counts": COUNTS,
    "counts as floats": COUNTS * 1.0,
    "probabilities": SHARES.probs,
    "lists": SHARES.probs.tolist(),
    "a tensor with a gradient": torch.tensor(SHARES.probs, requires_grad=True),
    "a sparse matrix": sparse.csr_matrix(COUNTS),
    "a frame": pd.DataFrame(COUNTS, columns=list(CLASSES)),
    "Votes": Votes.of_counts(SHARES),
    "Beliefs": BELIEFS,
    "Distributions": SHARES,
    "a Delivery": soft(SHARES),
}


@pytest.mark.parametrize("name", SOFT)
def test_what_says_the_same_is_delivered_the_same(name):
    delivery = as_delivery(SOFT[name])
    assert isinstance(delivery, Delivery) and delivery.fixed and not delivery.hard and delivery.n_items == 3
    assert np.allclose(delivery.targets(0), SHARES.probs, rtol=0, atol=1e-15)
    assert np.array_equal(delivery.targets(5, [2, 0]), delivery.targets(0)[[2, 0]])
    named = name in ("a frame", "Votes", "Beliefs", "Distributions", "a Delivery")
    assert delivery.classes == (CLASSES if named else ("0", "1", "2"))


@pytest.mark.parametrize(
    ("labels", "classes", "names", "codes"),
    [
        ([0, 2, 1], None, ("0", "1", "2"), [0, 2, 1]),
        ([0, 0, 0], None, ("0", "1"), [0, 0, 0]),
        ([0, 1, 0], 4, ("0", "1", "2", "3"), [0, 1, 0]),
        (torch.tensor([1, 0, 1]), CLASSES, CLASSES, [1, 0, 1]),
        (["b", "c", "b"], None, ("b", "c"), [0, 1, 0]),
        (["b", "c", "b"], CLASSES, CLASSES, [1, 2, 1]),
        (pd.Series(["10", "9", "10"]), None, ("9", "10"), [1, 0, 1]),
    ],
)
def test_one_class_each_is_a_hard_delivery(labels, classes, names, codes):
    delivery = as_delivery(labels, classes)
    assert delivery.hard and delivery.fixed and delivery.classes == names and delivery.targets(3).tolist() == codes
    assert pickle.loads(pickle.dumps(delivery)).targets(0, [1]).tolist() == codes[1:2]


BAD = [
    ([0, 3, 3], None, ("targets", "class 1", "up to 3", "2 of 4 classes")),
    ([0, 1, 5], 3, ("targets", "item 2", "class 5", "3 classes", "0..2", "1 of 3")),
    ([-1, 0, 1], 2, ("targets", "item 0", "class -1", "2 classes", "0..1", "1 of 3")),
    ([0.5, 1, 0], None, ("targets", "(3,)", "classes", "integers", "float64")),
    (["a", None, "b"], None, ("targets", "item 1", "class None", "names", "1 of 3")),
    (["a", "x", "b"], CLASSES, ("targets", "item 1", "class 'x'", "a, b, c", "1 of 3")),
    (
        [[0.2, 0.2], [1, 0]],
        None,
        ("targets: row 0", "item 0", "sums to 0.4", "expected 1", "1 of 2 rows", "rescale=True"),
    ),
    ([[1, 0], [0, 0]], None, ("targets: row 1", "item 1", "no votes", "1 of 2 rows", "read as counts")),
    ([[1, 0], [-1, 2]], None, ("targets: row 1", "item 1", "class '0'", "count -1", "read as counts")),
    ([[1, 0], [np.nan, 1]], None, ("targets: row 1", "item 1", "class '0'", "no probability", "0 to 1")),
    ([1, 2, 1], [1, 2, 3], ("targets", "numbers", "named 1, 2, 3", "names or codes")),
    (COUNTS, ("a", "b"), ("targets", "3 columns", "['a', 'b']", "3 different names")),
    (SHARES, ("c", "b", "a"), ("targets", "(soft)", "['a', 'b', 'c']", "expected ['c', 'b', 'a']")),
    (SHARES, 4, ("targets", "(soft)", "3 classes", "expected 4")),
    ({"soft": COUNTS}, None, ("targets", "['soft']", "one of them")),
    (object(), None, ("targets: object", "shape ()", "Delivery, Votes, Beliefs")),
    (np.zeros((2, 2, 2)), None, ("targets: ndarray", "(2, 2, 2)", "float64", "Delivery, Votes, Beliefs")),
]


@pytest.mark.parametrize(("targets", "classes", "facts"), BAD)
def test_invalid_targets_are_refused_with_their_place(targets, classes, facts):
    with refuses(*facts):
        as_delivery(targets, classes)


@given(st.integers(0, 10_000))
def test_the_most_probable_class_is_the_argmax_of_every_epoch(seed):
    probs = np.random.default_rng(seed).dirichlet(np.ones(3), 6)
    for delivery in (soft(Distributions.from_mass(probs)), mixup(soft(Distributions.from_mass(probs)), seed, alpha=1)):
        hard = most_probable(delivery)
        assert hard.hard and hard.mixes == delivery.mixes and most_probable(hard) is hard
        for epoch in (0, 3):
            assert np.array_equal(hard.targets(epoch), delivery.targets(epoch).argmax(axis=1))
            assert np.array_equal(target_rows(hard, epoch), np.eye(3)[hard.targets(epoch)])


def counted(targets, fixed):
    """A delivery that notes how often it was asked."""
    asked = []

    def rule(epoch, items):
        asked.append(epoch)
        return targets

    names = tuple(map(str, range(3)))
    hard = targets.ndim == 1
    return asked, Delivery(name="own", items=np.arange(3), classes=names, hard=hard, fixed=fixed, rule=rule)


@pytest.mark.parametrize("engine", ["numba", "torch"])
def test_what_never_changes_is_asked_for_once_and_what_changes_once_an_epoch(engine):
    x, configs = np.eye(3), [HeadConfig(kind="linear", epochs=4)]
    asked, delivery = counted(SHARES.probs, fixed=True)
    train_heads(x, delivery, configs * 2, engine=engine)
    assert asked == [0]
    asked, delivery = counted(SHARES.probs, fixed=False)
    train_heads(x, delivery, configs, engine=engine)
    assert asked == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("targets", "facts"),
    [
        (np.array([0, 1, 7]), ("item 2", "target 7", "0 to 2", "1 of 3 items")),
        (np.full((3, 3), 0.5), ("item 0", "target [0.5, 0.5, 0.5]", "sum to 1", "3 of 3 items")),
        (np.full((3, 4), 0.25), ("float64 of shape (3, 4)", "probabilities of shape (3, 3)")),
    ],
)
def test_a_rule_that_breaks_its_promise_is_stopped_before_the_kernels(targets, facts):
    for fixed in (True, False):
        with refuses("delivery own", *facts, "epoch 0"):
            train_heads(np.eye(3), counted(targets, fixed)[1], [HeadConfig(kind="linear", epochs=1)])


def test_several_targets_have_the_classes_of_the_widest_and_the_names_of_labels():
    x, heads = np.eye(3), [HeadConfig(kind="linear", epochs=1, targets=name) for name in ("soft", "hard")]
    (first, _) = train_heads(x, {"soft": COUNTS, "hard": [0, 1, 0]}, heads)
    assert first.head.classes == ("0", "1", "2")
    (first, _) = train_heads(x, {"soft": SHARES, "hard": [0, 1, 0]}, heads)
    assert first.head.classes == CLASSES
    with refuses("validation targets", "(soft)", "['0', '1', '2']", "expected ['a', 'b', 'c']"):
        train_heads(x, SHARES, heads[:1], validation=(x, Distributions.from_counts(COUNTS)))


def test_estimators_take_fixed_deliveries_and_refuse_changing_ones():
    votes = Votes.of_counts(SHARES)
    found = as_targets(soft(votes))
    assert found.classes.tolist() == list(CLASSES) and np.array_equal(found.probs, SHARES.probs)
    for delivery in (sls(votes, 0), multipass(votes, 0), mixup(soft(votes), 0, alpha=1)):
        with refuses(f"delivery {delivery.name}", "epoch", "one target", "train_heads"):
            as_targets(delivery)
