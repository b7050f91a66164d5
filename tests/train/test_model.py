"""Every model there is serves one protocol: classes, logits, probs, predict, and features where it has any."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dissensus import Distributions
from dissensus.train.estimators import SoftLabelClassifier
from dissensus.train.expand_rows import ExpandRows
from dissensus.train.heads.config import HeadConfig
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.fitting import FitConfig, train_head
from dissensus.train.heads.head import Head
from dissensus.train.heads.logistic import soft_logistic
from dissensus.train.heads.model_files import load_head, save_head
from dissensus.train.heads.training import train_heads
from dissensus.train.model import FeatureModel, Model, as_model, log_softmax, predict_with, softmax
from tests.facts import refuses

N, D, CLASSES = 60, 5, ("cat", "dög", "cow, brown")


@cache
def crowd():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(N, D)).astype(np.float32)
    probs = softmax(2 * x @ rng.normal(size=(D, 3)))
    return x, Distributions.from_counts(rng.multinomial(9, probs) + 1, classes=CLASSES)


class Own:
    """A user's model, which inherits from nothing of ours."""

    classes = CLASSES

    def logits(self, inputs):
        return np.asarray(inputs, dtype=np.float64)[:, :3]

    def probs(self, inputs):
        return softmax(self.logits(inputs))

    def predict(self, inputs, items=None):
        return predict_with(self, inputs, items)


def trained(kind, engine="numba"):
    x, labels = crowd()
    (found,) = train_heads(x, labels, [HeadConfig(kind=kind, hidden=7, epochs=2)], engine=engine)
    return found.head


def fitted(head, **settings):
    x, labels = crowd()
    return train_head(FeatureTable(x, labels.items), labels, FitConfig(head=head, **settings), lambda notice: None)


def solved(classes):
    x, labels = crowd()
    part = Distributions.from_mass(labels.probs[:, :classes]).probs
    return Head((soft_logistic(x, part, np.ones(N)).layer,), CLASSES[:classes])


def estimator(head="linear", **settings):
    x, labels = crowd()
    return SoftLabelClassifier(head, epochs=2, random_state=0, **settings).fit(x, labels)


def with_a_class_nobody_named():
    x, labels = crowd()
    counts = np.insert(labels.counts(), 1, 0, axis=1)
    return as_model(SoftLabelClassifier(missing_classes="zero").fit(x, counts))


def pipeline():
    x, labels = crowd()
    return make_pipeline(StandardScaler(), SoftLabelClassifier()).fit(x, labels.counts())


MODELS = {
    "trained mlp": lambda: trained("mlp"),
    "trained mlp, torch": lambda: trained("mlp", "torch"),
    "trained linear": lambda: trained("linear"),
    "fit mlp": lambda: fitted("mlp"),
    "fit logistic, standardised": lambda: fitted("logistic", standardise=True),
    "solved, three classes": lambda: solved(3),
    "solved, two classes": lambda: solved(2),
    "head of the estimator": lambda: estimator().head_,
    "linear estimator": lambda: as_model(estimator()),
    "mlp estimator": lambda: as_model(estimator("mlp")),
    "estimator with a class nobody named": with_a_class_nobody_named,
    "expanded rows": lambda: as_model(ExpandRows(LogisticRegression()).fit(*crowd())),
    "pipeline": lambda: as_model(pipeline()),
    "a user's own": Own,
}


@cache
def made(name):
    return MODELS[name]()


@pytest.mark.parametrize("name", MODELS)
@given(st.integers(0, 10_000), st.integers(1, 20))
def test_every_model_serves_the_protocol(name, seed, n):
    model, inputs = made(name), np.random.default_rng(seed).normal(size=(n, D)).astype(np.float32)
    assert isinstance(model, Model) and all(isinstance(label, str) for label in model.classes)
    logits, probs = model.logits(inputs), model.probs(inputs)
    assert logits.shape == probs.shape == (n, len(model.classes)) and logits.dtype == probs.dtype == np.float64
    assert np.abs(probs.sum(axis=1) - 1).max() < 1e-12 and (probs >= 0).all()
    assert np.allclose(softmax(logits), probs, rtol=0, atol=1e-12)
    names = [f"i{row}" for row in range(n)]
    named, numbered = model.predict(inputs, items=names), model.predict(inputs)
    assert isinstance(named, Distributions) and named.classes == model.classes and named.items.tolist() == names
    assert numbered.items.tolist() == list(range(n)) and np.array_equal(named.probs, probs)
    if isinstance(model, FeatureModel):
        features = model.features(inputs)
        weight, bias = model.layers[-1]
        assert features.shape[0] == n and np.array_equal(features @ weight.T.astype(np.float64) + bias, logits)


def test_heads_show_features_and_classifiers_have_none():
    assert {name for name in MODELS if isinstance(made(name), FeatureModel)} == {
        name for name in MODELS if isinstance(made(name), Head)
    }


@pytest.mark.parametrize("name", [name for name in MODELS if isinstance(made(name), Head)])
def test_a_head_gives_the_same_bits_after_it_was_saved_and_loaded(name, tmp_path):
    model, x = made(name), crowd()[0]
    save_head(model, tmp_path / "m.safetensors")
    back = load_head(tmp_path / "m.safetensors")
    for part in (x, x.astype(np.float64), x[:1]):
        assert np.array_equal(back.logits(part), model.logits(part)) and np.array_equal(
            back.probs(part), model.probs(part)
        )
    assert [layer.weight.dtype for layer in back.layers] == [layer.weight.dtype for layer in model.layers]
    assert back.predict(x) == model.predict(x)


def test_the_layout_of_weights_in_memory_changes_no_bit():
    x, model = crowd()[0], made("trained mlp")
    other = Head(tuple((np.asfortranarray(weight), bias) for weight, bias in model.layers), model.classes)
    assert np.array_equal(other.logits(x), model.logits(x))


@pytest.mark.parametrize("name", ["trained mlp", "fit logistic, standardised"])
def test_arrays_tensors_sparse_matrices_and_tables_are_the_same_inputs(name):
    x, model = crowd()[0], made(name)
    logits = model.logits(x)
    assert np.array_equal(model.logits(torch.tensor(x, requires_grad=True)), logits)
    assert np.array_equal(model.logits(x.tolist()), logits)
    assert np.allclose(model.logits(sparse.csr_matrix(x)), logits, atol=1e-12)
    table = FeatureTable(x, np.array([f"i{row}" for row in range(N)], dtype=object))
    assert np.array_equal(model.logits(table), logits) and model.predict(table).items.tolist()[:2] == ["i0", "i1"]


def test_the_forward_pass_is_torchs_in_double_precision():
    x, model = crowd()[0].astype(np.float64), made("trained mlp")
    (w1, b1), (w2, b2) = ((torch.tensor(weight).double(), torch.tensor(bias).double()) for weight, bias in model.layers)
    hidden = torch.nn.functional.gelu(torch.from_numpy(x) @ w1.T + b1)
    assert np.allclose(model.logits(x), (hidden @ w2.T + b2).numpy(), atol=1e-13)
    assert np.allclose(model.features(x), hidden.numpy(), atol=1e-13)


def test_the_estimator_and_its_head_say_the_same():
    x, _ = crowd()
    for model in (estimator(), estimator("mlp")):
        assert np.array_equal(model.head_.probs(x), model.predict_proba(x))
        assert as_model(model).predict(x).classes == CLASSES


def test_what_is_no_model_is_refused():
    with refuses("a dict", "predict_proba", "Network(module, classes, mean, std)"):
        as_model({})
    with refuses("SoftLabelClassifier", "been fitted", "call fit"):
        as_model(SoftLabelClassifier())
    with refuses("row 2", "nan in column 1", "finite", "1 of 60 rows"):
        made("trained mlp").probs(np.where(np.arange(N * D).reshape(N, D) == 11, np.nan, crowd()[0]))


@given(st.integers(0, 10_000))
def test_softmax_is_the_formula_also_far_from_zero(seed):
    logits = np.random.default_rng(seed).normal(size=(4, 3)) * 100 + 1000
    exact = np.exp(logits - logits.max(axis=1, keepdims=True))
    assert np.allclose(softmax(logits), exact / exact.sum(axis=1, keepdims=True), atol=1e-14)
    assert np.allclose(log_softmax(logits + 5), log_softmax(logits))
