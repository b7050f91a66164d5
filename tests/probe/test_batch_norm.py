"""Statistics of batch norm from a pass over data: the same as PyTorch's own, and as all of the data at once."""

import numpy as np
import torch
from torch import nn

from dissensus.probe.batch_norm import batch_norms, renew_statistics
from tests.facts import refuses


def drawn(*sizes, features=6, seed=0):
    """Batches of these sizes whose means differ."""
    rng = np.random.default_rng(seed)
    return [
        (torch.tensor(rng.normal(place, 1 + place, (size, features)), dtype=torch.float32), torch.zeros(size).long())
        for place, size in enumerate(sizes)
    ]


def two_norms():
    torch.manual_seed(3)
    return nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 5), nn.ReLU(), nn.BatchNorm1d(5), nn.Linear(5, 3)).eval()


def test_with_one_batch_every_layer_has_what_pytorch_keeps_at_momentum_1():
    ours, theirs = two_norms(), two_norms().train()
    for norm in batch_norms(theirs).values():
        norm.momentum = 1.0
    batches = drawn(40)
    renew_statistics(ours, batches)
    theirs(batches[0][0])
    for norm, expected in zip(batch_norms(ours).values(), batch_norms(theirs).values(), strict=True):
        assert torch.allclose(norm.running_mean, expected.running_mean, atol=1e-5)
        assert torch.allclose(norm.running_var, expected.running_var, rtol=1e-5)


def test_the_first_layer_has_the_mean_and_variance_of_all_items_whatever_the_sizes_of_the_batches():
    module, batches = two_norms(), drawn(3, 17, 8, 2)
    renew_statistics(module, batches)
    everything = np.concatenate([x for x, _ in batches]).astype(np.float64)
    assert np.allclose(module[0].running_mean, everything.mean(axis=0), rtol=1e-5)
    assert np.allclose(module[0].running_var, everything.var(axis=0, ddof=1), rtol=1e-5)


def test_images_are_taken_over_all_their_places():
    module = nn.Sequential(nn.BatchNorm2d(3)).eval()
    pixels = torch.randn(5, 3, 4, 4, generator=torch.Generator().manual_seed(1)) * 2 + 7
    renew_statistics(module, [(pixels[:2], None), (pixels[2:], None)])
    assert torch.allclose(module[0].running_mean, pixels.mean((0, 2, 3)), rtol=1e-5)
    assert torch.allclose(module[0].running_var, pixels.var((0, 2, 3)), rtol=1e-5)


def test_modes_and_hooks_are_as_before_also_after_an_error():
    module = two_norms()
    with refuses("batch norm 0", "batch of 1", "2 items or more"):
        renew_statistics(module, drawn(4, 1))
    assert not any(part.training or part._forward_pre_hooks for part in module.modules())


def test_layers_without_running_statistics_are_no_concern():
    assert not batch_norms(nn.Sequential(nn.BatchNorm1d(3, track_running_stats=False), nn.GroupNorm(1, 3)))
