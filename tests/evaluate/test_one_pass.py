"""The sweep gives the numbers of the plain functions, and refuses what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from dissensus.evaluate import brier, calibration, closeness
from dissensus.evaluate.kernels import SUMS
from dissensus.evaluate.metrics import METRICS
from dissensus.evaluate.one_pass import SAMPLE, sweep
from dissensus.evaluate.smooth_calibration import smooth_ece
from tests.facts import refuses


def simulated(n, k, dtype=np.float64, votes=7, seed=0):
    """A model that follows 7 votes an item from afar, so that people have ties, zeros and unanimous items."""
    rng = np.random.default_rng(seed)
    people = rng.multinomial(votes, rng.dirichlet(np.full(k, 0.4), n)) / votes
    model = 0.8 * people + 0.2 * rng.dirichlet(np.full(k, 0.3), n)
    model[: n // 50] = 1 + (np.arange(k) < 2)  # ties of the model too
    return (model / model.sum(axis=1, keepdims=True)).astype(dtype), people.astype(dtype)


def mean_where_told(values):
    told = values[~np.isnan(values)]
    return float(told.mean()) if told.size else np.nan


def one_by_one(model, people):
    against_people = {name: metric for name, metric in METRICS.items() if metric.against == "people"}
    scores = {name: m.function(model, people) for name, m in against_people.items() if m.of != "confidence"}
    return {name: mean_where_told(np.atleast_1d(score)) for name, score in scores.items()}


def calibrated_one_by_one(model, people):
    scores = {}
    for suffix, against in (("", "people"), ("_majority", "majority")):
        f, o = calibration.confidence_and_outcome(model, people, against=against)
        parts = brier.brier_decomposition(f, o)
        scores[f"ece_equal_mass{suffix}"] = calibration.equal_mass_ece(f, o)
        scores[f"rmse_calibration{suffix}"] = calibration.rmse_calibration(f, o)
        scores[f"smooth_ece{suffix}"] = smooth_ece(f, o)
        scores[f"confidence_brier{suffix}"] = parts.score
        for name in ("reliability", "resolution", "uncertainty", "inside"):
            scores[f"confidence_brier_{name}{suffix}"] = getattr(parts, name)
    return scores


def test_every_total_of_the_compiled_loops_is_a_metric_or_belongs_to_one():
    helpers = {"entropy_squared", "people_entropy_squared", "entropy_product", "bad_rows"}
    for name in set(SUMS) - helpers:
        assert name.removesuffix("_items").removesuffix("_infinite") in METRICS


@pytest.mark.parametrize(("n", "k"), [(2, 2), (57, 3), (5_003, 10), (700, 41)])
def test_sweep_equals_the_functions_one_by_one(n, k):
    model, people = simulated(n, k)
    found = sweep(model, people)
    for name, expected in one_by_one(model, people).items():
        assert found[name] == pytest.approx(expected, rel=1e-11, abs=1e-11, nan_ok=True), name
    for name, expected in calibrated_one_by_one(model, people).items():
        assert found[name] == pytest.approx(expected, abs=1e-5 if name.startswith("smooth") else 1e-6), name
    assert found["infinite_items"] == 0
    assert set(found) == {name for name, m in METRICS.items() if m.against != "gold"} | {"infinite_items"}


def added_up(scores, name):
    return (
        scores[f"{name}_reliability"]
        - scores[f"{name}_resolution"]
        + scores[f"{name}_uncertainty"]
        + scores[f"{name}_inside"]
    )


@pytest.mark.parametrize("n", [700, SAMPLE + 3, 40_001])
def test_parts_of_the_brier_score_are_those_of_the_classes_and_add_up(n):
    """Bins beyond SAMPLE items are cut by a sample of them, in another order of items too: the sum stays exact."""
    model, people = (rows[::-1] for rows in simulated(n, 5))
    swept, parts = sweep(model, people, bins=12), brier.brier_decomposition_of_classes(model, people, bins=12)
    assert added_up(swept, "brier") == pytest.approx(swept["brier"], abs=1e-12)
    assert swept["brier_uncertainty"] == pytest.approx(people.var(axis=0).sum(), abs=1e-11)
    for name in ("reliability", "resolution", "inside"):
        within = 1e-11 if n <= SAMPLE else 1e-3
        assert swept[f"brier_{name}"] == pytest.approx(getattr(parts, name), abs=within), name


def test_parts_of_the_brier_score_do_not_depend_on_items_that_take_turns():
    """Ten classes in turn, and ten times as many items as are sampled: each tenth item is of the same class."""
    rng = np.random.default_rng(4)
    logits = rng.normal(size=(10 * SAMPLE, 10))
    logits[np.arange(10 * SAMPLE), np.arange(10 * SAMPLE) % 10] += 3
    model, people = (rows / rows.sum(axis=1, keepdims=True) for rows in (np.exp(2 * logits), np.exp(logits)))
    swept, parts = sweep(model, people), brier.brier_decomposition_of_classes(model, people)
    for name in ("reliability", "resolution", "inside"):
        assert swept[f"brier_{name}"] == pytest.approx(getattr(parts, name), abs=1e-3), name


def test_one_bin_has_no_resolution():
    model, people = simulated(300, 3)
    swept = sweep(model, people, bins=1)
    assert swept["brier_resolution"] == pytest.approx(0.0, abs=1e-12)
    assert swept["brier_reliability"] == pytest.approx(((model - people).mean(axis=0) ** 2).sum())


def test_a_model_that_knows_nothing_is_right_as_often_as_chance():
    """Credit for more than 8 equal classes is held in 840ths: calibration is then off by up to 1/1680."""
    _, people = simulated(300, 41)
    found = sweep(np.full(people.shape, 1 / 41), people)
    assert found["accuracy"] == pytest.approx(1 / 41)
    assert found["ece_equal_mass_majority"] == pytest.approx(0.0, abs=1 / 1680)


def test_single_precision_is_read_as_it_stands():
    model, people = simulated(3_001, 10, np.float32)
    found = sweep(model, people)
    wide = model.astype(np.float64), people.astype(np.float64)
    for name, expected in (one_by_one(*wide) | calibrated_one_by_one(*wide)).items():
        assert found[name] == pytest.approx(expected, abs=1e-6), name


def test_a_torch_tensor_is_taken_too():
    torch = pytest.importorskip("torch")
    model, people = simulated(200, 4)
    assert sweep(torch.from_numpy(model), torch.from_numpy(people)) == pytest.approx(sweep(model, people))


def test_excluded_classes_make_the_loss_infinite_and_are_counted():
    model = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.3, 0.7]])
    people = np.array([[0.9, 0.1], [1.0, 0.0], [0.0, 1.0], [0.3, 0.7]])
    found = sweep(model, people)
    assert found["soft_nll"] == found["kl"] == np.inf
    assert found["infinite_items"] == 1 == closeness.infinite_items(closeness.soft_nll(model, people))
    assert found["cross_entropy_hard"] == pytest.approx(closeness.cross_entropy_to_hard(model, people).mean())
    assert found["js"] == pytest.approx(closeness.jensen_shannon(model, people).mean())


def test_a_confident_model_keeps_the_order_of_its_confidence():
    """1 less confidence is held, not confidence: single precision cannot tell 1 - 1e-9 from 1 - 1e-12."""
    rng = np.random.default_rng(0)
    rest = 10.0 ** rng.uniform(-12, -0.5, 2_000)
    model = np.stack([1 - rest, rest], axis=1)
    right = rng.random(2_000) < 1 - rest**0.25
    people = np.stack([right, ~right], axis=1).astype(np.float64)
    found = sweep(model, people)
    for name, expected in calibrated_one_by_one(model, people).items():
        assert found[name] == pytest.approx(expected, abs=1e-6), name


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        (lambda q: q * 0.9, ("row 0", "sums to 0.9", "sum 1", "100 of 100")),
        (lambda q: np.where(q == q.max(), np.nan, q), ("nan", "a probability")),
        (lambda q: np.log(q) + 3, ("logits", "softmax")),
        (lambda q: np.log(q), ("log-probabilities", "exp")),
        (lambda q: q[:, :1], ("(100, 1)", "(100, 3)", "classes")),
        (lambda q: q[0], ("(3,)", "(n, k)")),
        (lambda q: (q > 0.5).astype(int), ("int64", "float32", "float64")),
    ],
)
def test_bad_predictions_are_refused(change, facts):
    rng = np.random.default_rng(0)
    model, people = rng.dirichlet(np.ones(3), 100), rng.dirichlet(np.ones(3), 100)
    with refuses(*facts):
        sweep(change(model), people)


def test_bad_people_are_refused():
    model, people = simulated(100, 3)
    with refuses("label row 3", "0.5"):
        sweep(model, people * np.where(np.arange(100) == 3, 0.5, 1.0)[:, None])


def test_logarithms_are_right_to_the_last_digits():
    from dissensus.evaluate.kernels import _log

    x = np.concatenate([10.0 ** np.linspace(-307, 0, 2_000), 1 + np.linspace(-1e-6, 1, 2_001), [0.5**0.5, 1.0]])
    assert np.allclose([_log(value) for value in x], np.log(x), rtol=4e-16, atol=0)


def test_spread_free_entropies_have_no_correlation():
    model = np.tile([0.7, 0.2, 0.1], (50, 1))
    _, people = simulated(50, 3)
    found = sweep(model, people)
    assert np.isnan(found["entropy_pearson"]) and np.isnan(found["entropy_spearman"])
