"""Shake-Shake draws one mixture for the forward pass and another for the gradient, for each image by itself."""

from __future__ import annotations

import torch
from torch import nn

from dissensus.train.networks.shake_shake import Mix, Shaken, Skip
from tests.train.networks.tiny import images, tiny


class Constant(nn.Module):
    """A branch that gives the same number at every position, whatever it sees, and can be differentiated by it."""

    def __init__(self, value: float) -> None:
        super().__init__()
        self.value = nn.Parameter(torch.tensor(value))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.value * torch.ones_like(x)


def block_of_constants(first: float, second: float) -> Shaken:
    block = Shaken(2, 2, 1)
    block.branch1, block.branch2 = Constant(first), Constant(second)
    return block


def test_every_image_gets_a_mixture_of_its_own_the_same_at_every_position():
    """With branches that give 0 and 1, the output is 1 - alpha: uniform, independent, equal within an image."""
    torch.manual_seed(0)
    with torch.no_grad():
        mixed = block_of_constants(0.0, 1.0)(torch.zeros(4000, 2, 3, 3))
    assert (mixed == mixed[:, :1, :1, :1]).all()
    alpha = 1 - mixed[:, 0, 0, 0]
    assert alpha.min() >= 0 and alpha.max() <= 1 and len(alpha.unique()) > 3900
    quantiles = alpha.sort().values - (torch.arange(4000) + 0.5) / 4000
    assert quantiles.abs().max() < 1.95 / 4000**0.5  # Kolmogorov and Smirnov, one in a thousand
    assert abs(torch.corrcoef(torch.stack([alpha[:-1], alpha[1:]]))[0, 1]) < 0.06


def test_the_gradient_goes_through_another_draw_than_the_forward_pass():
    """Of one image, the output says what alpha was and the gradients of the two branches what beta was."""
    torch.manual_seed(0)
    alphas, betas = [], []
    for _ in range(300):
        block = block_of_constants(0.0, 1.0)
        mixed = block(torch.zeros(1, 2, 1, 1))
        mixed[0, 0].sum().backward()
        alphas.append(1 - mixed[0, 0, 0, 0].item())
        betas.append(block.branch1.value.grad.item())
        assert abs(block.branch2.value.grad.item() - (1 - betas[-1])) < 1e-6
    alpha, beta = torch.tensor(alphas), torch.tensor(betas)
    assert (alpha != beta).all() and abs(torch.corrcoef(torch.stack([alpha, beta]))[0, 1]) < 0.2
    assert abs(beta.mean() - 0.5) < 0.06 and beta.min() < 0.05 and beta.max() > 0.95


def test_each_image_has_its_own_draw_in_the_gradient_too():
    first, second = images(50, 2, 4, 4), images(50, 2, 4, 4, seed=2)
    first.requires_grad_(), second.requires_grad_()
    alpha, beta = torch.rand(2, 50, 1, 1, 1, generator=torch.Generator().manual_seed(0))
    mixed = Mix.apply(first, second, alpha, beta)
    assert torch.allclose(mixed, alpha * first + (1 - alpha) * second)
    along = images(50, 2, 4, 4, seed=3)
    (mixed * along).sum().backward()
    assert torch.allclose(first.grad, beta * along) and torch.allclose(second.grad, (1 - beta) * along)


def test_the_mean_over_many_draws_is_what_the_block_gives_outside_training():
    """E alpha = 1/2. The statistics of the normalisations are held, so that the branches give the same every time."""
    torch.manual_seed(0)
    block = Shaken(3, 4, 2).eval()
    x = images(2, 3, 6, 6)
    with torch.no_grad():
        expected = block(x)
        assert torch.equal(expected, block(x))
        block.training = True  # of the block alone
        draws = block(x.repeat(3000, 1, 1, 1)).view(3000, *expected.shape)
        spread = (block.branch1(x) - block.branch2(x)).abs() / 12**0.5  # standard deviation of a uniform mixture
    assert ((draws.mean(0) - expected).abs() <= 5 * spread / 3000**0.5 + 1e-6).all()
    assert torch.allclose(draws.std(0), spread, rtol=0.1, atol=1e-6)
    assert (draws[:, 0] - expected[0]).abs().amax(dim=(1, 2, 3)).std() > 0


def test_images_of_one_batch_are_shaken_apart():
    """The same image twice in a batch gives two results in training and one outside it."""
    torch.manual_seed(0)
    network = tiny("shake_shake26_2x64")
    twice = images(1, 3, 16, 16).repeat(2, 1, 1, 1)
    first, second = network(twice)
    assert not torch.allclose(first, second)
    first, second = network.eval()(twice)
    assert torch.allclose(first, second, atol=1e-6)


def test_the_skip_sees_the_image_and_the_image_moved_by_one_position():
    """By a loop over positions, before the normalisation."""
    torch.manual_seed(0)
    skip, x = Skip(2, 5, 2), images(1, 2, 6, 6)
    seen = []
    skip.bn.register_forward_hook(lambda layer, inputs, output: seen.append(inputs[0]))
    skip(x)
    active, expected = x.clamp(min=0)[0], torch.zeros(5, 3, 3)
    for row in range(3):
        for column in range(3):
            expected[:3, row, column] = skip.conv1.weight[:, :, 0, 0] @ active[:, 2 * row, 2 * column]
            if row > 0 and column > 0:  # what moves in from outside is 0
                moved = active[:, 2 * row - 1, 2 * column - 1]
                expected[3:, row, column] = skip.conv2.weight[:, :, 0, 0] @ moved
    assert torch.allclose(seen[0][0], expected, atol=1e-6)


def test_second_derivatives_and_single_images_work_in_training_too():
    """The mixture is linear in its branches, so its own second derivative is 0; `vmap` maps it over images."""
    alpha, beta = torch.rand(2, 4, 1, 1, 1, generator=torch.Generator().manual_seed(0)).double()
    first, second = images(4, 1, 2, 2).double(), images(4, 1, 2, 2, seed=2).double()
    first.requires_grad_()
    (gradient,) = torch.autograd.grad((Mix.apply(first, second, alpha, beta) ** 3).sum(), first, create_graph=True)
    (again,) = torch.autograd.grad(gradient.sum(), first)
    mixed = alpha * first + (1 - alpha) * second
    assert torch.allclose(gradient, 3 * mixed**2 * beta) and torch.allclose(again, 6 * mixed * beta * beta)
    mapped = torch.func.vmap(Mix.apply)(first, second, alpha, beta)
    assert torch.allclose(mapped, mixed)
