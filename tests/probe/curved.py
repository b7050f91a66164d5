"""Small models whose Hessian can be written down whole."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.func import functional_call


def rng(seed=0):
    return np.random.default_rng(seed)


def convolutional(seed=0, activation=nn.ReLU):
    """Convolutions, one with a stride and groups, batch norm of some statistics; 3 classes, in double precision."""
    torch.manual_seed(seed)
    module = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1, bias=False),
        nn.BatchNorm2d(4),
        activation(),
        nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=2),
        nn.BatchNorm2d(4),
        activation(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 3),
    ).double()
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.running_mean.normal_(0, 0.3)
            part.running_var.uniform_(0.5, 2)
            nn.init.uniform_(part.weight, 0.5, 1.5)
            nn.init.normal_(part.bias)
    return module.eval()


def layered(seed=0, activation=nn.ReLU):
    """Two layers on four numbers; 3 classes, in double precision."""
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 6), activation(), nn.Linear(6, 3)).double()


def crowd(n=24, shape=(2, 6, 6), k=3, batch=10, seed=0):
    """Batches of inputs and soft targets, the last one smaller."""
    rng = np.random.default_rng(seed)
    inputs = torch.from_numpy(rng.standard_normal((n, *shape)))
    targets = torch.from_numpy(rng.dirichlet(np.full(k, 0.7), n))
    return list(zip(inputs.split(batch), targets.split(batch), strict=True))


def dense_hessian(module, batches):
    """The whole matrix, by torch's own functions."""
    inputs, targets = (torch.cat(parts) for parts in zip(*batches, strict=True))
    names = [name for name, weight in module.named_parameters() if weight.requires_grad]
    shapes = [module.get_parameter(name).shape for name in names]
    sizes = [shape.numel() for shape in shapes]

    def loss(vector):
        parts = vector.split(sizes)
        weights = {name: part.view(shape) for name, part, shape in zip(names, parts, shapes, strict=True)}
        return nn.functional.cross_entropy(functional_call(module, weights, (inputs,)), targets)

    vector = torch.cat([module.get_parameter(name).detach().reshape(-1) for name in names])
    return torch.autograd.functional.hessian(loss, vector, vectorize=True).numpy()
