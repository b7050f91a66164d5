"""What is smaller or other here than in the paper."""

from __future__ import annotations

from collections.abc import Sequence

from dissensus.papers.paper import Scale
from dissensus.papers.sucholutsky2023 import guidance, informed, simulation, studies
from dissensus.papers.sucholutsky2023.own_data import has
from dissensus.papers.sucholutsky2023.sets import NAMES, kinds_here


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """Rows of what, in the paper, here."""
    here = ", ".join(NAMES[kind] for kind in kinds_here())
    judged = "judged by people" if has("similarity.npz") else "cosine of ResNet-50 features: no judgments were released"
    simulated, trained = simulation.SIZES[scale], studies.SIZES[scale]
    head, network, few = (trained[key] for key in ("heads", "networks", "few networks"))
    rows = [
        ("kinds of label", ", ".join(NAMES.values()), f"{here}; the others were not released"),
        ("similarity of images", "49,500 judgments by people", judged),
        (
            "images whose similarity is recovered",
            "200 that models find ambiguous",
            f"{informed.SIZES[scale]['images']} of CIFAR-10S on which CIFAR-10H disagrees most",
        ),
        (
            "shifted images",
            "CIFAR-10 training images, CIFAR-10.1 v4 and v6, CINIC-10, ImageNet-Far",
            f"5,000 CIFAR-10 training images for heads, {network['near']:,} for networks; 1,065 ImageNet images at 32 "
            "pixels mapped to the ten classes",
        ),
        (
            "models of table 3" if scale == "full" else "models that most numbers come from",
            "five networks",
            f"linear heads on frozen EfficientNet-Lite0 features of ImageNet, {head['folds']} folds, "
            f"{head['seeds']} seeds" + (f", {head['images']:,} images" if head["images"] else ""),
        ),
        (
            "cells of the simulation",
            "n and k from 3 to 90, d of 5, 25 and 125; how many scenes is not said",
            f"{len(simulated['sizes'])} x {len(simulated['sizes'])} sizes, d of "
            f"{', '.join(map(str, simulated['dimensions']))}, {simulated['seeds']} scene(s) a cell",
        ),
        (
            "scales of cost and utility",
            "not stated",
            "soft labels for 90 items over 90 classes cost 1 in figure 1, "
            "soft labels for all items of a set in figure 6",
        ),
        (
            "classes per label (table 3)",
            "CIFAR-10S, filled in with CIFAR-10DS cut to 2, 3, 4 and 10 classes",
            f"{'CIFAR-10DS' if has('dense.npy') else 'CIFAR-10H'} cut to these, without CIFAR-10S",
        ),
        (
            "smoothed labels",
            "ε of about 0.05 and 0.2; whether the true class shares in it is not stated",
            "0.05 and 0.2 over all ten classes, which leaves 0.045 and 0.18 to the nine others",
        ),
        ("labels that table 1 is judged by", "not stated", "CIFAR-10H"),
        (
            "the pilot of appendix A",
            "a guidance, not run",
            f"100 images of CIFAR-10S, and {guidance.WORLDS[scale]:,} simulated data sets",
        ),
    ]
    if scale != "full":
        sizes = "; ".join(
            f"{name} width {studies.SMALL[key]['width']}, depth {studies.SMALL[key]['depth']}"
            for key, name in studies.NETWORKS.items()
        )
        kinds = f", {' and '.join(network['kinds'])} labels only" if "kinds" in network else ""
        rows += [
            ("networks", "as published; which ResNet is not said", sizes),
            (
                "training of networks",
                "ten folds of 10,000 images, several learning rates and seeds, the best seed",
                f"{network['images']:,} images, a fifth held out, {network['epochs']} epoch(s), one learning rate, "
                f"{network['seeds']} seed(s), all of them counted{kinds}",
            ),
            (
                "networks on few images",
                "80 and 8 images a class",
                "not run"
                if few is None
                else f"the same, {few['epochs'][80]} and {few['epochs'][8]} epochs, judged on "
                f"others of {few['images']:,} images, {few['seeds']} seed(s)",
            ),
        ]
    else:
        rates = ", ".join(map(str, studies.RATES))
        rows.append(
            (
                "epochs and learning rates of networks",
                "not stated",
                f"{studies.EPOCHS} epochs, rates {rates}, as in Peterson 2019; the best rate of each seed",
            )
        )
        rows += [
            ("seeds of networks", "the best one counts", "all of them count"),
            ("ResNet", "not said which", "ResNet-164 with pre-activation"),
        ]
    return rows
