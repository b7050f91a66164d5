"""Scores: shared properties of METRICS, and a second road to each number."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import rel_entr
from scipy.stats import wasserstein_distance
from sklearn.metrics import accuracy_score, log_loss, top_k_accuracy_score

from dissensus.evaluate import choices, closeness
from dissensus.evaluate.metrics import METRICS, Metric
from tests.facts import refuses

PER_ITEM = [name for name, metric in METRICS.items() if metric.of == "items" and metric.against == "people"]
PER_SET = [name for name, metric in METRICS.items() if metric.of == "set"]


@st.composite
def pairs(draw):
    """Predictions with mass everywhere, and people as few votes: zeros, ties and unanimous items."""
    n, k = draw(st.integers(1, 12)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    votes = draw(st.integers(1, 9))
    people = rng.multinomial(votes, rng.dirichlet(np.ones(k), n)) / votes
    model = rng.integers(1, 6, (n, k)).astype(float)  # small whole numbers: ties are common
    return model / model.sum(axis=1, keepdims=True), people


@pytest.mark.parametrize("name", PER_ITEM)
@given(pair=pairs(), seed=st.integers(0, 1000))
def test_item_order_and_class_names_do_not_matter(name, pair, seed):
    model, people = pair
    rng = np.random.default_rng(seed)
    items, classes = rng.permutation(len(model)), rng.permutation(model.shape[1])
    metric = METRICS[name]
    values = metric.function(model, people)
    assert values.shape == (len(model),)
    assert np.allclose(metric.function(model[items], people[items]), values[items], equal_nan=True)
    if not metric.ordinal:
        assert np.allclose(metric.function(model[:, classes], people[:, classes]), values, equal_nan=True)


@pytest.mark.parametrize("name", PER_ITEM)
@given(pair=pairs())
def test_values_stay_within_their_bounds(name, pair):
    model, people = pair
    metric, k = METRICS[name], model.shape[1]
    values = metric.function(model, people)
    told = values[~np.isnan(values)]
    assert (told >= metric.lowest(k) - 1e-12).all() and (told <= metric.highest(k) + 1e-12).all()


@pytest.mark.parametrize("name", PER_SET)
@given(pair=pairs(), seed=st.integers(0, 1000))
def test_a_number_about_all_items_does_not_depend_on_their_order(name, pair, seed):
    model, people = (np.concatenate([side, side[:1]]) for side in pair)  # two items or more
    order = np.random.default_rng(seed).permutation(len(model))
    value = METRICS[name].function(model, people)
    assert METRICS[name].function(model[order], people[order]) == pytest.approx(value, nan_ok=True, abs=1e-9)
    assert np.isnan(value) or METRICS[name].lowest(model.shape[1]) <= value <= METRICS[name].highest(model.shape[1])


def test_an_entry_that_contradicts_itself_is_refused():
    """At import, in one line: an entry that nobody would see, or that asks for what its kind cannot have."""
    entry = {"meaning": "x", "better": "lower", "group": METRICS["kl"].group, "shown": "page"}
    Metric(closeness.soft_nll, **entry)
    for wrong, message in (
        ({"shown": "nowhere"}, "shown of 'x' is 'nowhere'; expected one of"),
        ({"group": "Is it nice?"}, "group of 'x' is 'Is it nice"),
        ({"better": "more"}, "better of 'x' is 'more'"),
        ({"of": "confidence", "ceiling": True}, "'x' is a number of a confidence: only scores per item can be sliced"),
        ({"of": "set", "compared": True}, "numbers of a set with `resampled` can be compared"),
        ({"of": "set", "sliced": True}, "only scores per item can be sliced"),
        ({"against": "gold", "ceiling": True}, "against gold cannot be sliced or have a ceiling"),
    ):
        with pytest.raises(ValueError, match=message):
            Metric(closeness.soft_nll, **(entry | wrong))


@pytest.mark.parametrize("name", [name for name in PER_ITEM + PER_SET if METRICS[name].perfect is not None])
def test_a_perfect_model_has_the_perfect_score(name):
    people = np.random.default_rng(0).dirichlet(np.ones(5), 200)  # no equal probabilities
    assert np.allclose(METRICS[name].function(people, people), METRICS[name].perfect, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in PER_ITEM if METRICS[name].proper])
def test_the_true_distribution_is_best_in_expectation(name):
    """Expectation over single votes: sum over classes of p_c score(q, one-hot c)."""
    rng = np.random.default_rng(1)
    truth = rng.dirichlet(np.ones(4))

    def expected(model):
        rows = np.tile(model, (4, 1))
        return truth @ METRICS[name].function(rows, np.eye(4))

    at_truth = expected(truth)
    for other in np.concatenate([rng.dirichlet(np.ones(4), 200), truth + 1e-3 * (np.eye(4) - 0.25)]):
        assert expected(other) > at_truth


def slow(model, people):
    """Every score of one item by explicit loops; ties broken in all orders, each equally likely."""
    k = len(model)

    def orders(row):
        return [order for order in permutations(range(k)) if all(row[a] >= row[b] for a, b in pairwise(order))]

    ours, theirs = orders(model), orders(people)
    chance = 1 / (len(ours) * len(theirs))
    both = [(a, b) for a in ours for b in theirs]
    return {
        "soft_nll": -sum(p * np.log(q) for p, q in zip(people, model, strict=True) if p > 0),
        "kl": sum(rel_entr(p, q) for p, q in zip(people, model, strict=True)),
        "js": sum(rel_entr(p, (p + q) / 2) + rel_entr(q, (p + q) / 2) for p, q in zip(people, model, strict=True)) / 2,
        "brier": sum((p - q) ** 2 for p, q in zip(people, model, strict=True)),
        "cross_entropy_hard": np.mean([-np.log(model[b[0]]) for b in theirs]),
        "accuracy": chance * sum(a[0] == b[0] for a, b in both),
        "vote_accuracy": np.mean([people[a[0]] for a in ours]),
        "second_best_accuracy": chance * sum(a[1] == b[1] for a, b in both) if max(people) < 1 else np.nan,
        "top_2_accuracy": chance * sum(b[0] in a[:2] for a, b in both),
        "soft_accuracy": sum(min(p, q) for p, q in zip(people, model, strict=True)),
        "manhattan": sum(abs(p - q) for p, q in zip(people, model, strict=True)),
        "wasserstein": wasserstein_distance(range(k), range(k), model, people),
        "entropy": -sum(q * np.log(q) for q in model if q > 0),
        "people_entropy": -sum(p * np.log(p) for p in people if p > 0),
        "confidence_right": max(model) if any(a[0] == b[0] for a, b in both) else np.nan,
        "confidence_wrong": np.nan if any(a[0] == b[0] for a, b in both) else max(model),
    }


def test_every_score_equals_a_slow_loop_over_all_orders_of_ties():
    rng = np.random.default_rng(3)
    model = rng.integers(1, 4, (60, 4)).astype(float)
    model /= model.sum(axis=1, keepdims=True)
    people = rng.multinomial(3, np.full(4, 0.25), 60) / 3
    expected = [slow(q, p) for q, p in zip(model, people, strict=True)]
    assert set(expected[0]) == set(PER_ITEM)
    for name in PER_ITEM:
        wanted = np.array([one[name] for one in expected])
        assert np.allclose(METRICS[name].function(model, people), wanted, equal_nan=True, atol=1e-12), name


def test_on_hard_labels_the_scores_are_those_of_scikit_learn():
    rng = np.random.default_rng(4)
    model, gold = rng.dirichlet(np.ones(5), 400), rng.integers(0, 5, 400)
    people = np.eye(5)[gold]
    assert closeness.soft_nll(model, people).mean() == pytest.approx(log_loss(gold, model, labels=range(5)))
    right = accuracy_score(gold, model.argmax(axis=1))
    assert choices.accuracy_to_majority(model, people).mean() == pytest.approx(right)
    assert choices.accuracy_to_gold(model, gold).mean() == pytest.approx(right)
    for k in (1, 2, 3):
        wanted = top_k_accuracy_score(gold, model, k=k, labels=range(5))
        assert choices.top_k_accuracy(model, people, k).mean() == pytest.approx(wanted)


def test_top_k_of_a_thousand_classes_takes_no_table_of_pairs_of_classes():
    """A chance of 1 from k = classes on, ties shared at the edge; all pairs of 1,000 classes would be 2 GB here."""
    rng = np.random.default_rng(5)
    model, gold = rng.dirichlet(np.ones(1000), 2000), rng.integers(0, 1000, 2000)
    people = np.eye(1000)[gold]
    place = (model > model[np.arange(2000), gold][:, None]).sum(axis=1)
    for k in (1, 5, 100):
        assert np.array_equal(choices.top_k_accuracy(model, people, k), place < k)
    assert (choices.top_k_accuracy(model[:5], people[:5], 2000) == 1).all()
    assert np.allclose(choices.top_k_accuracy(np.full((5, 1000), 1e-3), people[:5], 3), 3e-3)


def test_an_excluded_class_costs_infinity_unless_a_floor_is_stated():
    model, people = np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([[0.9, 0.1], [0.5, 0.5]])
    loss = closeness.soft_nll(model, people)
    assert loss[0] == np.inf and closeness.infinite_items(loss) == 1
    assert closeness.soft_nll(model, people, floor=1e-6)[0] == pytest.approx(-0.1 * np.log(1e-6))


def test_gold_out_of_range_is_named():
    with refuses("item 1", "gold class 7", "3 classes", "1 of 2"):
        choices.accuracy_to_gold(np.full((2, 3), 1 / 3), np.array([0, 7]))
    with pytest.raises(ValueError, match="expected 2 whole numbers"):
        choices.accuracy_to_gold(np.full((2, 3), 1 / 3), np.array([0.0, 1.0]))


def test_chaosnli_models_score_as_a_slow_loop_says(loaded):
    """Released logits of fine-tuned models on the 1,514 SNLI pairs with 100 votes each."""
    from dissensus.datasets import predictions
    from dissensus.evaluate.matching import match_predictions
    from dissensus.evaluate.people import as_people
    from dissensus.evaluate.predictions import as_predictions

    people = as_people(loaded("chaosnli-snli").labels)
    name, model = next(iter(predictions("chaosnli-snli-models").items()))
    model, people = match_predictions(as_predictions(model), people)
    assert model.n_items == 1514, name
    for metric in ("kl", "js", "accuracy"):
        wanted = [slow(q, p)[metric] for q, p in zip(model.probs, people.probs, strict=True)]
        assert METRICS[metric].function(model.probs, people.probs).mean() == pytest.approx(np.mean(wanted), abs=1e-12)


def test_thirty_models_as_an_ensemble_against_cifar10h(loaded):
    """30 published CIFAR-10 models, their votes as one distribution: most people's choices are theirs too."""
    from dissensus.evaluate.matching import match_predictions
    from dissensus.evaluate.people import as_people
    from dissensus.labels.shares import share

    labels = loaded("cifar10h").labels
    people = as_people(labels)
    ensemble, people = match_predictions(share(loaded("cifar10-models").labels), people)
    q, p = ensemble.probs, people.probs
    top = np.array([np.flatnonzero(row == row.max()) for row in q], dtype=object)
    theirs = [np.flatnonzero(row == row.max()) for row in p]
    by_hand = np.mean([len(set(a) & set(b)) / (len(a) * len(b)) for a, b in zip(top, theirs, strict=True)])
    assert choices.accuracy_to_majority(q, p).mean() == pytest.approx(by_hand)
    assert closeness.infinite_items(closeness.soft_nll(q, p)) == int(((q == 0) & (p > 0)).any(axis=1).sum()) > 0
