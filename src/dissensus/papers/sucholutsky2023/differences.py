"""How a run differs from the paper: its sizes, next to those of the scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.papers.paper import Scale
from dissensus.papers.peterson2019.sizes import PUBLISHED_RECIPE
from dissensus.papers.sucholutsky2023 import guidance, informed, simulation, studies
from dissensus.papers.sucholutsky2023.own_data import has
from dissensus.papers.sucholutsky2023.sets import NAMES, kinds_here
from dissensus.papers.texts import read_differences

_, PAPER = read_differences("sucholutsky2023")


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    here = _data_here(scale) | _simulations_here(scale) | _models_here(scale)
    return [(aspect, PAPER[aspect], text) for aspect, text in here.items() if text != PAPER[aspect]]


def _data_here(scale: Scale) -> dict[str, str]:
    kinds, network = kinds_here(), studies.SIZES[scale]["networks"]
    near = f"{network['near']:,} for networks" if network and network["near"] else "none for networks"
    judged = PAPER["similarity of images"] if has("similarity.npz") else "cosine of ResNet-50 features"
    missing = ", ".join(name.removeprefix("CIFAR-10") for kind, name in NAMES.items() if kind not in kinds)
    images = informed.SIZES[scale]["images"]
    return {
        "kinds of label": f"{len(kinds)}; {missing} were not released" if missing else PAPER["kinds of label"],
        "similarity of images": judged,
        "images whose similarity is recovered": f"{images} of CIFAR-10S on which CIFAR-10H disagrees most",
        "starts of an embedding": str(informed.SIZES[scale]["starts"]),
        "near images": f"CIFAR-10 training images: 5,000 for heads, {near}",
        "far images": "1,065 ImageNet images at 32 pixels, mapped to the ten classes",
        "classes per label (table 3)": f"{'CIFAR-10DS' if has('dense.npy') else 'CIFAR-10H'} cut to these",
        "smoothed labels": "0.05 and 0.2, shared by all ten classes",
        "test labels of table 1": "CIFAR-10H",
    }


def _simulations_here(scale: Scale) -> dict[str, str]:
    size = simulation.SIZES[scale]
    low, high, count = min(size["sizes"]), max(size["sizes"]), len(size["sizes"])
    whole = (low, high, count) == (3, 90, 30)
    return {
        "sizes of the simulation, n and k": f"{low} to {high}" if whole else f"{count} sizes from {low} to {high}",
        "latent dimensions of the simulation": ", ".join(map(str, size["dimensions"])),
        "simulated scenes per cell": str(size["seeds"]),
        "scale of cost": "soft labels cost 1 for 90 items and 90 classes (figure 1), for all items (figure 6)",
        "pilot of appendix A": f"100 images of CIFAR-10S, and {guidance.WORLDS[scale]:,} simulated data sets",
    }


def _models_here(scale: Scale) -> dict[str, str]:
    head, network, few = (studies.SIZES[scale][key] for key in ("heads", "networks", "few networks"))
    images = f"{head['images']:,} images, " if head["images"] else ""
    heads = (
        f"linear heads on EfficientNet-Lite0 features of ImageNet: {images}{head['folds']} folds, {head['seeds']} seeds"
    )
    splits = f"{studies.SIZES[scale]['few']['seeds']} splits for heads"
    runs = {
        "choice of the epoch": "the last",
        "runs of table 1": f"{splits}, {few['seeds']} for networks, no folds" if few else f"{splits}, no folds",
    }
    if network is None and few is None:
        return runs | {"models": heads, "networks": "not run", "networks on few images": "not run"}
    if network is None:
        return runs | {
            "models": f"for table 1, also one network; {heads}",
            "networks": "6 convolutions of width 16, for table 1 only",
            "seeds of networks": f"{few['seeds']} splits, all of them count",
            "epochs and learning rates of networks": _by_count("{epochs} epochs at {learning_rate}", few),
            "batch, schedule and augmentation of networks": _by_count("{batch}", few)
            + "; cosine, images shifted and mirrored",
        }
    here = runs | {
        "models": f"also {heads}",
        "seeds of networks": f"{network['seeds']}, all of them count",
        "batch, schedule and augmentation of networks": "128, cosine, images shifted and mirrored",
    }
    if scale == "full":
        rates = ", ".join(map(str, studies.RATES))
        return here | {
            "ResNet": "ResNet-164 with pre-activation",
            "epochs and learning rates of networks": f"{studies.EPOCHS} epochs, the best rate of {rates}",
        }
    sizes = [f"{name} {_size(studies.SMALL[key])}" for key, name in studies.NETWORKS.items()]
    kinds = f", {' and '.join(network['kinds'])} labels only" if "kinds" in network else ""
    return here | {
        "networks": f"width x depth: {', '.join(sizes)}",
        "training of networks": f"{network['images']:,} images, a fifth held out, {network['epochs']} epoch(s){kinds}",
        "choice of the epoch": "the last; of networks, the one with the lowest loss on a tenth held out",
        "batch, schedule and augmentation of networks": "64, cosine, images shifted and mirrored",
        "networks on few images": "not run" if few is None else PAPER["networks on few images"],
    }


def _by_count(text: str, few: Mapping[str, Any]) -> str:
    """A setting of networks on few images, for each number of images per class."""
    settings = {
        count: {**PUBLISHED_RECIPE, **own, "epochs": few["epochs"][count]} for count, own in studies.NIGHT.items()
    }
    return ", ".join(f"{text.format(**own)} with {count} images per class" for count, own in settings.items())


def _size(small: Mapping[str, int]) -> str:
    return f"{small['width']} x {small['depth']}"
