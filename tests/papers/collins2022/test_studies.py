"""The paper's own protocol is the full scale, cell by cell; smaller scales have the same kinds of labels."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Beliefs, Votes
from dissensus.labels.distributions import Distributions
from dissensus.papers.collins2022.arms import BETAS, GAMMAS, KINDS, kind_of
from dissensus.papers.collins2022.paper import PAPER
from dissensus.papers.collins2022.studies import SIZES, choice_studies, milestones, spec
from dissensus.study import cells_of, study_of

NAMES = {
    "votes": ("h", "hard", "random", "uniform"),
    "beliefs": ("s",),
    "gamma": [f"gamma {gamma:g}" for gamma in GAMMAS],
    "smoothing": ("hard",),
    "rates": ("hard",),
}


def cells(name, models, scale):
    """Of a study with data that nobody reads: which cells there are hangs on their names alone."""
    votes = Votes.of(item=["x", "y"], choice=["cat", "dog"])
    labels = {"votes": votes, "beliefs": Beliefs.of_votes(votes)}.get(name, Distributions.from_counts(np.eye(2)))
    inputs = {"features": np.zeros((2, 3))} if models == "heads" else {"images": "cifar10-test"}
    data = {key: {"labels": labels, **inputs} for key in NAMES[name]}
    return cells_of(study_of({**spec(name, models, scale), "data": data}))


def test_full_scale_is_five_seeds_of_three_networks_for_65_epochs():
    """12 kinds of votes and controls and 11 of stated labels, 15 runs of each; 7 gammas, 9 betas, 7 rates for two."""
    counts = {name: len(cells(name, "networks", "full")) for name in NAMES}
    assert counts == {"votes": 12 * 15, "beliefs": 11 * 15, "gamma": 7 * 15, "smoothing": 9 * 15, "rates": 7 * 2 * 5}
    assert [name for name, _ in choice_studies("full")] == ["gamma", "smoothing", "rates"]
    models = {cell.model.name: cell.model.settings for cell in cells("votes", "networks", "full")}
    assert {name: own["learning_rate"] for name, own in models.items()} == {
        "resnet34a": 0.1,
        "resnet50": 0.4,
        "vgg11": 0.1,
    }
    for own in models.values():
        assert (own["epochs"], own["width"], own["weight_decay"], own["keep"]) == (65, 64, 1e-4, "last")
        assert (own["milestones"], own["factor"]) == ((50, 55), 1e-4)


@pytest.mark.parametrize("scale", PAPER.scales)
@pytest.mark.parametrize("models", ["heads", "networks"])
def test_every_kind_of_label_has_the_same_models_and_seeds(models, scale):
    runs = {}
    for name in ("votes", "beliefs"):
        for cell in cells(name, models, scale):
            runs.setdefault(kind_of(name, cell.arm), []).append((cell.model.name, cell.seed))
    assert len({tuple(sorted(own)) for own in runs.values()}) == 1
    few = models == "networks" and scale != "full"
    assert len(runs) == (16 if few else len(KINDS))


def test_every_network_of_the_paper_runs_on_a_laptop():
    assert set(SIZES["laptop"]["networks"]["widths"]) == set(SIZES["full"]["networks"]["widths"])


def test_the_rate_falls_as_late_in_fewer_epochs():
    assert (milestones(65), milestones(20), milestones(3)) == ([50, 55], [15, 17], [2])
    assert len(BETAS) == 9
