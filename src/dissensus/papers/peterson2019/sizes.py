"""How large everything is at each scale; `full` is what the paper did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dissensus.papers.paper import Scale

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


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """What is run.

    networks       by the name that the paper gives them
    images         of CIFAR-10H; None: all 10,000
    folds          in which these are trained on and judged
    training       settings of training from scratch
    rates          learning rates that are tried from scratch
    shifted        training images of CIFAR-10 that models are judged on; None: all 50,000
    pretrained_on  training images of CIFAR-10 that networks are pretrained on; None: all 50,000
    pretraining    settings of pretraining
    tuning         settings of fine-tuning
    tuning_rates   learning rates that are tried there
    alphas         of mixup that are tried
    attacked       images of each fold that are attacked by FGSM, and by PGD; None: all
    steps          of PGD
    epsilons       of FGSM, of 255
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


# The paper took the defaults of its repository: shifted and mirrored images, and cutout for Shake-Shake. It says Adam
# with a rate of 0.1; that rate is usual for SGD with momentum and not for Adam, so SGD is taken.
_PUBLISHED = {"epochs": 150, "batch": 128, "optimizer": "sgd", "nesterov": True, "weight_decay": 1e-4}
# Small networks are trained without shifting or mirroring images: in a few minutes on a processor only so they come to
# know their images by heart, as the paper's do in 150 epochs, and what labels do to confidence shows.
_SMALL = {"crop": 0, "flip": False, "device": "cpu", "precision": "float32"}
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
    ),
    "laptop": Sizes(
        networks={
            "ResNet": Sized("resnet110", 16, 8),
            "ResNet preact": Sized("preact_resnet164", 8, 11),
            "VGG": Sized("vgg15", 8, 15),
            "DenseNet": Sized("densenet_bc_100_12", 12, 10),
            "PyramidNet": Sized("pyramidnet_small"),
            "ResNext": Sized("resnext_small"),
            "Wide ResNet": Sized("wrn28_10", 1, 10),
            "Shake-Shake": Sized("shake_shake26_2x64", 8, 8),
        },
        images=2_000,
        folds=2,
        training=_SMALL | {"epochs": 25, "batch": 32},
        rates=(0.1,),
        shifted=2_000,
        pretrained_on=5_000,
        pretraining=_SMALL | {"epochs": 16, "batch": 64},
        tuning=_SMALL | {"epochs": 6, "batch": 32},
        tuning_rates=(0.02, 0.002),
        alphas=(0.1, 0.4, 1.0),
        attacked=(500, 200),
        steps=15,
    ),
    "full": Sizes(
        networks={name: Sized(network) for name, network in ARCHITECTURES.items()},
        images=None,
        folds=10,
        training=_PUBLISHED | {"device": "auto"},
        rates=(0.2, 0.1, 0.01, 0.001),
        shifted=None,
        pretrained_on=None,
        pretraining=_PUBLISHED | {"learning_rate": 0.1, "device": "auto"},
        tuning=_PUBLISHED | {"device": "auto"},
        tuning_rates=(0.1, 0.01, 0.001),
        alphas=tuple(tenth / 10 for tenth in range(1, 11)),
        attacked=(None, None),
        steps=20,
    ),
}
