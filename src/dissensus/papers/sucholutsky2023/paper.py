"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dissensus.papers.paper import Paper, Part, Scale
from dissensus.papers.published import read_published
from dissensus.papers.sucholutsky2023 import guidance, informed, simulation, studies
from dissensus.papers.sucholutsky2023.claims import CLAIMS, HEADLINES, READER_NAMES, conclude
from dissensus.papers.sucholutsky2023.differences import differences
from dissensus.papers.sucholutsky2023.figures import figures
from dissensus.papers.sucholutsky2023.observe import observe
from dissensus.papers.sucholutsky2023.own_data import own_files
from dissensus.papers.sucholutsky2023.sets import label_kinds
from dissensus.papers.sucholutsky2023.theory import theory
from dissensus.papers.sucholutsky2023.transfer import head_transfer, network_transfer, parameters

LABELS = ("cifar10h", "cifar10s")
FEATURES = ("cifar10-efficientnet",)
SHIFTED = ("cifar10-train-efficientnet", "imagenet32-efficientnet")


def parts(scale: Scale) -> Sequence[Part]:
    """Return formulas, simulations, labels, heads and networks on each kind of label, and a pilot."""
    return [*_without_training(scale), *_heads(scale), *_networks(scale)]


def _without_training(scale: Scale) -> list[Part]:
    simulated: dict[str, Any] = {"version": 1, **simulation.SIZES[scale]}
    own: dict[str, Any] = {"version": 1, "own files": own_files()}
    return [
        Part("theory", theory, settings={"version": 1}, weight=0.1),
        Part("architectures", parameters, settings={"version": 1}, weight=0.1),
        Part("simulations", partial(simulation.recoveries, scale), settings=simulated, weight=6.0),
        Part(
            "preferences",
            partial(simulation.preferences, scale),
            settings=simulated,
            needs=("simulations",),
            weight=0.5,
        ),
        Part(
            "sparsity", partial(simulation.fewer_numbers, scale), settings=simulated, needs=("simulations",), weight=1.5
        ),
        Part("labels", informed.label_numbers, settings=own, data=LABELS, weight=0.1),
        Part(
            "informed",
            partial(informed.compare_information, scale),
            settings=own | informed.SIZES[scale],
            data=(*LABELS, informed.FEATURES),
            weight=1.0,
        ),
        Part(
            "guidance",
            partial(guidance.guidance, scale),
            settings={"version": 1, "worlds": guidance.WORLDS[scale]},
            data=("cifar10h-annotators", "cifar10s"),
            weight=0.3,
        ),
    ]


def _heads(scale: Scale) -> list[Part]:
    size, few = studies.SIZES[scale]["heads"], studies.SIZES[scale]["few"]
    kinds, many = label_kinds(size["images"]), label_kinds(few["images"])
    crossed = {"scale": scale, "folds": size["folds"], "seeds": size["seeds"]}
    data = (*LABELS, *FEATURES)
    moved: dict[str, Any] = {"version": 1, "own files": own_files()}
    return [
        Part(name="heads", study=studies.head_study(kinds, **crossed), data=data, weight=3.0),
        Part(name="heads-kept", study=studies.subset_study(kinds, **crossed), data=data, weight=2.0),
        *(
            Part(name=f"heads-{count}", study=studies.few_study(many, count, few["seeds"]), data=data)
            for count in studies.PER_CLASS
        ),
        Part(
            "transfer",
            partial(head_transfer, "heads"),
            settings=moved,
            data=(*LABELS, *SHIFTED),
            needs=("heads",),
            weight=0.3,
        ),
        Part(
            "transfer-kept",
            partial(head_transfer, "heads-kept"),
            settings=moved,
            data=(*LABELS, *SHIFTED),
            needs=("heads-kept",),
            weight=0.3,
        ),
    ]


def _networks(scale: Scale) -> list[Part]:
    size, few = studies.SIZES[scale]["networks"], studies.SIZES[scale]["few networks"]
    if size is None:
        return []
    kinds = label_kinds(size["images"])
    kinds = {kind: kinds[kind] for kind in size.get("kinds", kinds)}
    data = (*LABELS, "cifar10-test")
    near = ("cifar10-train",) if size["near"] else ()
    parts = [
        Part(
            name="networks",
            study=studies.network_study(kinds, scale, size["seeds"], size["epochs"]),
            data=data,
            weight=20.0,
        ),
        Part(
            "transfer-networks",
            partial(network_transfer, "networks", size["near"]),
            settings={"version": 1, "near": size["near"], "own files": own_files()},
            data=(*LABELS, "imagenet32-validation", *near),
            needs=("networks",),
            weight=2.0,
        ),
    ]
    if few:
        kinds = label_kinds(few["images"])
        parts += [
            Part(
                name=f"networks-{count}",
                data=data,
                weight=5.0,
                study=studies.few_network_study(kinds, scale, count, few["seeds"], few["epochs"][count]),
            )
            for count in studies.PER_CLASS
        ]
    return parts


PAPER = Paper(
    name="sucholutsky2023",
    title="How much does each kind of label say? (Sucholutsky 2023)",
    citation="Sucholutsky et al. (2023), On the Informativeness of Supervision Signals",
    claims=CLAIMS,
    parts=parts,
    published=read_published("sucholutsky2023"),
    observe=observe,
    differences=differences,
    figures=figures,
    names=READER_NAMES,
    headlines=HEADLINES,
    conclude=conclude,
)
