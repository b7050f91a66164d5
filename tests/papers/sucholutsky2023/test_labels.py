"""Labels of people say more about similarity than hard ones, smoothing adds nothing, and shuffled labels are seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dissensus.labels.distributions import Distributions
from dissensus.labels.transforms import one_hot, smooth, sparsify
from dissensus.papers.sucholutsky2023.informed import label_numbers, measures
from dissensus.papers.sucholutsky2023.judged_labels import label_findings
from dissensus.papers.sucholutsky2023.sets import HERE, label_kinds
from dissensus.plan.simulation import simulate_scene

SCENE = simulate_scene(40, 10, 4, np.random.default_rng(3))
NUMBERS = {
    "votes": 511_000, "votes of an image": [47, 51.1, 63], "responses": 6_723, "images with sparse labels": 1_000,
    "entropy of sparse labels": 0.6934, "mass of other classes": 0.0456, "mass of other classes, all kinds": {},
}  # fmt: skip


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


def judged(kinds: dict[str, Distributions]) -> dict[str, Any]:
    alike = SCENE.similarity[:40, :40]
    informed = measures(kinds, alike, 2, silent) | {"images": 40, "judged by": "people"}
    return label_findings(NUMBERS, informed)


def test_what_is_known_of_the_points_comes_back_from_softer_labels():
    found = judged(scene_kinds())
    assert found["recovery-softer"].verdict == found["error-rate-linear"].verdict == "same direction"
    assert found["recovery-smoothing"].verdict == "equal" and found["recovery-smoothing"].value.value == 0
    assert found["recovery-softer"].reason == "", "people judged, so nothing needs saying"


def test_error_rates_that_differ_by_chance_alone_do_not_vary():
    """Of two kinds, either errs more at one of two starts: the start that chooses is not the start that judges."""
    informed = measures(scene_kinds(), SCENE.similarity[:40, :40], 2, silent) | {"images": 40, "judged by": "people"}
    rates = {"start 0": 0.3, "start 1": 0.2}, {"start 0": 0.2, "start 1": 0.3}
    for place, starts in enumerate(informed["kinds"].values()):
        for start, run in starts.items():
            run["error_rate"] = rates[place % 2][start]
    assert label_findings(NUMBERS, informed)["error-rates-vary"].verdict == "differs"
    assert judged(scene_kinds())["error-rates-vary"].verdict == "same direction"


def test_labels_dealt_to_other_items_are_seen():
    found = judged(scene_kinds(np.random.default_rng(0).permutation(40)))
    assert found["recovery-softer"].verdict == "differs"


def test_dense_labels_that_recover_less_are_past_the_sweet_spot():
    kinds = scene_kinds()
    noise = np.random.default_rng(1).dirichlet(np.ones(10), 40)
    found = judged(kinds | {"DS": Distributions(noise, kinds["H"].items, kinds["H"].classes)})
    assert found["recovery-sweet-spot"].verdict == "same direction"
    assert judged(kinds)["recovery-sweet-spot"].verdict == "cannot be tested here"


def test_counts_that_the_paper_rounds_are_those_of_the_data(data_folder):
    """Section 7.1 and D.2: 500,000 votes, 20,000 judgments, a mass of 0.05, an entropy of 0.69."""
    numbers = label_numbers(data_folder, {}, silent)
    informed = measures(scene_kinds(), SCENE.similarity[:40, :40], 1, silent) | {"images": 40, "judged by": "a network"}
    found = label_findings(numbers, informed)
    equal = ("votes", "sparse-judgments", "smoothing-low", "entropy-sparse")
    assert {key: found[key].verdict for key in equal} == dict.fromkeys(equal, "equal")
    fewer = label_findings(numbers | {"votes": 400_000}, informed)
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
