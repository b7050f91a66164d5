"""What a validation set chooses counts as far as its runs can tell."""

from __future__ import annotations

import numpy as np

from dissensus.papers.collins2022.choices import choice_finding


def test_the_chosen_value_is_the_one_with_the_lowest_loss_as_far_as_runs_can_tell():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.001, 6)
    losses = {"0": (1 + noise).tolist(), "0.1": (0.9 + noise).tolist(), "0.2": (1.1 + noise).tolist()}
    assert choice_finding(losses, 0.1, "heads").verdict == "equal"
    assert choice_finding(losses, 0.2, "heads").verdict == "differs"
    near_by = losses | {"0.2": (0.9 + noise + np.array([0.001, -0.001, 0.002, 0, 0.001, -0.001])).tolist()}
    finding = choice_finding(near_by, 0.1, "heads")
    assert finding.verdict == "same direction" and {"0.2", "6"} <= set(finding.reason.split())
    two = {value: near_by[value] for value in ("0.1", "0.2")}
    assert choice_finding(two, 0.1, "heads").verdict == "cannot be tested here"  # no other value can be told from it
    unclear = losses | {"0.2": (0.9 + noise + rng.normal(0.0005, 0.01, 6)).tolist()}
    assert choice_finding(unclear, 0.2, "heads").verdict in ("cannot be tested here", "equal")
