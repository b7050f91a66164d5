"""Targets beside inputs: the right epoch in every worker, the right item in every split."""

from __future__ import annotations

import runpy
from functools import partial
from operator import itemgetter
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, DistributedSampler, Subset, TensorDataset

from dissensus.deliver import mixup, multipass, sls, soft
from dissensus.labels.votes import Votes
from dissensus.train.batches import DeliveredDataset, collate, mix_inputs, target_tensor
from tests.facts import refuses

N = 24


@pytest.fixture(scope="module")
def votes():
    rng = np.random.default_rng(0)
    return Votes(
        item=np.repeat(np.arange(N), 6), items=np.arange(N), classes=("a", "b", "c"), choice=rng.integers(0, 3, N * 6)
    )


def passed(loader):
    """One pass: the targets in the order of items, which the inputs number."""
    pairs = [(inputs.reshape(-1), targets) for inputs, targets in loader]
    order = torch.cat([inputs for inputs, _ in pairs]).long()
    targets = torch.cat([targets for _, targets in pairs])
    assert sorted(order.tolist()) == list(range(N))
    return targets[order.argsort()].numpy()


INPUTS = torch.arange(N, dtype=torch.float32)


@pytest.mark.parametrize("workers", [0, 2])
def test_every_pass_has_the_targets_of_its_epoch(votes, workers):
    """Workers that stay see the epoch as well; epochs come out of order, as after a restart."""
    for delivery in (multipass(votes, 0), soft(votes)):
        dataset = DeliveredDataset(INPUTS, delivery)
        loader = DataLoader(
            dataset,
            batch_size=5,
            shuffle=True,
            num_workers=workers,
            persistent_workers=workers > 0,
            generator=torch.Generator().manual_seed(0),
        )
        for epoch in (0, 1, 2, 9, 4):
            dataset.set_epoch(epoch)
            assert dataset.epoch == epoch
            assert np.allclose(passed(loader), delivery.targets(epoch), atol=1e-7)


def test_workers_that_are_started_afresh_see_the_epoch(votes):
    """Under "spawn" the data set is pickled, and the shared epoch goes with it."""
    delivery = sls(votes, 0)
    dataset = DeliveredDataset(INPUTS, delivery)
    loader = DataLoader(dataset, batch_size=6, num_workers=1, persistent_workers=True, multiprocessing_context="spawn")
    for epoch in (3, 8):
        dataset.set_epoch(epoch)
        assert np.array_equal(passed(loader), delivery.targets(epoch))


def test_machines_that_split_the_items_have_the_targets_of_one(votes):
    delivery = sls(votes, 0)
    dataset = DeliveredDataset(INPUTS, delivery)
    dataset.set_epoch(7)
    found = {}
    for rank in range(3):
        sampler = DistributedSampler(dataset, num_replicas=3, rank=rank, shuffle=True, seed=1)
        sampler.set_epoch(7)
        for inputs, targets in DataLoader(dataset, batch_size=4, sampler=sampler):
            found |= dict(zip(inputs.long().tolist(), targets.tolist(), strict=True))
    assert [found[item] for item in range(N)] == delivery.targets(7).tolist()


def test_a_subset_goes_by_the_positions_of_the_whole(votes):
    delivery = sls(votes, 0)
    chosen = [20, 3, 11]
    part = Subset(DeliveredDataset(INPUTS, delivery), chosen)
    [(inputs, targets)] = DataLoader(part, batch_size=3)
    assert inputs.tolist() == chosen and targets.tolist() == delivery.targets(0)[chosen].tolist()


def test_single_entries_and_kinds_of_targets(votes):
    entry, target = DeliveredDataset(INPUTS, sls(votes, 0))[5]
    assert float(entry) == 5 and target.dtype == torch.int64 and target.shape == ()
    _, target = DeliveredDataset(INPUTS, soft(votes))[5]
    assert target.dtype == torch.float32 and target.shape == (3,)
    assert target_tensor(soft(votes), 0).shape == (N, 3)
    assert len(DeliveredDataset(INPUTS, soft(votes))) == N


def test_labels_of_another_kind_beside_the_inputs_are_left_out(votes):
    pairs = TensorDataset(INPUTS, torch.zeros(N))
    entry, _ = DeliveredDataset(pairs, soft(votes), pick=itemgetter(0))[5]
    assert float(entry) == 5


def padded(rows):
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


def test_inputs_of_different_lengths_are_put_together_by_a_function_of_the_user(votes):
    texts = [torch.ones(1 + position % 3) for position in range(N)]
    loader = DataLoader(DeliveredDataset(texts, soft(votes)), batch_size=N, collate_fn=partial(collate, inputs=padded))
    [(inputs, targets)] = loader
    assert inputs.shape == (N, 3) and targets.shape == (N, 3)


def test_inputs_are_mixed_as_their_targets_are(votes):
    """Inputs that are the targets themselves stay equal to them."""
    delivery = mixup(soft(votes), 0, alpha=0.5)
    same = torch.tensor(soft(votes).targets(0))
    dataset = DeliveredDataset(same, delivery)
    dataset.set_epoch(3)
    for inputs, targets in DataLoader(dataset, batch_size=7, shuffle=True):
        assert torch.allclose(inputs.float(), targets, atol=1e-6)


def test_nests_are_mixed_and_tokens_are_not():
    one, other = {"a": torch.ones(2), "b": (np.zeros(2), 2.0)}, {"a": torch.zeros(2), "b": (np.ones(2), 4.0)}
    found = mix_inputs(one, other, 0.25)
    assert found["a"].tolist() == [0.25] * 2 and found["b"][0].tolist() == [0.75] * 2 and found["b"][1] == 3.5
    with refuses("torch.int64", "cannot be mixed", "mixup", "floating"):
        mix_inputs(torch.tensor([1, 2]), torch.tensor([1, 2]), 0.5)


def test_inputs_and_targets_must_be_about_the_same_items(votes):
    with refuses("5 inputs", "24 items", "(soft)"):
        DeliveredDataset(torch.zeros(5), soft(votes))
    with refuses("epoch is -1", "whole number", "0 or more"):
        DeliveredDataset(INPUTS, soft(votes)).set_epoch(-1)


def test_the_example_of_a_loop_learns_the_shares_of_votes(capsys):
    torch.manual_seed(0)
    learned = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "training_loop.py"))
    shares = torch.tensor([[2 / 3, 1 / 3, 0], [0, 1, 0], [1 / 3, 0, 2 / 3]])
    found = learned["model"](learned["features"]).softmax(dim=1).detach()
    assert (found - shares).abs().max() < 0.08
    assert "tensor" in capsys.readouterr().out
