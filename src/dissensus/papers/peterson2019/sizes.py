"""Sizes of a run at each scale; `full` has those of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.papers.paper import Scale
from dissensus.train.networks.catalogue import NETWORKS
from dissensus.train.recipes import RECIPES

# The eight networks in the order of table 1, with the name that NETWORKS has for each.
ARCHITECTURES = {
    "ResNet": "resnet110",
    "ResNet preact": "preact_resnet164",
    "VGG": "vgg15",
    "DenseNet": "densenet_bc_100_12",
    "PyramidNet": "pyramidnet110_270",
    "ResNext": "resnext29_8x64",
    "Wide ResNet": "wrn28_10",
    "Shake-Shake": "shake_shake26_2x64",
}


@dataclass(frozen=True)
class Sized:
    """A network in some size; None: as published."""

    network: str
    width: int | None = None
    depth: int | None = None

    @property
    def key(self) -> tuple[str, int | None]:
        """Name and width that the cells of a study have."""
        return self.network, NETWORKS[self.network].width if self.width is None else self.width


@dataclass(frozen=True, kw_only=True)
class HeadSizes:
    """Sizes of the heads on frozen features.

    images         of CIFAR-10H; None: all 10,000
    folds          into which the images are divided
    epochs         of training and of pretraining
    tuning_folds   folds that are run in fine-tuning
    tuning_epochs  of fine-tuning; from 51 on, sampled labels show as many as there are answers
    tuning_rates   learning rates tried in fine-tuning
    alphas         of mixup that are tried
    """

    images: int | None
    folds: int
    epochs: int
    tuning_folds: int
    tuning_epochs: int
    tuning_rates: tuple[float, ...]
    alphas: tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class RateSizes:
    """Sizes of the comparison of learning rates from scratch.

    optimizers  each tried at every rate
    epochs      of each training
    folds       into which the images are divided
    """

    optimizers: tuple[str, ...]
    epochs: int
    folds: int
    rates: tuple[float, ...] = (0.1, 0.2, 0.01, 0.001)


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Sizes of the networks.

    networks       by the name that the paper gives them
    images         of CIFAR-10H; None: all 10,000
    folds          in which these are trained on and judged
    training       settings of training from scratch
    rates          learning rates that are tried from scratch
    shifted        training images of CIFAR-10 that models are judged on; None: all 50,000
    pretrained_on  training images of CIFAR-10 that networks are pretrained on; None: all 50,000
    pretraining    settings of pretraining
    tuning         settings of fine-tuning
    tuned_folds    of `folds` that are run in fine-tuning, from the first on; None: all
    tuning_rates   learning rates that are tried there
    alphas         of mixup that are tried
    attacked       images of each fold that are attacked by FGSM, and by PGD; None: all
    steps          of PGD
    epsilons       of FGSM, of 255
    compared       learning rates by optimizer; None: not at this scale
    """

    networks: Mapping[str, Sized]
    images: int | None
    folds: int
    training: Mapping[str, Any]
    rates: tuple[float, ...]
    shifted: int | None
    pretrained_on: int | None
    pretraining: Mapping[str, Any]
    tuning: Mapping[str, Any]
    tuning_rates: tuple[float, ...]
    alphas: tuple[float, ...]
    attacked: tuple[int | None, int | None]
    steps: int
    epsilons: tuple[float, ...] = (4, 5, 6, 7, 8)
    tuned_folds: int | None = None
    compared: RateSizes | None = None


# The paper took the defaults of its repository: shifted and mirrored images, and cutout for Shake-Shake. It says Adam
# with a rate of 0.1; that rate is usual for SGD with momentum and not for Adam, so SGD is taken. Part rates tries both.
PUBLISHED_RECIPE = {"epochs": 150, "batch": 128, "optimizer": "sgd", "nesterov": True, "weight_decay": 1e-4}
# A small network is trained without shifting or mirroring images: in a few minutes it memorises its images only so, as
# the paper's networks do in 150 epochs.
_SMALL = {"crop": 0, "flip": False, "device": "cpu", "precision": "float32"}
# A network that reaches 88% on CIFAR-10 in minutes, by the recipe for CPUs. Pretraining has no label smoothing, which
# would change how close a network is to people before it is tuned. Its weight decay would keep networks from memorising
# hard labels, as the paper's do: the other trainings have that of the paper.
_FAST = {key: value for key, value in RECIPES["fast"].items() if key != "network"} | {"device": "cpu"}
_NIGHT = PUBLISHED_RECIPE | {"device": "cpu"}
# Scales with networks. None of a laptop's size reaches the level of the paper's, so `laptop` has heads only.
SIZES: dict[Scale, Sizes] = {
    "quick": Sizes(
        networks={"small network": Sized("small", 8, 4)},
        images=1_000,
        folds=2,
        training=_SMALL | {"epochs": 16, "batch": 32},
        rates=(0.1,),
        shifted=1_000,
        pretrained_on=1_500,
        pretraining=_SMALL | {"epochs": 8, "batch": 64},
        tuning=_SMALL | {"epochs": 6, "batch": 32},
        tuning_rates=(0.02,),
        alphas=(0.1, 1.0),
        attacked=(200, 100),
        steps=5,
        compared=RateSizes(optimizers=("sgd", "adam"), epochs=4, folds=2, rates=(0.1, 0.001)),
    ),
    "overnight": Sizes(
        networks={"small network": Sized("swift", 16)},
        images=None,
        folds=10,
        training=_NIGHT | {"epochs": 60},
        rates=(0.1,),
        shifted=10_000,
        pretrained_on=None,
        pretraining=_FAST | {"epochs": 8, "crop": 2},
        tuning=_NIGHT | {"epochs": 51},
        tuning_rates=(0.01,),
        alphas=(0.1, 1.0),
        attacked=(1_000, 200),
        steps=20,
        tuned_folds=3,
        compared=RateSizes(optimizers=("sgd", "adam"), epochs=20, folds=3),
    ),
    "full": Sizes(
        networks={name: Sized(network) for name, network in ARCHITECTURES.items()},
        images=None,
        folds=10,
        training=PUBLISHED_RECIPE | {"device": "auto"},
        rates=(0.2, 0.1, 0.01, 0.001),
        shifted=None,
        pretrained_on=None,
        pretraining=PUBLISHED_RECIPE | {"learning_rate": 0.1, "device": "auto"},
        tuning=PUBLISHED_RECIPE | {"device": "auto"},
        tuning_rates=(0.1, 0.01, 0.001),
        alphas=tuple(tenth / 10 for tenth in range(1, 11)),
        attacked=(None, None),
        steps=20,
        compared=RateSizes(optimizers=("adam",), epochs=150, folds=10),
    ),
}
_HEADS = HeadSizes(
    images=None, folds=10, epochs=30, tuning_folds=5, tuning_epochs=51, tuning_rates=(0.001,), alphas=(0.1, 1.0)
)
HEAD_SIZES: dict[Scale, HeadSizes] = {
    "quick": HeadSizes(
        images=3_000, folds=5, epochs=20, tuning_folds=5, tuning_epochs=10, tuning_rates=(0.001,), alphas=(0.1, 1.0)
    ),
    "laptop": _HEADS,
    "overnight": _HEADS,
    "full": _HEADS,
}
HEAD_BATCH = 128  # of fine-tuning, as in the paper
