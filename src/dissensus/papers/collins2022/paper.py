"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dissensus.papers.collins2022.arms import BETAS, GAMMAS, KINDS
from dissensus.papers.collins2022.claims import CLAIMS, HEADLINES, READER_NAMES, compare, conclude
from dissensus.papers.collins2022.figures import figures
from dissensus.papers.collins2022.label_claims import PUBLISHED
from dissensus.papers.collins2022.label_numbers import count_released
from dissensus.papers.collins2022.labels import SEED
from dissensus.papers.collins2022.observe import observe
from dissensus.papers.collins2022.scores import ATTACKED, EPSILON, PGD_KINDS, choices_of, numbers_of
from dissensus.papers.collins2022.studies import (
    COMPARED,
    FEATURES,
    MODELS,
    NETWORKS,
    SIZES,
    choice_studies,
    milestones,
    networks_of,
    scored_parts,
    study,
    study_part,
)
from dissensus.papers.evidence import Candidate
from dissensus.papers.paper import SCALES, Gate, Paper, Part, Scale

LABELS = ("cifar10h", "cifar10s")
IMAGES = (*LABELS, "cifar10-test")
DATA = {"heads": (*LABELS, FEATURES), "networks": IMAGES, "swift": IMAGES}
WEIGHTS = {"heads": 1.0, "networks": 6.0, "swift": 6.0}
# Rows of "How this run differs from the paper" that no scale changes.
ALWAYS = (
    ("models", "three networks from scratch", "networks, and two heads on frozen features of an ImageNet ResNet-50"),
    ("model that decides", "all networks together", "networks if strong enough, otherwise heads; never both together"),
    ("images held out of CIFAR-10S", "100, not released which", "100, drawn once"),
    ("images with their CIFAR-10 class", "6,100, perhaps with the 100 held out", "6,000 at most, without them"),
    ("repeated trials of CIFAR-10S", "not stated", "left out of learning, counted in numbers about labels"),
    ("random labels", "not stated how", "Dirichlet(1, ..., 1), drawn once"),
    ("shifted or mirrored images", "not stated", "none"),
    ("validation set", "images and loss not stated", "1,000 further images, cross-entropy to CIFAR-10 classes"),
    ("optimiser of networks", "not stated", "SGD with a momentum of 0.9"),
    ("loss after an attack", "labels not stated", "cross-entropy to people's labels, raised and scored"),
    ("steps of PGD", "not stated", "10 steps of 1/255 within 4/255"),
    ("bins of the calibration error", "not stated", "100 images each, so one bin on CIFAR-10S"),
)


def parts(scale: Scale) -> Sequence[Part]:
    """Label statistics; the studies; what their predictions and networks score on both evaluation sets."""
    made = [Part(name="labels", work=count_released, data=LABELS, settings={"version": 4}, weight=0.1)]
    for name, models in choice_studies(scale):
        made.append(Part(name=f"{name}-{models}", study=study(name, models, scale), data=DATA[models], weight=0.5))
    chosen = {name: f"{name}-{models}" for name, models in choice_studies(scale)}
    made.append(
        Part(
            name="choices",
            work=partial(choices_of, chosen),
            needs=tuple(chosen.values()),
            weight=0.1,
            settings={"gammas": list(GAMMAS), "betas": list(BETAS), "version": 1},
        )
    )
    for models in SIZES[scale]:
        for scored, kinds in scored_parts(models).items():
            made += _compared_parts(models, scale, scored, kinds)
    return made


def _compared_parts(models: str, scale: Scale, scored: str, kinds: Sequence[str]) -> list[Part]:
    """The studies with these kinds of labels, and a part with their scores."""
    own = [(study_part(name, models, scored), name) for name in COMPARED]
    data, weight = DATA[models], WEIGHTS[models] * len(kinds) / len(KINDS)
    studies = [Part(name=part, study=study(name, models, scale, kinds), data=data, weight=weight) for part, name in own]
    scores = Part(
        name=scored,
        work=partial(numbers_of, models, own, scale),
        data=data,
        needs=tuple(part for part, _ in own),
        weight=weight / 4,
        settings={
            "epsilon": EPSILON,
            "attacked": ATTACKED[scale],
            "pgd": [] if models == "heads" else list(PGD_KINDS),
            "seed": SEED,
            "version": 3,
            **SIZES[scale][models],
        },
        gate=_gate(models, scored) if scored == "swift-main" else None,
    )
    return [*studies, scores]


def _gate(models: str, scored: str) -> Gate:
    """Networks whose loss after FGSM hardly depends on labels, against table 1, are not trained on further labels."""
    later = [part for part in scored_parts(models) if part != scored]
    return Gate(
        source="table 1",
        candidate=Candidate(models),
        expression=compare("fgsm", "s aggregated", "h aggregated", "10h"),
        stops=tuple(name for part in later for name in (*(study_part(name, models, part) for name in COMPARED), part)),
    )


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """Rows that hold at every scale, and those of sizes that are not the paper's."""
    theirs, ours = _sizes("full") | {"batch of networks": "not stated", "heads": "none"}, _sizes(scale)
    return [*ALWAYS, *((aspect, theirs[aspect], ours[aspect]) for aspect in theirs if theirs[aspect] != ours[aspect])]


def _sizes(scale: Scale) -> dict[str, str]:
    """Sizes of a scale in words; those of scale full are the paper's own, as far as it states them."""
    heads, networks = SIZES[scale]["heads"], SIZES[scale][networks_of(scale)]
    full = scale == "full"
    few = not full and networks_of(scale) == "networks"
    return {
        "networks": ", ".join(NETWORKS.get(name, "6 convolutions") for name in networks["widths"]),
        "channels of the first stage": ", ".join(str(width) for width in networks["widths"].values()),
        "side of images": str(networks["side"]),
        "epochs, and after which the rate falls": f"{networks['epochs']}; {_list(milestones(networks['epochs']))}",
        "batch of networks": str(networks["batch"]),
        "learning rate of ResNet-50": "0.4" if full else "0.1" if "resnet50" in networks["widths"] else "no ResNet-50",
        "seeds per network": str(networks["seeds"]),
        "images to learn from": "7,000" if full else f"{900 + networks['others']:,} by networks, with the same 900",
        "annotators of votes": "the same by heads; 1, 2, all by networks" if few else "1, 2, 4, 8, 16, 32, all",
        "attacked images": "3,000 and 100" if full else f"{ATTACKED[scale]:,} and 100",
        "gamma and beta chosen by": choice_studies(scale)[0][1],
        "heads": f"{2 * heads['seeds']} runs of {heads['epochs']} epochs, {heads['features']} features",
    }


def _list(values: Sequence[int]) -> str:
    return " and ".join(map(str, values))


PAPER = Paper(
    name="collins2022",
    title="Do labels that each annotator states softly need fewer annotators? (Collins 2022)",
    citation="Collins, Bhatt, Weller (2022), Eliciting and Learning with Soft Labels from Every Annotator",
    claims=CLAIMS,
    parts=parts,
    published=PUBLISHED,
    observe=observe,
    differences=differences,
    figures=figures,
    names=READER_NAMES | {"swift": MODELS["swift"]},
    headlines=HEADLINES,
    conclude=conclude,
    scales=SCALES,
)
