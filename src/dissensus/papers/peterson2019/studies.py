"""Section 5 as studies: human labels against the classes of the data set, for networks and for heads on features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dissensus.datasets.catalogue import features
from dissensus.datasets.dataset import LabelledItems
from dissensus.papers.paper import Scale
from dissensus.papers.peterson2019.sets import images_of, one_hot, people_of
from dissensus.papers.peterson2019.sizes import HEAD_SIZES, SIZES, RateSizes, Sized
from dissensus.study.read_spec import study_of
from dissensus.study.spec import Study
from dissensus.train.heads.features import FeatureTable
from dissensus.train.images import ImageTable

KINDS = ("soft", "hard")
CUTOUT = {"shake_shake26_2x64": 16}  # pixels of the square, as in the name of the paper's model
HEADS = ("linear", "mlp")
TO_THE_END = {"keep": "last", "patience": "none"}  # of heads: no image is held out to stop by


def scratch(scale: Scale) -> Study:
    """Networks from scratch, in folds; runs of a network differ only in the labels."""
    size = SIZES[scale]
    people = people_of(size.images)
    pixels = images_of("cifar10", "test").pixels[people.labels.items.astype(int)]
    models = [{**_network(sized, scale), "learning_rate": list(size.rates)} for sized in size.networks.values()]
    inputs = {"images": ImageTable(pixels, people.labels.items)}
    return comparison_study(f"Human labels from scratch, {scale}", people, kinds_of(people), inputs, models, size.folds)


def rates(scale: Scale, compared: RateSizes) -> Study:
    """Networks from scratch by each optimizer and learning rate."""
    size = SIZES[scale]
    people = people_of(size.images)
    pixels = images_of("cifar10", "test").pixels[people.labels.items.astype(int)]
    models = [
        _network(sized, scale)
        | {"optimizer": optimizer, "learning_rate": list(compared.rates), "epochs": compared.epochs}
        for sized in size.networks.values()
        for optimizer in compared.optimizers
    ]
    models = [{**model, "nesterov": model["optimizer"] == "sgd"} for model in models]
    inputs = {"images": ImageTable(pixels, people.labels.items)}
    return comparison_study(f"Learning rates, {scale}", people, kinds_of(people), inputs, models, compared.folds)


def heads(scale: Scale) -> Study:
    """Heads on features of EfficientNet-Lite0, in folds; the encoder has seen ImageNet and no labels of CIFAR-10."""
    size = HEAD_SIZES[scale]
    people = people_of(size.images)
    known = features("cifar10-efficientnet")
    rows = people.labels.items.astype(int)
    models = [{"head": list(HEADS), "epochs": size.epochs, **TO_THE_END}]
    inputs = {"features": FeatureTable(known.values[rows], people.labels.items)}
    return comparison_study(f"Human labels for heads, {scale}", people, kinds_of(people), inputs, models, size.folds)


def _network(sized: Sized, scale: Scale) -> dict[str, Any]:
    """Settings of a network from scratch, without its learning rate."""
    sizes = {"width": sized.width, "depth": sized.depth}
    cutout = {"cutout": CUTOUT[sized.network]} if scale == "full" and sized.network in CUTOUT else {}
    own = {name: value for name, value in sizes.items() if value is not None}
    return {"network": sized.network, "keep": "last", **SIZES[scale].training, **own, **cutout}


def kinds_of(people: LabelledItems) -> dict[str, LabelledItems]:
    """Labels to learn: shares of people's answers, or the class of the data set."""
    return {"soft": people, "hard": one_hot(people)}


def comparison_study(
    name: str,
    people: LabelledItems,
    kinds: Mapping[str, LabelledItems],
    inputs: Mapping[str, Any],
    models: Sequence[Mapping[str, Any]],
    folds: int,
) -> Study:
    """Models that learn from each kind of labels in folds, all compared with people's answers.

    kinds   labels to learn from, by name
    inputs  `features` or `images`, as a study takes them
    """
    return study_of(
        {
            "name": name,
            "question": "Do models that learn how people disagree generalise better than those that learn one class?",
            "seeds": 1,
            "delivery": "soft",
            "keep_models": True,
            "data": {kind: {"labels": labels, "people": people, **inputs} for kind, labels in kinds.items()},
            "model": list(models),
            "split": {"scheme": "k-fold", "folds": folds, "validation": 0},
            "evaluate": {"metrics": ["accuracy_gold", "soft_nll", "second_best_accuracy", "confidence_right"]},
            "compare": {"baseline": {"data": "hard"}},
        }
    )
