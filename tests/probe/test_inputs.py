"""Models that stand still, and batches that are the same each time."""

import sys
from functools import partial

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.probe import (
    barrier,
    fgsm,
    grad_cam,
    image_batches,
    loss_line,
    odin,
    random_direction,
    top_eigenvalues,
    trace,
)
from dissensus.probe.inputs import soft_targets, still
from dissensus.probe.last_layer import last_layer_inputs
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)


def test_batches_are_what_the_network_is_called_with_and_come_again():
    images, shares = blobs(20)
    network = Network(tiny().eval(), CLASSES, HALF, HALF)
    batches = image_batches(network, images, shares, batch=8)
    assert len(batches) == 3 and [len(x) for x, _ in batches] == [8, 8, 4]
    with torch.no_grad():
        logits = torch.cat([network.module(x) for x, _ in batches]).double().numpy()
    assert np.allclose(logits, network.logits(images), atol=1e-6)
    assert np.allclose(np.concatenate([y for _, y in batches]), shares.probs)


def test_one_hot_rows_and_classes_are_the_same_targets():
    codes = np.array([2, 0, 1])
    assert np.array_equal(soft_targets(codes, 3), soft_targets(np.eye(3)[codes], 3))


def test_a_network_is_in_eval_mode_meanwhile_and_as_it_was_afterwards():
    module = tiny().train()
    with still(Network(module, CLASSES, HALF, HALF)) as inside:
        assert not any(part.training for part in inside.modules())
    assert all(part.training for part in module.modules())


@pytest.mark.parametrize("layer", [nn.BatchNorm2d(3), nn.Dropout(0.1), nn.AlphaDropout(0.1)])
def test_a_module_in_train_mode_is_refused_if_that_matters(layer):
    module = nn.Sequential(layer, nn.Flatten())
    with refuses(f"{type(layer).__name__} (0)", "train mode", "1 such", "model.eval()"), still(module):
        pass
    with still(module.eval()), still(nn.Sequential(nn.Dropout(0.0), nn.Linear(1, 1))):
        pass


def test_what_cannot_be_probed_is_refused():
    images, shares = blobs(20)
    network = Network(tiny().eval(), CLASSES, HALF, HALF)
    with refuses("20 rows of images", "19 of labels"):
        image_batches(network, images, shares.select(np.arange(19)))
    with refuses("row 0", "images is item p0", "labels is item p19", "20 of 20 rows"):
        image_batches(network, images, shares.select(np.arange(19, -1, -1)))
    assert len(image_batches(network, images.pixels, shares)) == 1  # rows without names go by their order
    with refuses("batch is 0", "1 or more"):
        image_batches(network, images, shares, batch=0)
    with refuses("a str", "a Network", "torch module"), still("model.safetensors"):
        pass


class Shifted(nn.Module):
    """Begins by changing what it is given."""

    def forward(self, x):
        return x.sub_(0.5).mul_(2)


def begins_in_place(seed=0):
    torch.manual_seed(seed)
    return nn.Sequential(
        Shifted(), nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 3)
    ).eval()


def begins_with_a_copy():
    return nn.Sequential(Copied(), *begins_in_place())


class Copied(nn.Module):
    def forward(self, x):
        return x.clone()


def every_probe(module, batches):
    """One number or more of each probe that takes any module."""
    (inputs, targets), *_ = batches
    return {
        "top_eigenvalues": lambda: top_eigenvalues(module, batches, 1, np.random.default_rng(0)).value,
        "trace": lambda: trace(module, batches, np.random.default_rng(0), draws=2).value,
        "barrier": lambda: barrier(module, module, batches, points=3).renewed.loss,
        "loss_line": lambda: (
            loss_line(module, batches, random_direction(module, np.random.default_rng(0)), points=2).loss
        ),
        "grad_cam": lambda: grad_cam(module, inputs, targets, relu=False),
        "gradient_variance": lambda: last_layer_inputs(module, batches)[0],
        "fgsm": lambda: fgsm(module, inputs, targets).numpy(),
        "odin": lambda: odin(module, inputs),
    }


PROBES = list(every_probe(None, [(None, None)]))
BATCHES = [(torch.rand(12, 3, 6, 6), torch.arange(12) % 3), (torch.rand(30, 3, 6, 6), torch.arange(30) % 3)]


@pytest.mark.parametrize("name", PROBES)
def test_a_module_that_changes_what_it_is_given_does_not_change_the_batches(name):
    before = [inputs.clone() for inputs, _ in BATCHES]
    result = every_probe(begins_in_place(), BATCHES)[name]()
    assert all(torch.equal(inputs, copy) for (inputs, _), copy in zip(BATCHES, before, strict=True))
    assert np.allclose(result, every_probe(begins_with_a_copy(), BATCHES)[name](), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", PROBES)
@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode, partial(torch.autocast, "cpu")])
def test_what_the_caller_has_switched_on_does_not_matter(name, around):
    module = begins_in_place()
    expected = every_probe(module, BATCHES)[name]()
    with around():
        batches = [(inputs.clone(), targets.clone()) for inputs, targets in BATCHES]
        result = every_probe(module, batches)[name]()
    coarse = isinstance(around, partial) and name not in ("top_eigenvalues", "trace")  # half precision was asked for
    assert np.allclose(result, expected, rtol=1e-4, atol=0.05 if coarse else 1e-6)


@pytest.mark.parametrize("name", ["top_eigenvalues", "trace", "barrier", "fgsm", "odin", "grad_cam"])
def test_a_module_that_gives_more_than_logits_is_refused(name):
    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = begins_in_place()

        def forward(self, x):
            return {"logits": self.inner(x)}

    with refuses("module", "dict", "logits"):
        every_probe(Several().eval(), BATCHES)[name]()


@pytest.mark.parametrize(
    ("layer", "name"),
    [
        (nn.LSTM(3, 4, num_layers=2, dropout=0.1), "LSTM (0)"),
        (nn.MultiheadAttention(4, 2, dropout=0.1), "MultiheadAttention (0)"),
        (nn.utils.spectral_norm(nn.Linear(3, 3)), "Linear (0)"),
        (nn.utils.parametrizations.spectral_norm(nn.Linear(3, 3)), "0.parametrizations.weight.0"),
    ],
)
def test_dropout_inside_a_layer_and_spectral_norm_are_refused_in_train_mode(layer, name):
    with refuses(name, "train mode", "1 such", "model.eval()"), still(nn.Sequential(layer)):
        pass
    with still(nn.Sequential(layer).eval()):
        pass


def test_a_module_whose_weights_are_not_made_yet_is_refused():
    with refuses("0.weight", "no shape", "2 such weights"):
        barrier(nn.Sequential(nn.LazyLinear(3)), nn.Sequential(nn.LazyLinear(3)), BATCHES)


def test_copies_on_several_devices_are_probed_as_the_module_inside():
    module, (inputs, targets) = begins_in_place(), BATCHES[0]
    wrapped = nn.DataParallel(module)
    for layer, inner in ((None, None), ("module.1", "1")):
        assert np.array_equal(
            grad_cam(wrapped, inputs, targets, layer=layer), grad_cam(module, inputs, targets, layer=inner)
        )


@pytest.mark.skipif(sys.platform == "win32", reason="torch.compile needs a Unix")
def test_compiled_modules_bend_as_they_do_before():
    """torch.compile dropped part of the second derivatives: 1.10 where the eigenvalue is 1.68."""

    class Around(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, x):
            return self.inner(x)

    module = begins_with_a_copy()
    compiled = torch.compile(module, backend="eager")
    expected = top_eigenvalues(module, BATCHES, 1, np.random.default_rng(0)).value
    for given in (compiled, Around(compiled)):
        assert np.allclose(top_eigenvalues(given, BATCHES, 1, np.random.default_rng(0)).value, expected, rtol=1e-3)
    with still(compiled) as inside:
        assert inside is module


@pytest.mark.parametrize("name", PROBES)
def test_inputs_are_brought_to_the_precision_of_the_weights(name):
    doubles = [(inputs.double(), targets) for inputs, targets in BATCHES]
    single, double = (every_probe(begins_in_place().double(), batches)[name]() for batches in (BATCHES, doubles))
    assert np.allclose(single, double, atol=1e-5)
