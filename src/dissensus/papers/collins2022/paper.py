"""The paper as data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from dissensus.papers.collins2022.arms import BETAS, GAMMAS
from dissensus.papers.collins2022.figures import figures
from dissensus.papers.collins2022.findings import findings
from dissensus.papers.collins2022.label_numbers import count_released
from dissensus.papers.collins2022.labels import SEED
from dissensus.papers.collins2022.learning_claims import CLAIMS
from dissensus.papers.collins2022.scores import ATTACKED, EPSILON, choices_of, numbers_of
from dissensus.papers.collins2022.studies import FEATURES, MODELS, NETWORKS, SIZES, choice_studies, milestones, study
from dissensus.papers.paper import Paper, Part, Scale

LABELS = ("cifar10h", "cifar10s")
DATA = {"heads": (*LABELS, FEATURES), "networks": (*LABELS, "cifar10-test")}
COMPARED = ("votes", "beliefs")
WEIGHTS = {"heads": 1.0, "networks": 6.0}


def parts(scale: Scale) -> Sequence[Part]:
    """Label statistics; the studies; what their predictions and networks score on both evaluation sets."""
    made = [Part(name="labels", work=count_released, data=LABELS, settings={"version": 2}, weight=0.1)]
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
    for models in MODELS:
        own = [(f"{name}-{models}", name) for name in COMPARED]
        made += [
            Part(name=part, study=study(name, models, scale), data=DATA[models], weight=WEIGHTS[models])
            for part, name in own
        ]
        made.append(
            Part(
                name=f"scores-{models}",
                work=partial(numbers_of, models, own, scale),
                data=DATA[models],
                needs=tuple(part for part, _ in own),
                weight=WEIGHTS[models] / 4,
                settings={
                    "epsilon": EPSILON,
                    "attacked": ATTACKED[scale],
                    "seed": SEED,
                    "version": 2,
                    **SIZES[scale][models],
                },
            )
        )
    return made


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """What is other here than in the paper."""
    heads, networks = SIZES[scale]["heads"], SIZES[scale]["networks"]
    rows = [
        (
            "models",
            "ResNet-34A, ResNet-50, VGG-11 from scratch",
            "networks, and two heads on frozen features of an ImageNet ResNet-50: `linear`, and `mlp` with one hidden "
            "layer",
        ),
        ("runs that decide", "15 of networks", _decisive_runs(scale)),
        ("images held out of CIFAR-10S", "100, not released which", "100, drawn once"),
        ("images with their CIFAR-10 class", "6,100, so perhaps with the 100 held out", "6,000 at most, without them"),
        (
            "answers of CIFAR-10S",
            "not stated whether with repeated trials",
            "learning without them, 6 or 7 for each image; numbers about labels with them",
        ),
        ("random labels", "not stated how", "Dirichlet(1, ..., 1), drawn once"),
        ("images shifted or mirrored in training", "not stated", "no"),
        ("momentum and size of batches", "not stated", f"0.9 and {networks['batch']}"),
        (
            "validation set for gamma and beta",
            "of CIFAR-10, not stated which images or loss",
            "1,000 images of the training part by cross-entropy to their CIFAR-10 class",
        ),
        ("loss after FGSM", "not stated to what it is raised", "cross-entropy to people's answers, raised and scored"),
        ("calibration on CIFAR-10S", "not stated in which bins", "one bin: bins hold 100 images"),
    ]
    if scale == "full":
        return rows
    widths = ", ".join(f"{NETWORKS[name]} {width}" for name, width in networks["widths"].items())
    return [
        *rows,
        ("networks", ", ".join(NETWORKS.values()), ", ".join(NETWORKS[name] for name in networks["widths"])),
        ("width of networks", "64 channels in the first stage", widths),
        ("side of images, networks", "32", str(networks["side"])),
        (
            "epochs of networks, and after which the rate falls",
            "65; 50 and 55",
            f"{networks['epochs']}; {' and '.join(map(str, milestones(networks['epochs'])))}",
        ),
        ("learning rate of networks", "0.1; ResNet-50 0.4", "0.1"),
        ("seeds", "5", f"{networks['seeds']} of networks, {heads['seeds']} of heads"),
        (
            "images that networks learn from",
            "7,000",
            f"{900 + networks['others']:,}, all 900 with labels of people among them",
        ),
        ("annotators that networks learn from", "1, 2, 4, 8, 16, 32 and all; 1 to 6", "1, 2 and all"),
        ("images under attack", "3,000 and 100", f"{ATTACKED[scale]:,} and 100"),
        ("gamma and beta chosen by", "networks", "heads"),
        (
            "heads",
            "-",
            f"{heads['features']} of 2,048 features, {heads['epochs']} epochs, "
            f"{900 + (6_000 if heads['others'] is None else heads['others']):,} images",
        ),
    ]


def _decisive_runs(scale: Scale) -> str:
    """Whose runs a verdict is about."""
    heads, networks = SIZES[scale]["heads"], SIZES[scale]["networks"]
    n_heads, n_networks = 2 * heads["seeds"], len(networks["widths"]) * networks["seeds"]
    if scale == "full":
        return f"{n_networks} of networks; {n_heads} of heads are drawn beside them and decide nothing"
    return (
        f"{n_heads} of heads and {n_networks} of networks, pooled: the heads are more and differ less by seed, so they "
        "mostly decide. Each row has both apart and says where the networks alone would give another verdict; loss "
        "after FGSM is of networks alone, and rows with more than two annotators but not all are of heads alone"
    )


PAPER = Paper(
    name="collins2022",
    title="Do labels that each annotator states softly need fewer annotators? (Collins 2022)",
    citation="Collins, Bhatt, Weller (2022), Eliciting and Learning with Soft Labels from Every Annotator",
    claims=CLAIMS,
    parts=parts,
    findings=findings,
    differences=differences,
    figures=figures,
)
