"""When heads stop, when their learning rate falls, and which of them share their weights."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from dissensus.papers.singh2025.protocol import singh_grid
from dissensus.train.heads.branches import Plateau, Stopping, first_branches
from dissensus.train.heads.config import HeadConfig, Layer

traces = st.lists(st.sampled_from([1.0, 0.99995, 0.9999, 0.9998, 0.9, 0.5, 0.49999, 2.0, 0.0]), min_size=1, max_size=40)


@settings(deadline=None, max_examples=50)
@given(traces, st.integers(0, 4), st.sampled_from([0.5, 0.1]), st.sampled_from([1e-3, 3e-8, 1e-8]))
def test_the_plateau_is_pytorchs(losses, patience, factor, rate):
    optimiser = torch.optim.Adam([torch.nn.Parameter(torch.zeros(1))], lr=rate)
    theirs = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=factor, patience=patience)
    ours = Plateau(factor, patience, rate)
    for loss in losses:
        theirs.step(loss)
        ours = ours.after(loss)
        assert ours.learning_rate == optimiser.param_groups[0]["lr"]


@given(traces, st.integers(1, 5), st.sampled_from([0.0, 1e-4, 0.1]))
def test_stopping_equals_a_look_back_over_all_losses(losses, patience, delta):
    """Slow: the epoch stops if none of the last `patience` epochs was good."""
    stopping = Stopping(patience, delta)
    good = []
    best = np.inf
    for loss in losses:
        good.append(loss < best - delta)
        best = loss if good[-1] else best
        stopping = stopping.after(loss)
        assert stopping.stopped == (len(good) >= patience and not any(good[-patience:]))
        if stopping.stopped:
            break


def test_the_grid_of_singh_has_18_paths_for_each_kind_of_target():
    grid = singh_grid()
    assert len(grid) == len(set(grid)) == 108
    branches = first_branches(grid)
    assert len(branches) == 18 and all(len(branch.runs) == 6 for branch in branches)
    assert [branch.config.batch for branch in branches] == [8] * 6 + [16] * 6 + [32] * 6


def test_a_branch_forks_only_where_a_scheduler_fires():
    weights = (Layer(np.zeros((1, 1)), np.zeros(1)),)
    configs = [
        HeadConfig(epochs=9),
        HeadConfig(epochs=9, scheduler="plateau", plateau_patience=1),
        HeadConfig(epochs=2),
    ]
    (branch,) = first_branches(configs)
    ended, (branch,) = branch.after(1.0, lambda: weights)
    assert not ended and len(branch.runs) == 3
    ended, (branch,) = branch.after(1.0, lambda: weights)
    assert [finished.run.place for finished in ended] == [2] and ended[0].epoch == 1
    ended, going = branch.after(1.0, lambda: weights)
    assert not ended and [b.learning_rate for b in going] == [1e-3, 5e-4]
    assert [b.losses for b in going] == [(1.0, 1.0, 1.0)] * 2
