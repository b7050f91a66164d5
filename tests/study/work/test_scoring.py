"""A record's scores are those of a scorecard of the same predictions."""

import numpy as np
import pyarrow as pa
import pytest

from dissensus.datasets.dataset import LabelledItems
from dissensus.evaluate import scorecard
from dissensus.evaluate.slices import high_disagreement
from dissensus.study.read_data import load_data
from dissensus.study.spec import Evaluation
from dissensus.study.work.scoring import scored
from tests.study.world import N, answers, small_study

DATA = load_data(small_study())["world"]


def test_scores_equal_those_of_the_scorecard():
    test = np.arange(0, N, 2)
    guess = np.random.default_rng(0).dirichlet([1, 1, 1], test.size)
    record = scored(guess, DATA, test, Evaluation(slices=("disagreement",)))
    card = scorecard(guess, DATA.labels.select(items=test), rng=np.random.default_rng(0), replicates=2, ceiling=False)
    for name, interval in card.scores.items():
        assert record["scores"][name] == pytest.approx(interval.value, abs=1e-12), name
    people = DATA.people.probs[test]
    inside = high_disagreement(people).code == 1
    disputed = record["slices"]["disagreement"]["most disputed 10%"]
    assert disputed["items"] == inside.sum()
    loss = -(people[inside] * np.log(guess[inside])).sum(axis=1).mean()
    assert disputed["scores"]["soft_nll"] == pytest.approx(loss)


def test_an_infinite_score_is_none_with_the_number_of_its_items():
    guess = np.tile([1.0, 0.0, 0.0], (N, 1))
    record = scored(guess, DATA, np.arange(N), Evaluation())["scores"]
    assert record["soft_nll"] is None
    assert record["infinite_items"] == (DATA.people.probs[:, 1:].sum(axis=1) > 0).sum()


def test_items_without_a_value_are_in_no_slice_and_a_seed_that_drew_none_of_them_has_no_parts():
    votes, features = answers()
    made = pa.array([None if place >= 60 else "early" if place < 30 else "late" for place in range(N)])
    height = pa.array([float("nan") if place % 2 else 1.0 for place in range(N)])
    table = pa.table({"item": [f"i{place}" for place in range(N)], "made": made, "height": height})
    source = {"labels": LabelledItems(votes, table), "features": features}
    data = load_data(small_study(data={"world": source}))["world"]
    guess = np.full((N, 3), 1 / 3)
    slices = scored(guess, data, np.arange(N), Evaluation(slices=("made", "height")))["slices"]
    assert {part: each["items"] for part, each in slices["made"].items()} == {"early": 30, "late": 30}
    assert {part: each["items"] for part, each in slices["height"].items()} == {"1.0": 60}
    assert scored(guess[60:], data, np.arange(60, N), Evaluation(slices=("made",)))["slices"] == {"made": {}}
