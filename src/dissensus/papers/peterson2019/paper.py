"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

from dissensus.papers.expressions import difference
from dissensus.papers.paper import SCALES, Gate, Paper, Part, Scale
from dissensus.papers.peterson2019 import attacked, labels, shift, tuned, tuned_heads
from dissensus.papers.peterson2019.claims import CLAIMS, HEADLINES, READER_NAMES
from dissensus.papers.peterson2019.conclusion import conclude
from dissensus.papers.peterson2019.figures import figures
from dissensus.papers.peterson2019.observe import NETWORKS, observe
from dissensus.papers.peterson2019.sets import available_versions
from dissensus.papers.peterson2019.sizes import HEAD_BATCH, HEAD_SIZES, SIZES
from dissensus.papers.peterson2019.studies import heads, rates, scratch
from dissensus.papers.published import read_published

_IMAGES = ("cifar10h", "cifar10-test")
_SHIFTED = (*_IMAGES, "cifar10-train", "imagenet32-validation")
_FEATURES = ("cifar10h", "cifar10-efficientnet")
TUNED = Gate(
    source="table 1",
    candidate=NETWORKS,
    expression=difference("soft_nll", "sampled", "soft"),
    stops=("attacked",),
)  # networks that do not come closer to people are not attacked
PRETRAINING = {"pretraining": "50,000 images, the best settings of a repository for each network"}


def parts(scale: Scale) -> Sequence[Part]:
    """The labels; sections 5 and 6 with heads; sections 5 to 7 with networks if the scale has any."""
    made = [
        Part(
            name="labels",
            work=labels.numbers_of,
            data=("cifar10h", "cifar10h-annotators-all"),
            weight=0.01,
            settings={"version": labels.VERSION},
        ),
        Part(name="heads", study=heads(scale), data=_FEATURES, weight=0.2),
        Part(
            name="heads-shift",
            work=partial(shift.of_heads, scale),
            needs=("heads",),
            weight=0.02,
            data=(*_FEATURES, "cifar10-train-efficientnet", "imagenet32-efficientnet", "imagenet32-validation"),
            settings={"version": shift.VERSION},
        ),
        Part(
            name="tuned-heads",
            work=partial(tuned_heads.numbers_of, scale),
            data=(*_FEATURES, "cifar10-train-efficientnet"),
            weight=0.5,
            settings=tuned_heads.settings_of(scale),
        ),
    ]
    return [*made, *_network_parts(scale)] if scale in SIZES else made


def _network_parts(scale: Scale) -> list[Part]:
    size = asdict(SIZES[scale])
    shifted = (*_SHIFTED, *available_versions().values())  # with the sets that a user has
    attacks = {name: size[name] for name in ("attacked", "steps", "epsilons")}
    compared = SIZES[scale].compared
    tried = [] if compared is None else [Part(name="rates", study=rates(scale, compared), data=_IMAGES, weight=0.8)]
    return [
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
            gate=None if scale == "quick" else TUNED,
        ),
        Part(
            name="attacked",
            work=partial(attacked.numbers_of, scale),
            needs=("tuned",),
            data=_IMAGES,
            weight=0.2,
            settings=attacks | {"version": attacked.VERSION},
        ),
        *tried,
    ]


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """Rows in which this scale differs from the paper; sizes are compared with those of scale full."""
    rows = [*_head_rows(scale), *_data_rows(scale)]
    if scale not in SIZES:
        return [
            ("networks", "8 from scratch, pretrained, fine-tuned and attacked", "none; scale full runs them"),
            *rows,
        ]
    full, size = _network_sizes("full") | PRETRAINING, _network_sizes(scale)
    rows += [(what, full[what], size[what]) for what in full if size[what] != full[what]]
    return [
        *rows,
        ("optimiser of networks", "Adam at a rate of 0.1", "SGD with momentum; part rates compares both"),
        ("schedule and weight decay of networks", "defaults of a repository, by network", _describe_schedule(scale)),
        ("epoch that counts", "not stated; 150 at most", "the last"),
        ("images under attack", "all 10,000", "those that a network was not tuned on, fold by fold"),
        ("steps of PGD", "not stated", f"{SIZES[scale].steps} of 1 of 255, from the image itself"),
    ]


def _describe_schedule(scale: Scale) -> str:
    return f"cosine and {SIZES[scale].training.get('weight_decay', 5e-4):g} for all"


def _head_rows(scale: Scale) -> list[tuple[str, str, str]]:
    size = HEAD_SIZES[scale]
    images = size.images or 10_000
    rates = ", ".join(f"{rate:g}" for rate in size.tuning_rates)
    return [
        ("heads", "none", "linear and with 128 hidden units, on frozen features of EfficientNet-Lite0"),
        ("encoder of the heads", "none", "has learned ImageNet's classes, so ImageNet's images are less far away"),
        ("heads: images and folds", "10,000 in 10", f"{images:,} in {size.folds}; {size.tuning_folds} in fine-tuning"),
        ("heads: optimiser", "Adam at 0.1, batches of 128", f"Adam at 0.001, batches of 32, {size.epochs} epochs"),
        ("heads: pretraining", "50,000 training images", f"5,000 training images, {size.epochs} epochs"),
        (
            "heads: fine-tuning",
            "150 epochs, rates 0.1, 0.01, 0.001",
            f"{size.tuning_epochs} epochs, Adam at {rates}, batches of {HEAD_BATCH}",
        ),
        ("heads: alpha of mixup", "0.1 to 1.0 in steps of 0.1", ", ".join(f"{alpha:g}" for alpha in size.alphas)),
        ("choice of rates and alphas", "criterion not stated", "lowest cross-entropy to people on held-out images"),
    ]


def _data_rows(scale: Scale) -> list[tuple[str, str, str]]:
    own = available_versions() if scale in SIZES else {}
    rows = [("ImageNet-Far", "images of the authors, not listed", "205 validation images in 41 classes, chosen here")]
    if not {"v4", "v6"} & set(own):
        rows.append(("CIFAR-10.1 v4 and v6", "two sets of about 2,000 images", "not among the data"))
    if "cinic10" not in own:
        rows.append(("CINIC-10", "210,000 images of ImageNet", "1,065 validation images of ImageNet at 32 pixels"))
    return rows


def _network_sizes(scale: Scale) -> dict[str, str]:
    """Sizes of the networks of a scale in words; those of scale full are the paper's."""
    size = SIZES[scale]

    def settings(given: dict[str, Any]) -> str:
        moved = "as they are" if given.get("crop") == 0 else "shifted and mirrored"
        return f"{given['epochs']} epochs, batches of {given['batch']}, images {moved}"

    tuned = "" if size.tuned_folds is None else f"; {size.tuned_folds} of them in fine-tuning"
    once, often = (count or "all" for count in size.attacked)
    return {
        "networks": "8, as published" if scale == "full" else ", ".join(size.networks),
        "images of CIFAR-10H and folds": f"{size.images or 10_000:,} in {size.folds}{tuned}",
        "training from scratch": settings(dict(size.training)),
        "learning rates from scratch": ", ".join(f"{rate:g}" for rate in size.rates),
        "training images of CIFAR-10 for scoring": f"{size.shifted or 50_000:,}",
        "pretraining": f"{size.pretrained_on or 50_000:,} images, {settings(dict(size.pretraining))}",
        "fine-tuning": settings(dict(size.tuning)),
        "learning rates of fine-tuning": ", ".join(f"{rate:g}" for rate in size.tuning_rates),
        "alpha of mixup": ", ".join(f"{alpha:g}" for alpha in size.alphas),
        "images attacked in each fold": f"{once} by FGSM, {often} by PGD",
    }


PAPER = Paper(
    name="peterson2019",
    title="Do models that learn people's uncertainty generalise better? (Peterson 2019)",
    citation="Peterson, Battleday, Griffiths, Russakovsky (2019), Human uncertainty makes classification more robust",
    claims=CLAIMS,
    parts=parts,
    published=read_published("peterson2019"),
    observe=observe,
    differences=differences,
    figures=figures,
    names=READER_NAMES,
    headlines=HEADLINES,
    conclude=conclude,
    scales=SCALES,
)
