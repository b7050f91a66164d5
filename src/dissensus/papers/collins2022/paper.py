"""The paper as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

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
    parts_with_scores,
    study,
    study_part,
)
from dissensus.papers.evidence import Candidate
from dissensus.papers.paper import SCALES, Gate, Paper, Part, Scale
from dissensus.papers.texts import read_differences

LABELS = ("cifar10h", "cifar10s")
IMAGES = (*LABELS, "cifar10-test")
DATA = {"heads": (*LABELS, FEATURES), "networks": IMAGES, "swift": IMAGES}
WEIGHTS = {"heads": 1.0, "networks": 6.0, "swift": 6.0}
ALWAYS, _ = read_differences("collins2022")


def parts(scale: Scale) -> Iterator[Part]:
    """Label statistics; the studies; what their predictions and networks score on both evaluation sets."""
    yield Part("labels", count_released, data=LABELS, settings={"version": 4}, weight=0.1)
    chosen = {name: f"{name}-{models}" for name, models in choice_studies(scale)}
    for name, models in choice_studies(scale):
        yield Part(chosen[name], study=study(name, models, scale), data=DATA[models], weight=0.5)
    tried = {"gammas": list(GAMMAS), "betas": list(BETAS), "version": 1}
    yield Part("choices", partial(choices_of, chosen), needs=tuple(chosen.values()), weight=0.1, settings=tried)
    for models in SIZES[scale]:
        for scored, kinds in parts_with_scores(models).items():
            yield from _compare_labels(models, scale, scored, kinds)


def _compare_labels(models: str, scale: Scale, scored: str, kinds: Sequence[str]) -> Iterator[Part]:
    """The studies with these kinds of labels, and a part with their scores."""
    own = [(study_part(name, models, scored), name) for name in COMPARED]
    data, weight = DATA[models], WEIGHTS[models] * len(kinds) / len(KINDS)
    for part, name in own:
        yield Part(part, study=study(name, models, scale, kinds), data=data, weight=weight)
    attacks: dict[str, Any] = {"epsilon": EPSILON, "attacked": ATTACKED[scale]}
    attacks["pgd"] = [] if models == "heads" else list(PGD_KINDS)
    yield Part(
        scored,
        partial(numbers_of, models, own, scale),
        data=data,
        needs=tuple(part for part, _ in own),
        weight=weight / 4,
        settings={**attacks, "seed": SEED, "version": 3, **SIZES[scale][models]},
        gate=_gate(models, scored) if scored == "swift-main" else None,
    )


def _gate(models: str, scored: str) -> Gate:
    """Networks whose loss after FGSM hardly depends on labels, against table 1, are not trained on further labels."""
    later = [part for part in parts_with_scores(models) if part != scored]
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
