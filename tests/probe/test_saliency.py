"""Grad-CAM: closed forms, soft and hard targets, and models that stay as they were."""

import numpy as np
import pytest
import torch
from torch import nn

from dissensus.probe import grad_cam, image_batches
from dissensus.train import NETWORKS, Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, blobs, tiny

HALF = (0.5, 0.5, 0.5)


class Mean(nn.Module):
    def forward(self, maps):
        return maps.mean(dim=(2, 3))


def convolution_mean_linear(inplace=False):
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(3, 5, 3, padding=1), nn.ReLU(inplace), Mean(), nn.Linear(5, 4)).double().eval()


def pictures(b=6, side=8, seed=0):
    return torch.randn(b, 3, side, side, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_a_mean_over_pixels_and_a_linear_layer_give_the_class_activation_map():
    """Zhou et al. (2016): the maps weighted by the row of the class, here over the number of pixels."""
    module, x, codes = convolution_mean_linear(), pictures(), torch.tensor([0, 1, 2, 3, 0, 1])
    maps = module[1](module[0](x)).detach()
    expected = torch.einsum("bchw,bc->bhw", maps, module[3].weight.detach()[codes]) / 64
    assert np.allclose(grad_cam(module, x, codes, layer="1", relu=False), expected, atol=1e-14)
    assert np.allclose(grad_cam(module, x, codes, layer=module[1]), expected.clamp(min=0), atol=1e-14)


@pytest.mark.parametrize("inplace", [False, True])
def test_the_layer_may_be_followed_by_a_relu_in_place(inplace):
    module, x, codes = convolution_mean_linear(inplace), pictures(), torch.tensor([0, 1, 2, 3, 0, 1])
    maps = module[0](x).detach()
    slope = (maps > 0).double().mean(dim=(2, 3)) * module[3].weight.detach()[codes] / 64
    expected = torch.einsum("bchw,bc->bhw", maps, slope)
    assert np.allclose(grad_cam(module, x, codes, relu=False), expected, atol=1e-14)


def test_one_hot_targets_are_classes_and_soft_ones_weight_the_maps_of_the_classes():
    module, x = convolution_mean_linear(), pictures()
    codes = torch.tensor([3, 1, 2, 0, 0, 1])
    assert np.array_equal(grad_cam(module, x, torch.eye(4)[codes]), grad_cam(module, x, codes))
    shares = torch.distributions.Dirichlet(torch.ones(4, dtype=torch.float64)).sample((6,))
    each = np.stack([grad_cam(module, x, torch.full((6,), c), relu=False) for c in range(4)])
    assert np.allclose(grad_cam(module, x, shares, relu=False), np.einsum("cbhw,bc->bhw", each, shares), atol=1e-14)
    chosen = module(x).argmax(dim=1)
    assert np.array_equal(grad_cam(module, x), grad_cam(module, x, chosen))


def test_each_image_has_its_map_whatever_else_is_in_the_batch():
    module, x = convolution_mean_linear(), pictures()
    whole = grad_cam(module, x)
    assert np.allclose(np.concatenate([grad_cam(module, x[i : i + 1]) for i in range(6)]), whole, atol=1e-15)


@pytest.mark.parametrize("without", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_nothing_about_the_model_changes_and_gradients_may_be_off(without):
    module = tiny().train()
    network = Network(module, CLASSES, HALF, HALF)
    images, shares = blobs(10)
    module[0].weight.requires_grad_(False)
    module[6].weight.grad = torch.ones_like(module[6].weight)
    state = {name: value.clone() for name, value in module.state_dict().items()}
    expected = np.concatenate([grad_cam(network, x, y) for x, y in image_batches(network, images, shares, batch=4)])
    with without():
        maps = np.concatenate([grad_cam(network, x, y) for x, y in image_batches(network, images, shares, batch=4)])
    assert maps.shape == (10, 8, 8) and np.array_equal(maps, expected) and maps.any()
    assert all(part.training and not part._forward_hooks for part in module.modules())
    assert [weight.requires_grad for weight in module.parameters()][:2] == [False, True]
    assert (module[6].weight.grad == 1).all() and module[0].bias.grad is None
    assert all(torch.equal(value, module.state_dict()[name]) for name, value in state.items())


def test_no_hook_is_left_when_the_model_raises():
    module = convolution_mean_linear()
    weights = [id(weight) for weight in module.parameters()]
    for layer in (None, "0"):
        with pytest.raises(RuntimeError, match="channels"):
            grad_cam(module, torch.zeros(1, 2, 8, 8, dtype=torch.float64), layer=layer)
    assert not any(part._forward_hooks for part in module.modules())
    assert [id(weight) for weight in module.parameters()] == weights


@pytest.mark.parametrize(
    ("name", "layer", "side"), [("small", "stages", 2), ("resnet18", "stage4", 4), ("vgg11", "stage5.1", 2)]
)
def test_the_default_layer_is_the_last_block_or_convolution_with_more_than_one_pixel(name, layer, side):
    """In `small` the last convolution to be called is the projection beside the last block, half of what that gives."""
    module, x = NETWORKS[name](classes=4, width=8).eval(), pictures(2, 32).float()
    maps = grad_cam(module, x)
    assert maps.shape == (2, side, side) and np.array_equal(maps, grad_cam(module, x, layer=layer))


def test_what_has_no_maps_is_refused():
    module, x = convolution_mean_linear(), pictures()
    with refuses("Linear", "no convolution", "(b, channels, h, w)"):
        grad_cam(nn.Linear(3, 2), torch.zeros(2, 3))
    with refuses("1 convolutions", "one pixel", "(3, 1, 1)"):
        grad_cam(module, x[:, :, :1, :1])
    with refuses("layer 3", "(6, 4)", "(b, channels, h, w)"):
        grad_cam(module, x, layer="3")
    with refuses("layer 'conv'", "from: 0, 1, 2, 3"):
        grad_cam(module, x, layer="conv")
    with refuses("Conv2d", "not a part"):
        grad_cam(module, x, layer=nn.Conv2d(3, 5, 3))
    twice = nn.Sequential(same := nn.Conv2d(3, 3, 3, padding=1), same, Mean()).double().eval()
    with refuses("layer 0", "2 times", "once"):
        grad_cam(twice, x)
    with refuses("inputs", "a ndarray", "a tensor", "`image_batches`"):
        grad_cam(module, x.numpy())
    with refuses("target 5", "class 4", "4 classes", "0..3", "1 of 6"):
        grad_cam(module, x, torch.tensor([0, 1, 2, 3, 0, 4]))
    with refuses("target row 0", "sums to 4", "expected 1", "6 of 6 rows", "Distributions.from_counts"):
        grad_cam(module, x, torch.ones(6, 4))
    with refuses("BatchNorm2d (1)", "train mode", "2 such", "model.eval()"):
        grad_cam(tiny().train(), x.float())
    with refuses("(6, 5, 8, 8)", "logits", "6 images"):
        grad_cam(module[:2], x, layer="0")
    x[4, 0, 0, 0] = torch.inf
    with refuses("input 4", "not finite", "1 of 6 inputs"):
        grad_cam(module, x)
    with torch.no_grad():
        module[3].weight[0, 0] = torch.nan
    with refuses("map of image 0", "not finite", "6 of 6 maps"):
        grad_cam(module, pictures(), torch.zeros(6, dtype=torch.long))


def test_captum_gives_the_same_maps():
    captum = pytest.importorskip("captum.attr", reason="not installed: pip install --no-deps -r benchmarks/peers.txt")
    module, x, codes = convolution_mean_linear(), pictures(), torch.tensor([0, 1, 2, 3, 0, 1])
    expected = captum.LayerGradCam(module, module[0]).attribute(x, codes).detach()[:, 0]
    assert np.allclose(grad_cam(module, x, codes, relu=False), expected, atol=1e-14)
