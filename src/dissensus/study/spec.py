"""A study as a value: data, labels, deliveries, models, split, seeds and evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dissensus.files.toml import TomlText
from dissensus.labels.settings import document_settings, setting
from dissensus.study.model_settings import ModelSettings

SCHEMES = ("per-seed", "fixed", "k-fold", "column", "file")
TESTS = ("wilcoxon", "paired-t", "corrected-t")
SIDES = ("two-sided", "less", "greater")
FAMILIES = ("all", "metric")
SLICES = ("disagreement", "entropy", "majority", "gold")
ALONE = ("attacks", "curvature", "gradients")  # probes that need one network and nothing else
USUAL_METRICS = ("soft_nll", "kl", "brier", "accuracy", "entropy_pearson")
AXES = ("data", "votes", "completion", "aggregation", "transforms", "delivery", "model")


@document_settings
@dataclass(frozen=True, kw_only=True)
class DataSource:
    """Where the labels and the items of one set come from; in Python each may be the value itself."""

    labels: Any = setting(..., "Labels to learn from: a data set or a file")
    people: Any = setting(None, "Labels to evaluate against, such as a gold panel: a data set or a file")
    features: Any = setting(None, 'Features for heads: a `.npy` file, a data set of features, or `"pixels"`')
    images: Any = setting(None, "Images for networks: a data set of images, a folder, a Parquet file")
    by_position: bool = setting(False, "Match rows without names by position")


@document_settings
@dataclass(frozen=True)
class LabelRecipe:
    """How training labels are made from people's answers, in this order."""

    votes: int | None = setting(None, "Answers drawn per item and seed; evaluation uses all answers", low=1)
    completion: str | None = setting(None, "Completion of partly stated beliefs: [COMPLETIONS](completion.md)")
    aggregation: str | None = setting(
        None, "From answers to distributions, on training items only: [AGGREGATIONS](aggregate.md)"
    )
    transforms: str = setting(
        "", 'Transforms of distributions, as in `"tempered=0.5 \\| smoothed=0.1"`: [TRANSFORMS](transforms.md)'
    )


@document_settings
@dataclass(frozen=True, kw_only=True)
class Split:
    """Which items are for training, validation and test.

    per-seed draws a split for each seed, fixed draws one; with k-fold every item is tested once per seed. These three
    keep the shares of the majority's classes. A column of the data set, or a file with the columns item and part, may
    say train, validation or test instead.
    """

    scheme: str = setting("per-seed", "Source of the split", among=SCHEMES)
    test: float = setting(0.2, "Share of the items for the test, for per-seed and fixed", above=0, below=1)
    validation: float | str = setting(
        0.1,
        "Share of the other items that chooses epoch and penalty, by soft NLL against all answers; 0 chooses nothing "
        'and tests the last epoch, `"test"` chooses by the test items, which is optimistic',
    )
    folds: int = setting(5, "Number of folds, for k-fold", low=2)
    column: str = setting("split", "Column of the data set, for column")
    file: str = setting("", "Table with the columns item and part, for file")


@document_settings
@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The evaluation of each cell."""

    metrics: tuple[str, ...] = setting(
        USUAL_METRICS, "Metrics that tables and tests show, of [METRICS](evaluate.md); all are recorded"
    )
    slices: tuple[str, ...] = setting((), f"Parts of the items: {', '.join(SLICES)}, or a column of the data set")
    probes: tuple[str, ...] = setting((), f"[Probes](probe.md) of networks: {', '.join(ALONE)}")


@document_settings
@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How arms are compared: each with the arm that has the baseline's values and the same other values.

    corrected-t is for overlapping training sets, as with per-seed and k-fold. There the other tests call a difference
    significant too often.
    """

    baseline: Mapping[str, Any] = setting(
        ..., 'Values of the baseline, as in `{delivery = "majority"}`: any axis or setting of a model'
    )
    test: str = setting("corrected-t", "Paired test", among=TESTS)
    side: str = setting("two-sided", "Alternative of the test; less: below the baseline, greater: above", among=SIDES)
    family: str = setting(
        "all", "Family of Holm's correction; all tests of the study, or those of each metric", among=FAMILIES
    )


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study, checked as far as possible without its data; `cells_of` lists its cells.

    `read_study` and `study_of` make one.

    Parameters
    ----------
    name : name of the study
    data : sets of labels and items, by name
    models : settings of each model
    question : question that the study answers
    labels : recipes of the training labels
    deliveries : how labels reach the loss, each a delivery with its wrappers, such as "majority | smoothed=0.1"
    split : items for training, validation and test
    seeds : seeds of each arm
    evaluation : metrics, slices and probes
    comparing : baseline and test of the comparison; None compares nothing
    skip : values of an axis or setting; cells that have all values of a rule are left out
    keep_models : whether every cell keeps its model
    text : file and lines of the keys, for errors

    Examples
    --------
    >>> labels = Distributions.from_counts([[2, 1], [0, 3]] * 10)
    >>> data = {"labels": labels, "features": np.tile(np.eye(2), (10, 1))}
    >>> study = study_of({"data": data, "model": {"head": "logistic", "penalty": 1}, "seeds": 2})
    >>> study.models[0].name
    'logistic'
    """

    name: str
    data: Mapping[str, DataSource]
    models: tuple[ModelSettings, ...]
    question: str = ""
    labels: tuple[LabelRecipe, ...] = (LabelRecipe(),)
    deliveries: tuple[str, ...] = ("soft",)
    split: Split = field(default_factory=Split)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    evaluation: Evaluation = field(default_factory=Evaluation)
    comparing: Comparing | None = None
    skip: tuple[Mapping[str, Any], ...] = ()
    keep_models: bool = False
    text: TomlText = field(default_factory=TomlText)
