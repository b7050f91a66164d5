"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from dissensus.papers.paper import Paper, Part, Scale
from dissensus.papers.peterson2019 import attacked, labels, shift, tuned
from dissensus.papers.peterson2019.figures import figures
from dissensus.papers.peterson2019.findings import findings
from dissensus.papers.peterson2019.published import CLAIMS
from dissensus.papers.peterson2019.sets import available_versions
from dissensus.papers.peterson2019.sizes import SIZES
from dissensus.papers.peterson2019.studies import HEAD_EPOCHS, HEAD_FOLDS, HEAD_IMAGES, heads, scratch
from dissensus.train.train_config import TrainConfig

_IMAGES = ("cifar10h", "cifar10-test")
_SHIFTED = (*_IMAGES, "cifar10-train", "imagenet32-validation")
_FEATURES = ("cifar10h", "cifar10-efficientnet")


def parts(scale: Scale) -> Sequence[Part]:
    """The labels; sections 5 (networks, and heads beside them), 6 and 7."""
    size = asdict(SIZES[scale])
    own = available_versions()  # sets that are not among the data unless a user put them there
    shifted = (*_SHIFTED, *own.values())
    attacks = {name: size[name] for name in ("attacked", "steps", "epsilons")}
    return [
        Part(
            name="labels",
            work=labels.numbers_of,
            data=("cifar10h", "cifar10h-annotators-all"),
            weight=0.01,
            settings={"version": 1},
        ),
        Part(name="heads", study=heads(scale), data=_FEATURES, weight=0.05),
        Part(
            name="heads-shift",
            work=partial(shift.of_heads, scale),
            needs=("heads",),
            weight=0.02,
            data=(*_FEATURES, "cifar10-train-efficientnet", "imagenet32-efficientnet", "imagenet32-validation"),
            settings={"version": shift.VERSION},
        ),
        Part(name="scratch", study=scratch(scale), data=_IMAGES, weight=1.0),
        Part(
            name="scratch-shift",
            work=partial(shift.of_networks, scale),
            needs=("scratch",),
            data=shifted,
            weight=0.1,
            settings={"version": shift.VERSION, "shifted": size["shifted"]},
        ),
        Part(
            name="tuned",
            work=partial(tuned.numbers_of, scale),
            data=shifted,
            weight=1.8,
            settings=tuned.settings_of(scale),
        ),
        Part(
            name="attacked",
            work=partial(attacked.numbers_of, scale),
            needs=("tuned",),
            data=_IMAGES,
            weight=0.2,
            settings=attacks | {"version": attacked.VERSION},
        ),
    ]


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """What is other here than in the paper."""
    size, whole = SIZES[scale], SIZES["full"]
    decay = size.training.get("weight_decay", TrainConfig.weight_decay)
    role = "by them section 5 is judged" if scale == "quick" else "a check beside the networks of section 5"
    rows = [
        (
            "optimiser",
            "Adam at a rate of 0.1",
            "SGD with momentum 0.9, for which that rate is usual, weight decay "
            f"{decay:g}, the rate falling along a cosine",
        ),
        (
            "choice of rates and alphas",
            "not stated by what",
            "lowest cross-entropy to people on the images held out, for every way of fine-tuning",
        ),
        ("images under attack", "all 10,000", "those that a network was not tuned on, fold by fold"),
        ("steps of PGD", "not stated", f"{size.steps} of 1 of 255, from the image itself"),
        (
            "ImageNet-Far",
            "a set of the authors, not listed",
            "205 validation images of ImageNet in 41 classes that are near those of CIFAR-10, chosen here",
        ),
        (
            "heads on features",
            "none",
            f"EfficientNet-Lite0, {HEAD_FOLDS[scale]} folds of "
            f"{HEAD_IMAGES[scale] or 10_000:,} images, {HEAD_EPOCHS[scale]} epochs; {role}. The encoder has learned "
            "ImageNet's classes, so for heads ImageNet's images are less far away than for networks",
        ),
    ]
    own = available_versions()
    if not {"v4", "v6"} & set(own):
        rows.append(
            (
                "CIFAR-10.1 v4 and v6",
                "two sets of about 2,000 images",
                "not among the data; claims about all "
                "sets are judged on the others, and ImageNet's images stand beside",
            )
        )
    if "cinic10" not in own:
        rows.append(
            (
                "CINIC-10",
                "210,000 images of ImageNet",
                "1,065 validation images of ImageNet at 32 pixels, classes mapped by hand",
            )
        )
    elif size.shifted is not None:
        rows.append(("CINIC-10", "210,000 images of ImageNet", f"{size.shifted:,} of them"))
    if size.images is None:  # full scale
        return rows
    made = ", ".join(
        f"{name}: {sized.network}" + _dimensions(sized.width, sized.depth) for name, sized in size.networks.items()
    )
    chosen = (
        "how that was chosen",
        "-",
        "after a trial on one split with two networks: with mirrored images and 12 "
        "epochs soft and hard labels hardly differed, with images as they are and 25 epochs soft ones led by "
        "about 0.09 nats. So the effect from scratch is that of a setting in which it shows",
    )
    return [
        ("networks", "8, as published, up to 36 million weights", made),
        (
            "images of CIFAR-10H, folds",
            "10,000 in 10, so 9,000 to learn from",
            f"{size.images:,} in {size.folds}, so {size.images - size.images // size.folds:,} to learn from",
        ),
        (
            "training from scratch",
            f"{whole.training['epochs']} epochs, shifted and mirrored images",
            f"{size.training['epochs']} epochs of batches of {size.training['batch']}, images as they are",
        ),
        *([chosen] if scale == "laptop" else []),
        ("learning rates from scratch", "0.2, 0.1, 0.01, 0.001", ", ".join(f"{rate:g}" for rate in size.rates)),
        ("CIFAR-10 training images judged on", "50,000", f"{size.shifted:,}"),
        (
            "pretraining",
            "50,000 images, settings of the repository",
            f"{size.pretrained_on:,} images as they are, {size.pretraining['epochs']} epochs",
        ),
        ("squares cut out for Shake-Shake", "16 pixels", "none"),
        (
            "fine-tuning",
            f"{whole.tuning['epochs']} epochs, rates 0.1, 0.01, 0.001",
            f"{size.tuning['epochs']} epochs, rate {', '.join(f'{rate:g}' for rate in size.tuning_rates)}, images as "
            f"they "
            "are",
        ),
        ("alpha of mixup", "0.1 to 1.0 in steps of 0.1", ", ".join(f"{alpha:g}" for alpha in size.alphas)),
        ("number of images attacked", "10,000", f"{size.attacked[0]} of each fold by FGSM, {size.attacked[1]} by PGD"),
        *rows,
    ]


def _dimensions(width: int | None, depth: int | None) -> str:
    return "" if width is None else f" of width {width} and depth {depth}"


PAPER = Paper(
    name="peterson2019",
    title="Do models that learn people's uncertainty generalise better? (Peterson 2019)",
    citation="Peterson, Battleday, Griffiths, Russakovsky (2019), Human uncertainty makes classification more robust",
    claims=CLAIMS,
    parts=parts,
    findings=findings,
    differences=differences,
    figures=figures,
)
