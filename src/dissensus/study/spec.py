"""A study: which labels, made how, delivered how, to which model, with which seeds, judged by what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dissensus.study.model_settings import ModelSettings
from dissensus.study.spec_lines import SpecText

SCHEMES = ("per-seed", "fixed", "k-fold", "column", "file")
TESTS = ("wilcoxon", "paired-t", "corrected-t")
SIDES = ("two-sided", "less", "greater")
FAMILIES = ("all", "metric")
SLICES = ("disagreement", "entropy", "majority", "gold")
ALONE = ("attacks", "curvature", "gradients")  # probes that need one network and nothing else
USUAL_METRICS = ("soft_nll", "kl", "brier", "accuracy", "entropy_pearson")
AXES = ("data", "votes", "completion", "aggregation", "transforms", "delivery", "model")


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """Where the labels and the items of one set come from; in Python each may be the value itself.

    labels       a data set or a file: what models learn from
    people       the same for what models are judged by; None: the same labels, all answers of them
    features     a .npy file or a data set of features; "pixels": those of the images, from 0 to 1
    images       a data set of images, a folder, a Parquet file; None: those of the data set of labels, where it has any
    by_position  rows without names stand in the same order everywhere
    """

    labels: Any
    people: Any = None
    features: Any = None
    images: Any = None
    by_position: bool = False


@dataclass(frozen=True)
class LabelRecipe:
    """How the labels to learn from are made of people's answers, in this order.

    votes        answers drawn for each item, anew for each seed; None: all
    completion   of partial beliefs, one of COMPLETIONS; None: as they are
    aggregation  one of AGGREGATIONS; None: answers stay answers
    transforms   such as "tempered=0.5 | smoothed=0.1"; "": none
    """

    votes: int | None = None
    completion: str | None = None
    aggregation: str | None = None
    transforms: str = ""


@dataclass(frozen=True, kw_only=True)
class Split:
    """Which items are learned from, chosen by and judged on.

    scheme      "per-seed": drawn anew for each seed; "fixed": drawn once; "k-fold": each item is judged once for each
                seed; all three keep the shares of the majority's classes. "column": a column of the data set says
                train, validation or test; "file": a table with the columns item and part does
    test        share of the items judged on
    validation  share of the others chosen by; 0: nothing is chosen; "test": the items judged on, which flatters
    """

    scheme: str = "per-seed"
    test: float = 0.2
    validation: float | str = 0.1
    folds: int = 5
    column: str = "split"
    file: str = ""


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """What is shown of each cell, and what else is computed.

    metrics  of METRICS, shown in tables; all are recorded
    slices   parts of the items: disagreement, entropy, majority, gold, or a column of the data set
    probes   of ALONE; of networks only
    """

    metrics: tuple[str, ...] = USUAL_METRICS
    slices: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Comparing:
    """How arms are compared: each with the arm that has the baseline's values and is like it in all else.

    baseline  such as {"delivery": "soft"}; keys of AXES, or settings of the model
    test      "wilcoxon", "paired-t", or "corrected-t" for overlapping training sets, which `study_of` takes where items
              are split anew for each seed: there the others find a difference that is none in a fifth of all cases
    side      "less": below the baseline; "greater": above; "two-sided"
    family    Holm over "all" tests of the study, or over those of each "metric"
    """

    baseline: Mapping[str, Any]
    test: str = "corrected-t"
    side: str = "two-sided"
    family: str = "all"


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study, checked as far as it can be without its data; `grid.cells_of` lists what it consists of."""

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
    text: SpecText = field(default_factory=SpecText)
