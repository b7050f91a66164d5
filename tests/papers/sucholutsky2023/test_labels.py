"""Labels of people say more about similarity than hard ones, smoothing adds nothing, and shuffled labels are seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dissensus.labels.distributions import Distributions
from dissensus.labels.transforms import one_hot, smooth, sparsify
from dissensus.papers.outcomes import Judgement
from dissensus.papers.sucholutsky2023.informed import label_numbers, measures
from dissensus.papers.sucholutsky2023.observe import error_rate_range, observe_labels, observe_recovery
from dissensus.papers.sucholutsky2023.sets import HERE, label_kinds
from dissensus.plan.simulation import simulate_scene
from tests.papers.sucholutsky2023.judged_rows import HOLDS, judge_rows, verdicts

SCENE = simulate_scene(40, 10, 4, np.random.default_rng(3))


def silent(share: float) -> None:
    pass


def scene_kinds(order: np.ndarray | None = None) -> dict[str, Distributions]:
    """All kinds of label of known points; those of people may be dealt to other points."""
    soft = Distributions.from_mass(SCENE.soft)
    hard = one_hot(SCENE.hard.argmax(axis=1), soft.items, soft.classes)
    people = soft if order is None else Distributions(soft.probs[order], soft.items, soft.classes)
    return {
        "hard": hard,
        "S+hard": sparsify(people, 3),
        "H": people,
        "LS low": smooth(hard, 0.05),
        "LS high": smooth(hard, 0.2),
    }


def measured(kinds: dict[str, Distributions]) -> dict[str, Any]:
    return measures(kinds, SCENE.similarity[:40, :40], 3, silent) | {"images": 40, "judged by": "people"}


def judged(kinds: dict[str, Distributions]) -> dict[str, Judgement]:
    return judge_rows(observe_recovery(measured(kinds)))


def test_what_is_known_of_the_points_comes_back_from_softer_labels():
    ours = judged(scene_kinds())
    held = ("recovery-softer", "error-rate-linear", "error-rates-vary", "figure-4-entropy")
    assert verdicts(ours, held) == dict.fromkeys(held, "same direction")
    smoothed = ours["recovery-smoothing"]
    assert smoothed.verdict == "equal" and smoothed.deciding is not None and smoothed.deciding.value.value == 0


def test_labels_dealt_to_other_items_are_seen():
    ours = judged(scene_kinds(np.random.default_rng(0).permutation(40)))
    assert ours["recovery-softer"].verdict == "differs"
    assert ours["figure-4-entropy"].verdict not in HOLDS


def test_error_rates_that_differ_by_chance_alone_do_not_vary():
    """Of two kinds, either errs more at one of two starts: the start that chooses is not the start that judges."""
    swapped = {
        "hard": {"start 0": {"error_rate": 0.3}, "start 1": {"error_rate": 0.2}},
        "H": {"start 0": {"error_rate": 0.2}, "start 1": {"error_rate": 0.3}},
    }
    assert error_rate_range(swapped) == {"start 0": pytest.approx(-0.1), "start 1": pytest.approx(-0.1)}


def test_dense_labels_that_recover_less_are_past_the_sweet_spot():
    kinds = scene_kinds()
    noise = np.random.default_rng(1).dirichlet(np.ones(10), 40)
    dense = judged(kinds | {"DS": Distributions(noise, kinds["H"].items, kinds["H"].classes)})
    assert dense["recovery-sweet-spot"].verdict == "same direction"
    without = judged(kinds)["recovery-sweet-spot"]
    assert without.verdict == "cannot be tested here" and "dense.npy" in without.reason


def test_counts_that_the_paper_rounds_are_those_of_the_data(data_folder):
    """Section 7.1 and D.2: 500,000 votes, 20,000 judgments, a mass of 0.05, an entropy of 0.69."""
    numbers = label_numbers(data_folder, {}, silent)
    equal = ("votes", "sparse-judgments", "smoothing-low", "entropy-sparse")
    assert verdicts(judge_rows(observe_labels(numbers)), equal) == dict.fromkeys(equal, "equal")
    fewer = judge_rows(observe_labels(numbers | {"votes": 400_000}))
    assert fewer["votes"].verdict == "differs"


def test_kinds_are_labels_of_the_same_images(data_folder):
    kinds = label_kinds(500)
    assert tuple(kinds) == HERE
    items = kinds["H"].items
    assert items.size == 500 and all(np.array_equal(labels.items, items) for labels in kinds.values())
    soft = kinds["S+hard"].probs.max(axis=1) < 1
    assert 40 <= soft.sum() <= 50, "a tenth of the images of CIFAR-10 have a sparse label"
    assert np.array_equal(kinds["S+hard"].probs[~soft], kinds["hard"].probs[~soft])
    assert kinds["LS high"].probs.max(axis=1) == pytest.approx(0.82)
