"""The recorded study of deliveries: what its page shows is what was recorded, and what is claimed holds in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from studies.deliveries import cells, split, summary, tables
from studies.deliveries_figure import FIGURE, figure

ROOT = Path(__file__).parents[2]
RECORD = json.loads((ROOT / "studies" / "results" / "deliveries.json").read_text(encoding="utf-8"))


def gaps(setting, votes, method, network):
    """Soft NLL less that of soft labels, seed by seed."""
    wanted = {"setting": setting, "votes": votes, "method": method, "network": network}
    return next(row["soft NLL less that of soft labels"] for row in RECORD["table"] if wanted.items() <= row.items())


def test_every_cell_of_the_study_was_run():
    done = {(cell["setting"], cell["votes"], cell["seed"], cell["method"]) for cell in RECORD["cells"]}
    assert done == {(cell.setting, cell.votes, cell.seed, cell.method) for cell in cells()}


def test_the_table_follows_from_the_cells_and_the_page_shows_it():
    assert summary(RECORD["cells"]) == RECORD["table"]
    assert tables(RECORD["table"]) in (ROOT / "docs" / "networks.md").read_text(encoding="utf-8")
    assert figure(RECORD) == FIGURE.read_text(encoding="utf-8")


@pytest.mark.parametrize("network", ["best", "last"])
def test_majority_labels_lose_to_soft_labels_and_labels_of_other_items_teach_nothing(network):
    assert min(gaps("flip", None, "majority", network)) > 0
    shuffled = [cell for cell in RECORD["cells"] if cell["method"] == "shuffled sls"]
    assert all(cell[network]["accuracy"] < 0.15 and cell[network]["soft NLL"] > 2.2 for cell in shuffled)


@pytest.mark.parametrize("method", ["sls", "multipass", "deterministic control"])
def test_with_five_votes_single_votes_win_at_the_last_epoch_and_are_undecided_at_the_best(method):
    assert max(gaps("flip", 5, method, "last")) < 0
    best = gaps("flip", 5, method, "best")
    assert min(best) < 0 < max(best)


@pytest.mark.parametrize(("setting", "method"), [("flip", "sls"), ("flip", "multipass"), ("crop", "sls")])
@pytest.mark.parametrize("network", ["best", "last"])
def test_with_all_votes_seeds_do_not_agree_on_who_is_better(setting, method, network):
    differences = gaps(setting, None, method, network)
    assert min(differences) < 0 < max(differences)


def test_items_are_held_out_by_class_and_seed(loaded):
    people = loaded("cifar10h").labels
    train, held = split(people, 0)
    assert np.array_equal(np.sort(np.concatenate([train, held])), np.arange(10_000))
    shares = [np.bincount(people.probs[rows].argmax(axis=1), minlength=10) / rows.size for rows in (train, held)]
    np.testing.assert_allclose(*shares, atol=1e-3)
    assert not np.array_equal(held, split(people, 1)[1])
