"""The method itself, on items whose true uncertainty is known: it gains what the paper says, and broken it does not."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import LabelledItems, build_labelled_items, class_names
from dissensus.labels.distributions import Distributions
from dissensus.papers.claims import Finding
from dissensus.papers.judging import judge_claims
from dissensus.papers.paper import Results
from dissensus.papers.peterson2019.labels import share_of_top
from dissensus.papers.peterson2019.observe import observe
from dissensus.papers.peterson2019.paper import PAPER
from dissensus.papers.peterson2019.sets import FAR, Inputs
from dissensus.papers.peterson2019.shift import compare_agreeing, judge_models
from dissensus.papers.peterson2019.sizes import HeadSizes
from dissensus.papers.peterson2019.studies import comparison_study, kinds_of
from dissensus.papers.peterson2019.tuned_heads import collect_folds, pretrain, tune_heads
from dissensus.study.run import run_study
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.model_files import load_head
from dissensus.train.splits import split_folds
from tests.papers.peterson2019.made_up import LABELS

N, WIDTH = 1_000, 40
SIZE = HeadSizes(
    images=None, folds=4, epochs=40, tuning_folds=4, tuning_epochs=51, tuning_rates=(0.01,), alphas=(0.1, 1.0)
)
WEAK = replace(SIZE, epochs=1, tuning_epochs=1, tuning_rates=(1e-6,))


def world(rng: np.random.Generator, n: int = N) -> tuple[np.ndarray, LabelledItems]:
    """Features and what people say of them: a softmax of some of the features, from which a class was drawn."""
    x = rng.normal(size=(n, WIDTH))
    logits = 12 * x[:, :10]
    probs = np.exp(logits - logits.max(axis=1, keepdims=True))
    probs /= probs.sum(axis=1, keepdims=True)
    gold = np.array([rng.choice(10, p=row) for row in probs])
    people = Distributions(probs, np.arange(n), CLASSES, votes=np.full(n, 50))
    return x.astype(np.float32), build_labelled_items(people, gold=class_names(gold, CLASSES))


def probs_of(people: LabelledItems) -> np.ndarray:
    assert isinstance(people.labels, Distributions)
    return people.labels.probs


def dealt_elsewhere(people: LabelledItems, rng: np.random.Generator) -> LabelledItems:
    """What people said of other items: as soft as before, and about nothing."""
    labels = people.labels
    assert isinstance(labels, Distributions)
    return replace(people, labels=replace(labels, probs=labels.probs[rng.permutation(N)]))


def judge_generalisation(place: Path, broken: bool, settings: dict[str, Any]) -> dict[str, Finding]:
    rng = np.random.default_rng(0)
    x, people = world(rng)
    kinds = kinds_of(people) | ({"soft": dealt_elsewhere(people, rng)} if broken else {})
    inputs = {"features": FeatureTable(x, people.labels.items)}
    model = {"head": "linear", "keep": "last", "patience": "none", **settings}
    study = comparison_study("made up", people, kinds, inputs, [model], folds=4)
    run_study(study, place / "heads", say=lambda notice: None)
    (place / "shift").mkdir()
    new, other = world(np.random.default_rng(1))
    strengths = {"cifar10": 1, "imagenet": 1.5, "far": 2}
    sets = {name: Inputs(new * strength, other.gold) for name, strength in strengths.items()}
    judge = partial(judge_models, place / "heads", place / "shift", load_head)
    models = judge(sets, people, {("linear", None): "linear head"}, lambda share: None)
    return judge_claims(PAPER, observe(Results({}, {"labels": LABELS, "heads-shift": {"models": models}}), "laptop"))


@pytest.mark.parametrize("broken", [False, True])
def test_human_labels_gain_only_if_they_are_about_their_item(tmp_path, broken):
    made = judge_generalisation(tmp_path, broken, {"epochs": 60, "learning_rate": 0.02})
    agreeing = {"differs"} if broken else {"same direction", "equal"}
    for claim in ("2-cifar10-cross_entropy", "2-cifar10-accuracy", "2-far-accuracy", "2-second-best", "3-people"):
        assert made[f"figure-{claim}"].verdict in agreeing, (claim, made[f"figure-{claim}"])


def test_heads_that_learned_nothing_leave_claims_undecided(tmp_path):
    made = judge_generalisation(tmp_path, False, {"epochs": 1, "learning_rate": 1e-6})
    about_models = [key for key, finding in made.items() if key.startswith(("figure", "section-5")) and finding.value]
    assert len(about_models) > 15
    assert {made[key].verdict for key in about_models} == {"too weak to tell"}


def judge_tuning(size: HeadSizes, broken: bool = False) -> dict[str, Finding]:
    """Table 1 with heads; broken: people's answers to other items are learned."""
    x, people = world(np.random.default_rng(0))
    before, classes = world(np.random.default_rng(1), 1_000)
    start = pretrain(before, classes.gold, size)
    learned = probs_of(dealt_elsewhere(people, np.random.default_rng(2)) if broken else people)
    folds = []
    for train, held in split_folds(N, size.folds, 0):
        shown = np.where(np.isin(np.arange(N), train)[:, None], learned, probs_of(people))
        folds.append(tune_heads({"mlp": start["mlp"]}, x, shown, people.gold, train, held, size))
    tuned = {"networks": collect_folds(folds), "labels_shown": size.tuning_epochs}
    return judge_claims(PAPER, observe(Results({}, {"labels": LABELS, "tuned-heads": tuned}), "laptop"))


def test_fine_tuned_heads_come_closer_to_people_only_by_their_answers_to_the_same_item():
    right, broken = judge_tuning(SIZE), judge_tuning(SIZE, broken=True)
    for key in ("table-1-soft", "table-1-mean"):
        assert right[key].verdict in ("same direction", "equal"), right[key]
        assert broken[key].verdict == "differs", broken[key]


def test_fine_tuned_heads_that_learned_nothing_leave_claims_undecided():
    made = judge_tuning(WEAK)
    about_models = [key for key, finding in made.items() if key.startswith("table-1") and finding.value]
    assert len(about_models) == 10 and {made[key].verdict for key in about_models} == {"too weak to tell"}


def test_distances_on_agreed_items_are_those_of_a_loop():
    rng = np.random.default_rng(3)
    probs = rng.dirichlet(np.ones(10), 60)
    items = build_labelled_items(
        Distributions(probs, np.arange(60), CLASSES, votes=np.full(60, 50)),
        gold=class_names(probs.argmax(axis=1), CLASSES),
    )
    guesses = [Distributions(rng.dirichlet(20 * row, 1)[0][None], np.array([0]), CLASSES).probs for row in probs]
    soft = Distributions(np.concatenate(guesses), np.arange(60), CLASSES)
    hard = Distributions(rng.dirichlet(np.ones(10), 60), np.arange(60), CLASSES)
    made = compare_agreeing([soft, hard], items)
    for kind, model in (("soft", soft), ("hard", hard)):
        distances, divergences = [], []
        for q, p, a, b in zip(model.probs, probs, soft.probs, hard.probs, strict=True):
            top = int(p.argmax())
            if q.argmax() == top:
                distances.append(sum(abs(q[c] - p[c]) for c in range(10) if c != top) / 2)
            if a.argmax() == b.argmax() == top:
                divergences.append(sum(p[c] * np.log(p[c] / q[c]) for c in range(10) if p[c] > 0))
        assert made[kind]["distance_agreeing"] == pytest.approx(np.mean(distances))
        assert made[kind]["kl_agreeing"] == pytest.approx(np.mean(divergences))
    again = made["people again"]["distance_agreeing"]
    assert again is not None and 0 < again < made["hard"]["distance_agreeing"]


def test_the_share_of_the_top_items_is_that_of_the_largest_values():
    assert share_of_top(np.array([1.0, 5.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]), 0.3) == pytest.approx(0.8)


def test_classes_of_the_far_set_are_no_class_twice():
    codes = [code for several in FAR.values() for code in several]
    assert len(set(codes)) == len(codes) == 41 and set(FAR) == set(CLASSES) - {"bird"}
