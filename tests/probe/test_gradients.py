"""Variance of the last layer's gradient under label sampling: autograd label by label, and by simulation."""

import json
import subprocess
import sys

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr
from torch import nn
from torch.nn import functional

from dissensus.labels.distances import entropy
from dissensus.probe import gradient_variance, gradient_variance_of_features, image_batches
from dissensus.probe.gradients import sample_gradient_variance
from dissensus.probe.last_layer import last_layer_inputs
from dissensus.train import Network
from tests.facts import refuses, states
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)


def net(bias=True):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3, bias=bias)).double()


def people(n=12, seed=0):
    generator = torch.Generator().manual_seed(seed)
    shares = torch.rand(n, 3, generator=generator, dtype=torch.float64) ** 3
    return torch.randn(n, 4, generator=generator, dtype=torch.float64), shares / shares.sum(dim=1, keepdim=True)


def gradients_by_label(module, x):
    """The gradient of the last layer for each label of one item, by autograd.  (k, weights)"""
    weights = list(module[2].parameters())
    rows = []
    for label in range(3):
        loss = functional.cross_entropy(module(x[None]), torch.tensor([label]))
        rows.append(torch.cat([part.flatten() for part in torch.autograd.grad(loss, weights)]))
    return torch.stack(rows)


@pytest.mark.parametrize("bias", [True, False])
def test_it_is_the_variance_of_the_gradients_that_autograd_gives_for_each_label(bias):
    module, (x, p) = net(bias), people()
    slow = []
    for item, shares in zip(x, p, strict=True):
        each = gradients_by_label(module, item)
        slow.append(float((shares * ((each - shares @ each) ** 2).sum(dim=1)).sum()))
    exact = gradient_variance(module, [(x[:5], p[:5]), (x[5:], p[5:])])
    assert np.allclose(exact.variance, slow, rtol=1e-12)
    assert np.allclose(exact.entropy, entropy(p.numpy())) and not exact.error.any()
    features, targets = last_layer_inputs(module, [(x[:5], p[:5]), (x[5:], p[5:])])
    assert np.array_equal(gradient_variance_of_features(targets, features, bias=bias).variance, exact.variance)


def test_what_the_model_predicts_has_no_influence():
    module, (x, p) = net(), people()
    before = gradient_variance(module, [(x, p)]).variance
    with torch.no_grad():
        module[2].weight.mul_(-30).add_(1)
    assert np.array_equal(gradient_variance(module, [(x, p)]).variance, before)


def test_items_that_all_agree_about_have_no_variance_whether_as_classes_or_one_hot():
    module, (x, p) = net(), people()
    codes = p.argmax(dim=1)
    for targets in (codes, torch.eye(3)[codes]):
        exact = gradient_variance(module, [(x, targets)])
        assert not exact.variance.any() and not exact.entropy.any() and np.isnan(exact.spearman)
        assert exact.as_json()["spearman"] is None


def test_nearly_certain_targets_keep_their_digits():
    rest = 2.0**-50
    exact = gradient_variance_of_features([[1 - rest, rest]], [[3.0]])
    assert exact.variance[0] == pytest.approx(20 * rest, rel=1e-9)


def test_of_a_network_on_images_it_uses_its_features():
    images, shares = blobs(30)
    network = Network(tiny().train(), CLASSES, HALF, HALF)
    steps = []
    batches = image_batches(network, images, shares, batch=8)
    exact = gradient_variance(network, batches, progress=lambda done, total: steps.append((done, total)))
    again = gradient_variance_of_features(shares.probs, network.features(images))
    assert np.allclose(exact.variance, again.variance, rtol=1e-5, atol=1e-7)
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)] and all(part.training for part in network.module.modules())
    assert not any(part._forward_hooks for part in network.module.modules())
    assert exact.spearman == pytest.approx(spearmanr(exact.variance, exact.entropy)[0], abs=1e-3)
    assert json.loads(json.dumps(exact.as_json())) == {
        "items": 30,
        "mean": exact.variance.mean(),
        "spearman": exact.spearman,
    }
    assert states(repr(exact), "GradientVariance", "variance=30", "entropy=30", "error=30")


def test_simulated_gradients_have_the_variance_that_is_computed_from_the_labels_drawn():
    module, (x, p) = net(), people()
    features, targets = last_layer_inputs(module, [(x, p)])
    sampled = sample_gradient_variance(targets, features, np.random.default_rng(3), draws=50)
    drawn = np.random.default_rng(3).multinomial(50, targets)
    for item, counts, variance in zip(x, drawn, sampled.variance, strict=True):
        each = gradients_by_label(module, item).repeat_interleave(torch.tensor(counts), dim=0)
        assert variance == pytest.approx(float(each.var(dim=0).sum()), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("draws", [2, 10, 100])
def test_simulation_is_right_on_average_and_its_error_is_the_spread_over_simulations(draws):
    p = np.array([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3], [1.0, 0.0, 0.0]])
    features = np.arange(8.0).reshape(4, 2)
    rng = np.random.default_rng(0)
    exact = gradient_variance_of_features(p, features)
    many = np.stack([sample_gradient_variance(p, features, rng, draws=draws).variance for _ in range(2000)])
    error = sample_gradient_variance(p, features, rng, draws=draws).error
    assert (np.abs(many.mean(axis=0) - exact.variance) <= 4 * error / np.sqrt(2000)).all()
    assert np.allclose(many.std(axis=0), error, rtol=0.08) and error[3] == 0


def test_variance_rises_with_disagreement_and_follows_it_exactly_where_features_are_equally_long():
    rng = np.random.default_rng(0)
    p = np.concatenate([[[1.0, 0.0]], np.stack([share := rng.uniform(0, 1, 200), 1 - share], axis=1)])
    directions = rng.normal(size=(201, 5))
    same = gradient_variance_of_features(p, directions / np.linalg.norm(directions, axis=1, keepdims=True))
    assert same.spearman == pytest.approx(1)
    assert 0.5 < gradient_variance_of_features(p, directions).spearman < 1


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(self.layer(x))


@pytest.mark.parametrize(
    ("module", "facts"),
    [
        (nn.Sequential(nn.Flatten()), ("Sequential", "no nn.Linear")),
        (Twice(), ("last nn.Linear", "Twice", "2 times")),
        (nn.Sequential(nn.Linear(4, 3), nn.ReLU(inplace=True)), ("last nn.Linear", "Sequential", "nothing behind it")),
        (nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.1)).train(), ("Dropout (1)", "train mode", "model.eval()")),
    ],
)
def test_models_whose_last_layer_is_not_linear_are_refused(module, facts):
    x, p = people()
    with refuses(*facts):
        gradient_variance(module, [(x.float(), p)])
    assert not any(part._forward_hooks for part in module.modules())


def test_what_is_not_a_target_or_a_feature_is_refused():
    module, (x, p) = net(), people()
    with refuses("target row 0", "sums to 2", "expected 1", "12 of 12 rows"):
        gradient_variance(module, [(x, 2 * p)])
    with refuses("target 11", "class 3", "3 classes", "0..2", "1 of 12"):
        gradient_variance(module, [(x, torch.tensor([0] * 11 + [3]))])
    with refuses("batch 0", "a Tensor and a ndarray", "`image_batches`"):
        gradient_variance(module, [(x, p.numpy())])
    with refuses("no batches", "a list"):
        gradient_variance(module, iter([]))
    x[7, 1] = torch.nan
    with refuses("features", "item 2 of batch 1", "not finite", "1 of 7 items"):
        gradient_variance(module, [(x[:5], p[:5]), (x[5:], p[5:])])
    shares, features = p.numpy(), np.ones((12, 2))
    with refuses("targets", "(12, 3)", "features (11, 2)", "(n, k) and (n, d)"):
        gradient_variance_of_features(shares, features[:11])
    with refuses("target row 0", "[3. 0. 1.]", "sum to 1", "12 of 12", "Distributions.from_counts(counts).probs"):
        gradient_variance_of_features(np.tile([3, 0, 1], (12, 1)), features)
    with refuses("row 0 of features", "inf in column 0", "finite", "12 of 12"):
        gradient_variance_of_features(shares, features * np.inf)
    with refuses("draws is 1", "2 or more"):
        sample_gradient_variance(shares, features, np.random.default_rng(0), draws=1)


def test_arrays_need_no_torch():
    code = (
        "import sys; from dissensus.probe import gradient_variance, gradient_variance_of_features, linear_cka, "
        "saliency_stability, similarity_to_people; from dissensus.probe.gradients import sample_gradient_variance; "
        "from dissensus.probe.representation import cka_of_batches; print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
