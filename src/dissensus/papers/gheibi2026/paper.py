"""The paper as data: its parts by scale, and how a run differs from the paper."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from dissensus.papers.evidence import Candidate
from dissensus.papers.expressions import difference
from dissensus.papers.gheibi2026.answers import answers
from dissensus.papers.gheibi2026.beyond import CEILING, TEXT_SIZES, TEXTS, ceiling, shrinkage_study, text_runs
from dissensus.papers.gheibi2026.claims import CLAIMS, HEADLINES
from dissensus.papers.gheibi2026.conclusion import conclude
from dissensus.papers.gheibi2026.figures import figures
from dissensus.papers.gheibi2026.measures import CURVES_VERSION, curve_distances
from dissensus.papers.gheibi2026.observe import EPOCHS, observe
from dissensus.papers.gheibi2026.probing import PROBING, probe_models, settings_of_probing
from dissensus.papers.gheibi2026.proposition import SETTINGS as PROPOSITION
from dissensus.papers.gheibi2026.proposition import proposition
from dissensus.papers.gheibi2026.reader_names import MODELS, READER_NAMES
from dissensus.papers.gheibi2026.studies import FEATURES, SIZES, Size, studies_of
from dissensus.papers.paper import SCALES, Gate, Paper, Part, Scale
from dissensus.papers.published import read_published
from dissensus.papers.texts import read_differences

IMAGES = ("cifar10h", "cifar10-test")
VECTORS = ("cifar10h", FEATURES)
ELSEWHERE = {
    "heads": ("cifar100-efficientnet", "imagenet32-efficientnet", "cifar10-train-efficientnet"),
    "network": ("cifar100-test-8k", "imagenet32-validation", "cifar10-train", "cifar10n"),
}
VOTES = 51  # of an image of CIFAR-10H, on average
WEIGHTS = {"heads": 0.2, "swift": 20.0, "resnet18": 2.0}
ALWAYS, PAPER_SIZES = read_differences("gheibi2026")


def parts(scale: Scale) -> Iterator[Part]:
    """The comparisons of each model, then what is inside the models; the proposition; what goes beyond the paper."""
    yield Part("proposition", proposition, settings=PROPOSITION, data=("cifar10h",), weight=0.02)
    for model in SIZES[scale]:
        data, others = (VECTORS, ELSEWHERE["heads"]) if model == "heads" else (IMAGES, ELSEWHERE["network"])
        studies, main = studies_of(model, scale), f"{model}-main"
        for name, study in studies.items():
            weight = WEIGHTS[model] * len(study.seeds) * len(study.deliveries) * len(study.labels) / 10
            gate = _gate(model) if name == "main" and model != "heads" else None
            needs = (main,) if name == "family" and model != "heads" else ()
            yield Part(f"{model}-{name}", study=study, data=data, weight=weight, gate=gate, needs=needs)
        work, version = partial(curve_distances, main), {"version": CURVES_VERSION}
        yield Part(f"{model}-curves", work, settings=version, data=("cifar10h",), needs=(main,), weight=0.05)
        for name in studies if model in PROBING[scale] else ():
            yield Part(
                f"{model}-probes-{name}",
                partial(probe_models, model, scale, name),
                data=(*data, *others),
                settings=settings_of_probing(model, scale),
                needs=(f"{model}-{name}",),
                weight=WEIGHTS[model],
            )
    texts = tuple(name for texts in TEXTS.values() for name in texts.data)
    yield Part("texts", partial(text_runs, scale), data=texts, weight=1.5, settings={"version": 2, **TEXT_SIZES[scale]})
    yield Part("shrinkage", study=shrinkage_study(scale), data=VECTORS, weight=0.6)
    sizes = {"version": 1, **CEILING[scale]}
    yield Part("ceiling", partial(ceiling, scale), data=("cifar10h",), weight=0.3, settings=sizes)


def _gate(model: str) -> Gate:
    """Networks that fit too badly, or do not show what table 2 shows, are not trained in more ways or probed."""
    return Gate(
        source="table 2",
        candidate=Candidate(model, EPOCHS["last"]),
        expression=difference("soft_nll", "sls", "soft"),
        stops=(f"{model}-family",),
    )


def differences(scale: Scale) -> Sequence[tuple[str, str, str]]:
    rows = list(ALWAYS)
    for model, size in SIZES[scale].items():
        shown = MODELS[model]
        ours = _sizes(size)
        rows += [(f"{aspect}: {shown}", PAPER_SIZES[aspect], here) for aspect, here in ours.items()]
    for model, probing in PROBING[scale].items():
        images = "all held-out" if probing.items is None else f"{probing.items:,} held-out"
        here = f"{images} images, {probing.seeds} seeds at most; Lanczos' method, grouped or exact traces"
        rows.append(
            (f"curvature: {MODELS[model]}", "2,000 held-out images, 5 or 10 seeds; power iteration, Hutchinson", here)
        )
    return [row for row in rows if row[1] != row[2]]


def _sizes(size: Size) -> dict[str, str]:
    """The sizes of a run, by the aspects of `PAPER_SIZES`."""
    model, epochs = size.model, int(size.model["epochs"])
    fewest = ", ".join(str(k) for k in size.ks if k <= (size.few_epochs or 0))
    head = "head" in model
    network = "" if head else {"resnet18": "ResNet-18", "swift": "6 convolutions"}[model["network"]]
    width = "" if head or model["width"] == "none" else f", width {model['width']}"
    return {
        "model": f"head of {model['hidden']} units on EfficientNet-Lite0" if head else f"{network}{width}",
        "optimizer": f"{_optimizer(model)}, batches of {model.get('batch', 128)}",
        "augmentation": "none" if head else "crop and flip",
        "epochs": str(epochs) if size.few_epochs is None else f"{epochs}; {size.few_epochs} with {fewest} votes",
        "passes over all votes": f"{epochs / VOTES:.1f}",
        "images": "10,000" if size.items is None else f"{size.items:,}",
        "seeds, all votes": str(size.main[1]),
        "seeds, hard deliveries": str(size.family[1]),
        "seeds, few votes": str(size.sweep[1]),
        "K": ", ".join(map(str, size.ks)),
    }


def _optimizer(model: Mapping[str, Any]) -> str:
    if "head" in model:
        return "Adam at 0.001"
    return "SGD at 0.1, cosine"


PAPER = Paper(
    name="gheibi2026",
    title="Does it matter whether votes reach the loss as soft labels or one by one? (Gheibi 2026)",
    citation="Gheibi, Ghazizadeh (2026), Same Target, Different Basins: Hard vs. Soft Labels for Annotator "
    "Distributions",
    claims=CLAIMS,
    parts=parts,
    published=read_published("gheibi2026"),
    observe=observe,
    differences=differences,
    figures=figures,
    beyond=answers,
    names=READER_NAMES,
    headlines=HEADLINES,
    conclude=conclude,
    scales=SCALES,
)
