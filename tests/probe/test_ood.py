"""Scores of how far out an item is: by a second road each, and what is true of all of them."""

import subprocess
import sys
from functools import partial

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import logsumexp, softmax
from scipy.stats import entropy

from dissensus.probe import DETECTORS, ood_scores
from dissensus.probe.ood import energy, knn, logit_margin, msp, predictive_entropy
from tests.facts import refuses

ON_LOGITS = [name for name, detector in DETECTORS.items() if detector.needs == "logits"]
numbers = st.floats(-30, 30, width=32)
some_logits = st.tuples(st.integers(1, 6), st.integers(2, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=numbers)
)
some_features = st.tuples(st.integers(1, 6), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        arrays(np.float64, shape, elements=st.integers(-3, 3)),
        arrays(np.float64, (5, shape[1]), elements=st.integers(-3, 3)),
    )
)


def drawn(n=40, k=10, spread=4.0, seed=0):
    return np.random.default_rng(seed).normal(size=(n, k)) * spread


def plain_distance(features, reference, neighbours):
    """Item by item, the distances to all references sorted."""
    scores = []
    for x in features:
        apart = []
        for r in reference:
            x_unit, r_unit = (row / (np.sqrt(row @ row) or 1) for row in (x, r))
            apart.append(np.sqrt(((x_unit - r_unit) ** 2).sum()))
        scores.append(sorted(apart)[neighbours - 1])
    return np.array(scores)


def test_there_are_the_six_detectors_of_gheibi_2026():
    """Table 7: Energy, MSP, ODIN, Pred. entropy, Logit margin, KNN."""
    assert set(DETECTORS) >= {"energy", "entropy", "knn", "margin", "msp", "odin"}


@given(some_logits)
def test_scores_from_logits_by_another_road(logits):
    z = logits
    assert np.allclose(msp(z), -softmax(z, axis=1).max(axis=1))
    assert np.allclose(msp(z, 7), -softmax(z / 7, axis=1).max(axis=1))
    assert np.allclose(energy(z), -logsumexp(z, axis=1))
    assert np.allclose(energy(z, 7), -7 * logsumexp(z / 7, axis=1))
    assert np.allclose(predictive_entropy(z), entropy(softmax(z, axis=1), axis=1))
    assert np.allclose(logit_margin(z), [-(top - second) for *_, second, top in map(sorted, z)])
    assert np.array_equal(DETECTORS["odin"].score(z), msp(z, 1000))


def test_two_classes_in_closed_form():
    """With logits (0, z) the probability is the logistic function of z."""
    z = np.array([0.5, 1.0, 3.0])
    logits = np.column_stack([np.zeros(3), z])
    assert np.allclose(msp(logits), -1 / (1 + np.exp(-z)))
    assert np.allclose(energy(logits), -np.log1p(np.exp(z)))
    assert np.allclose(logit_margin(logits), -z)


def test_odin_on_logits_is_to_first_order_how_far_the_largest_is_above_the_mean():
    logits = drawn()
    near = -(1 + (logits.max(axis=1) - logits.mean(axis=1)) / 1000) / 10
    assert np.allclose(DETECTORS["odin"].score(logits), near, atol=1e-5)
    assert np.array_equal(np.argsort(DETECTORS["odin"].score(drawn(8)))[:3], np.argsort(near[:8])[:3])


@given(some_logits, st.randoms(use_true_random=False))
def test_neither_the_order_of_items_nor_the_names_of_classes_matter(logits, random):
    items, classes = (random.sample(range(size), size) for size in logits.shape)
    for name in ON_LOGITS:
        score = DETECTORS[name].score
        assert np.allclose(score(logits[items]), score(logits)[items], atol=1e-12)
        assert np.allclose(score(logits[:, classes]), score(logits), atol=1e-12)


@given(some_logits, numbers)
def test_a_constant_on_all_logits_moves_the_energy_alone(logits, constant):
    for name in ("msp", "odin", "entropy", "margin", "energy"):
        moved = DETECTORS[name].score(logits + constant) - DETECTORS[name].score(logits)
        assert np.allclose(moved, -constant if name == "energy" else 0, atol=1e-9)


@pytest.mark.parametrize("name", DETECTORS)
def test_what_the_model_is_sure_of_scores_lower(name):
    """A logit of 9 against nine zeros, and ten zeros; a copy of training items, and their opposite."""
    logits = np.vstack([9 * np.eye(10)[0], np.zeros(10)])
    reference = np.random.default_rng(0).normal(3, 1, (60, 5))
    features = np.vstack([reference[0], -reference[0]])
    sure, unsure = ood_scores(logits, features, reference=reference)[name]
    assert sure < unsure


def test_scores_of_millions_do_not_overflow_and_certain_ones_do_not_tie_too_soon():
    logits = np.array([[1e6, 0.0], [30.0, 0.0], [31.0, 0.0]])
    assert msp(logits).tolist()[0] == -1 and msp(logits)[1] > msp(logits)[2]
    assert energy(logits)[0] == -1e6 and predictive_entropy(logits)[0] == 0


def test_a_class_that_cannot_be_is_as_if_it_did_not_exist():
    logits = drawn(6, 4)
    with_impossible = np.column_stack([logits, np.full(6, -np.inf)])
    for name in ON_LOGITS:
        assert np.allclose(DETECTORS[name].score(with_impossible), DETECTORS[name].score(logits), atol=1e-15)


def test_where_only_one_class_can_be_the_model_is_certain():
    logits = np.array([[2.0, -np.inf, -np.inf]])
    certain = {"msp": -1, "energy": -2, "odin": -1, "entropy": 0, "margin": -np.inf}
    assert {name: values.item() for name, values in ood_scores(logits, detectors=certain).items()} == certain


@given(some_features, st.integers(1, 5))
def test_knn_is_the_distance_to_the_kth_nearest_direction(pair, neighbours):
    features, reference = pair
    assert np.allclose(knn(features, reference, neighbours), plain_distance(features, reference, neighbours), atol=1e-7)


def test_knn_in_many_dimensions_equals_all_distances_sorted():
    rng = np.random.default_rng(1)
    features, reference = np.abs(rng.normal(size=(300, 64))), np.abs(rng.normal(size=(700, 64)))
    units = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (features, reference)]
    assert np.allclose(knn(features, reference), np.sort(cdist(*units), axis=1)[:, 49], rtol=1e-12)


def test_knn_takes_sparse_rows_as_dense_ones():
    rng = np.random.default_rng(2)
    features, reference = (sparse.random_array((n, 30), density=0.2, rng=rng, format="csr") for n in (20, 80))
    dense = knn(features.toarray(), reference.toarray(), 7)
    for rows, known in (
        (features, reference),
        (features, reference.toarray()),
        (features.toarray(), reference),
        (sparse.csr_matrix(features), reference.toarray()),
        (sparse.csr_matrix(features), sparse.coo_matrix(reference)),
    ):
        assert np.allclose(knn(rows, known, 7), dense)


def test_copies_are_at_exactly_zero_and_scale_does_not_matter():
    reference = np.abs(drawn(80, 512))
    assert (knn(reference[:5], np.repeat(reference, 3, axis=0), 3) == 0).all()
    scale = np.array([1e-200, 1e-3, 1.0, 1e3, 1e200])[:, None]
    assert np.allclose(knn(reference[:5] * scale, reference, 3), knn(reference[:5], reference, 3))


def test_a_row_of_zeros_is_at_distance_one_from_every_direction():
    reference = np.vstack([np.zeros((2, 4)), drawn(50, 4)])
    assert np.allclose(knn(np.zeros((1, 4)), reference, 2), 0) and np.allclose(knn(np.zeros((1, 4)), reference, 3), 1)


def test_tensors_and_lists_are_taken_as_arrays():
    logits = drawn(5, 3)
    for other in (torch.tensor(logits, requires_grad=True), logits.tolist()):
        assert np.allclose(ood_scores(other)["energy"], energy(logits))


def test_by_default_those_are_scored_that_the_arrays_allow():
    logits, features = drawn(8, 3), drawn(8, 4)
    assert list(ood_scores(logits)) == ON_LOGITS
    assert list(ood_scores(logits, features, reference=features, neighbours=2)) == list(DETECTORS)
    assert list(ood_scores(logits, detectors=["margin", "msp"])) == ["margin", "msp"]
    assert list(ood_scores(logits, detectors="msp")) == ["msp"]


LOGITS, FEATURES = drawn(6, 3), drawn(6, 4)


def spoiled(values, place, value):
    return np.where(np.arange(values.size).reshape(values.shape) == place, value, values)


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (partial(ood_scores, spoiled(LOGITS, 7, np.nan)), ("row 2 of the logits", "nan", "1 of 6 rows")),
        (partial(ood_scores, spoiled(LOGITS, 7, np.inf)), ("row 2 of the logits", "has inf", "1 of 6 rows")),
        (partial(ood_scores, np.full((2, 3), -np.inf)), ("row 0 of the logits", "has -inf", "2 of 2 rows")),
        (partial(ood_scores, LOGITS[0]), ("logits", "(3,)", "(n, k)")),
        (partial(ood_scores, LOGITS[:0]), ("logits", "(0, 3)", "(n, k)")),
        (partial(ood_scores, LOGITS[:, :1]), ("logits", "1 class", "2 or more")),
        (partial(ood_scores, [["a", "b"]]), ("logits", "(1, 2)", "<U1", "numbers (n, k)")),
        (partial(ood_scores, LOGITS, detectors=["maxlogit"]), ("detector 'maxlogit'", ", ".join(DETECTORS))),
        (partial(ood_scores, LOGITS, detectors=[]), ("no detector", ", ".join(DETECTORS), "None for all")),
        (partial(ood_scores, LOGITS, detectors=["knn"]), ("knn", "features is None")),
        (partial(ood_scores, LOGITS, FEATURES), ("knn", "reference is None")),
        (partial(ood_scores, LOGITS, FEATURES[:5], reference=FEATURES), ("6 items", "features", "(5, 4)", "(n, d)")),
        (partial(knn, FEATURES, FEATURES, 7), ("neighbours is 7", "6 items", "1 to 6")),
        (partial(knn, FEATURES, FEATURES, 0), ("neighbours is 0", "6 items", "1 to 6")),
        (partial(knn, FEATURES, FEATURES[:, :3], 1), ("4 numbers", "reference has 3")),
        (
            partial(knn, spoiled(FEATURES, 9, np.nan), FEATURES, 1),
            ("row 2 of features", "nan in column 1", "1 of 6 rows"),
        ),
        (
            partial(knn, FEATURES, spoiled(FEATURES, 9, -np.inf), 1),
            ("row 2", "reference has -inf in column 1", "1 of 6 rows"),
        ),
        (partial(knn, FEATURES[0], FEATURES, 1), ("features", "(4,)", "(n, d)", "features.reshape(n, -1)")),
        (partial(knn, FEATURES, FEATURES[:0], 1), ("reference", "(0, 4)", "one item")),
        (partial(msp, LOGITS, 0), ("temperature is 0", "above 0")),
        (partial(energy, LOGITS, np.nan), ("temperature is nan", "above 0")),
    ],
)
def test_what_cannot_be_scored_is_refused(call, facts):
    with refuses(*facts):
        call()


def test_scores_are_those_of_pytorch_ood():
    why = "needs pytorch-ood 0.4 (pip install --no-deps) and a torchvision that loads beside this build of torch"
    peer = pytest.importorskip("pytorch_ood.detector", reason=why, exc_type=ImportError)
    logits, features, reference = (torch.tensor(drawn(90, k, 1, seed)) for seed, k in enumerate((7, 5, 5)))
    ours = ood_scores(logits, features, reference=reference)
    neighbours = peer.KNN(None).fit_features(reference, torch.zeros(90, dtype=torch.long))
    theirs = {
        "msp": peer.MaxSoftmax.score(logits),
        "odin": peer.MaxSoftmax.score(logits, t=1000),
        "energy": peer.EnergyBased.score(logits),
        "entropy": peer.Entropy.score(logits),
        "knn": neighbours.predict_features(features),
    }
    for name, scores in theirs.items():
        assert np.allclose(ours[name], scores.numpy(), atol=1e-9), name


def test_scores_of_arrays_need_no_torch():
    code = (
        "import sys, numpy as np; from dissensus.probe import ood_scores, detect_ood, separation;"
        "x = np.eye(3); ood_scores(x, x, reference=x, neighbours=1); separation([0.0], [1.0]);"
        "print('torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
