"""Any torch module is a model like every other."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.evaluate import soft_nll
from dissensus.train import NETWORKS, Network, as_model
from dissensus.train.model import FeatureModel
from dissensus.train.network import last_linear
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)


def network(module=None):
    torch.manual_seed(0)
    return Network(tiny() if module is None else module, CLASSES, MEAN, STD)


def test_a_users_module_speaks_the_protocol_of_models():
    table, people = blobs(20)
    ours = network()
    assert isinstance(ours, FeatureModel) and as_model(ours) is ours
    predictions = ours.predict(table)
    assert predictions.items.tolist() == table.items.tolist() and predictions.classes == CLASSES
    np.testing.assert_allclose(ours.probs(table).sum(axis=1), 1)
    assert soft_nll(predictions.probs, people.probs).min() > 0


def test_it_predicts_what_the_module_gives_in_eval_mode():
    table, _ = blobs(300)  # more than one batch
    ours = network()
    x = torch.tensor(((table.pixels / 255 - np.array(MEAN)) / np.array(STD)).transpose(0, 3, 1, 2), dtype=torch.float32)
    with torch.no_grad():
        expected = ours.module.eval()(x).numpy()
    np.testing.assert_allclose(ours.logits(table), expected, atol=1e-5)


def test_logits_are_a_linear_function_of_the_features():
    table, _ = blobs(20)
    ours = network(NETWORKS["small"](classes=3, width=4, depth=2))
    layer = last_linear(ours.module)
    features = ours.features(table)
    assert features.shape == (20, 8)
    linear = features @ layer.weight.detach().numpy().T + layer.bias.detach().numpy()
    np.testing.assert_allclose(linear, ours.logits(table), atol=1e-5)


def test_predicting_changes_neither_mode_nor_statistics_nor_hooks():
    module = tiny()
    module[1].eval()  # frozen batch norm in a module that trains
    before = {name: value.clone() for name, value in module.state_dict().items()}
    ours = network(module)
    ours.predict(blobs(5)[0])
    ours.features(blobs(5)[0])
    assert module.training and not module[1].training
    assert all(torch.equal(value, module.state_dict()[name]) for name, value in before.items())
    assert not any(part._forward_pre_hooks for part in module.modules())


def test_a_refused_prediction_leaves_modes_as_they_were_at_once():
    """The error keeps the frames alive, so what waits for their end would change modes in the midst of other work."""
    module = tiny()
    ours = Network(module, (*CLASSES, "one more"), MEAN, STD)
    for predict in (ours.logits, ours.predict):
        with pytest.raises(ValueError) as kept:
            predict(blobs(5)[0])
        assert kept.value is not None and module.training
        assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()


def test_other_images_are_refused():
    grey = blobs(3)[0].pixels[..., :1]
    with refuses("grey", "colour", "np.repeat(pixels, 3, axis=3)"):
        network().logits(grey)


@pytest.mark.parametrize(
    ("make", "facts"),
    [
        (lambda: Network(3, CLASSES, MEAN, STD), ("a int", "torch module", "nn.Module")),
        (lambda: Network(tiny(), CLASSES, (0.5,), STD), (f"mean is (0.5,) and std is {STD}", "each channel")),
        (
            lambda: Network(tiny(), CLASSES, (128, 128, 128), (64, 64, 64)),
            ("mean is (128.0, 128.0, 128.0)", "std is (64.0, 64.0, 64.0)", "0 to 1"),
        ),
        (lambda: Network(tiny(), CLASSES, MEAN, (0.2, 0, 0.2)), ("std is (0.2, 0.0, 0.2)", "above 0")),
        (lambda: network(nn.Conv2d(3, 3, 8)).logits(blobs(2)[0]), ("logits", "(2, 3, 1, 1)", "3 classes")),
        (lambda: network(nn.Conv2d(3, 3, 8)).features(blobs(2)[0]), ("Conv2d", "no nn.Linear")),
    ],
)
def test_what_cannot_be_a_model_is_refused(make, facts):
    with refuses(*facts):
        make()


def test_a_bare_module_is_refused_with_the_way_to_make_it_a_model():
    with refuses("a Sequential", "Network(module, classes, mean, std)"):
        as_model(tiny())


def test_the_repr_says_what_it_is():
    assert repr(network(partial(NETWORKS["small"], 3, width=4)())).startswith("<Network small:")
