"""One answer at a time: each vote once a cycle, frequencies that become the distribution, gradients of soft labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from dissensus.deliver import deaggregated, deterministic_control, multipass, sls, soft
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distributions import Distributions
from dissensus.labels.shares import mean_belief
from dissensus.labels.votes import Votes
from tests.facts import refuses

vote_lists = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=9), min_size=1, max_size=12)


def votes_of(lists):
    return Votes(
        item=np.array([i for i, row in enumerate(lists) for _ in row], dtype=np.int32),
        items=np.arange(len(lists)),
        choice=np.array([c for row in lists for c in row], dtype=np.int32),
        classes=("a", "b", "c", "d"),
    )


def beliefs_of(stated, item):
    stated = np.asarray(stated, dtype=float)
    return Beliefs(
        item=np.asarray(item),
        items=np.arange(max(item) + 1),
        classes=tuple("abcd"[: stated.shape[1]]),
        stated=stated,
        ruled_out=np.zeros(stated.shape, dtype=bool),
        named=np.full((len(stated), 1), -1),
    )


@given(vote_lists, st.integers(0, 2**64 - 1), st.integers(0, 1000))
def test_multipass_gives_each_vote_exactly_once_in_every_cycle(lists, seed, cycle):
    delivery = multipass(votes_of(lists), seed)
    for item, row in enumerate(lists):
        length = len(row)
        seen = [int(delivery.targets(cycle * length + turn, [item])[0]) for turn in range(length)]
        assert sorted(seen) == sorted(row)
        assert seen == [int(delivery.targets(turn, [item])[0]) for turn in range(length)]  # every cycle is the same


def test_multipass_does_not_depend_on_how_votes_are_listed_among_items(votes):
    order = np.argsort(votes.item, kind="stable")
    sorted_votes = votes.select(answers=order)
    for epoch in range(9):
        assert np.array_equal(multipass(votes, 3).targets(epoch), multipass(sorted_votes, 3).targets(epoch))


def test_the_control_is_multipass_by_the_seed_a_thousand_on(votes):
    """Gheibi 2026, A.1: identical except for the shuffle seed, offset by 1000."""
    for epoch in range(12):
        control = deterministic_control(votes, 7).targets(epoch)
        assert np.array_equal(control, multipass(votes, 1007).targets(epoch))
    assert any(
        not np.array_equal(multipass(votes, 7).targets(e), deterministic_control(votes, 7).targets(e)) for e in range(9)
    )


def test_items_do_not_share_one_order():
    """1,000 items with the votes a, b: in half of them a comes first."""
    first = multipass(votes_of([[0, 1]] * 1000), 0).targets(0)
    assert 420 < (first == 0).sum() < 580


@pytest.mark.parametrize("kind", ["votes", "probabilities"])
def test_frequencies_of_sls_converge_to_the_distribution(votes, kind):
    shares = Distributions.from_counts(votes.counts(), items=votes.items, classes=votes.classes)
    delivery = sls(votes, 1) if kind == "votes" else sls(Distributions(shares.probs, votes.items, votes.classes), 1)
    epochs = 4000
    seen = np.zeros((60, 4), dtype=np.int64)
    for epoch in range(epochs):
        seen[np.arange(60), delivery.targets(epoch)] += 1
    assert (seen[shares.probs == 0] == 0).all()  # a class nobody chose is never delivered
    levels = []
    for row, probs in zip(seen, shares.probs, strict=True):
        some = probs > 0
        if some.sum() > 1:
            levels.append(chisquare(row[some], probs[some] * epochs).pvalue)
    assert min(levels) > 0.01 / len(levels)
    error = np.abs(seen / epochs - shares.probs).max()
    assert error < 4.5 * np.sqrt(0.25 / epochs)


logit_rows = st.lists(st.floats(-4, 4), min_size=4, max_size=4)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9), logit_rows)
def test_proposition_1_by_enumeration_of_the_votes(row, logits):
    """Gheibi 2026, eq. 4 to 6 and 8, over every vote an epoch of multipass or a draw of SLS may deliver."""
    z = np.array(logits)
    q = np.exp(z) / np.exp(z).sum()
    votes = votes_of([row])
    p = soft(votes).targets(0)[0]
    passes = multipass(votes, 0)
    labels = np.array([passes.targets(turn)[0] for turn in range(len(row))])  # each with chance 1 / number of votes
    gradients = q - np.eye(4)[labels]
    assert np.allclose(-np.log(q[labels]).mean(), -(p * np.log(q)).sum())
    assert np.allclose(gradients.mean(axis=0), q - p)
    centred = gradients - gradients.mean(axis=0)
    assert np.allclose(centred.T @ centred / len(row), np.diag(p) - np.outer(p, p))
    assert np.allclose((gradients**2).sum(axis=1).mean(), ((q - p) ** 2).sum() + 1 - (p**2).sum())


@pytest.mark.parametrize("kind", ["votes", "probabilities"])
def test_proposition_1_by_sampling_with_the_gradient_of_torch(kind):
    torch = pytest.importorskip("torch")
    row, epochs = [0, 0, 0, 1, 1, 3], 20_000
    votes = votes_of([row] * epochs)  # one epoch of many alike items: items are independent too
    given_ = votes if kind == "votes" else Distributions(soft(votes).targets(0), votes.items, votes.classes)
    labels = torch.tensor(sls(given_, 2).targets(5))
    logits = torch.tensor([[0.3, -1.0, 0.2, 0.7]], dtype=torch.float64).repeat(epochs, 1).requires_grad_()
    torch.nn.functional.cross_entropy(logits, labels, reduction="sum").backward()
    gradients = logits.grad.numpy()
    p = np.array([3, 2, 0, 1]) / 6
    q = np.exp([0.3, -1.0, 0.2, 0.7])
    q /= q.sum()
    assert np.abs(gradients.mean(axis=0) - (q - p)).max() < 4 * np.sqrt(0.25 / epochs)
    assert np.abs(np.cov(gradients.T, bias=True) - (np.diag(p) - np.outer(p, p))).max() < 0.015


def test_draws_of_an_item_are_independent_from_epoch_to_epoch():
    delivery = sls(votes_of([[0, 1]] * 5000), 0)
    seen = [delivery.targets(epoch) for epoch in range(4)]
    pairs = np.bincount(8 * seen[0] + 4 * seen[1] + 2 * seen[2] + seen[3], minlength=16)
    assert chisquare(pairs).pvalue > 1e-4


def test_an_annotators_belief_is_delivered_as_it_was_stated():
    stated = [[0.7, 0.3, 0], [0.2, 0.2, 0.6], [1, 0, 0], [0, 0.5, 0.5]]
    beliefs = beliefs_of(stated, [0, 0, 0, 1])
    delivery = deaggregated(beliefs, 0)
    assert not delivery.hard
    seen = [delivery.targets(epoch) for epoch in range(3000)]
    assert {tuple(rows[0]) for rows in seen} == {tuple(map(float, row)) for row in stated[:3]}
    assert all(tuple(rows[1]) == (0, 0.5, 0.5) for rows in seen[:20])
    assert np.allclose(np.mean(seen, axis=0), mean_belief(beliefs).probs, atol=0.03)
    passes = multipass(beliefs, 0)
    cycle = np.array([passes.targets(epoch)[0] for epoch in range(3)])
    assert sorted(map(tuple, cycle)) == sorted(tuple(map(float, row)) for row in stated[:3])
    drawn = sls(beliefs, 0)
    assert drawn.hard and drawn.targets(0).shape == (2,)


def test_a_shared_draw_shows_one_annotator_at_a_time():
    """Three annotators answer every item in the same order; each epoch is one of them."""
    answers = np.array([[0, 1, 2]] * 6)
    delivery = deaggregated(votes_of(answers.tolist()), 0, shared=True)
    seen = {tuple(delivery.targets(epoch)) for epoch in range(100)}
    assert seen == {(0,) * 6, (1,) * 6, (2,) * 6}


def test_partial_beliefs_are_to_be_completed_first():
    partial = beliefs_of([[0.7, np.nan, np.nan]], [0])
    for make in (deaggregated, multipass, sls):
        with refuses("belief 0", "item 0", "'b'", "complete(beliefs)"):
            make(partial, 0)


def test_many_classes_and_huge_numbers_of_votes_fit():
    choice = np.arange(70_000)
    classes = tuple(map(str, range(70_000)))
    votes = Votes(item=np.zeros(70_000, dtype=np.int32), items=np.array([5]), classes=classes, choice=choice)
    passes, draws = multipass(votes, 0), sls(votes, 0)
    assert len({int(passes.targets(epoch)[0]) for epoch in range(100)}) == 100
    drawn = [int(draws.targets(epoch)[0]) for epoch in range(200)]
    assert max(drawn) > 65_536


def test_cifar10h_annotators_are_delivered_once_each(loaded):
    """Real votes: after a full cycle each image has had exactly the counts that were released."""
    votes = loaded("cifar10h-annotators").labels.select(items=np.arange(300))
    delivery = multipass(votes, 0)
    per_item, counts = votes.per_item, votes.counts()
    seen = np.zeros(counts.shape, dtype=np.int64)
    for epoch in range(int(per_item.max())):
        still = np.flatnonzero(epoch < per_item)
        seen[still, delivery.targets(epoch, still)] += 1
    assert np.array_equal(seen, counts)
