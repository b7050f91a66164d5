"""Attacks against closed forms, each other and torchattacks, and what they leave as it was."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from dissensus.probe import ATTACKS, fgsm, pgd
from dissensus.train import Network
from tests.facts import refuses
from tests.train.pictures import CLASSES, tiny

MEAN, STD = (0.4, 0.5, 0.6), (0.2, 0.25, 0.3)


def pixels_of(b=6, seed=0, dtype=torch.float32):
    """Images of bytes, some of them black or white here and there, as floats from 0 to 1."""
    levels = np.random.default_rng(seed).integers(-60, 316, (b, 3, 8, 8)).clip(0, 255)
    return torch.tensor(levels, dtype=dtype) / 255


def shares_of(b=6, seed=0, dtype=torch.float32):
    return torch.tensor(np.random.default_rng(seed).dirichlet(np.ones(3), b), dtype=dtype)


def network_of(seed=0, dtype=torch.float32):
    """A network with batch norm and dropout that is unsure of its classes."""
    torch.manual_seed(seed)
    module = tiny()
    with torch.no_grad():
        module[1].running_mean.normal_(0, 0.3)
        module[1].running_var.uniform_(0.5, 2)
        module[6].weight.mul_(3)
    return Network(module.to(dtype), CLASSES, MEAN, STD)


def losses(network, pixels, targets):
    """Cross-entropy of each image, by another road: numpy, and the network's own normalisation."""
    mean, std = (torch.tensor(part).view(-1, 1, 1) for part in (MEAN, STD))
    module = network.module.eval()
    with torch.no_grad():
        logits = module((pixels - mean) / std).double().numpy()
    return np.log(np.exp(logits).sum(axis=1)) - (targets.double().numpy() * logits).sum(axis=1)


class Normalised(nn.Module):
    """A network as a module that normalises itself, in eval mode."""

    def __init__(self, network):
        super().__init__()
        self.inside = network.module
        self.eval()

    def forward(self, pixels):
        mean, std = (torch.tensor(part, dtype=pixels.dtype).view(-1, 1, 1) for part in (MEAN, STD))
        return self.inside((pixels - mean) / std)


class Softmax(nn.Module):
    """Logits W x + b of the pixels in a row."""

    def __init__(self, k=4, seed=0):
        super().__init__()
        self.linear = nn.Linear(3 * 8 * 8, k)
        with torch.no_grad():
            self.linear.weight.copy_(torch.randn(k, 192, generator=torch.Generator().manual_seed(seed)))

    def forward(self, x):
        return self.linear(x.flatten(1))


def test_the_step_on_a_linear_softmax_model_is_the_sign_of_its_weights_times_the_error():
    """d H / d x = W' (softmax(W x + b) - y)."""
    module, x = Softmax(), pixels_of()
    y = np.random.default_rng(1).dirichlet(np.ones(4), 6)
    weights, bias = module.linear.weight.detach().double().numpy(), module.linear.bias.detach().double().numpy()
    flat = x.double().numpy().reshape(6, -1)
    logits = flat @ weights.T + bias
    q = np.exp(logits - logits.max(axis=1, keepdims=True))
    q /= q.sum(axis=1, keepdims=True)
    expected = np.clip(flat + 4 / 255 * np.sign((q - y) @ weights), 0, 1)
    assert np.allclose(fgsm(module, x, torch.tensor(y)).numpy().reshape(6, -1), expected, atol=1e-7)


def test_each_step_of_pgd_on_a_linear_softmax_model_is_the_closed_form_too():
    module, x, codes = Softmax().double(), pixels_of(dtype=torch.float64), torch.tensor([0, 1, 2, 3, 0, 1])
    weights, bias = module.linear.weight.detach().numpy(), module.linear.bias.detach().numpy()
    flat = x.numpy().reshape(6, -1)
    at = flat
    for _ in range(7):
        logits = at @ weights.T + bias
        q = np.exp(logits - logits.max(axis=1, keepdims=True))
        q /= q.sum(axis=1, keepdims=True)
        at = at + 1.5 / 255 * np.sign((q - np.eye(4)[codes]) @ weights)
        at = np.clip(np.clip(at, flat - 5 / 255, flat + 5 / 255), 0, 1)
    moved = pgd(module, x, codes, 5, step_size=1.5, steps=7)
    assert np.allclose(moved.numpy().reshape(6, -1), at, atol=1e-12)


def test_a_network_is_attacked_through_its_normalisation():
    """As the module that normalises itself; and the sign is that of a difference quotient of the loss."""
    network, x, y = network_of(dtype=torch.float64), pixels_of(2, dtype=torch.float64), shares_of(2)
    moved = fgsm(network, x, y)
    assert torch.equal(moved, fgsm(Normalised(network), x, y))
    rng, checked = np.random.default_rng(0), 0
    for image, channel, row, column in zip(*(rng.integers(0, m, 40) for m in (2, 3, 8, 8)), strict=True):
        nearby = x.clone()
        nearby[image, channel, row, column] += 1e-6
        rise = losses(network, nearby, y)[image] - losses(network, x, y)[image]
        step = float(moved[image, channel, row, column] - x[image, channel, row, column])
        if abs(rise) > 1e-10 and 0.1 < x[image, channel, row, column] < 0.9:
            checked += 1
            assert np.sign(rise) == np.sign(step)
    assert checked > 10


def test_one_step_of_size_epsilon_is_fgsm():
    network, x, y = network_of(), pixels_of(), shares_of()
    for epsilon in (1, 4, 8, 40):
        one_step = pgd(network, x, y, epsilon, steps=1, step_size=epsilon)
        assert torch.allclose(one_step, fgsm(network, x, y, epsilon), atol=2e-7, rtol=0)


def test_bytes_stay_bytes_when_epsilon_is_a_whole_number():
    network, x, y = network_of(), pixels_of(), shares_of()
    for epsilon in range(4, 9):
        levels = 255 * fgsm(network, x, y, epsilon)
        assert torch.allclose(levels, levels.round(), atol=1e-4)
        moves = (levels - 255 * x).abs().round()
        inside = (255 * x > epsilon) & (255 * x < 255 - epsilon)
        assert set(moves[inside].unique().tolist()) <= {0.0, float(epsilon)}


@pytest.mark.parametrize("name", ATTACKS)
def test_classes_and_their_one_hot_rows_are_the_same_targets(name):
    network, x, codes = network_of(), pixels_of(), torch.tensor([0, 1, 2, 2, 1, 0])
    by_code = ATTACKS[name](network, x, codes)
    for targets in (torch.eye(3)[codes], np.eye(3)[codes], codes.numpy().astype(np.uint8), codes.tolist(), codes.int()):
        assert torch.allclose(ATTACKS[name](network, x, targets), by_code, atol=1e-7)


@settings(max_examples=25)
@given(
    epsilon=st.one_of(st.just(0), st.floats(0.5, 255)),
    step_size=st.floats(0.1, 255),
    steps=st.integers(1, 4),
    seed=st.none() | st.integers(0, 9),
    images=st.integers(0, 9),
)
def test_no_attack_leaves_the_ball_or_the_colours(epsilon, step_size, steps, seed, images):
    network, x, y = network_of(images), pixels_of(3, images), shares_of(3, images)
    rng = None if seed is None else np.random.default_rng(seed)
    for moved in (fgsm(network, x, y, epsilon), pgd(network, x, y, epsilon, step_size=step_size, steps=steps, rng=rng)):
        assert moved.shape == x.shape and moved.dtype == x.dtype and not moved.requires_grad
        assert moved.min() >= 0 and moved.max() <= 1
        assert 255 * (moved - x).abs().max() <= epsilon + 1e-4


@pytest.mark.parametrize("name", ATTACKS)
def test_the_loss_rises_and_the_more_the_further_pixels_may_move(name):
    network, x, y = network_of(), pixels_of(40), shares_of(40)
    means = [losses(network, ATTACKS[name](network, x, y, epsilon), y).mean() for epsilon in (0, 1, 2, 4, 8)]
    assert means[0] == pytest.approx(losses(network, x, y).mean())
    assert np.all(np.diff(means) > 0)


def test_many_steps_raise_the_loss_further_than_one():
    network, x, y = network_of(), pixels_of(40), shares_of(40)
    many = losses(network, pgd(network, x, y, 8, steps=20), y).mean()
    assert many > losses(network, fgsm(network, x, y, 8), y).mean()


@pytest.mark.parametrize("name", ATTACKS)
def test_an_epsilon_of_0_changes_nothing(name):
    network, x, y = network_of(), pixels_of(), shares_of()
    assert torch.equal(ATTACKS[name](network, x, y, 0), x)


@pytest.mark.parametrize("name", ATTACKS)
def test_where_the_loss_does_not_depend_on_a_pixel_it_stays(name):
    """The sign of 0 is 0: a network of zeros, and one that sees the left half alone."""
    x, y = pixels_of(), shares_of()
    assert torch.equal(ATTACKS[name](Network(tiny(zero=True), CLASSES, MEAN, STD), x, y), x)

    class LeftHalf(nn.Module):
        def forward(self, pixels):
            return pixels[:, :, :, :4].mean(dim=(2, 3)) * 5

    moved = ATTACKS[name](LeftHalf(), x, y)
    assert torch.equal(moved[..., 4:], x[..., 4:]) and not torch.equal(moved, x)


def test_an_image_is_attacked_the_same_whatever_is_beside_it():
    network, x, y = network_of(dtype=torch.float64), pixels_of(dtype=torch.float64), shares_of()
    whole = pgd(network, x, y)
    for row in range(6):
        assert torch.allclose(pgd(network, x[[row]], y[[row]]), whole[[row]], atol=1e-12)


def test_a_random_start_is_drawn_evenly_from_the_ball():
    """Where no gradient moves it on, the start is what is left."""
    module = Network(tiny(zero=True), CLASSES, MEAN, STD)
    x = torch.full((200, 3, 8, 8), 0.5)
    moved = pgd(module, x, torch.zeros(200, dtype=torch.long), 6, rng=np.random.default_rng(3))
    moves = 255 * (moved - x).double().numpy().ravel()
    assert np.histogram(moves, bins=6, range=(-6, 6))[0].sum() == moves.size
    assert abs(moves.mean()) < 5 * 6 / np.sqrt(3 * moves.size) and moves.var() == pytest.approx(12, rel=0.02)
    dark = pgd(module, torch.zeros(9, 3, 8, 8), torch.zeros(9, dtype=torch.long), rng=np.random.default_rng(3))
    assert dark.min() == 0 and 0.3 < float((dark == 0).float().mean()) < 0.7


def test_the_start_depends_on_the_generator_alone():
    network, x, y = network_of(), pixels_of(), shares_of()
    first, again, other = (pgd(network, x, y, rng=np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)
    state = torch.random.get_rng_state()
    pgd(network, x, y, rng=torch.Generator().manual_seed(1))
    assert torch.equal(torch.random.get_rng_state(), state)


def test_steps_can_be_watched():
    """The logits of where it starts and of every step but the last."""
    network, x, y = network_of(), pixels_of(), shares_of()
    seen = []
    pgd(network, x, y, steps=5, watch=lambda step, logits: seen.append((step, logits)))
    assert [step for step, _ in seen] == [0, 1, 2, 3, 4] and not any(logits.requires_grad for _, logits in seen)
    for step, logits in seen:
        at = x if step == 0 else pgd(network, x, y, steps=step)
        q = logits.double().softmax(dim=1).numpy()
        assert np.allclose(-(y.numpy() * np.log(q)).sum(axis=1), losses(network, at, y), atol=1e-5)


@pytest.mark.parametrize("name", ATTACKS)
@pytest.mark.parametrize("around", [torch.no_grad, torch.inference_mode, torch.enable_grad])
def test_nothing_is_changed_but_the_images_handed_back(name, around):
    network, x, y = network_of(), pixels_of().requires_grad_(), shares_of()
    network.module[6].weight.requires_grad_(False)
    network.module[0].eval()
    module, expected = network.module, ATTACKS[name](network, x, y)
    modes, wanted = [part.training for part in module.modules()], [w.requires_grad for w in module.parameters()]
    state, before = {key: value.clone() for key, value in module.state_dict().items()}, x.detach().clone()
    with around():
        assert torch.equal(ATTACKS[name](network, x, y), expected)
        assert torch.equal(ATTACKS[name](network, x.clone(), y.clone()), expected)
    assert [part.training for part in module.modules()] == modes and any(modes)
    assert [w.requires_grad for w in module.parameters()] == wanted
    assert all(w.grad is None for w in module.parameters()) and x.grad is None and torch.equal(x, before)
    assert all(torch.equal(value, state[key]) for key, value in module.state_dict().items())


@pytest.mark.parametrize("name", ATTACKS)
def test_precision_of_model_and_pixels_may_differ(name):
    x, y = pixels_of(), shares_of()
    single, double = network_of(), network_of(dtype=torch.float64)
    expected = ATTACKS[name](double, x.double(), y)
    assert expected.dtype == torch.float64
    for network, inputs in ((double, x), (single, x.double()), (single, x)):
        moved = ATTACKS[name](network, inputs, y)
        assert moved.dtype == inputs.dtype
        assert ((moved.double() - expected).abs() < 1e-6).double().mean() > 0.99  # signs of what is nearly 0 may differ
    halves = x.half()
    assert ATTACKS[name](single, halves, y.half()).dtype == torch.float32


def test_a_module_may_change_what_it_is_given():
    class InPlace(nn.Module):
        def forward(self, pixels):
            return pixels.sub_(0.5).mean(dim=(2, 3))

    x = pixels_of()
    before = x.clone()
    assert not torch.equal(fgsm(InPlace(), x, shares_of()), x) and torch.equal(x, before)


@pytest.mark.parametrize(
    ("epsilon", "facts"),
    [
        (-1, ("epsilon is -1", "0 to 255")),
        (256, ("epsilon is 256", "0 to 255")),
        (8 / 255, ("epsilon is 0.0313725", "0 to 255", "say 8")),
        (0.3, ("epsilon is 0.3", "0 to 255", "say 76.5")),
        (float("nan"), ("epsilon is nan", "a number", "of 255")),
        (None, ("epsilon is None", "a number", "of 255")),
        ("4", ("epsilon is '4'", "a number", "of 255")),
        (True, ("epsilon is True", "a number", "of 255")),
    ],
)
@pytest.mark.parametrize("name", ATTACKS)
def test_an_invalid_epsilon_is_refused(name, epsilon, facts):
    with refuses(*facts):
        ATTACKS[name](network_of(), pixels_of(), shares_of(), epsilon)


@pytest.mark.parametrize(
    ("options", "facts"),
    [
        ({"steps": 0}, ("steps is 0", "whole number", "1 or more")),
        ({"steps": 2.0}, ("steps is 2.0", "whole number", "1 or more")),
        ({"step_size": 0}, ("step_size is 0", "above 0 to 255")),
        ({"step_size": -1}, ("step_size is -1", "above 0 to 255")),
        ({"step_size": 2 / 255}, ("step_size is 0.00784314", "10 steps", "0.0784314 of the 4", "0 to 255", "say 2")),
        ({"step_size": "1"}, ("step_size is '1'", "a number", "of 255")),
        ({"rng": 0}, ("rng is 0", "np.random.default_rng(0)", "None")),
        ({"rng": True}, ("rng is True", "np.random.default_rng(0)", "None")),
    ],
)
def test_invalid_steps_and_generators_are_refused(options, facts):
    with refuses(*facts):
        pgd(network_of(), pixels_of(), shares_of(), **options)


def test_short_steps_are_fine_where_there_are_enough_of_them():
    network, x, y = network_of(), pixels_of(2), shares_of(2)
    assert pgd(network, x, y, 0.5, step_size=0.05, steps=10).shape == x.shape


def test_weights_made_in_inference_mode_are_refused():
    with torch.inference_mode():
        network = Network(tiny(), CLASSES, MEAN, STD)
    with refuses("weights", "torch.inference_mode", "outside"):
        fgsm(network, pixels_of(), shares_of())


class Constant(nn.Module):
    def __init__(self, values):
        super().__init__()
        self.values = nn.Parameter(torch.tensor(values))

    def forward(self, pixels):
        return self.values.expand(len(pixels), -1)


class Root(nn.Module):
    def forward(self, pixels):
        return (pixels.mean(dim=(2, 3)) * 0).sqrt() + pixels.mean(dim=(2, 3)) * 0


@pytest.mark.parametrize("name", ATTACKS)
def test_targets_and_models_that_do_not_fit_are_refused(name):
    network, x, y = network_of(), pixels_of(), shares_of()
    for model, targets, facts in (
        (network, torch.full((6, 4), 0.25), ("float32 of shape (6, 4)", "logits of shape (6, 3)")),
        (network, torch.tensor([0, 1, 2, 3, 0, 0]), ("target 3", "class 3", "3 classes", "0..2", "1 of 6")),
        (network, y[:5], ("float32 of shape (5, 3)", "logits of shape (6, 3)")),
        (network, y * 2, ("target row 0", "sums to 2", "expected 1", "6 of 6 rows")),
        (network, torch.full((6, 3), torch.nan), ("target row 0", "[nan, nan, nan]", "6 of 6 rows")),
        (network, "labels.csv", ("targets", "'labels.csv'", "(b, k)", "attack(network, images, labels)")),
        (network, np.array(list("abcabc")), ("targets", "array of <U1", "(b, k)")),
        (
            Network(tiny(), ("a", "b"), MEAN, STD),
            y,
            ("logits of shape (6, 3)", "2 classes"),
        ),
        (tiny(), y, ("BatchNorm2d (1)", "train mode", "2 such", "model.eval()")),
        ("model.safetensors", y, ("a str", "a Network", "torch module")),
        (nn.Identity(), y, ("logits of shape (6, 3, 8, 8)", "(b, k)")),
        (nn.Sequential(nn.Flatten(), nn.Linear(192, 1)), y, ("one logit", "two classes", "torch.cat([-z, z], 1) / 2")),
        (Constant([0.0, 1.0, 2.0]), y, ("no gradient", "detach or no_grad")),
        (Constant([0.0, torch.nan, 2.0]), y, ("nan", "logit of image 0", "6 of 6 images")),
        (Root(), y, ("gradient", "pixels of image 0", "not a number", "6 of 6 images")),
    ):
        with refuses(*facts):
            ATTACKS[name](model, x, targets)


def test_it_is_torchattacks_bit_by_bit():
    """Also where the start is random, if both draw from torch with one seed."""
    peer = pytest.importorskip("torchattacks", reason="not installed: pip install --no-deps -r benchmarks/peers.txt")
    network, x = network_of(), pixels_of(11)
    whole = Normalised(network)
    for targets in (shares_of(11), torch.arange(11) % 3):
        assert torch.equal(fgsm(network, x, targets), peer.FGSM(whole, eps=4 / 255)(x, targets))
        plain = peer.PGD(whole, eps=8 / 255, alpha=2 / 255, steps=10, random_start=False)
        assert torch.equal(pgd(network, x, targets, 8, step_size=2), plain(x, targets))
        torch.manual_seed(3)
        started = peer.PGD(whole, eps=8 / 255, alpha=2 / 255, steps=10, random_start=True)(x, targets)
        rng = torch.Generator().manual_seed(3)
        assert torch.equal(pgd(network, x, targets, 8, step_size=2, rng=rng), started)
