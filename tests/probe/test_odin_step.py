"""ODIN's step on the input: known in closed form for a linear model, in the units of pixels for a network."""

import numpy as np
import torch
from torch import nn

from dissensus.probe import odin
from dissensus.probe.ood import msp
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

MEAN, STD = (0.5, 0.4, 0.3), (0.2, 0.25, 0.3)


def network():
    torch.manual_seed(0)
    return Network(tiny().eval(), CLASSES, MEAN, STD)


def test_the_step_of_a_linear_model_is_known():
    """z = W x: the loss falls along W_y - sum_c p_c W_c, so the score is that of x plus epsilon times its sign."""
    rng = np.random.default_rng(0)
    weight, x = rng.normal(size=(3, 5)), rng.normal(size=(7, 5))
    module = nn.Linear(5, 3, bias=False, dtype=torch.float64)
    with torch.no_grad():
        module.weight.copy_(torch.tensor(weight))
    tempered = np.exp(x @ weight.T / 10)
    probs = tempered / tempered.sum(axis=1, keepdims=True)
    towards = weight[(x @ weight.T).argmax(axis=1)] - probs @ weight  # (7, 5)
    moved = x + 0.05 * np.sign(towards)
    assert np.allclose(odin(module, torch.tensor(x), temperature=10, epsilon=0.05), msp(moved @ weight.T, 10))


def test_a_step_of_zero_is_the_temperature_alone():
    images, _ = blobs(20)
    model = network()
    assert np.allclose(odin(model, images, epsilon=0), msp(model.logits(images), 1000), atol=1e-12)


def test_epsilon_is_a_share_of_the_range_of_pixels_whatever_the_normalisation():
    """A network that normalises differently and undoes it inside is given the same step."""
    images, _ = blobs(20)
    plain = network()
    mean, std = (torch.tensor(numbers)[:, None, None] for numbers in (MEAN, STD))

    class Normalised(nn.Module):
        def forward(self, x):
            return plain.module((x - mean) / std)

    inside = Network(Normalised(), CLASSES, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    for epsilon in (0.0014, 4 / 255):
        # A gradient of a millionth may have either sign in single precision, and such pixels hardly matter.
        both = odin(plain, images, epsilon=epsilon), odin(inside, images, epsilon=epsilon)
        assert np.allclose(*both, atol=1e-7) and np.ptp(both[0]) > 1e-5


def test_the_step_makes_the_network_surer():
    images, _ = blobs(30)
    model = network()
    scores = [odin(model, images, temperature=1, epsilon=epsilon) for epsilon in (0, 0.005, 0.01)]
    assert (scores[1] < scores[0]).all() and (scores[2] < scores[1]).all()


def test_batches_and_modes_and_gradients_leave_no_trace():
    images, _ = blobs(20)
    model = network()
    model.module.train()
    weights = {name: weight.clone() for name, weight in model.module.state_dict().items()}
    calls = []
    whole = odin(model, images)
    with torch.inference_mode():
        parts = odin(model, images, batch=7, progress=lambda done, total: calls.append((done, total)))
    assert np.allclose(whole, parts, atol=1e-9) and calls == [(1, 3), (2, 3), (3, 3)]
    assert all(part.training for part in model.module.modules())
    assert all(weight.grad is None and weight.requires_grad for weight in model.module.parameters())
    assert all(torch.equal(weights[name], weight) for name, weight in model.module.state_dict().items())


def test_what_cannot_be_stepped_is_refused():
    images, _ = blobs(6)
    model = network()
    for call, facts in (
        (lambda: odin(model, images, epsilon=4), ("epsilon is 4", "0 up to 1", "4 / 255")),
        (lambda: odin(model, images, epsilon=float("nan")), ("epsilon is nan", "0 up to 1")),
        (lambda: odin(model, images, temperature=0), ("temperature is 0", "above 0")),
        (lambda: odin(model, images, batch=0), ("batch is 0", "1 or more")),
        (
            lambda: odin(model.module, images),
            ("inputs", "an ImageTable", "tensor of floats", "Network(module, classes, mean, std)"),
        ),
        (
            lambda: odin(model.module.train(), torch.zeros(2, 3, 8, 8)),
            ("BatchNorm2d (1)", "train mode", "model.eval()"),
        ),
        (lambda: odin(nn.Conv2d(3, 3, 1), torch.zeros(2, 3, 8, 8)), ("torch.Size([2, 3, 8, 8])", "logits (b, k)")),
        (lambda: odin("model", images), ("a str", "a Network", "torch module")),
        (
            lambda: odin(nn.Linear(2, 2), torch.tensor([[0.0, 1.0], [np.nan, 0.0]])),
            ("row 1 of the logits", "nan", "1 of 2 rows"),
        ),
    ):
        with refuses(*facts):
            call()
