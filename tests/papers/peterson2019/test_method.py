"""The method itself, on items whose true uncertainty is known: it gains what the paper says, and broken it does not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import LabelledItems, build_labelled_items, class_names
from dissensus.labels.distributions import Distributions
from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.section_5 import findings
from dissensus.papers.peterson2019.sets import FAR, Inputs
from dissensus.papers.peterson2019.shift import judge_models
from dissensus.papers.peterson2019.studies import comparison_study, kinds_of
from dissensus.study.run import run_study
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.model_files import load_head

N, WIDTH = 400, 60  # few items with many features: classes are learned by heart


def world(rng: np.random.Generator) -> tuple[np.ndarray, LabelledItems]:
    """Features and what people say of them: a softmax of some of the features, from which a class was drawn."""
    x = rng.normal(size=(N, WIDTH))
    logits = 3 * x[:, :10]
    probs = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    gold = np.array([rng.choice(10, p=row) for row in probs])
    people = Distributions(probs, np.arange(N), CLASSES)
    return x.astype(np.float32), build_labelled_items(people, gold=class_names(gold, CLASSES))


def dealt_elsewhere(people: LabelledItems, rng: np.random.Generator) -> LabelledItems:
    """What people said of other items: as soft as before, and about nothing."""
    labels = people.labels
    assert isinstance(labels, Distributions)
    return replace(people, labels=replace(labels, probs=labels.probs[rng.permutation(N)]))


@pytest.mark.parametrize("broken", [False, True])
def test_human_labels_gain_only_where_they_are_about_their_item(tmp_path, broken):
    rng = np.random.default_rng(0)
    x, people = world(rng)
    kinds = kinds_of(people) | ({"soft": dealt_elsewhere(people, rng)} if broken else {})
    inputs = {"features": FeatureTable(x, people.labels.items)}
    model = {"head": "linear", "epochs": 40, "keep": "last", "patience": "none", "learning_rate": 0.01}
    study = comparison_study("made up", people, kinds, inputs, [model], folds=4)
    run_study(study, tmp_path / "heads", say=lambda notice: None)
    (tmp_path / "shift").mkdir()
    judge = partial(judge_models, tmp_path / "heads", tmp_path / "shift", load_head)
    new, other = world(np.random.default_rng(1))
    strengths = {"cifar10": 1, "imagenet": 1.5, "far": 2}
    sets = {name: Inputs(new * strength, other.gold) for name, strength in strengths.items()}
    models = judge(sets, people, {"linear": "linear head"}, lambda share: None)
    numbers = {"scratch-shift": {"models": models}, "heads-shift": {"models": models}}
    made = findings(Results({}, numbers), "quick")
    wanted = "differs" if broken else "same direction"
    for claim in ("2-cifar10-cross_entropy", "2-cifar10-accuracy", "2-second-best", "3-people"):
        assert made[f"figure-{claim}"].verdict == wanted, made[f"figure-{claim}"].ours


def test_classes_of_the_far_set_are_no_class_twice():
    codes = [code for several in FAR.values() for code in several]
    assert len(set(codes)) == len(codes) == 41 and set(FAR) == set(CLASSES) - {"bird"}
