"""The paper as data."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from dissensus.papers.paper import SCALES, Paper, Part, Scale
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
IMAGES = (*LABELS, "cifar10-test")
SHIFTED = ("cifar10-train-efficientnet", "imagenet32-efficientnet")


def parts(scale: Scale) -> Iterator[Part]:
    """Yield formulas, simulations, labels, a pilot, and heads and networks on each kind of label."""
    yield from _without_training(scale)
    yield from _heads(scale)
    yield from _networks(scale)


def _without_training(scale: Scale) -> Iterator[Part]:
    simulated: dict[str, Any] = {"version": 1, **simulation.SIZES[scale]}
    own: dict[str, Any] = {"version": 1, "own files": own_files()}
    after: dict[str, Any] = {"settings": simulated, "needs": ("simulations",)}
    yield Part("theory", theory, settings={"version": 1}, weight=0.1)
    yield Part("architectures", parameters, settings={"version": 1}, weight=0.1)
    yield Part("simulations", partial(simulation.recoveries, scale), settings=simulated, weight=6.0)
    yield Part("preferences", partial(simulation.preferences, scale), **after, weight=0.5)
    yield Part("sparsity", partial(simulation.fewer_numbers, scale), **after, weight=1.5)
    yield Part("labels", informed.label_numbers, settings=own, data=LABELS, weight=0.1)
    work, images = partial(informed.compare_information, scale), (*LABELS, informed.FEATURES)
    yield Part("informed", work, settings=own | informed.SIZES[scale], data=images)
    settings, people = {"version": 1, "worlds": guidance.WORLDS[scale]}, ("cifar10h-annotators", "cifar10s")
    yield Part("guidance", partial(guidance.guidance, scale), settings=settings, data=people, weight=0.3)


def _heads(scale: Scale) -> Iterator[Part]:
    size, few = studies.SIZES[scale]["heads"], studies.SIZES[scale]["few"]
    kinds, many = label_kinds(size["images"]), label_kinds(few["images"])
    crossed = {"scale": scale, "folds": size["folds"], "seeds": size["seeds"]}
    data = (*LABELS, *FEATURES)
    yield Part("heads", study=studies.head_study(kinds, **crossed), data=data, weight=3.0)
    yield Part("heads-kept", study=studies.subset_study(kinds, **crossed), data=data, weight=2.0)
    for count in studies.PER_CLASS:
        yield Part(f"heads-{count}", study=studies.few_study(many, count, few["seeds"]), data=data)
    moved: dict[str, Any] = {"settings": {"version": 1, "own files": own_files()}, "data": (*LABELS, *SHIFTED)}
    for name, heads in (("transfer", "heads"), ("transfer-kept", "heads-kept")):
        yield Part(name, partial(head_transfer, heads), needs=(heads,), **moved, weight=0.3)


def _networks(scale: Scale) -> Iterator[Part]:
    size, few = studies.SIZES[scale]["networks"], studies.SIZES[scale]["few networks"]
    if size:
        kinds = label_kinds(size["images"])
        kinds = {kind: kinds[kind] for kind in size.get("kinds", kinds)}
        study = studies.network_study(kinds, scale, size["seeds"], size["epochs"])
        yield Part("networks", study=study, data=IMAGES, weight=20.0)
        yield Part(
            "transfer-networks",
            partial(network_transfer, "networks", size["near"]),
            settings={"version": 1, "near": size["near"], "own files": own_files()},
            data=(*LABELS, "imagenet32-validation", *(("cifar10-train",) if size["near"] else ())),
            needs=("networks",),
            weight=2.0,
        )
    for count in studies.PER_CLASS if few else ():
        kinds = label_kinds(few["images"])
        study = studies.few_network_study(kinds, scale, count, few["seeds"], few["epochs"][count])
        yield Part(f"networks-{count}", study=study, data=IMAGES, weight=5.0)


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
    scales=SCALES,
)
