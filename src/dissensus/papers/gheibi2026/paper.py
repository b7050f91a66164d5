"""The reproduction of the paper: its parts, and what is other here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from dissensus.papers.gheibi2026.answers import answers
from dissensus.papers.gheibi2026.beyond import CEILING, TEXT_SIZES, TEXTS, ceiling, shrinkage_study, text_runs
from dissensus.papers.gheibi2026.claims import CLAIMS
from dissensus.papers.gheibi2026.figures import figures
from dissensus.papers.gheibi2026.findings import findings
from dissensus.papers.gheibi2026.probing import PROBING, probe_models, settings_of_probing
from dissensus.papers.gheibi2026.proposition import SETTINGS as PROPOSITION
from dissensus.papers.gheibi2026.proposition import proposition
from dissensus.papers.gheibi2026.studies import FEATURES, HELD_FOR, SIZES, studies_of
from dissensus.papers.paper import Paper, Part, Scale

IMAGES = ("cifar10h", "cifar10-test")
VECTORS = ("cifar10h", FEATURES)
ELSEWHERE = {
    "heads": ("cifar100-efficientnet", "imagenet32-efficientnet", "cifar10-train-efficientnet"),
    "network": ("cifar100-test-8k", "imagenet32-validation", "cifar10-train", "cifar10n"),
}
VOTES = 51  # of an image of CIFAR-10H, on average
WEIGHTS = {"heads": 0.2, "small": 1.5, "resnet18": 2.0}


def parts(scale: Scale) -> Sequence[Part]:
    """The comparisons of each model, then what is inside the models; the proposition; what goes beyond the paper."""
    made = [Part(name="proposition", work=proposition, settings=PROPOSITION, data=("cifar10h",), weight=0.02)]
    for model in SIZES[scale]:
        data = VECTORS if model == "heads" else IMAGES
        studies = studies_of(model, scale)
        for name, study in studies.items():
            seeds = WEIGHTS[model] * len(study.seeds) * len(study.deliveries) * len(study.labels) / 10
            made.append(Part(name=f"{model}-{name}", study=study, data=data, weight=seeds))
        if model in PROBING[scale]:
            elsewhere = ELSEWHERE["heads" if model == "heads" else "network"]
            made.append(
                Part(
                    name=f"{model}-probes",
                    work=partial(probe_models, model, scale),
                    data=(*data, *elsewhere),
                    settings=settings_of_probing(model, scale),
                    needs=tuple(f"{model}-{name}" for name in studies),
                    weight=4 * WEIGHTS[model],
                )
            )
    texts = tuple(name for texts in TEXTS.values() for name in texts.data)
    made += [
        Part(
            name="texts",
            work=partial(text_runs, scale),
            data=texts,
            weight=1.5,
            settings={"version": 2, **TEXT_SIZES[scale]},
        ),
        Part(name="shrinkage", study=shrinkage_study(scale), data=VECTORS, weight=0.6),
        Part(
            name="ceiling",
            work=partial(ceiling, scale),
            data=("cifar10h",),
            weight=0.3,
            settings={"version": 1, **CEILING[scale]},
        ),
    ]
    return made


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    """What is other here than in the paper."""
    rows = [
        ("epoch that is scored", "not stated for scores; the best for curvature", "both; the best decides verdicts"),
        (
            "few votes",
            "drawn with replacement, independent for each K",
            "the same, from one stream of a seed for all K",
        ),
        (
            "mixup",
            "alpha and batches not stated",
            "alpha 0.2, partner and weight drawn for each image; majority's labels",
        ),
        ("label smoothing", "amount not stated", "0.1, of majority's labels"),
        ("high-disagreement slice", "rule not stated", "the tenth of the images with the largest entropy among people"),
        ("gain over target error", "which images: not stated", "both those learned from and those held out"),
        ("far images", "SVHN", "ImageNet at 32 pixels without CIFAR-10's classes, in a figure alone"),
        ("CIFAR-100", "10,000 test images", "8,000 of them at most"),
        (
            "images that features and maps of seeds are compared on",
            "not stated",
            "training images of CIFAR-10, which no model has seen; CIFAR-10N says which of them are disputed",
        ),
        (
            "Grad-CAM",
            "layer and class not stated",
            "the last layer with maps of 4 x 4 or more, for the true class, without ReLU",
        ),
    ]
    for model, size in SIZES[scale].items():
        rows.append(
            (f"model: {model}", "ResNet-18 of width 64, 200 epochs, crop and flip, SGD", _describe_model(size.model))
        )
        for part, theirs in (
            ("main", "5 deliveries, 10 seeds"),
            ("family", "6 deliveries beside SLS, 5 seeds"),
            ("sweep", "4 deliveries, K = 5, 10, 25, 50, 5 seeds"),
        ):
            deliveries, seeds = getattr(size, part)
            drawn = f", K = {', '.join(map(str, size.ks))}" if part == "sweep" else ""
            ours = f"{len(deliveries)} deliveries{drawn}, {seeds} seeds" if seeds else "not run"
            rows.append((f"{part} comparison, {model}", theirs, ours))
        trained = int(size.model["epochs"])
        if trained < VOTES and "multipass" in size.family[0]:
            rows.append(
                (
                    f"passes over all votes in multipass, {model}",
                    "about 4",
                    f"{trained / VOTES:.1f}, since {trained} epochs are fewer than the {VOTES} votes of an image",
                )
            )
        if trained <= max(HELD_FOR) and f"sls | stale={max(HELD_FOR)}" in size.family[0]:
            rows.append((f"labels held for {max(HELD_FOR)} epochs, {model}", "drawn four times", "drawn once"))
        if size.items is not None:
            rows.append((f"images, {model}", "10,000", f"{size.items:,}"))
    for model, probing in PROBING[scale].items():
        items = "all" if probing.items is None else f"{probing.items:,}"
        epochs = "best and last epoch" if probing.last else "best epoch"
        ours = f"{items} images, {probing.seeds} seeds at most, {epochs}; Lanczos' method, traces in groups or exact"
        theirs = "2,000 images, 5 or 10 seeds, best epoch; power iteration, Hutchinson's trace"
        rows.append((f"probes, {model}", theirs, ours))
    return rows


def _describe_model(model: Mapping[str, Any]) -> str:
    if "head" in model:
        return (
            f"a head of {model['hidden']} units on features of EfficientNet-Lite0, {model['epochs']} epochs of "
            "Adam; the features stay as they are"
        )
    width = "as published" if model["width"] == "none" else f"of width {model['width']}"
    crop = "crop and flip" if model["crop"] else "flip alone"
    return f"{model['network']} {width}, {model['epochs']} epochs, {crop}, SGD as in the paper"


PAPER = Paper(
    name="gheibi2026",
    title="Does it matter whether people's votes reach the loss softly or one by one? (Gheibi 2026)",
    citation="Gheibi, Ghazizadeh (2026), Same Target, Different Basins: Hard vs. Soft Labels for Annotator "
    "Distributions",
    claims=CLAIMS,
    parts=parts,
    findings=findings,
    differences=differences,
    figures=figures,
    beyond=answers,
)
