"""detect_ood: all detectors on several sets of inputs from outside the training data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dissensus.labels.as_json import as_json
from dissensus.labels.display import shapes
from dissensus.labels.doors import describe_type
from dissensus.labels.refusals import PythonWay, Refusal, Way
from dissensus.probe.detection import Separation, separation
from dissensus.probe.ood import DETECTORS, NEIGHBOURS, choose_detectors, ood_scores
from dissensus.train.model import FeatureModel, Model, as_model


@dataclass(frozen=True, eq=False)
class Detection:
    """The separation of each set outside from the items inside, by detector.

    separations  set: detector: Separation
    inside       detector: (n,) scores of the items inside
    outside      set: detector: (m,) scores
    """

    separations: dict[str, dict[str, Separation]]
    inside: dict[str, np.ndarray]
    outside: dict[str, dict[str, np.ndarray]]

    __repr__ = shapes

    def as_json(self) -> list[dict[str, Any]]:
        """One record for each set and detector, without the scores of the items; None if there is no interval."""
        return [
            {"set": name, "detector": detector} | as_json(result)
            for name, by_detector in self.separations.items()
            for detector, result in by_detector.items()
        ]


def detect_ood(
    model: Any,
    inside: Any,
    outside: Mapping[str, Any],
    *,
    reference: Any = None,
    detectors: Iterable[str] | None = None,
    neighbours: int = NEIGHBOURS,
    epsilon: float = 0.0,
    progress: Callable[[int, int], None] | None = None,
) -> Detection:
    """Measure how well a model's scores separate items from outside from items like its training data.

    Parameters
    ----------
    model : a head, a network, a fitted classifier: anything `as_model` takes; for knn it must have features
    inside : inputs like those the model was trained on, but not these, since it is more certain of them
    outside : inputs of each set by its name, such as {"near": ..., "far": ...}
    reference : inputs the model was trained on; used by knn alone
    detectors : names from DETECTORS; None: all six if there is a reference, else those on logits
    neighbours : the neighbour to which knn takes the distance
    epsilon : ODIN's step on the image, a share of the range of pixels; 0 is its temperature alone, others need a
        Network
    progress : called with the number of sets done and of all

    Returns
    -------
    Detection, with a `Separation` for each set and detector

    Examples
    --------
    >>> from dissensus.train import SoftLabelClassifier
    >>> model = SoftLabelClassifier().fit(np.array([[0.0], [1.0]]), np.array([[1, 0], [0, 1]]))
    >>> found = detect_ood(model, np.array([[0.0], [1.0]]), {"between": np.array([[0.5], [0.4]])})
    >>> found.separations["between"]["msp"].auroc
    1.0
    """
    if not isinstance(outside, Mapping) or not outside:
        given = "empty" if isinstance(outside, Mapping) else describe_type(outside)
        raise ValueError(f"outside is {given}; expected the inputs of each set by its name, as in {{'far': images}}")
    names = choose_detectors(detectors, reference is not None)
    seen = as_model(model)
    if epsilon:
        _check_step(seen, names, epsilon)
    features = _features_of(seen, reference) if any(DETECTORS[name].needs == "features" for name in names) else None
    known = features(reference) if features else None
    sets: list[tuple[str | None, Any]] = [(None, inside), *outside.items()]
    scores: dict[str | None, dict[str, np.ndarray]] = {}
    for name, inputs in sets:
        here = features(inputs) if features else None
        scores[name] = ood_scores(seen.logits(inputs), here, reference=known, detectors=names, neighbours=neighbours)
        if epsilon:
            from dissensus.probe.odin_step import odin

            scores[name]["odin"] = odin(model, inputs, epsilon=epsilon)
        if progress is not None:
            progress(len(scores), len(sets))
    if "energy" in names and all(np.abs(by_detector["energy"]).max() < 1e-6 for by_detector in scores.values()):
        raise ValueError(
            "the energy is 0 for every item, because the logits of this model are logarithms of probabilities, as "
            "those of scikit-learn's classifiers are: leave energy out of detectors"
        )
    within = scores[None]
    beyond = {name: by_detector for name, by_detector in scores.items() if name is not None}
    separations = {
        name: {detector: separation(within[detector], values) for detector, values in by_detector.items()}
        for name, by_detector in beyond.items()
    }
    return Detection(separations, within, beyond)


def _features_of(model: Model, reference: Any) -> Callable[[Any], Any]:
    """The features of the model, for knn."""
    if reference is None:
        raise Refusal(
            "knn compares with the items the model was trained on, and none are given",
            ways=[Way("pass them with {reference}", reference=...)],
        )
    if not isinstance(model, FeatureModel):
        names = [name for name, detector in DETECTORS.items() if detector.needs == "logits"]
        raise Refusal(
            f"knn needs features, and this {type(model).__name__} has none; expected a head or a network",
            ways=[Way("choose {detectors}, which need none", detectors=names)],
        )
    return model.features


def _check_step(model: Model, names: tuple[str, ...], epsilon: float) -> None:
    from dissensus.train.network import Network

    if not isinstance(model, Network):
        raise Refusal(
            f"epsilon is {epsilon}, a step on the image, and a {type(model).__name__} takes no images; expected a "
            "Network",
            ways=[PythonWay("pass {epsilon} for ODIN by its temperature alone", epsilon=0)],
        )
    if "odin" not in names:
        raise ValueError(f"epsilon is {epsilon}, which only odin uses; the detectors are {', '.join(names)}")
