"""Model files: what is saved comes back, what is broken is refused, and nothing is unpickled."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from dissensus.train.heads.config import HeadConfig, Layer, initial_layers
from dissensus.train.heads.features import FeatureTable
from dissensus.train.heads.head import Head
from dissensus.train.heads.model_files import load_head, save_head
from tests.facts import refuses


def head(kind="mlp", d=5, k=3):
    layers = initial_layers(HeadConfig(kind=kind, hidden=7), d, k)
    return Head(layers, ("cat", "dög", "cow, brown")[:k], {"delivery": "soft", "seed": 3, "nested": {"kl": 0.25}})


@pytest.mark.parametrize("kind", ["mlp", "linear"])
def test_a_saved_head_is_the_same_head(tmp_path, kind):
    made, x = head(kind), np.random.default_rng(0).normal(size=(20, 5))
    save_head(made, tmp_path / "m.safetensors")
    back = load_head(tmp_path / "m.safetensors")
    assert back.classes == made.classes and back.card == made.card
    assert np.array_equal(back.probs(x), made.probs(x))
    card = json.loads((tmp_path / "m.safetensors.json").read_text(encoding="utf-8"))
    assert card["classes"] == ["cat", "dög", "cow, brown"] and card["nested"] == {"kl": 0.25}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m.safetensors", "m.safetensors.json"]


def test_an_mlp_computes_what_torch_computes():
    made, x = head(), np.random.default_rng(0).normal(size=(20, 5))
    (w1, b1), (w2, b2) = ((torch.tensor(w).double(), torch.tensor(b).double()) for w, b in made.layers)
    hidden = torch.nn.functional.gelu(torch.from_numpy(x) @ w1.T + b1)
    assert np.allclose(made.probs(x), torch.softmax(hidden @ w2.T + b2, dim=1).numpy(), atol=1e-12)


def test_predictions_are_distributions_with_the_names_of_the_items():
    found = head("linear").predict(FeatureTable(np.ones((2, 5)), np.array(["a", "b"], dtype=object)))
    assert found.items.tolist() == ["a", "b"] and found.classes == ("cat", "dög", "cow, brown")
    assert np.allclose(found.probs.sum(axis=1), 1)


def test_features_of_another_encoder_are_refused():
    with refuses("(2, 4)", "5 features"):
        head().probs(np.ones((2, 4)))


def test_features_that_say_they_are_of_other_weights_are_refused():
    made = Head(head("linear").layers, ("a", "b", "c"), {"features from": {"weights": "sha256:aa"}})
    same, other = (
        FeatureTable(np.ones((1, 5)), np.array([0]), source={"weights": f"sha256:{w}"}) for w in ("aa", "bb")
    )
    assert made.predict(same).n_items == 1
    with refuses("trained", "sha256:aa", "these are of sha256:bb"):
        made.predict(other)


def test_broken_and_foreign_files_are_refused_and_pickles_never_run(tmp_path):
    target = tmp_path / "m.safetensors"
    with refuses(target, "no such file"):
        load_head(target)
    save_head(head(), target)
    target.write_bytes(target.read_bytes()[:-10])
    with refuses(target, "readable safetensors", "cut short"):
        load_head(target)
    target.write_bytes(pickle.dumps({"weights": [1, 2]}))
    with refuses(target, "readable safetensors", "header"):
        load_head(target)
    save_file({"x": np.ones(3)}, target)
    with refuses(target, "not a model", "'card'", "`dissensus fit`", "`dissensus train`"):
        load_head(target)
    with refuses(tmp_path / "m.pkl", ".safetensors"):
        save_head(head(), tmp_path / "m.pkl")


def test_layers_that_do_not_fit_are_refused():
    with refuses("layer 0", "(2, 5)", "2 biases", "expected 3"):
        Head((Layer(np.ones((2, 5)), np.ones(2)),), ("a", "b", "c"))
    with refuses("layer 0", "not finite"):
        Head((Layer(np.full((2, 5), np.nan), np.ones(2)),), ("a", "b"))
