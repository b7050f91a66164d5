"""The paper's own protocol is the full scale, cell by cell; smaller scales have the same kinds of labels."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus import Beliefs, Votes
from dissensus.labels.distributions import Distributions
from dissensus.papers.collins2022.arms import BETAS, GAMMAS, KINDS, kind_of
from dissensus.papers.collins2022.paper import PAPER
from dissensus.papers.collins2022.studies import SIZES, choice_studies, milestones, parts_with_scores, spec
from dissensus.papers.evidence import Candidate, Number, collect
from dissensus.study import cells_of, study_of

NAMES = {
    "votes": ("h", "hard", "random", "uniform"),
    "beliefs": ("s",),
    "gamma": [f"gamma {gamma:g}" for gamma in GAMMAS],
    "smoothing": ("hard",),
    "rates": ("hard",),
}


def cells(name, models, scale, kinds=tuple(KINDS)):
    """Of a study with data that nobody reads: which cells there are hangs on their names alone."""
    votes = Votes.of(item=["x", "y"], choice=["cat", "dog"])
    labels = {"votes": votes, "beliefs": Beliefs.of_votes(votes)}.get(name, Distributions.from_counts(np.eye(2)))
    inputs = {"features": np.zeros((2, 3))} if models == "heads" else {"images": "cifar10-test"}
    data = {key: {"labels": labels, **inputs} for key in NAMES[name]}
    return cells_of(study_of({**spec(name, models, scale, kinds), "data": data}))


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


@pytest.mark.parametrize(("models", "scale"), [(models, scale) for scale in PAPER.scales for models in SIZES[scale]])
def test_every_kind_of_label_has_the_same_models_and_seeds(models, scale):
    runs = {}
    for name in ("votes", "beliefs"):
        for cell in cells(name, models, scale):
            runs.setdefault(kind_of(name, cell.arm), []).append((cell.model.name, cell.seed))
    assert len({tuple(sorted(own)) for own in runs.values()}) == 1
    few = models == "networks" and scale != "full"
    assert len(runs) == (16 if few else len(KINDS))


def test_a_night_has_every_kind_of_label_once_by_parts_that_can_be_run_alone():
    """Tables 1 and 2, table 3, tables 4 to 6, figure 6; by the epochs and the decay of the paper, with five seeds."""
    made = {}
    for part, kinds in parts_with_scores("swift").items():
        for name in ("votes", "beliefs"):
            for cell in cells(name, "swift", "overnight", kinds):
                made.setdefault(part, {}).setdefault(kind_of(name, cell.arm), []).append(cell)
    assert {part: set(own) for part, own in made.items()} == {
        part: set(own) for part, own in parts_with_scores("swift").items()
    }
    assert list(made["swift-main"]) == ["h aggregated", "h", "hard", "random", "uniform", "s aggregated", "s"]
    assert sorted(kind for own in made.values() for kind in own) == sorted(KINDS)
    for own in (own for kinds in made.values() for own in kinds.values()):
        assert [cell.seed for cell in own] == [0, 1, 2, 3, 4]
        settings = own[0].model.settings
        assert (own[0].model.name, settings["epochs"], settings["weight_decay"]) == ("swift", 65, 1e-4)
        assert (settings["milestones"], settings["crop"], settings["flip"]) == ((50, 55), 0, False)


def test_networks_that_do_not_show_what_table_1_shows_stop_the_other_tables():
    parts = list(PAPER.parts("overnight"))
    gate = next(part.gate for part in parts if part.name == "swift-main")
    behind = parts[[part.name for part in parts].index("swift-main") + 1 :]
    assert gate is not None and set(gate.stops) == {part.name for part in behind}

    def evidence(soft, hard):
        numbers = {("ce", "h aggregated"): 1.4, ("fgsm", "h aggregated"): soft, ("fgsm", "hard"): hard}
        return collect(
            (Candidate("swift"), Number(metric, arm, "10h"), {f"seed {run}": value + 0.01 * run for run in range(3)})
            for (metric, arm), value in numbers.items()
        )

    assert gate.failures(evidence(5.0, 8.0), PAPER.published) == []
    assert gate.failures(evidence(5.0, 5.1), PAPER.published) == ["control"]


def test_every_network_of_the_paper_runs_on_a_laptop():
    assert set(SIZES["laptop"]["networks"]["widths"]) == set(SIZES["full"]["networks"]["widths"])


def test_the_rate_falls_as_late_in_fewer_epochs():
    assert (milestones(65), milestones(20), milestones(3)) == ([50, 55], [15, 17], [2])
    assert len(BETAS) == 9
